//! How warps share the queue of memory instructions, beside an H200: traces/h200/lsu/beside.txt, burst.txt and core/starving.txt.

use super::fences::run;
use warplab_program::Program;
use warplab_tests::{listing, read};

/// Of so many warps of a sub-partition that exchange lanes, the first with this number, beside so many that store, and so
/// many of each other sub-partition: the cycles until an exchange issues and those until its result is there, here and on the H200.
fn exchange(program: &Program, [count, first, stores, others]: [i32; 4]) -> [[u32; 2]; 2] {
    let row = format!("{count} exchange from {first}, {stores} store, {others} of each other: issue ");
    let text = read("traces/h200/lsu/beside.txt");
    let there = text.lines().find_map(|line| line.strip_prefix(&row)).expect("the row");
    let (issue, rest) = there.split_once(", result ").expect("the result");
    let (result, _) = rest.split_once(' ').expect("cycles");
    let there = [issue, result].map(|number| number.parse::<f64>().expect("a number").round() as u32);
    let told = run(program, "k_exchange_beside", [1, 1024], &[32 << 20], &[first, count, stores, others]);
    let exchanging =
        (first..first + count).map(|nth| told[16 * nth as usize..].first_chunk::<2>().expect("a warp"));
    let here = exchanging.fold([0, 0], |[issue, result], warp| [issue + warp[0], result + warp[1]]);
    let exchanges = 48 * count as u32;
    let here = here.map(|cycles| (cycles + exchanges / 2) / exchanges);
    [[here[0], there[0]], [here[1], there[1]]]
}

#[test]
fn an_exchange_finds_a_place_beside_stores_as_on_an_h200() {
    let program = listing("traces/h200/lsu/beside.sass");
    // Of a sub-partition alone and of all four: one store, seven; two exchanges and six stores, where they are let in sooner here.
    let rows = [[1, 0, 1, 0], [1, 7, 7, 0], [1, 0, 1, 8], [1, 0, 7, 8], [2, 0, 6, 0]];
    let expected = [
        [[14, 13], [916, 899]],
        [[344, 236], [1088, 954]],
        [[14, 13], [2076, 1989]],
        [[886, 768], [2948, 2624]],
        [[408, 743], [1038, 926]],
    ];
    assert_eq!(rows.map(|row| exchange(&program, row)), expected);
}

/// When the first warp of each of five blocks of an SM issues the first, eighth, 32nd and last of its 64 stores, in thousands of
/// cycles, the oldest block first.
fn stores(told: &[u32]) -> Vec<[u32; 4]> {
    let start = (0..40).map(|warp| told[1024 + warp]).min().expect("40 warps") / 8;
    let at = |warp: usize, store: usize| {
        let moment = told[4096 + 32 * warp + store / 2] >> (store % 2 * 16) & 0xffff;
        (moment.wrapping_sub(start) & 0xffff) * 8
    };
    let mut blocks: Vec<[u32; 4]> =
        (0..5).map(|block| [0, 7, 31, 63].map(|store| (at(8 * block, store) + 500) / 1000)).collect();
    blocks.sort_by_key(|moments| moments[3]);
    blocks
}

/// The same on the H200.
fn stores_there() -> Vec<[u32; 4]> {
    let text = read("traces/h200/core/starving.txt");
    let rows = text.lines().skip_while(|line| !line.starts_with("subs 4 lines 32 exchanges 0")).skip(1);
    let first_warps =
        rows.take_while(|line| !line.starts_with("subs")).filter(|line| line.contains(".0 start"));
    let mut blocks: Vec<[u32; 4]> = first_warps
        .map(|line| {
            let (_, moments) = line.split_once(": ").expect("moments");
            let moments: Vec<u32> =
                moments.split(' ').map(|number| number.parse().expect("a number")).collect();
            [0, 7, 31, 63].map(|store| (moments[store] + 500) / 1000)
        })
        .collect();
    blocks.sort_by_key(|moments| moments[3]);
    blocks
}

#[test]
fn younger_blocks_store_in_turn_but_for_a_few_stores_every_sixteen_thousand_cycles_as_on_an_h200() {
    let program = listing("traces/h200/core/starving.sass");
    let told = run(&program, "k_blocks", [132 * 5, 256], &[64 << 20], &[4, 32, 0]);
    assert_eq!(told[0], 5);
    let here = [[0, 1, 14, 36], [0, 38, 49, 71], [30, 70, 84, 104], [31, 102, 116, 135], [32, 129, 145, 164]];
    assert_eq!(stores(&told), here);
    let there = [[0, 0, 12, 35], [0, 40, 50, 70], [0, 71, 85, 104], [21, 101, 116, 135], [22, 132, 145, 164]];
    assert_eq!(stores_there(), there);
}

/// When the last of so many warps of one or four sub-partitions ends its eight bursts of a kind, here and on the H200.
fn bursts(program: &Program, (kind, warps, subs): (&str, i32, i32)) -> [u32; 2] {
    let row = format!("{kind} warps {warps} subs {subs}: ");
    let text = read("traces/h200/lsu/burst.txt");
    let there = text.lines().find_map(|line| line.strip_prefix(&row)).expect("the row");
    let ends = there
        .split(' ')
        .filter_map(|burst| burst.split_once('-'))
        .map(|(_, end)| end.parse().expect("a number"));
    let told = run(program, &format!("k_burst_{kind}"), [1, 1024], &[32 << 20], &[warps, subs]);
    let last = |nth: i32| told[64 * nth as usize + 15];
    [(0..warps).map(last).max().expect("a warp"), ends.max().expect("an end")]
}

#[test]
fn warps_that_find_the_queue_full_take_turns_as_on_an_h200() {
    let program = listing("traces/h200/lsu/burst.sass");
    let rows = [("store", 8, 1), ("store", 8, 4), ("reduce", 8, 4), ("shared", 8, 4), ("shared", 2, 1)];
    let expected =
        [[63_823, 63_716], [258_127, 257_848], [129_246, 129_143], [129_245, 129_134], [8_104, 11_047]];
    assert_eq!(rows.map(|row| bursts(&program, row)), expected);
}
