//! What the laboratory needs of the command line: files, machines, and the results of earlier runs.

use crate::arguments::PointArguments;
use crate::failure::{Failure, Outcome};
use crate::kept_results::KeptResults;
use crate::progress::PointNotes;
use crate::terminal::Terminal;
use crate::{machines, program_text, sources};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warplab_config::Experiment;
use warplab_diagnostics::Source;
use warplab_lab::experiment::{ExperimentReport, Finished, Host, Plan, Results};
use warplab_lab::pool::Limits;
use warplab_run::Fault;

/// What tells this simulator from every other: its version, and a hash of the sources that it was built from.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("WARPLAB_SOURCES"));

/// Runs experiments and keeps what is finished.
pub(crate) struct Laboratory<'a> {
    arguments: &'a PointArguments,
    kept: KeptResults,
    notes: PointNotes,
    /// Set when the points are not to be worked out to their end.
    stop: Option<Arc<AtomicBool>>,
}

/// What is known of the points of an experiment, and what the others cost.
pub(crate) struct PointCount {
    /// All points.
    pub(crate) points: usize,
    /// Those that are not known.
    pub(crate) open: usize,
    /// What these cost, about a warp instruction each.
    pub(crate) cost: u64,
}

impl<'a> Laboratory<'a> {
    /// Reads what earlier runs have finished, unless that is not wanted.
    pub(crate) fn open(
        arguments: &'a PointArguments,
        terminal: &Terminal,
    ) -> Result<Laboratory<'a>, Failure> {
        let kept = KeptResults::open(&arguments.results, arguments.fresh)?;
        let notes = PointNotes::new(arguments.quiet, Terminal::shows_progress());
        Ok(Laboratory { arguments, kept, notes, stop: terminal.stop().cloned() })
    }

    /// How many points of an experiment are not known, and what they cost.
    pub(crate) fn count(&self, plan: &Plan) -> Result<PointCount, Failure> {
        let open = plan.open(self.kept.known(), None)?;
        Ok(PointCount { points: plan.points(), open: open.len(), cost: open.cost() })
    }

    /// These points will be worked out: notes on progress count them.
    pub(crate) fn expect(&self, count: &PointCount) {
        self.notes.expect(count.open, count.cost);
    }

    /// Works out the points whose results are not known, and reports on all.
    pub(crate) fn run(&self, plan: &Plan) -> Result<ExperimentReport, Failure> {
        let new = self.work_out(plan, None)?;
        Ok(plan.report(&[&new, self.kept.known()], new.len()))
    }

    /// The points of an experiment of a folder.
    pub(crate) fn plan(
        &self,
        experiment: &Experiment,
        folder: &Path,
        changes: &[String],
    ) -> Result<Plan, Failure> {
        let full = self.arguments.full;
        Ok(self.with_host(|host| Plan::new(experiment, folder, host, full, changes))??)
    }

    /// Whether experiments take the sizes of their sources.
    pub(crate) fn is_full(&self) -> bool {
        self.arguments.full
    }

    /// What all points of an experiment cost at the sizes that the course is measured with.
    pub(crate) fn measured_cost(&self, experiment: &Experiment, folder: &Path) -> Result<u64, Failure> {
        let plan = self.with_host(|host| Plan::new(experiment, folder, host, false, &[]))??;
        Ok(plan.open(&Results::default(), None)?.cost())
    }

    /// Works out the points whose results are not known; with `only`, those of them with these hashes.
    pub(crate) fn work_out(&self, plan: &Plan, only: Option<&BTreeSet<String>>) -> Result<Results, Failure> {
        let open = plan.open(self.kept.known(), only)?;
        let limits = Limits {
            cores: self.arguments.jobs.map_or(0, usize::from),
            memory_bytes: self.arguments.memory.0,
        };
        let finished = |finished: &Finished<'_>| {
            self.kept.keep(finished.line);
            let name = format!("{}: {}", open.title(), finished.point);
            if let Some(line) = self.notes.finished(&name, finished.cost) {
                eprintln(&line);
            }
        };
        Ok(self.with_host(|host| open.run(limits, host, &finished))??)
    }

    /// Calls `work` with the files and machines of this host.
    fn with_host<T>(&self, work: impl FnOnce(&Host<'_>) -> T) -> Result<T, Failure> {
        let default = machines::load(machines::DEFAULT, &[])?;
        // A result does not depend on which tools are there.
        let program =
            |path: &Path| program_text::own_source(path, &default, &mut Terminal::new()).map_err(into_fault);
        let machine = |name: &str, changes: &[String]| machines::load(name, changes);
        let host = Host {
            read: &sources::for_lab,
            program: &program,
            machine: &machine,
            version: VERSION,
            interrupt: self.stop.as_deref(),
        };
        Ok(work(&host))
    }

    /// The results that are kept.
    pub(crate) fn kept(&mut self) -> &mut KeptResults {
        &mut self.kept
    }

    /// Ends a command: an error if finished points could not be kept.
    pub(crate) fn close(self, outcome: Outcome) -> Result<Outcome, Failure> {
        self.kept.close(outcome)
    }
}

/// A line for standard error; nobody can be told when it is gone.
fn eprintln(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn into_fault(failure: Failure) -> Fault {
    match failure {
        Failure::Diagnostics(source, faults) | Failure::KernelAt(source, faults) => {
            Fault::Diagnostics(source, faults)
        }
        Failure::Input(message) | Failure::Kernel(message) | Failure::Output(message) => {
            Fault::Input(message)
        }
        Failure::Closed => Fault::Input("the output is closed".to_owned()),
    }
}

/// Reads an experiment.
pub(crate) fn load(path: &Path) -> Result<(Source, Experiment), Failure> {
    let source = sources::read(path)?;
    let experiment = warplab_lab::experiment::load(&source)?;
    Ok((source, experiment))
}
