//! Standard output and standard error, or texts that take their place.

use crate::failure::{Failure, Outcome};
use std::env;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warplab_diagnostics::{Diagnostic, Source, render, render_coloured};

/// How many diagnostics are shown with their lines before they are only counted.
const MOST_SHOWN: usize = 50;

/// Where a command prints, and what can stop it.
pub(crate) struct Terminal {
    streams: Streams,
    coloured: bool,
    /// Set when whoever called wants the command to stop; none where a signal does that.
    stop: Option<Arc<AtomicBool>>,
}

enum Streams {
    Process(BufWriter<Stdout>),
    Kept(Printed),
}

/// What a command printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    /// For standard output.
    pub(crate) output: Vec<u8>,
    /// For standard error.
    pub(crate) notes: Vec<u8>,
}

impl Terminal {
    /// The process's own streams.
    pub(crate) fn new() -> Terminal {
        let coloured =
            io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Terminal { streams: Streams::Process(BufWriter::new(io::stdout())), coloured, stop: None }
    }

    /// Keeps what is printed; the command stops when the flag is set.
    pub(crate) fn keeping(stop: Arc<AtomicBool>) -> Terminal {
        Terminal { streams: Streams::Kept(Printed::default()), coloured: false, stop: Some(stop) }
    }

    /// What was printed, of a terminal that keeps it.
    pub(crate) fn into_printed(self) -> Printed {
        match self.streams {
            Streams::Process(_) => Printed::default(),
            Streams::Kept(printed) => printed,
        }
    }

    /// The flag of whoever called, if it is not for a signal to stop the command.
    pub(crate) fn stop(&self) -> Option<&Arc<AtomicBool>> {
        self.stop.as_ref()
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
        match &mut self.streams {
            Streams::Process(out) => out.write_all(text.as_bytes()).map_err(output_failure)?,
            Streams::Kept(printed) => printed.output.extend_from_slice(text.as_bytes()),
        }
        Ok(())
    }

    /// A line for standard error.
    pub(crate) fn note(&mut self, line: &str) {
        self.complain(&format!("{line}\n"));
    }

    /// Text for standard error.
    fn complain(&mut self, text: &str) {
        match &mut self.streams {
            Streams::Process(out) => {
                // Nobody can be told when standard error is gone.
                let _ = out.flush();
                let _ = io::stderr().write_all(text.as_bytes());
            }
            Streams::Kept(printed) => printed.notes.extend_from_slice(text.as_bytes()),
        }
    }

    /// What the reader of the command line has to say: help or the version for standard output, or what is wrong.
    pub(crate) fn usage(&mut self, usage: &clap::Error) -> Result<Outcome, Failure> {
        if let Streams::Kept(_) = self.streams {
            let text = usage.render().to_string();
            if usage.use_stderr() {
                self.complain(&text);
                return Ok(Outcome::Misused);
            }
            self.print(&text)?;
            return Ok(Outcome::Fine);
        }
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
        self.complain(&text);
    }

    /// Reports how a command ended and gives the exit status.
    pub(crate) fn finish(&mut self, result: &Result<Outcome, Failure>) -> u8 {
        let flushed = self.flush();
        let result = match (result, &flushed) {
            // Whoever closed the output has read enough of it; what failed has failed all the same.
            (Ok(_), Err(failure)) if !matches!(failure, Failure::Closed) => Err(failure),
            (result, _) => result.as_ref(),
        };
        match result {
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

    fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.streams {
            Streams::Process(out) => out.flush().and_then(|()| io::stdout().flush()).map_err(output_failure),
            Streams::Kept(_) => Ok(()),
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
