//! How a command ends.

use warplab_diagnostics::{Diagnostic, Source};
use warplab_run::Fault;

/// A command that did what it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well: exit status 0.
    Fine,
    /// A check or an expectation failed, and has been reported: exit status 1.
    Failed,
    /// The command line was wrong, and has been reported: exit status 2.
    Misused,
}

/// A command that could not do what it was asked to.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// Bad usage or input, in a sentence: exit status 2.
    Input(String),
    /// Faults of an input text: exit status 2.
    Diagnostics(Source, Vec<Diagnostic>),
    /// The kernel faulted or hung: exit status 1.
    Kernel(String),
    /// The same, at a place of the program's text.
    KernelAt(Source, Vec<Diagnostic>),
    /// Whoever read the output is gone: nothing more to say.
    Closed,
    /// The output could not be written.
    Output(String),
}

impl Failure {
    /// Bad usage or input.
    pub(crate) fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Input(_) | Failure::Diagnostics(..) | Failure::Output(_) => 2,
            Failure::Kernel(_) | Failure::KernelAt(..) => 1,
            Failure::Closed => 0,
        }
    }
}

impl Failure {
    /// What it says, in one line.
    pub(crate) fn first_line(&self) -> String {
        self.first_lines(1)
    }

    /// What its first lines say, in one line.
    pub(crate) fn first_lines(&self, count: usize) -> String {
        let text = match self {
            Failure::Input(message) | Failure::Kernel(message) | Failure::Output(message) => message,
            Failure::Diagnostics(_, faults) | Failure::KernelAt(_, faults) => {
                faults.first().map_or("", |fault| &fault.message)
            }
            Failure::Closed => "",
        };
        text.lines().take(count).collect::<Vec<_>>().join(" ")
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        match fault {
            Fault::Input(message) => Failure::Input(message),
            Fault::Diagnostics(source, faults) => Failure::Diagnostics(source, faults),
            Fault::Run(fault) => Failure::Kernel(fault.to_string()),
        }
    }
}
