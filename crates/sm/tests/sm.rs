//! A whole SM above a fake L2: each test claims one thing about when instructions issue and what is counted.
#![allow(missing_docs, clippy::result_large_err)]
mod common;
use common::{Bench, FIRST, L2, after, holds, toy, waits};
use warplab_program::instruction::Control;
use warplab_trace::{StallReason, WarpState};
use warplab_units::Cycle;

const ADD: &str = "FADD R0, R1, R2";
const EXIT: (&str, Control) = ("EXIT", NOTHING);
const NOTHING: Control =
    Control { stall: 1, yield_hint: true, write_barrier: None, read_barrier: None, wait_mask: 0 };
/// The upper word of the address of the buffer; the lower is zero.
const ADDRESS: (&str, Control) = ("MOV R3, 0x7f00", NOTHING);
const LOAD: &str = "LDG.E R4, desc[UR4][R2.64]";
const STORE: &str = "STG.E desc[UR4][R2.64], R5";

#[test]
fn the_first_instruction_issues_when_it_has_come_from_l2() {
    assert_eq!(Bench::new(32, &[EXIT]).run().issues(0), [FIRST]);
}

#[test]
fn a_dependent_issues_exactly_after_the_stall_count() {
    let run = Bench::new(32, &[(ADD, after(4)), (ADD, after(13)), (ADD, after(1)), EXIT]).run();
    assert_eq!(run.issues(0), [10, 14, 27, 28]);
    assert_eq!(run.stalled(StallReason::Wait), 3 + 12);
}

#[test]
fn warps_of_different_schedulers_issue_in_one_cycle() {
    let run = Bench::without_fetch(64, &[(ADD, after(1)), EXIT]).run();
    assert_eq!((run.issues(0), run.issues(1)), (vec![0, 1], vec![0, 1]));
}

#[test]
fn warps_of_one_scheduler_issue_one_after_another() {
    // Slots 0 and 2 are of scheduler 0.
    let run = Bench::without_fetch(96, &[(ADD, after(4)), EXIT]).run();
    let (mut both, other) = (run.issues(0), run.issues(2));
    both.extend(other);
    both.sort_unstable();
    assert_eq!(both, [0, 1, 4, 5]);
    assert_eq!(run.state(WarpState::NotSelected), 1);
}

#[test]
fn a_pipe_takes_the_next_instruction_after_its_interval() {
    // Integer multiply-add: an interval of 2 on the unit of single precision.
    let run = Bench::without_fetch(96, &[("IMAD R0, R1, R2, R3", after(6)), EXIT]).run();
    let mut first: Vec<u64> = [0, 2].map(|slot| run.issues(slot)[0]).to_vec();
    first.sort_unstable();
    assert_eq!(first, [0, 2]);
    assert_eq!(run.stalled(StallReason::MathPipeThrottle), 1);
}

#[test]
fn pipes_that_share_a_unit_wait_for_each_other() {
    let code = [("IMAD R0, R1, R2, R3", after(1)), (ADD, after(1)), EXIT];
    assert_eq!(Bench::new(32, &code).run().issues(0), [10, 12, 13]);
    let apart = toy(&[("fma_heavy: (interval: 2, unit: fma)", "fma_heavy: (interval: 2)")]);
    assert_eq!(Bench::on(&apart, 32, &code).run().issues(0), [10, 11, 12]);
}

#[test]
fn a_taken_branch_costs_its_latency() {
    let run = Bench::new(32, &[("BRA 0x20", after(1)), EXIT, EXIT]).run();
    assert_eq!(run.issues(0), [10, 15]);
    assert_eq!(run.stalled(StallReason::BranchResolving), 4);
    assert_eq!(run.seen.issues[1].2, 2);
}

#[test]
fn a_taken_branch_is_its_stall_count_then_resolved_then_fetched() {
    let config = toy(&[("branch_taken: 5,", "branch_taken: 8, branch_fetch: 2,")]);
    let run = Bench::on(&config, 32, &[("BRA 0x20", after(3)), EXIT, EXIT]).run();
    assert_eq!(run.issues(0), [10, 18]);
    let reasons = [StallReason::Wait, StallReason::BranchResolving, StallReason::NoInstruction];
    // The first instruction comes after ten cycles.
    assert_eq!(reasons.map(|reason| run.stalled(reason)), [2, 3, 10 + 2]);
}

#[test]
fn a_warp_leaves_its_slot_some_cycles_after_its_last_instruction() {
    let config = toy(&[("branch_taken: 5,", "branch_taken: 5, exit: 7,")]);
    let run = Bench::on(&config, 32, &[("EXIT", after(5))]).run();
    assert_eq!(run.issues(0), [10]);
    assert_eq!([StallReason::Wait, StallReason::BranchResolving].map(|reason| run.stalled(reason)), [4, 7]);
    assert_eq!(run.seen.ends, [(10 + 5 + 7, 0)]);
}

#[test]
fn the_reader_of_a_load_that_misses_issues_exactly_when_its_data_is_there() {
    let run = Bench::new(32, &[ADDRESS, (LOAD, holds(0)), (ADD, waits(1)), EXIT]).run();
    // Issues at 11, starts at 12, the request is ready at 22 and has left at 23; half the hit latency after the reply.
    assert_eq!(run.requests[0].at, Cycle(23));
    assert_eq!(run.issues(0), [10, 11, 23 + L2 + 10, 23 + L2 + 11]);
    assert_eq!(run.stalled(StallReason::LongScoreboard), 133 - 12);
}

#[test]
fn the_reader_of_a_load_that_hits_issues_after_the_hit_latency() {
    let code =
        [ADDRESS, (LOAD, holds(0)), (LOAD, Control { wait_mask: 1, ..holds(0) }), (ADD, waits(1)), EXIT];
    let run = Bench::new(32, &code).run();
    assert_eq!(run.issues(0), [10, 11, 133, 133 + 20, 154]);
    assert_eq!(run.requests.len(), 1);
}

#[test]
fn the_reader_of_shared_memory_issues_after_its_latency() {
    let run = Bench::new(32, &[("LDS R4, [0x400]", holds(0)), (ADD, waits(1)), EXIT]).run();
    assert_eq!(run.issues(0), [10, 30, 31]);
    assert_eq!(run.stalled(StallReason::ShortScoreboard), 19);
}

#[test]
fn the_reader_of_a_special_function_issues_after_its_latency() {
    let run = Bench::new(32, &[("MUFU.RCP R0, R1", holds(2)), (ADD, waits(1 << 2)), EXIT]).run();
    assert_eq!(run.issues(0), [10, 30, 31]);
}

#[test]
fn an_instruction_waits_for_the_last_of_its_counters() {
    let code = [
        ("MUFU.RCP R0, R1", holds(0)),
        ("MUFU.RCP R4, R1", holds(1)),
        (ADD, waits(0b01)),
        (ADD, waits(0b10)),
        EXIT,
    ];
    // The second function waits four cycles for its pipe.
    assert_eq!(Bench::new(32, &code).run().issues(0), [10, 14, 30, 34, 35]);
}

#[test]
fn a_full_memory_queue_is_an_lg_throttle() {
    let lines: Vec<_> = std::iter::once(ADDRESS).chain([(LOAD, after(1)); 6]).chain([EXIT]).collect();
    let run = Bench::new(32, &lines).run();
    // Two entries; one starts every two cycles from cycle 12 on, so the queue is full at 15 and 17.
    assert_eq!(run.issues(0)[..7], [10, 11, 12, 13, 14, 16, 18]);
    assert_eq!(run.stalled(StallReason::LgThrottle), 1 + 1);
}

#[test]
fn a_fence_waits_until_the_stores_are_acknowledged() {
    let run = Bench::new(32, &[ADDRESS, (STORE, after(1)), ("MEMBAR.SC.GPU", after(1)), EXIT]).run();
    // 8 and 32 bytes are ready at 22 and have left at 24.
    assert_eq!(run.requests[0].at, Cycle(24));
    assert_eq!(run.issues(0), [10, 11, 12, 24 + L2]);
    assert_eq!(run.stalled(StallReason::Membar), 124 - 13);
}

#[test]
fn a_warp_that_has_exited_drains_until_its_stores_have_left_for_l2() {
    let run = Bench::new(32, &[ADDRESS, (STORE, after(1)), (STORE, after(1)), EXIT]).run();
    // The second store issues at 12 and starts at 14, two cycles after the first; its bytes have left the port at 26.
    assert_eq!(run.issues(0), [10, 11, 12, 13]);
    assert_eq!(run.stalled(StallReason::Drain), 12);
    assert_eq!(run.seen.ends, [(26, 0)]);
}

#[test]
fn a_warp_knows_some_cycles_later_that_its_stores_have_left() {
    let config = toy(&[("branch_taken: 5,", "branch_taken: 5, drain: 17,")]);
    let code = [ADDRESS, (STORE, after(1)), (STORE, after(1)), EXIT];
    let run = Bench::on(&config, 32, &code).run();
    assert_eq!(run.stalled(StallReason::Drain), 12 + 17);
    assert_eq!(run.seen.ends, [(26 + 17, 0)]);
}

#[test]
fn a_sleeping_warp_issues_after_its_time() {
    let run = Bench::new(32, &[("NANOSLEEP 0x64", after(1)), EXIT]).run();
    assert_eq!(run.issues(0), [10, 110]);
    assert_eq!(run.stalled(StallReason::Sleeping), 99);
}

#[test]
fn a_barrier_lets_all_warps_go_after_the_last_has_come() {
    // Slots 0 and 2 are of one scheduler: the one that is picked last comes last.
    let run = Bench::without_fetch(96, &[("BAR.SYNC.DEFER_BLOCKING 0x0", after(1)), EXIT]).run();
    let firsts = [0, 1, 2].map(|slot| run.issues(slot)[0]);
    let last = firsts.into_iter().max().unwrap();
    assert_eq!(last, 1);
    let mut exits = [0, 1, 2].map(|slot| run.issues(slot)[1]);
    exits.sort_unstable();
    assert_eq!(exits, [last + 5, last + 5, last + 6]);
}

#[test]
fn behind_a_barrier_that_holds_all_but_arithmetic_a_warp_computes_and_does_no_more() {
    // Warp 1 comes 19 cycles after warp 0; the barrier takes 5 cycles.
    let late = [("ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", after(5)), ("@P0 NANOSLEEP 0x14", after(1))];
    let behind = [("BAR.SYNC.DEFER_BLOCKING 0x0", after(6)), (ADD, after(4)), (ADD, after(4)), EXIT];
    let code = [&[("S2R R0, SR_TID.X", holds(0)), ("NOP", waits(1))][..], &late, &behind].concat();
    let issues = |holds: &str| {
        let barrier = format!("barrier: 5, barrier_holds: {holds},");
        let config = toy(&[
            ("barrier: 5,", &barrier),
            ("l1_latency: 5,", "l1_latency: 0,"),
            ("l2_latency: 10,", "l2_latency: 0,"),
        ]);
        let run = Bench::on(&config, 64, &code).run();
        [run.issues(0)[4..].to_vec(), run.issues(1)[4..].to_vec()]
    };
    let [first, second] = issues("everything");
    assert_eq!((first, second), (vec![17, 41, 45, 49], vec![36, 41, 45, 49]));
    let [first, second] = issues("all_but_arithmetic");
    assert_eq!((first, second), (vec![17, 23, 27, 41], vec![36, 42, 46, 50]));
}

#[test]
fn a_block_ends_with_its_last_warp_and_its_resources_are_free_later() {
    let run = Bench::without_fetch(64, &[EXIT]).run();
    assert_eq!(run.seen.ends, [(1, 0), (1, 1)]);
    assert_eq!(run.ended, [1 + 5]);
    let counters = run.sm.counters();
    assert_eq!((counters.blocks, counters.warps, counters.active_cycles), (1, 2, 1));
}

#[test]
fn an_atomic_operation_returns_the_old_value_and_changes_memory() {
    let add = "ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R3";
    let bench = Bench::new(32, &[ADDRESS, (add, holds(0)), (STORE, waits(1)), EXIT]);
    bench.run();
    // 32 lanes add 0x7f00 to the word 0; the store of the old values follows, its lowest lane wins.
    let word = bench.memory.buffers()[0].word(0);
    assert_eq!(word, 0);
}

#[test]
fn every_warp_cycle_has_one_state() {
    let code = [
        ADDRESS,
        (LOAD, holds(0)),
        ("MUFU.RCP R0, R1", holds(1)),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", after(1)),
        (STORE, waits(0b11)),
        ("MEMBAR.SC.GPU", after(1)),
        ("IMAD R0, R1, R2, R3", after(3)),
        EXIT,
    ];
    let bench = Bench::new(256, &code);
    let mut run = bench.start(3);
    run.finish().unwrap();
    for scheduler in run.sm.counters().schedulers {
        assert_eq!(scheduler.states.iter().sum::<u64>(), scheduler.warp_cycles);
        assert!(scheduler.warp_cycles > 0);
    }
    let watched: u64 = run.seen.intervals.iter().map(|interval| interval.to - interval.from).sum();
    assert_eq!(
        watched,
        run.sm.counters().schedulers.iter().map(|scheduler| scheduler.warp_cycles).sum::<u64>()
    );
}

#[test]
fn an_sm_without_work_is_idle_and_has_no_event() {
    let bench = Bench::new(32, &[EXIT]);
    let run = bench.start(0);
    assert!(run.sm.is_idle());
    assert_eq!(run.sm.next_event(), Cycle::NEVER);
    let run = bench.run();
    assert!(run.sm.is_idle());
    assert_eq!(run.sm.issue_span(), Some((Cycle(10), Cycle(10))));
}

#[test]
fn a_read_before_the_result_is_found_by_the_hazard_checker() {
    let early = [("FADD R0, R1, R2", after(2)), ("FADD R4, R0, R2", after(1)), EXIT];
    let run = Bench::new(32, &early).run();
    assert_eq!(run.sm.hazards().unwrap().found.len(), 1);
    let kept = [("FADD R0, R1, R2", after(5)), ("FADD R4, R0, R2", after(1)), EXIT];
    assert!(Bench::new(32, &kept).run().sm.hazards().unwrap().found.is_empty());
}

#[test]
fn a_warp_that_waits_for_ever_is_told_with_its_place_and_reason() {
    // The barrier wants 64 threads, and the block has 32.
    let bench = Bench::new(32, &[("BAR.SYNC.DEFER_BLOCKING 0x0, 0x40", after(1)), EXIT]);
    let mut run = bench.start(1);
    run.finish().unwrap();
    let waiting = run.sm.waiting_warps();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].slot.0, waiting[0].block.0, waiting[0].warp, waiting[0].pc), (0, 0, 0, 0));
    assert_eq!(waiting[0].state, WarpState::Stalled(StallReason::Barrier));
    assert_eq!(run.sm.next_event(), Cycle::NEVER);
}

#[test]
fn a_fault_says_the_instruction_and_the_thread() {
    let bench = Bench::new(32, &[(LOAD, holds(0)), EXIT]);
    let fault = bench.start(1).finish().unwrap_err().to_string();
    assert!(fault.contains("LDG.E") && fault.contains("out of bounds"), "{fault}");
}

#[test]
fn blocks_that_come_later_start_at_their_cycle() {
    let bench = Bench::new(32, &[EXIT]);
    let mut run = bench.start(0);
    for (block, at) in [(0, 5), (1, 37)] {
        run.sm.give(warplab_sm::BlockStart { block, at: Cycle(at), warp_interval: 0 });
    }
    run.finish().unwrap();
    // The second block finds the code in the caches.
    assert_eq!(run.seen.issues.iter().map(|issue| issue.0).collect::<Vec<_>>(), [15, 37]);
}

#[test]
fn the_warps_of_a_block_start_at_their_interval() {
    let bench = Bench::new(96, &[EXIT]);
    let mut run = bench.start(0);
    run.sm.give(warplab_sm::BlockStart { block: 0, at: Cycle(0), warp_interval: 20 });
    run.finish().unwrap();
    // The second warp's scheduler finds the code in the L1 instruction cache, five cycles away; the third's in its L0.
    assert_eq!([0, 1, 2].map(|slot| run.issues(slot)[0]), [10, 25, 40]);
    assert_eq!(run.stalled(StallReason::DispatchStall), 20 + 40);
    assert_eq!(run.stalled(StallReason::NoInstruction), 10 + 5);
}
