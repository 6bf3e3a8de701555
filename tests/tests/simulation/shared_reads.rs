//! What several SMs read from level two at once, beside an H200 (traces/h200/shares): how often a line is read, and how long it takes.

use crate::tensor_programs::tensor;
use warplab_config::launch::{Argument, BufferSpec, ElementName, Init, Size, TensorElementName};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{gpu, listing, read};
use warplab_units::ElementType;

/// Readers that a launch of `coalesce.cu` names at most.
const MOST_READERS: usize = 16;
/// Loads of a warp of `same`, times its warps.
const LOADS: f64 = 32_768.0;
/// SMs of the machine.
const SMS: usize = 132;

fn buffer(name: &str, bytes: u64) -> BufferSpec {
    BufferSpec { name: name.to_owned(), size: Size(bytes).into(), init: Init::Zero }
}

fn pointer(name: &str) -> Argument {
    Argument::Pointer { buffer: name.to_owned(), offset: Size(0) }
}

/// What a kernel leaves in `out`, and the sectors that it reads from level two for SMs.
fn run(
    program: &Program,
    kernel: &str,
    (threads, shared): (u32, u32),
    arguments: &[Argument],
    buffers: &[BufferSpec],
) -> (Vec<u32>, u64) {
    let shape =
        LaunchShape { grid: [SMS as u32, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: shared };
    let workload = Workload { program, kernel, shape, arguments, buffers, symbols: &NO_SYMBOLS };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default()).expect("it runs");
    let place = run.image.buffer("out").expect("the results").base;
    let left = run.image.read_bytes(place, 1024).expect("the results");
    let words = left.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let l2 = &run.outcome.counters.memory.l2;
    (words, l2.read_sectors - l2.far_read_sectors)
}

/// Sectors, in thousands, that copies of boxes read, here and on the H200; and the cycles of a step of an SM in the mean.
fn shared(program: &Program, row: &str) -> ([u64; 2], [f64; 2]) {
    let text = read("traces/h200/shares/shares.txt");
    let found = text.lines().find_map(|line| line.strip_prefix(&format!("{row},"))).expect(row);
    let there: Vec<f64> = found.split(',').map(|number| number.parse().expect("a number")).collect();
    let numbers: Vec<i32> = row.split(',').map(|number| number.parse().expect("a number")).collect();
    let [wide, sets, neighbours, stages, every, count, most] = numbers[..] else { panic!("{row}") };
    let (boxes, steps) = (8, 256);
    let sizes = if wide == 1 { [2048, 132 * 128] } else { [64, 132 * 8 * 128] };
    let map = tensor("in", TensorElementName::F16, sizes, [64, 128], 128);
    let counts = [sets, neighbours, boxes, wide, steps, stages, every, count, most].map(Argument::I32);
    let arguments = [vec![map, pointer("in")], counts.to_vec(), vec![pointer("out")]].concat();
    let buffers = [buffer("in", 132 * 128 * 4096), buffer("out", 4096)];
    let (clocks, sectors) = run(program, "share", (32, 6 * 32_768), &arguments, &buffers);
    let clocks: Vec<f64> =
        clocks[..SMS].iter().filter(|&&clock| clock > 0).map(|&clock| f64::from(clock)).collect();
    let mean = clocks.iter().sum::<f64>() / clocks.len() as f64 / f64::from(steps / 2);
    ([sectors, (there[4] - there[5]) as u64].map(|sectors| sectors / 1000), [mean.round(), there[0].round()])
}

#[test]
fn sms_of_a_gpc_that_copy_the_same_boxes_read_them_together_as_often_as_on_an_h200() {
    let program = listing("traces/h200/shares/share.sass");
    let sectors = |row: &str| shared(&program, row).0;
    // Each its own; two of a TPC the same; four, two each of two GPCs; six, some of a GPC; 44 in a row; all.
    let rows =
        ["0,132,0", "0,66,1", "0,33,1", "0,22,0", "0,3,1", "0,1,0"].map(|row| format!("{row},4,1,1,132"));
    let expected =
        [[34603, 34595], [17301, 17293], [16777, 17293], [28479, 27259], [10486, 11128], [8921, 9490]];
    assert_eq!(rows.map(|row| sectors(&row)), expected);
}

#[test]
fn an_sm_copies_boxes_from_level_two_as_fast_as_on_an_h200_alone_or_with_all() {
    let program = listing("traces/h200/shares/share.sass");
    let cycles = |row: &str| shared(&program, row).1;
    // One SM; all, two of a TPC the same; all, each its own rows.
    let rows = ["0,132,0,4,1,1,1", "0,66,1,4,1,1,132", "1,132,0,4,1,1,132"];
    assert_eq!(rows.map(cycles), [[657.0, 669.0], [657.0, 669.0], [793.0, 896.0]]);
}

/// All SMs ask for 32 KiB at once and wait for them: in `DEVIATIONS.md`.
#[test]
fn all_sms_that_wait_for_each_step_are_slower_than_on_an_h200() {
    let program = listing("traces/h200/shares/share.sass");
    assert_eq!(shared(&program, "0,132,0,1,1,1,132").1, [1180.0, 1052.0]);
}

/// The numbers of a line of `coalesce.txt`, and what the H200 found: cycles of each reader.
fn reads(name: &str) -> (Vec<i64>, Vec<f64>) {
    let text = read("traces/h200/shares/coalesce.txt");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).expect(name);
    let mut parts = line.split('|').map(str::trim);
    let mut part = || parts.next().expect("a part").split(' ');
    let numbers = part().map(|number| number.parse().expect("a number")).collect();
    (numbers, part().map(|number| number.parse().expect("cycles")).collect())
}

/// The readers of a launch: how many, then the SM, the delay, the first sector and the sectors of each.
fn readers(numbers: &[i64]) -> Argument {
    let mut words = vec![numbers[6] as f64];
    for field in 0..4 {
        let mut of_each: Vec<f64> =
            numbers.iter().skip(7 + field).step_by(4).map(|&number| number as f64).collect();
        of_each.resize(MOST_READERS, 0.0);
        words.extend(of_each);
    }
    Argument::Array(ElementName(ElementType::I32), words)
}

/// Sectors that readers of lines in level two read, of those that they ask for, in percent: 64 rounds less what the first 32 bring.
fn read_of_asked(program: &Program, name: &str) -> u64 {
    let (numbers, _) = reads(name);
    let [_, every, lines, bulk, ..] = numbers[..] else { panic!("{name}") };
    let sectors = |rounds: i64| {
        let words = [lines, rounds, every, bulk, 32 * lines - 1].map(|number| Argument::I32(number as i32));
        let arguments =
            [vec![readers(&numbers), pointer("mail"), pointer("in")], words.to_vec(), vec![pointer("out")]];
        let buffers = [buffer("mail", 65_536), buffer("in", 1 << 20), buffer("out", 4096)];
        let threads = if bulk == 1 { 32 } else { lines as u32 * 8 };
        run(program, "coalesce", (threads, 131_072), &arguments.concat(), &buffers).1
    };
    let asked: i64 = numbers[10..].iter().step_by(4).sum::<i64>() * lines * 32;
    100 * (sectors(64) - sectors(32)) / asked as u64
}

#[test]
fn a_read_goes_with_one_of_its_gpc_that_is_at_the_slice_and_four_go_together() {
    let program = listing("traces/h200/shares/coalesce.sass");
    let percent =
        |names: &[&str]| -> Vec<u64> { names.iter().map(|name| read_of_asked(&program, name)).collect() };
    // The H200: 51, 54, 58, 64, 73, 91, 107 (tests of the flag that all wait for are counted there).
    let late = ["cpc_d5", "cpc_d30", "cpc_d50", "cpc_d60", "cpc_d70", "cpc_d80", "cpc_d100"];
    assert_eq!(percent(&late), [50, 50, 75, 85, 97, 97, 100]);
    // The H200: 26, 34, 26, 29, 26, 28.
    assert_eq!(percent(&["sms_2", "sms_3", "sms_4", "sms_5", "sms_6", "sms_8"]), [25, 33, 25, 30, 25, 25]);
}

/// Cycles for each load of one line by warps of these SMs, in the mean, here and on the H200.
fn of_one_line(program: &Program, name: &str) -> [String; 2] {
    let (numbers, there) = reads(name);
    let arguments = [readers(&numbers), pointer("in"), Argument::I32(numbers[2] as i32), pointer("out")];
    let buffers = [buffer("in", 1 << 20), buffer("out", 4096)];
    let (clocks, _) = run(program, "same", (1024, 0), &arguments, &buffers);
    let clocks: Vec<f64> =
        clocks[1..=SMS].iter().filter(|&&clock| clock > 0).map(|&clock| f64::from(clock)).collect();
    let mean = clocks.iter().sum::<f64>() / clocks.len() as f64 / LOADS;
    [mean, there[0]].map(|cycles| format!("{cycles:.2}"))
}

#[test]
fn a_slice_replies_to_an_sm_or_to_four_of_a_gpc_every_second_cycle_of_its_own() {
    let program = listing("traces/h200/shares/coalesce.sass");
    // One SM; four GPCs of each half; four SMs of a GPC; 16 of a GPC; all.
    let names = ["same_gpcs1_1", "same_gpcs8_1", "same_sms4_1", "same_sms16_1", "same_all_1"];
    let expected =
        [["2.35", "2.33"], ["9.32", "9.25"], ["2.37", "2.34"], ["8.80", "11.01"], ["40.31", "37.42"]];
    assert_eq!(names.map(|name| of_one_line(&program, name)), expected);
}
