//! The machine code that ran on the GPU, from its listing: it computes the same, in as many instructions.

use std::collections::BTreeSet;
use warplab_tests::interpreted::{Counted, difference};
use warplab_tests::sweep::{MACHINE_CODE, Run};
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

/// What is wrong with a simulated run: its buffers, or the number of its instructions.
fn simulated_difference(run: &Run) -> Option<String> {
    let ours = run.counters.as_ref().map(|counters| counters.sm.instructions.warp);
    let theirs = run.case.warp_instructions();
    let counted = theirs.is_none() || theirs == ours;
    let miscounted = || format!("{}: {ours:?} warp instructions, the hardware {theirs:?}", run.case.name);
    run.fault().or_else(|| (!counted).then(miscounted))
}

/// Looks at chosen cases: those that the sweep simulated there, the others on the interpreter. The hardware counted the
/// instructions of some of them.
fn assert_suite(suite: &str, chosen: impl Fn(&Case) -> bool, count: usize, counted: usize) {
    let chosen: Vec<Case> = cases(suite).into_iter().filter(chosen).collect();
    let runs = MACHINE_CODE.iter().filter(|run| run.comparison.suite == suite);
    let runs: Vec<&Run> = runs.filter(|run| chosen.iter().any(|case| case.name == run.case.name)).collect();
    let names: BTreeSet<&str> = runs.iter().map(|run| run.case.name.as_str()).collect();
    let others: Vec<Case> =
        chosen.iter().filter(|case| !names.contains(case.name.as_str())).cloned().collect();
    let program = listing(&format!("traces/h200/{suite}.sass"));
    let interpreted = on_all(&others, |case| difference(&program, case, Counted::AsOnHardware));
    let wrong: Vec<String> =
        runs.into_iter().map(simulated_difference).chain(interpreted).flatten().collect();
    assert_eq!(wrong, [""; 0]);
    let known = chosen.iter().filter(|case| case.warp_instructions().is_some()).count();
    assert_eq!((chosen.len(), known), (count, counted));
}
