//! Steps of a product of matrices by warpgroups beside what an H200 took: traces/h200/warpgroup, steps.txt.

use crate::tensor_programs::tensor;
use warplab_config::launch::{Argument, BufferSpec, Init, Size, TensorElementName};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{gpu, listing, read};

/// Steps that a launch counts.
const COUNTED: f64 = 64.0;

/// A matrix of so many rows of 512 halves.
fn matrix(buffer: &str, rows: u64) -> Argument {
    tensor(buffer, TensorElementName::F16, [512, rows], [64, 128], 128)
}

/// Cycles of a step of one block with these parts and so many warpgroups, here and on the H200.
fn step(program: &Program, parts: u32, groups: u32) -> [f64; 2] {
    let text = read("traces/h200/warpgroup/steps.txt");
    let row = format!("{parts},{groups},1,");
    let found = text.lines().find_map(|line| line.strip_prefix(&row)).expect(&row);
    let there: f64 = found.split(',').next().and_then(|mean| mean.parse().ok()).expect("cycles");
    let rows = 132 * 128;
    let buffer =
        |name: &str, bytes| BufferSpec { name: name.to_owned(), size: Size(bytes).into(), init: Init::Zero };
    // One more warpgroup brings what the others read.
    let threads = 128 * (groups + u32::from(parts & 2 != 0));
    let workload = Workload {
        program,
        kernel: &format!("steps_{parts}"),
        shape: LaunchShape { grid: [1; 3], block: [threads, 1, 1], dynamic_shared_bytes: 128 << 10 },
        arguments: &[
            matrix("a", rows),
            matrix("b", 128),
            Argument::I32(128),
            Argument::I32(512),
            Argument::Pointer { buffer: "out".to_owned(), offset: Size(0) },
        ],
        buffers: &[buffer("a", rows * 1024), buffer("b", 128 * 1024), buffer("out", 8192)],
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default()).expect("it runs");
    let place = run.image.buffer("out").expect("the results").base;
    let left = run.image.read_bytes(place, 4 * u64::from(groups)).expect("the results");
    let clocks: Vec<u32> = left.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mean = clocks.iter().map(|&clock| f64::from(clock)).sum::<f64>() / clocks.len() as f64 / COUNTED;
    [mean, there].map(f64::round)
}

#[test]
fn steps_of_one_and_two_warpgroups_take_as_long_as_on_an_h200() {
    let program = listing("traces/h200/warpgroup/steps.sass");
    let steps = |parts| [1, 2].map(|groups| step(&program, parts, groups));
    // Products alone; they say that they have read; they wait for something to read.
    let expected = [
        [[386.0, 386.0], [512.0, 512.0]],
        [[380.0, 381.0], [512.0, 512.0]],
        [[440.0, 439.0], [512.0, 513.0]],
    ];
    assert_eq!([0, 1, 3].map(steps), expected);
}

/// Where copies bring what is read, two warpgroups take a fifth longer there: in `DEVIATIONS.md`.
#[test]
fn two_warpgroups_do_not_take_longer_where_copies_bring_what_they_read() {
    let program = listing("traces/h200/warpgroup/steps.sass");
    assert_eq!([1, 2].map(|groups| step(&program, 7, groups)), [[445.0, 458.0], [512.0, 626.0]]);
}
