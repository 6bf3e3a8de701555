//! What the warps of an SM share, and how they are numbered.

use super::fences::run;
use super::small_deviations::{launch, machine_code, ptx};
use warplab_tests::{gpu, listing, read};

#[test]
fn warps_take_turns_at_special_functions() {
    let config = gpu("h200");
    let functions: String = (0..32).map(|n| format!("stall=1 MUFU.EX2 R{}, R9\n", 20 + n % 8)).collect();
    let code = format!("stall=8 CS2R.32 R10, SR_CLOCKLO\n{functions}stall=8 CS2R.32 R12, SR_CLOCKLO\n");
    let simulated = machine_code(&config, 512, &code);
    let buffer = simulated.image.buffer("a").expect("the buffer");
    // The warps of one sub-partition, each with 32 functions of 8 cycles.
    let ends: Vec<u32> = (0..4).map(|warp| buffer.word(warp * 128)).collect();
    let first = *ends.iter().min().expect("four warps");
    let apart: Vec<u32> = ends.iter().map(|end| end - first).collect();
    // Where one goes on as long as it can they end 256 cycles apart.
    assert_eq!(apart, [64, 56, 40, 0]);
}

#[test]
fn numbers_of_the_warp_take_nothing_of_shared_memory() {
    let config = gpu("h200");
    let time = |special: &str| {
        let pattern = format!("{special}{}", "stall=1 LDS R5, [RZ]\n".repeat(4)).repeat(16);
        let code = format!(
            "stall=8 CS2R.32 R10, SR_CLOCKLO\n{pattern}stall=8 CS2R.32 R12, SR_CLOCKLO\nstall=8 IADD3 R12, R12, -R10, RZ\n"
        );
        let simulated = machine_code(&config, 512, &code);
        let buffer = simulated.image.buffer("a").expect("the buffer");
        (0..16).map(|warp| buffer.word(warp * 32)).max().expect("sixteen warps")
    };
    // As on the hardware: 16 cycles for four loads of four sub-partitions.
    assert_eq!([time(""), time("stall=1 S2R R6, SR_CLOCKLO\n")], [975, 976]);
}

#[test]
fn warps_are_numbered_by_their_place_on_the_sm() {
    let config = gpu("h200");
    let body =
        "mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; mov.u32 %r5, %warpid; st.global.u32 [%d3], %r5;";
    let simulated = launch(&config, &ptx(&config, body), 1, 256, 1024);
    let buffer = simulated.image.buffer("a").expect("the buffer");
    let numbers: Vec<u32> = (0..8).map(|warp| buffer.word(warp * 32)).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn chains_across_the_lanes_of_a_warp_take_as_long_as_on_an_h200() {
    let program = listing("traces/h200/core/reductions.sass");
    let there = read("traces/h200/core/reductions.txt");
    // Cycles of a step, here and on the H200, in hundredths.
    let step = |row: &str| {
        let found = there.lines().find_map(|line| line.strip_prefix(&format!("{row},"))).expect(row);
        let (kernel, warps) = row.split_once(',').expect("a kernel and its warps");
        let warps: u32 = warps.parse().expect("a number");
        let left = run(&program, kernel, [1, 32 * warps], &[], &[1]);
        let all: u32 = left.chunks(2).take(warps as usize).map(|words| words[0]).sum();
        let there: f64 = found.parse().expect("a number");
        [100 * all / (32 * warps), (100.0 * there).round() as u32]
    };
    let rows = [
        "k_redux_max_1,1",
        "k_redux_max_1,8",
        "k_redux_max_4,1",
        "k_redux_max_4,8",
        "k_shuffle_1,1",
        "k_ballot_1,1",
        "k_match_all_1,1",
        "k_match_all_1,8",
        "k_match_any_1,1",
        "k_match_any_1,8",
    ];
    let expected = [
        [4412, 4412],
        [4457, 4448],
        [4584, 4584],
        [6545, 6536],
        [2331, 2331],
        [1703, 1703],
        [2740, 2741],
        [2785, 2777],
        [36790, 36791],
        [50395, 50131],
    ];
    assert_eq!(rows.map(step), expected);
}
