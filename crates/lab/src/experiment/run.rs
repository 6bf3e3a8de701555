//! All points of an experiment: those whose result is known are not worked out again.

use super::dram::{self, DramJob};
use super::judge::{Judgement, judge};
use super::launch::{self, LaunchJob};
use super::occupancy::{self, OccupancyJob};
use super::queue::{self, QueueJob};
use super::results::{self, Results, stable_hash};
use super::suites::Suites;
use super::{DEFAULT_MACHINE, Expectations, Host, Measured, relative_machine};
use crate::pool;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_config::experiment::{
    AxisValue, Columns, Experiment, ExperimentKind, Point, Shown, Template, setting,
};
use warplab_diagnostics::nearest_name;
use warplab_program::Program;
use warplab_run::Fault;

/// How an experiment runs.
#[derive(Clone, Debug, Default)]
pub struct ExperimentOptions {
    /// The source's own size.
    pub full: bool,
    /// Changes `NAME=VALUE` of constants, axes (values separated by commas) and settings.
    pub changes: Vec<String>,
    /// Threads; 0 takes those of the host.
    pub threads: usize,
}

/// A point that has been worked out.
#[derive(Clone, Debug)]
pub struct Finished<'a> {
    /// Its values of axes, as text.
    pub point: &'a str,
    /// Its line for the results file.
    pub line: &'a str,
}

/// An experiment with its numbers.
#[derive(Clone, Debug)]
pub struct ExperimentReport {
    /// The experiment, changes included.
    pub experiment: Experiment,
    /// The points.
    pub points: Vec<Point>,
    /// The values of each column, by point.
    pub columns: Vec<Vec<Option<f64>>>,
    /// What the expectations of each point's launch said.
    pub expectations: Vec<Expectations>,
    /// The values of axes of each point, as text.
    pub labels: Vec<String>,
    /// Each reference, judged.
    pub judgements: Vec<Judgement>,
    /// The texts that are shown, each with its point.
    pub texts: Vec<(String, String)>,
    /// Points that were worked out now; the others were known.
    pub worked_out: usize,
}

impl ExperimentReport {
    /// Whether the launch of any point is expected to give something.
    #[must_use]
    pub fn has_expectations(&self) -> bool {
        self.expectations.iter().any(|expectations| expectations.checked > 0)
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

/// The work at a point.
#[derive(Debug)]
enum PointWork {
    Launch(Box<LaunchJob>),
    Occupancy(Box<OccupancyJob>),
    Formula,
    Dram(Box<DramJob>),
    Queue(QueueJob),
}

/// A point with its work.
#[derive(Debug)]
struct Task {
    label: String,
    job: PointWork,
    machine: serde_json::Value,
    key: String,
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
    let mut experiment = experiment.clone();
    for text in &options.changes {
        change(&mut experiment, text)?;
    }
    experiment.count().map_err(Fault::Input)?;
    let points = experiment.points(options.full);
    let mut suites = Suites::default();
    let tasks: Result<Vec<Task>, Fault> =
        points.iter().map(|point| task(&experiment, point, folder, &mut suites, host)).collect();
    let tasks = tasks?;
    let programs = programs(&tasks, known)?;
    let open: Vec<&Task> = tasks.iter().filter(|task| known.get(&task.key).is_none()).collect();
    let order: Vec<usize> = (0..open.len()).collect();
    let title = experiment.title.as_str();
    let bytes = |task: &&Task| match &task.job {
        PointWork::Launch(job) => job.buffer_bytes(),
        _ => 0,
    };
    let budget = (pool::DEFAULT_MEMORY_BYTES, bytes);
    let new = pool::on_all_within(&open, &order, options.threads, budget, |task| {
        let measured = work(task, &programs, host).map_err(|fault| at_point(&task.label, fault))?;
        if !matches!(task.job, PointWork::Formula) {
            let line = results::line(&task.key, title, &task.label, &measured);
            finished(&Finished { point: &task.label, line: &line });
        }
        Ok::<_, Fault>((task.key.as_str(), measured))
    });
    let new: FxHashMap<&str, Measured> = new.into_iter().collect::<Result<_, _>>()?;
    let nothing = Measured::default();
    let measured: Vec<&Measured> = tasks
        .iter()
        .map(|task| new.get(task.key.as_str()).or_else(|| known.get(&task.key)).unwrap_or(&nothing))
        .collect();
    let worked_out = new.len();
    Ok(report(experiment.clone(), &points, &tasks, &measured, worked_out))
}

fn report(
    experiment: Experiment,
    points: &[Point],
    tasks: &[Task],
    measured: &[&Measured],
    worked_out: usize,
) -> ExperimentReport {
    let metric = |index: usize, id: &str| match id.strip_prefix("gpu.") {
        Some(path) => machine_number(&tasks[index].machine, path),
        None => measured[index].values.get(id).copied().or_else(|| missing_count(id)),
    };
    let hardware = |index: usize, id: &str| match &tasks[index].job {
        PointWork::Launch(job) => job.measured.get(id).copied(),
        _ => None,
    };
    let columns = Columns::new(&experiment, points, &metric);
    let judgements = experiment
        .references
        .iter()
        .map(|reference| judge(&experiment, points, &columns, reference, &hardware));
    let judgements = judgements.collect();
    let shown = |kind: &Shown| {
        let texts = tasks.iter().zip(measured);
        let texts = texts.filter_map(|(task, measured)| {
            Some((task.label.clone(), measured.texts.get(kind.name())?.clone()))
        });
        texts.collect::<Vec<_>>()
    };
    let texts = experiment.show.iter().flat_map(shown).collect();
    let values = experiment.columns.iter().map(|column| columns.of(&column.name).to_vec()).collect();
    let expectations = measured.iter().map(|measured| measured.expectations.clone()).collect();
    let labels = tasks.iter().map(|task| task.label.clone()).collect();
    let points = points.to_vec();
    ExperimentReport {
        points,
        columns: values,
        expectations,
        labels,
        judgements,
        texts,
        worked_out,
        experiment,
    }
}

/// An instruction that never issued was counted nought times.
fn missing_count(id: &str) -> Option<f64> {
    (id.starts_with("issue.count.") || id.starts_with("issue.partial.")).then_some(0.0)
}

fn machine_number(machine: &serde_json::Value, path: &str) -> Option<f64> {
    path.split('.').try_fold(machine, |value, name| value.get(name))?.as_f64()
}

/// The values of axes, as text: `size 2, gpu h200`.
fn label(experiment: &Experiment, point: &Point) -> String {
    let values = experiment.axes.iter().zip(&point.values);
    let values: Vec<String> = values.map(|(axis, value)| format!("{} {value}", axis.name)).collect();
    values.join(", ")
}

fn at_point(label: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Input(message) if !label.is_empty() => Fault::input(format!("at {label}: {message}")),
        Fault::Run(fault) if !label.is_empty() => Fault::input(format!("at {label}: {fault}")),
        other => other,
    }
}

fn task(
    experiment: &Experiment,
    point: &Point,
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
        let records = !experiment.show.is_empty() || names_record(experiment);
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

/// Programs by their text's address in the tasks: each is compiled once for each machine.
type Programs = FxHashMap<String, Program>;

fn program_key(job: &LaunchJob) -> String {
    let latencies = &job.config.multiprocessor;
    format!("{} {:?} {latencies:?} {:?}", job.program.path.display(), job.program.options, job.config.limits)
}

fn programs(tasks: &[Task], known: &Results) -> Result<Programs, Fault> {
    let mut programs = Programs::default();
    for task in tasks.iter().filter(|task| known.get(&task.key).is_none()) {
        let PointWork::Launch(job) = &task.job else { continue };
        if let Entry::Vacant(place) = programs.entry(program_key(job)) {
            place.insert(launch::program(&job.program, &job.config)?);
        }
    }
    Ok(programs)
}

fn work(task: &Task, programs: &Programs, host: &Host<'_>) -> Result<Measured, Fault> {
    match &task.job {
        PointWork::Launch(job) => {
            let program = programs.get(&program_key(job));
            let program = program.ok_or_else(|| Fault::input("the program was not compiled"))?;
            launch::run(job, program, host)
        }
        PointWork::Occupancy(job) => Ok(occupancy::run(job)),
        PointWork::Dram(job) => Ok(dram::run(job)),
        PointWork::Queue(job) => Ok(queue::run(job)),
        PointWork::Formula => Ok(Measured::default()),
    }
}

/// Applies `NAME=VALUE` to a constant, an axis or a setting.
fn change(experiment: &mut Experiment, text: &str) -> Result<(), Fault> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Fault::input(format!("'{text}' is no change; write NAME=VALUE, for example gpu=h200"))
    })?;
    let (name, value) = (name.trim(), value.trim());
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(constant) = experiment.constants.get_mut(name) {
        let wrong = || Fault::input(format!("'{value}' in '{text}' is not a number"));
        *constant = number(value).ok_or_else(wrong)?;
        experiment.full.remove(name);
        return Ok(());
    }
    if let Some(axis) = experiment.axes.iter_mut().find(|axis| axis.name == name) {
        if !axis.with.is_empty() {
            let message =
                format!("the axis '{name}' has values that go along with each of its own; change the file");
            return Err(Fault::input(message));
        }
        let of_text = |text: &str| {
            number(text).map_or_else(|| AxisValue::Text(text.trim().to_owned()), AxisValue::Number)
        };
        axis.values = value.split(',').map(of_text).collect();
        // References speak of the file's own points.
        experiment.references.clear();
        return Ok(());
    }
    let known: Vec<&str> = experiment
        .constants
        .keys()
        .map(String::as_str)
        .chain(experiment.axes.iter().map(|axis| axis.name.as_str()))
        .collect();
    match setting(experiment.kind, name) {
        Ok(_) => {
            experiment.set.insert(name.to_owned(), Template::constant(value));
            Ok(())
        }
        Err((message, help)) => {
            let near = nearest_name(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Err(Fault::input(format!(
                "{message}{near}; constants and axes: {}; settings: {help}",
                known.join(", ")
            )))
        }
    }
}
