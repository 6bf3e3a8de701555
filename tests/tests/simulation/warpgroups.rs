//! The time of products of warpgroups beside what an H200 took: traces/h200/warpgroup, times.txt.

use warplab_config::launch::{Argument, Init, Size};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{gpu, listing, read};
use warplab_trace::{LaunchCounters, StallReason, WarpState};

/// Clocks that each warp reads: before and behind the fence, behind the last product, behind the first wait and the last.
type Clocks = [u64; 5];

/// Warps of a warpgroup.
const WARPS: usize = 4;

/// What the H200 read in a line of `times.txt`.
fn measured(kernel: &str, groups: &str) -> Vec<Clocks> {
    let text = read("traces/h200/warpgroup/times.txt");
    let line = text.lines().find(|line| line.starts_with(&format!("{kernel} {groups} ")));
    let words = line.unwrap_or_else(|| panic!("no {kernel}")).split(' ').skip(3);
    let clocks = |word: &str| {
        let numbers: Vec<u64> = word.split('/').map(|number| number.parse().expect("a clock")).collect();
        Clocks::try_from(numbers).expect("five clocks")
    };
    words.map(clocks).collect()
}

/// A descriptor without base offset: start, leading and stride offset, swizzle.
fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> u64 {
    start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62
}

/// What the kernel reads here, and what is counted.
fn simulated(program: &Program, kernel: &str, groups: &str) -> (Vec<Clocks>, LaunchCounters) {
    let config = gpu("h200");
    let groups: usize = groups.parse().expect("a number");
    // Beside products other warps do something else.
    let warps = WARPS * if kernel.starts_with('b') { groups + 1 } else { groups };
    let leading = if kernel.starts_with("t_tr") { 8192 } else { 16 };
    let buffer =
        |name: &str| Argument::Buffer { name: name.to_owned(), size: Size(1 << 16).into(), init: Init::Zero };
    let arguments = [
        buffer("o"),
        Argument::U64(descriptor(0, leading, 1024, 1)),
        Argument::U64(descriptor(1 << 16, leading, 1024, 1)),
        Argument::I32(3),
        buffer("in"),
    ];
    let block = [32 * warps as u32, 1, 1];
    let workload = Workload {
        program,
        kernel,
        shape: LaunchShape { grid: [1; 3], block, dynamic_shared_bytes: 200 << 10 },
        arguments: &arguments,
        buffers: &[],
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&config, &workload, &no_files, RunOptions::default()).expect("it runs");
    let place = run.image.buffer("in").expect("the clocks").base;
    let bytes = run.image.read_bytes(place, (warps * 40) as u64).expect("the clocks");
    let clocks: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
    (clocks.as_chunks::<5>().0.to_vec(), run.outcome.counters)
}

/// Cycles from the first clock of some warps to their last.
fn cycles(warps: &[Clocks]) -> f64 {
    let first = warps.iter().map(|warp| warp[0]).min().unwrap_or(0);
    let last = warps.iter().map(|warp| warp[4]).max().unwrap_or(0);
    (last - first) as f64
}

/// How much longer products take here than on the H200, and what other warps do beside them.
fn compared(kernel: &str, groups: &str) -> (f64, f64) {
    let program = listing("traces/h200/warpgroup/times.sass");
    let (there, (here, _)) = (measured(kernel, groups), simulated(&program, kernel, groups));
    assert_eq!(there.len(), here.len(), "{kernel}");
    let split = if kernel.starts_with('b') { WARPS } else { there.len() };
    let ratio = |range: std::ops::Range<usize>| cycles(&here[range.clone()]) / cycles(&there[range]);
    (ratio(0..split), if split < there.len() { ratio(split..there.len()) } else { 1.0 })
}

#[test]
fn products_of_one_warpgroup_take_as_long_as_on_the_hardware() {
    for kernel in [
        "t_f16_8_s_1",
        "t_f16_8_s_16",
        "t_f16_64_s_8",
        "t_f16_256_s_8",
        "t_f16_8_r_16",
        "t_f16_128_r_8",
        "t_e4e4_128_s_8",
        "t_tr11_64_8",
        "t_each1_256_s_4",
        "t_late_64_s_4",
        "t_two_32_r_8",
    ] {
        let (products, _) = compared(kernel, "1");
        assert!((0.99..1.01).contains(&products), "{kernel}: {products}");
    }
}

#[test]
fn other_warps_wait_for_tensor_cores_and_shared_memory_as_on_the_hardware_and_products_do_not_wait_for_these()
{
    let [of_cores, of_memory] = ["b_hmma_64_s_16", "b_lds128_64_s_16"].map(|kernel| compared(kernel, "1"));
    assert!([of_cores, of_memory].iter().all(|(_, others)| (0.98..1.02).contains(others)));
    let products = [of_cores, of_memory].map(|(products, _)| (products * 1000.0).round());
    assert_eq!(products, [1010.0, 972.0]);
}

#[test]
fn who_waits_for_room_among_products_waits_at_a_barrier() {
    let program = listing("traces/h200/warpgroup/times.sass");
    let (_, counters) = simulated(&program, "t_f16_256_s_8", "1");
    let stalled = |reason| {
        let state = WarpState::Stalled(reason).index();
        counters.sm.schedulers.iter().map(|scheduler| scheduler.states[state]).sum::<u64>()
    };
    let stalls = [StallReason::Barrier, StallReason::MioThrottle, StallReason::Gmma].map(stalled);
    assert_eq!(stalls, [10_649, 0, 0]);
}

#[test]
fn sums_of_bytes_are_two_cycles_late() {
    let (products, _) = compared("t_s8s8_64_s_1", "1");
    assert!((1.02..1.03).contains(&products), "{products}");
}

#[test]
fn several_warpgroups_end_somewhat_otherwise() {
    let (products, _) = compared("t_two_32_r_8", "2");
    assert!((0.83..0.90).contains(&products), "{products}");
}

#[test]
fn arithmetic_is_not_slower_beside_products() {
    let (_, alone) = compared("b0_ffma_64_s_0", "1");
    let (_, beside) = compared("b_ffma_256_s_16", "1");
    assert!((0.98..1.02).contains(&alone) && (0.49..0.55).contains(&beside), "{alone} {beside}");
}
