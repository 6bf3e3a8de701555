//! Sampling as a person uses it: part of the blocks is simulated, and the report says so.

use crate::common::{stdout, warplab};

/// A saxpy of a million elements on the smallest machine.
const LAUNCH: &str = "run ../../../../configs/launches/saxpy.ron --gpu toy --section speed-of-light";

#[test]
fn a_sampled_run_says_how_much_was_simulated_and_its_values_are_right() {
    let said = stdout(&warplab(&format!("{LAUNCH} --sample")).success());
    let sampled = said.lines().find(|line| line.trim_start().starts_with("Sampled: "));
    assert!(sampled.is_some_and(|line| line.contains(" of 4,096 blocks were simulated")), "{said}");
    assert!(said.contains("All 4,096 blocks: about ") && said.contains("expectation"), "{said}");
}

#[test]
fn json_has_the_estimate_with_its_error() {
    let said = stdout(&warplab(&format!("{LAUNCH} --sample --json -")).success());
    let sample = said.split("\"sample\"").nth(1).expect("a sample");
    let keys = ["simulated_blocks", "blocks", "simulated_cycles", "cycles", "error"];
    assert!(keys.iter().all(|key| sample.contains(key)), "{sample}");
}

#[test]
fn a_run_that_is_not_sampled_says_nothing_of_it() {
    let said = stdout(&warplab("run several.ron --sample").success());
    assert_eq!(said, stdout(&warplab("run several.ron").success()));
    assert!(!said.contains("Sampled"), "{said}");
}
