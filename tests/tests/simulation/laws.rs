//! The laws of the design that hold for every run.

use warplab_config::GpuConfig;
use warplab_gpu::{Device, LaunchOptions, RunOptions, RunOutcome, TimelineRecording, Watch, run};
use warplab_program::{Opcode, Program};
use warplab_tests::sweep::{LAW_CASES, PTX};
use warplab_tests::{Case, case_named, cases, gpu, listing, simulate, suite_program};
use warplab_trace::{CacheCounters, LaunchCounters, SmCounters, WarpState};
use warplab_units::Cycle;

fn for_each_case(mut check: impl FnMut(&GpuConfig, &Program, &Case)) {
    let config = gpu("h200");
    let program = suite_program(&config, "suite");
    let cases = cases("suite");
    for name in LAW_CASES {
        check(&config, &program, case_named(&cases, name));
    }
}

/// Launches in clusters: by stores, atomic operations, barriers in shared memory and copies to several blocks.
const IN_CLUSTERS: [&str; 5] =
    ["clscan_8", "clproducer_1", "clgemm_multicast_128", "clhash_table_1", "clring_bulk_4"];

fn for_each_in_clusters(mut check: impl FnMut(&GpuConfig, &Program, &Case)) {
    let config = gpu("h200");
    let program = listing("traces/h200/clusters.sass");
    let cases = cases("clusters");
    for name in IN_CLUSTERS {
        check(&config, &program, case_named(&cases, name));
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

/// The counters of a case that one thread simulated.
fn by_one_thread(case: &Case) -> &'static LaunchCounters {
    let run = PTX.iter().find(|run| run.comparison.suite == "suite" && run.case.name == case.name);
    run.and_then(|run| run.counters.as_ref()).expect("a quick case that runs to its end")
}

#[test]
fn law_1_the_output_is_the_same_for_1_2_and_7_threads_and_with_a_watcher() {
    for_each_case(|config, program, case| {
        let one = by_one_thread(case);
        let [two, seven] = [2, 7].map(|threads| {
            in_pool(threads, || simulate(config, program, case).expect("it runs").outcome.counters)
        });
        assert_eq!(*one, two, "{} differs between 1 and 2 threads", case.name);
        assert_eq!(*one, seven, "{} differs between 1 and 7 threads", case.name);
        let watched = watched(config, program, case);
        assert_eq!(*one, watched.counters, "{} differs when it is watched", case.name);
    });
}

#[test]
fn law_1_holds_for_clusters_of_blocks() {
    for_each_in_clusters(|config, program, case| {
        let [one, two, seven] = [1, 2, 7].map(|threads| {
            in_pool(threads, || simulate(config, program, case).expect("it runs").outcome.counters)
        });
        assert_eq!(one, two, "{} differs between 1 and 2 threads", case.name);
        assert_eq!(one, seven, "{} differs between 1 and 7 threads", case.name);
        let watched = watched(config, program, case);
        assert_eq!(one, watched.counters, "{} differs when it is watched", case.name);
        let short = of_device(config, program, case, |device| {
            device.advance(Cycle::NEVER).expect("it runs");
        });
        let long = of_device(config, program, case, |device| {
            device.run(&mut Watch::default()).expect("it runs");
        });
        assert!(short == long, "{} differs with other epochs", case.name);
    });
}

#[test]
fn a_launch_in_clusters_goes_on_from_a_snapshot() {
    for_each_in_clusters(|config, program, case| {
        let whole = of_device(config, program, case, |device| {
            device.advance(Cycle::NEVER).expect("it runs");
        });
        let parts = of_device(config, program, case, |device| {
            device.advance(Cycle(9000)).expect("it runs");
            let state = device.snapshot();
            device.advance(Cycle(15_000)).expect("it runs");
            device.restore(state);
            device.advance(Cycle::NEVER).expect("it runs");
        });
        assert!(whole == parts, "{} differs", case.name);
    });
}

fn watched(config: &GpuConfig, program: &Program, case: &Case) -> RunOutcome {
    let loaded = case.load(config, program).expect("it loads");
    let timeline = Some(TimelineRecording { limit: 100_000, ..TimelineRecording::default() });
    let options = RunOptions { timeline, ..RunOptions::default() };
    run(config, &loaded.prepared, loaded.image, options).expect("it runs").0
}

/// The counters that do not go on after the last answer, of the launch on a device that `advance` brings to its end.
fn of_device(
    config: &GpuConfig,
    program: &Program,
    case: &Case,
    advance: impl FnOnce(&mut Device),
) -> (u64, SmCounters, CacheCounters, u64) {
    let loaded = case.load(config, program).expect("it loads");
    let mut device = Device::new(config, loaded.image);
    device.leave_dirty(case.left_dirty);
    device.launch(loaded.prepared, LaunchOptions::default());
    advance(&mut device);
    let LaunchCounters { elapsed_cycles, sm, memory, .. } = device.counters(0).expect("it has run");
    (elapsed_cycles, sm, memory.l2, memory.dram.read_bytes)
}

#[test]
fn law_1_the_output_is_the_same_for_epochs_of_one_way_and_of_the_way_there_and_back() {
    for_each_case(|config, program, case| {
        let short = of_device(config, program, case, |device| {
            device.advance(Cycle::NEVER).expect("it runs");
        });
        let long = of_device(config, program, case, |device| {
            device.run(&mut Watch::default()).expect("it runs");
        });
        assert!(short == long, "{} differs", case.name);
    });
}

#[test]
fn law_3_warp_cycles_requests_and_sectors_are_conserved() {
    for_each_case(|_, _, case| {
        let counters = by_one_thread(case);
        one_state_per_cycle(case, counters);
        conserved(case, counters);
    });
}

/// Every warp is in exactly one state in every cycle.
fn one_state_per_cycle(case: &Case, counters: &LaunchCounters) {
    let mut selected = 0;
    for scheduler in &counters.sm.schedulers {
        let states: u64 = scheduler.states.iter().sum();
        assert_eq!(states, scheduler.warp_cycles, "{}: states and warp-cycles", case.name);
        let of = |state: WarpState| scheduler.states[state.index()];
        assert_eq!(of(WarpState::Selected), scheduler.issue_cycles, "{}", case.name);
        let eligible = of(WarpState::Selected) + of(WarpState::NotSelected);
        assert_eq!(eligible, scheduler.eligible_warp_cycles, "{}", case.name);
        assert!(scheduler.eligible_cycles <= scheduler.active_cycles, "{}", case.name);
        selected += of(WarpState::Selected);
    }
    assert_eq!(selected, counters.sm.instructions.warp, "{}: selections are instructions", case.name);
}

/// Every request is answered once, and sectors are neither lost nor made.
fn conserved(case: &Case, counters: &LaunchCounters) {
    let name = &case.name;
    let (l1, l2, dram) = (&counters.sm.l1, &counters.memory.l2, &counters.memory.dram);
    assert!(l1.global_load_requests <= l1.global_load_sectors || l1.global_load_requests == 0, "{name}");
    let loads = l1.global_load_sectors + l1.local_load_sectors + l1.copied_sectors_again;
    let hits = l1.global_load_sector_hits + l1.local_load_sector_hits + l1.global_load_sector_merges;
    assert_eq!(loads - hits, l1.sectors_to_l2, "{name}: what misses is asked once");
    // What one half of L2 asks of the other is counted in both.
    let arrived = l2.read_sectors - l2.far_read_sectors + l2.coalesced_sectors;
    assert_eq!(l1.sectors_to_l2, arrived, "{name}: what is asked arrives");
    let stores = l1.global_store_sectors + l1.local_store_sectors;
    let written = l2.write_sectors - l2.far_write_sectors - l2.completed_sectors;
    assert_eq!(stores, written, "{name}: stores arrive");
    let atomics = l1.global_atomic_sectors + l1.global_reduction_sectors;
    let far = l2.far_atomic_sectors + l2.far_reduction_sectors;
    let arrived = l2.atomic_sectors + l2.reduction_sectors - far;
    assert_eq!(atomics, arrived, "{name}: atomic operations arrive");
    let queues = [&counters.sm.memory_queue, &counters.sm.l1_misses, &counters.memory.l2_requests];
    for queue in queues.into_iter().chain([&counters.memory.dram_requests]) {
        assert_eq!(queue.arrivals, queue.departures, "{name}: everything that entered has left");
    }
    let requests = l2.requests + l2.coalesced_requests;
    assert_eq!(counters.memory.l2_requests.arrivals, requests, "{name}: every request is answered once");
    assert_eq!(counters.memory.dram_requests.arrivals * 32, dram.read_bytes, "{name}: every read comes back");
    assert!(l2.writeback_sectors * 32 >= dram.written_bytes, "{name}: only write-backs are written");
    let columns = dram.row_hits + dram.row_misses + dram.row_conflicts;
    assert_eq!(columns * 32, dram.read_bytes + dram.written_bytes, "{name}: every access has its row once");
    assert_eq!(
        counters.sm.instructions.thread.min(counters.sm.instructions.warp * 32),
        counters.sm.instructions.thread
    );
    let grid: u64 = case.shape.blocks();
    assert_eq!(counters.sm.blocks, grid, "{name}: every block ends");
}

#[test]
fn law_2_results_do_not_depend_on_the_scheduler() {
    // The others run the smallest case of every kernel, and the machine's own all quick ones: see `hardware`.
    use warplab_config::gpu::SchedulerPolicy::{Oldest, Random, TwoLevel};
    for_each_case(|config, program, case| {
        for policy in [Oldest, TwoLevel, Random] {
            let mut config = config.clone();
            config.multiprocessor.scheduler = policy.clone();
            let simulated = simulate(&config, program, case).expect("it runs");
            assert_eq!(case.wrong_outputs(&simulated.image), [""; 0], "{} under {policy:?}", case.name);
        }
    });
}

#[test]
fn law_4_a_dependent_issues_exactly_when_its_operand_is_ready() {
    // A chain of dependent FFMAs of one warp: four cycles each.
    let config = gpu("h200");
    let program = suite_program(&config, "suite");
    let all = cases("suite");
    let loaded = case_named(&all, "latency_fma_f32").load(&config, &program).expect("it loads");
    let options = RunOptions { timeline: Some(TimelineRecording::default()), ..RunOptions::default() };
    let (outcome, _) = run(&config, &loaded.prepared, loaded.image, options).expect("it runs");
    let timeline = outcome.timeline.expect("recorded");
    let code = &program.kernel("k_lat_fma_f32").expect("the kernel").instructions;
    let is_ffma = |pc: u32| code[pc as usize].opcode == Opcode::Ffma;
    let neighbours = timeline.issues.windows(2).filter(|pair| is_ffma(pair[0].2) && is_ffma(pair[1].2));
    let distances: Vec<u64> = neighbours.map(|pair| pair[1].0 - pair[0].0).collect();
    // 64 laps of 32, of which one pair has an instruction of the loop between. In the first lap some wait for their code.
    let (first, later) = distances.split_at(30);
    assert!(first.iter().all(|&distance| distance >= 4), "{first:?}");
    assert_eq!(later, vec![4; 63 * 30]);
}
