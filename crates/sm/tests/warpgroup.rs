//! Products of warpgroups on one SM: each test claims one thing about when warps go on.
#![allow(missing_docs, clippy::result_large_err)]
mod common;
use common::{Bench, after, holds, toy};
use warplab_config::GpuConfig;
use warplab_program::instruction::Control;
use warplab_trace::StallReason;

/// A product of eight columns takes 18 cycles, of 64 columns 32, and its sum is there 30 cycles after the last column.
fn machine() -> GpuConfig {
    let warpgroups = "warpgroups: (columns: 2, shared_bytes: 128, register_interval: 13, start: 10, register_start: 10, end: 20, \
        arrive: 0, give_registers: 0, take_registers: 0, issue: 4, issue_columns: 8, queue: 2), shared: (";
    let tensor = "adu: (interval: 1), tensor: (long: 1, short: 1, small: 1),";
    let four = ("sub_partitions: 2,", "sub_partitions: 4,");
    toy(&[
        ("shared: (", warpgroups),
        ("adu: (interval: 1),", tensor),
        four,
        ("l1_latency: 5,", "l1_latency: 0,"),
        ("l2_latency: 10,", "l2_latency: 0,"),
    ])
}

const EIGHT: &str = "HGMMA.64x8x16.F32 R4, gdesc[UR4], RZ, !UPT, gsb0";
const SIXTY_FOUR: &str = "HGMMA.64x64x16.F32 R4, gdesc[UR4], RZ, !UPT, gsb0";
const ALL: &str = "WARPGROUP.DEPBAR.LE gsb0, 0x0";

fn issues(lines: &[(&'static str, Control)]) -> Vec<u64> {
    Bench::on(&machine(), 128, lines).run().issues(0)
}

#[test]
fn a_sum_is_there_so_many_cycles_after_its_last_column() {
    let times = issues(&[(EIGHT, after(1)), (ALL, after(1)), ("EXIT", after(1))]);
    assert_eq!(times[2] - times[0], 10 + 4 + 20);
}

#[test]
fn products_take_the_tensor_cores_one_after_the_other() {
    let times =
        issues(&[(SIXTY_FOUR, after(1)), (SIXTY_FOUR, after(1)), (ALL, after(1)), ("EXIT", after(1))]);
    assert_eq!(times[3] - times[0], 10 + 32 + 32 + 20);
}

#[test]
fn a_product_of_few_columns_takes_as_long_as_its_factors_are_read() {
    let times = issues(&[(EIGHT, after(1)), (EIGHT, after(1)), (ALL, after(1)), ("EXIT", after(1))]);
    assert_eq!(times[3] - times[0], 10 + 18 + 4 + 20);
}

#[test]
fn a_wait_for_all_groups_but_one_ends_with_the_first() {
    let one = "WARPGROUP.DEPBAR.LE gsb0, 0x1";
    let times =
        issues(&[(SIXTY_FOUR, after(1)), (SIXTY_FOUR, after(1)), (one, after(1)), ("EXIT", after(1))]);
    assert_eq!(times[3] - times[0], 10 + 32 + 20);
}

#[test]
fn more_products_than_wait_hold_their_warps_back() {
    let lines = [(SIXTY_FOUR, after(1)); 4];
    let lines: Vec<_> = lines.into_iter().chain([("EXIT", after(1))]).collect();
    let times = issues(&lines);
    // Behind the third product the first has begun, behind the fourth the second.
    assert_eq!([times[2] - times[0], times[3] - times[0], times[4] - times[0]], [5, 10, 42]);
}

#[test]
fn warps_wait_for_the_last_of_their_warpgroup() {
    let lines = [
        ("S2R R0, SR_TID.X", holds(1)),
        ("ISETP.GE.U32.AND P1, PT, R0, 0x60, PT", Control { stall: 12, wait_mask: 2, ..Control::default() }),
        ("@P1 NANOSLEEP 0x64", after(1)),
        (EIGHT, after(1)),
        ("EXIT", after(1)),
    ];
    let run = Bench::on(&machine(), 128, &lines).run();
    let (first, last) = (run.issues(0), run.issues(3));
    assert!(last[3] > first[3] + 50, "the last one sleeps");
    assert_eq!(first[4], last[3] + 1);
    assert_eq!(
        run.stalled(StallReason::Gmma),
        (0..3).map(|warp| last[3] - run.issues(warp)[3] - 1).sum::<u64>()
    );
}
