//! Lines of a slice that were written in part: of each set only so many may wait for the rest of their sectors.

use crate::line_table::LineTable;
use serde::{Deserialize, Serialize};
use warplab_units::{Address, SectorMask};

/// Words of a sector.
const WORDS: u32 = 8;

/// What was written of a line.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Written {
    /// The words, one bit each.
    words: u32,
    /// When, counted in writes to the slice.
    last: u64,
}

/// The lines of one slice with sectors that were written in part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartialLines {
    lines: LineTable<Written>,
    writes: u64,
}

impl PartialLines {
    /// Words of a line are written, one bit each. The sectors of which all have been.
    pub(crate) fn write(&mut self, line: Address, words: u32) -> SectorMask {
        self.writes += 1;
        let written = self.lines.get_or_insert(line);
        written.words |= words;
        written.last = self.writes;
        whole_sectors(written.words)
    }

    /// No sector of a line is written in part any more.
    pub(crate) fn remove(&mut self, line: Address) {
        self.lines.remove(line);
    }

    /// How many of these lines are written in part.
    pub(crate) fn count(&self, lines: impl Iterator<Item = Address>) -> usize {
        lines.filter(|&line| self.lines.contains(line)).count()
    }

    /// Takes out the one of these lines that was not written for longest, if more than `most` are written in part.
    pub(crate) fn take_oldest(
        &mut self,
        lines: impl Iterator<Item = Address>,
        most: usize,
    ) -> Option<Address> {
        let written = lines.filter_map(|line| Some((self.lines.get(line)?.last, line)));
        let (count, oldest) = written.fold((0, None), |(count, oldest), one| {
            (count + 1, Some(oldest.map_or(one, |oldest| std::cmp::min(oldest, one))))
        });
        let (_, line) = oldest.filter(|_| count > most)?;
        self.lines.remove(line);
        Some(line)
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

    /// Three lines, written one after the other.
    fn three() -> (PartialLines, [Address; 3]) {
        let lines = [0, 128, 256].map(Address);
        let mut partial = PartialLines::default();
        lines.iter().for_each(|&line| _ = partial.write(line, 1));
        (partial, lines)
    }

    #[test]
    fn a_sector_is_whole_when_all_its_words_were_written() {
        let mut partial = PartialLines::default();
        assert_eq!(partial.write(Address(0), 0x0000_7f0f), SectorMask::EMPTY);
        assert_eq!(partial.write(Address(0), 0x0000_80f0), SectorMask(0b0011));
    }

    #[test]
    fn of_too_many_lines_the_one_goes_that_was_not_written_for_longest() {
        let (mut partial, lines) = three();
        partial.write(Address(0), 2);
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), Some(Address(128)));
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), None);
    }

    #[test]
    fn a_line_that_is_whole_leaves_its_place_to_others() {
        let (mut partial, lines) = three();
        partial.remove(Address(0));
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), None);
        assert_eq!(partial.take_oldest(lines.into_iter(), 1), Some(Address(128)));
    }

    #[test]
    fn lines_of_other_sets_do_not_count() {
        let (mut partial, lines) = three();
        assert_eq!(partial.take_oldest(lines[..2].iter().copied(), 2), None);
        assert_eq!(partial.count(lines[..2].iter().copied()), 2);
    }
}
