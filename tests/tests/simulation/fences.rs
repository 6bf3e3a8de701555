//! What fences and stores of sectors take, beside an H200: traces/h200/fences and lsu/sectors.txt.

use warplab_config::launch::{Argument, BufferSpec, Init, Size};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{gpu, listing, read};

/// What a kernel leaves in its last buffer, which has 64 KiB; the others have so many bytes.
pub(super) fn run(
    program: &Program,
    kernel: &str,
    [blocks, threads]: [u32; 2],
    bytes: &[u64],
    numbers: &[i32],
) -> Vec<u32> {
    run_with_shared(program, kernel, [blocks, threads], bytes, numbers, 0)
}

/// Likewise, with so many bytes of shared memory.
fn run_with_shared(
    program: &Program,
    kernel: &str,
    [blocks, threads]: [u32; 2],
    bytes: &[u64],
    numbers: &[i32],
    dynamic_shared_bytes: u32,
) -> Vec<u32> {
    let sizes = [bytes, &[1 << 16]].concat();
    let names: Vec<String> = (0..sizes.len()).map(|index| format!("buffer{index}")).collect();
    let buffer = |(name, &bytes): (&String, &u64)| BufferSpec {
        name: name.clone(),
        size: Size(bytes).into(),
        init: Init::Zero,
    };
    let buffers: Vec<BufferSpec> = names.iter().zip(&sizes).map(buffer).collect();
    let pointer = |name: &String| Argument::Pointer { buffer: name.clone(), offset: Size(0) };
    let numbers = numbers.iter().map(|&number| Argument::I32(number));
    let arguments: Vec<Argument> = names.iter().map(pointer).chain(numbers).collect();
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes };
    let workload =
        Workload { program, kernel, shape, arguments: &arguments, buffers: &buffers, symbols: &NO_SYMBOLS };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default()).expect("it runs");
    let place = run.image.buffer(&names[names.len() - 1]).expect("the results").base;
    let left = run.image.read_bytes(place, 1 << 16).expect("the results");
    left.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// The numbers behind a row of a file, and those of the row.
fn there(file: &str, row: &str) -> (Vec<f64>, Vec<i32>) {
    let text = read(&format!("traces/h200/{file}"));
    let found = text.lines().find_map(|line| line.strip_prefix(&format!("{row},"))).expect(row);
    let there = found.split(',').map(|number| number.parse().expect("a number")).collect();
    (there, row.split(',').filter_map(|number| number.parse().ok()).collect())
}

const FLAGS: u64 = 132 * 32 * 128;
const ROUNDS: i32 = 32;

/// Cycles of a round of a warp, here and on the H200: of a kind, behind so many lines, by so many warps of one SM.
fn round(program: &Program, row: &str) -> [f64; 2] {
    let (there, numbers) = there("fences/fences.txt", &format!("{row},1,0"));
    let [lines, warps, ..] = numbers[..] else { panic!("{row}") };
    let kind = row.split(',').next().expect("a kind");
    let left = run(
        program,
        &format!("cost_{kind}"),
        [1, 1024],
        &[132 * 32 * 16_384, FLAGS],
        &[lines, warps, ROUNDS, 0],
    );
    let cycles: f64 = left.chunks(2).take(warps as usize).map(|words| f64::from(words[0])).sum();
    [cycles / f64::from(warps * ROUNDS / 2), there[0]].map(f64::round)
}

#[test]
fn a_fence_takes_a_way_to_level_two_and_what_is_under_way_longer() {
    let program = listing("traces/h200/fences/fences.sass");
    let rows = [
        "fence_cta,0,1",
        "fence_gpu,0,1",
        "fence_sys,0,1",
        "fence_gpu,1,1",
        "fence_gpu,16,1",
        "fence_gpu,1,4",
        "fence_gpu,1,16",
        "fence_gpu,4,16",
        "fence_gpu,4,32",
        "fence_cta,-1,1",
        "fence_gpu,-1,1",
        "fence_cta,-1,4",
        "fence_gpu,-1,4",
        "st_release,1,1",
    ];
    let expected = [
        [220.0, 229.0],
        [474.0, 483.0],
        [1232.0, 1242.0],
        [654.0, 682.0],
        [959.0, 979.0],
        [867.0, 850.0],
        [909.0, 901.0],
        [1179.0, 1148.0],
        [1558.0, 1264.0],
        // The lines that are loaded are in level two there, and not at first here.
        [871.0, 590.0],
        [1291.0, 989.0],
        [977.0, 587.0],
        [1490.0, 1141.0],
        [633.0, 673.0],
    ];
    assert_eq!(rows.map(|row| round(&program, row)), expected);
}

/// Cycles of an arrival with release, in the mean of all warps, of the first ones, and of the block with the least and that with
/// the most, and of a round, here and on the H200: by cluster, warps, blocks, loads, stores, who has them, reads of other
/// blocks, and how long before.
fn arrival(program: &Program, row: &str) -> [[u32; 5]; 2] {
    let (there, numbers) = there("fences/rounds.txt", row);
    let [cluster, warps, blocks, loads, stores, who, reads, wait] = numbers[..] else { panic!("{row}") };
    let rounds = 14;
    let bytes = 128 * rounds as u64 * 256 * 16;
    let left = run(
        program,
        &format!("k_rounds_{cluster}"),
        [blocks as u32, 32 * warps as u32],
        &[bytes; 2],
        &[loads, stores, who, reads, wait, rounds],
    );
    let of_warps: Vec<[f64; 2]> = left
        .as_chunks::<2>()
        .0
        .iter()
        .take((blocks * warps) as usize)
        .map(|words| words.map(|cycles| f64::from(cycles) / f64::from(rounds - 2)))
        .collect();
    let arrivals = |warps: &[[f64; 2]]| mean(warps.iter().map(|warp| warp[0]));
    let of_blocks: Vec<f64> = of_warps.chunks(warps as usize).map(arrivals).collect();
    let here = [
        mean(of_blocks.iter().copied()),
        mean(of_warps.iter().step_by(warps as usize).map(|warp| warp[0])),
        of_blocks.iter().copied().fold(f64::MAX, f64::min),
        of_blocks.iter().copied().fold(0.0, f64::max),
        mean(of_warps.iter().map(|warp| warp[1])),
    ];
    let there = there.try_into().expect("five numbers");
    [here, there].map(|cycles: [f64; 5]| cycles.map(|cycles| cycles.round() as u32))
}

/// Cycles until all warps have arrived with release while something is under way, the first ones, until the data is there, and for the
/// first ones, here and on the H200.
fn under_way(program: &Program, row: &str) -> [[u32; 4]; 2] {
    let (there, numbers) = there("fences/flight.txt", row);
    let [warps, blocks, bytes, step] = numbers[..] else { panic!("{row}") };
    let (kernel, _) = row.split_once(',').expect("a kernel");
    let rounds = 14;
    let shape = [blocks as u32, 32 * warps as u32];
    let numbers = [bytes, step, rounds];
    let left = run_with_shared(program, kernel, shape, &[132 * 16_384 * 16], &numbers, 16_384);
    let of_warps = &left.as_chunks::<2>().0[..(blocks * warps) as usize];
    let cycles = |step: i32, word: usize| {
        mean(of_warps.iter().step_by(step as usize).map(|warp| f64::from(warp[word]))) / f64::from(rounds - 2)
    };
    let here = [cycles(1, 0), cycles(warps, 0), cycles(1, 1), cycles(warps, 1)];
    [here, there.try_into().expect("four numbers")]
        .map(|row: [f64; 4]| row.map(|cycles| cycles.round() as u32))
}

#[test]
fn a_release_waits_for_loads_and_bulk_copies_that_are_under_way() {
    let program = listing("traces/h200/fences/flight.sass");
    let rows = [
        "k_nothing,1,132,512,0",
        "k_load,1,132,512,0",
        "k_load,1,132,512,16384",
        "k_load_relaxed,1,132,512,16384",
        "k_load,8,132,4096,16384",
        "k_bulk,1,2,512,16384",
        "k_bulk,1,2,4096,16384",
        "k_bulk,1,2,16384,0",
        "k_bulk,1,2,16384,16384",
        "k_bulk,8,132,4096,0",
    ];
    let expected = [
        [[280, 280, 286, 286], [275, 275, 281, 281]],
        [[523, 523, 530, 530], [521, 521, 528, 528]],
        [[843, 843, 850, 850], [889, 889, 896, 896]],
        [[19, 19, 752, 752], [18, 18, 758, 758]],
        [[993, 993, 1003, 1004], [956, 958, 963, 966]],
        [[910, 910, 989, 989], [824, 824, 914, 914]],
        [[1031, 1031, 1110, 1110], [1016, 1016, 1106, 1106]],
        [[729, 729, 808, 808], [767, 767, 857, 857]],
        [[1154, 1154, 1233, 1233], [1147, 1147, 1237, 1237]],
        // The other warps set out before the copy, and wait for it all the same there.
        [[356, 627, 464, 706], [600, 647, 700, 755]],
    ];
    assert_eq!(rows.map(|row| under_way(&program, row)), expected);
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[test]
fn a_release_goes_to_the_slices_that_were_asked_before() {
    let program = listing("traces/h200/fences/rounds.sass");
    // By whom, where and whether something was loaded or stored since the last one; when does not matter.
    let rows = [
        "1,1,8,0,0,0,0,0",
        "8,8,8,0,0,0,8,0",
        "1,1,128,0,2,0,0,1000",
        "1,8,128,0,2,0,0,1000",
        "1,8,128,0,2,1,0,1000",
        "8,8,128,2,0,0,0,0",
        "8,8,128,1,1,0,8,0",
    ];
    let expected = [
        [[269, 269, 269, 269, 637], [264, 264, 264, 264, 645]],
        [[278, 286, 278, 278, 1334], [256, 254, 256, 256, 1422]],
        [[501, 501, 394, 607, 1928], [497, 497, 385, 601, 1956]],
        [[496, 492, 388, 601, 1978], [500, 502, 407, 598, 1996]],
        [[496, 505, 388, 601, 1955], [481, 475, 379, 591, 1959]],
        [[501, 500, 336, 601, 1423], [498, 498, 406, 607, 1465]],
        [[538, 538, 453, 601, 2956], [557, 556, 479, 590, 3262]],
    ];
    assert_eq!(rows.map(|row| arrival(&program, row)), expected);
}

/// Cycles for a flag to go to the other SM and one to come back, here and on the H200.
fn flags(program: &Program, how: i32, other: i32) -> [f64; 2] {
    let (there, _) = there("fences/fences.txt", &format!("flags,{how},{other},32"));
    let rounds = 64;
    let left = run(program, "flags", [132, 32], &[FLAGS], &[other, rounds, how, 32]);
    [f64::from(left[0]) / f64::from(rounds / 2), there[0]].map(f64::round)
}

#[test]
fn an_sm_sees_what_another_has_stored_as_soon_as_on_an_h200() {
    let program = listing("traces/h200/fences/fences.sass");
    // Relaxed; acquire and release; volatile, with fences; atomic operations.
    let expected = [[1272.0, 1391.0], [2021.0, 2191.0], [2588.0, 2468.0], [1288.0, 1423.0]];
    assert_eq!([0, 1, 2, 3].map(|how| flags(&program, how, 1)), expected);
}

/// Cycles of an SM for a store, of 32 warps with 64 each, here and on the H200, in hundredths.
fn store(program: &Program, row: &str) -> [u64; 2] {
    let (there, numbers) = there("lsu/sectors.txt", row);
    let [bytes, per, pitch, lanes, warps, blocks, rounds, step, _, inner, within] = numbers[..] else {
        panic!("{row}")
    };
    let size = 2 * u64::from((warps * rounds / inner) as u32) * step as u64 + (1 << 20);
    let left = run(
        program,
        &format!("store_u{}", bytes * 8),
        [blocks as u32, warps as u32 * 32],
        &[size],
        &[per, pitch, lanes, rounds, step, inner, within],
    );
    [f64::from(left[1]), there[1]].map(|cycles| (100.0 * cycles / f64::from(warps * rounds)).round() as u64)
}

#[test]
fn a_whole_sector_leaves_an_sm_in_a_cycle_and_part_of_one_in_two() {
    let program = listing("traces/h200/lsu/sectors.sass");
    // Eight and sixteen lines of a sector each, a line, 32 words of lines of their own, eight half sectors.
    let rows = [
        "8,4,512,32,32,1,64,4096,0,4,32",
        "16,2,512,32,32,1,64,8192,0,4,32",
        "4,32,128,32,32,1,64,128,0,1,0",
        "4,1,512,32,32,1,64,16384,0,1,32",
        "4,4,512,32,32,1,64,4096,0,4,16",
    ];
    let expected = [[795, 809], [1588, 1646], [397, 388], [6339, 6337], [1586, 1575]];
    assert_eq!(rows.map(|row| store(&program, row)), expected);
}

/// Lanes that do not store take no pass: two lanes with 16 bytes each are as fast as eight with a word.
#[test]
fn a_store_of_few_lanes_takes_as_long_as_its_sectors() {
    let program = listing("traces/h200/lsu/sectors.sass");
    let rows = ["16,2,384,2,32,1,64,384,0,1,0", "4,8,384,8,32,1,64,384,0,1,0"];
    assert_eq!(rows.map(|row| store(&program, row)), [[235, 240], [235, 242]]);
}

/// Cycles of each access of a block of 32 warps, 128 each, in hundredths: by generic addresses here, there, and by shared ones here and there.
fn shared_access(program: &Program, name: &str) -> [u64; 4] {
    let cycles = |kernel: &str| {
        let row = format!("{kernel},32,32");
        let (there, _) = there("lsu/generic.txt", &row);
        let left = run(program, kernel, [1, 1024], &[], &[32, 128]);
        [f64::from(left[1]) / (32.0 * 128.0), there[1]].map(|cycles| (100.0 * cycles).round() as u64)
    };
    let [generic, shared] = ["g", "s"].map(|kind| cycles(&format!("{name}_{kind}")));
    [generic[0], generic[1], shared[0], shared[1]]
}

#[test]
fn generic_stores_and_atomic_operations_in_shared_memory_take_a_pass_more_as_on_an_h200() {
    let program = listing("traces/h200/lsu/generic.sass");
    let expected = [[107, 106, 109, 107], [204, 204, 108, 107], [206, 205, 109, 108], [307, 305, 210, 208]];
    assert_eq!(["load", "store", "add", "cas"].map(|name| shared_access(&program, name)), expected);
}
