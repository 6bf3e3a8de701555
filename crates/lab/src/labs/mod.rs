//! Labs: a student predicts, changes launches and kernels, and is told what held and what to think about.
//!
//! Everything that is particular to one lab stands in its description ([`Lab`]); [`judge`] runs what it names.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod judge;
mod measure;
mod run;
mod verdict;
mod worksheet;

pub use judge::{LabJudgement, LabTimeline, judge};
pub use run::{Bench, MachineOf};
pub use verdict::AnswerVerdict;
pub use worksheet::{Chosen, Given, Worksheet, copies, lab_of, read_worksheet, worksheet_text};

use std::path::Path;
use warplab_config::{Lab, load_lab};
use warplab_diagnostics::Source;
use warplab_run::{Fault, ReadFile};

/// The description of a lab, relative to its folder.
const DESCRIPTION: &str = "lab.ron";

/// The description of the lab whose files are read so.
///
/// # Errors
/// When it cannot be read; otherwise all its faults.
pub fn describe(read: ReadFile<'_>) -> Result<Lab, Fault> {
    let source = text(read, Path::new(DESCRIPTION))?;
    load_lab(&source).map_err(|faults| Fault::Diagnostics(source, faults))
}

/// A file as text; bytes that are no text become replacement characters, which the readers of every format refuse.
fn text(read: ReadFile<'_>, path: &Path) -> Result<Source, Fault> {
    let bytes = read(path)?;
    Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}
