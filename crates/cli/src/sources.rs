//! Files as source texts.

use crate::failure::Failure;
use std::fs;
use std::path::Path;
use warplab_diagnostics::Source;
use warplab_run::Fault;

/// A file as text. Bytes that are no text become replacement characters, which the readers of every format refuse
/// with their place.
pub(crate) fn read(path: &Path) -> Result<Source, Fault> {
    let bytes = for_lab(path)?;
    Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}

/// A file as bytes.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    for_lab(path).map_err(Failure::from)
}

/// A file as bytes, for the laboratory.
pub(crate) fn for_lab(path: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(path).map_err(|error| Fault::input(format!("{} cannot be read: {error}", path.display())))
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file that is no text.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes)
        .map_err(|error| Failure::Output(format!("{} cannot be written: {error}", path.display())))
}

/// Whether the name of a file ends like this.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}
