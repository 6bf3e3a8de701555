//! What the answers are about is run, and the student's answers are held against it.

use super::measure::measure;
use super::run::{Bench, Choices, Ran, execute, is_unchanged, memory_bytes};
use super::verdict::{AnswerVerdict, of_check, of_prediction};
use super::worksheet::{Chosen, Worksheet};
use crate::pool::{self, Limits, Need};
use std::collections::{BTreeMap, BTreeSet};
use warplab_config::Lab;
use warplab_config::lab::{Answer, LabRun, Measure, MetricCheck, Setting, ShownTimeline};
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
    /// The timelines that the lab shows.
    pub timelines: Vec<LabTimeline>,
}

/// The first cycles of the first multiprocessor in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabTimeline {
    /// The run.
    pub run: String,
    /// What its warps did.
    pub intervals: Vec<StateInterval>,
    /// How many cycles are shown.
    pub cycles: u64,
    /// Schedulers of the multiprocessor.
    pub schedulers: u32,
    /// Whether it shows what the student has not predicted rightly yet.
    pub secret: bool,
}

impl LabJudgement {
    /// Whether everything holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.predictions.iter().chain(&self.checks).all(|verdict| verdict.holds)
            && self.wrong_results.is_empty()
    }
}

/// Runs what the student's answers are about, with the student's changes, and holds the answers against it. What the
/// worksheet leaves blank is not run. A copy that the student has not changed yet shows what is to be predicted, so that
/// nothing is said of it until all predictions hold.
///
/// # Errors
/// What is wrong with a launch, or why one did not run to its end.
pub fn judge(lab: &Lab, worksheet: &Worksheet, bench: Bench<'_>) -> Result<LabJudgement, Fault> {
    let unchanged: BTreeSet<&str> =
        lab.runs.iter().filter(|(_, run)| is_unchanged(run, bench)).map(|(name, _)| name.as_str()).collect();
    let mut runs = execute_all(lab, worksheet, bench, &unchanged)?;
    let mut predictions = Vec::new();
    for prediction in &lab.predictions {
        predictions.push(match worksheet.predictions.get(&prediction.id) {
            Some(given) => {
                let measured = of_runs(&runs, &prediction.answer.runs(), prediction.answer.measure())?;
                of_prediction(prediction, given, &measured)
            }
            None => AnswerVerdict::blank(&prediction.id, &prediction.question),
        });
    }
    let all_hold = predictions.iter().all(|verdict| verdict.holds);
    let mut checks = Vec::new();
    for check in &lab.checks {
        let copy = runs_of(check).into_iter().find(|run| unchanged.contains(run) && !all_hold);
        let copy = copy.and_then(|run| lab.runs[run].copy.as_deref());
        checks.push(match copy {
            Some(copy) => AnswerVerdict::unchanged(&check.text, copy),
            None if !is_chosen(lab, worksheet, &check.run) => AnswerVerdict::blank("", &check.text),
            None => of_check(check, &of_runs(&runs, &runs_of(check), &check.of)?),
        });
    }
    if !all_hold {
        runs.retain(|name, _| !unchanged.contains(name));
    }
    let timelines = timelines(lab, &runs, &predictions);
    let wrong_results = runs
        .iter()
        .flat_map(|(name, ran)| ran.checked.iter().map(move |checked| (name, checked)))
        .filter(|(_, checked)| !checked.holds)
        .map(|(name, checked)| ((*name).to_owned(), checked.line.clone()))
        .collect();
    Ok(LabJudgement { predictions, checks, wrong_results, timelines })
}

/// What is measured of some runs, in their order.
fn of_runs(runs: &BTreeMap<&str, Ran>, names: &[&str], what: &Measure) -> Result<Vec<f64>, Fault> {
    names.iter().map(|name| measure(ran(runs, name)?, what)).collect()
}

/// The timelines of the runs that have been run. One that shows a number which was predicted wrongly is a secret.
fn timelines(lab: &Lab, runs: &BTreeMap<&str, Ran>, predictions: &[AnswerVerdict]) -> Vec<LabTimeline> {
    let open = |run: &str| {
        lab.predictions.iter().zip(predictions).any(|(prediction, verdict)| {
            let shows = matches!(&prediction.answer, Answer::Number { run: other, .. } if other == run);
            shows && !verdict.holds
        })
    };
    let shown = lab.timelines.iter().filter_map(|shown| Some((shown, runs.get(shown.run.as_str())?)));
    let timeline = |(shown, ran): (&ShownTimeline, &Ran)| {
        let timeline = ran.simulated.outcome.timeline.as_ref();
        let intervals = timeline.map(|timeline| timeline.intervals.clone()).unwrap_or_default();
        LabTimeline {
            run: shown.run.clone(),
            intervals,
            cycles: shown.cycles,
            schedulers: ran.config.limits.sub_partitions,
            secret: open(&shown.run),
        }
    };
    shown.map(timeline).collect()
}

/// The runs that a check is about.
fn runs_of(check: &MetricCheck) -> Vec<&str> {
    [&check.run].into_iter().chain(&check.to).map(String::as_str).collect()
}

/// Whether the student has chosen everything that a run needs.
fn is_chosen(lab: &Lab, worksheet: &Worksheet, run: &str) -> bool {
    let mut of_run = lab.changes.iter().filter(|change| change.run == run);
    of_run.all(|change| worksheet.changes.contains_key(&change.id))
}

/// The runs that some answer is about, by name; the first one's fault, if any has one.
fn execute_all<'a>(
    lab: &'a Lab,
    worksheet: &Worksheet,
    bench: Bench<'_>,
    unchanged: &BTreeSet<&str>,
) -> Result<BTreeMap<&'a str, Ran>, Fault> {
    let answered = lab.predictions.iter().filter(|it| worksheet.predictions.contains_key(&it.id));
    let all_answered = answered.clone().count() == lab.predictions.len();
    let hidden =
        |check: &&MetricCheck| runs_of(check).iter().any(|run| unchanged.contains(run)) && !all_answered;
    let checked = lab.checks.iter().filter(|check| is_chosen(lab, worksheet, &check.run) && !hidden(check));
    let wanted: BTreeSet<&str> =
        answered.flat_map(|it| it.answer.runs()).chain(checked.flat_map(runs_of)).collect();
    let runs = lab.runs.iter().filter(|(name, _)| wanted.contains(name.as_str()));
    let runs: Vec<(&str, &LabRun)> = runs.map(|(name, run)| (name.as_str(), run)).collect();
    let need = |(_, run): &(&str, &LabRun)| Need { cost: 1, memory_bytes: memory_bytes(run, bench) };
    let ran = pool::on_all(&runs, Limits::default(), need, |(name, run)| {
        Ok((*name, execute(run, &choices(lab, worksheet, name), bench)?))
    });
    ran.into_iter().collect()
}

fn ran<'a>(runs: &'a BTreeMap<&str, Ran>, name: &str) -> Result<&'a Ran, Fault> {
    runs.get(name).ok_or_else(|| Fault::input(format!("no run is named '{name}'")))
}

/// What the student has chosen for a run.
fn choices(lab: &Lab, worksheet: &Worksheet, run: &str) -> Choices {
    let mut choices = Choices::default();
    for change in lab.changes.iter().filter(|change| change.run == run) {
        match (change.sets, worksheet.changes.get(&change.id)) {
            (Setting::Warps, Some(Chosen::Number(warps))) => choices.warps = Some(*warps),
            (Setting::Argument(at), Some(Chosen::Number(value))) => choices.arguments.push((at, *value)),
            (Setting::SharedBytes, Some(Chosen::Number(bytes))) => choices.shared_bytes = Some(*bytes),
            (Setting::Scheduler, Some(Chosen::Scheduler(policy))) => choices.scheduler = Some(policy.text()),
            _ => {}
        }
    }
    choices
}
