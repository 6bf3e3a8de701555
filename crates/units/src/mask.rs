//! Which lanes of a warp.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// Lanes of a warp on NVIDIA machines.
pub const WARP_LANES: usize = 32;

/// A set of lanes of one warp: bit `i` is lane `i`. Prints as eight hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneMask(pub u32);

impl LaneMask {
    /// No lane.
    pub const EMPTY: LaneMask = LaneMask(0);
    /// All 32 lanes.
    pub const ALL: LaneMask = LaneMask(u32::MAX);

    /// The first `count` lanes (at most 32).
    #[must_use]
    pub fn first(count: u32) -> LaneMask {
        if count >= 32 { LaneMask::ALL } else { LaneMask((1 << count) - 1) }
    }

    /// The mask with only `lane`.
    #[must_use]
    pub fn single(lane: u32) -> LaneMask {
        LaneMask(1 << lane)
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

    /// Whether all 32 lanes are in the mask.
    #[must_use]
    pub fn is_full(self) -> bool {
        self.0 == u32::MAX
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
        write!(f, "{:08x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::LaneMask;

    #[test]
    fn the_lanes_of_a_mask_come_ascending() {
        assert_eq!(LaneMask(0x8000_0011).lanes().collect::<Vec<_>>(), [0, 4, 31]);
    }

    #[test]
    fn the_first_32_lanes_are_all_lanes() {
        assert_eq!(LaneMask::first(32), LaneMask::ALL);
        assert_eq!(LaneMask::first(5), LaneMask(0b11111));
    }
}
