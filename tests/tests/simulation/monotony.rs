//! Law 5: more bandwidth, a larger cache of the same shape or a lower latency never slows the streaming kernels.

use warplab_config::GpuConfig;
use warplab_tests::{Case, case_named, cases, gpu, listing, on_all, simulate};

/// Streaming kernels, short ones.
const CASES: [&str; 3] = ["copy_f1_2e20", "copy_f4_2e20", "ilp_tlp_e2_b128_2e20"];

/// By how much the other order of a few requests may slow a run, although every part of the machine is as fast or faster.
const REORDERING: f64 = 1.01;

/// Cycles by which a launch begins later. Where the refresh of a bank falls changes the time of a short kernel by up to
/// three per cent, whatever the memory is like: all of these together count. A bank is refreshed every 483 cycles.
const STARTS: [u32; 5] = [0, 97, 194, 291, 388];

type Change = (&'static str, fn(&mut GpuConfig));

const IMPROVEMENTS: [Change; 8] = [
    ("a faster DRAM clock", |config| config.clocks.dram_mhz *= 1.25),
    ("a faster L2 clock", |config| config.clocks.l2_mhz *= 1.2),
    ("twice the L2", |config| config.l2.kib *= 2),
    ("twice the L1", |config| config.multiprocessor.l1.combined_kib *= 2),
    ("a lower L1 latency", |config| config.multiprocessor.l1.hit_latency -= 8),
    ("a lower L2 latency", |config| config.l2.hit_latency -= 20),
    ("a shorter way to the other half", |config| config.l2.link_latency -= 30),
    ("twice the crossbar", |config| {
        config.crossbar.sm_receive_bytes *= 2;
        config.crossbar.cluster_send_bytes *= 2;
        config.crossbar.cluster_receive_bytes *= 2;
    }),
];

#[test]
fn law_5_a_better_memory_never_slows_the_streaming_kernels() {
    let config = gpu("h200");
    let program = listing("traces/h200/suite.sass");
    let all = cases("suite");
    let chosen: Vec<_> = CASES.iter().map(|name| case_named(&all, name).clone()).collect();
    let from = |config: &GpuConfig, case: &Case, start: u32| {
        let mut config = config.clone();
        config.launch.kernel_start += start;
        simulate(&config, &program, case).expect("it runs").outcome.counters.elapsed_cycles
    };
    let cycles = |config: &GpuConfig| {
        on_all(&chosen, |case| STARTS.map(|start| from(config, case, start)).iter().sum::<u64>())
    };
    let before = cycles(&config);
    for (name, improve) in IMPROVEMENTS {
        let mut better = config.clone();
        improve(&mut better);
        for ((case, before), after) in CASES.iter().zip(&before).zip(cycles(&better)) {
            assert!(
                after as f64 <= *before as f64 * REORDERING,
                "{case}, {name}: {before} -> {after} cycles"
            );
        }
    }
}
