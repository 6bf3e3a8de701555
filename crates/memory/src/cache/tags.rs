//! The tags of a sectored cache: lines with a bit a sector for valid, dirty and partly written.

use super::replacement::Replacement;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::ReplacementPolicy;
use warplab_units::{Address, LINE_BYTES, SectorMask};

/// Size and shape of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheShape {
    /// Sets.
    pub sets: usize,
    /// Lines of a set.
    pub ways: usize,
}

impl CacheShape {
    /// The shape of a cache of so many bytes; at least one set.
    #[must_use]
    pub fn of_bytes(bytes: u64, ways: u32) -> CacheShape {
        let lines = (bytes / LINE_BYTES).max(1) as usize;
        let ways = (ways as usize).clamp(1, lines);
        CacheShape { sets: (lines / ways).max(1), ways }
    }
}

/// A line that is in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineIndex(u32);

/// What was in the place of a new line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// The line.
    pub line: Address,
    /// Its sectors that must be written back.
    pub dirty: SectorMask,
}

/// The tags of a sectored cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SectorCache {
    shape: CacheShape,
    tags: Vec<u64>,
    valid: Vec<SectorMask>,
    dirty: Vec<SectorMask>,
    /// Sectors of which only some bytes are there: written, never read from below.
    partial: Vec<SectorMask>,
    replacement: Replacement,
}

/// No line has this tag: tags are line addresses.
const EMPTY: u64 = u64::MAX;

impl SectorCache {
    /// An empty cache that replaces the least recently used line.
    #[must_use]
    pub fn new(shape: CacheShape) -> SectorCache {
        SectorCache::with_replacement(shape, ReplacementPolicy::Lru)
    }

    /// An empty cache.
    #[must_use]
    pub fn with_replacement(shape: CacheShape, policy: ReplacementPolicy) -> SectorCache {
        let lines = shape.sets * shape.ways;
        SectorCache {
            shape,
            tags: vec![EMPTY; lines],
            valid: vec![SectorMask::EMPTY; lines],
            dirty: vec![SectorMask::EMPTY; lines],
            partial: vec![SectorMask::EMPTY; lines],
            replacement: Replacement::new(policy, shape),
        }
    }

    /// Finds a line whose set is chosen by `set_number` (modulo the number of sets), and marks it as used.
    pub fn find(&mut self, line: Address, set_number: u64) -> Option<LineIndex> {
        let set = self.set(set_number);
        let first = set * self.shape.ways;
        let tags = &self.tags[first..first + self.shape.ways];
        let way = tags.iter().position(|&tag| tag == line.0)?;
        self.replacement.hit(set, way);
        Some(LineIndex((first + way) as u32))
    }

    /// Makes room for a line that is not there: an empty way, or else one of those that `may_evict` allows to go.
    /// `None` when every line of the set must stay.
    pub fn insert(
        &mut self,
        line: Address,
        set_number: u64,
        may_evict: impl Fn(Address) -> bool,
    ) -> Option<(LineIndex, Option<Victim>)> {
        let set = self.set(set_number);
        let first = set * self.shape.ways;
        let tags = &self.tags[first..first + self.shape.ways];
        let way = match tags.iter().position(|&tag| tag == EMPTY) {
            Some(empty) => empty,
            None => self.replacement.victim(set, |way| may_evict(Address(tags[way])))?,
        };
        let index = first + way;
        let old = Address(self.tags[index]);
        let victim = (old.0 != EMPTY).then(|| Victim { line: old, dirty: self.dirty[index] });
        self.replacement.insert(set, way);
        self.tags[index] = line.0;
        self.valid[index] = SectorMask::EMPTY;
        self.dirty[index] = SectorMask::EMPTY;
        self.partial[index] = SectorMask::EMPTY;
        Some((LineIndex(index as u32), victim))
    }

    /// The sectors of a line that can be read.
    #[must_use]
    pub fn readable(&self, index: LineIndex) -> SectorMask {
        self.valid[index.0 as usize] & !self.partial[index.0 as usize]
    }

    /// The sectors of a line that hold anything: a write to one of them finds it.
    #[must_use]
    pub fn present(&self, index: LineIndex) -> SectorMask {
        self.valid[index.0 as usize]
    }

    /// Data has come for some sectors.
    pub fn fill(&mut self, index: LineIndex, sectors: SectorMask) {
        let index = index.0 as usize;
        self.valid[index] |= sectors;
        self.partial[index] = self.partial[index] & !sectors;
    }

    /// Some sectors are written; of those in `full` every byte.
    pub fn write(&mut self, index: LineIndex, sectors: SectorMask, full: SectorMask) {
        let index = index.0 as usize;
        let new = sectors & !self.valid[index];
        self.partial[index] = (self.partial[index] | new) & !full;
        self.valid[index] |= sectors;
        self.dirty[index] |= sectors;
    }

    /// Takes a line out, whatever it holds.
    pub fn invalidate(&mut self, index: LineIndex) {
        self.tags[index.0 as usize] = EMPTY;
        self.valid[index.0 as usize] = SectorMask::EMPTY;
    }

    /// Takes every line out.
    pub fn invalidate_all(&mut self) {
        self.tags.fill(EMPTY);
        self.valid.fill(SectorMask::EMPTY);
        self.dirty.fill(SectorMask::EMPTY);
        self.partial.fill(SectorMask::EMPTY);
    }

    fn set(&self, set_number: u64) -> usize {
        (set_number % self.shape.sets as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{CacheShape, SectorCache, Victim};
    use warplab_units::{Address, SectorMask};

    fn two_ways() -> SectorCache {
        SectorCache::new(CacheShape { sets: 1, ways: 2 })
    }

    #[test]
    fn a_line_is_found_only_after_it_was_put_in() {
        let mut cache = two_ways();
        assert_eq!(cache.find(Address(0), 0), None);
        let (index, victim) = cache.insert(Address(0), 0, |_| true).unwrap();
        assert_eq!((cache.find(Address(0), 0), victim), (Some(index), None));
        assert_eq!(cache.find(Address(128), 0), None);
    }

    #[test]
    fn a_new_line_holds_nothing() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        assert_eq!((cache.present(index), cache.readable(index)), (SectorMask::EMPTY, SectorMask::EMPTY));
    }

    #[test]
    fn empty_ways_are_taken_before_any_line_goes() {
        let mut cache = two_ways();
        let (first, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        cache.insert(Address(128), 0, |_| true);
        cache.invalidate(first);
        let (index, victim) = cache.insert(Address(256), 0, |_| false).unwrap();
        assert_eq!((index, victim), (first, None));
    }

    #[test]
    fn a_victim_says_which_sectors_are_dirty() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        cache.fill(index, SectorMask(0b1111));
        cache.write(index, SectorMask(0b0110), SectorMask(0b0110));
        cache.insert(Address(128), 0, |_| true);
        let (_, victim) = cache.insert(Address(256), 0, |_| true).unwrap();
        assert_eq!(victim, Some(Victim { line: Address(0), dirty: SectorMask(0b0110) }));
    }

    #[test]
    fn lines_of_different_sets_do_not_displace_each_other() {
        let mut cache = SectorCache::new(CacheShape { sets: 4, ways: 1 });
        for set in 0..4 {
            let (_, victim) = cache.insert(Address(set * 128), set, |_| true).unwrap();
            assert_eq!(victim, None);
        }
        let (_, victim) = cache.insert(Address(6 * 128), 6, |_| true).unwrap();
        assert_eq!(victim.unwrap().line, Address(2 * 128));
    }

    #[test]
    fn a_whole_write_to_a_filled_sector_leaves_it_readable() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        cache.fill(index, SectorMask(0b0001));
        cache.write(index, SectorMask(0b0001), SectorMask::EMPTY);
        assert_eq!(cache.readable(index), SectorMask(0b0001));
    }

    #[test]
    fn nothing_is_found_after_everything_was_invalidated() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        cache.write(index, SectorMask(1), SectorMask(1));
        cache.invalidate_all();
        assert_eq!(cache.find(Address(0), 0), None);
        let (index, victim) = cache.insert(Address(0), 0, |_| true).unwrap();
        assert_eq!((cache.present(index), victim), (SectorMask::EMPTY, None));
    }

    #[test]
    fn a_cache_of_few_bytes_has_at_least_one_line() {
        assert_eq!(CacheShape::of_bytes(0, 4), CacheShape { sets: 1, ways: 1 });
        assert_eq!(CacheShape::of_bytes(4096, 4), CacheShape { sets: 8, ways: 4 });
    }

    #[test]
    fn the_least_recently_used_line_goes_first() {
        let mut cache = two_ways();
        cache.insert(Address(0), 0, |_| true);
        cache.insert(Address(128), 0, |_| true);
        cache.find(Address(0), 0);
        let (_, victim) = cache.insert(Address(256), 0, |_| true).unwrap();
        assert_eq!(victim, Some(Victim { line: Address(128), dirty: SectorMask::EMPTY }));
    }

    #[test]
    fn a_line_under_way_is_not_evicted() {
        let mut cache = two_ways();
        cache.insert(Address(0), 0, |_| true);
        cache.insert(Address(128), 0, |_| true);
        let (_, victim) = cache.insert(Address(256), 0, |line| line != Address(0)).unwrap();
        assert_eq!(victim.unwrap().line, Address(128));
        assert!(cache.insert(Address(384), 0, |_| false).is_none());
    }

    #[test]
    fn a_partly_written_sector_is_present_but_not_readable() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0, |_| true).unwrap();
        cache.write(index, SectorMask(0b0011), SectorMask(0b0001));
        assert_eq!(cache.present(index), SectorMask(0b0011));
        assert_eq!(cache.readable(index), SectorMask(0b0001));
        cache.fill(index, SectorMask(0b0010));
        assert_eq!(cache.readable(index), SectorMask(0b0011));
    }
}
