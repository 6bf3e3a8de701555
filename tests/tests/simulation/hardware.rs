//! What the simulated machine computes is what the real one computed, bit for bit.

use std::collections::BTreeSet;
use warplab_config::GpuConfig;
use warplab_config::gpu::SchedulerPolicy;
use warplab_tests::differences::difference;
use warplab_tests::interpreted::Counted;
use warplab_tests::sweep::{PTX, Run, smallest_of_each_kernel};
use warplab_tests::{Case, cases, gpu, interpreted, long_tests, on_all, suite_program};

/// The suites that run on other schedulers and another machine, too.
const BROAD_SUITES: [&str; 2] = ["suite", "micro"];

/// Simulates the chosen cases of the broad suites from PTX; gives what is wrong with them.
fn faults(config: &GpuConfig, chosen: impl Fn(&str, &Case) -> bool) -> Vec<String> {
    let of_suite = |suite| {
        let program = suite_program(config, suite);
        let chosen: Vec<Case> = cases(suite).into_iter().filter(|case| chosen(suite, case)).collect();
        assert!(!chosen.is_empty(), "no case of {suite} was chosen");
        on_all(&chosen, |case| difference(config, &program, case))
    };
    BROAD_SUITES.into_iter().flat_map(of_suite).flatten().collect()
}

/// The smallest case of each kernel; with long tests every one below 500,000 warp instructions.
fn small_cases() -> impl Fn(&str, &Case) -> bool {
    let smallest = BROAD_SUITES.map(|suite| (suite, smallest_of_each_kernel(suite)));
    let is_smallest = move |suite: &str, name: &str| {
        smallest
            .iter()
            .any(|(known, names): &(&str, BTreeSet<String>)| *known == suite && names.contains(name))
    };
    move |suite, case| {
        let is_small = case.warp_instructions().is_some_and(|count| count < 500_000);
        is_small && (long_tests() || is_smallest(suite, &case.name))
    }
}

/// The smaller cases are simulated; the larger are interpreted, which computes the same, and simulated with long tests.
#[test]
fn every_quick_checksum_is_the_hardwares() {
    assert_eq!(PTX.iter().filter_map(Run::fault).collect::<Vec<String>>(), [""; 0]);
    let wrong: Vec<&String> = interpreted::PTX.iter().filter_map(|case| case.difference.as_ref()).collect();
    assert_eq!(wrong, [""; 0]);
    assert_eq!(PTX.len() + interpreted::PTX.len(), 396);
}

/// PTX of Triton, Numba and clang: braces round single operands, tensor maps that kernels write, jumps by tables.
#[test]
fn the_ptx_of_other_compilers_computes_what_the_gpu_did() {
    let program = suite_program(&gpu("h200"), "compilers");
    let mut short = cases("compilers");
    short.retain(|case| case.warp_instructions().is_some_and(|count| count <= 80_000));
    assert_eq!(short.len(), 33);
    let done = interpreted::interpret_others(&[], "compilers", &program, short, Counted::Freely);
    assert_eq!(done.into_iter().filter_map(|case| case.difference).collect::<Vec<String>>(), [""; 0]);
}

#[test]
fn every_checksum_of_the_long_cases_is_the_hardwares() {
    if long_tests() {
        assert_eq!(faults(&gpu("h200"), |_, case| !case.is_quick()), [""; 0]);
    }
}

#[test]
fn small_cases_do_not_depend_on_the_scheduler() {
    for policy in [SchedulerPolicy::Lrr, SchedulerPolicy::Gto] {
        let mut config = gpu("h200");
        assert_eq!(config.multiprocessor.scheduler, SchedulerPolicy::OldestBlock);
        config.multiprocessor.scheduler = policy.clone();
        assert_eq!(faults(&config, small_cases()), [""; 0], "{policy:?}");
    }
}

#[test]
fn small_cases_give_the_same_on_the_toy_machine() {
    assert_eq!(faults(&gpu("toy"), small_cases()), [""; 0]);
}
