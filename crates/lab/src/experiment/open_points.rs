//! The points whose results are not known: what they cost, and how they are worked out.

use super::launch::{self, LaunchJob};
use super::plan::{Plan, PointWork, Task, at_point};
use super::{Host, Measured, Results, dram, occupancy, queue, results};
use crate::pool::{self, Limits, Need};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use warplab_program::Program;
use warplab_run::Fault;

/// The points of a plan whose results are not known, with their programs compiled. A formula has nothing to work out.
#[derive(Debug)]
pub struct OpenPoints<'a> {
    title: &'a str,
    tasks: Vec<&'a Task>,
    programs: Programs,
}

/// A point that has been worked out.
#[derive(Clone, Debug)]
pub struct Finished<'a> {
    /// Its values of axes, as text.
    pub point: &'a str,
    /// Its line for the results file.
    pub line: &'a str,
    /// What it was expected to cost, about a warp instruction each.
    pub cost: u64,
}

impl Plan {
    /// The points that `known` lacks; with `only`, those of them with these hashes.
    ///
    /// # Errors
    /// The faults of a program.
    pub fn open(&self, known: &Results, only: Option<&BTreeSet<String>>) -> Result<OpenPoints<'_>, Fault> {
        let is_open = |task: &&Task| {
            !matches!(task.job, PointWork::Formula)
                && known.get(&task.key).is_none()
                && only.is_none_or(|only| only.contains(&task.key))
        };
        let tasks: Vec<&Task> = self.tasks.iter().filter(is_open).collect();
        let programs = programs(&tasks)?;
        Ok(OpenPoints { title: &self.experiment.title, tasks, programs })
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.tasks.len()
    }

    /// Whether a point has this hash.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.tasks.iter().any(|task| task.key == key)
    }
}

impl<'a> OpenPoints<'a> {
    /// The hash and the values of axes of each, in order.
    pub fn names(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.tasks.iter().map(|task| (task.key.as_str(), task.label.as_str()))
    }

    /// What the experiment looks at.
    #[must_use]
    pub fn title(&self) -> &'a str {
        self.title
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// What all together are expected to cost, about a warp instruction each.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.tasks.iter().map(|task| self.need(task).cost).sum()
    }

    /// What each is expected to cost, in the same order.
    #[must_use]
    pub fn costs(&self) -> Vec<u64> {
        self.tasks.iter().map(|task| self.need(task).cost).collect()
    }

    /// Works all of them out; `finished` hears of each.
    ///
    /// # Errors
    /// The first point's fault, with its values of axes; the others are worked out all the same.
    pub fn run(
        &self,
        limits: Limits,
        host: &Host<'_>,
        finished: &(dyn Fn(&Finished<'_>) + Sync),
    ) -> Result<Results, Fault> {
        let one = |task: &&Task| {
            let measured = self.work(task, host).map_err(|fault| at_point(&task.label, fault))?;
            let line = results::line(&task.key, self.title, &task.label, &measured);
            finished(&Finished { point: &task.label, line: &line, cost: self.need(task).cost });
            Ok::<_, Fault>((task.key.clone(), measured))
        };
        pool::on_all(&self.tasks, limits, |task| self.need(task), one).into_iter().collect()
    }

    fn need(&self, task: &Task) -> Need {
        match &task.job {
            PointWork::Launch(job) => {
                let program = self.programs.get(&program_key(job));
                Need { cost: job.cost(program), memory_bytes: job.buffer_bytes() }
            }
            PointWork::Dram(job) => Need { cost: job.requests(), memory_bytes: 0 },
            PointWork::Occupancy(_) | PointWork::Queue(_) | PointWork::Formula => Need::default(),
        }
    }

    fn work(&self, task: &Task, host: &Host<'_>) -> Result<Measured, Fault> {
        match &task.job {
            PointWork::Launch(job) => {
                let program = self.programs.get(&program_key(job));
                let program = program.ok_or_else(|| Fault::input("the program was not compiled"))?;
                launch::run(job, program, host)
            }
            PointWork::Occupancy(job) => Ok(occupancy::run(job)),
            PointWork::Dram(job) => Ok(dram::run(job)),
            PointWork::Queue(job) => Ok(queue::run(job)),
            PointWork::Formula => Ok(Measured::default()),
        }
    }
}

/// Programs by their file, how they are compiled, and the machine: each is compiled once.
type Programs = FxHashMap<String, Program>;

fn program_key(job: &LaunchJob) -> String {
    let latencies = &job.config.multiprocessor;
    format!("{} {:?} {latencies:?} {:?}", job.program.path.display(), job.program.options, job.config.limits)
}

fn programs(tasks: &[&Task]) -> Result<Programs, Fault> {
    let mut programs = Programs::default();
    for task in tasks {
        let PointWork::Launch(job) = &task.job else { continue };
        if let Entry::Vacant(place) = programs.entry(program_key(job)) {
            place.insert(launch::program(&job.program, &job.config)?);
        }
    }
    Ok(programs)
}
