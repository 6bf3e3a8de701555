//! A guard: simulated times stay as near to the hardware's as they are.

use warplab_metrics::correlation::{Comparison, ELAPSED_CYCLES, Measure};
use warplab_tests::sweep::MACHINE_CODE;

/// Mean absolute error of elapsed cycles over the cases below, in per cent, as last measured. It is written anew
/// when the simulator becomes better, and never because it became worse without a reason that is told.
const MEASURED: f64 = 2.64;
/// What a change may add to it, in per cent.
const ALLOWANCE: f64 = 0.5;

/// The most warp instructions of a case.
const MOST_INSTRUCTIONS: u64 = 300_000;
/// The cases that the error was measured over.
const CASES: usize = 76;

#[test]
fn elapsed_cycles_are_as_near_to_the_hardwares_as_when_last_measured() {
    let is_short = |count: u64| count < MOST_INSTRUCTIONS;
    let chosen = MACHINE_CODE.iter().filter(|run| run.case.warp_instructions().is_some_and(is_short));
    let comparisons: Vec<Comparison> = chosen.map(|run| run.comparison.clone()).collect();
    let summary = Measure::find(ELAPSED_CYCLES).expect("a metric of the registry").summary(&comparisons);
    let error = summary.error.expect("there are cases");
    assert_eq!(summary.count, CASES, "error {error:.2} %");
    assert!(error < MEASURED + ALLOWANCE, "the error is {error:.2} %, it was {MEASURED:.2} %");
}
