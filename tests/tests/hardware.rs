//! What the simulated machine computes is what the real one computed, bit for bit.

use warplab_config::GpuConfig;
use warplab_config::gpu::SchedulerPolicy;
use warplab_tests::{Case, cases, gpu, long_tests, on_all, simulate, suite_program};

const SUITES: [&str; 3] = ["suite", "micro", "atomics"];
/// Those that have long cases, and run with other schedulers and on another machine, too: the atomics, all quick, would
/// take as long again as both.
const BROAD_SUITES: &[&str] = &["suite", "micro"];

/// Runs the cases of the suites that `chosen` takes; gives what is wrong with them.
fn faults(config: &GpuConfig, suites: &[&str], chosen: impl Fn(&Case) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    for suite in suites {
        let program = suite_program(config, suite);
        let chosen: Vec<Case> = cases(suite).into_iter().filter(&chosen).collect();
        assert!(!chosen.is_empty(), "no case of {suite} was chosen");
        faults.extend(on_all(&chosen, |case| fault(config, &program, case)).into_iter().flatten());
    }
    faults
}

fn fault(config: &GpuConfig, program: &warplab_program::Program, case: &Case) -> Option<String> {
    match simulate(config, program, case) {
        Ok(simulated) => {
            let wrong = case.wrong_outputs(&simulated.image);
            (!wrong.is_empty())
                .then(|| format!("{}: {} differs from the hardware", case.name, wrong.join(", ")))
        }
        Err(fault) => Some(format!("{}: {fault}", case.name)),
    }
}

fn is_small(case: &Case) -> bool {
    case.warp_instructions().is_some_and(|count| count < 500_000)
}

#[test]
fn every_quick_checksum_is_the_hardwares() {
    assert_eq!(faults(&gpu("h200"), &SUITES, Case::is_quick), [""; 0]);
}

#[test]
fn every_checksum_of_the_long_cases_is_the_hardwares() {
    if long_tests() {
        assert_eq!(faults(&gpu("h200"), BROAD_SUITES, |case| !case.is_quick()), [""; 0]);
    }
}

#[test]
fn small_cases_do_not_depend_on_the_scheduler() {
    for policy in [SchedulerPolicy::Lrr, SchedulerPolicy::Gto] {
        let mut config = gpu("h200");
        assert_eq!(config.multiprocessor.scheduler, SchedulerPolicy::Cggty);
        config.multiprocessor.scheduler = policy;
        assert_eq!(faults(&config, BROAD_SUITES, is_small), [""; 0], "{policy:?}");
    }
}

#[test]
fn small_cases_give_the_same_on_the_toy_machine() {
    assert_eq!(faults(&gpu("toy"), BROAD_SUITES, is_small), [""; 0]);
}
