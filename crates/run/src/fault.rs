//! Why a piece of work could not be done.

use thiserror::Error;
use warplab_diagnostics::{Diagnostic, Source, render};
use warplab_gpu::RunFault;

/// Why a piece of work could not be done.
#[derive(Clone, Debug, Error)]
pub enum Fault {
    /// Bad input, in a sentence.
    #[error("{0}")]
    Input(String),
    /// Faults of an input text.
    #[error("{}", render(.0, .1))]
    Diagnostics(Source, Vec<Diagnostic>),
    /// The kernel faulted or hung.
    #[error(transparent)]
    Run(Box<RunFault>),
}

impl Fault {
    /// Bad input, in a sentence.
    pub fn input(message: impl Into<String>) -> Fault {
        Fault::Input(message.into())
    }

    /// The same fault with the place where it was found in front of it.
    pub(crate) fn within(self, place: &str) -> Fault {
        match self {
            Fault::Input(message) => Fault::Input(format!("{place}: {message}")),
            other => other,
        }
    }
}
