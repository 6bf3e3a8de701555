//! Simulation speed of reference launches on the H200 configuration, compiled from their PTX:
//! `cargo bench -p warplab-benches [-- NAME ...]`.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use warplab_tests::{case_named, cases, gpu, simulate, suite_program};

/// One launch of every kind that has a target.
const CASES: [&str; 4] = ["fma_chain_w32_i4", "copy_f4_2e24", "ilp_tlp_e1_b256_2e24", "gather_2e26"];

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let config = gpu("h200");
    let program = suite_program(&config, "suite");
    let all = cases("suite");
    let names: Vec<&str> =
        if named.is_empty() { CASES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!("{:<28} {:>14} {:>12} {:>8} {:>10}", "launch", "instructions", "cycles", "seconds", "M instr/s");
    for name in names {
        let case = case_named(&all, name);
        let start = Instant::now();
        match simulate(&config, &program, case) {
            Ok(simulated) => {
                let seconds = start.elapsed().as_secs_f64();
                let counters = simulated.outcome.counters;
                let (instructions, cycles) = (counters.sm.instructions.warp, counters.elapsed_cycles);
                let speed = instructions as f64 / seconds / 1e6;
                println!("{name:<28} {instructions:>14} {cycles:>12} {seconds:>8.2} {speed:>10.2}");
            }
            Err(fault) => println!("{name:<28} {fault}"),
        }
    }
}
