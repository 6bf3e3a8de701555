//! Experiments: every point of a description is worked out, the columns are computed, and the references judge them.
//!
//! Nothing here knows an experiment by name: what is done is in the description, and how, by its kind, in
//! [`launch`], [`occupancy`], [`dram`] and [`queue`].

mod charts;
mod check;
mod dram;
mod judge;
mod launch;
mod occupancy;
mod queue;
mod record;
mod results;
mod run;
mod suites;
mod table;

pub use charts::charts;
pub use check::load;
pub use judge::{Comparison, Judgement, Verdict};
pub use results::{Results, stable_hash};
pub use run::{Finished, Options, Report, run};
pub use table::{csv, json, table, value_text};

use crate::buffers::ReadFile;
use crate::fault::Fault;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;

/// The machine of points that name none.
const DEFAULT_MACHINE: &str = "h200";

/// How the text of a program is read.
pub type ReadProgram<'a> = &'a (dyn Fn(&Path) -> Result<Source, Fault> + Sync);

/// How a machine is read: by its name or path, with changes.
pub type ReadMachine<'a> = &'a (dyn Fn(&str, &[String]) -> Result<GpuConfig, Fault> + Sync);

/// What the laboratory asks of whoever runs it.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// Reads a file.
    pub read: ReadFile<'a>,
    /// The text of a program file: PTX or a listing.
    pub program: ReadProgram<'a>,
    /// A machine by name or path, with changes `PATH=VALUE`.
    pub machine: ReadMachine<'a>,
    /// What tells this simulator from every other: results of another are not used.
    pub version: &'a str,
}

impl std::fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("version", &self.version).finish_non_exhaustive()
    }
}

/// What was found at a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Numbers by metric id.
    pub values: BTreeMap<String, f64>,
    /// Texts by name: schedule, timeline, steps, bursts.
    pub texts: BTreeMap<String, String>,
}

/// Reads the number of a setting.
fn number<T: FromStr>(name: &str, text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| Fault::input(format!("{name}: '{text}' is not a whole number in range")))
}

/// A machine's name as seen from elsewhere than the folder of the file that names it.
fn relative_machine(name: &str, folder: &Path) -> String {
    if name.ends_with(".ron") { folder.join(name).display().to_string() } else { name.to_owned() }
}
