//! The machine code that ran on the GPU, from its listing: it computes the same, in as many instructions.

use warplab_tests::interpreted::{Counted, difference};
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
    let wrong: Vec<String> = on_all(&chosen, |case| difference(&program, case, Counted::AsOnHardware))
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(wrong, [""; 0]);
    let known = chosen.iter().filter(|case| case.warp_instructions().is_some()).count();
    assert_eq!((chosen.len(), known), (count, counted));
}
