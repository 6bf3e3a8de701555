//! Which passes of the compiler run.

use crate::failure::Failure;
use warplab_run::CompileOptions;

/// What a command line asks for: a list of names is these alone (with those that every program needs), names
/// with a minus are all but these.
pub(crate) fn parse(list: Option<&str>, dump_after: Option<&str>) -> Result<CompileOptions, Failure> {
    let mut passes = CompileOptions::default();
    if let Some(list) = list {
        passes.run = warplab_run::passes(list)?;
    }
    if let Some(name) = dump_after {
        passes.dump = passes.dump.with(warplab_run::pass(name)?);
    }
    Ok(passes)
}
