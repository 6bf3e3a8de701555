//! Cases of the hardware reference on the functional interpreter: results and instruction counts, no time.

use crate::Case;
use warplab_exec::interpreter::{Limits, run};
use warplab_program::Program;
use warplab_run::no_files;

/// Whether instructions must be as many as the hardware executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// They must: the program is the machine code that ran there.
    AsOnHardware,
    /// They need not: the program is of another compiler.
    Freely,
}

/// What differs from the hardware, if anything.
///
/// # Panics
/// When the program lacks the kernel or the arguments do not fit it.
#[must_use]
pub fn difference(program: &Program, case: &Case, counted: Counted) -> Option<String> {
    let kernel = program.kernel(&case.kernel).expect("the listing has the kernel");
    let data = case.workload(program).set_up(u64::MAX, &no_files).expect("its arguments are right");
    let limits = Limits { block_instructions: 5_000_000_000, ..Limits::default() };
    let statistics =
        match run(program, kernel, case.shape, &data.parameters, &data.symbols, &data.image, limits) {
            Ok(statistics) => statistics,
            Err(fault) => return Some(format!("{}: {fault}", case.name)),
        };
    let ours = statistics.warp_instructions;
    if let Some(theirs) = case.warp_instructions()
        && counted == Counted::AsOnHardware
        && ours != theirs
    {
        return Some(format!("{}: {ours} warp instructions, the hardware {theirs}", case.name));
    }
    let outputs = case.wrong_outputs(&data.image);
    (!outputs.is_empty()).then(|| format!("{}: {} differs", case.name, outputs.join(", ")))
}
