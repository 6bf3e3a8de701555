//! Output that cannot be written is an error; output that nobody reads any more is none.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Command, Stdio};

fn warplab(line: &str) -> Command {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("warplab"));
    command.args(line.split_whitespace()).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    command.stderr(Stdio::piped()).env("NO_COLOR", "1").env("PATH", "");
    for variable in ["CUDA_HOME", "CUDA_PATH", "WARPLAB_NVCC", "WARPLAB_PTXAS", "WARPLAB_NVDISASM"] {
        command.env_remove(variable);
    }
    command
}

/// Something of every command that prints.
const LINES: [&str; 15] = [
    "--help",
    "--version",
    "help run",
    "run --help",
    "run scale.ron --quiet",
    "run scale.ron --json -",
    "run scale.ron --csv raw",
    "isa",
    "explain long_scoreboard",
    "gpu list",
    "gpu show toy --ron",
    "listing scale.ptx",
    "check scale.ptx",
    "lab list",
    "completions bash",
];

#[test]
fn a_full_output_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for line in LINES {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = warplab(line).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(
            said.contains("error: the output cannot be written: No space left on device"),
            "{line}: {said}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for line in LINES {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = warplab(line).stdout(writer).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        // A failed expectation that was looked at stays one, whoever reads of it.
        let expected = i32::from(line == "run scale.ron --quiet");
        assert_eq!(said, "", "{line}");
        assert_eq!(output.status.code(), Some(expected), "{line}");
    }
}
