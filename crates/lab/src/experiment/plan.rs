//! The points of an experiment, each with its work and the hash of everything that its result depends on.

use super::change::change;
use super::dram::{self, DramJob};
use super::launch::{self, LaunchJob, Records};
use super::occupancy::{self, OccupancyJob};
use super::queue::{self, QueueJob};
use super::results::stable_hash;
use super::suites::Suites;
use super::{DEFAULT_MACHINE, Host, relative_machine};
use std::collections::BTreeMap;
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_config::experiment::{Experiment, ExperimentKind, ExperimentPoint, Shown};
use warplab_run::Fault;

/// An experiment whose points are ready to be worked out.
#[derive(Debug)]
pub struct Plan {
    /// The experiment, changes included.
    pub(super) experiment: Experiment,
    pub(super) points: Vec<ExperimentPoint>,
    pub(super) tasks: Vec<Task>,
}

/// The work at a point.
#[derive(Debug)]
pub(super) enum PointWork {
    Launch(Box<LaunchJob>),
    Occupancy(Box<OccupancyJob>),
    Formula,
    Dram(Box<DramJob>),
    Queue(QueueJob),
}

/// A point with its work.
#[derive(Debug)]
pub(super) struct Task {
    /// Its values of axes, as text.
    pub(super) label: String,
    pub(super) job: PointWork,
    pub(super) machine: serde_json::Value,
    /// The hash of everything that the result depends on.
    pub(super) key: String,
}

impl Plan {
    /// The points of an experiment; `folder` is that of its file. `full` takes the source's own size, and `changes` are
    /// `NAME=VALUE` of constants, axes (values separated by commas) and settings.
    ///
    /// # Errors
    /// What is wrong with a change or a point.
    pub fn new(
        experiment: &Experiment,
        folder: &Path,
        host: &Host<'_>,
        full: bool,
        changes: &[String],
    ) -> Result<Plan, Fault> {
        let mut experiment = experiment.clone();
        for text in changes {
            change(&mut experiment, text)?;
        }
        experiment.count().map_err(Fault::Input)?;
        let points = experiment.points(full);
        let mut suites = Suites::default();
        let tasks = points.iter().map(|point| task(&experiment, point, folder, &mut suites, host));
        let tasks = tasks.collect::<Result<_, _>>()?;
        Ok(Plan { experiment, points, tasks })
    }

    /// A hash of the hashes of all points: what names this very experiment.
    #[must_use]
    pub fn key(&self) -> String {
        stable_hash(self.tasks.iter().map(|task| task.key.as_bytes()))
    }
}

/// The values of axes, as text: `size 2, gpu h200`.
fn label(experiment: &Experiment, point: &ExperimentPoint) -> String {
    let values = experiment.axes.iter().zip(&point.values);
    let text = values.map(|(axis, value)| match axis.labels.is_empty() {
        true => format!("{} {value}", axis.head()),
        false => axis.shown(value),
    });
    text.collect::<Vec<_>>().join(", ")
}

pub(super) fn at_point(label: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Input(message) if !label.is_empty() => Fault::input(format!("at {label}: {message}")),
        Fault::Run(fault) if !label.is_empty() => Fault::input(format!("at {label}: {fault}")),
        other => other,
    }
}

fn task(
    experiment: &Experiment,
    point: &ExperimentPoint,
    folder: &Path,
    suites: &mut Suites,
    host: &Host<'_>,
) -> Result<Task, Fault> {
    let label = label(experiment, point);
    let settings = experiment.settings(point);
    let prepared =
        prepare(experiment, &settings, folder, suites, host).map_err(|fault| at_point(&label, fault))?;
    let (job, machine) = prepared;
    let inputs = match &job {
        PointWork::Launch(job) => format!("launch {}", job.inputs()),
        PointWork::Occupancy(job) => format!("{job:?}"),
        PointWork::Dram(job) => format!("{job:?}"),
        PointWork::Queue(job) => format!("{job:?}"),
        PointWork::Formula => format!("formula {settings:?}"),
    };
    let program = match &job {
        PointWork::Launch(job) => job.program.source.text.as_str(),
        _ => "",
    };
    let key = stable_hash([host.version.as_bytes(), inputs.as_bytes(), program.as_bytes()]);
    let machine = serde_json::to_value(&machine).unwrap_or_default();
    Ok(Task { label, job, machine, key })
}

fn prepare(
    experiment: &Experiment,
    settings: &BTreeMap<String, String>,
    folder: &Path,
    suites: &mut Suites,
    host: &Host<'_>,
) -> Result<(PointWork, GpuConfig), Fault> {
    if experiment.kind == ExperimentKind::Launch {
        let records = Records {
            numbers: names_record(experiment),
            shown: experiment.show.iter().any(|show| matches!(show, Shown::Schedule | Shown::Timeline)),
        };
        let job = launch::prepare(settings, folder, records, suites, host)?;
        let machine = job.config.clone();
        return Ok((PointWork::Launch(Box::new(job)), machine));
    }
    let name = settings.get("gpu").map_or(DEFAULT_MACHINE.to_owned(), |name| relative_machine(name, folder));
    let changes: Vec<String> = settings
        .iter()
        .filter_map(|(name, value)| Some(format!("{}={value}", name.strip_prefix("gpu.")?)))
        .collect();
    let machine = (host.machine)(&name, &changes)?;
    let job = match experiment.kind {
        ExperimentKind::Occupancy => PointWork::Occupancy(Box::new(occupancy::prepare(settings, &machine)?)),
        ExperimentKind::Dram => PointWork::Dram(Box::new(dram::prepare(settings, &machine)?)),
        ExperimentKind::Queue => PointWork::Queue(queue::prepare(settings)?),
        ExperimentKind::Formula | ExperimentKind::Launch => PointWork::Formula,
    };
    Ok((job, machine))
}

/// Whether a column needs to know when instructions issued.
fn names_record(experiment: &Experiment) -> bool {
    let metrics = experiment.columns.iter().flat_map(|column| column.of.metrics());
    metrics.into_iter().any(|mention| mention.name.starts_with("issue."))
}
