//! Sampled launches beside the same launches simulated whole.

use warplab_gpu::RunOptions;
use warplab_tests::{Case, cases, gpu, listing, long_tests, on_all};

/// Large grids of the suite: streams, atomics, blocks that do nothing. With the long tests those of 2^28, too.
const CASES: [(&str, bool); 6] = [
    ("launch_empty_g262144_b64", false),
    ("launch_empty_g262144_b1024", true),
    ("copy_f4_2e28", true),
    ("layout_soa_2e28", true),
    ("max_global_2e28", true),
    ("max_reduce_2e28", true),
];

fn cycles(case: &Case, sample: bool) -> (u64, bool) {
    let (config, program) = (gpu("h200"), listing("traces/h200/suite.sass"));
    let options = RunOptions { sample, ..RunOptions::default() };
    let simulated = case.simulate(&config, &program, options).expect("it runs");
    assert!(case.wrong_outputs(&simulated.image).is_empty(), "{}", case.name);
    let outcome = simulated.outcome;
    (outcome.sample.map_or(outcome.counters.elapsed_cycles, |sample| sample.cycles), outcome.sample.is_some())
}

#[test]
fn sampling_adds_less_than_2_percent_of_error_on_average() {
    let chosen: Vec<Case> = cases("suite")
        .into_iter()
        .filter(|case| CASES.iter().any(|&(name, long)| name == case.name && (long_tests() || !long)))
        .collect();
    let errors = on_all(&chosen, |case| {
        let ((whole, _), (estimate, sampled)) = (cycles(case, false), cycles(case, true));
        assert!(sampled, "{} is not sampled", case.name);
        (estimate as f64 / whole as f64 - 1.0).abs()
    });
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(!errors.is_empty() && mean < 0.02, "{mean}: {errors:?}");
}
