//! The course's instruction-issue timelines on its own machine: one warp, addresses computed beforehand, counted from
//! the first load to the last store.

use warplab_exec::{Init, LaunchShape};
use warplab_gpu::{RunOptions, TimelineOptions, run};
use warplab_program::Opcode::{self, Ffma, Ldg, Stg};
use warplab_tests::{Argument, Case, compile, gpu, load};

/// The instructions of memory and arithmetic with the cycle in which each issued, the first load at 0.
fn schedule(kernel: &str) -> Vec<(Opcode, u64)> {
    let config = gpu("textbook");
    let program = compile(&config, "configs/kernels/issue_timeline.ptx");
    let buffer = |name: &str, seed| Argument::Buffer {
        name: name.to_owned(),
        bytes: 256,
        init: Init::HashF32 { seed },
    };
    let case = Case {
        name: kernel.to_owned(),
        kernel: kernel.to_owned(),
        shape: LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 },
        arguments: vec![buffer("a", 1), buffer("b", 2), buffer("c", 3), Argument::Scalar(1)],
        checksums: Vec::new(),
        clock: Vec::new(),
        metrics: Default::default(),
    };
    let loaded = load(&config, &program, &case).expect("it loads");
    let options = RunOptions { timeline: Some(TimelineOptions::default()), ..RunOptions::default() };
    let outcome = run(&config, &loaded.prepared, &loaded.image, options).expect("it runs");
    let timeline = outcome.timeline.expect("it was recorded");
    let code = &program.kernel(kernel).expect("the kernel").instructions;
    let issued = timeline.issues.iter().map(|&(cycle, _, pc, _)| (code[pc as usize].opcode, cycle.0));
    let shown: Vec<(Opcode, u64)> = issued.filter(|(opcode, _)| matches!(opcode, Ldg | Ffma | Stg)).collect();
    let first = shown[0].1;
    shown.into_iter().map(|(opcode, cycle)| (opcode, cycle - first)).collect()
}

#[test]
fn one_element_takes_1006_cycles() {
    assert_eq!(schedule("one_element"), [(Ldg, 0), (Ldg, 1), (Ldg, 2), (Ffma, 1002), (Stg, 1006)]);
}

#[test]
fn two_elements_at_grid_stride_take_2011_cycles() {
    assert_eq!(
        schedule("two_elements_grid_stride"),
        [
            (Ldg, 0),
            (Ldg, 1),
            (Ldg, 2),
            (Ldg, 3),
            (Ldg, 4),
            (Ffma, 1002),
            (Stg, 1006),
            (Ldg, 1007),
            (Ffma, 2007),
            (Stg, 2011)
        ]
    );
}

#[test]
fn two_elements_at_block_stride_take_1009_or_1010_cycles() {
    let schedule = schedule("two_elements_block_stride");
    let opcodes: Vec<Opcode> = schedule.iter().map(|&(opcode, _)| opcode).collect();
    assert_eq!(opcodes, [Ldg, Ldg, Ldg, Ldg, Ldg, Ldg, Ffma, Ffma, Stg, Stg]);
    assert!(matches!(schedule[9].1, 1009 | 1010), "{schedule:?}");
}
