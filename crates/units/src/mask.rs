//! Which lanes of a warp.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// Lanes of a warp. [`LaneBits`] has a bit for each; nothing else in the simulator says how many there are.
pub const WARP_LANES: usize = 32;

/// An integer with a bit for each lane.
pub type LaneBits = u32;

/// The bit of a lane: 0 or 1.
#[inline(always)]
#[must_use]
#[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation)] // One bit of as many as there are lanes.
pub fn lane_bit(bits: LaneBits, lane: usize) -> u32 {
    (bits >> lane & 1) as u32
}

/// A value for each lane of a warp.
pub type PerLane<T> = [T; WARP_LANES];

/// One 32-bit value for each lane of a warp.
pub type Row = PerLane<u32>;

const _: () = assert!(LaneBits::BITS as usize == WARP_LANES);

/// A set of lanes of one warp: bit `i` is lane `i`. Prints as a hexadecimal digit for every four lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneMask(pub LaneBits);

impl LaneMask {
    /// No lane.
    pub const EMPTY: LaneMask = LaneMask(0);
    /// All lanes.
    pub const ALL: LaneMask = LaneMask(LaneBits::MAX);

    /// The first `count` lanes; all when there are no more.
    #[must_use]
    pub fn first(count: u32) -> LaneMask {
        if count >= LaneBits::BITS { LaneMask::ALL } else { LaneMask((1 << count) - 1) }
    }

    /// The mask with only `lane`.
    #[must_use]
    pub fn single(lane: u32) -> LaneMask {
        LaneMask(1 << lane)
    }

    /// The mask as a 32-bit register holds it: its first 32 lanes.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation)] // Lanes beyond have no bit in the register.
    pub fn to_register(self) -> u32 {
        self.0 as u32
    }

    /// The mask that a 32-bit register holds.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::useless_conversion)] // As wide as the mask, or narrower.
    pub fn from_register(register: u32) -> LaneMask {
        LaneMask(LaneBits::from(register))
    }

    /// How many lanes are in the mask.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether no lane is in the mask.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all lanes are in the mask.
    #[must_use]
    pub fn is_full(self) -> bool {
        self == LaneMask::ALL
    }

    /// Whether `lane` is in the mask.
    #[must_use]
    pub fn has(self, lane: usize) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// The lanes of this mask that are not in `other`.
    #[must_use]
    pub fn without(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & !other.0)
    }

    /// The lowest lane of the mask, if any.
    #[must_use]
    pub fn lowest(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }

    /// The lanes of the mask, ascending.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(lane)
        })
    }
}

impl BitAnd for LaneMask {
    type Output = LaneMask;
    fn bitand(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & other.0)
    }
}

impl BitAndAssign for LaneMask {
    fn bitand_assign(&mut self, other: LaneMask) {
        self.0 &= other.0;
    }
}

impl BitOr for LaneMask {
    type Output = LaneMask;
    fn bitor(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 | other.0)
    }
}

impl BitOrAssign for LaneMask {
    fn bitor_assign(&mut self, other: LaneMask) {
        self.0 |= other.0;
    }
}

impl Not for LaneMask {
    type Output = LaneMask;
    fn not(self) -> LaneMask {
        LaneMask(!self.0)
    }
}

impl fmt::Display for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$x}", self.0, width = WARP_LANES / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::{LaneBits, LaneMask};

    #[test]
    fn the_lanes_of_a_mask_come_ascending() {
        assert_eq!(LaneMask(0x8000_0011).lanes().collect::<Vec<_>>(), [0, 4, 31]);
    }

    #[test]
    fn as_many_first_lanes_as_there_are_are_all_lanes() {
        assert_eq!(LaneMask::first(LaneBits::BITS), LaneMask::ALL);
        assert_eq!(LaneMask::first(5), LaneMask(0b11111));
    }
}
