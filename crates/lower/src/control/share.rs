//! Which wait counter a result takes where all are taken: one that lets nobody wait for what comes much later.

use super::{TOTAL, numbers};
use crate::schedule::latency;
use std::ops::Range;
use warplab_program::{Instruction, LatencyClass, Role, Target, WAIT_COUNTERS};

/// A result under way, in instructions from the beginning of the program: about one is issued in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnderWay {
    /// When it is first touched.
    awaited: u64,
    comes: u64,
    /// Whether it comes from beyond the multiprocessor.
    is_slow: bool,
}

impl UnderWay {
    /// The result of an instruction at a place.
    pub(super) fn new(instruction: &Instruction, at: usize, awaited: u64, target: &Target) -> UnderWay {
        let class = instruction.opcode.info().latency;
        let is_slow = matches!(class, LatencyClass::GlobalLoad | LatencyClass::Atomic);
        UnderWay { awaited, comes: at as u64 + latency(instruction, target), is_slow }
    }

    /// For how long somebody waits for one of two results only because they share a counter. What comes as soon comes one after the
    /// other anyway.
    fn waits_with(&self, other: &UnderWay) -> u64 {
        let (first, later) = if self.awaited <= other.awaited { (self, other) } else { (other, self) };
        match self.is_slow == other.is_slow {
            true => 0,
            false => later.comes.saturating_sub(first.awaited.max(first.comes)),
        }
    }
}

/// What is under way on each counter.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    counters: [Vec<UnderWay>; WAIT_COUNTERS],
}

impl Shared {
    /// What some counters guard has come.
    pub(super) fn clear(&mut self, mask: u8) {
        let cleared = self.counters.iter_mut().enumerate().filter(|(number, _)| mask >> number & 1 != 0);
        cleared.for_each(|(_, counter)| counter.clear());
    }

    /// A result takes a counter.
    pub(super) fn take(&mut self, number: u8, result: UnderWay) {
        self.counters[usize::from(number)].push(result);
    }

    /// The counter with which there is least to wait; of equal ones `last`, as what is loaded together is waited for together.
    pub(super) fn best(&self, counters: Range<u8>, last: u8, result: &UnderWay) -> u8 {
        let waits = |number: u8| -> u64 {
            self.counters[usize::from(number)].iter().map(|other| result.waits_with(other)).sum()
        };
        counters.min_by_key(|&number| (waits(number), number != last)).unwrap_or(last)
    }
}

/// Where the result of each instruction of a block is first touched: nowhere in it, as if far behind it.
pub(super) fn first_touches(block: &[Instruction], start: usize) -> Vec<u64> {
    let mut next = vec![u64::MAX; TOTAL];
    let mut touches = vec![u64::MAX; block.len()];
    for (index, instruction) in block.iter().enumerate().rev() {
        let accesses = instruction.accesses();
        let written = accesses.iter().filter(|access| access.role == Role::Write);
        let soonest = written.flat_map(|access| numbers(access.resource)).map(|number| next[number]).min();
        touches[index] = soonest.unwrap_or(u64::MAX);
        for number in accesses.iter().flat_map(|access| numbers(access.resource)) {
            next[number] = (start + index) as u64;
        }
    }
    touches
}

#[cfg(test)]
mod tests {
    use super::{Shared, UnderWay};

    const SHARED: UnderWay = UnderWay { awaited: 30, comes: 23, is_slow: false };
    const LOAD: UnderWay = UnderWay { awaited: 300, comes: 200, is_slow: true };

    #[test]
    fn what_is_soon_there_shares_no_counter_with_a_load() {
        let mut shared = Shared::default();
        (0..).zip([SHARED, LOAD]).for_each(|(number, result)| shared.take(number, result));
        assert_eq!((shared.best(0..2, 1, &SHARED), shared.best(0..2, 0, &LOAD)), (0, 1));
    }

    #[test]
    fn it_does_where_it_is_waited_for_when_the_load_is_there() {
        let mut shared = Shared::default();
        (0..).zip([SHARED, LOAD]).for_each(|(number, result)| shared.take(number, result));
        let late = UnderWay { awaited: 250, ..SHARED };
        assert_eq!(shared.best(0..2, 1, &late), 1);
    }

    #[test]
    fn of_equal_ones_the_last_is_taken_until_it_has_come() {
        let mut shared = Shared::default();
        (0..2).for_each(|number| shared.take(number, SHARED));
        assert_eq!((shared.best(0..2, 0, &SHARED), shared.best(0..2, 1, &SHARED)), (0, 1));
        shared.take(1, LOAD);
        shared.clear(0b10);
        assert_eq!(shared.best(0..2, 1, &SHARED), 1);
    }
}
