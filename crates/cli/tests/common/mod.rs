//! The program, called as a person calls it, in the folder of test files.

use snapbox::cmd::{Command, OutputAssert};

/// Runs `warplab` with these words.
pub(crate) fn warplab(line: &str) -> OutputAssert {
    Command::new(snapbox::cmd::cargo_bin!("warplab"))
        .args(line.split_whitespace())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
        .env("NO_COLOR", "1")
        .env("PATH", "")
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .env_remove("WARPLAB_NVCC")
        .env_remove("WARPLAB_PTXAS")
        .env_remove("WARPLAB_NVDISASM")
        .assert()
}
