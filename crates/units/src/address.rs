//! Byte addresses, and the lines and sectors they fall into.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitOrAssign, Not, Sub};

/// Bytes of a sector, the unit of traffic between caches.
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of a cache line.
pub const LINE_BYTES: u64 = 128;
/// Sectors of a line.
pub const SECTORS_PER_LINE: u64 = LINE_BYTES / SECTOR_BYTES;

/// A byte address in one of the memory spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address(pub u64);

impl Address {
    /// The address of the first byte of the line that this address falls into.
    #[must_use]
    pub fn line(self) -> Address {
        Address(self.0 & !(LINE_BYTES - 1))
    }
}

impl Add<u64> for Address {
    type Output = Address;
    fn add(self, bytes: u64) -> Address {
        Address(self.0.wrapping_add(bytes))
    }
}

impl Sub<Address> for Address {
    type Output = u64;
    fn sub(self, other: Address) -> u64 {
        self.0.wrapping_sub(other.0)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The highest bit of each byte.
const HIGHEST: u32 = 0x8080_8080;

/// Which of the four sectors of a line: bit `i` is bytes `32 i` to `32 i + 31`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SectorMask(pub u8);

impl SectorMask {
    /// No sector.
    pub const EMPTY: SectorMask = SectorMask(0);
    /// All four sectors.
    pub const ALL: SectorMask = SectorMask(0b1111);

    /// The mask with only sector `sector` (0 to 3).
    #[must_use]
    pub fn single(sector: u32) -> SectorMask {
        SectorMask(1 << sector)
    }

    /// The sectors of which some words are there; a bit for each word of the line.
    #[inline]
    #[must_use]
    pub fn touched_by(words: u32) -> SectorMask {
        SectorMask::of_highest_bits(((words & !HIGHEST) + !HIGHEST) | words)
    }

    /// The sectors of which all words are there; a bit for each word of the line.
    #[inline]
    #[must_use]
    pub fn filled_by(words: u32) -> SectorMask {
        !SectorMask::touched_by(!words)
    }

    /// The highest bits of the four bytes, side by side.
    #[inline]
    fn of_highest_bits(bytes: u32) -> SectorMask {
        SectorMask((((bytes & HIGHEST) >> 7).wrapping_mul(0x0102_0408) >> 24) as u8 & 0xf)
    }

    /// How many sectors are in the mask.
    #[inline]
    #[must_use]
    pub fn count(self) -> u32 {
        // A table, as not every processor counts bits in one instruction.
        const COUNTS: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        u32::from(COUNTS[usize::from(self.0 & 0xf)])
    }

    /// Whether no sector is in the mask.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every sector of `other` is in this mask.
    #[must_use]
    pub fn contains(self, other: SectorMask) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for SectorMask {
    type Output = SectorMask;
    fn bitor(self, other: SectorMask) -> SectorMask {
        SectorMask(self.0 | other.0)
    }
}

impl BitOrAssign for SectorMask {
    fn bitor_assign(&mut self, other: SectorMask) {
        self.0 |= other.0;
    }
}

impl BitAnd for SectorMask {
    type Output = SectorMask;
    fn bitand(self, other: SectorMask) -> SectorMask {
        SectorMask(self.0 & other.0)
    }
}

impl Not for SectorMask {
    type Output = SectorMask;
    fn not(self) -> SectorMask {
        SectorMask(!self.0 & 0b1111)
    }
}

#[cfg(test)]
mod tests {
    use super::SectorMask;

    #[test]
    fn words_touch_some_sectors_and_fill_others() {
        let words = 0xff00_807f;
        assert_eq!(SectorMask::touched_by(words), SectorMask(0b1011));
        assert_eq!(SectorMask::filled_by(words), SectorMask(0b1000));
        assert_eq!(
            (SectorMask::touched_by(0), SectorMask::filled_by(u32::MAX)),
            (SectorMask(0), SectorMask::ALL)
        );
    }
}
