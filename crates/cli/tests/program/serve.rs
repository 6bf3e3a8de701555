//! The laboratory as `warplab serve` gives it to a browser.

use crate::common::{fresh_folder, status, stderr, warplab};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A laboratory of two files.
fn laboratory(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    fs::write(folder.join("index.html"), "<p>laboratory</p>").unwrap();
    fs::write(folder.join("simulator.wasm"), "wasm").unwrap();
    folder
}

/// A server that ends with its test.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn of(folder: &PathBuf) -> Served {
        let mut child = Command::new(snapbox::cmd::cargo_bin!("warplab"))
            .args(["serve", "--port", "0", "--folder"])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Served { child, address: line.trim().trim_start_matches("http://").to_owned() }
    }

    /// Status line and body, and what the content is said to be.
    fn get(&self, path: &str) -> (String, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let kind = head.lines().find_map(|line| line.strip_prefix("Content-Type: ")).unwrap_or_default();
        (head.lines().next().unwrap().to_owned(), kind.to_owned(), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_laboratory_is_served_on_this_computer_with_its_types() {
    let served = Served::of(&laboratory("served"));
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let of = |path| served.get(path);
    let text = |part: &str| part.to_owned();
    assert_eq!(
        of("/"),
        (text("HTTP/1.1 200 OK"), text("text/html; charset=utf-8"), text("<p>laboratory</p>"))
    );
    assert_eq!(of("/simulator.wasm").1, "application/wasm");
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let folder = laboratory("outside");
    fs::write(folder.parent().unwrap().join("secret"), "secret").unwrap();
    let served = Served::of(&folder);
    for path in ["/../secret", "/%2e%2e/secret", "//etc/passwd", "/.", "/missing.js"] {
        assert_eq!(served.get(path).0, "HTTP/1.1 404 Not Found", "{path}");
    }
}

#[test]
fn an_export_has_every_file_of_the_laboratory() {
    let folder = laboratory("original");
    let target = fresh_folder("exported");
    warplab(&format!("serve --folder {} --export {}", folder.display(), target.display())).success();
    assert_eq!(fs::read_to_string(target.join("index.html")).unwrap(), "<p>laboratory</p>");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 2);
}

#[test]
fn a_folder_without_a_laboratory_is_refused() {
    let folder = fresh_folder("no-laboratory");
    let refused = warplab(&format!("serve --folder {}", folder.display()));
    assert_eq!(status(&refused), Some(2));
    assert!(stderr(&refused).contains("has no index.html: it is no laboratory"));
}
