//! The tags of a sectored cache: lines with a bit a sector for valid, dirty and partly written.

mod inspect;
mod word;

use super::fingerprints::{Fingerprint, Fingerprints};
use super::pool::{Pool, PoolShape};
use super::replacement::Replacement;
use super::set_index::SetIndex;
pub use inspect::{CacheView, LineView, SetView};
use serde::{Deserialize, Serialize};
use warplab_config::gpu::ReplacementPolicy;
use warplab_units::{Address, Divisor, LINE_BYTES, SectorMask, fetch_ahead, fetch_all_ahead};
use word::{COPIED, DIRTY, PARTIAL, PINNED, VALID, Word};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineIndex(u32);

impl LineIndex {
    /// The number of its place, from 0 on.
    #[must_use]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A line that was looked for and is not in the cache, and where it can be put. Other lines may come and go before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    set: usize,
    number: u64,
    fingerprint: Fingerprint,
}

/// The line that a new line has replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// The line.
    pub line: Address,
    /// Its sectors that must be written back.
    pub dirty: SectorMask,
    /// Those of them of which only a part was written.
    pub partial: SectorMask,
}

/// A line that has come in, and what has made room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inserted {
    pub(crate) index: LineIndex,
    /// The line that it has replaced.
    pub(crate) victim: Option<Victim>,
    /// The dirty line that would have gone if the victim were not clean.
    pub(crate) spared: Option<LineIndex>,
}

/// The tags of a sectored cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SectorCache {
    shape: CacheShape,
    ways: Divisor,
    sets: SetIndex,
    fingerprints: Fingerprints,
    /// All lines, set by set: everything that is known of one in one word.
    lines: Vec<Word>,
    replacement: Replacement,
    /// Where there is data for fewer lines than there are tags.
    pool: Option<Pool>,
}

impl SectorCache {
    /// An empty cache that replaces the least recently used line.
    #[must_use]
    pub fn new(shape: CacheShape) -> SectorCache {
        SectorCache::with_replacement(shape, ReplacementPolicy::Lru)
    }

    /// An empty cache.
    #[must_use]
    pub fn with_replacement(shape: CacheShape, policy: ReplacementPolicy) -> SectorCache {
        SectorCache {
            shape,
            ways: Divisor::new(shape.ways as u64),
            sets: SetIndex::in_turn(shape.sets),
            fingerprints: Fingerprints::new(shape),
            lines: vec![Word::EMPTY; shape.sets * shape.ways],
            replacement: Replacement::new(policy, shape),
            pool: None,
        }
    }

    /// The same cache, empty, with data for fewer lines than it has tags for. Its lines come by [`SectorCache::replace_absent`].
    #[must_use]
    pub fn with_pool(self, shape: PoolShape) -> SectorCache {
        let pool = Some(Pool::new(shape, self.shape.sets));
        SectorCache { pool, ..self }
    }

    /// The same cache, empty, whose sets go by a hash of the number, or one after another.
    #[must_use]
    pub fn with_hashed_sets(self, hashed: bool) -> SectorCache {
        let sets = self.shape.sets;
        SectorCache { sets: if hashed { SetIndex::hashed(sets) } else { SetIndex::in_turn(sets) }, ..self }
    }

    /// Finds a line whose set is chosen by `set_number`, and marks it as used.
    #[inline]
    pub fn find(&mut self, line: Address, set_number: u64) -> Option<LineIndex> {
        self.seek(line, set_number).ok()
    }

    /// Finds a line as [`SectorCache::find`] does, or says where it can be put.
    ///
    /// # Errors
    /// The line is not there.
    #[inline]
    pub fn seek(&mut self, line: Address, set_number: u64) -> Result<LineIndex, Absent> {
        let (set, number) = (self.set(set_number), line.0 / LINE_BYTES);
        let first = set * self.shape.ways;
        let lines = &self.lines[first..first + self.shape.ways];
        let fingerprint = Fingerprint::of(number);
        match self.fingerprints.find(set, fingerprint, |way| lines[way].number() == number) {
            Some(way) => {
                self.replacement.hit(set, way);
                Ok(LineIndex((first + way) as u32))
            }
            None => Err(Absent { set, number, fingerprint }),
        }
    }

    /// Data has come for a line that was at a place: a use of it for most policies, if it is there still. Whether it is.
    #[inline]
    pub fn touch_if_there(&mut self, index: LineIndex, line: Address) -> bool {
        let is_there = self.holds(index, line);
        if is_there {
            self.touch(index);
        }
        is_there
    }

    /// Fetches what [`SectorCache::seek`] looks at first, of all sets: for a small cache of which most are needed.
    #[inline]
    pub fn fetch_sets(&self) {
        self.fingerprints.fetch_all();
        self.replacement.fetch_all();
    }

    /// Fetches what [`SectorCache::seek`] looks at first.
    #[inline]
    pub fn fetch_set(&self, set_number: u64) {
        let set = self.set(set_number);
        self.fingerprints.fetch(set);
        self.replacement.fetch(set);
    }

    /// Fetches what [`SectorCache::seek`] looks at first, and the lines of the set that it looks through then.
    #[inline]
    pub(crate) fn fetch_set_and_lines(&self, set_number: u64) {
        let set = self.set(set_number);
        self.fingerprints.fetch(set);
        self.replacement.fetch(set);
        let first = set * self.shape.ways;
        fetch_all_ahead(&self.lines[first..first + self.shape.ways]);
    }

    /// Fetches a line whose place is known, and what marking it as used needs.
    #[inline]
    pub fn fetch_place(&self, index: LineIndex) {
        if let Some(word) = self.lines.get(index.0 as usize) {
            fetch_ahead(word);
            self.replacement.fetch(self.ways.divide(u64::from(index.0)).0 as usize);
        }
    }

    /// Data has come for a line: a use of it for most policies.
    #[inline]
    pub fn touch(&mut self, index: LineIndex) {
        self.replacement.touch(index.0 as usize, self.ways);
    }

    /// Makes room for a line that is not there: an empty way, or else one that may go. `None` when every line of the set
    /// is pinned.
    pub fn insert(&mut self, line: Address, set_number: u64) -> Option<(LineIndex, Option<Victim>)> {
        let number = line.0 / LINE_BYTES;
        self.insert_absent(Absent { set: self.set(set_number), number, fingerprint: Fingerprint::of(number) })
    }

    /// Makes room for a line that [`SectorCache::seek`] has not found, as [`SectorCache::insert`] does.
    #[inline]
    pub fn insert_absent(&mut self, absent: Absent) -> Option<(LineIndex, Option<Victim>)> {
        let set = absent.set;
        let (way, victim) = match self.fingerprints.find_empty(set) {
            Some(empty) => (empty, None),
            None => {
                let way = self.next_to_go(set, Word::may_go)?;
                (way, Some(self.lines[set * self.shape.ways + way].victim()))
            }
        };
        Some((self.put(absent, way), victim))
    }

    /// Makes room as [`SectorCache::insert_absent`] does, but a clean line goes instead of a dirty one, which is spared, if the
    /// set has one that may. `None` also where only a dirty line can go and none may.
    #[inline]
    pub(crate) fn insert_sparing(&mut self, absent: Absent, dirty_may_go: bool) -> Option<Inserted> {
        let set = absent.set;
        if let Some(empty) = self.fingerprints.find_empty(set) {
            return Some(Inserted { index: self.put(absent, empty), victim: None, spared: None });
        }
        let first = set * self.shape.ways;
        let next = self.next_to_go(set, Word::may_go)?;
        let (mut way, mut spared) = (next, None);
        if !self.lines[first + next].is_clean() {
            match self.next_to_go(set, |word| word.may_go() && word.is_clean()) {
                Some(clean) => (way, spared) = (clean, Some(LineIndex((first + next) as u32))),
                None if dirty_may_go => {}
                None => return None,
            }
        }
        let victim = Some(self.lines[first + way].victim());
        Some(Inserted { index: self.put(absent, way), victim, spared })
    }

    /// The way of a full set whose line goes, of those that may.
    #[inline]
    fn next_to_go(&mut self, set: usize, may_go: impl Fn(Word) -> bool) -> Option<usize> {
        let lines = &self.lines[set * self.shape.ways..][..self.shape.ways];
        self.replacement.victim(set, |way| may_go(lines[way]))
    }

    /// Makes room for a line that [`SectorCache::seek`] has not found, in a cache that pins no line and writes nothing back:
    /// nobody asks what was there, so that it is not looked at.
    #[inline]
    pub fn replace_absent(&mut self, absent: Absent) -> Option<LineIndex> {
        let way = match self.fingerprints.find_empty(absent.set) {
            Some(empty) => {
                self.take_from_pool(absent.set);
                empty
            }
            None => self.replacement.victim(absent.set, |_| true)?,
        };
        Some(self.put(absent, way))
    }

    /// A line comes into an empty way of a set: another one may have to leave its bank.
    #[inline]
    fn take_from_pool(&mut self, set: usize) {
        let Some(pool) = &mut self.pool else { return };
        let ways = self.shape.ways;
        let set_lines = |set: usize| &self.lines[set * ways..][..ways];
        let must_free = pool.must_free(set, |set| set_lines(set).iter().any(|&word| word.is_there()));
        let victim = must_free.and_then(|set| {
            let way = self.replacement.victim(set, |way| set_lines(set)[way].is_there())?;
            Some(LineIndex((set * ways + way) as u32))
        });
        pool.take(set);
        if let Some(victim) = victim {
            self.invalidate(victim);
        }
    }

    /// Puts a line that was not there into a way of its set.
    #[inline]
    fn put(&mut self, Absent { set, number, fingerprint }: Absent, way: usize) -> LineIndex {
        let index = set * self.shape.ways + way;
        self.replacement.insert(set, way);
        self.lines[index] = Word::new(number);
        self.fingerprints.put(set, way, fingerprint);
        LineIndex(index as u32)
    }

    /// A line must stay until [`SectorCache::unpin`].
    pub(crate) fn pin(&mut self, index: LineIndex) {
        self.lines[index.0 as usize].0 |= 1 << PINNED;
    }

    /// A line may go.
    pub(crate) fn unpin(&mut self, index: LineIndex) {
        self.lines[index.0 as usize].0 &= !(1 << PINNED);
    }

    /// Whether a line must stay.
    pub(crate) fn is_pinned(&self, index: LineIndex) -> bool {
        !self.lines[index.0 as usize].may_go()
    }

    /// Whether a line is at a place.
    pub fn holds(&self, index: LineIndex, line: Address) -> bool {
        self.lines[index.0 as usize].number() == line.0 / LINE_BYTES
    }

    /// Whether something of a line must be written back.
    pub(crate) fn is_dirty(&self, index: LineIndex) -> bool {
        !self.lines[index.0 as usize].is_clean()
    }

    /// The sectors of a line that can be read.
    #[must_use]
    #[inline]
    pub fn readable(&self, index: LineIndex) -> SectorMask {
        let word = self.lines[index.0 as usize];
        word.sectors(VALID) & !word.sectors(PARTIAL)
    }

    /// The sectors of a line that hold anything: a write to one of them finds it.
    #[must_use]
    #[inline]
    pub fn present(&self, index: LineIndex) -> SectorMask {
        self.lines[index.0 as usize].sectors(VALID)
    }

    /// Data has come for some sectors.
    #[inline]
    pub fn fill(&mut self, index: LineIndex, sectors: SectorMask) {
        let word = &mut self.lines[index.0 as usize];
        word.set_sectors(VALID, word.sectors(VALID) | sectors);
        word.set_sectors(PARTIAL, word.sectors(PARTIAL) & !sectors);
    }

    /// Some sectors are written; of those in `full` every byte.
    #[inline]
    pub fn write(&mut self, index: LineIndex, sectors: SectorMask, full: SectorMask) {
        let word = &mut self.lines[index.0 as usize];
        let valid = word.sectors(VALID);
        word.set_sectors(PARTIAL, (word.sectors(PARTIAL) | sectors & !valid) & !full);
        word.set_sectors(VALID, valid | sectors);
        word.set_sectors(DIRTY, word.sectors(DIRTY) | sectors);
    }

    /// Some sectors are written here as they are written below: nothing has to be written back; of those in `full` every
    /// byte.
    pub(crate) fn write_through(&mut self, index: LineIndex, sectors: SectorMask, full: SectorMask) {
        let word = &mut self.lines[index.0 as usize];
        let valid = word.sectors(VALID);
        word.set_sectors(PARTIAL, (word.sectors(PARTIAL) | sectors & !valid) & !full);
        word.set_sectors(VALID, valid | sectors);
    }

    /// The sectors of a line that must be written back and of which only some bytes are there.
    #[must_use]
    #[inline]
    pub fn partial(&self, index: LineIndex) -> SectorMask {
        let word = self.lines[index.0 as usize];
        word.sectors(DIRTY) & word.sectors(PARTIAL)
    }

    /// The lines of the set of a line of which sectors were written in part.
    pub(crate) fn partial_lines_of_set(&self, index: LineIndex) -> impl Iterator<Item = Address> + use<'_> {
        let (set, _) = self.ways.divide(u64::from(index.0));
        let lines = &self.lines[set as usize * self.shape.ways..][..self.shape.ways];
        lines.iter().filter(|word| !word.sectors(PARTIAL).is_empty()).map(|word| word.line())
    }

    /// The rest of a line comes, and it is written back: what must go.
    pub fn clean(&mut self, index: LineIndex) -> Victim {
        let word = &mut self.lines[index.0 as usize];
        let victim = word.victim();
        word.set_sectors(PARTIAL, word.sectors(PARTIAL) & !victim.dirty);
        word.set_sectors(DIRTY, SectorMask::EMPTY);
        victim
    }

    /// Sectors of which every byte is there are written back: what must go.
    pub(crate) fn clean_whole(&mut self, index: LineIndex) -> Victim {
        let word = &mut self.lines[index.0 as usize];
        let partial = word.sectors(PARTIAL);
        let victim =
            Victim { line: word.line(), dirty: word.sectors(DIRTY) & !partial, partial: SectorMask::EMPTY };
        word.set_sectors(DIRTY, word.sectors(DIRTY) & partial);
        victim
    }

    /// Some sectors hold nothing any more.
    pub(crate) fn drop_sectors(&mut self, index: LineIndex, sectors: SectorMask) {
        let word = &mut self.lines[index.0 as usize];
        word.set_sectors(VALID, word.sectors(VALID) & !sectors);
        word.set_sectors(PARTIAL, word.sectors(PARTIAL) & !sectors);
    }

    /// Another cache keeps a copy of the line, or none does any more.
    pub(crate) fn set_copied(&mut self, index: LineIndex, copied: bool) {
        let word = &mut self.lines[index.0 as usize];
        word.0 = word.0 & !(1 << COPIED) | u64::from(copied) << COPIED;
    }

    /// Whether another cache keeps a copy of the line.
    #[must_use]
    pub(crate) fn is_copied(&self, index: LineIndex) -> bool {
        self.lines[index.0 as usize].0 >> COPIED & 1 != 0
    }

    /// Removes a line, whatever it holds.
    pub fn invalidate(&mut self, index: LineIndex) {
        let (set, way) = self.ways.divide(u64::from(index.0));
        self.lines[index.0 as usize] = Word::EMPTY;
        self.fingerprints.put(set as usize, way as usize, Fingerprint::EMPTY);
        if let Some(pool) = &mut self.pool {
            pool.give_back(set as usize);
        }
    }

    /// Removes all lines, whatever they hold.
    pub fn invalidate_all(&mut self) {
        for index in 0..self.lines.len() {
            if self.lines[index].is_there() {
                self.invalidate(LineIndex(index as u32));
            }
        }
    }

    /// Lines that it holds at most.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Lines that it holds now.
    #[must_use]
    pub(crate) fn count_lines(&self) -> u64 {
        self.lines.iter().filter(|word| word.is_there()).count() as u64
    }

    #[inline]
    fn set(&self, set_number: u64) -> usize {
        self.sets.of(set_number)
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
        let (index, victim) = cache.insert(Address(0), 0).unwrap();
        assert_eq!((cache.find(Address(0), 0), victim), (Some(index), None));
        assert_eq!(cache.find(Address(128), 0), None);
    }

    #[test]
    fn a_new_line_holds_nothing() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0).unwrap();
        assert_eq!((cache.present(index), cache.readable(index)), (SectorMask::EMPTY, SectorMask::EMPTY));
    }

    #[test]
    fn empty_ways_are_taken_before_any_line_goes() {
        let mut cache = two_ways();
        let (first, _) = cache.insert(Address(0), 0).unwrap();
        cache.insert(Address(128), 0);
        cache.invalidate(first);
        let (index, victim) = cache.insert(Address(256), 0).unwrap();
        assert_eq!((index, victim), (first, None));
    }

    #[test]
    fn a_victim_says_which_sectors_are_dirty() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0).unwrap();
        cache.fill(index, SectorMask(0b1111));
        cache.write(index, SectorMask(0b0110), SectorMask(0b0110));
        cache.insert(Address(128), 0);
        let (_, victim) = cache.insert(Address(256), 0).unwrap();
        assert_eq!(
            victim,
            Some(Victim { line: Address(0), dirty: SectorMask(0b0110), partial: SectorMask::EMPTY })
        );
    }

    #[test]
    fn lines_of_different_sets_do_not_displace_each_other() {
        let mut cache = SectorCache::new(CacheShape { sets: 4, ways: 1 });
        for set in 0..4 {
            let (_, victim) = cache.insert(Address(set * 128), set).unwrap();
            assert_eq!(victim, None);
        }
        let (_, victim) = cache.insert(Address(6 * 128), 6).unwrap();
        assert_eq!(victim.unwrap().line, Address(2 * 128));
    }

    #[test]
    fn a_whole_write_to_a_filled_sector_leaves_it_readable() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0).unwrap();
        cache.fill(index, SectorMask(0b0001));
        cache.write(index, SectorMask(0b0001), SectorMask::EMPTY);
        assert_eq!(cache.readable(index), SectorMask(0b0001));
    }

    #[test]
    fn a_cache_of_few_bytes_has_at_least_one_line() {
        assert_eq!(CacheShape::of_bytes(0, 4), CacheShape { sets: 1, ways: 1 });
        assert_eq!(CacheShape::of_bytes(4096, 4), CacheShape { sets: 8, ways: 4 });
    }

    #[test]
    fn the_least_recently_used_line_goes_first() {
        let mut cache = two_ways();
        cache.insert(Address(0), 0);
        cache.insert(Address(128), 0);
        cache.find(Address(0), 0);
        let (_, victim) = cache.insert(Address(256), 0).unwrap();
        assert_eq!(
            victim,
            Some(Victim { line: Address(128), dirty: SectorMask::EMPTY, partial: SectorMask::EMPTY })
        );
    }

    #[test]
    fn a_pinned_line_is_not_evicted_until_it_may_go() {
        let mut cache = two_ways();
        let (first, _) = cache.insert(Address(0), 0).unwrap();
        cache.pin(first);
        cache.insert(Address(128), 0);
        let (second, victim) = cache.insert(Address(256), 0).unwrap();
        assert_eq!(victim.unwrap().line, Address(128));
        cache.pin(second);
        assert!(cache.insert(Address(384), 0).is_none());
        cache.unpin(first);
        assert_eq!(cache.insert(Address(384), 0).unwrap().1.unwrap().line, Address(0));
    }

    #[test]
    fn a_partly_written_sector_is_present_but_not_readable() {
        let mut cache = two_ways();
        let (index, _) = cache.insert(Address(0), 0).unwrap();
        cache.write(index, SectorMask(0b0011), SectorMask(0b0001));
        assert_eq!(cache.present(index), SectorMask(0b0011));
        assert_eq!(cache.readable(index), SectorMask(0b0001));
        cache.fill(index, SectorMask(0b0010));
        assert_eq!(cache.readable(index), SectorMask(0b0011));
    }
}
