//! Lines of a slice that were written in part: of each set only so many may wait for the rest of their sectors. What requests have
//! written to different sectors of a line goes one after another.

use crate::line_table::LineTable;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_units::{Address, SectorMask};

/// Sectors that one request has written in part: they wait together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Part {
    sectors: SectorMask,
    /// When it was written last, counted in writes to the slice.
    last: u64,
}

/// What was written of a line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Written {
    /// The words, one bit each.
    words: u32,
    parts: SmallVec<[Part; 2]>,
}

impl Written {
    /// Words of some sectors are written, of which some wait for others: those of a part that waits join it, the rest is a part of
    /// its own. The sectors of which all words have been written, which wait no longer.
    fn write(&mut self, sectors: SectorMask, words: u32, now: u64) -> SectorMask {
        self.words |= words;
        let mut others = sectors;
        for part in self.parts.iter_mut().filter(|part| !(part.sectors & sectors).is_empty()) {
            part.last = now;
            others = others & !part.sectors;
        }
        if !others.is_empty() {
            self.parts.push(Part { sectors: others, last: now });
        }
        let whole = SectorMask::filled_by(self.words);
        self.forget(whole);
        whole
    }

    /// Some sectors wait no longer.
    fn forget(&mut self, sectors: SectorMask) {
        self.parts.iter_mut().for_each(|part| part.sectors = part.sectors & !sectors);
        self.parts.retain(|part| !part.sectors.is_empty());
    }
}

/// What was written in part to the lines of one slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartialLines {
    lines: LineTable<Written>,
    writes: u64,
}

impl PartialLines {
    /// Words of a line are written, one bit each, of which now the sectors `partial` are written in part: `sectors` by this
    /// request. The sectors of which all words have been written.
    pub(crate) fn write(
        &mut self,
        line: Address,
        sectors: SectorMask,
        words: u32,
        partial: SectorMask,
    ) -> SectorMask {
        self.writes += 1;
        let written = self.lines.get_or_insert(line);
        written.forget(!partial);
        written.write(sectors & partial, words, self.writes)
    }

    /// No sector of a line is written in part any more.
    pub(crate) fn remove(&mut self, line: Address) {
        self.lines.remove(line);
    }

    /// How many of these lines are written in part.
    pub(crate) fn count(&self, lines: impl Iterator<Item = Address>) -> usize {
        lines.filter_map(|line| self.last(line)).count()
    }

    /// When a line was written last, if it is written in part.
    fn last(&self, line: Address) -> Option<u64> {
        self.lines.get(line)?.parts.iter().map(|part| part.last).max()
    }

    /// If more than `most` of these lines are written in part, takes out the oldest part of the one that was not written for
    /// longest: its sectors.
    pub(crate) fn take_oldest(
        &mut self,
        lines: impl Iterator<Item = Address>,
        most: usize,
    ) -> Option<(Address, SectorMask)> {
        let written = lines.filter_map(|line| Some((self.last(line)?, line)));
        let (count, oldest) = written.fold((0, None), |(count, oldest), one| {
            (count + 1, Some(oldest.map_or(one, |oldest| std::cmp::min(oldest, one))))
        });
        let (_, line) = oldest.filter(|_| count > most)?;
        let parts = &mut self.lines.get_mut(line)?.parts;
        let (place, _) = parts.iter().enumerate().min_by_key(|(_, part)| part.last)?;
        let part = parts.remove(place);
        if parts.is_empty() {
            self.lines.remove(line);
        }
        Some((line, part.sectors))
    }
}

#[cfg(test)]
mod tests {
    use super::PartialLines;
    use warplab_units::{Address, SectorMask};

    /// Three lines, written one after the other.
    fn three() -> (PartialLines, [Address; 3]) {
        let lines = [0, 128, 256].map(Address);
        let mut partial = PartialLines::default();
        lines.iter().for_each(|&line| _ = partial.write(line, SectorMask(1), 1, SectorMask(1)));
        (partial, lines)
    }

    #[test]
    fn a_sector_is_whole_when_all_its_words_were_written() {
        let mut partial = PartialLines::default();
        assert_eq!(partial.write(Address(0), SectorMask(3), 0x0000_7f0f, SectorMask(3)), SectorMask::EMPTY);
        assert_eq!(partial.write(Address(0), SectorMask(3), 0x0000_80f0, SectorMask(3)), SectorMask(0b0011));
    }

    #[test]
    fn of_too_many_lines_the_one_goes_that_was_not_written_for_longest() {
        let (mut partial, lines) = three();
        partial.write(Address(0), SectorMask(1), 2, SectorMask(1));
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), Some((Address(128), SectorMask(1))));
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), None);
    }

    #[test]
    fn what_requests_have_written_to_different_sectors_of_a_line_goes_one_after_another() {
        let mut partial = PartialLines::default();
        let mut write = |line, sectors, words, all| {
            partial.write(Address(line), SectorMask(sectors), words, SectorMask(all));
        };
        write(0, 0b0011, 0x0000_0101, 0b0011);
        write(0, 0b1000, 0x0100_0000, 0b1011);
        write(0, 0b0010, 0x0000_0200, 0b1011);
        write(128, 0b0001, 0x0000_0001, 0b0001);
        let mut oldest = || partial.take_oldest([0, 128].map(Address).into_iter(), 1);
        let parts = [0b1000, 0b0011].map(|sectors| Some((Address(0), SectorMask(sectors))));
        assert_eq!([oldest(), oldest(), oldest()], [parts[0], parts[1], None]);
    }

    #[test]
    fn a_sector_that_is_whole_in_another_way_waits_no_longer() {
        let mut partial = PartialLines::default();
        partial.write(Address(0), SectorMask(0b01), 0x0001, SectorMask(0b01));
        partial.write(Address(0), SectorMask(0b10), 0x0100, SectorMask(0b10));
        assert_eq!(partial.count([Address(0)].into_iter()), 1);
    }

    #[test]
    fn a_line_that_is_whole_leaves_its_place_to_others() {
        let (mut partial, lines) = three();
        partial.remove(Address(0));
        assert_eq!(partial.take_oldest(lines.into_iter(), 2), None);
        assert_eq!(partial.take_oldest(lines.into_iter(), 1), Some((Address(128), SectorMask(1))));
    }

    #[test]
    fn lines_of_other_sets_do_not_count() {
        let (mut partial, lines) = three();
        assert_eq!(partial.take_oldest(lines[..2].iter().copied(), 2), None);
        assert_eq!(partial.count(lines[..2].iter().copied()), 2);
    }
}
