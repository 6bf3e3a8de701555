//! Machines whose warps have 64 lanes compute what those of 32 compute.

use std::collections::BTreeSet;
use warplab_tests::differences::difference;
use warplab_tests::sweep::smallest_of_each_kernel;
use warplab_tests::{Case, cases, gpu, on_all, suite_program};

/// What differs from the hardware's results on a machine, of the smallest case of each kernel of a suite.
fn differences(machine: &str, suite: &str) -> Vec<String> {
    let config = gpu(machine);
    let program = suite_program(&config, suite);
    let smallest: BTreeSet<String> = smallest_of_each_kernel(suite);
    let chosen: Vec<Case> = cases(suite).into_iter().filter(|case| smallest.contains(&case.name)).collect();
    assert!(!chosen.is_empty());
    on_all(&chosen, |case| difference(&config, &program, case)).into_iter().flatten().collect()
}

#[test]
fn small_cases_of_the_suite_give_on_mi100_what_an_h200_gave() {
    assert_eq!(differences("mi100", "suite"), [""; 0]);
}

#[test]
fn small_cases_of_atomic_operations_give_on_mi250x_what_an_h200_gave() {
    assert_eq!(differences("mi250x", "atomics"), [""; 0]);
}
