//! A hand-made launch for unit tests: a kernel bound by latency, on four multiprocessors' worth of work.

use crate::context::{Context, LaunchInfo};
use warplab_config::{GpuConfig, KernelResources, Occupancy, load_gpu, occupancy};
use warplab_diagnostics::Source;
use warplab_program::{Opcode, Pipe};
use warplab_trace::{
    InstructionCounters, LaunchCounters, SchedulerCounters, SmCounters, StallReason, WarpState,
};

pub(crate) fn config() -> GpuConfig {
    let source = Source::new("h200.ron", include_str!("../../../configs/gpus/h200.ron"));
    load_gpu(&source).expect("the shipped machine loads")
}

pub(crate) fn launch() -> LaunchInfo {
    LaunchInfo {
        kernel: "saxpy".to_owned(),
        grid: [528, 1, 1],
        block: [256, 1, 1],
        registers: 32,
        ..LaunchInfo::default()
    }
}

pub(crate) fn fit(config: &GpuConfig) -> Occupancy {
    let resources = KernelResources { threads_per_block: 256, registers: 32, ..KernelResources::default() };
    occupancy(&config.limits, &resources)
}

/// Four schedulers (summed over 132 multiprocessors), 10,000 instructions each, 8 cycles of warp time each.
pub(crate) fn counters() -> LaunchCounters {
    let mut scheduler = SchedulerCounters {
        active_cycles: 40_000,
        issue_cycles: 10_000,
        eligible_cycles: 10_000,
        warp_cycles: 80_000,
        eligible_warp_cycles: 15_000,
        ..SchedulerCounters::default()
    };
    scheduler.states[WarpState::Selected.index()] = 10_000;
    scheduler.states[WarpState::NotSelected.index()] = 5_000;
    scheduler.states[WarpState::Stalled(StallReason::LongScoreboard).index()] = 50_000;
    scheduler.states[WarpState::Stalled(StallReason::Wait).index()] = 15_000;
    let mut instructions = InstructionCounters { warp: 40_000, thread: 1_280_000, ..Default::default() };
    instructions.by_pipe[Pipe::Fma as usize] = 30_000;
    instructions.by_pipe[Pipe::Lsu as usize] = 10_000;
    instructions.by_opcode[Opcode::Ffma as usize] = 30_000;
    instructions.by_opcode[Opcode::Ldg as usize] = 10_000;
    instructions.branches = 100;
    let mut sm = SmCounters {
        active_cycles: 40_000,
        blocks: 528,
        warps: 4224,
        instructions,
        schedulers: vec![scheduler; 4],
        ..SmCounters::default()
    };
    sm.l1.global_load_requests = 8_000;
    sm.l1.global_load_sectors = 32_000;
    sm.l1.global_load_sector_hits = 8_000;
    sm.l1.sectors_to_l2 = 24_000;
    sm.l1.global_store_requests = 2_000;
    sm.l1.global_store_sectors = 8_000;
    sm.l1.tag_cycles = 10_000;
    sm.l1.data_cycles = 10_000;
    let mut counters = LaunchCounters {
        elapsed_cycles: 1_000,
        first_issue: 100,
        last_issue: 900,
        warp_lanes: 32,
        multiprocessors: 132,
        active_multiprocessors: 132,
        partitions: 96,
        ticks_per_cycle: 1024,
        sm,
        ..LaunchCounters::default()
    };
    for latency in [300, 300, 300, 700] {
        counters.sm.l1_misses.passes(0, latency);
    }
    let l2 = &mut counters.memory.l2;
    (l2.requests, l2.read_sectors, l2.read_hits, l2.write_sectors) = (8_000, 24_000, 6_000, 8_000);
    counters.memory.dram.read_bytes = 18_000 * 32;
    counters
}

/// Calls a function with the context of counters.
pub(crate) fn with<T>(
    counters: &LaunchCounters,
    launch: &LaunchInfo,
    run: impl FnOnce(&Context<'_>) -> T,
) -> T {
    let config = config();
    let occupancy = fit(&config);
    run(&Context { counters, config: &config, occupancy: &occupancy, launch })
}
