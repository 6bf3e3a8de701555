//! `warplab experiment FILE --slurm` and `--collect`: the points of an experiment on several machines.

use crate::arguments::{ExperimentArguments, Switch};
use crate::failure::{Failure, Outcome};
use crate::job_array::{JobArray, Submission};
use crate::laboratory::Laboratory;
use crate::sources;
use crate::terminal::Terminal;
use std::collections::BTreeSet;
use std::path::Path;
use warplab_lab::experiment::Plan;

/// How many missing points are named.
const MOST_NAMED: usize = 5;

/// The job array of an experiment.
fn job_array(arguments: &ExperimentArguments, plan: &Plan) -> JobArray {
    JobArray::new(&arguments.points.results, &stem(arguments), &plan.key())
}

fn stem(arguments: &ExperimentArguments) -> String {
    arguments.file().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Submits the points whose results are not known.
pub(crate) fn submit(
    arguments: &ExperimentArguments,
    plan: &Plan,
    mut laboratory: Laboratory<'_>,
    terminal: &mut Terminal,
) -> Result<Outcome, Failure> {
    let array = job_array(arguments, plan);
    if let Some(job) = array.job() {
        if !arguments.slurm.resume {
            return Err(Failure::input(format!(
                "this experiment was submitted already, as job {job}: --collect prints its table, and --slurm --resume submits what is missing"
            )));
        }
        if array.is_in_queue() {
            return Err(Failure::input(format!(
                "job {job} still has tasks in the queue: wait for them, or end them with 'scancel {job}'"
            )));
        }
    }
    laboratory.absorb(&array.results()?);
    let open = plan.open(laboratory.known(), None)?;
    if open.is_empty() {
        terminal.print("every point is known; --collect prints the table\n")?;
        return laboratory.close(Outcome::Fine);
    }
    let chunks = open.chunks(arguments.slurm.tasks as usize);
    let job = array.submit(&Submission {
        name: &stem(arguments),
        words: &task_words(arguments)?,
        chunks: &chunks,
        options: &arguments.slurm.sbatch,
    })?;
    terminal.print(&format!(
        "job {job}: {} in {}, with logs in {}; when it has ended, --collect prints the table\n",
        counted(open.len(), "point"),
        counted(chunks.len(), "task"),
        array.folder().display(),
    ))?;
    laboratory.close(Outcome::Fine)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// What a task runs: the experiment with the same changes.
fn task_words(arguments: &ExperimentArguments) -> Result<Vec<String>, Failure> {
    let file = arguments
        .file()
        .canonicalize()
        .map_err(|error| Failure::input(format!("{} cannot be read: {error}", arguments.file().display())))?;
    let mut words = vec!["experiment".to_owned(), file.to_string_lossy().into_owned()];
    words.extend(arguments.changes.iter().map(|change| format!("--set={change}")));
    let fmad = arguments.fmad.map(Switch::is_on);
    words.extend(fmad.map(|on| format!("--fmad={}", if on { "on" } else { "off" })));
    words.extend(arguments.points.full.then(|| "--full".to_owned()));
    words.push(format!("--memory={}", arguments.points.memory.0));
    Ok(words)
}

/// Takes the results of the job array over; failed, and said, if points are missing.
pub(crate) fn collect(
    arguments: &ExperimentArguments,
    plan: &Plan,
    laboratory: &mut Laboratory<'_>,
    terminal: &mut Terminal,
) -> Result<Outcome, Failure> {
    let array = job_array(arguments, plan);
    laboratory.absorb(&array.results()?);
    let open = plan.open(laboratory.known(), None)?;
    if open.is_empty() {
        return Ok(Outcome::Fine);
    }
    let Some(job) = array.job() else {
        return Err(Failure::input(format!(
            "there is no job array in {}: the experiment with just these options, and just this build of warplab, was not submitted; --slurm submits it",
            array.folder().display()
        )));
    };
    let mut logs = BTreeSet::new();
    for (key, _) in open.names() {
        logs.extend(array.log_of(key)?.map(|log| log.display().to_string()));
    }
    let list = |words: Vec<String>| -> String {
        let more = words.len().saturating_sub(MOST_NAMED);
        let named = words[..words.len() - more].join("; ");
        if more == 0 { named } else { format!("{named}; and {more} more") }
    };
    let points = open.names().map(|(_, label)| label.to_owned()).collect();
    terminal.note(&format!("error: {} missing: {}", counted(open.len(), "point"), list(points)));
    if !logs.is_empty() {
        terminal.note(&format!("logs: {}", list(logs.into_iter().collect())));
    }
    terminal.note(&match array.is_in_queue() {
        true => format!("job {job} still has tasks in the queue"),
        false => format!("job {job} has ended; --slurm --resume submits the missing points again"),
    });
    Ok(Outcome::Failed)
}

/// Works out the points of a task.
pub(crate) fn task(file: &Path, plan: &Plan, laboratory: Laboratory<'_>) -> Result<Outcome, Failure> {
    let keys: BTreeSet<String> = sources::read(file)?.text.lines().map(str::to_owned).collect();
    if let Some(key) = keys.iter().find(|key| !plan.has(key)) {
        return Err(Failure::input(format!(
            "{} has a point that this experiment has not, {key}: a file or warplab itself has changed since it was submitted; submit it again",
            file.display()
        )));
    }
    laboratory.work_out(plan, Some(&keys))?;
    laboratory.close(Outcome::Fine)
}
