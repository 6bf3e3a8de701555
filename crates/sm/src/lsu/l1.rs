//! The L1 data cache: sectored tags, write-through, with MSHRs.

use super::coalesce::LineAccess;
use super::mshr::{LoadId, Mshrs};
use super::sets::SetNumbers;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::L1Cache;
use warplab_memory::{Absent, LineIndex, SectorCache};
use warplab_units::{Address, Cycle, SectorMask};

/// What a load finds in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineLookup {
    /// Sectors that are there.
    pub(crate) hits: u32,
    /// Sectors that are under way already.
    pub(crate) merges: u32,
    /// Sectors to request from L2.
    pub(crate) request: SectorMask,
    /// Where the line is.
    pub(crate) place: Option<LineIndex>,
}

impl LineLookup {
    /// Whether the load waits for the line.
    pub(crate) fn misses(&self) -> bool {
        self.merges > 0 || !self.request.is_empty()
    }
}

/// The L1 data cache of an SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct L1 {
    tags: SectorCache,
    sets: SetNumbers,
    /// Words of the line of each place that were stored since a sector of it was first stored in part.
    stored: Vec<u32>,
    /// When the line of each place has taken the store that brought it.
    taken: Vec<Cycle>,
    /// Whether no line has come since all were taken out.
    is_empty: bool,
    pub(crate) mshrs: Mshrs,
}

impl L1 {
    /// A cold cache with data of so many KiB, whose lines have these sets.
    pub(crate) fn new(cache: &L1Cache, sets: SetNumbers, kib: u32) -> L1 {
        L1::of(sets.tags(cache, u64::from(kib) * 1024), sets)
    }

    /// A cache with these tags.
    pub(crate) fn of(tags: SectorCache, sets: SetNumbers) -> L1 {
        L1 { tags, sets, stored: Vec::new(), taken: Vec::new(), is_empty: true, mshrs: Mshrs::default() }
    }

    /// The lines that it holds.
    pub(crate) fn tags(&self) -> &SectorCache {
        &self.tags
    }

    /// A load reads one line; it waits in the MSHR for what is not there.
    pub(crate) fn load(&mut self, access: &LineAccess, load: LoadId, now: Cycle) -> LineLookup {
        let found = self.tags.seek(access.line, self.sets.of(access.line));
        let there = found.map_or(SectorMask::EMPTY, |index| self.there(index, access));
        let missing = access.sectors & !there;
        if missing.is_empty() {
            return LineLookup { hits: there.count(), merges: 0, request: SectorMask::EMPTY, place: None };
        }
        let place = self.found_or_inserted(found);
        let request = self.mshrs.wait(access.line, missing, load, now);
        LineLookup { hits: there.count(), merges: missing.count() - request.count(), request, place }
    }

    /// The sectors of a line that a load finds: those that are there, and those of which all words were stored that it
    /// reads, each at once (measured: lsu/written.txt).
    #[inline]
    fn there(&self, index: LineIndex, access: &LineAccess) -> SectorMask {
        let readable = self.tags.readable(index) & access.sectors;
        let partial = self.tags.partial(index) & access.sectors;
        if partial.is_empty() { readable } else { readable | self.stored_whole(index, access) & partial }
    }

    /// The sectors of which all words were stored that a load reads.
    #[cold]
    fn stored_whole(&self, index: LineIndex, access: &LineAccess) -> SectorMask {
        let stored = self.stored.get(index.number()).copied().unwrap_or(0);
        SectorMask::filled_by(stored | !(access.words | access.parts))
    }

    /// The place of a line, which it gets where it has none.
    fn found_or_inserted(&mut self, found: Result<LineIndex, Absent>) -> Option<LineIndex> {
        let absent = match found {
            Ok(index) => return Some(index),
            Err(absent) => absent,
        };
        let index = self.tags.replace_absent(absent)?;
        self.is_empty = false;
        if let Some(taken) = self.taken.get_mut(index.number()) {
            *taken = Cycle(0);
        }
        Some(index)
    }

    /// A store writes through: the line takes the bytes if it is there, or the store brings it. Whether it was there, and its
    /// place. One was not there whose store has left and which has not taken that yet, unless this one `joins` it; such a line
    /// loses what was stored (measured: merge/windows.txt).
    pub(crate) fn store(
        &mut self,
        access: &LineAccess,
        joins: bool,
        now: Cycle,
    ) -> (bool, Option<LineIndex>) {
        let found = self.tags.seek(access.line, self.sets.of(access.line));
        match found {
            Ok(index) if joins || self.has_taken(index, now) => {
                self.write(index, access);
                (true, Some(index))
            }
            Ok(index) => {
                self.tags.invalidate(index);
                let found = self.tags.seek(access.line, self.sets.of(access.line));
                (false, self.bring(access, found))
            }
            absent => (false, self.bring(access, absent)),
        }
    }

    /// Whether the line of a place is not one that a store brings just now.
    #[inline]
    fn has_taken(&self, index: LineIndex, now: Cycle) -> bool {
        self.taken.get(index.number()).is_none_or(|&taken| taken <= now)
    }

    /// The store that brings a line to a place, if one still does `now`, leaves such that the line has taken it at a cycle.
    pub(crate) fn takes(&mut self, (line, index): (Address, LineIndex), hit: bool, at: Cycle, now: Cycle) {
        if !self.tags.holds(index, line) || hit && self.has_taken(index, now) {
            return;
        }
        if index.number() >= self.taken.len() {
            self.taken.resize(index.number() + 1, Cycle(0));
        }
        self.taken[index.number()] = at;
    }

    /// A line takes what is stored; a sector of which every word has been stored is there.
    fn write(&mut self, index: LineIndex, access: &LineAccess) {
        if access.full == access.sectors {
            return self.tags.write(index, access.sectors, access.full);
        }
        let is_first = self.tags.partial(index).is_empty();
        self.tags.write(index, access.sectors, access.full);
        if index.number() >= self.stored.len() {
            self.stored.resize(index.number() + 1, 0);
        }
        let stored = &mut self.stored[index.number()];
        *stored = if is_first { access.words } else { *stored | access.words };
        let whole = SectorMask::filled_by(*stored) & self.tags.partial(index);
        if !whole.is_empty() {
            self.tags.fill(index, whole);
        }
    }

    /// A store whose line was not there: it is there from now on, as far as it is written (measured: lsu/order.txt).
    fn bring(&mut self, access: &LineAccess, found: Result<LineIndex, Absent>) -> Option<LineIndex> {
        let index = self.found_or_inserted(found)?;
        self.write(index, access);
        Some(index)
    }

    /// An atomic operation changes the line in L2: it is not kept here.
    pub(crate) fn invalidate(&mut self, line: Address) {
        if let Some(index) = self.tags.find(line, self.sets.of(line)) {
            self.tags.invalidate(index);
        }
    }

    /// What acquires takes all lines out, so that loads behind it see what others have stored.
    pub(crate) fn invalidate_all(&mut self) {
        if !self.is_empty {
            self.tags.invalidate_all();
            self.is_empty = true;
        }
    }

    /// Fetches where lines are to be found.
    #[inline]
    pub(crate) fn fetch_sets(&self) {
        self.tags.fetch_sets();
    }

    /// Fetches where a line is to be found.
    #[inline]
    pub(crate) fn fetch_set(&self, line: Address) {
        self.tags.fetch_set(self.sets.of(line));
    }

    /// Fetches a line that was at a place when it was requested.
    #[inline]
    pub(crate) fn fetch_place(&self, place: Option<LineIndex>) {
        if let Some(place) = place {
            self.tags.fetch_place(place);
        }
    }

    /// Sectors come that were requested at `sent`, of a line that was at `place` then. The loads that have all they waited for
    /// in this line go to `done`.
    pub(crate) fn fill(
        &mut self,
        (line, place): (Address, Option<LineIndex>),
        sectors: SectorMask,
        sent: Cycle,
        now: Cycle,
        done: &mut Vec<LoadId>,
    ) {
        let found = match place {
            Some(place) if self.tags.touch_if_there(place, line) => Some(place),
            _ => self.tags.find(line, self.sets.of(line)),
        };
        if let Some(index) = found {
            self.tags.fill(index, sectors);
        }
        self.mshrs.fill(line, sectors, sent, now, done);
    }
}

#[cfg(test)]
mod tests {
    use super::super::coalesce::LineAccess;
    use super::super::sets::SetNumbers;
    use super::{L1, LineLookup, LoadId};
    use warplab_config::load_gpu;
    use warplab_diagnostics::Source;
    use warplab_memory::{CacheShape, SectorCache};
    use warplab_units::{Address, Cycle, SectorMask};

    fn cache() -> L1 {
        L1::of(SectorCache::new(CacheShape { sets: 1, ways: 2 }), SetNumbers::Folded)
    }

    fn access(line: u64, sectors: u8, full: u8) -> LineAccess {
        LineAccess {
            line: Address(line),
            sectors: SectorMask(sectors),
            full: SectorMask(full),
            words: 0,
            parts: 0,
            sector_accesses: 0,
            headers: 0,
            compares: false,
            copied: false,
            alone: false,
        }
    }

    fn load(l1: &mut L1, line: u64, sectors: u8) -> LineLookup {
        let words =
            (0..4).filter(|sector| sectors >> sector & 1 != 0).fold(0, |all, it| all | 0xff << (8 * it));
        l1.load(&LineAccess { words, ..access(line, sectors, 0) }, 0, Cycle(0))
    }

    /// Whether a store finds its line.
    fn store(l1: &mut L1, access: &LineAccess) -> bool {
        l1.store(access, false, Cycle(0)).0
    }

    fn fill(l1: &mut L1, line: u64, sectors: u8) -> Vec<LoadId> {
        let mut done = Vec::new();
        l1.fill((Address(line), None), SectorMask(sectors), Cycle(0), Cycle(9), &mut done);
        done
    }

    #[test]
    fn a_cold_load_requests_its_sectors_and_hits_once_they_have_come() {
        let mut l1 = cache();
        let lookup = load(&mut l1, 0, 0b0110);
        assert_eq!((lookup.hits, lookup.merges, lookup.request), (0, 0, SectorMask(0b0110)));
        fill(&mut l1, 0, 0b0110);
        let lookup = load(&mut l1, 0, 0b0110);
        assert_eq!((lookup.hits, lookup.merges, lookup.request), (2, 0, SectorMask::EMPTY));
        assert!(!lookup.misses());
    }

    #[test]
    fn a_sector_that_a_present_line_lacks_is_requested_alone() {
        let mut l1 = cache();
        load(&mut l1, 0, 0b0001);
        fill(&mut l1, 0, 0b0001);
        let lookup = load(&mut l1, 0, 0b0011);
        assert_eq!((lookup.hits, lookup.merges, lookup.request), (1, 0, SectorMask(0b0010)));
    }

    #[test]
    fn a_load_of_sectors_under_way_merges_and_waits() {
        let mut l1 = cache();
        load(&mut l1, 0, 0b0001);
        let lookup = load(&mut l1, 0, 0b0001);
        assert_eq!((lookup.hits, lookup.merges, lookup.request), (0, 1, SectorMask::EMPTY));
        assert!(lookup.misses());
    }

    #[test]
    fn a_whole_sector_that_was_stored_can_be_read() {
        let mut l1 = cache();
        assert!(!store(&mut l1, &access(0, 0b0011, 0b0001)));
        store(&mut l1, &access(0, 0b0011, 0b0001));
        let lookup = load(&mut l1, 0, 0b0011);
        assert_eq!((lookup.hits, lookup.merges, lookup.request), (1, 0, SectorMask(0b0010)));
    }

    #[test]
    fn a_sector_can_be_read_when_all_its_words_have_been_stored_one_by_one() {
        let mut l1 = cache();
        let word = |line, word: u32| LineAccess { words: 1 << word, ..access(line, 0b0010, 0) };
        store(&mut l1, &word(0, 8));
        (9..15).for_each(|next| assert!(store(&mut l1, &word(0, next))));
        assert_eq!(load(&mut l1, 0, 0b0010).hits, 0);
        store(&mut l1, &word(0, 15));
        assert_eq!(load(&mut l1, 0, 0b0010).hits, 1);
        // Another line in its place has none of them.
        [128, 256].into_iter().for_each(|line| _ = store(&mut l1, &word(line, 15)));
        assert_eq!([128, 256].map(|line| load(&mut l1, line, 0b0010).hits), [0, 0]);
    }

    #[test]
    fn a_load_hits_where_all_that_it_reads_of_a_sector_was_stored() {
        let mut l1 = cache();
        let words = |words: u32| LineAccess { words, ..access(0, 0b0011, 0) };
        store(&mut l1, &words(0b0101_0000_0011));
        let hits = [0b0001, 0b0011, 0b0101_0000_0010, 0b0101_0000_0110, 0b1101_0000_0001]
            .map(|read| l1.clone().load(&words(read), 0, Cycle(0)).hits);
        assert_eq!(hits, [2, 2, 2, 1, 1]);
    }

    #[test]
    fn a_part_of_a_word_can_be_read_where_all_of_it_was_stored_at_once() {
        let mut l1 = cache();
        store(&mut l1, &LineAccess { words: 0b01, parts: 0b10, ..access(0, 0b0001, 0) });
        let part = |parts| LineAccess { parts, ..access(0, 0b0001, 0) };
        assert_eq!([0b01, 0b10].map(|parts| l1.clone().load(&part(parts), 0, Cycle(0)).hits), [1, 0]);
    }

    #[test]
    fn a_line_loses_what_was_stored_if_another_store_comes_before_it_has_taken_that() {
        let word = |number: u32| LineAccess { words: 1 << number, ..access(0, 0b0001, 0) };
        for (at, hits) in [(39, false), (40, true)] {
            let mut l1 = cache();
            let (hit, place) = l1.store(&word(0), false, Cycle(0));
            l1.takes((Address(0), place.unwrap()), hit, Cycle(40), Cycle(10));
            assert_eq!(l1.store(&word(1), false, Cycle(at)).0, hits, "at {at}");
            assert_eq!(l1.load(&word(0), 0, Cycle(at)).hits, u32::from(hits), "the first word, at {at}");
        }
    }

    #[test]
    fn a_store_that_joins_the_one_that_brings_a_line_hits() {
        let mut l1 = cache();
        let (hit, place) = l1.store(&access(0, 0b0001, 0b0001), false, Cycle(0));
        let place = (Address(0), place.unwrap());
        l1.takes(place, hit, Cycle(40), Cycle(10));
        assert!(l1.store(&access(0, 0b0010, 0b0010), true, Cycle(20)).0);
        l1.takes(place, true, Cycle(60), Cycle(20));
        assert!(!l1.store(&access(0, 0b0010, 0b0010), false, Cycle(59)).0);
    }

    #[test]
    fn a_store_hits_a_line_that_an_earlier_one_has_brought() {
        let mut l1 = cache();
        store(&mut l1, &access(0, 0b0011, 0b0001));
        assert!(store(&mut l1, &access(0, 0b1111, 0b1111)));
        assert_eq!(load(&mut l1, 0, 0b1111).hits, 4);
    }

    #[test]
    fn an_atomic_operation_takes_the_line_out() {
        let mut l1 = cache();
        store(&mut l1, &access(0, 0b1111, 0b1111));
        l1.invalidate(Address(0));
        assert_eq!(load(&mut l1, 0, 0b1111).request, SectorMask(0b1111));
    }

    #[test]
    fn an_acquire_takes_all_lines_out_and_what_was_asked_for_before_is_not_kept() {
        let mut l1 = cache();
        load(&mut l1, 0, 0b0001);
        fill(&mut l1, 0, 0b0001);
        load(&mut l1, 128, 0b0001);
        l1.invalidate_all();
        assert_eq!(fill(&mut l1, 128, 0b0001), [0]);
        let requests = [0, 128].map(|line| load(&mut l1, line, 0b0001).request);
        assert_eq!(requests, [SectorMask(0b0001); 2]);
    }

    #[test]
    fn the_least_recently_used_line_is_replaced() {
        let mut l1 = cache();
        for line in [0, 128] {
            store(&mut l1, &access(line, 0b1111, 0b1111));
        }
        load(&mut l1, 0, 0b0001);
        store(&mut l1, &access(256, 0b1111, 0b1111));
        assert_eq!(load(&mut l1, 0, 0b1111).hits, 4);
        assert_eq!(load(&mut l1, 128, 0b1111).hits, 0);
    }

    #[test]
    fn data_for_a_line_that_was_replaced_wakes_its_loads_and_is_not_kept() {
        let mut l1 = cache();
        load(&mut l1, 0, 0b0001);
        for line in [128, 256] {
            store(&mut l1, &access(line, 0b1111, 0b1111));
        }
        assert_eq!(fill(&mut l1, 0, 0b0001), [0]);
        assert_eq!(load(&mut l1, 0, 0b0001).hits, 0);
    }

    /// L1 of an H200 with so many KiB of shared memory.
    fn h200(shared_kib: u32) -> L1 {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/gpus/h200.ron");
        let source = Source::new(path, std::fs::read_to_string(path).unwrap());
        let l1 = load_gpu(&source).unwrap().multiprocessor.l1;
        L1::new(&l1, SetNumbers::new(&l1), l1.combined_kib - l1.reserved_kib - shared_kib)
    }

    /// Loads a line, which comes at once; whether it missed.
    fn misses(l1: &mut L1, line: u64) -> bool {
        let lookup = load(l1, line * 128, 0b1111);
        let sectors = SectorMask::ALL;
        l1.fill((Address(line * 128), lookup.place), sectors, Cycle(0), Cycle(9), &mut Vec::new());
        lookup.misses()
    }

    /// Misses of the last of some laps over lines in a row.
    fn misses_of_lap(shared_kib: u32, lines: u64) -> usize {
        let mut l1 = h200(shared_kib);
        let laps = (0..9).map(|_| (0..lines).filter(|&line| misses(&mut l1, line)).count());
        laps.last().unwrap()
    }

    /// Measured: traces/h200/l1/replace.txt, lines in turn: 0, 220, 512, 512 and 1024 misses, and 372, 512 and 512.
    #[test]
    fn lines_in_turn_miss_as_often_as_on_an_h200() {
        let of_132_kib = [892, 992, 1091, 1140, 1289].map(|lines| misses_of_lap(132, lines));
        assert_eq!(of_132_kib, [0, 224, 512, 512, 1024]);
        assert_eq!([1792, 1827, 1881].map(|lines| misses_of_lap(32, lines)), [332, 512, 512]);
    }

    /// DEVIATIONS.md: an H200 misses 254 of 257 lines in turn where 21 KiB are left.
    #[test]
    fn of_lines_in_turn_a_small_cache_keeps_more_than_on_an_h200() {
        assert_eq!(misses_of_lap(228, 257), 239);
    }

    /// Measured: traces/h200/l1/replace.txt, 16 new lines then one of 8 hot ones.
    #[test]
    fn a_line_that_is_used_again_stays_among_new_ones() {
        let mut l1 = h200(132);
        let mut fresh = 40_000..;
        let missed = |turn: u64| {
            fresh.by_ref().take(16).for_each(|line| _ = misses(&mut l1, line));
            misses(&mut l1, turn % 8)
        };
        assert_eq!((0..764).map(missed).filter(|&missed| missed).count(), 8);
    }
}
