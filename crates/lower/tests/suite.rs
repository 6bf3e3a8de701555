//! Every kernel of the hardware reference lowers, and what it computes is what the GPU computed.
#![allow(missing_docs)]

mod common;

use common::{cases, lowered, run_case, text};
use warplab_lower::{Options, PassSet};

/// Cases with at most this many warp instructions run here; `examples/compare.rs` runs more.
const QUICK: f64 = 100_000.0;

fn check(suite: &str, options: &Options, limit: f64) {
    let lowered = lowered(&format!("{suite}.ptx"), text(&format!("{suite}.ptx")), options);
    let mut faults = Vec::new();
    for case in cases(suite).iter().filter(|case| case.instructions.is_some_and(|count| count <= limit)) {
        match run_case(&lowered.program, case) {
            Ok(outcome) if outcome.wrong.is_empty() => {}
            Ok(outcome) => faults.push(format!("{}: {:?} differ", case.name, outcome.wrong)),
            Err(fault) => faults.push(format!("{}: {fault}", case.name)),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_suite_computes_what_the_gpu_computed() {
    check("suite", &common::options(), QUICK);
}

#[test]
fn the_microbenchmarks_compute_what_the_gpu_computed() {
    check("micro", &common::options(), QUICK);
}

#[test]
fn the_atomics_compute_what_the_gpu_computed() {
    check("atomics", &common::options(), QUICK);
}

#[test]
fn without_optimisation_the_results_are_the_same() {
    check("suite", &Options { passes: PassSet::none(), ..common::options() }, QUICK / 4.0);
}
