//! Barriers in shared memory and bulk copies on one SM: each test claims one thing about when warps go on.
#![allow(missing_docs, clippy::result_large_err)]
mod common;
use common::{Bench, after, holds, toy, waits};
use warplab_config::GpuConfig;
use warplab_program::instruction::Control;
use warplab_trace::StallReason;

/// Waits 40 to 42 cycles after the arrival that ends a phase, and 500 at most.
fn machine() -> GpuConfig {
    let mbarriers = "mbarriers: (latency: 20, test_latency: 20, interval: 1, further: 4, test_further: 4, wake: 40, \
        wake_interval: 2, wait_limit: 500), bulk_copies: (start: 10, interval: 1, load_bytes: 64, wake: 45, store_start: 10, \
        group: 1, store_bytes: 32, box_start: 10, box_rows: 5, box_bytes: 64, box_store_start: 10, row: 1, \
        partial_row: 2, outside: 20), shared: (";
    toy(&[
        ("shared: (", mbarriers),
        ("l1_latency: 5,", "l1_latency: 0,"),
        ("l2_latency: 10,", "l2_latency: 0,"),
    ])
}

/// A barrier for so many threads at 0x400, as one instruction each.
fn barrier(count: u32) -> [String; 4] {
    let left = (1_u32 << 20) - count;
    [
        format!("MOV R2, {:#x}", left << 1),
        format!("MOV R3, {:#x}", left << 11),
        "MOV R1, 0x400".to_owned(),
        "SYNCS.EXCH.64 RZ, [R1], R2".to_owned(),
    ]
}

const WAIT: &str = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R1], RZ";

fn with_barrier(count: u32, lines: &[(&'static str, Control)]) -> Vec<(&'static str, Control)> {
    let before = barrier(count).into_iter().map(|line| (&*line.leak(), after(8)));
    before.chain(lines.iter().copied()).collect()
}

#[test]
fn a_warp_that_waits_goes_on_when_the_phase_is_over() {
    // Warp 1 arrives 32 cycles after warp 0 waits; both have one thread less than the barrier wants.
    let lines = [
        ("S2R R0, SR_TID.X", holds(1)),
        ("ISETP.GE.U32.AND P1, PT, R0, 0x20, PT", Control { stall: 12, wait_mask: 2, ..Control::default() }),
        ("@P1 BRA 0x90", after(1)),
        (WAIT, holds(0)),
        ("EXIT", waits(1)),
        ("NOP", after(15)),
        ("NOP", after(15)),
        ("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1], RZ", after(1)),
        ("EXIT", after(1)),
    ];
    let run = Bench::on(&machine(), 64, &with_barrier(32, &lines)).run();
    let (waiter, arriver) = (run.issues(0), run.issues(1));
    let arrival = arriver[arriver.len() - 2];
    assert_eq!(waiter[waiter.len() - 1] - arrival, 40);
}

#[test]
fn a_warp_that_has_waited_long_enough_goes_on_with_no_for_an_answer() {
    let lines = [(WAIT, holds(0)), ("@!P0 EXIT", waits(1)), ("BRA 0x60", after(1))];
    let run = Bench::on(&machine(), 32, &with_barrier(64, &lines)).run();
    let issues = run.issues(0);
    assert_eq!(issues[5] - issues[4], 500);
    assert_eq!(run.stalled(StallReason::LongScoreboard), 499);
}

#[test]
fn a_phase_that_is_over_is_told_after_the_latency_of_a_test() {
    let lines = [
        ("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1], RZ", after(8)),
        (WAIT, holds(0)),
        ("@P0 EXIT", waits(1)),
        ("BRA 0x60", after(1)),
    ];
    let run = Bench::on(&machine(), 32, &with_barrier(32, &lines)).run();
    let issues = run.issues(0);
    assert_eq!(issues[6] - issues[5], 20);
}
