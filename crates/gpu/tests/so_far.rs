//! What a launch has given so far, cycle by cycle.
#![allow(missing_docs)]

mod common;

use common::{VECTOR_ADD, additions, machine, prepared, vectors};
use warplab_config::GpuConfig;
use warplab_exec::MemoryImage;
use warplab_gpu::{Device, LaunchOptions, PreparedLaunch, RunOutcome, Status, Timeline, TimelineRecording};
use warplab_trace::{LaunchCounters, StateInterval, WarpState};
use warplab_units::Cycle;

/// A small machine, which is copied quickly.
fn toy() -> GpuConfig {
    machine("toy")
}

/// Three times around a loop.
const LOOP: &str = ".kernel k
stall=4 MOV R0, 0x3 ;
stall=4 IADD3 R0, R0, -0x1, RZ ;
stall=13 ISETP.GE.AND P0, PT, R0, 0x1, PT ;
stall=5 @P0 BRA 0x10 ;
stall=5 EXIT ;
";

/// A device with a launch that is recorded on SM 0.
fn recorded(memory: MemoryImage, launch: &PreparedLaunch) -> Device {
    recorded_in(TimelineRecording::default(), memory, launch)
}

/// The same with some of its cycles.
fn recorded_in(recording: TimelineRecording, memory: MemoryImage, launch: &PreparedLaunch) -> Device {
    let mut device = Device::new(&toy(), memory);
    let options = LaunchOptions { timeline: Some(recording), ..LaunchOptions::default() };
    device.launch(launch.clone(), options);
    device
}

/// What there is at the end of each cycle until all launches have ended.
fn every_cycle(mut device: Device) -> Vec<Vec<RunOutcome>> {
    let mut found = Vec::new();
    device.begin_launch();
    for cycle in (0..).map(Cycle) {
        while device.status() == Status::Busy
            && device.next_boundary().is_some_and(|boundary| boundary <= cycle)
        {
            device.advance_epoch().expect("it runs");
            device.begin_launch();
        }
        found.push(device.outcomes_through(cycle));
        if device.status() == Status::Idle && device.cycle() == cycle {
            return found;
        }
    }
    found
}

/// Warp-cycles in each state before `until`, as they are recorded.
fn recorded_states(timeline: &Timeline, until: Cycle) -> [u64; WarpState::COUNT] {
    let mut states = [0; WarpState::COUNT];
    for interval in &timeline.intervals {
        states[interval.state.index()] += interval.to.min(until).since(interval.from);
    }
    states
}

fn states(counters: &LaunchCounters) -> [u64; WarpState::COUNT] {
    let schedulers = &counters.sm.schedulers;
    std::array::from_fn(|state| schedulers.iter().map(|scheduler| scheduler.states[state]).sum())
}

#[test]
fn the_states_of_warps_so_far_are_those_of_the_whole_run_up_to_the_cycle() {
    let (memory, parameters) = vectors(256);
    let additions = prepared(&toy(), VECTOR_ADD, 1, 256, &parameters);
    for device in
        [recorded(memory, &additions), recorded(MemoryImage::new(), &prepared(&toy(), LOOP, 1, 64, &[]))]
    {
        let all = every_cycle(device);
        let whole = all.last().expect("a cycle")[0].timeline.clone().expect("it is recorded");
        for (cycle, outcomes) in all.iter().enumerate() {
            let until = Cycle(cycle as u64 + 1);
            let counters = &outcomes[0].counters;
            assert_eq!(states(counters), recorded_states(&whole, until), "at the end of cycle {cycle}");
            // Before the first block comes to SM 0 there is no record.
            let so_far = outcomes[0].timeline.clone().unwrap_or_default();
            assert_eq!(recorded_states(&so_far, until), recorded_states(&whole, until), "by cycle {cycle}");
        }
    }
}

#[test]
fn a_window_of_a_record_is_that_part_of_the_whole() {
    let run = |from, to| {
        let (memory, parameters) = vectors(2048);
        let recording = TimelineRecording { from, to, ..TimelineRecording::default() };
        let mut device = recorded_in(recording, memory, &prepared(&toy(), VECTOR_ADD, 16, 128, &parameters));
        device.run(&mut warplab_gpu::Watch::default()).expect("it runs");
        let outcome = device.outcome(0).expect("it has run");
        (outcome.timeline.expect("it is recorded"), outcome.counters)
    };
    let (whole, counters) = run(0, u64::MAX);
    let end = counters.elapsed_cycles;
    for (from, to) in [(0, 100), (100, 200), (end / 2, end / 2 + 1), (end / 2, end), (end - 50, u64::MAX)] {
        let (window, others) = run(from, to);
        assert_eq!(others, counters, "what is recorded changes nothing");
        let inside = |interval: &StateInterval| {
            let (from, to) = (interval.from.0.max(from), interval.to.0.min(to));
            (from < to).then_some((interval.slot, from, to, interval.state, interval.pc))
        };
        let mut expected: Vec<_> = whole.intervals.iter().filter_map(inside).collect();
        let mut found: Vec<_> = window.intervals.iter().filter_map(inside).collect();
        expected.sort_unstable_by_key(|interval| (interval.0, interval.1));
        found.sort_unstable_by_key(|interval| (interval.0, interval.1));
        assert_eq!(found, expected, "cycles {from} to {to}");
        let issues: Vec<_> =
            whole.issues.iter().filter(|issue| (from..to).contains(&issue.0.0)).copied().collect();
        assert_eq!((window.issues, window.warps), (issues, whole.warps.clone()));
    }
}

#[test]
fn a_window_is_recorded_so_far_from_its_first_cycle_to_its_last() {
    let (memory, parameters) = vectors(256);
    let launch = prepared(&toy(), VECTOR_ADD, 1, 256, &parameters);
    let middle = every_cycle(recorded(memory.clone(), &launch)).len() as u64 / 2;
    // Wherever in an epoch it begins and ends.
    for from in middle..middle + 16 {
        let recording = TimelineRecording { from, to: from + 62, ..TimelineRecording::default() };
        let all = every_cycle(recorded_in(recording, memory.clone(), &launch));
        let whole = all.last().expect("a cycle")[0].timeline.clone().expect("it is recorded");
        assert_ne!(recorded_states(&whole, Cycle(from + 30)), [0; WarpState::COUNT]);
        for (cycle, outcomes) in all.iter().enumerate() {
            let until = Cycle(cycle as u64 + 1);
            let so_far = outcomes[0].timeline.clone().unwrap_or_default();
            assert_eq!(recorded_states(&so_far, until), recorded_states(&whole, until), "by cycle {cycle}");
        }
    }
}

#[test]
fn the_last_cycle_gives_what_the_whole_run_gives() {
    let mut whole = additions(&toy(), 2, 10_000);
    whole.run(&mut warplab_gpu::Watch::default()).expect("it runs");
    let all = every_cycle(additions(&toy(), 2, 10_000));
    let last = all.last().expect("a cycle");
    for (launch, outcome) in last.iter().enumerate() {
        assert!(!outcome.partial);
        assert_eq!(Some(&outcome.counters), whole.counters(launch).as_ref());
    }
    assert_eq!(last.len(), 2);
}

#[test]
fn a_launch_has_so_far_taken_as_many_cycles_as_have_passed() {
    let all = every_cycle(additions(&toy(), 1, 1000));
    let end = all.len() as u64 - 1;
    for (cycle, outcomes) in all.iter().enumerate().take(end as usize) {
        let cycle = cycle as u64 + 1;
        assert_eq!((outcomes[0].counters.elapsed_cycles, outcomes[0].partial), (cycle, cycle < end));
    }
}
