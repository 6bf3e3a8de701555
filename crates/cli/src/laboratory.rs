//! What the laboratory needs of the command line: files, machines, and the results of earlier runs.

use crate::arguments::{Isa, PointArguments};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{machines, roads, sources};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, io};
use warplab_config::Experiment;
use warplab_diagnostics::Source;
use warplab_lab::Fault;
use warplab_lab::experiment::{Host, Options, Report, Results, run, stable_hash};

/// Runs experiments and keeps what is finished.
pub(crate) struct Laboratory<'a> {
    arguments: &'a PointArguments,
    version: String,
    known: Results,
}

impl<'a> Laboratory<'a> {
    /// Reads what earlier runs have finished, unless that is not wanted.
    pub(crate) fn open(arguments: &'a PointArguments) -> Result<Laboratory<'a>, Failure> {
        let known = match fs::read_to_string(&arguments.results) {
            _ if arguments.fresh => Results::default(),
            Ok(text) => Results::read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Results::default(),
            Err(error) => {
                let file = arguments.results.display();
                return Err(Failure::input(format!(
                    "{file} cannot be read: {error}; give another --results"
                )));
            }
        };
        Ok(Laboratory { arguments, version: version(), known })
    }

    /// Runs an experiment of a folder.
    pub(crate) fn run(
        &self,
        experiment: &Experiment,
        folder: &Path,
        changes: &[String],
    ) -> Result<Report, Failure> {
        let default = machines::load(machines::DEFAULT, &[])?;
        // CUDA source is read as PTX, so that a result does not depend on which tools are there.
        let program = |path: &Path| {
            let isa = sources::has_extension(path, "cu").then_some(Isa::Ptx);
            roads::source(path, isa, &default, &mut Terminal::new()).map_err(into_fault)
        };
        let machine = |name: &str, changes: &[String]| machines::load(name, changes);
        let host =
            Host { read: &sources::for_lab, program: &program, machine: &machine, version: &self.version };
        let options = Options {
            full: self.arguments.full,
            changes: changes.to_vec(),
            threads: self.arguments.jobs.map_or(0, usize::from),
        };
        let file: Mutex<Option<File>> = Mutex::new(None);
        let failure = Mutex::new(None);
        let count = AtomicUsize::new(0);
        let notes = !self.arguments.quiet && Terminal::shows_progress();
        let report = run(experiment, folder, &host, &self.known, &options, &|finished| {
            // What cannot be kept is told once, after the run.
            if let Err(error) = self.keep(&file, finished.line) {
                *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            if notes {
                eprintln(&format!("{}: {number} done: {}", experiment.title, finished.point));
            }
        })?;
        match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(error) => {
                let file = self.arguments.results.display();
                Err(Failure::Output(format!("{file} cannot be written: {error}; give another --results")))
            }
            None => Ok(report),
        }
    }

    /// Adds a line to the results file, which is made when the first line comes.
    fn keep(&self, file: &Mutex<Option<File>>, line: &str) -> io::Result<()> {
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if file.is_none() {
            let path = &self.arguments.results;
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)?;
            }
            *file = Some(OpenOptions::new().create(true).append(true).open(path)?);
        }
        // One call a line: lines of several threads or programs do not mix.
        file.as_mut().map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    }
}

/// A line for standard error; nobody can be told when it is gone.
fn eprintln(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The version of this program: any other build gives other results.
fn version() -> String {
    let program = env::current_exe().and_then(fs::read).unwrap_or_default();
    format!("{} {}", env!("CARGO_PKG_VERSION"), stable_hash([program.as_slice()]))
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
