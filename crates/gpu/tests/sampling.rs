//! A grid of many alike blocks can be simulated in part: values stay right, and the time of the rest is estimated.
#![allow(missing_docs)]

mod common;

use common::{VECTOR_ADD, checksum, machine, prepared, vectors};
use warplab_gpu::{RunOptions, RunOutcome, run};

/// A vector addition of so many blocks of 256 threads on the smallest machine, with the checksum of its result.
fn addition(blocks: u32, sample: bool) -> (RunOutcome, (u64, u64)) {
    let config = machine("toy");
    let (memory, parameters) = vectors(blocks * 256);
    let launch = prepared(&config, VECTOR_ADD, blocks, 256, &parameters);
    let options = RunOptions { sample, ..RunOptions::default() };
    let (outcome, memory) = run(&config, &launch, memory, options).expect("it runs");
    (outcome, checksum(&memory, "c"))
}

#[test]
fn a_sampled_grid_gives_the_values_of_the_whole_and_its_time_within_2_percent() {
    let ((full, values), (sampled, sampled_values)) = (addition(4096, false), addition(4096, true));
    assert_eq!(sampled_values, values);
    let sample = sampled.sample.expect("it becomes steady");
    assert_eq!(sample.blocks, 4096);
    assert!(sample.simulated_blocks < 3072, "{sample:?}");
    assert_eq!(sample.simulated_cycles, sampled.counters.elapsed_cycles);
    let (estimate, exact) = (sample.cycles as f64, full.counters.elapsed_cycles as f64);
    assert!((estimate / exact - 1.0).abs() < 0.02, "{estimate} for {exact}");
    assert!(full.sample.is_none());
}

#[test]
fn a_grid_of_few_waves_is_simulated_whole() {
    let ((full, _), (sampled, _)) = (addition(40, false), addition(40, true));
    assert!(sampled.sample.is_none());
    assert_eq!(sampled.counters, full.counters);
}
