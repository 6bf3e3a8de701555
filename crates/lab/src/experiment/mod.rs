//! Experiments: every point of a description is worked out, the columns are computed, and the references judge them.
//!
//! Nothing here knows an experiment by name: what is done is in the description, and how, by its kind, in
//! [`launch`], [`occupancy`], [`dram`] and [`queue`].

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod change;
mod charts;
mod check;
mod dram;
mod figures;
mod judge;
mod launch;
mod occupancy;
mod open_points;
mod page;
mod plan;
mod queue;
mod record;
mod report;
pub(crate) mod results;
mod run;
mod suites;
mod table;

pub use check::load;
pub use dram::Burst;
pub use figures::figures;
pub use judge::{ClaimJudgement, Judgement, ReferenceComparison, ReferenceVerdict};
pub use open_points::{Finished, OpenPoints};
pub use page::{PageRow, course_page};
pub use plan::Plan;
pub use record::warp_record;
pub use report::ExperimentReport;
pub use results::Results;
pub use run::{ExperimentOptions, run};
pub use table::{csv, json, tables, value_text};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;
use warplab_report::WarpRecord;
use warplab_run::{Fault, ReadFile};

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
    /// Ends every run when it becomes true; the points that have not ended are then faults.
    pub interrupt: Option<&'a AtomicBool>,
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
    /// What happened when, for figures.
    pub record: Recorded,
    /// What the launch's expectations said.
    pub expectations: Expectations,
}

/// What happened when at a point, where the experiment shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// What the warps of the first multiprocessor did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warps: Option<WarpRecord>,
    /// The first bursts on the data bus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bursts: Vec<Burst>,
}

/// What the expectations of a point's launch said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectations {
    /// How many there are; 0 where nothing is launched, or nothing expected.
    pub checked: usize,
    /// A line for each that does not hold.
    pub failed: Vec<String>,
}

impl Expectations {
    /// `ok` or `FAILED`; nothing where nothing is expected.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        match (self.checked, self.failed.is_empty()) {
            (0, _) => "",
            (_, true) => "ok",
            (_, false) => "FAILED",
        }
    }
}

/// Reads the number of a setting.
fn number<T: FromStr>(name: &str, text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| Fault::input(format!("{name}: '{text}' is not a whole number in range")))
}

/// A machine's name as seen from elsewhere than the folder of the file that names it.
fn relative_machine(name: &str, folder: &Path) -> String {
    if name.ends_with(".ron") { folder.join(name).display().to_string() } else { name.to_owned() }
}
