//! Law 5: more bandwidth, a larger cache of the same shape or a lower latency never slows the streaming kernels.

use warplab_config::GpuConfig;
use warplab_tests::{Case, case_named, cases, gpu, listing, on_all_of, simulate};

/// Streaming kernels, short ones, and from how many starts they run. Where the refreshes fall and in which order requests
/// meet changes the time of a short kernel by up to three per cent, whatever the memory is like: all starts together count. Single
/// runs of the last one lie 1.1 % apart (standard deviation).
const CASES: [(&str, u32); 3] = [("copy_f1_2e20", 16), ("copy_f4_2e20", 16), ("ilp_tlp_e2_b128_2e20", 16)];

/// By how much the other order of a few requests may slow a run, although every part of the machine is as fast or faster.
const REORDERING: f64 = 1.01;

/// What is slowed more, by what, and by how much at most (DEVIATIONS.md).
const SLOWED_MORE: [(&str, &str, f64); 1] = [("copy_f4_2e20", "a faster DRAM clock", 1.02)];

/// Cycles by which each start is later than the one before it. All starts together are the 3,815 cycles from one refresh of a stack to the next.
const LATER: u32 = 239;

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
    // Every start of every case by itself, so that all cores have work to the end.
    let chosen: Vec<(&Case, u32)> = CASES
        .iter()
        .flat_map(|(name, starts)| (0..*starts).map(|start| (case_named(&all, name), start)))
        .collect();
    let from = |config: &GpuConfig, case: &Case, start: u32| {
        let mut config = config.clone();
        config.launch.kernel_start += start * LATER;
        simulate(&config, &program, case).expect("it runs").outcome.counters.elapsed_cycles
    };
    let machines: Vec<GpuConfig> = std::iter::once(config.clone())
        .chain(IMPROVEMENTS.iter().map(|(_, improve)| {
            let mut better = config.clone();
            improve(&mut better);
            better
        }))
        .collect();
    let runs: Vec<_> =
        machines.iter().flat_map(|machine| chosen.iter().map(move |run| (machine, *run))).collect();
    let cycles = on_all_of(
        &runs,
        |(_, (case, _))| case.need(),
        |(machine, (case, start))| from(machine, case, *start),
    );
    // The cycles of all starts of each case, machine by machine.
    let of_cases = |machine: &[u64]| {
        let mut rest = machine;
        CASES.map(|(_, starts)| {
            let (these, others) = rest.split_at(starts as usize);
            rest = others;
            these.iter().sum::<u64>()
        })
    };
    let mut sums = cycles.chunks(chosen.len()).map(of_cases);
    let before = sums.next().expect("the machine as it is");
    for ((name, _), after) in IMPROVEMENTS.iter().zip(sums) {
        for (((case, _), before), after) in CASES.iter().zip(before).zip(after) {
            let known = SLOWED_MORE.iter().find(|(slowed, by, _)| (slowed, by) == (case, name));
            let most = known.map_or(REORDERING, |&(.., most)| most);
            assert!(after as f64 <= before as f64 * most, "{case}, {name}: {before} -> {after} cycles");
        }
    }
}
