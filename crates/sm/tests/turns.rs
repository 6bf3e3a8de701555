//! Sub-partitions in turn, several instructions in one cycle, several operations in one instruction.
#![allow(missing_docs, clippy::result_large_err)]
mod common;
use common::{Bench, Run, after, toy};
use std::rc::Rc;
use warplab_program::instruction::Control;
use warplab_trace::{StallReason, WarpState};

const ADD: &str = "FADD R0, R1, R2";
const LANE: &str = "S2R R0, SR_LANEID";

/// Code on the toy machine, whose instructions come at once, with other rules of issue.
fn bench(threads: u32, rules: &str, lines: &[(&str, Control)]) -> Rc<Bench> {
    let rules = format!("scheduler_seed: 1,\n        issue: Some({rules}),");
    let config = toy(&[
        ("l1_latency: 5,", "l1_latency: 0,"),
        ("l2_latency: 10,", "l2_latency: 0,"),
        ("scheduler_seed: 1,", &rules),
    ]);
    Bench::on(&config, threads, lines)
}

fn in_turn(threads: u32, lines: &[(&str, Control)]) -> Run {
    bench(threads, "(in_turn: true, instructions: 2, packed: 1)", lines).run()
}

#[test]
fn schedulers_that_take_turns_issue_in_every_second_cycle() {
    let run = in_turn(64, &[(ADD, after(1)), (ADD, after(1)), ("EXIT", after(1))]);
    assert_eq!((run.issues(0), run.issues(1)), (vec![0, 2, 4], vec![1, 3, 5]));
}

#[test]
fn a_ready_warp_off_its_turn_is_a_dispatch_stall() {
    let run = in_turn(32, &[(ADD, after(1)), ("EXIT", after(1))]);
    assert_eq!(run.issues(0), [0, 2]);
    assert_eq!(run.stalled(StallReason::DispatchStall), 1);
}

#[test]
fn a_result_that_is_there_at_the_next_turn_costs_no_cycle() {
    let run = in_turn(32, &[(ADD, after(2)), ("EXIT", after(1))]);
    assert_eq!(run.issues(0), [0, 2]);
    assert_eq!(run.stalled(StallReason::DispatchStall), 0);
}

#[test]
fn in_its_turn_a_scheduler_issues_from_several_warps_to_different_units() {
    // Slots 0 and 2 are of scheduler 0, which takes slot 2 first.
    let run = in_turn(96, &[(ADD, after(2)), (LANE, after(2)), ("EXIT", after(2))]);
    assert_eq!((run.issues(2), run.issues(0)), (vec![0, 2, 4], vec![2, 4, 6]));
    let schedulers = run.sm.counters().schedulers;
    assert_eq!((schedulers[0].issue_cycles, schedulers[0].further_warps), (4, 2));
    assert_eq!(run.state(WarpState::Selected), 6 + 3);
}

#[test]
fn two_warps_that_want_one_unit_issue_one_after_another() {
    let run = in_turn(96, &[(ADD, after(2)), ("EXIT", after(2))]);
    assert_eq!((run.issues(2)[0], run.issues(0)[0]), (0, 2));
    assert_eq!(run.state(WarpState::NotSelected), 1);
}

#[test]
fn independent_operations_of_a_thread_are_one_issue() {
    let four: Vec<(String, Control)> = (0..4)
        .map(|n| (format!("FADD R{n}, R10, R11"), after(1)))
        .chain([("EXIT".into(), after(1))])
        .collect();
    let lines: Vec<(&str, Control)> = four.iter().map(|(line, control)| (line.as_str(), *control)).collect();
    let run = bench(32, "(in_turn: false, instructions: 1, packed: 5)", &lines).run();
    assert_eq!(run.issues(0), [0, 0, 0, 0, 4]);
    let counters = &run.sm.counters();
    assert_eq!((counters.schedulers[0].issue_cycles, counters.schedulers[0].packed), (2, 3));
    assert_eq!(counters.instructions.warp, 5);
}

#[test]
fn what_needs_a_packed_result_issues_when_it_is_there() {
    let lines = [
        ("FADD R0, R10, R11", after(1)),
        ("FADD R1, R10, R11", after(4)),
        ("FADD R2, R0, R1", after(1)),
        ("EXIT", after(1)),
    ];
    let run = bench(32, "(in_turn: false, instructions: 1, packed: 5)", &lines).run();
    // The stall counts add up to 5, which is the latency of FADD on the toy machine.
    assert_eq!(run.issues(0), [0, 0, 5, 6]);
    assert!(run.sm.hazards().unwrap().found.is_empty());
}
