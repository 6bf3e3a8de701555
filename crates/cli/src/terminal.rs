//! Standard output and standard error.

use crate::failure::{Failure, Outcome};
use std::env;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use warplab_diagnostics::{Diagnostic, Source, render, render_coloured};

/// How many diagnostics are shown with their lines before they are only counted.
const MOST_SHOWN: usize = 50;

/// Where a command prints.
pub(crate) struct Terminal {
    out: BufWriter<Stdout>,
    coloured: bool,
}

impl Terminal {
    /// The process's own streams.
    pub(crate) fn new() -> Terminal {
        let coloured =
            io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Terminal { out: BufWriter::new(io::stdout()), coloured }
    }

    /// Whether a progress bar may be drawn.
    pub(crate) fn shows_progress() -> bool {
        io::stderr().is_terminal()
    }

    /// Whether a person reads what is printed.
    pub(crate) fn is_interactive() -> bool {
        io::stdout().is_terminal()
    }

    /// Text for standard output.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(output_failure)
    }

    /// A line for standard error.
    pub(crate) fn note(&mut self, line: &str) {
        // Nobody can be told when standard error is gone.
        let _ = self.out.flush();
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// What the reader of the command line has to say: help or the version for standard output, or what is wrong.
    pub(crate) fn usage(&mut self, usage: &clap::Error) -> Result<Outcome, Failure> {
        if usage.use_stderr() {
            // Nobody can be told when standard error is gone; the exit status says it.
            let _ = usage.print();
            return Ok(Outcome::Misused);
        }
        usage.print().map_err(output_failure)?;
        Ok(Outcome::Fine)
    }

    /// Diagnostics for standard error.
    pub(crate) fn diagnostics(&mut self, source: &Source, diagnostics: &[Diagnostic]) {
        let shown = &diagnostics[..diagnostics.len().min(MOST_SHOWN)];
        let mut text = if self.coloured { render_coloured(source, shown) } else { render(source, shown) };
        if diagnostics.len() > shown.len() {
            text.push_str(&format!("... and {} more\n", diagnostics.len() - shown.len()));
        }
        let _ = self.out.flush();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Reports how a command ended and gives the exit status.
    pub(crate) fn finish(mut self, result: Result<Outcome, Failure>) -> u8 {
        let flushed = self.out.flush().and_then(|()| io::stdout().flush()).map_err(output_failure);
        let result = match (result, flushed) {
            // Whoever closed the output has read enough of it; what failed has failed all the same.
            (Ok(outcome), Err(Failure::Closed)) => Ok(outcome),
            (Ok(_), Err(failure)) => Err(failure),
            (result, _) => result,
        };
        match &result {
            Ok(_) | Err(Failure::Closed) => {}
            Err(Failure::Input(message) | Failure::Kernel(message) | Failure::Output(message)) => {
                let mark = if self.coloured { "\u{1b}[1m\u{1b}[91merror\u{1b}[0m" } else { "error" };
                self.note(&format!("{mark}: {message}"));
            }
            Err(Failure::Diagnostics(source, faults) | Failure::KernelAt(source, faults)) => {
                self.diagnostics(source, faults);
            }
        }
        match result {
            Ok(Outcome::Fine) => 0,
            Ok(Outcome::Failed) => 1,
            Ok(Outcome::Misused) => 2,
            Err(failure) => failure.status(),
        }
    }
}

fn output_failure(error: io::Error) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe {
        Failure::Closed
    } else {
        Failure::Output(format!("the output cannot be written: {error}"))
    }
}
