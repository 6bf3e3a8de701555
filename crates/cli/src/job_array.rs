//! Work that Slurm spreads over machines: a folder with a file of points and a file of results for each task of a job
//! array, the script that every task runs, and the calls of `sbatch` and `squeue`.

use crate::failure::Failure;
use crate::sources;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of a job array. All machines must see it under the same path.
#[derive(Debug)]
pub(crate) struct JobArray {
    folder: PathBuf,
}

/// What is submitted.
#[derive(Debug)]
pub(crate) struct Submission<'a> {
    /// The name of the job.
    pub(crate) name: &'a str,
    /// What a task runs after the program's name; `--points-of` and `--results` come behind it.
    pub(crate) words: &'a [String],
    /// The points of each task, by their hashes.
    pub(crate) chunks: &'a [Vec<&'a str>],
    /// Further options for `sbatch`.
    pub(crate) options: &'a [String],
}

impl JobArray {
    /// The job array of work with this name and key, beside a results file.
    pub(crate) fn new(results: &Path, name: &str, key: &str) -> JobArray {
        let short = key.get(..12).unwrap_or(key);
        let folder = results.parent().unwrap_or(Path::new("")).join("slurm").join(format!("{name}-{short}"));
        JobArray { folder }
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of the job, if it was submitted.
    pub(crate) fn job(&self) -> Option<String> {
        fs::read_to_string(self.folder.join("job")).ok().map(|text| text.trim().to_owned())
    }

    /// Whether Slurm has tasks of it that have not ended. A job that Slurm has forgotten has none.
    pub(crate) fn is_in_queue(&self) -> bool {
        let Some(job) = self.job() else { return false };
        let listed = Command::new("squeue").args(["--noheader", "--jobs", &job]).output();
        listed.is_ok_and(|listed| listed.status.success() && !listed.stdout.trim_ascii().is_empty())
    }

    /// The results files of all tasks, as they are now.
    pub(crate) fn results(&self) -> Result<Vec<Vec<u8>>, Failure> {
        self.files("jsonl")?.iter().map(|path| sources::bytes(path)).collect()
    }

    /// The log of the task that a point belongs to.
    pub(crate) fn log_of(&self, key: &str) -> Result<Option<PathBuf>, Failure> {
        for path in self.files("points")? {
            if sources::read(&path)?.text.lines().any(|line| line == key) {
                return Ok(Some(path.with_extension("log")).filter(|log| log.is_file()));
            }
        }
        Ok(None)
    }

    fn files(&self, extension: &str) -> Result<Vec<PathBuf>, Failure> {
        let entries = match self.folder.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                let folder = self.folder.display();
                return Err(Failure::input(format!("{folder} cannot be read: {error}")));
            }
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = paths.filter(|path| sources::has_extension(path, extension)).collect();
        files.sort();
        Ok(files)
    }

    /// Writes the folder anew and submits the job array; gives the number of the job.
    pub(crate) fn submit(&self, submission: &Submission<'_>) -> Result<String, Failure> {
        let folder = self.make_folder()?;
        for (number, chunk) in submission.chunks.iter().enumerate() {
            let lines: String = chunk.iter().map(|key| format!("{key}\n")).collect();
            sources::write(&folder.join(format!("{}.points", number + 1)), &lines)?;
        }
        let script = folder.join("task.sh");
        sources::write(&script, &task_script(&folder, submission.words)?)?;
        let output = call_sbatch(&folder, &script, submission)?;
        let said = String::from_utf8_lossy(&output.stdout);
        // A federation adds the name of the cluster: 17;cluster.
        let job = said.trim().split(';').next().unwrap_or_default().to_owned();
        sources::write(&folder.join("job"), &format!("{job}\n"))?;
        Ok(job)
    }

    /// The folder, empty, by its full path.
    fn make_folder(&self) -> Result<PathBuf, Failure> {
        let made = || -> io::Result<PathBuf> {
            if self.folder.exists() {
                fs::remove_dir_all(&self.folder)?;
            }
            fs::create_dir_all(&self.folder)?;
            std::path::absolute(&self.folder)
        };
        made()
            .map_err(|error| Failure::Output(format!("{} cannot be written: {error}", self.folder.display())))
    }
}

/// What every task runs: its own points, into its own results file, on the cores that Slurm gave it. A task that is
/// run again finds the points that it had finished in that file.
fn task_script(folder: &Path, words: &[String]) -> Result<String, Failure> {
    let program = std::env::current_exe();
    let program =
        program.map_err(|error| Failure::input(format!("the path of warplab is unknown: {error}")))?;
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let task = format!("{}/$SLURM_ARRAY_TASK_ID", quoted(&folder.to_string_lossy()));
    Ok(format!(
        "#!/bin/sh\n# A task of a job array: the points of N.points, with their results in N.jsonl.\nexec {} {} \\\n  \
         --points-of {task}.points --results {task}.jsonl --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
        quoted(&program.to_string_lossy()),
        words.join(" "),
    ))
}

/// A word as the shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn call_sbatch(folder: &Path, script: &Path, submission: &Submission<'_>) -> Result<Output, Failure> {
    // Slurm puts numbers in for what begins with a percent sign.
    let logs = format!("{}/%a.log", folder.to_string_lossy().replace('%', "%%"));
    let output = Command::new("sbatch")
        .args(["--parsable", "--requeue", "--open-mode=append"])
        .arg(format!("--job-name=warplab-{}", submission.name))
        .arg(format!("--array=1-{}", submission.chunks.len()))
        .arg(format!("--output={logs}"))
        .args(submission.options)
        .arg(OsStr::new(script))
        .output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::input(
            "there is no 'sbatch' here: run this where Slurm's commands are, or leave --slurm out and all points run on this machine",
        ),
        _ => Failure::input(format!("sbatch cannot be started: {error}")),
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::input(format!("sbatch did not take the job array: {}", said.trim())))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn the_shell_reads_a_quoted_word_back() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
