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
