//! `warplab serve`: the laboratory in the browser, from a folder of plain files.

use crate::arguments::ServeArguments;
use crate::failure::{Failure, Outcome};
use crate::machines;
use crate::terminal::Terminal;
use std::fs;
use std::path::{Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, Server};

/// Where `crates/laboratory/build.sh` puts the laboratory.
const FOLDER: &str = "target/laboratory";

/// The page that opens it.
const START: &str = "index.html";

/// Serves the laboratory and opens it in the browser, until the program is ended; or copies it into a folder.
pub(crate) fn run(arguments: &ServeArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let folder = folder(arguments.folder.as_deref())?;
    if let Some(target) = &arguments.export {
        let count = copy(&folder, target)?;
        terminal.print(&format!("{}: {count} files, for any file server\n", target.display()))?;
        return Ok(Outcome::Fine);
    }
    let port = arguments.port;
    let server = Server::http(("127.0.0.1", port)).map_err(|error| {
        Failure::input(format!("port {port} cannot be opened: {error}; give another --port, or 0 for any"))
    })?;
    let address = format!("http://{}", server.server_addr());
    terminal.print(&format!("{address}\n"))?;
    terminal.note("the laboratory is served to this computer only; Ctrl and C end it");
    if !arguments.no_open && Terminal::is_interactive() {
        // The server answers once this has returned: nothing may wait for the browser.
        if let Err(error) = open::that_detached(&address) {
            terminal.note(&format!("no browser could be started ({error}): open the address in one"));
        }
    }
    for request in server.incoming_requests() {
        // A browser that has gone away needs no answer.
        let _ = answer(&folder, request);
    }
    Ok(Outcome::Fine)
}

/// The folder that is named, or the one that was built: here, or in the checkout that the program is in.
fn folder(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = named {
        let there = folder.join(START).is_file();
        let missing = || Failure::input(format!("{} has no {START}: it is no laboratory", folder.display()));
        return there.then(|| folder.to_owned()).ok_or_else(missing);
    }
    let built = machines::roots().into_iter().map(|root| root.join(FOLDER));
    built.into_iter().find(|folder| folder.join(START).is_file()).ok_or_else(|| {
        Failure::input(format!(
            "the laboratory is not built: {FOLDER} is missing; crates/laboratory/build.sh makes it, and --folder names \
             another"
        ))
    })
}

fn copy(folder: &Path, target: &Path) -> Result<usize, Failure> {
    let unreadable = |error| Failure::input(format!("{} cannot be read: {error}", folder.display()));
    let unwritable = |error| Failure::Output(format!("{} cannot be written: {error}", target.display()));
    fs::create_dir_all(target).map_err(unwritable)?;
    let mut count = 0;
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let bytes = fs::read(entry.path()).map_err(unreadable)?;
        fs::write(target.join(entry.file_name()), bytes).map_err(unwritable)?;
        count += 1;
    }
    Ok(count)
}

/// Answers with a file of the folder; the folder has no others inside.
fn answer(folder: &Path, request: Request) -> std::io::Result<()> {
    let path = request.url().split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let name = if path.is_empty() { START } else { path }.to_owned();
    let reads = matches!(request.method(), Method::Get | Method::Head);
    let bytes = (reads && is_plain(&name)).then(|| fs::read(folder.join(&name)).ok()).flatten();
    match bytes {
        Some(bytes) => {
            let header = Header::from_bytes("Content-Type", content_type(&name));
            let response = Response::from_data(bytes);
            request.respond(header.into_iter().fold(response, Response::with_header))
        }
        None => request.respond(Response::from_string("not found\n").with_status_code(404)),
    }
}

/// Whether this can only be the name of a file inside the folder.
fn is_plain(name: &str) -> bool {
    !name.starts_with('.') && name.chars().all(|it| it.is_ascii_alphanumeric() || "._-".contains(it))
}

/// The MIME type of a file. Browsers refuse modules and WebAssembly with any other type.
fn content_type(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
