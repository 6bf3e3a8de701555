//! What was measured at the points, as columns that the references judge.

use super::judge::{ClaimJudgement, Judgement, ReferenceVerdict, check_claim, judge};
use super::plan::{Plan, PointWork};
use super::{Expectations, Measured, Recorded, Results};
use warplab_config::experiment::{Columns, Experiment, ExperimentPoint, Shown};

/// An experiment with its numbers.
#[derive(Clone, Debug)]
pub struct ExperimentReport {
    /// The experiment, changes included.
    pub experiment: Experiment,
    /// The points.
    pub points: Vec<ExperimentPoint>,
    /// The values of each column, by point.
    pub columns: Vec<Vec<Option<f64>>>,
    /// What the expectations of each point's launch said.
    pub expectations: Vec<Expectations>,
    /// The values of axes of each point, as text.
    pub labels: Vec<String>,
    /// Each reference, judged.
    pub judgements: Vec<Judgement>,
    /// Each claim of the text, checked.
    pub claims: Vec<ClaimJudgement>,
    /// The texts that are shown, each with its point.
    pub texts: Vec<(String, String)>,
    /// What happened when at each point.
    pub records: Vec<Recorded>,
    /// Points that were worked out now; the others were known.
    pub worked_out: usize,
}

impl ExperimentReport {
    /// Whether the launch of any point is expected to give something.
    #[must_use]
    pub fn has_expectations(&self) -> bool {
        self.expectations.iter().any(|expectations| expectations.checked > 0)
    }

    /// What became of every reference and every claim.
    pub fn verdicts(&self) -> impl Iterator<Item = ReferenceVerdict> {
        let references = self.judgements.iter().map(|judgement| judgement.verdict);
        references.chain(self.claims.iter().map(|claim| claim.verdict))
    }

    /// A line for every expectation that does not hold, each with its point.
    #[must_use]
    pub fn failed_expectations(&self) -> Vec<String> {
        let lines = self.expectations.iter().zip(&self.labels).flat_map(|(expectations, label)| {
            let place = if label.is_empty() { String::new() } else { format!("at {label}: ") };
            expectations.failed.iter().map(move |line| format!("{place}{line}"))
        });
        lines.collect()
    }
}

impl Plan {
    /// The experiment with its numbers, each from the first results that have it. `worked_out` of them are new.
    #[must_use]
    pub fn report(&self, results: &[&Results], worked_out: usize) -> ExperimentReport {
        let Plan { experiment, points, .. } = self;
        let nothing = Measured::default();
        let of_key = |key: &str| results.iter().find_map(|results| results.get(key));
        let measured: Vec<&Measured> =
            self.tasks.iter().map(|task| of_key(&task.key).unwrap_or(&nothing)).collect();
        let metric = |index: usize, id: &str| match id.strip_prefix("gpu.") {
            Some(path) => machine_number(&self.tasks[index].machine, path),
            None => measured[index].values.get(id).copied().or_else(|| missing_count(id)),
        };
        let hardware = |index: usize, id: &str| match &self.tasks[index].job {
            PointWork::Launch(job) => job.measured.get(id).copied(),
            _ => None,
        };
        let columns = Columns::new(experiment, points, &metric);
        let judgements = experiment
            .references
            .iter()
            .map(|reference| judge(experiment, points, &columns, reference, &hardware));
        let judgements = judgements.collect();
        let claims = experiment.claims.iter().map(|claim| check_claim(experiment, points, &columns, claim));
        let claims = claims.collect();
        let shown = |kind: &Shown| {
            let texts = self.tasks.iter().zip(&measured);
            let texts = texts.filter_map(|(task, measured)| {
                Some((task.label.clone(), measured.texts.get(kind.name())?.clone()))
            });
            texts.collect::<Vec<_>>()
        };
        let texts = experiment.show.iter().flat_map(shown).collect();
        let values = experiment.columns.iter().map(|column| columns.of(&column.name).to_vec()).collect();
        let expectations = measured.iter().map(|measured| measured.expectations.clone()).collect();
        let records = measured.iter().map(|measured| measured.record.clone()).collect();
        let labels = self.tasks.iter().map(|task| task.label.clone()).collect();
        ExperimentReport {
            points: points.clone(),
            columns: values,
            expectations,
            labels,
            judgements,
            claims,
            texts,
            records,
            worked_out,
            experiment: experiment.clone(),
        }
    }
}

/// An instruction that never issued was counted nought times.
fn missing_count(id: &str) -> Option<f64> {
    let counts = ["issue.count.", "issue.cycles.", "issue.partial.", "issue.lanes."];
    counts.iter().any(|prefix| id.starts_with(prefix)).then_some(0.0)
}

fn machine_number(machine: &serde_json::Value, path: &str) -> Option<f64> {
    path.split('.').try_fold(machine, |value, name| value.get(name))?.as_f64()
}
