//! A device runs launches one after another, and its state can be kept and brought back.
#![allow(missing_docs)]

mod common;

use common::{VECTOR_ADD, additions, checksum, h200, prepared, vectors};
use std::sync::atomic::{AtomicBool, Ordering};
use warplab_gpu::{Device, LaunchOptions, RunOptions, Status, TimelineRecording, Watch, run};
use warplab_trace::LaunchCounters;
use warplab_units::Cycle;

/// Counters of all launches and the result, at the end.
fn results(mut device: Device) -> (Vec<LaunchCounters>, (u64, u64)) {
    assert_eq!(device.run(&mut Watch::default()).expect("it runs"), Status::Idle);
    let counters =
        (0..device.launches()).map(|launch| device.counters(launch).expect("it has run")).collect();
    (counters, checksum(device.memory(), "c"))
}

#[test]
fn a_device_without_launches_is_idle() {
    let mut device = additions(&h200(), 0, 1024);
    assert_eq!(device.advance(Cycle(1000)).expect("nothing can fault"), Status::Idle);
    assert_eq!((device.cycle(), device.total()), (Cycle(0), LaunchCounters::default()));
}

#[test]
fn a_launch_on_a_device_gives_what_a_run_of_its_own_gives() {
    let config = h200();
    let (memory, parameters) = vectors(10_000);
    let launch = prepared(&config, VECTOR_ADD, 40, 256, &parameters);
    let (outcome, memory) = run(&config, &launch, memory, RunOptions::default()).expect("it runs");
    assert_eq!(results(additions(&config, 1, 10_000)), (vec![outcome.counters], checksum(&memory, "c")));
}

#[test]
fn a_device_that_advances_in_small_steps_gives_the_same() {
    let config = h200();
    let mut device = additions(&config, 2, 10_000);
    let mut until = Cycle(0);
    while device.advance(until).expect("it runs") == Status::Busy {
        until += 37;
    }
    assert_eq!(results(device), results(additions(&config, 2, 10_000)));
}

#[test]
fn advance_stops_within_an_epoch_of_the_cycle_that_was_asked() {
    let config = h200();
    let mut device = additions(&config, 1, 10_000);
    assert_eq!(device.advance(Cycle(2000)).expect("it runs"), Status::Busy);
    let overshoot = device.cycle() - Cycle(2000);
    assert!(overshoot < u64::from(config.crossbar.latency), "{overshoot}");
}

#[test]
fn the_next_boundary_is_where_the_next_epoch_ends() {
    let mut device = additions(&h200(), 1, 10_000);
    device.begin_launch();
    for _ in 0..20 {
        let boundary = device.next_boundary();
        device.advance_epoch().expect("it runs");
        assert_eq!(Some(device.cycle()), boundary);
    }
}

#[test]
fn a_second_launch_finds_l2_warm_and_l1_cold() {
    let (counters, _) = results(additions(&h200(), 2, 10_000));
    let l2_hits: Vec<u64> = counters.iter().map(|launch| launch.memory.l2.read_hits).collect();
    let l2_reads: Vec<u64> = counters.iter().map(|launch| launch.memory.l2.read_sectors).collect();
    // 2 x 10,000 words are 2,500 sectors; those that go on to their home in the other half are looked up there, too.
    // DRAM brings two at a time.
    assert_eq!((l2_reads, l2_hits), (vec![3268, 2500], vec![0, 2500]));
    assert_eq!(counters.iter().map(|launch| launch.memory.dram.read_bytes).collect::<Vec<_>>(), [80_000, 0]);
    assert!(counters[1].elapsed_cycles < counters[0].elapsed_cycles);
}

#[test]
fn the_sum_of_all_launches_adds_up() {
    let mut device = additions(&h200(), 3, 10_000);
    device.run(&mut Watch::default()).expect("it runs");
    let launches: Vec<LaunchCounters> = (0..3).filter_map(|launch| device.counters(launch)).collect();
    let total = device.total();
    assert_eq!(total.elapsed_cycles, launches.iter().map(|launch| launch.elapsed_cycles).sum::<u64>());
    assert_eq!(total.sm.instructions.warp, 3 * launches[0].sm.instructions.warp);
    assert_eq!(total.memory.l2.read_sectors, 3268 + 2500 + 2500);
    assert_eq!(device.cycle().0, total.elapsed_cycles);
}

#[test]
fn the_next_launch_begins_where_the_last_one_ended() {
    let mut device = additions(&h200(), 2, 10_000);
    while device.counters(1).is_none() {
        let next = device.cycle() + 1;
        device.advance(next).expect("it runs");
    }
    let first = device.outcome(0).expect("it has ended");
    assert!(!first.partial);
    assert!(device.cycle().0 > first.counters.elapsed_cycles);
}

#[test]
fn a_launch_that_runs_has_a_partial_outcome_and_one_that_waits_has_none() {
    let mut device = additions(&h200(), 2, 10_000);
    device.advance(Cycle(2500)).expect("it runs");
    let outcome = device.outcome(0).expect("it runs");
    assert!(outcome.partial);
    assert_eq!(outcome.counters.elapsed_cycles, device.cycle().0);
    assert!(device.outcome(1).is_none());
}

#[test]
fn a_snapshot_that_is_restored_and_run_on_gives_the_same_bytes() {
    let config = h200();
    let uninterrupted = results(additions(&config, 2, 10_000));
    for cycle in [0, 1500, 1900, 2500, 6000] {
        let mut device = additions(&config, 2, 10_000);
        device.advance(Cycle(cycle)).expect("it runs");
        let kept = device.snapshot();
        // It goes on, and comes back.
        device.run(&mut Watch::default()).expect("it runs");
        device.restore(kept);
        assert_eq!(results(device), uninterrupted, "from cycle {cycle}");
    }
}

#[test]
fn a_snapshot_does_not_see_what_is_written_after_it() {
    let mut device = additions(&h200(), 1, 1000);
    let kept = device.snapshot();
    device.run(&mut Watch::default()).expect("it runs");
    let after = checksum(device.memory(), "c");
    device.restore(kept);
    assert_ne!(checksum(device.memory(), "c"), after);
}

#[test]
fn an_interrupted_device_can_go_on() {
    let config = h200();
    let mut device = additions(&config, 1, 10_000);
    let interrupt = AtomicBool::new(true);
    let status = device.run(&mut Watch { interrupt: Some(&interrupt), ..Watch::default() }).expect("it runs");
    assert_eq!(status, Status::Busy);
    interrupt.store(false, Ordering::Relaxed);
    assert_eq!(results(device), results(additions(&config, 1, 10_000)));
}

#[test]
fn progress_names_the_launch_and_counts_its_blocks() {
    let mut device = additions(&h200(), 2, 10_000);
    let mut seen = Vec::new();
    let mut note = |progress: warplab_gpu::Progress| seen.push((progress.launch, progress.blocks_dispatched));
    device.run(&mut Watch { progress: Some(&mut note), ..Watch::default() }).expect("it runs");
    assert!(seen.contains(&(0, 40)) && seen.contains(&(1, 40)), "{seen:?}");
    assert!(seen.is_sorted());
}

#[test]
fn the_timeline_of_a_later_launch_starts_at_its_own_begin() {
    let config = h200();
    let (memory, parameters) = vectors(1000);
    let launch = prepared(&config, VECTOR_ADD, 4, 256, &parameters);
    let mut device = Device::new(&config, memory);
    let options = LaunchOptions { timeline: Some(TimelineRecording::default()), ..LaunchOptions::default() };
    let launches = [0; 2].map(|_| device.launch(launch.clone(), options));
    device.run(&mut Watch::default()).expect("it runs");
    let warps = launches.map(|launch| {
        let timeline = device.outcome(launch).and_then(|outcome| outcome.timeline).expect("recorded");
        timeline.warps[0]
    });
    // 1,450 cycles to the start of the kernel, 230 to its first warp.
    assert_eq!(warps.map(|warp| (warp.block, warp.from)), [(0, Cycle(1680)); 2]);
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let config = h200();
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| results(additions(&config, 2, 10_000)))
    };
    let one = of(1);
    assert_eq!(of(2), one);
    assert_eq!(of(3), one);
}
