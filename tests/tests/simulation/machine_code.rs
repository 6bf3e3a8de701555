//! The machine code that ran on the GPU, from its listing: it computes the same, in as many instructions.

use warplab_exec::interpreter::{Limits, run};
use warplab_program::Program;
use warplab_run::no_files;
use warplab_tests::{Case, cases, listing, long_tests, on_all};

#[test]
fn every_quick_case_of_the_suite_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_suite("suite", Case::is_quick, 119, 74);
}

#[test]
fn every_quick_microbenchmark_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_suite("micro", Case::is_quick, 153, 135);
}

#[test]
fn every_case_of_the_atomics_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_suite("atomics", Case::is_quick, 124, 104);
}

#[test]
fn so_does_every_long_case() {
    if long_tests() {
        assert_suite("suite", |case| !case.is_quick(), 151, 151);
        assert_suite("micro", |case| !case.is_quick(), 112, 112);
    }
}

/// Runs chosen cases; the hardware counted the instructions of some of them.
fn assert_suite(suite: &str, chosen: impl Fn(&Case) -> bool, count: usize, counted: usize) {
    let program = listing(&format!("traces/h200/{suite}.sass"));
    let chosen: Vec<Case> = cases(suite).into_iter().filter(chosen).collect();
    let wrong: Vec<String> =
        on_all(&chosen, |case| difference(&program, case)).into_iter().flatten().collect();
    assert_eq!(wrong, [""; 0]);
    let known = chosen.iter().filter(|case| case.warp_instructions().is_some()).count();
    assert_eq!((chosen.len(), known), (count, counted));
}

/// What differs from the hardware, if anything.
fn difference(program: &Program, case: &Case) -> Option<String> {
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
        && ours != theirs
    {
        return Some(format!("{}: {ours} warp instructions, the hardware {theirs}", case.name));
    }
    let outputs = case.wrong_outputs(&data.image);
    (!outputs.is_empty()).then(|| format!("{}: {} differs", case.name, outputs.join(", ")))
}
