//! Which stores leave together, and what waits for credits.

use super::{LoadStoreUnit, LsuSpec, ONE, SPEC, lines, load, owner, store, unit};
use crate::lsu::{DataSpec, GlobalAccess, LineAccess, PortSpec, Work};
use warplab_memory::{Request, RequestKind};
use warplab_units::{Cycle, SectorMask};

/// Stores wait in a buffer of 28 lines, five cycles behind their last pass, of which a warp has one in two cycles. A line takes four
/// flits.
const BUFFER: LsuSpec = LsuSpec {
    data: DataSpec { pace: 2, global_queue: 8, ..SPEC.data },
    store_hold: Some(5),
    flit_bytes: Some(32),
    port: PortSpec { bytes_per_cycle: 32, queue: 32, joinable: 28 },
    ..SPEC
};

/// Stores start one after another, each of a warp, to lines, at a cycle.
fn start(unit: &mut LoadStoreUnit, spec: &LsuSpec, stores: &[(u8, std::ops::Range<u64>, u64)]) {
    for (slot, numbers, at) in stores {
        unit.push(0, owner(*slot), store(numbers.clone()), Cycle(at - 1));
        unit.advance(Cycle(*at), spec, &mut Vec::new());
    }
}

/// The lines that leave, and when they have left.
fn sent(unit: &LoadStoreUnit) -> Vec<(u64, u64)> {
    unit.port.sent.iter().map(|request| (request.line.0 / 128, request.at.0)).collect()
}

#[test]
fn a_store_leaves_once_its_data_has_passed() {
    let mut unit = unit();
    start(&mut unit, &BUFFER, &[(0, 0..2, 1)]);
    // One pass of two cycles, five more, and 16 to the port.
    assert_eq!(sent(&unit), [(0, 1 + 2 + 5 + 16 + 4), (1, 1 + 2 + 5 + 16 + 8)]);
}

#[test]
fn a_store_joins_one_to_its_line_until_that_begins_to_leave() {
    for (at, requests) in [(7, 1), (8, 2)] {
        let mut unit = unit();
        start(&mut unit, &BUFFER, &[(0, 0..1, 1), (0, 0..1, at)]);
        assert_eq!(sent(&unit).len(), requests, "the second store at {at}");
    }
}

#[test]
fn a_store_misses_from_when_another_has_left_until_the_line_has_taken_it() {
    let spec = LsuSpec { store_taken: 13, ..BUFFER };
    for (at, hits) in [(7, 4), (8, 0), (20, 0), (21, 4)] {
        let mut unit = unit();
        start(&mut unit, &spec, &[(0, 0..1, 1), (0, 0..1, at)]);
        assert_eq!(unit.counters.global_store_sector_hits, hits, "the second store at {at}");
    }
}

#[test]
fn what_is_joined_leaves_with_the_later_store() {
    let mut unit = unit();
    start(&mut unit, &BUFFER, &[(0, 0..1, 1), (1, 1..2, 3), (0, 0..1, 7)]);
    assert_eq!(sent(&unit), [(1, 3 + 2 + 5 + 16 + 6), (0, 7 + 2 + 5 + 16 + 4)]);
}

#[test]
fn a_store_of_another_warp_joins_and_one_to_another_line_does_not() {
    let mut unit = unit();
    start(&mut unit, &BUFFER, &[(0, 0..1, 1), (1, 0..1, 2), (0, 1..2, 3)]);
    assert_eq!(sent(&unit).iter().map(|request| request.0).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn stores_join_with_27_lines_between_them_and_not_with_28() {
    for (between, requests) in [(27, 28), (28, 30)] {
        let mut unit = unit();
        start(&mut unit, &BUFFER, &[(0, 0..1, 1), (1, 1..1 + between, 2), (0, 0..1, 3)]);
        assert_eq!(sent(&unit).len(), requests, "{between} lines between");
    }
}

#[test]
fn stores_without_credits_wait_and_join_each_other() {
    let spec = LsuSpec { credits: Some(4), ..BUFFER };
    let mut unit = unit();
    start(&mut unit, &spec, &[(0, 0..1, 1), (0, 1..2, 10), (0, 1..2, 60)]);
    assert_eq!(sent(&unit), [(0, 28)]);
    unit.credits.give_back(4, Cycle(70));
    unit.take_credits(Cycle(70), &spec, &mut Vec::new());
    assert_eq!(sent(&unit), [(0, 28), (1, 74)]);
    assert!(unit.held.is_empty());
}

#[test]
fn a_load_waits_for_the_tags_while_stores_wait_for_credits() {
    let spec = LsuSpec { credits: Some(4), ..BUFFER };
    let mut unit = unit();
    start(&mut unit, &spec, &[(0, 0..1, 1), (0, 1..2, 10)]);
    unit.push(0, owner(1), load(2..3), Cycle(20));
    unit.advance(Cycle(21), &spec, &mut Vec::new());
    assert_eq!((unit.next_operation(&spec), unit.queues.blocked_since()), (Cycle::NEVER, Some(Cycle(21))));
    unit.credits.give_back(4, Cycle(70));
    unit.take_credits(Cycle(70), &spec, &mut Vec::new());
    assert_eq!(unit.next_operation(&spec), Cycle(70));
}

#[test]
fn stores_wait_for_the_tags_once_the_buffer_is_full() {
    let spec = LsuSpec { credits: Some(4), ..BUFFER };
    let mut unit = unit();
    start(&mut unit, &spec, &[(0, 0..1, 1), (1, 1..28, 10)]);
    assert!(!unit.must_wait(GlobalAccess::Store { local: false }, 1, Cycle(50), &spec));
    start(&mut unit, &spec, &[(2, 28..29, 50)]);
    assert!(unit.must_wait(GlobalAccess::Store { local: false }, 1, Cycle(51), &spec));
}

/// A store of one word of a line.
fn store_word(number: u64, word: u32) -> Work {
    let sectors = SectorMask::single(word / 8);
    let mut lines = lines(number..number + 1);
    lines[0] = LineAccess { sectors, full: SectorMask::EMPTY, words: 1 << word, ..lines[0] };
    Work::Global { access: GlobalAccess::Store { local: false }, lines, passes: ONE }
}

/// What a warp stores of lines, at a cycle, a word each: the sectors, words and departure of every request.
fn words_sent(stores: &[(u64, u64, u32)]) -> Vec<(u8, u32, u64)> {
    let mut unit = unit();
    for &(number, at, word) in stores {
        unit.push(0, owner(0), store_word(number, word), Cycle(at - 1));
        unit.advance(Cycle(at), &BUFFER, &mut Vec::new());
    }
    let words = |request: &Request| match request.kind {
        RequestKind::Write { words, .. } => words,
        _ => 0,
    };
    unit.port.sent.iter().map(|request| (request.sectors.0, words(request), request.at.0)).collect()
}

#[test]
fn words_that_leave_together_take_a_flit_for_each_sector_and_one_for_what_is_left_out() {
    assert_eq!(words_sent(&[(0, 1, 0), (0, 3, 1)]), [(0b0001, 0b11, 3 + 2 + 5 + 16 + 2)]);
    assert_eq!(words_sent(&[(0, 1, 0), (0, 3, 8)]), [(0b0011, 0x101, 3 + 2 + 5 + 16 + 3)]);
}

#[test]
fn what_waits_behind_a_store_that_grows_leaves_later() {
    assert_eq!(words_sent(&[(0, 1, 0), (1, 2, 1)]), [(0b0001, 0b01, 26), (0b0001, 0b10, 28)]);
    assert_eq!(words_sent(&[(0, 1, 0), (1, 2, 1), (0, 3, 8)]), [(0b0011, 0x101, 29), (0b0001, 0b10, 29)]);
}

#[test]
fn what_a_store_may_still_join_is_not_taken() {
    let mut unit = unit();
    start(&mut unit, &BUFFER, &[(0, 0..1, 1), (1, 0..1, 11)]);
    let mut taken = Vec::new();
    unit.port.take(Cycle(24), &mut taken);
    assert_eq!((taken.len(), unit.port.sent.len(), unit.port.kept_until), (1, 1, Cycle(11 + 23)));
    unit.port.take(Cycle(34), &mut taken);
    assert_eq!((taken.len(), unit.port.kept_until), (2, Cycle::NEVER));
}
