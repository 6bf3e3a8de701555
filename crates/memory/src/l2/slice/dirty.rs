//! Lines that were written: of too many the oldest is written back, and stays; one that would go for another is written back first.

use super::{DramTakes, L2Spec, Slice, SliceOutput, write_back};
use crate::cache::{Absent, Inserted, LineIndex, SectorCache, Victim};
use crate::l2::dirty::DirtyLine;
use crate::message::{Request, RequestKind};
use warplab_config::Ticks;
use warplab_units::{Address, SectorMask};

impl Slice {
    /// Some sectors of a line at home here are written, of those in `full` every byte.
    pub(super) fn write_sectors(
        &mut self,
        index: LineIndex,
        line: Address,
        sectors: SectorMask,
        full: SectorMask,
    ) {
        if !self.cache.is_dirty(index) {
            self.dirty.add(DirtyLine { line, index });
        }
        self.cache.write(index, sectors, full);
    }

    /// Puts a line into the cache, if it can get a place. A dirty line that would go for it may stay instead of a clean one: it
    /// is written back as soon as DRAM has time.
    pub(super) fn insert(
        &mut self,
        spec: &L2Spec,
        absent: Absent,
        takes: DramTakes,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) -> Option<LineIndex> {
        let dirty_may_go = takes != DramTakes::Nothing;
        let Inserted { index, victim, spared } = if spec.cleans_before_eviction {
            self.cache.insert_sparing(absent, dirty_may_go)?
        } else {
            let (index, victim) = dirty_may_go.then(|| self.cache.insert_absent(absent)).flatten()?;
            Inserted { index, victim, spared: None }
        };
        if let Some(victim) = victim {
            self.evict(spec, victim, now, output);
        }
        if let Some(spared) = spared.filter(|_| takes == DramTakes::Early) {
            self.clean(spec, spared, now, output);
        }
        Some(index)
    }

    /// A line has gone: what of it was written is written back.
    fn evict(&mut self, spec: &L2Spec, victim: Victim, now: Ticks, output: &mut SliceOutput<'_>) {
        output.counters.evictions += 1;
        self.forget_written(&victim);
        write_back(spec, victim, now, output);
    }

    /// A line that somebody else wrote is here from before. Where its set is full another one has gone to DRAM before.
    pub(crate) fn leave_dirty(&mut self, line: Address, set: u64) {
        let absent = match self.cache.seek(line, set) {
            Ok(index) => return self.write_sectors(index, line, SectorMask::ALL, SectorMask::ALL),
            Err(absent) => absent,
        };
        let Some((index, victim)) = self.cache.insert_absent(absent) else { return };
        if let Some(victim) = victim {
            self.forget_written(&victim);
        }
        self.write_sectors(index, line, SectorMask::ALL, SectorMask::ALL);
    }

    /// Whether a request writes while as many lines as may be are dirty.
    pub(super) fn fills_dirty_lines(&self, spec: &L2Spec, request: &Request) -> bool {
        request.kind != RequestKind::Read && spec.dirty_lines.is_some_and(|most| self.dirty.len() >= most)
    }

    /// While too many lines are dirty, the oldest is written back. One that waits for data has its turn later.
    pub(super) fn clean_oldest(&mut self, spec: &L2Spec, now: Ticks, output: &mut SliceOutput<'_>) {
        let Some(most) = spec.dirty_lines else { return };
        while let Some(oldest) = self.dirty.take_oldest(most, |dirty| is_dirty(&self.cache, dirty)) {
            if self.cache.is_pinned(oldest.index) {
                return self.dirty.put_back(oldest);
            }
            self.clean(spec, oldest.index, now, output);
        }
    }

    /// What of a line was written is written back; the line stays.
    pub(super) fn clean(
        &mut self,
        spec: &L2Spec,
        index: LineIndex,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let victim = self.cache.clean(index);
        self.forget_written(&victim);
        write_back(spec, victim, now, output);
    }

    /// What of a line was written is written back, but for sectors that were written in part; the line stays.
    pub(super) fn clean_whole(
        &mut self,
        spec: &L2Spec,
        index: LineIndex,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        if self.cache.partial(index).is_empty() {
            return self.clean(spec, index, now, output);
        }
        let victim = self.cache.clean_whole(index);
        write_back(spec, victim, now, output);
    }

    /// A line has gone or is clean: it counts neither as dirty nor as written in part any more.
    pub(super) fn forget_written(&mut self, victim: &Victim) {
        if victim.dirty.is_empty() {
            return;
        }
        self.partial.remove(victim.line);
        self.dirty.remove(|dirty| is_dirty(&self.cache, dirty));
    }
}

/// Whether a line is where it was written and still has to be written back.
fn is_dirty(cache: &SectorCache, DirtyLine { line, index }: DirtyLine) -> bool {
    cache.holds(index, line) && cache.is_dirty(index)
}
