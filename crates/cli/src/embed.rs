//! The commands in the hands of another program: what they print is kept, runs stay in memory, and a flag stops them.

use crate::arguments::{Arguments, Command, RunArguments};
use crate::commands::run;
use crate::failure::{Failure, Outcome};
use crate::result_file::KeptRun;
use crate::terminal::Terminal;
use crate::{exports, obey, save};
use clap::Parser;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warplab_report::timeline_columns;

pub use warplab_report::Column;

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its exit status.
    pub status: u8,
    /// What it printed.
    pub output: String,
    /// What it said on standard error.
    pub notes: String,
}

impl Called {
    fn of(mut terminal: Terminal, result: &Result<Outcome, Failure>) -> Called {
        let status = terminal.finish(result);
        let printed = terminal.into_printed();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Called { status, output: text(printed.output), notes: text(printed.notes) }
    }
}

/// Runs a command line, without the name of the program, until it ends or `stop` is set.
#[must_use]
pub fn call(words: &[String], stop: &Arc<AtomicBool>) -> Called {
    let mut terminal = Terminal::keeping(Arc::clone(stop));
    let result = obey(command_line(words).map(Into::into), &mut terminal);
    Called::of(terminal, &result)
}

fn command_line(words: &[String]) -> impl Iterator<Item = String> {
    std::iter::once("warplab".to_owned()).chain(words.iter().cloned())
}

/// A run that has ended, with its device memory and the timeline of one multiprocessor.
#[derive(Debug)]
pub struct Run(KeptRun);

impl Run {
    /// Does what `run` with these words does, without the name of the command, until it ends or `stop` is set.
    ///
    /// # Errors
    /// What the command said when it could not do what it was asked to. A failed expectation is no error.
    pub fn simulate(words: &[String], stop: &Arc<AtomicBool>) -> Result<Run, Called> {
        let mut terminal = Terminal::keeping(Arc::clone(stop));
        let mut run = None;
        let result = match Arguments::try_parse_from(command_line(words)) {
            Ok(Arguments { command: Command::Run(arguments) }) if arguments.import.is_none() => {
                run::simulate_and_report(&arguments, true, &mut terminal).map(|(outcome, kept)| {
                    run = Some(Run(kept));
                    outcome
                })
            }
            Ok(_) => Err(Failure::input("this command does not simulate a launch")),
            Err(usage) => terminal.usage(&usage),
        };
        run.ok_or_else(|| Called::of(terminal, &result))
    }

    /// A run that [`bytes`](Run::bytes) or `run -o` wrote, with the same build.
    ///
    /// # Errors
    /// Why it is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Run, String> {
        KeptRun::from_bytes(bytes).map(Run)
    }

    /// What `run -o` writes: everything but device memory.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        self.0.bytes()
    }

    /// Whether every expectation holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.0.holds()
    }

    /// What `run --json` writes.
    #[must_use]
    pub fn document(&self) -> String {
        run::document(&self.0)
    }

    /// What `run --html` writes.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn html(&self) -> Result<String, String> {
        let arguments = report_arguments(&[])?;
        run::html(&arguments, &self.0).map_err(|failure| failure.first_line())
    }

    /// Sections of the report as text.
    ///
    /// # Errors
    /// A section is unknown, or needs a timeline of another launch.
    pub fn report(&self, sections: &[String]) -> Result<String, String> {
        let options: Vec<String> = sections.iter().map(|section| format!("--section={section}")).collect();
        let arguments = report_arguments(&options)?;
        let mut terminal = Terminal::keeping(Arc::default());
        let result = run::report_kept(&arguments, &self.0, "the run", &mut terminal);
        let failed = result.is_err();
        let called = Called::of(terminal, &result);
        if failed { Err(called.notes) } else { Ok(called.output) }
    }

    /// Calls `work` with the timeline of one multiprocessor, as columns with their names.
    pub fn with_timeline<T>(&self, work: impl FnOnce(&[(&'static str, Column<'_>)]) -> T) -> T {
        let (sm, recorded) = self.0.recorded;
        let launch = self.0.simulated.launches.get(recorded);
        let timeline = launch.and_then(|launch| launch.outcome.timeline.as_ref());
        let kernel = self.0.job.steps.get(recorded).map_or("", |step| step.kernel.as_str());
        exports::with_record(&self.0.job, sm, kernel, timeline, |record| work(&timeline_columns(record)))
    }

    /// A buffer, or a variable of the program in global memory, after the run: as `run --save` writes it into `.npy`.
    ///
    /// # Errors
    /// There is no such buffer, or the run came from a file.
    pub fn buffer(&self, name: &str) -> Result<Vec<u8>, String> {
        let Some(buffer) = self.0.simulated.image.buffer(name) else {
            let known = self.0.job.buffer_names();
            return Err(match known.as_slice() {
                [] => "device memory is not kept in a file".to_owned(),
                known => save::unknown_buffer(name, known),
            });
        };
        let mut bytes = Vec::new();
        save::write_npy(&mut bytes, buffer).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

/// The arguments of a report without a simulation.
fn report_arguments(options: &[String]) -> Result<Box<RunArguments>, String> {
    let words =
        ["run", "--import", "-", "--quiet"].map(str::to_owned).into_iter().chain(options.iter().cloned());
    match Arguments::try_parse_from(command_line(&words.collect::<Vec<_>>())) {
        Ok(Arguments { command: Command::Run(arguments) }) => Ok(arguments),
        Ok(_) => Err("this command does not report on a launch".to_owned()),
        Err(usage) => Err(usage.render().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, call};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    const WARP_STATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/warp_states.ron");

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_a_command_prints_is_kept() {
        let listed = call(&words(&["gpu", "list"]), &Arc::default());
        assert_eq!((listed.status, listed.notes.as_str()), (0, ""));
        assert!(listed.output.contains("h200"), "{}", listed.output);
        let unknown = call(&words(&["gpu", "show", "h20"]), &Arc::default());
        assert_eq!((unknown.status, unknown.output.as_str()), (2, ""));
        assert!(unknown.notes.starts_with("error: unknown machine 'h20'"), "{}", unknown.notes);
        let misused = call(&words(&["dance"]), &Arc::default());
        assert_eq!((misused.status, misused.output.as_str()), (2, ""));
    }

    #[test]
    fn a_run_in_memory_reports_what_its_bytes_do() {
        let run = Run::simulate(&words(&["run", WARP_STATES]), &Arc::default()).unwrap();
        assert!(run.holds());
        let again = Run::from_bytes(&run.bytes().unwrap()).unwrap();
        assert_eq!(run.document(), again.document());
        assert_eq!(run.html(), again.html());
        assert_eq!(run.report(&words(&["all"])), again.report(&words(&["all"])));
        assert!(run.buffer("c").is_ok());
        assert_eq!(again.buffer("c").unwrap_err(), "device memory is not kept in a file");
    }

    #[test]
    fn a_flag_stops_a_run() {
        let stop = Arc::new(AtomicBool::new(false));
        stop.store(true, Ordering::Relaxed);
        let run = Run::simulate(&words(&["run", WARP_STATES]), &stop).unwrap();
        assert!(run.0.simulated.partial);
    }
}
