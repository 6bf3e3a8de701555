//! Lines of a slice that were written in part: only so many may wait for the rest of their sectors.

use crate::line_table::LineTable;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_units::{Address, SectorMask};

/// Words of a sector.
const WORDS: u32 = 8;

/// So many lines that have gone are kept in the order in any case.
const FEW: usize = 64;

/// The lines of one slice with sectors that were written in part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartialLines {
    /// The words of each that were written.
    words: LineTable<u32>,
    /// In the order in which they came; some have gone.
    order: VecDeque<Address>,
}

impl PartialLines {
    /// Words of a line are written, one bit each. The sectors of which all have been.
    pub(crate) fn write(&mut self, line: Address, words: u32) -> SectorMask {
        if !self.words.contains(line) {
            self.order.push_back(line);
        }
        let written = self.words.get_or_insert(line);
        *written |= words;
        whole_sectors(*written)
    }

    /// No sector of a line is written in part any more.
    pub(crate) fn remove(&mut self, line: Address) {
        self.words.remove(line);
        // Lines that have gone are forgotten now and then, so that they never outnumber the others.
        if self.order.len() > 2 * self.words.len() + FEW {
            self.order.retain(|&line| self.words.contains(line));
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Takes out the oldest line while there are more than `most`.
    pub(crate) fn take_oldest(&mut self, most: usize) -> Option<Address> {
        while self.words.len() > most {
            let oldest = self.order.pop_front()?;
            if self.words.remove(oldest).is_some() {
                return Some(oldest);
            }
        }
        None
    }
}

/// The sectors of which every word is there.
fn whole_sectors(words: u32) -> SectorMask {
    let whole = |&sector: &u32| words >> (sector * WORDS) & 0xff == 0xff;
    (0..4).filter(whole).fold(SectorMask::EMPTY, |all, sector| all | SectorMask::single(sector))
}

#[cfg(test)]
mod tests {
    use super::PartialLines;
    use warplab_units::{Address, SectorMask};

    #[test]
    fn a_sector_is_whole_when_all_its_words_were_written() {
        let mut lines = PartialLines::default();
        assert_eq!(lines.write(Address(0), 0x0000_7f0f), SectorMask::EMPTY);
        assert_eq!(lines.write(Address(0), 0x0000_80f0), SectorMask(0b0011));
    }

    #[test]
    fn the_oldest_of_too_many_lines_goes() {
        let mut lines = PartialLines::default();
        [0, 128, 256].into_iter().for_each(|line| _ = lines.write(Address(line), 1));
        assert_eq!(lines.take_oldest(2), Some(Address(0)));
        assert_eq!(lines.take_oldest(2), None);
    }

    #[test]
    fn lines_that_have_gone_take_no_room() {
        let mut lines = PartialLines::default();
        for number in 0..10_000 {
            lines.write(Address(number * 128), 1);
            lines.remove(Address(number * 128));
        }
        assert!(lines.order.len() <= 64, "{}", lines.order.len());
    }

    #[test]
    fn a_line_that_is_whole_leaves_its_place_to_others() {
        let mut lines = PartialLines::default();
        [0, 128, 256].into_iter().for_each(|line| _ = lines.write(Address(line), 1));
        lines.remove(Address(0));
        assert_eq!(lines.take_oldest(2), None);
        assert_eq!(lines.take_oldest(1), Some(Address(128)));
    }
}
