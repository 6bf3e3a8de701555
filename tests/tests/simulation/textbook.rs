//! The course's instruction-issue timelines on its own machine: one warp, addresses computed beforehand, counted from
//! the first load to the last store.

use std::fmt::Write;
use warplab_config::launch::{Argument, Init, Size};
use warplab_exec::LaunchShape;
use warplab_gpu::{RunOptions, TimelineRecording, run};
use warplab_program::Opcode::{self, Ffma, Ldg, Stg};
use warplab_tests::{Case, assert_golden, compile, gpu};

/// What the loop of a kernel did: every instruction with the cycle of its issue, the first load at 0.
struct Schedule {
    issues: Vec<(Opcode, u64)>,
    text: String,
}

impl Schedule {
    /// Loads, arithmetic and stores.
    fn work(&self) -> Vec<(Opcode, u64)> {
        self.issues.iter().copied().filter(|(opcode, _)| matches!(opcode, Ldg | Ffma | Stg)).collect()
    }
}

fn schedule(kernel: &str) -> Schedule {
    let config = gpu("textbook");
    let program = compile(&config, "configs/kernels/issue_timeline.ptx");
    let case = case(kernel);
    let loaded = case.load(&config, &program).expect("it loads");
    let options = RunOptions { timeline: Some(TimelineRecording::default()), ..RunOptions::default() };
    let (outcome, _) = run(&config, &loaded.prepared, loaded.image, options).expect("it runs");
    let timeline = outcome.timeline.expect("it was recorded");
    let code = &program.kernel(kernel).expect("the kernel").instructions;
    let first_load = code.iter().position(|instruction| instruction.opcode == Ldg).expect("a load") as u32;
    let in_loop: Vec<(u64, u32)> = timeline
        .issues
        .iter()
        .map(|&(cycle, _, pc, _)| (cycle.0, pc))
        .skip_while(|&(_, pc)| pc != first_load)
        .collect();
    let start = in_loop[0].0;
    let mut text = format!("// {kernel} on the textbook machine: cycle from the first load, instruction\n");
    for &(cycle, pc) in &in_loop {
        let instruction = warplab_program::listing::instruction_text(&code[pc as usize]);
        writeln!(text, "{:>5}  {instruction}", cycle - start).expect("a string takes all");
    }
    let issues = in_loop.iter().map(|&(cycle, pc)| (code[pc as usize].opcode, cycle - start)).collect();
    Schedule { issues, text }
}

fn case(kernel: &str) -> Case {
    let buffer = |name: &str, seed| Argument::Buffer {
        name: name.to_owned(),
        size: Size(256).into(),
        init: Init::HashF32(seed),
    };
    Case {
        name: kernel.to_owned(),
        kernel: kernel.to_owned(),
        shape: LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 },
        buffers: Vec::new(),
        left_dirty: 0,
        arguments: vec![buffer("a", 1), buffer("b", 2), buffer("c", 3), Argument::I32(1)],
        checksums: Vec::new(),
        clock: Vec::new(),
        metrics: Default::default(),
    }
}

#[test]
fn one_element_takes_1006_cycles() {
    let schedule = schedule("one_element");
    assert_eq!(schedule.work(), [(Ldg, 0), (Ldg, 1), (Ldg, 2), (Ffma, 1002), (Stg, 1006)]);
    assert_golden("traces/textbook/issue-timeline-1.txt", &schedule.text);
}

#[test]
fn two_elements_at_grid_stride_take_2011_cycles() {
    let schedule = schedule("two_elements_grid_stride");
    let loads = [0, 1, 2, 3, 4].map(|cycle| (Ldg, cycle));
    let rest = [(Ffma, 1002), (Stg, 1006), (Ldg, 1007), (Ffma, 2007), (Stg, 2011)];
    assert_eq!(schedule.work(), [loads, rest].concat());
    assert_golden("traces/textbook/issue-timeline-2-grid.txt", &schedule.text);
}

#[test]
fn two_elements_at_block_stride_take_1009_or_1010_cycles() {
    let schedule = schedule("two_elements_block_stride");
    let work = schedule.work();
    let opcodes: Vec<Opcode> = work.iter().map(|&(opcode, _)| opcode).collect();
    assert_eq!(opcodes, [Ldg, Ldg, Ldg, Ldg, Ldg, Ldg, Ffma, Ffma, Stg, Stg]);
    assert!(matches!(work[9].1, 1009 | 1010), "{}", schedule.text);
    assert_golden("traces/textbook/issue-timeline-2-block.txt", &schedule.text);
}
