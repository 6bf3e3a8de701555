//! The LSU alone: the tests push instructions as the issue stage does, and answer requests as L2 does.

mod stores;

use super::coalesce::LineAccess;
use super::sets::SetNumbers;
use super::{Asked, Credits, L1, Loads};
use super::{
    DataSpec, DataStage, GlobalAccess, LoadStoreUnit, LsuSpec, Outcome, Owner, Passes, PortSpec, QueueSpec,
    Queues, SendPort, Work,
};
use slab::Slab;
use std::collections::VecDeque;
use warplab_memory::{CacheShape, Reply, Request, RequestKind, SectorCache};
use warplab_trace::L1Counters;
use warplab_units::{Address, Cycle, SectorMask, SmId};

const SPEC: LsuSpec = LsuSpec {
    queue: QueueSpec {
        entries: 8,
        unit_entries: 0,
        in_order: 0,
        interval: 1,
        sub_partition_interval: 1,
        exchange_interval: 1,
    },
    data: DataSpec {
        pace: 1,
        store_conflict_percent: 0,
        shared_queue: 0,
        global_queue: 0,
        between_loads: None,
        returning_passes: None,
    },
    load_share: 1,
    lines_at_once: 8,
    copy_passes: 0,
    store_hold: None,
    store_taken: 0,
    port: PortSpec { bytes_per_cycle: 32, queue: 32, joinable: 0 },
    header_bytes: 8,
    flit_bytes: None,
    credits: None,
    reads_lane_numbers: false,
    masked_latency: None,
    source_release: 11,
    hit: 33,
    request: 16,
    miss_entries: 4,
    atomic_entries: None,
    local_hit: 33,
    flat: None,
};
/// What an access to one line takes.
const ONE: Passes = Passes { tags: 1, data: 1, width: 1 };
/// Cycles from a request to its reply.
const L2: u64 = 200;

fn unit() -> LoadStoreUnit {
    LoadStoreUnit {
        sm: SmId(0),
        queues: Queues::new(1),
        l1: L1::of(SectorCache::new(CacheShape { sets: 4, ways: 4 }), SetNumbers::Folded),
        loads: Loads::new(8),
        asked_lines: 0,
        come_lines: 0,
        asked: Asked::default(),
        tokens: Slab::new(),
        atomics_away: 0,
        free_lines: Vec::new(),
        done: Vec::new(),
        barriers_free: Cycle(0),
        data: DataStage::new(8),
        port: SendPort::default(),
        credits: Credits::default(),
        held: VecDeque::new(),
        has_written: false,
        counters: L1Counters::default(),
    }
}

fn owner(slot: u8) -> Owner {
    Owner { slot, generation: 1, write_barrier: Some(0), read_barrier: None }
}

fn lines(numbers: std::ops::Range<u64>) -> Vec<LineAccess> {
    let line = |number| LineAccess {
        line: Address(number * 128),
        sectors: SectorMask::ALL,
        full: SectorMask::ALL,
        words: u32::MAX,
        parts: 0,
        sector_accesses: 4,
        headers: 1,
        compares: false,
        copied: false,
        alone: false,
    };
    numbers.map(line).collect()
}

fn load(numbers: std::ops::Range<u64>) -> Work {
    Work::Global {
        access: GlobalAccess::Load { cached: true, local: false },
        lines: lines(numbers),
        passes: ONE,
    }
}

fn store(numbers: std::ops::Range<u64>) -> Work {
    Work::Global { access: GlobalAccess::Store { local: false }, lines: lines(numbers), passes: ONE }
}

fn atomic(returns: bool) -> Work {
    Work::Global { access: GlobalAccess::Atomic { returns }, lines: lines(0..1), passes: ONE }
}

fn reply(request: &Request, at: u64) -> Reply {
    Reply { sm: request.sm, token: request.token, bytes: 0, shared: false, is_far: false, at: Cycle(at) }
}

/// When the wait counter of a slot goes down.
fn released(outcomes: &[Outcome], slot: u8) -> Option<u64> {
    outcomes.iter().find_map(|outcome| match *outcome {
        Outcome::Release { slot: own, at, .. } if own == slot => Some(at.0),
        _ => None,
    })
}

/// Runs until nothing is under way, with an L2 that answers every request after [`L2`] cycles.
fn run(unit: &mut LoadStoreUnit, spec: &LsuSpec) -> Vec<Outcome> {
    let (mut outcomes, mut asked) = (Vec::new(), Vec::new());
    for now in 0..10_000 {
        let now = Cycle(now);
        asked.append(&mut unit.port.sent);
        for request in asked.extract_if(.., |request: &mut Request| request.at + L2 <= now) {
            unit.reply(&reply(&request, now.0), spec, &mut outcomes);
        }
        if unit.next_operation(spec) <= now {
            unit.advance(now, spec, &mut outcomes);
        }
        if unit.is_idle() && asked.is_empty() && unit.port.sent.is_empty() {
            break;
        }
    }
    outcomes
}

#[test]
fn a_load_that_hits_has_its_result_after_the_hit_latency() {
    let mut unit = unit();
    unit.push(0, owner(0), store(0..1), Cycle(0));
    run(&mut unit, &SPEC);
    unit.push(0, owner(1), load(0..1), Cycle(1000));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1001), &SPEC, &mut outcomes);
    // The unit's first cycle is the one after the issue: 33 cycles after the issue.
    assert_eq!(released(&outcomes, 1), Some(1033));
    assert_eq!(unit.counters.global_load_sector_hits, 4);
}

/// When a load of one line that hits is there after its issue, with so many cycles of the tags and passes of the data.
fn hit_after(tags: u16, data: u16) -> Option<u64> {
    let spec = LsuSpec { load_share: 2, ..SPEC };
    let mut unit = unit();
    unit.push(0, owner(0), store(0..1), Cycle(0));
    run(&mut unit, &spec);
    let access = GlobalAccess::Load { cached: true, local: false };
    let work = Work::Global { access, lines: lines(0..1), passes: Passes { tags, data, width: 1 } };
    unit.push(0, owner(1), work, Cycle(1000));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1001), &spec, &mut outcomes);
    released(&outcomes, 1).map(|at| at - 1000)
}

#[test]
fn passes_of_data_come_behind_the_tags_and_further_ones_at_their_pace() {
    assert_eq!(
        [(1, 1), (8, 1), (8, 4), (8, 32)].map(|(tags, data)| hit_after(tags, data)),
        [33, 40, 46, 102].map(Some)
    );
}

#[test]
fn a_miss_splits_the_hit_latency_before_the_request_and_after_the_reply() {
    let mut unit = unit();
    unit.push(0, owner(0), load(0..1), Cycle(0));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    let request = unit.port.sent[0];
    assert_eq!((request.kind, request.sectors, request.bytes), (RequestKind::Read, SectorMask::ALL, 8));
    // Ready at 1 + 16, and 8 bytes take less than a cycle.
    assert_eq!(request.at, Cycle(18));
    unit.reply(&reply(&request, 218), &SPEC, &mut outcomes);
    assert_eq!(released(&outcomes, 0), Some(218 + 17));
    assert!(unit.is_idle());
}

#[test]
fn two_loads_of_one_line_make_one_request_and_both_get_their_data() {
    let mut unit = unit();
    unit.push(0, owner(0), load(0..1), Cycle(0));
    unit.push(0, owner(1), load(0..1), Cycle(0));
    let outcomes = run(&mut unit, &SPEC);
    assert_eq!(released(&outcomes, 0), Some(235));
    // One line passes the data stage per cycle.
    assert_eq!(released(&outcomes, 1), Some(236));
    assert_eq!(unit.counters.sectors_to_l2, 4);
    assert_eq!(unit.counters.global_load_sector_merges, 4);
}

#[test]
fn a_load_of_several_lines_has_its_result_after_the_last_of_them() {
    let mut unit = unit();
    unit.push(0, owner(0), load(0..2), Cycle(0));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    let requests = std::mem::take(&mut unit.port.sent);
    unit.reply(&reply(&requests[1], 300), &SPEC, &mut outcomes);
    assert_eq!(released(&outcomes, 0), None);
    unit.reply(&reply(&requests[0], 400), &SPEC, &mut outcomes);
    assert_eq!(released(&outcomes, 0), Some(417));
}

#[test]
fn a_load_without_mshrs_for_its_lines_blocks_the_tags_until_a_reply() {
    let mut unit = unit();
    unit.push(0, owner(0), load(0..4), Cycle(0));
    unit.push(0, owner(1), load(4..5), Cycle(0));
    unit.push(0, owner(2), Work::Shared { passes: 1, latency: 29 }, Cycle(0));
    let outcomes = run(&mut unit, &SPEC);
    // The second load starts with the first reply; an access to shared memory passes it by.
    assert_eq!(unit.counters.miss_stall_cycles, 218 - 2);
    assert_eq!(released(&outcomes, 1), Some(218 + 17 + 200 + 17));
    assert_eq!(released(&outcomes, 2), Some(3 + 28));
}

#[test]
fn barriers_have_a_unit_of_their_own_and_do_not_wait_for_matrices_that_products_read() {
    let mut unit = unit();
    unit.read_matrices(Cycle(0), 100);
    unit.push(0, owner(0), Work::Shared { passes: 1, latency: 29 }, Cycle(0));
    unit.push(0, owner(1), Work::Barrier { passes: 2, latency: 29 }, Cycle(0));
    let outcomes = run(&mut unit, &SPEC);
    assert_eq!([released(&outcomes, 0), released(&outcomes, 1)], [Some(128), Some(30)]);
}

#[test]
fn a_store_goes_through_with_its_data_and_needs_no_mshr() {
    let mut unit = unit();
    unit.push(0, owner(0), store(0..2), Cycle(0));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    assert_eq!(outcomes, [Outcome::Sent { slot: 0, generation: 1, requests: 2, at: Cycle(26) }]);
    let requests = std::mem::take(&mut unit.port.sent);
    assert_eq!(requests.iter().map(|request| request.bytes).collect::<Vec<_>>(), [136, 136]);
    assert!(unit.l1.mshrs.have_room(4, 4));
    outcomes.clear();
    for request in &requests {
        unit.reply(&reply(request, 300), &SPEC, &mut outcomes);
    }
    assert_eq!(outcomes, [Outcome::Acknowledged { slot: 0, generation: 1 }; 2]);
    assert!(unit.is_idle());
}

#[test]
fn a_store_takes_its_line_at_once_and_the_next_one_hits_and_leaves_by_itself() {
    let mut unit = unit();
    unit.push(0, owner(0), store(0..1), Cycle(0));
    unit.push(0, owner(0), store(0..1), Cycle(1));
    let mut outcomes = Vec::new();
    for now in 1..20 {
        if unit.queues.next_start(&SPEC.queue) <= Cycle(now) {
            unit.advance(Cycle(now), &SPEC, &mut outcomes);
        }
    }
    assert_eq!((unit.counters.global_store_sector_hits, unit.port.sent.len()), (4, 2));
}

#[test]
fn stores_that_wait_too_long_for_the_port_hold_the_unit_back() {
    let mut unit = unit();
    let mut outcomes = Vec::new();
    unit.push(0, owner(0), store(0..40), Cycle(0));
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    unit.push(0, owner(1), Work::Shared { passes: 1, latency: 29 }, Cycle(1));
    // Of 40 requests of 136 bytes 32 may wait: the unit goes on when 8 have left, 34 cycles after cycle 17.
    assert_eq!(unit.queues.next_start(&SPEC.queue), Cycle(17 + 34));
}

#[test]
fn a_store_that_finds_no_credits_waits_until_slices_have_taken_some() {
    let spec = LsuSpec { flit_bytes: Some(32), credits: Some(8), ..SPEC };
    let mut unit = unit();
    let mut outcomes = Vec::new();
    // Two stores of a line: five flits each, one more where bytes are left out.
    for (slot, start) in [(0, 1), (1, 2), (2, 3)] {
        unit.push(0, owner(slot), store(0..1), Cycle(0));
        unit.advance(Cycle(start), &spec, &mut outcomes);
    }
    let sent: Vec<u32> = unit.port.sent.iter().map(|request| request.flits(32)).collect();
    assert_eq!((sent.len(), sent.iter().sum::<u32>() >= 8), (2, true));
    assert_eq!(
        (unit.queues.next_start(&SPEC.queue), unit.credits.next_return()),
        (Cycle::NEVER, Cycle::NEVER)
    );
    unit.credits.give_back(sent[0], Cycle(300));
    assert_eq!(unit.credits.next_return(), Cycle(300));
    unit.queues.unblock(Cycle(300));
    unit.advance(Cycle(300), &spec, &mut outcomes);
    assert_eq!((unit.port.sent.len(), unit.credits.next_return()), (3, Cycle::NEVER));
}

#[test]
fn an_access_that_waits_for_credits_tries_again_when_enough_are_back_and_not_with_a_reply() {
    let spec = LsuSpec { flit_bytes: Some(32), credits: Some(1), ..SPEC };
    let mut unit = unit();
    let mut outcomes = Vec::new();
    for (slot, lines, start) in [(0, 0..3, 1), (1, 3..4, 2)] {
        unit.push(0, owner(slot), load(lines), Cycle(0));
        unit.advance(Cycle(start), &spec, &mut outcomes);
    }
    let requests = std::mem::take(&mut unit.port.sent);
    assert_eq!(requests.len(), 3);
    [120, 150].into_iter().for_each(|at| unit.credits.give_back(1, Cycle(at)));
    unit.reply(&reply(&requests[0], 200), &spec, &mut outcomes);
    assert_eq!(unit.queues.next_start(&spec.queue), Cycle::NEVER);
    // It has waited in vain since the last credit came back.
    assert_eq!(unit.counters.miss_stall_cycles, 200 - 150);
    unit.credits.give_back(1, Cycle(260));
    assert_eq!(unit.credits.next_return(), Cycle(260));
}

#[test]
fn an_atomic_operation_invalidates_its_line_and_returns_old_values() {
    let mut unit = unit();
    unit.push(0, owner(0), store(0..1), Cycle(0));
    run(&mut unit, &SPEC);
    unit.push(0, owner(1), atomic(true), Cycle(1000));
    let outcomes = run(&mut unit, &SPEC);
    // Starts at 1001, is ready at 1017, leaves with its 136 bytes by 1022.
    assert_eq!(released(&outcomes, 1), Some(1022 + 200 + 17));
    unit.push(0, owner(2), load(0..1), Cycle(2000));
    unit.advance(Cycle(2001), &SPEC, &mut Vec::new());
    assert_eq!(unit.counters.global_load_sector_hits, 0);
}

#[test]
fn a_reduction_is_acknowledged_and_returns_nothing() {
    let mut unit = unit();
    unit.push(0, owner(0), atomic(false), Cycle(0));
    let outcomes = run(&mut unit, &SPEC);
    let expected = [
        Outcome::Sent { slot: 0, generation: 1, requests: 1, at: Cycle(22) },
        Outcome::Acknowledged { slot: 0, generation: 1 },
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn copies_past_l1_request_each_for_itself() {
    let mut unit = unit();
    for slot in 0..2 {
        let lines = lines(0..1).into_iter().map(|line| LineAccess { copied: true, alone: true, ..line });
        let access = GlobalAccess::Load { cached: true, local: false };
        unit.push(0, owner(slot), Work::Global { access, lines: lines.collect(), passes: ONE }, Cycle(0));
    }
    run(&mut unit, &SPEC);
    assert_eq!((unit.counters.sectors_to_l2, unit.counters.global_load_sector_merges), (8, 0));
}

#[test]
fn uncached_loads_request_each_for_itself() {
    let mut unit = unit();
    for slot in 0..2 {
        let access = GlobalAccess::Load { cached: false, local: false };
        unit.push(0, owner(slot), Work::Global { access, lines: lines(0..1), passes: ONE }, Cycle(0));
    }
    run(&mut unit, &SPEC);
    assert_eq!((unit.counters.sectors_to_l2, unit.counters.global_load_sector_hits), (8, 0));
}

#[test]
fn passes_of_shared_memory_keep_the_unit_busy() {
    let mut unit = unit();
    unit.push(0, owner(0), Work::Shared { passes: 32, latency: 91 }, Cycle(0));
    unit.push(0, owner(1), Work::Shared { passes: 1, latency: 29 }, Cycle(0));
    let outcomes = run(&mut unit, &SPEC);
    assert_eq!(released(&outcomes, 0), Some(1 + 90));
    assert_eq!(released(&outcomes, 1), Some(33 + 28));
}

#[test]
fn accesses_of_one_warp_wait_for_its_own_passes_and_those_of_others_do_not() {
    let spec = LsuSpec {
        data: DataSpec {
            pace: 2,
            store_conflict_percent: 0,
            shared_queue: 8,
            global_queue: 0,
            between_loads: None,
            returning_passes: None,
        },
        ..SPEC
    };
    let mut unit = unit();
    for slot in [0, 0, 1] {
        unit.push(0, owner(slot), Work::Shared { passes: 4, latency: 29 }, Cycle(0));
    }
    let outcomes = run(&mut unit, &spec);
    let ends: Vec<_> =
        outcomes.iter().map(|outcome| released(&[*outcome], 0).or(released(&[*outcome], 1))).collect();
    // The second begins 8 cycles after the first, the third when two times four passes have been taken.
    assert_eq!(ends, [1 + 28, 9 + 28, 9 + 28].map(Some));
}

#[test]
fn a_load_that_hits_waits_for_the_passes_of_data_that_came() {
    let mut unit = unit();
    let access = GlobalAccess::Load { cached: true, local: false };
    let passes = Passes { tags: 3, data: 1, width: 1 };
    unit.push(0, owner(0), Work::Global { access, lines: lines(0..3), passes }, Cycle(0));
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    for request in std::mem::take(&mut unit.port.sent) {
        unit.reply(&reply(&request, 300), &SPEC, &mut outcomes);
    }
    unit.push(0, owner(1), load(0..1), Cycle(300));
    unit.advance(Cycle(301), &SPEC, &mut outcomes);
    // The three lines pass from 300 to 302, as the tags tell them apart.
    assert_eq!([0, 1].map(|slot| released(&outcomes, slot)), [302 + 17, 303 + 32].map(Some));
}

#[test]
fn a_load_that_hits_comes_before_loads_that_wait_for_the_data_stage() {
    let mut spec = SPEC;
    spec.data.between_loads = Some(8);
    let mut unit = unit();
    let access = GlobalAccess::Load { cached: true, local: false };
    let passes = Passes { tags: 2, data: 1, width: 1 };
    let mut outcomes = Vec::new();
    for (slot, now, numbers) in [(0, 0, 0..2), (1, 10, 2..4)] {
        unit.push(0, owner(slot), Work::Global { access, lines: lines(numbers), passes }, Cycle(now));
        unit.advance(Cycle(now + 1), &spec, &mut outcomes);
    }
    for request in std::mem::take(&mut unit.port.sent) {
        unit.reply(&reply(&request, 300), &spec, &mut outcomes);
    }
    unit.push(0, owner(2), load(0..1), Cycle(300));
    for now in [301, 303] {
        unit.advance(Cycle(now), &spec, &mut outcomes);
    }
    // The first one passes from 300 to 301, the hit at 302, the second one from 303 to 304.
    assert_eq!([0, 2, 1].map(|slot| released(&outcomes, slot)), [301 + 17, 302 + 32, 304 + 17].map(Some));
}

#[test]
fn of_a_load_that_misses_in_part_the_rest_passes_at_once() {
    let mut unit = unit();
    unit.push(0, owner(0), store(0..3), Cycle(0));
    run(&mut unit, &SPEC);
    let access = GlobalAccess::Load { cached: true, local: false };
    let passes = Passes { tags: 1, data: 4, width: 1 };
    unit.push(0, owner(1), Work::Global { access, lines: lines(0..4), passes }, Cycle(1000));
    unit.push(0, owner(2), load(0..1), Cycle(1000));
    let mut outcomes = Vec::new();
    for now in [1001, 1002, 1004] {
        unit.advance(Cycle(now), &SPEC, &mut outcomes);
    }
    // Three of four passes from 1001 to 1003; the one that is missing later.
    assert_eq!(released(&outcomes, 2), Some(1004 + 32));
    unit.reply(&reply(&unit.port.sent[0].clone(), 1300), &SPEC, &mut outcomes);
    assert_eq!(released(&outcomes, 1), Some(1300 + 17));
}

#[test]
fn sources_are_read_after_their_latency_or_two_cycles_after_a_late_start() {
    let mut unit = unit();
    let reads = Owner { slot: 0, generation: 1, write_barrier: None, read_barrier: Some(3) };
    let mut outcomes = Vec::new();
    for (issued, start) in [(0, 1), (10, 50)] {
        unit.push(0, reads, Work::Shared { passes: 1, latency: 29 }, Cycle(issued));
        unit.advance(Cycle(start), &SPEC, &mut outcomes);
    }
    let release = |at| Outcome::Release { slot: 0, generation: 1, counter: 3, at: Cycle(at) };
    assert_eq!(outcomes, [release(11), release(52)]);
}

#[test]
fn a_flat_memory_answers_after_the_same_time_whatever_is_touched() {
    let spec = LsuSpec { flat: Some(400), ..SPEC };
    let mut unit = unit();
    unit.push(0, owner(0), load(0..32), Cycle(0));
    unit.push(0, owner(1), load(0..1), Cycle(0));
    let outcomes = run(&mut unit, &spec);
    assert_eq!((released(&outcomes, 0), released(&outcomes, 1)), (Some(400), Some(401)));
    assert!(unit.port.sent.is_empty());
}

#[test]
fn a_copy_of_the_unit_goes_on_as_the_original() {
    let mut unit = unit();
    for slot in 0..4 {
        let first = u64::from(slot) * 2;
        unit.push(0, owner(slot), load(first..first + 3), Cycle(0));
    }
    let mut outcomes = Vec::new();
    unit.advance(Cycle(1), &SPEC, &mut outcomes);
    let copied = run(&mut unit.clone(), &SPEC);
    assert_eq!(copied, run(&mut unit, &SPEC));
    assert_eq!(copied.len(), 4);
}

#[test]
fn atomic_operations_wait_while_too_many_lines_of_them_are_under_way() {
    let spec = LsuSpec { atomic_entries: Some(5), ..SPEC };
    let mut unit = unit();
    let operation = |first: u64| Work::Global {
        access: GlobalAccess::Atomic { returns: true },
        lines: lines(first..first + 4),
        passes: ONE,
    };
    [0, 4].into_iter().for_each(|first| unit.push(0, owner(0), operation(first), Cycle(0)));
    for now in 1..20 {
        unit.advance(Cycle(now), &spec, &mut Vec::new());
    }
    assert_eq!(unit.port.sent.len(), 4);
    for number in 0..4 {
        let request = unit.port.sent[number];
        unit.reply(&reply(&request, 100 + 2 * number as u64), &spec, &mut Vec::new());
        unit.advance(Cycle(101 + 2 * number as u64), &spec, &mut Vec::new());
        // The second starts once no more than one line is under way.
        assert_eq!(unit.port.sent.len(), if number < 2 { 4 } else { 8 }, "after {} replies", number + 1);
    }
}
