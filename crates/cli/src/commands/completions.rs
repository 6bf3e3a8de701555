//! `warplab completions SHELL`.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Prints the completion script of a shell.
pub(crate) fn run(shell: Shell, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "warplab", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
