//! `warplab step FILE`.

use crate::arguments::StepArguments;
use crate::failure::{Failure, Outcome};
use crate::job::{self, Job};
use crate::page;
use crate::stepping::{self, App, Texts};
use crate::terminal::Terminal;
use std::io::{IsTerminal, stdin, stdout};
use warplab_run::stepper::Stepper;
use warplab_units::SmId;

/// Steps through a launch in the terminal.
pub(crate) fn run(arguments: &StepArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    if !(stdin().is_terminal() && stdout().is_terminal()) {
        return Err(Failure::input(
            "'warplab step' needs a terminal for its input and output; 'warplab run FILE --timeline' prints what \
             every warp did",
        ));
    }
    let job = job::load(&arguments.asked(), terminal)?;
    let mut app = app(&job, job.multiprocessor(arguments.sm)?)?;
    app.go_to(arguments.at);
    stepping::run(&mut app)?;
    Ok(Outcome::Fine)
}

/// A job at its first cycle.
pub(crate) fn app(job: &Job, sm: SmId) -> Result<App, Failure> {
    let launches = job.launches();
    let stepper = Stepper::new(&job.config, &job.sequence(&launches), &|path| job.read(path))?;
    Ok(App::new(stepper, &job.config, launches.len(), texts(job), sm))
}

/// The texts that the program comes from.
fn texts(job: &Job) -> Texts {
    let program = &job.loaded.program;
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    // What nvdisasm says of real machine code is no text for people; the instructions say the same.
    let own = program.architecture.is_none().then(|| lines(&job.loaded.source.text));
    let files = page::source_files(job).into_iter().map(|file| file.map(|source| lines(&source.text)));
    Texts { own, files: files.collect() }
}
