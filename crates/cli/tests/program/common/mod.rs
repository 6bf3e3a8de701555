//! The program, called as a person calls it.

#![allow(dead_code)] // Each test file uses some of it.

use snapbox::cmd::{Command, OutputAssert};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs `warplab` with these words in the folder of test files.
pub(crate) fn warplab(line: &str) -> OutputAssert {
    warplab_in(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")), line)
}

/// Runs `warplab` with these words in a folder.
pub(crate) fn warplab_in(folder: &Path, line: &str) -> OutputAssert {
    command_in(folder, line).assert()
}

/// `warplab` with these words, to be run in a folder.
pub(crate) fn command_in(folder: &Path, line: &str) -> Command {
    command(folder, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

/// `warplab` with these words, which may hold spaces.
pub(crate) fn command(folder: &Path, words: &[String]) -> Command {
    Command::new(snapbox::cmd::cargo_bin!("warplab"))
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("PATH", "")
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .env_remove("WARPLAB_NVCC")
        .env_remove("WARPLAB_PTXAS")
        .env_remove("WARPLAB_NVDISASM")
}

/// A fresh, empty folder with this name.
pub(crate) fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a command printed.
pub(crate) fn stdout(ran: &OutputAssert) -> String {
    String::from_utf8(ran.get_output().stdout.clone()).unwrap()
}

/// What a command said on standard error.
pub(crate) fn stderr(ran: &OutputAssert) -> String {
    String::from_utf8(ran.get_output().stderr.clone()).unwrap()
}

/// The exit status of a command.
pub(crate) fn status(ran: &OutputAssert) -> Option<i32> {
    ran.get_output().status.code()
}
