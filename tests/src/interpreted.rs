//! The quick cases of the hardware reference that are not simulated, each run once on the functional interpreter: results
//! and instruction counts, no time.

use crate::sweep::{self, Run, SUITES, quick};
use crate::{Case, buffer_checksums, gpu, listing, on_all, suite_program};
use std::sync::LazyLock;
use warplab_exec::interpreter::{Limits, run};
use warplab_program::Program;
use warplab_run::no_files;

/// One case that was interpreted.
#[derive(Debug)]
pub struct Interpreted {
    /// The suite.
    pub suite: &'static str,
    /// The name of the case.
    pub name: String,
    /// How it differs from the hardware, if it does.
    pub difference: Option<String>,
    /// The checksums of its buffers afterwards, in the order of the arguments.
    pub buffers: Vec<(u64, u64)>,
}

/// Whether instructions must be as many as the hardware executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// They must: the program is the machine code that ran there.
    AsOnHardware,
    /// They need not: the program is of another compiler.
    Freely,
}

/// The quick cases that [`sweep::PTX`] leaves out, compiled from PTX.
pub static PTX: LazyLock<Vec<Interpreted>> = LazyLock::new(|| {
    let config = gpu("h200");
    let of_suite = |suite| {
        let program = suite_program(&config, suite);
        interpret_others(&sweep::PTX, suite, &program, quick(suite), Counted::Freely)
    };
    SUITES.into_iter().flat_map(of_suite).collect()
});

/// The quick cases that [`sweep::MACHINE_CODE`] leaves out, as machine code.
pub static MACHINE_CODE: LazyLock<Vec<Interpreted>> = LazyLock::new(|| {
    let of_suite = |suite| {
        let program = listing(&format!("traces/h200/{suite}.sass"));
        interpret_others(&sweep::MACHINE_CODE, suite, &program, quick(suite), Counted::AsOnHardware)
    };
    SUITES.into_iter().flat_map(of_suite).collect()
});

/// Interprets those cases that were not simulated.
#[must_use]
pub fn interpret_others(
    simulated: &[Run],
    suite: &'static str,
    program: &Program,
    mut cases: Vec<Case>,
    counted: Counted,
) -> Vec<Interpreted> {
    let is_simulated =
        |case: &Case| simulated.iter().any(|run| run.comparison.suite == suite && run.case.name == case.name);
    cases.retain(|case| !is_simulated(case));
    on_all(&cases, |case| interpret(suite, program, case, counted))
}

/// The checksums of all buffers of a case after the interpreter has run it.
///
/// # Errors
/// Why it did not run to its end.
pub fn interpreted_buffers(program: &Program, case: &Case) -> Result<Vec<(u64, u64)>, String> {
    let kernel = program.kernel(&case.kernel).expect("the program has the kernel");
    let data = case.workload(program).set_up(u64::MAX, &no_files).expect("its arguments are right");
    let ran =
        run(program, kernel, case.shape, &data.parameters, &data.symbols, &data.image, Limits::default());
    ran.map(|_| buffer_checksums(case, &data.image)).map_err(|fault| fault.to_string())
}

fn interpret(suite: &'static str, program: &Program, case: &Case, counted: Counted) -> Interpreted {
    let kernel = program.kernel(&case.kernel).expect("the program has the kernel");
    let data = case.workload(program).set_up(u64::MAX, &no_files).expect("its arguments are right");
    let limits = Limits { block_instructions: 5_000_000_000, ..Limits::default() };
    let result = run(program, kernel, case.shape, &data.parameters, &data.symbols, &data.image, limits);
    let (ours, theirs) =
        (result.as_ref().map(|statistics| statistics.warp_instructions), case.warp_instructions());
    let wrong = case.wrong_outputs(&data.image);
    let difference = match (ours, theirs) {
        (Err(fault), _) => Some(fault.to_string()),
        (Ok(ours), Some(theirs)) if counted == Counted::AsOnHardware && ours != theirs => {
            Some(format!("{ours} warp instructions, the hardware {theirs}"))
        }
        _ if !wrong.is_empty() => Some(format!("{} differs", wrong.join(", "))),
        _ => None,
    };
    let difference = difference.map(|difference| format!("{}: {difference}", case.name));
    Interpreted { suite, name: case.name.clone(), difference, buffers: buffer_checksums(case, &data.image) }
}
