//! From text to validated machines.

use crate::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source, Span};

/// Reads a machine; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_gpu(source: &Source) -> Result<GpuConfig, Vec<Diagnostic>> {
    ron::from_str(&source.text)
        .map_err(|error| vec![Diagnostic::error(Span::default(), error.code.to_string())])
}
