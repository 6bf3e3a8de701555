//! A guard: simulated times stay as near to the hardware's as they are.

use warplab_diagnostics::Source;
use warplab_lab::correlate::{Job, Options, run};
use warplab_metrics::correlation::{ELAPSED_CYCLES, Measure};
use warplab_program::Program;
use warplab_tests::{Case, cases, gpu, read};

/// Mean absolute error of elapsed cycles over the cases below, in per cent, as last measured. It is written anew
/// when the simulator becomes better, and never because it became worse without a reason that is told.
const MEASURED: f64 = 16.66;
/// What a change may add to it, in per cent.
const ALLOWANCE: f64 = 0.5;

/// The most warp instructions of a case.
const MOST_INSTRUCTIONS: u64 = 300_000;
/// The cases that the error was measured over.
const CASES: usize = 76;

/// The machine code that ran on the GPU.
fn machine_code(suite: &str) -> Program {
    let name = format!("traces/h200/{suite}.sass");
    let source = Source::new(name.clone(), read(&name));
    let (program, faults) = warplab_program::listing::read(&source);
    assert_eq!(faults, []);
    program
}

/// Whether the hardware measured the cycles of a case, and it is short.
fn is_chosen(case: &Case) -> bool {
    case.warp_instructions().is_some_and(|count| count < MOST_INSTRUCTIONS)
}

#[test]
fn elapsed_cycles_are_as_near_to_the_hardwares_as_when_last_measured() {
    let suites = ["suite", "micro"].map(|suite| (suite, cases(suite), machine_code(suite)));
    let jobs: Vec<Job<'_>> = suites
        .iter()
        .flat_map(|(suite, cases, program)| {
            let chosen = cases.iter().filter(|case| is_chosen(case));
            chosen.map(move |case| Job { suite, case, isa: "sass", program })
        })
        .collect();
    let comparisons = run(&gpu("h200"), &jobs, Options::default());
    let summary = Measure::find(ELAPSED_CYCLES).expect("a metric of the registry").summary(&comparisons);
    let error = summary.error.expect("there are cases");
    assert_eq!(summary.count, CASES, "error {error:.2} %");
    assert!(error < MEASURED + ALLOWANCE, "the error is {error:.2} %, it was {MEASURED:.2} %");
}
