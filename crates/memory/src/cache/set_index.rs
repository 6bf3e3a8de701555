//! Which set of a cache a number chooses.

use serde::{Deserialize, Serialize};
use warplab_units::Divisor;

/// Numbers of an aligned block of at most so many sets stay in one block: what replaces a row of DRAM is a row again.
const LARGEST_BLOCK: u32 = 64;

/// Aligned blocks of sets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Blocks {
    /// Sets of all blocks.
    sets: u32,
    /// The bits of a set inside its block.
    inside: u32,
}

impl Blocks {
    /// The set of a place in a group: the blocks are rotated and the places of a block combined with bits of a hash.
    #[inline]
    fn set(self, place: u32, group: u64) -> u32 {
        let hash = group.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let rotation = (((hash >> 32) * u64::from(self.sets)) >> 32) as u32 & !self.inside;
        let rotated = place + rotation;
        let rotated = if rotated >= self.sets { rotated - self.sets } else { rotated };
        rotated ^ ((hash >> 20) as u32 & self.inside)
    }
}

/// How a number chooses a set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SetIndex {
    /// By its lowest bits.
    Bits(u64),
    /// Modulo the number of sets.
    Modulo(Divisor),
    /// Each group of as many numbers as there are sets goes to them in an order of its own.
    Hashed(Divisor, Blocks),
}

impl SetIndex {
    /// One number after another, modulo the number of sets.
    pub(crate) fn in_turn(sets: usize) -> SetIndex {
        let sets = sets as u64;
        if sets.is_power_of_two() { SetIndex::Bits(sets - 1) } else { SetIndex::Modulo(Divisor::new(sets)) }
    }

    /// By a hash: numbers of any stride go to all sets, and as many numbers side by side as there are sets each to another.
    pub(crate) fn hashed(sets: usize) -> SetIndex {
        let block = LARGEST_BLOCK.min(1 << sets.trailing_zeros());
        let blocks = Blocks { sets: sets as u32, inside: block - 1 };
        SetIndex::Hashed(Divisor::new(sets as u64), blocks)
    }

    /// The set of a number.
    #[inline(always)]
    pub(crate) fn of(&self, number: u64) -> usize {
        match self {
            SetIndex::Bits(bits) => (number & bits) as usize,
            SetIndex::Modulo(sets) => sets.divide(number).1 as usize,
            SetIndex::Hashed(sets, blocks) => {
                let (group, place) = sets.divide(number);
                blocks.set(place as u32, group) as usize
            }
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
