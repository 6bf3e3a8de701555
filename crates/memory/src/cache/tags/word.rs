//! What is known of one line, in one word.

use super::Victim;
use serde::{Deserialize, Serialize};
use warplab_units::{Address, LINE_BYTES, SectorMask};

/// One line: four bits each of valid, dirty and partly written sectors, one that it must stay, one that it has a copy
/// elsewhere, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Word(pub(super) u64);

impl Word {
    /// No line has this number: a line that is not there.
    pub(super) const EMPTY: Word = Word(u64::MAX << NUMBER);

    pub(super) fn new(number: u64) -> Word {
        Word(number << NUMBER)
    }

    #[inline]
    pub(super) fn number(self) -> u64 {
        self.0 >> NUMBER
    }

    #[inline]
    pub(super) fn is_there(self) -> bool {
        self.number() != Word::EMPTY.number()
    }

    #[inline]
    pub(super) fn line(self) -> Address {
        Address(self.number() * LINE_BYTES)
    }

    #[inline]
    pub(super) fn sectors(self, at: u32) -> SectorMask {
        SectorMask((self.0 >> at & 0xf) as u8)
    }

    /// Whether another line may take its place.
    #[inline]
    pub(super) fn may_go(self) -> bool {
        self.0 >> PINNED & 1 == 0
    }

    /// Whether nothing of it must be written back.
    #[inline]
    pub(super) fn is_clean(self) -> bool {
        self.sectors(DIRTY).is_empty()
    }

    /// What is lost if it goes.
    #[inline]
    pub(super) fn victim(self) -> Victim {
        let dirty = self.sectors(DIRTY);
        Victim { line: self.line(), dirty, partial: dirty & self.sectors(PARTIAL) }
    }

    #[inline]
    pub(super) fn set_sectors(&mut self, at: u32, sectors: SectorMask) {
        self.0 = self.0 & !(0xf << at) | u64::from(sectors.0 & 0xf) << at;
    }
}

/// The lowest bit of the sectors that hold anything.
pub(super) const VALID: u32 = 0;
/// Of those to be written back.
pub(super) const DIRTY: u32 = 4;
/// Of those of which only some bytes are there: written, never read from below.
pub(super) const PARTIAL: u32 = 8;
/// The bit of a line that must stay.
pub(super) const PINNED: u32 = 12;
/// The bit of a line that another cache keeps a copy of.
pub(super) const COPIED: u32 = 13;
/// The lowest bit of the line's number.
const NUMBER: u32 = 14;
