//! The small cases of the hardware reference without optimisation. What all passes together make of every case is
//! simulated with the whole program: `tests/tests/simulation/hardware.rs`.

use crate::common::{cases, lowered, options, run_case, text};
use warplab_lower::{LowerOptions, PassSet};

/// Cases with at most this many warp instructions run.
const SMALL: f64 = 25_000.0;

#[test]
fn without_optimisation_the_results_are_the_gpus() {
    let options = LowerOptions { passes: PassSet::none(), ..options() };
    let lowered = lowered("suite.ptx", text("suite.ptx"), &options);
    let cases =
        cases("suite").into_iter().filter(|case| case.instructions.is_some_and(|count| count <= SMALL));
    let faults: Vec<String> = cases
        .filter_map(|case| match run_case(&lowered.program, &case) {
            Ok(wrong) if wrong.is_empty() => None,
            Ok(wrong) => Some(format!("{}: {wrong:?} differ", case.name)),
            Err(fault) => Some(format!("{}: {fault}", case.name)),
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
