//! An experiment from its description to its numbers, on this machine.

use super::open_points::Finished;
use super::plan::Plan;
use super::report::ExperimentReport;
use super::{Host, Results};
use crate::pool::Limits;
use std::path::Path;
use warplab_config::experiment::Experiment;
use warplab_run::Fault;

/// How an experiment runs.
#[derive(Clone, Debug, Default)]
pub struct ExperimentOptions {
    /// The source's own size.
    pub full: bool,
    /// Changes `NAME=VALUE` of constants, axes (values separated by commas) and settings.
    pub changes: Vec<String>,
    /// What all points together may use.
    pub limits: Limits,
}

/// Runs an experiment; `folder` is that of its file, `finished` hears of every point that was worked out.
///
/// # Errors
/// The first point's fault, with its values of axes.
pub fn run(
    experiment: &Experiment,
    folder: &Path,
    host: &Host<'_>,
    known: &Results,
    options: &ExperimentOptions,
    finished: &(dyn Fn(&Finished<'_>) + Sync),
) -> Result<ExperimentReport, Fault> {
    let plan = Plan::new(experiment, folder, host, options.full, &options.changes)?;
    let new = plan.open(known, None)?.run(options.limits, host, finished)?;
    Ok(plan.report(&[&new, known], new.len()))
}
