//! What a cache holds, for people to look at.

use super::{DIRTY, PARTIAL, PINNED, SectorCache, VALID, Word};
use serde::Serialize;
use warplab_units::{Address, SectorMask};

/// A line that a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineView {
    /// Its way in the set.
    pub way: usize,
    /// The address of its first byte.
    pub line: Address,
    /// The sectors that hold anything.
    pub valid: SectorMask,
    /// Of these, the ones to be written back.
    pub dirty: SectorMask,
    /// Of these, the ones of which only some bytes are there.
    pub partial: SectorMask,
    /// Whether the line must stay, as sectors of it are under way.
    pub pinned: bool,
}

/// A set of a cache with the lines that it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetView {
    /// The number of the set.
    pub set: usize,
    /// Its lines by way; an empty way is left out.
    pub lines: Vec<LineView>,
}

/// What a cache holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheView {
    /// Sets of the cache.
    pub sets: usize,
    /// Lines of a set.
    pub ways: usize,
    /// Lines that it holds now.
    pub lines: u64,
    /// The sets that hold a line: the first ones of them, from the set that was asked for on.
    pub occupied: Vec<SetView>,
}

impl SectorCache {
    /// What the cache holds: at most `most` of its occupied sets, from set `first` on.
    #[must_use]
    pub fn inspect(&self, first: usize, most: usize) -> CacheView {
        let ways = self.shape.ways;
        let sets = self.lines.chunks(ways).enumerate().skip(first);
        let occupied = sets.filter(|(_, words)| words.iter().any(|word| word.is_there()));
        CacheView {
            sets: self.shape.sets,
            ways,
            lines: self.count_lines(),
            occupied: occupied.take(most).map(|(set, words)| SetView { set, lines: lines(words) }).collect(),
        }
    }
}

fn lines(words: &[Word]) -> Vec<LineView> {
    let there = words.iter().enumerate().filter(|(_, word)| word.is_there());
    there.map(|(way, &word)| line(way, word)).collect()
}

fn line(way: usize, word: Word) -> LineView {
    LineView {
        way,
        line: word.line(),
        valid: word.sectors(VALID),
        dirty: word.sectors(DIRTY),
        partial: word.sectors(PARTIAL),
        pinned: word.0 >> PINNED & 1 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{LineView, SetView};
    use crate::cache::{CacheShape, SectorCache};
    use warplab_units::{Address, SectorMask};

    #[test]
    fn a_cache_shows_the_sets_that_hold_a_line_with_the_sectors_of_each() {
        let mut cache = SectorCache::new(CacheShape { sets: 4, ways: 2 });
        let (index, _) = cache.insert(Address(2 * 128), 2).unwrap();
        cache.fill(index, SectorMask(0b0011));
        cache.write(index, SectorMask(0b0100), SectorMask::EMPTY);
        cache.pin(index);
        let view = cache.inspect(0, 8);
        let line = LineView {
            way: 0,
            line: Address(256),
            valid: SectorMask(0b0111),
            dirty: SectorMask(0b0100),
            partial: SectorMask(0b0100),
            pinned: true,
        };
        assert_eq!((view.sets, view.ways, view.lines), (4, 2, 1));
        assert_eq!(view.occupied, [SetView { set: 2, lines: vec![line] }]);
        assert_eq!(cache.inspect(3, 8).occupied, []);
    }
}
