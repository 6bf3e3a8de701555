use super::{TimelineIssue, WarpRecord, letters, timeline_svg};
use crate::timeline::TimelineOptions;
use std::collections::BTreeSet;
use warplab_trace::{StallReason, StateInterval, WarpState};
use warplab_units::{Cycle, WarpSlot};

fn interval(slot: u8, state: WarpState, from: u64, to: u64) -> StateInterval {
    StateInterval { slot: WarpSlot(slot), state, pc: 0, from: Cycle(from), to: Cycle(to) }
}

fn issue(cycle: u64, slot: u8, opcode: &str) -> TimelineIssue {
    TimelineIssue { cycle, slot, opcode: opcode.to_owned() }
}

/// Two loads, a sum and a store of one warp, of which the sum waits a thousand cycles.
fn record() -> WarpRecord {
    let stall = WarpState::Stalled(StallReason::LongScoreboard);
    let wait = WarpState::Stalled(StallReason::Wait);
    WarpRecord {
        schedulers: 1,
        intervals: vec![
            interval(0, WarpState::Selected, 0, 2),
            interval(0, stall, 2, 1002),
            interval(0, WarpState::Selected, 1002, 1003),
            interval(0, wait, 1003, 1006),
            interval(0, WarpState::Selected, 1006, 1007),
        ],
        issues: vec![issue(0, 0, "LDG"), issue(1, 0, "LDG"), issue(1002, 0, "FFMA"), issue(1006, 0, "STG")],
    }
}

fn texts(svg: &str) -> Vec<&str> {
    let lines = svg.lines().filter(|line| line.starts_with("<text"));
    lines.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>")).collect()
}

#[test]
fn the_axis_of_a_folded_timeline_numbers_the_cycle_of_the_store_behind_the_fold() {
    let svg = timeline_svg(&record(), "title", &TimelineOptions::default());
    let numbers: Vec<&str> = texts(&svg).into_iter().filter(|text| text.parse::<char>().is_err()).collect();
    assert_eq!(
        numbers,
        [
            "title",
            "long scoreboard",
            "wait",
            "selected",
            "LDG",
            "STG",
            "FFMA",
            "issue",
            "warp 0",
            "+998",
            "1,002",
            "1,004",
            "1,006",
            "time in cycles"
        ]
    );
}

#[test]
fn an_issue_is_a_letter_in_its_schedulers_lane_and_in_its_warps() {
    let svg = timeline_svg(&record(), "title", &TimelineOptions::default());
    let letters: String = texts(&svg).into_iter().filter(|text| text.len() == 1).collect();
    // The legend, the issue lane, the warp, the first numbers of the axis.
    assert_eq!(letters, "LSF".to_owned() + "LLFS" + "LLFS" + "02");
}

#[test]
fn a_box_says_when_and_what() {
    let svg = timeline_svg(&record(), "title", &TimelineOptions::default());
    for says in [
        "cycle 1,006: STG of warp 0",
        "cycle 1,006: selected, STG",
        "cycles 2 to 1,001, 1,000 cycles: long scoreboard",
    ] {
        assert_eq!(svg.matches(&format!("<title>{says}</title>")).count(), 1, "{says}");
    }
}

#[test]
fn warps_stand_under_their_scheduler() {
    let intervals = (0..4).map(|slot| interval(slot, WarpState::Selected, 0, 4)).collect();
    let record = WarpRecord { schedulers: 2, intervals, issues: vec![issue(0, 1, "MOV")] };
    let svg = timeline_svg(&record, "title", &TimelineOptions::default());
    let lanes: Vec<&str> = texts(&svg)
        .into_iter()
        .filter(|text| text.starts_with("warp") || text.starts_with("sched"))
        .collect();
    assert_eq!(lanes, ["scheduler 0", "warp 0", "warp 2", "scheduler 1", "warp 1", "warp 3"]);
}

#[test]
fn every_opcode_has_a_letter_of_its_own() {
    let opcodes: BTreeSet<&str> = ["FADD", "FFMA", "FSETP", "ISETP", "STG"].into();
    let expected = [('S', "STG"), ('F', "FADD"), ('M', "FFMA"), ('E', "FSETP"), ('I', "ISETP")];
    assert_eq!(letters(&opcodes), expected);
}

#[test]
fn instructions_that_issue_together_have_a_lane_each() {
    let intervals = vec![
        interval(0, WarpState::Selected, 0, 1),
        interval(0, WarpState::Selected, 0, 1),
        interval(0, WarpState::Selected, 1, 2),
        interval(0, WarpState::Selected, 1, 2),
    ];
    let issues = vec![issue(0, 0, "FFMA"), issue(0, 0, "FFMA"), issue(1, 0, "FFMA"), issue(1, 0, "MOV")];
    let record = WarpRecord { schedulers: 1, intervals, issues };
    let svg = timeline_svg(&record, "title", &TimelineOptions::default());
    let lanes = ["issue", "2.", "warp 0"];
    let named: Vec<&str> = texts(&svg).into_iter().filter(|text| lanes.contains(text)).collect();
    assert_eq!(named, lanes);
    // One box a cycle in the lane of the warp; no letter stands for different instructions.
    let says = |text: &str| svg.matches(&format!("<title>{text}</title>")).count();
    assert_eq!(says("cycle 0: selected, 2 FFMA"), 1);
    assert_eq!(says("cycle 1: selected, FFMA, MOV"), 1);
    assert_eq!(says("cycle 0: FFMA of warp 0"), 2);
    let places: Vec<&str> = svg
        .lines()
        .filter(|line| line.contains("<text class=\"on-dark"))
        .filter_map(|line| line.split(" font-size").next())
        .collect();
    let apart: BTreeSet<&str> = places.iter().copied().collect();
    assert_eq!((places.len(), apart.len()), (5, 5), "{places:?}");
}
