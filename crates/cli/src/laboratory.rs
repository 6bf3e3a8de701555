//! What the laboratory needs of the command line: files, machines, and the results of earlier runs.

use crate::arguments::PointArguments;
use crate::failure::{Failure, Outcome};
use crate::progress::PointNotes;
use crate::terminal::Terminal;
use crate::{machines, program_text, sources};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
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
    known: Results,
    /// The results file once a line was added, and why nothing more is kept.
    file: Mutex<Keeper>,
    notes: PointNotes,
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

/// Where finished points are kept.
#[derive(Default)]
struct Keeper {
    file: Option<File>,
    failure: Option<io::Error>,
}

impl<'a> Laboratory<'a> {
    /// Reads what earlier runs have finished, unless that is not wanted.
    pub(crate) fn open(arguments: &'a PointArguments) -> Result<Laboratory<'a>, Failure> {
        let known = match fs::read(&arguments.results) {
            _ if arguments.fresh => Results::default(),
            Ok(bytes) => Results::read(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Results::default(),
            Err(error) => {
                let file = arguments.results.display();
                return Err(Failure::input(format!(
                    "{file} cannot be read: {error}; give another --results"
                )));
            }
        };
        let notes = PointNotes::new(arguments.quiet, Terminal::shows_progress());
        Ok(Laboratory { arguments, known, file: Mutex::default(), notes })
    }

    /// How many points of an experiment are not known, and what they cost.
    pub(crate) fn count(&self, plan: &Plan) -> Result<PointCount, Failure> {
        let open = plan.open(&self.known, None)?;
        Ok(PointCount { points: plan.points(), open: open.len(), cost: open.cost() })
    }

    /// These points will be worked out: notes on progress count them.
    pub(crate) fn expect(&self, count: &PointCount) {
        self.notes.expect(count.open, count.cost);
    }

    /// Works out the points whose results are not known, and reports on all.
    pub(crate) fn run(&self, plan: &Plan) -> Result<ExperimentReport, Failure> {
        let new = self.work_out(plan, None)?;
        Ok(plan.report(&[&new, &self.known], new.len()))
    }

    /// The points of an experiment of a folder.
    pub(crate) fn plan(
        &self,
        experiment: &Experiment,
        folder: &Path,
        changes: &[String],
    ) -> Result<Plan, Failure> {
        let full = self.arguments.full;
        Ok(with_host(|host| Plan::new(experiment, folder, host, full, changes))??)
    }

    /// Whether experiments take the sizes of their sources.
    pub(crate) fn is_full(&self) -> bool {
        self.arguments.full
    }

    /// What all points of an experiment cost at the sizes that the course is measured with.
    pub(crate) fn measured_cost(&self, experiment: &Experiment, folder: &Path) -> Result<u64, Failure> {
        let plan = with_host(|host| Plan::new(experiment, folder, host, false, &[]))??;
        Ok(plan.open(&Results::default(), None)?.cost())
    }

    /// Works out the points whose results are not known; with `only`, those of them with these hashes.
    pub(crate) fn work_out(&self, plan: &Plan, only: Option<&BTreeSet<String>>) -> Result<Results, Failure> {
        let open = plan.open(&self.known, only)?;
        let limits = Limits {
            cores: self.arguments.jobs.map_or(0, usize::from),
            memory_bytes: self.arguments.memory.0,
        };
        let finished = |finished: &Finished<'_>| {
            self.keep(finished.line);
            let name = format!("{}: {}", open.title(), finished.point);
            if let Some(line) = self.notes.finished(&name, finished.cost) {
                eprintln(&line);
            }
        };
        Ok(with_host(|host| open.run(limits, host, &finished))??)
    }

    /// The points whose results are known.
    pub(crate) fn known(&self) -> &Results {
        &self.known
    }

    /// Takes the points of other results files over.
    pub(crate) fn absorb(&mut self, files: &[Vec<u8>]) {
        for bytes in files {
            let lines = self.known.absorb(bytes);
            lines.iter().for_each(|line| self.keep(line));
        }
    }

    /// Adds a line to the results file, which is made when the first line comes. What cannot be kept costs nothing
    /// but its being kept: [`Laboratory::close`] tells it once, when the tables are printed.
    fn keep(&self, line: &str) {
        let mut keeper = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.failure.is_none() {
            keeper.failure = keeper.write(&self.arguments.results, line).err();
        }
    }

    /// Ends a command: an error if finished points could not be kept.
    pub(crate) fn close(self, outcome: Outcome) -> Result<Outcome, Failure> {
        let keeper = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(error) = keeper.failure else { return Ok(outcome) };
        let file = self.arguments.results.display();
        Err(Failure::Output(format!(
            "{file} cannot be written: {error}; what is printed is whole, but its points run again the next time; give another --results"
        )))
    }
}

impl Keeper {
    fn write(&mut self, path: &Path, line: &str) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(path)?),
        };
        // One call a line: lines of several threads or programs do not mix.
        file.write_all(line.as_bytes())
    }
}

/// A results file, ready for the next line: a torn last one is ended first.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.is_file() && file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Calls `work` with the files and machines of this host.
fn with_host<T>(work: impl FnOnce(&Host<'_>) -> T) -> Result<T, Failure> {
    let default = machines::load(machines::DEFAULT, &[])?;
    // A result does not depend on which tools are there.
    let program =
        |path: &Path| program_text::own_source(path, &default, &mut Terminal::new()).map_err(into_fault);
    let machine = |name: &str, changes: &[String]| machines::load(name, changes);
    let host = Host { read: &sources::for_lab, program: &program, machine: &machine, version: VERSION };
    Ok(work(&host))
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
