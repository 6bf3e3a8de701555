//! `--slurm` and `--collect`: the points of an experiment, or the cases of a comparison, on several machines.

use crate::arguments::SlurmArguments;
use crate::failure::{Failure, Outcome};
use crate::job_array::{JobArray, Submission};
use crate::kept_results::KeptResults;
use crate::sources;
use crate::terminal::Terminal;
use std::collections::BTreeSet;
use std::path::Path;
use warplab_lab::pool;

/// How many missing parts are named.
const MOST_NAMED: usize = 5;

/// Work whose parts can run on several machines.
pub(crate) struct Work<'a> {
    /// What it is: experiment, comparison.
    pub(crate) what: &'static str,
    /// What a part of it is: point, case.
    pub(crate) part: &'static str,
    /// The name of the job.
    pub(crate) name: String,
    /// A hash of everything that the results depend on.
    pub(crate) key: String,
    /// The results file that the job array stands beside.
    pub(crate) results: &'a Path,
}

/// The parts of a work whose results are not known.
#[derive(Default)]
pub(crate) struct OpenParts {
    /// The hash and the name of each, in order.
    pub(crate) names: Vec<(String, String)>,
    /// What each is expected to cost.
    pub(crate) costs: Vec<u64>,
}

impl OpenParts {
    /// The hashes in at most so many chunks of about the same expected cost.
    fn chunks(&self, most: usize) -> Vec<Vec<&str>> {
        let chunk = |part: Vec<usize>| part.into_iter().map(|index| self.names[index].0.as_str()).collect();
        pool::spread(&self.costs, most).into_iter().map(chunk).collect()
    }
}

impl Work<'_> {
    fn array(&self) -> JobArray {
        JobArray::new(self.results, &self.name, &self.key)
    }

    /// Takes over what the tasks have finished so far.
    pub(crate) fn absorb(&self, kept: &mut KeptResults) -> Result<(), Failure> {
        kept.absorb(&self.array().results()?);
        Ok(())
    }

    /// Refuses to submit what is submitted already.
    pub(crate) fn check_not_submitted(&self, arguments: &SlurmArguments) -> Result<(), Failure> {
        let array = self.array();
        let Some(job) = array.job() else { return Ok(()) };
        if !arguments.resume {
            let what = self.what;
            return Err(Failure::input(format!(
                "this {what} was submitted already, as job {job}: --collect prints its table, and --slurm --resume submits what is missing"
            )));
        }
        if array.is_in_queue() {
            return Err(Failure::input(format!(
                "job {job} still has tasks in the queue: wait for them, or end them with 'scancel {job}'"
            )));
        }
        Ok(())
    }

    /// Submits the open parts; `words` are what a task runs.
    pub(crate) fn submit(
        &self,
        arguments: &SlurmArguments,
        open: &OpenParts,
        words: &[String],
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        if open.names.is_empty() {
            return terminal.print(&format!("every {} is known; --collect prints the table\n", self.part));
        }
        let chunks = open.chunks(arguments.tasks as usize);
        let options = &arguments.sbatch;
        let array = self.array();
        let job = array.submit(&Submission { name: &self.name, words, chunks: &chunks, options })?;
        terminal.print(&format!(
            "job {job}: {} in {}, with logs in {}; when it has ended, --collect prints the table\n",
            counted(open.names.len(), self.part),
            counted(chunks.len(), "task"),
            array.folder().display(),
        ))
    }

    /// Says which parts are missing, if any; failed then.
    pub(crate) fn tell_missing(&self, open: &OpenParts, terminal: &mut Terminal) -> Result<Outcome, Failure> {
        if open.names.is_empty() {
            return Ok(Outcome::Fine);
        }
        let array = self.array();
        let Some(job) = array.job() else {
            return Err(Failure::input(format!(
                "there is no job array in {}: the {} with just these options, and just this build of warplab, was not submitted; --slurm submits it",
                array.folder().display(),
                self.what
            )));
        };
        let mut logs = BTreeSet::new();
        for (key, _) in &open.names {
            logs.extend(array.log_of(key)?.map(|log| log.display().to_string()));
        }
        let names = open.names.iter().map(|(_, name)| name.clone()).collect();
        let missing = counted(open.names.len(), self.part);
        terminal.note(&format!("error: {missing} missing: {}", list(names)));
        if !logs.is_empty() {
            terminal.note(&format!("logs: {}", list(logs.into_iter().collect())));
        }
        terminal.note(&match array.is_in_queue() {
            true => format!("job {job} still has tasks in the queue"),
            false => {
                format!("job {job} has ended; --slurm --resume submits the missing {}s again", self.part)
            }
        });
        Ok(Outcome::Failed)
    }

    /// The hashes of the parts of a task, all of which this work must have.
    pub(crate) fn parts_of(
        &self,
        file: &Path,
        has: &dyn Fn(&str) -> bool,
    ) -> Result<BTreeSet<String>, Failure> {
        let keys: BTreeSet<String> = sources::read(file)?.text.lines().map(str::to_owned).collect();
        match keys.iter().find(|key| !has(key)) {
            None => Ok(keys),
            Some(key) => Err(Failure::input(format!(
                "{} has a {} that this {} has not, {key}: a file or warplab itself has changed since it was submitted; submit it again",
                file.display(),
                self.part,
                self.what
            ))),
        }
    }
}

/// A path that every machine understands.
pub(crate) fn full_path(path: &Path) -> Result<String, Failure> {
    let full = path.canonicalize();
    let full = full.map_err(|error| Failure::input(format!("{} cannot be read: {error}", path.display())))?;
    Ok(full.to_string_lossy().into_owned())
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The first of some names, and how many more there are.
fn list(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = names[..names.len() - more].join("; ");
    if more == 0 { named } else { format!("{named}; and {more} more") }
}
