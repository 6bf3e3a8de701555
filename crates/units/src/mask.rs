//! Which lanes of a warp.
//!
//! Values are computed for [`ROW_LANES`] lanes at a time, a *row*. A warp has one row of lanes or two; then its lower
//! row has lanes 0 to 31 and its upper row lanes 32 to 63. A [`LaneMask`] names lanes of one row, a [`WarpMask`] those of
//! a warp.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// Lanes of a row. [`LaneBits`] has a bit for each; nothing else in the simulator says how many there are.
pub const ROW_LANES: usize = 32;

/// Lanes of the widest warp: two rows.
pub const MOST_WARP_LANES: usize = 2 * ROW_LANES;

/// An integer with a bit for each lane of a row.
pub type LaneBits = u32;

/// An integer with a bit for each lane of a warp.
pub type WarpBits = u64;

/// The bit of a lane: 0 or 1.
#[inline(always)]
#[must_use]
#[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation)] // One bit of as many as there are lanes.
pub fn lane_bit(bits: LaneBits, lane: usize) -> u32 {
    (bits >> lane & 1) as u32
}

/// A value for each lane of a row.
pub type PerLane<T> = [T; ROW_LANES];

/// One 32-bit value for each lane of a row.
pub type Row = PerLane<u32>;

const _: () = assert!(LaneBits::BITS as usize == ROW_LANES);
const _: () = assert!(WarpBits::BITS as usize == MOST_WARP_LANES);

/// A set of lanes of one row: bit `i` is lane `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneMask(pub LaneBits);

/// A set of lanes of one warp: bit `i` is lane `i`. Prints as a hexadecimal digit for every four lanes; of a warp of one
/// row, and where no lane beyond is in the set, these are eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WarpMask(pub WarpBits);

impl LaneMask {
    /// The mask as a 32-bit register holds it.
    #[inline(always)]
    #[must_use]
    pub fn to_register(self) -> u32 {
        self.0
    }

    /// The mask that a 32-bit register holds.
    #[inline(always)]
    #[must_use]
    pub fn from_register(register: u32) -> LaneMask {
        LaneMask(register)
    }
}

impl WarpMask {
    /// The lanes of the lower and of the upper row.
    #[inline(always)]
    #[must_use]
    pub fn of_rows(lower: LaneBits, upper: LaneBits) -> WarpMask {
        WarpMask(WarpBits::from(lower) | WarpBits::from(upper) << ROW_LANES)
    }

    /// The lanes of a row: 0 is the lower.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // The lanes of the row.
    pub fn row(self, row: usize) -> LaneMask {
        LaneMask((self.0 >> (row % 2 * ROW_LANES)) as LaneBits)
    }
}

/// What both kinds of mask can do.
macro_rules! lanes {
    ($mask:ident, $bits:ident) => {
        impl $mask {
            /// No lane.
            pub const EMPTY: $mask = $mask(0);
            /// All lanes.
            pub const ALL: $mask = $mask($bits::MAX);

            /// The first `count` lanes; all when there are no more.
            #[inline]
            #[must_use]
            pub fn first(count: u32) -> $mask {
                if count >= $bits::BITS { $mask::ALL } else { $mask((1 << count) - 1) }
            }

            /// The mask with only `lane`.
            #[inline]
            #[must_use]
            pub fn single(lane: u32) -> $mask {
                $mask(1 << lane)
            }

            /// How many lanes are in the mask.
            #[inline]
            #[must_use]
            pub fn count(self) -> u32 {
                self.0.count_ones()
            }

            /// Whether no lane is in the mask.
            #[inline]
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all lanes are in the mask.
            #[inline]
            #[must_use]
            pub fn is_full(self) -> bool {
                self == $mask::ALL
            }

            /// Whether `lane` is in the mask.
            #[inline]
            #[must_use]
            pub fn has(self, lane: usize) -> bool {
                self.0 >> lane & 1 != 0
            }

            /// The lanes of this mask that are not in `other`.
            #[inline]
            #[must_use]
            pub fn without(self, other: $mask) -> $mask {
                $mask(self.0 & !other.0)
            }

            /// The lowest lane of the mask, if any.
            #[inline]
            #[must_use]
            pub fn lowest(self) -> Option<usize> {
                (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
            }

            /// The lanes of the mask, ascending.
            #[inline]
            pub fn lanes(self) -> impl Iterator<Item = usize> {
                let mut rest = self.0;
                std::iter::from_fn(move || {
                    let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                    rest &= rest - 1;
                    Some(lane)
                })
            }
        }

        impl BitAnd for $mask {
            type Output = $mask;
            #[inline]
            fn bitand(self, other: $mask) -> $mask {
                $mask(self.0 & other.0)
            }
        }

        impl BitAndAssign for $mask {
            #[inline]
            fn bitand_assign(&mut self, other: $mask) {
                self.0 &= other.0;
            }
        }

        impl BitOr for $mask {
            type Output = $mask;
            #[inline]
            fn bitor(self, other: $mask) -> $mask {
                $mask(self.0 | other.0)
            }
        }

        impl BitOrAssign for $mask {
            #[inline]
            fn bitor_assign(&mut self, other: $mask) {
                self.0 |= other.0;
            }
        }

        impl Not for $mask {
            type Output = $mask;
            #[inline]
            fn not(self) -> $mask {
                $mask(!self.0)
            }
        }

        impl FromIterator<usize> for $mask {
            #[inline]
            fn from_iter<I: IntoIterator<Item = usize>>(lanes: I) -> $mask {
                $mask(lanes.into_iter().fold(0, |mask, lane| mask | 1 << lane))
            }
        }
    };
}

lanes!(LaneMask, LaneBits);
lanes!(WarpMask, WarpBits);

impl fmt::Display for WarpMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{LaneBits, LaneMask, WarpMask};

    #[test]
    fn the_lanes_of_a_mask_come_ascending() {
        assert_eq!(LaneMask(0x8000_0011).lanes().collect::<Vec<_>>(), [0, 4, 31]);
    }

    #[test]
    fn as_many_first_lanes_as_there_are_are_all_lanes() {
        assert_eq!(LaneMask::first(LaneBits::BITS), LaneMask::ALL);
        assert_eq!(LaneMask::first(5), LaneMask(0b11111));
    }

    #[test]
    fn the_upper_row_of_a_warp_has_lanes_32_to_63() {
        let mask = WarpMask::of_rows(0b11, 0b101);
        assert_eq!(mask.lanes().collect::<Vec<_>>(), [0, 1, 32, 34]);
        assert_eq!([mask.row(0), mask.row(1)], [LaneMask(0b11), LaneMask(0b101)]);
    }

    #[test]
    fn a_mask_prints_eight_digits_until_a_lane_beyond_is_in_it() {
        assert_eq!(WarpMask(0xff).to_string(), "000000ff");
        assert_eq!(WarpMask::ALL.to_string(), "ffffffffffffffff");
    }
}
