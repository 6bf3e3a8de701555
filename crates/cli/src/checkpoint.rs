//! Checkpoints as files: `--until CYCLE --checkpoint FILE`, and `--resume FILE`.

use crate::arguments::RunArguments;
use crate::failure::{Failure, Outcome};
use crate::sources;
use crate::terminal::Terminal;
use std::fs;
use warplab_metrics::integer_text;
use warplab_run::SimulatedSequence;
use warplab_units::Cycle;

/// What a run is asked to do with checkpoints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoints {
    /// Where it stops.
    pub(crate) until: Option<Cycle>,
    /// The bytes that it goes on from.
    pub(crate) resume: Option<Vec<u8>>,
}

/// Reads the checkpoint that is asked for; none where the run has nothing to do with checkpoints.
pub(crate) fn read(arguments: &RunArguments) -> Result<Option<Checkpoints>, Failure> {
    if arguments.checkpoint.is_none() && arguments.resume.is_none() {
        return Ok(None);
    }
    let resume = arguments.resume.as_deref().map(sources::bytes).transpose()?;
    Ok(Some(Checkpoints { until: arguments.until.map(Cycle), resume }))
}

/// Writes the checkpoint of a run that stopped.
pub(crate) fn write(arguments: &RunArguments, simulated: &SimulatedSequence) -> Result<(), Failure> {
    let (Some(path), Some(bytes)) = (&arguments.checkpoint, &simulated.checkpoint) else { return Ok(()) };
    fs::write(path, bytes)
        .map_err(|error| Failure::Output(format!("{} cannot be written: {error}", path.display())))
}

/// Says that a run stopped before its end and how it goes on; whether it stopped where it was asked to.
pub(crate) fn tell_partial(
    arguments: &RunArguments,
    launches: usize,
    simulated: &SimulatedSequence,
    terminal: &mut Terminal,
) -> Outcome {
    let reached = arguments.until.is_some_and(|until| simulated.cycle >= Cycle(until));
    let why = if reached {
        format!("stopped at cycle {}", integer_text(simulated.cycle.0))
    } else {
        "interrupted".to_owned()
    };
    let what = if launches == 1 { "the launch" } else { "the launches" };
    let further = arguments
        .checkpoint
        .as_deref()
        .map_or(String::new(), |path| format!("; the same command with --resume {} goes on", path.display()));
    terminal
        .note(&format!("{why}: the numbers are of a part of {what}, expectations were not checked{further}"));
    if reached { Outcome::Fine } else { Outcome::Failed }
}

/// Says that a run ended before the cycle at which it was to stop, if one was given.
pub(crate) fn tell_too_late(
    arguments: &RunArguments,
    simulated: &SimulatedSequence,
    terminal: &mut Terminal,
) -> Outcome {
    let Some(until) = arguments.until else { return Outcome::Fine };
    let (cycle, until) = (integer_text(simulated.cycle.0), integer_text(until));
    terminal
        .note(&format!("the run ended at cycle {cycle}, before --until {until}: no checkpoint was written"));
    Outcome::Failed
}
