//! Everything that a lab names is run, and the student's answers are held against it.

use super::measure::measure;
use super::run::{Bench, Ran, execute, memory_bytes};
use super::verdict::{AnswerVerdict, of_check, of_prediction};
use super::worksheet::Worksheet;
use crate::pool::{self, Limits, Need};
use std::collections::BTreeMap;
use warplab_config::Lab;
use warplab_config::lab::{Answer, LabRun, Measure, Setting};
use warplab_run::Fault;
use warplab_trace::StateInterval;

/// What came of a student's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabJudgement {
    /// The predictions, in the order of the lab.
    pub predictions: Vec<AnswerVerdict>,
    /// The checks, in the order of the lab.
    pub checks: Vec<AnswerVerdict>,
    /// Runs that computed something wrong: the run, and what.
    pub wrong_results: Vec<(String, String)>,
    /// The timelines that the lab shows: the run, and the first cycles of its first multiprocessor.
    pub timelines: Vec<(String, Vec<StateInterval>, u64)>,
}

impl LabJudgement {
    /// Whether everything holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.predictions.iter().chain(&self.checks).all(|verdict| verdict.holds)
            && self.wrong_results.is_empty()
    }
}

/// Runs everything that a lab names, with the student's changes, and holds the student's answers against it.
///
/// # Errors
/// What is wrong with a launch, or why one did not run to its end.
pub fn judge(lab: &Lab, worksheet: &Worksheet, bench: Bench<'_>) -> Result<LabJudgement, Fault> {
    let runs = execute_all(lab, worksheet, bench)?;
    let of_run = |name: &str, what: &Measure| measure(ran(&runs, name)?, what);
    let mut predictions = Vec::new();
    for prediction in &lab.predictions {
        let (Answer::Number { of, .. } | Answer::Least { of, .. } | Answer::Most { of, .. }) =
            &prediction.answer;
        let measured: Result<Vec<f64>, Fault> =
            prediction.answer.runs().iter().map(|run| of_run(run, of)).collect();
        let given = worksheet.predictions.get(&prediction.id);
        let given =
            given.ok_or_else(|| Fault::input(format!("nothing is predicted for '{}'", prediction.id)))?;
        predictions.push(of_prediction(prediction, given, &measured?));
    }
    let mut checks = Vec::new();
    for check in &lab.checks {
        checks.push(of_check(check, of_run(&check.run, &check.of)?));
    }
    let mut timelines = Vec::new();
    for shown in &lab.timelines {
        let timeline = &ran(&runs, &shown.run)?.simulated.outcome.timeline;
        let intervals = timeline.as_ref().map(|timeline| timeline.intervals.clone()).unwrap_or_default();
        timelines.push((shown.run.clone(), intervals, shown.cycles));
    }
    let wrong_results = runs
        .iter()
        .flat_map(|(name, ran)| ran.checked.iter().map(move |checked| (name, checked)))
        .filter(|(_, checked)| !checked.holds)
        .map(|(name, checked)| ((*name).to_owned(), checked.line.clone()))
        .collect();
    Ok(LabJudgement { predictions, checks, wrong_results, timelines })
}

/// All runs of a lab, by name; the first one's fault, if any has one.
fn execute_all<'a>(
    lab: &'a Lab,
    worksheet: &Worksheet,
    bench: Bench<'_>,
) -> Result<BTreeMap<&'a str, Ran>, Fault> {
    let runs: Vec<(&str, &LabRun)> = lab.runs.iter().map(|(name, run)| (name.as_str(), run)).collect();
    let need = |(_, run): &(&str, &LabRun)| Need { cost: 1, memory_bytes: memory_bytes(run, bench) };
    let ran = pool::on_all(&runs, Limits::default(), need, |(name, run)| {
        Ok((*name, execute(run, warps(lab, worksheet, name), bench)?))
    });
    ran.into_iter().collect()
}

fn ran<'a>(runs: &'a BTreeMap<&str, Ran>, name: &str) -> Result<&'a Ran, Fault> {
    runs.get(name).ok_or_else(|| Fault::input(format!("no run is named '{name}'")))
}

/// How many warps the student wants in a run.
fn warps(lab: &Lab, worksheet: &Worksheet, run: &str) -> Option<u32> {
    let change = lab.changes.iter().find(|change| change.run == run && change.sets == Setting::Warps)?;
    worksheet.changes.get(&change.id).copied()
}
