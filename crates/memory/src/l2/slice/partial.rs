//! What was written: of too many lines of a set whose sectors were written in part the oldest are completed from DRAM and written
//! back, and a line that is read soon after holds the slice up.

use super::{Asker, DramRequest, L2Spec, Slice, SliceOutput};
use crate::cache::LineIndex;
use crate::message::{Request, RequestKind};
use warplab_config::Ticks;
use warplab_units::{Address, SectorMask};

impl Slice {
    /// How much longer a request keeps the port busy because its line was just written, or because it writes a line that is
    /// under way.
    #[inline]
    pub(super) fn stall_of_writes(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        asker: Asker,
        is_under_way: bool,
        now: Ticks,
    ) -> Ticks {
        let Some(writes) = &spec.writes else { return Ticks(0) };
        match request.kind {
            RequestKind::Read => self.last_writes.read(writes, request, now),
            RequestKind::Write { .. } => {
                let pending = if is_under_way { writes.to_pending } else { Ticks(0) };
                pending + self.last_writes.write(writes, request, asker == Asker::OtherHalf, now)
            }
            RequestKind::Atomic { .. } => Ticks(0),
        }
    }

    /// Whether a request writes sectors in part while as many other lines of the set as may be are written in part.
    pub(super) fn fills_partial_lines(&self, spec: &L2Spec, request: &Request, index: LineIndex) -> bool {
        let RequestKind::Write { full, .. } = request.kind else { return false };
        let others = self.cache.partial_lines_of_set(index).filter(|&line| line != request.line);
        full != request.sectors && spec.partial_ways.is_some_and(|most| self.partial.count(others) >= most)
    }

    /// Words of some sectors of a line have been written: if too many lines of its set were written in part, what a request has
    /// written to the one that was not written for longest is completed and written back.
    pub(super) fn note_partial(
        &mut self,
        spec: &L2Spec,
        request: (Address, SectorMask),
        index: LineIndex,
        words: u32,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let partial = self.cache.partial(index);
        let Some(most) = spec.partial_ways.filter(|_| !partial.is_empty()) else { return };
        let (line, sectors) = request;
        let whole = self.partial.write(line, sectors, words, partial);
        self.cache.fill(index, whole & partial);
        if self.cache.partial(index).is_empty() {
            self.partial.remove(line);
        }
        if let Some(oldest) = self.partial.take_oldest(self.cache.partial_lines_of_set(index), most) {
            self.complete(spec, oldest, now, output);
        }
    }

    /// The rest of sectors that were written in part comes from DRAM, unless it is under way already.
    fn complete(
        &mut self,
        spec: &L2Spec,
        (line, sectors): (Address, SectorMask),
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let local_line = spec.map.local_line(line);
        let Some(index) = self.cache.find(line, local_line) else { return };
        let sectors = self.mshrs.complete(line, index, sectors & self.cache.partial(index));
        if sectors.is_empty() {
            return;
        }
        self.cache.pin(index);
        let completed = u64::from(sectors.count());
        output.counters.write_sectors += completed;
        output.counters.write_hits += completed;
        output.counters.completed_sectors += completed;
        output.dram.push(DramRequest { line, local_line, sectors, write: false, at: now + spec.miss });
    }
}
