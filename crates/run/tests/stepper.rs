//! Stepping forwards and backwards through launches.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::path::Path;
use warplab_config::{GpuConfig, Launch, load_gpu, load_launch};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_gpu::{RunOptions, TimelineRecording};
use warplab_run::stepper::{Goal, Line, Stepper, Stop, ViewOptions};
use warplab_run::{
    CompileOptions, KernelLaunch, Sequence, SequenceOptions, all_kernels, no_files, read_program,
    simulate_sequence,
};
use warplab_trace::WarpState;
use warplab_units::{Cycle, PartitionId, SmId, WarpSlot};

/// Two launches of y = 2 x + y over 1024 elements, the second on what the first left.
const SAXPY: &str = r#"(program: "saxpy.ptx", kernel: "saxpy", grid: (4, 1, 1), block: (256, 1, 1), launches: [
    (arguments: [i32(1024), f32(2.0),
        buffer(name: "x", size: "4KiB", init: hash_f32(1)), buffer(name: "y", size: "4KiB", init: hash_f32(2))]),
    (arguments: [i32(1024), f32(2.0), pointer(buffer: "x"), pointer(buffer: "y")]),
])"#;

/// The same, where the second launch writes beyond its buffers.
fn wild() -> String {
    SAXPY.replace(
        "(arguments: [i32(1024), f32(2.0), pointer",
        "(grid: (1024, 1, 1), arguments: [i32(262144), f32(2.0), pointer",
    )
}

fn source(path: &str) -> Source {
    let path = format!("{}/../../configs/{path}", env!("CARGO_MANIFEST_DIR"));
    Source::new(path.clone(), std::fs::read_to_string(path).unwrap())
}

fn machine(name: &str) -> GpuConfig {
    load_gpu(&source(&format!("gpus/{name}.ron"))).unwrap()
}

/// Gives a sequence of launches of the saxpy kernel to `work`.
fn with<T>(config: &GpuConfig, launches: &str, work: impl FnOnce(&Sequence<'_>) -> T) -> T {
    let text = source("kernels/saxpy.ptx");
    let options = CompileOptions::default();
    let compiled = read_program(Path::new("saxpy.ptx"), &text, config, options, &all_kernels).unwrap();
    let file: Launch = load_launch(&Source::new("saxpy.ron", launches)).unwrap();
    let steps = file.steps();
    let launches: Vec<KernelLaunch<'_>> = steps
        .iter()
        .map(|step| KernelLaunch {
            kernel: step.kernel,
            shape: LaunchShape {
                grid: [step.grid.0, step.grid.1, step.grid.2],
                block: [step.block.0, step.block.1, step.block.2],
                dynamic_shared_bytes: 0,
            },
            arguments: step.arguments,
        })
        .collect();
    work(&Sequence {
        program: &compiled.program,
        launches: &launches,
        declarations: &file.argument_lists().concat(),
        buffers: &[],
        symbols: &BTreeMap::new(),
    })
}

fn stepper(config: &GpuConfig, launches: &str) -> Stepper {
    with(config, launches, |sequence| Stepper::new(config, sequence, &no_files).unwrap())
}

/// Everything that is shown of SM 0, its slot 1 and partition 0, as text.
fn shown(stepper: &Stepper) -> String {
    let options = ViewOptions {
        lane: Some((WarpSlot(1), 3)),
        partition: Some(PartitionId(0)),
        ..ViewOptions::default()
    };
    serde_json::to_string(&stepper.view(&options)).unwrap()
}

/// The state of the device as bytes.
fn bytes(stepper: &Stepper) -> Vec<u8> {
    postcard::to_allocvec(&stepper.boundary_state()).unwrap()
}

fn go(stepper: &mut Stepper, goal: Goal) -> Stop {
    stepper.run(goal, &mut |_| true)
}

#[test]
fn a_hundred_cycles_back_are_the_same_bytes_as_before() {
    for name in ["toy", "h200"] {
        let mut stepper = stepper(&machine(name), SAXPY);
        go(&mut stepper, Goal::Cycle(Cycle(400)));
        let before = (shown(&stepper), bytes(&stepper));
        assert_eq!(stepper.step(100), Stop::Reached);
        assert_ne!(shown(&stepper), before.0);
        assert_eq!(stepper.back(100), Stop::Reached);
        assert_eq!((shown(&stepper), bytes(&stepper)), before, "{name}");
    }
}

#[test]
fn every_cycle_is_the_same_forwards_and_backwards_across_launches() {
    let mut stepper = stepper(&machine("toy"), SAXPY);
    assert_eq!(go(&mut stepper, Goal::End), Stop::Ended);
    let end = stepper.cycle().0;
    go(&mut stepper, Goal::Cycle(Cycle(0)));
    let mut forwards = vec![shown(&stepper)];
    for _ in 0..end {
        stepper.step(1);
        forwards.push(shown(&stepper));
    }
    assert!(forwards.iter().any(|view| view.contains("\"number\":1")));
    for cycle in (0..end).rev().step_by(7) {
        go(&mut stepper, Goal::Cycle(Cycle(cycle)));
        assert_eq!(shown(&stepper), forwards[cycle as usize], "cycle {cycle}");
    }
}

#[test]
fn the_states_that_are_shown_are_those_of_the_timeline() {
    ["toy", "h200"].map(machine).iter().for_each(compare_with_timeline);
}

fn compare_with_timeline(config: &GpuConfig) {
    let recorded = with(config, SAXPY, |sequence| {
        let timeline = Some(TimelineRecording::default());
        let options = RunOptions { timeline, ..RunOptions::default() };
        simulate_sequence(config, sequence, SequenceOptions::default(), &no_files, options).unwrap()
    });
    let outcome = &recorded.launches[0].outcome;
    let timeline = outcome.timeline.as_ref().unwrap();
    let mut stepper = stepper(config, SAXPY);
    for cycle in 0..outcome.counters.elapsed_cycles {
        let view = stepper.view(&ViewOptions::default());
        let shown =
            view.sm.iter().flat_map(|sm| &sm.slots).filter_map(|slot| Some((slot.slot, slot.warp.as_ref()?)));
        let shown: Vec<(WarpSlot, &str, u32)> =
            shown.map(|(slot, warp)| (slot, warp.state, warp.pc)).collect();
        let mut expected: Vec<(WarpSlot, &str, u32)> = timeline
            .intervals
            .iter()
            .filter(|it| (it.from.0..it.to.0).contains(&cycle))
            .map(|it| (it.slot, it.state.name(), it.pc))
            .collect();
        expected.sort_by_key(|state| state.0);
        let pairs = |all: &[(WarpSlot, &str, u32)]| -> Vec<String> {
            all.iter().map(|(slot, state, _)| format!("{slot} {state}")).collect()
        };
        assert_eq!(pairs(&shown), pairs(&expected), "cycle {cycle}");
        stepper.step(1);
    }
}

#[test]
fn a_line_is_reached_when_a_warp_issues_an_instruction_of_it() {
    let mut stepper = stepper(&machine("toy"), SAXPY);
    let code = stepper.code(0).unwrap();
    let load = code.instructions.iter().position(|it| it.text.contains("LDG")).unwrap();
    let line = Line::Own(code.instructions[load].line);
    assert_eq!(go(&mut stepper, Goal::Line { sm: SmId(0), line }), Stop::Reached);
    let view = stepper.view(&ViewOptions::default());
    let sm = view.sm.unwrap();
    let warps = sm.slots.iter().filter_map(|slot| slot.warp.as_ref());
    let issued: Vec<u32> =
        warps.filter(|it| it.state == WarpState::Selected.name()).map(|it| it.pc).collect();
    assert!(issued.contains(&(load as u32)), "{issued:?}");
    let by_pc = Line::Instruction(load as u32);
    go(&mut stepper, Goal::Cycle(Cycle(0)));
    go(&mut stepper, Goal::Line { sm: SmId(0), line: by_pc });
    assert_eq!(stepper.cycle().0, view.cycle);
}

#[test]
fn the_next_change_of_a_slot_is_the_first_cycle_with_another_state() {
    let mut stepper = stepper(&machine("toy"), SAXPY);
    let slot = Some(WarpSlot(0));
    let state = |stepper: &Stepper| {
        let sm = stepper.view(&ViewOptions::default()).sm?;
        sm.slots.first().and_then(|slot| slot.warp.as_ref()).map(|warp| warp.state)
    };
    for _ in 0..20 {
        let (from, before) = (stepper.cycle(), state(&stepper));
        assert_eq!(go(&mut stepper, Goal::StateChange { sm: SmId(0), slot }), Stop::Reached);
        let (to, after) = (stepper.cycle(), state(&stepper));
        assert_ne!(before, after);
        for cycle in from.0..to.0 {
            go(&mut stepper, Goal::Cycle(Cycle(cycle)));
            assert_eq!(state(&stepper), before, "cycle {cycle}");
        }
        go(&mut stepper, Goal::Cycle(to));
    }
}

#[test]
fn the_end_is_where_the_run_ends_and_goes_no_further() {
    let config = machine("toy");
    let run = with(&config, SAXPY, |sequence| {
        let options = RunOptions::default();
        simulate_sequence(&config, sequence, SequenceOptions::default(), &no_files, options).unwrap()
    });
    let mut stepper = stepper(&config, SAXPY);
    assert_eq!(go(&mut stepper, Goal::End), Stop::Ended);
    assert_eq!(stepper.cycle(), run.cycle);
    assert_eq!(stepper.step(5), Stop::Ended);
    assert_eq!(stepper.cycle(), run.cycle);
    assert!(stepper.view(&ViewOptions::default()).ended);
    let buffer = |image: &warplab_exec::MemoryImage| {
        let buffer = image.buffer("y").unwrap();
        image.checksum(buffer, 0..buffer.words())
    };
    assert_eq!(buffer(stepper.memory()), buffer(&run.image));
}

#[test]
fn a_launch_that_fails_is_shown_up_to_its_fault_and_goes_back_from_there() {
    let mut stepper = stepper(&machine("toy"), &wild());
    assert_eq!(go(&mut stepper, Goal::End), Stop::Failed);
    let fault = stepper.view(&ViewOptions::default()).fault.unwrap();
    assert!(fault.contains("saxpy"), "{fault}");
    let (at, there) = (stepper.cycle(), shown(&stepper));
    assert_eq!(stepper.step(1), Stop::Failed);
    assert_eq!(stepper.cycle(), at);
    assert_eq!(stepper.back(100), Stop::Reached);
    assert_eq!(stepper.cycle().0, at.0 - 100);
    assert_eq!(stepper.view(&ViewOptions::default()).fault, None);
    assert_eq!(stepper.step(100), Stop::Reached);
    assert_eq!(shown(&stepper), there);
}

#[test]
fn who_does_not_want_to_go_on_stays_at_the_end_of_an_epoch() {
    let mut stepper = stepper(&machine("toy"), SAXPY);
    assert_eq!(stepper.run(Goal::End, &mut |cycle| cycle < Cycle(300)), Stop::Interrupted);
    assert!(stepper.cycle() >= Cycle(300));
    let here = stepper.cycle();
    assert_eq!(stepper.step(1), Stop::Reached);
    assert_eq!(stepper.cycle(), here + 1);
}

#[test]
fn snapshots_are_few_however_far_one_goes() {
    let mut stepper = stepper(&machine("toy"), SAXPY);
    for cycle in (0..3000).chain((0..3000).rev().step_by(11)) {
        go(&mut stepper, Goal::Cycle(Cycle(cycle)));
    }
    assert!((2..=24).contains(&stepper.snapshots()), "{}", stepper.snapshots());
}

/// What the launches have executed so far, and whether they have not ended.
fn executed(stepper: &Stepper) -> Vec<(u64, bool)> {
    let outcomes = stepper.outcomes().into_iter();
    outcomes.map(|outcome| (outcome.counters.sm.instructions.warp, outcome.partial)).collect()
}

#[test]
fn a_launch_that_fails_has_counted_what_came_before() {
    let mut stepper = stepper(&machine("toy"), &wild());
    assert_eq!(go(&mut stepper, Goal::End), Stop::Failed);
    assert_eq!(executed(&stepper), [(32 * 19, false), (968, true)]);
    stepper.back(50);
    assert_eq!(executed(&stepper), [(32 * 19, false), (964, true)]);
}
