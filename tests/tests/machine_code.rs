//! The machine code that ran on the GPU, from its listing: it computes the same, in as many instructions.

use rustc_hash::FxHashMap;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_program::Program;
use warplab_tests::{Case, cases, is_quick, on_all, read, set_up, warp_instructions, wrong_outputs};

#[test]
fn every_quick_case_of_the_suite_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_suite("suite", 119, 74);
}

#[test]
fn every_quick_microbenchmark_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_suite("micro", 153, 135);
}

/// Runs the quick cases; the hardware counted the instructions of some of them.
fn assert_suite(suite: &str, count: usize, counted: usize) {
    let name = format!("{suite}.sass");
    let source = Source::new(name.clone(), read(&format!("traces/h200/{name}")));
    let (program, faults) = warplab_program::listing::read(&source);
    assert_eq!(faults, []);
    let chosen: Vec<Case> = cases(suite).into_iter().filter(is_quick).collect();
    let wrong: Vec<String> =
        on_all(&chosen, |case| difference(&program, case)).into_iter().flatten().collect();
    assert_eq!(wrong, [""; 0]);
    let known = chosen.iter().filter(|case| warp_instructions(case).is_some()).count();
    assert_eq!((chosen.len(), known), (count, counted));
}

/// What differs from the hardware, if anything.
fn difference(program: &Program, case: &Case) -> Option<String> {
    let kernel = program.kernel(&case.kernel).expect("the listing has the kernel");
    let (image, parameters) = set_up(case);
    let limits = Limits { block_instructions: 50_000_000, ..Limits::default() };
    let statistics =
        match run(program, kernel, case.shape, &parameters, &FxHashMap::default(), &image, limits) {
            Ok(statistics) => statistics,
            Err(fault) => return Some(format!("{}: {fault}", case.name)),
        };
    let ours = statistics.warp_instructions;
    if let Some(theirs) = warp_instructions(case)
        && ours != theirs
    {
        return Some(format!("{}: {ours} warp instructions, the hardware {theirs}", case.name));
    }
    let outputs = wrong_outputs(case, &image);
    (!outputs.is_empty()).then(|| format!("{}: {} differs", case.name, outputs.join(", ")))
}
