//! Clusters of blocks beside an H200: the suite `clusters`, and traces/h200/clusters.

use warplab_config::launch::{Argument, BufferSpec, Init, Size};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_metrics::correlation::{Comparison, ELAPSED_CYCLES, Measure};
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::sweep::sweep;
use warplab_tests::{cases, gpu, listing, suite_program};

/// The launches of the suite with at most so many warp instructions.
const MOST_INSTRUCTIONS: u64 = 300_000;

/// Launches whose warps ask again and again until others have come: how often depends on time.
const POLLING: [&str; 6] = [
    "clargmax_rows_33",
    "clgemm_multicast_128",
    "clhash_table_1",
    "clhash_table_16",
    "clhistogram_weighted_8",
    "cllevels_1",
];

/// The mean error of elapsed cycles over the launches, in per cent. All that the GPU left is there. The GPU's own instructions
/// are as many as there; those of the simulator's compiler read no register before its result has come.
fn error(isa: &'static str, program: &Program) -> String {
    let is_own = isa == "ptx";
    let mut short = cases("clusters");
    short.retain(|case| case.warp_instructions().is_some_and(|count| count <= MOST_INSTRUCTIONS));
    assert_eq!(short.len(), 39);
    let runs = sweep(&gpu("h200"), "clusters", isa, program, short);
    for run in &runs {
        assert_eq!(run.fault(), None);
        let hazards = run.hazards.as_ref().map_or(&[][..], |hazards| &hazards.lines[..]);
        assert!(!is_own || hazards.is_empty(), "{}: {hazards:?}", run.case.name);
        let executed = run.counters.as_ref().map(|counters| counters.sm.instructions.warp);
        if !is_own && !POLLING.contains(&run.case.name.as_str()) {
            assert_eq!(executed, run.case.warp_instructions(), "{}", run.case.name);
        }
    }
    let comparisons: Vec<Comparison> = runs.into_iter().map(|run| run.comparison).collect();
    let summary = Measure::find(ELAPSED_CYCLES).expect("a metric of the registry").summary(&comparisons);
    format!("{:.2} %", summary.error.expect("there are cases"))
}

#[test]
fn kernels_in_clusters_compute_what_the_gpu_did_from_machine_code() {
    assert_eq!(error("sass", &listing("traces/h200/clusters.sass")), "4.73 %");
}

#[test]
fn kernels_in_clusters_compute_what_the_gpu_did_from_ptx() {
    assert_eq!(error("ptx", &suite_program(&gpu("h200"), "clusters")), "7.46 %");
}

/// The first two words that a kernel of `steps.cu` writes, of blocks with 132 KiB of dynamic shared memory where it has some.
fn first_words(kernel: &str, (blocks, threads): (u32, u32), dynamic_shared_bytes: u32) -> [u32; 2] {
    let program = listing("traces/h200/clusters/steps.sass");
    let (name, size, init) = ("left".to_owned(), Size(64 << 10).into(), Init::Zero);
    let buffers = [BufferSpec { name: name.clone(), size, init }];
    let arguments = [Argument::Pointer { buffer: name.clone(), offset: Size(0) }];
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes };
    let workload = Workload {
        program: &program,
        kernel,
        shape,
        arguments: &arguments,
        buffers: &buffers,
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default()).expect("it runs");
    let place = run.image.buffer(&name).expect("the results").base;
    let word = |at: usize| {
        let bytes = run.image.read_bytes(place + 4 * at as u64, 4).expect("the results");
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    };
    [word(0), word(1)]
}

/// Cycles of a step of a kernel of `steps.cu`, of the first block.
fn step(kernel: &str, threads: u32, steps: u32) -> u32 {
    first_words(kernel, (2, threads), 0)[0] / steps
}

/// Cycles of each of the 4,096 instructions of 32 warps of a kernel of `steps.cu`, of the first block.
fn per_instruction(kernel: &str, blocks: u32, dynamic_shared_bytes: u32) -> String {
    let cycles = first_words(kernel, (blocks, 1024), dynamic_shared_bytes)[0];
    format!("{:.1}", f64::from(cycles) / 4096.0)
}

/// The kernels chase pointers: every second load is of the own block's memory, which takes 34 cycles on the H200.
#[test]
fn a_load_of_another_blocks_shared_memory_takes_some_200_cycles() {
    let own = step("k_chain_own", 1, 32);
    let both = step("k_chain", 1, 32);
    // 33.0 and 190.3 on the H200 (steps.txt); of all pairs 180 to 219 (latency.txt).
    assert_eq!((own, 2 * both - own), (31, 195));
}

#[test]
fn the_barrier_of_a_cluster_takes_some_80_cycles_and_more_with_many_warps() {
    // 79, 85, 93 and 143 on the H200 (steps.txt).
    assert_eq!([32, 128, 256, 1024].map(|threads| step("k_relaxed", threads, 64)), [78, 84, 92, 140]);
}

#[test]
fn a_released_arrival_waits_for_what_was_stored_in_other_blocks() {
    // 340 and 429 on the H200 (steps.txt).
    assert_eq!(["k_release", "k_release_remote"].map(|kernel| step(kernel, 32, 64)), [343, 429]);
}

#[test]
fn an_arrival_in_another_block_is_seen_and_data_that_brings_one_later() {
    // There and back, 461 and 488 on the H200 (steps.txt): one lane waits, which asks every 140 cycles.
    assert_eq!(["k_ping", "k_stas"].map(|kernel| step(kernel, 32, 32)), [469, 499]);
}

#[test]
fn a_ring_of_four_on_the_full_machine_loads_as_fast_as_one_cluster() {
    // 7.6 and 7.5 on the H200 (steps.txt).
    let of = |blocks| per_instruction("k_ring_of_four", blocks, 0);
    assert_eq!([of(4), of(120)], ["7.7", "7.7"]);
}

#[test]
fn acknowledgements_of_stores_take_nothing_on_the_way() {
    // 48.1 and 50.4 on the H200 (steps.txt).
    let of = |kernel| per_instruction(kernel, 2, 132 << 10);
    assert_eq!([of("k_sectors_to_one"), of("k_sectors_in_a_ring")], ["48.9", "48.9"]);
}

#[test]
fn stores_that_cross_lines_take_a_flit_for_each_sector() {
    // 8.5 on the H200 (steps.txt).
    assert_eq!(per_instruction("k_rows_from_one", 2, 132 << 10), "7.5");
}

#[test]
fn the_barriers_of_other_blocks_are_told_of_a_multicast_a_message_later() {
    // 499 and 766 on the H200 (steps.txt): until the own block knows, and until it knows that the other one does.
    assert_eq!(first_words("k_multicast", (2, 32), 0), [546, 782]);
}
