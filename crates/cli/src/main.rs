//! The `warplab` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(warplab_cli::main(std::env::args_os()))
}
