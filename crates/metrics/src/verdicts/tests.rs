use super::{Verdict, verdicts};
use crate::registry::{find_metric, find_section};
use crate::test_launch::{counters, launch, with};
use warplab_trace::{LaunchCounters, StallReason, WarpState};

fn of(counters: &LaunchCounters) -> Vec<Verdict> {
    with(counters, &launch(), verdicts)
}

fn text(counters: &LaunchCounters, rule: &str) -> Option<String> {
    of(counters).into_iter().find(|verdict| verdict.rule == rule).map(|verdict| verdict.text)
}

#[test]
fn both_sides_under_60_per_cent_is_bound_by_latency() {
    let text = text(&counters(), "latency-bound").unwrap();
    assert!(
        text.starts_with("Compute throughput is 7.58 % and memory throughput 23.69 %, both under 60 %"),
        "{text}"
    );
}

#[test]
fn one_side_at_80_per_cent_is_saturated() {
    let mut counters = counters();
    counters.memory.dram.read_bytes = 2_000_000;
    let text = text(&counters, "saturated").unwrap();
    assert!(text.starts_with("Memory throughput is saturated: compute 7.58 %, memory 82.25 %."), "{text}");
}

#[test]
fn a_stall_is_named_when_it_takes_more_than_30_per_cent_and_slots_are_empty() {
    let stall = text(&counters(), "stall").unwrap();
    assert!(
        stall.starts_with(
            "Stall Long Scoreboard: 5.00 of 8.00 cycles between two instructions of a warp (62.50 %)."
        ),
        "{stall}"
    );
    assert_eq!(of(&counters()).iter().filter(|verdict| verdict.rule == "stall").count(), 1);
    let mut busy = counters();
    for scheduler in &mut busy.sm.schedulers {
        scheduler.active_cycles = 11_000;
    }
    assert_eq!(text(&busy, "stall"), None);
    assert_eq!(text(&busy, "issue-slots"), None);
}

#[test]
fn a_stall_of_30_per_cent_is_not_named() {
    let mut counters = counters();
    for scheduler in &mut counters.sm.schedulers {
        scheduler.states[WarpState::Stalled(StallReason::LongScoreboard).index()] = 24_000;
        scheduler.states[WarpState::Stalled(StallReason::Wait).index()] = 24_000;
        scheduler.states[WarpState::Stalled(StallReason::Barrier).index()] = 17_000;
    }
    assert_eq!(text(&counters, "stall"), None);
}

#[test]
fn scattered_accesses_are_named_from_10_per_cent_on() {
    let mut counters = counters();
    counters.sm.l1.excessive_sectors = 3_999;
    assert_eq!(text(&counters, "scattered-access"), None);
    counters.sm.l1.excessive_sectors = 20_000;
    let text = text(&counters, "scattered-access").unwrap();
    assert!(text.starts_with("20,000 of 40,000 sectors (50.00 %) are excessive"), "{text}");
}

#[test]
fn bank_conflicts_are_named() {
    let mut counters = counters();
    let shared = &mut counters.sm.shared;
    (shared.load_requests, shared.load_wavefronts, shared.load_bank_conflicts) = (1_000, 4_000, 3_000);
    let text = text(&counters, "bank-conflicts").unwrap();
    assert!(
        text.starts_with(
            "Shared-memory loads have 3,000 bank conflicts: 4,000 passes for 1,000 requests, 4.00 on average, 75.00 %"
        ),
        "{text}"
    );
}

#[test]
fn divergence_and_unused_lanes_are_named() {
    let mut counters = counters();
    counters.sm.instructions.divergent_branches = 50;
    counters.sm.instructions.thread = 640_000;
    assert!(
        text(&counters, "divergence").unwrap().starts_with("Warps divide at 50 of 100 branches (50.00 %)")
    );
    assert!(text(&counters, "unused-lanes").unwrap().starts_with("On average 16.00 of 32 lanes"));
}

#[test]
fn a_tail_is_named_when_it_costs_a_tenth() {
    let mut launch = launch();
    launch.grid = [1056, 1, 1];
    let tail = |launch: &crate::LaunchInfo| {
        with(&counters(), launch, verdicts).into_iter().find(|verdict| verdict.rule == "tail")
    };
    assert_eq!(tail(&launch), None);
    launch.grid = [1188, 1, 1];
    let text = tail(&launch).unwrap().text;
    assert!(
        text.starts_with("The grid is 1.12 waves: 1 full and one that fills 12.50 % of the chip."),
        "{text}"
    );
}

#[test]
fn a_grid_smaller_than_the_chip_is_named() {
    let mut launch = launch();
    launch.grid = [32, 1, 1];
    let found = with(&counters(), &launch, verdicts);
    let text = &found.iter().find(|verdict| verdict.rule == "small-grid").unwrap().text;
    assert!(
        text.starts_with("The grid has 32 blocks for 132 multiprocessors: nothing to do for 100 of them.")
    );
}

#[test]
fn every_verdict_stands_in_a_section_and_names_metrics() {
    let mut counters = counters();
    counters.sm.l1.excessive_sectors = 20_000;
    counters.sm.instructions.divergent_branches = 50;
    counters.sm.instructions.thread = 640_000;
    let found = of(&counters);
    assert!(found.len() >= 6, "{found:?}");
    for verdict in found {
        assert!(find_section(verdict.section).is_some(), "{verdict:?}");
        assert!(!verdict.based_on.is_empty(), "{verdict:?}");
        for id in &verdict.based_on {
            assert!(find_metric(id).is_some(), "{id}");
        }
    }
}
