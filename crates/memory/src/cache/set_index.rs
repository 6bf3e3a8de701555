//! Which set of a cache a number chooses.

use crate::map::mix;
use serde::{Deserialize, Serialize};
use warplab_units::Divisor;

/// Numbers of an aligned block of at most so many sets stay in one block: what replaces a row of DRAM is a row again.
const LARGEST_BLOCK: u64 = 64;

/// The set that a number chooses, of so many.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SetIndex {
    sets: Divisor,
    /// The bits of a set, where the number of sets is a power of two.
    mask: Option<u64>,
    /// Sets of a block, where as many numbers as there are sets go to them in another order than the next as many.
    block: Option<u64>,
}

impl SetIndex {
    /// One number after another, modulo the number of sets.
    pub(crate) fn in_turn(sets: usize) -> SetIndex {
        let sets = sets as u64;
        let mask = sets.is_power_of_two().then_some(sets - 1);
        SetIndex { sets: Divisor::new(sets), mask, block: None }
    }

    /// Each group of as many numbers as there are sets has an order of its own: its blocks are rotated and the numbers of
    /// a block combined with bits of a hash. Numbers of any stride go to all sets, and those of a group each to another.
    pub(crate) fn hashed(sets: usize) -> SetIndex {
        let block = LARGEST_BLOCK.min(1 << sets.trailing_zeros());
        SetIndex { block: Some(block), ..SetIndex::in_turn(sets) }
    }

    #[inline]
    pub(crate) fn of(&self, number: u64) -> usize {
        if let Some(block) = self.block {
            let (group, place) = self.sets.divide(number);
            let mixed = mix(group);
            let rotated = self.sets.divide(place + (mixed >> 32) * block).1;
            return (rotated ^ mixed & (block - 1)) as usize;
        }
        match self.mask {
            Some(mask) => (number & mask) as usize,
            None => self.sets.divide(number).1 as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SetIndex;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_go_to_the_sets_in_turn() {
        let sets: Vec<usize> = [0, 1, 319, 320, 641].map(|number| SetIndex::in_turn(320).of(number)).to_vec();
        assert_eq!(sets, [0, 1, 319, 0, 1]);
        assert_eq!(SetIndex::in_turn(8).of(13), 5);
    }

    #[test]
    fn a_group_goes_to_all_sets() {
        let index = SetIndex::hashed(320);
        for group in 0..5 {
            let sets: BTreeSet<usize> = (0..320).map(|place| index.of(group * 320 + place)).collect();
            assert_eq!(sets.len(), 320);
        }
    }

    #[test]
    fn a_stride_of_a_group_goes_to_all_sets() {
        let index = SetIndex::hashed(320);
        let sets: BTreeSet<usize> = (0..6400).map(|number| index.of(number * 320)).collect();
        assert_eq!(sets.len(), 320);
        assert_eq!((0..6400).map(|number| SetIndex::in_turn(320).of(number * 320)).max(), Some(0));
    }

    #[test]
    fn a_block_stays_a_block() {
        let index = SetIndex::hashed(320);
        for block in 0..50 {
            let blocks: BTreeSet<usize> = (0..64).map(|place| index.of(block * 64 + place) / 64).collect();
            assert_eq!(blocks.len(), 1);
        }
    }
}
