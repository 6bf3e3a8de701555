//! What the two halves have to do with each other: requests for lines at home in the other half, copies of them here, and
//! copies of lines at home here.

use super::{Asker, DramTakes, L2Spec, Passed, Slice, SliceOutput, Turn, count, data_bytes, fetched, reply};
use crate::cache::LineIndex;
use crate::l2::inbox::Blocked;
use crate::l2::mshr::{Mshr, Waiter};
use crate::message::{HalfContent, HalfMessage, Line, Request, RequestKind};
use warplab_config::Ticks;
use warplab_units::{Cycle, SECTOR_BYTES, SectorMask};

impl Slice {
    /// A request arrives from the other half; whether the next of those can be looked up at another moment than before.
    #[inline]
    pub(crate) fn push_far(&mut self, request: Request) -> bool {
        self.from_other_half.push(request, 0)
    }

    /// A request of an SM for a line that is at home in the other half. A read is served from the copy, if there is one;
    /// a write goes into the copy and on to its home, and is answered when it has left; an atomic operation is done at home,
    /// and passes this slice both ways.
    pub(super) fn look_up_far(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        turn: Turn,
        output: &mut SliceOutput<'_>,
    ) -> Result<(), Blocked> {
        match request.kind {
            RequestKind::Read => self.read_copy(spec, request, turn, output),
            RequestKind::Write { full, .. } => self.write_copy(spec, request, full, turn, output),
            RequestKind::Atomic { .. } => {
                self.pass_on_atomic(spec, request, turn, output);
                Ok(())
            }
        }
    }

    fn read_copy(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        Turn { asker, set, now, .. }: Turn,
        output: &mut SliceOutput<'_>,
    ) -> Result<(), Blocked> {
        let found = self.cache.find(request.line, set);
        let readable = found.map_or(SectorMask::EMPTY, |index| self.cache.readable(index));
        let missing = request.sectors & !readable;
        let is_full = self.far_mshrs.len() >= spec.mshrs;
        if is_full && !missing.is_empty() && !self.far_mshrs.contains(request.line) {
            return Err(if found.is_none() { Blocked::FarMshrs } else { Blocked::Other });
        }
        let stall = self.stall_of_writes(spec, request, asker, false, now);
        let passed = self.pass_request(spec, request, missing, (stall, now), output);
        if missing.is_empty() {
            count(request, readable, missing, output.counters);
            self.answer(spec, request, Asker::Sm, Passed::at_once(passed, spec.hit), output);
            return Ok(());
        }
        let fetch = fetched(missing, spec.fetch_sectors) & !readable;
        let waiter = Waiter { request: *request, asker: Asker::Sm };
        self.wait_for_data(spec, &waiter);
        let waiting = self.far_mshrs.wait(waiter, LineIndex::default(), missing, fetch);
        count(request, readable, missing & !waiting.merged, output.counters);
        output.counters.merged_sectors += u64::from(waiting.merged.count());
        if !waiting.fetch.is_empty() {
            self.pass_on(spec, &Request { sectors: waiting.fetch, ..*request }, 0, now, output);
        }
        Ok(())
    }

    fn write_copy(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        full: SectorMask,
        Turn { asker, set, takes, now }: Turn,
        output: &mut SliceOutput<'_>,
    ) -> Result<(), Blocked> {
        let index = match self.cache.seek(request.line, set) {
            Ok(index) => Some(index),
            Err(_) if takes == DramTakes::Nothing && !spec.cleans_before_eviction => {
                return Err(Blocked::Other);
            }
            // Where every line of the set is under way the write leaves no copy.
            Err(absent) => self.insert(spec, absent, takes, now, output),
        };
        let present = index.map_or(SectorMask::EMPTY, |index| self.cache.present(index));
        count(request, present, SectorMask::EMPTY, output.counters);
        let stall = self.stall_of_writes(spec, request, asker, false, now);
        let passed = self.pass_request(spec, request, SectorMask::EMPTY, (stall, now), output);
        if let Some(index) = index {
            self.cache.write_through(index, request.sectors, full);
        }
        let left = self.pass_on(spec, request, request.sectors.count() * SECTOR_BYTES as u32, now, output);
        self.answer(spec, request, Asker::Sm, Passed::at_once(passed.max(left), spec.hit), output);
        Ok(())
    }

    fn pass_on_atomic(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        Turn { set, now, .. }: Turn,
        output: &mut SliceOutput<'_>,
    ) {
        if let Some(index) = self.cache.find(request.line, set) {
            self.cache.drop_sectors(index, request.sectors);
        }
        count(request, request.sectors, SectorMask::EMPTY, output.counters);
        let RequestKind::Atomic { sector_accesses, full, .. } = request.kind else { return };
        self.pass(spec.pass_time(request.sectors, sector_accesses), now, output);
        // Each access goes on alone: a word and where it belongs.
        let passed = now + spec.hit;
        self.pass_on(spec, request, u32::from(sector_accesses) * 2 * spec.header_bytes, passed, output);
        // Whole sectors keep nobody waiting.
        if full & request.sectors != request.sectors {
            self.port_free = self.port_free.max(self.link.has_room_at(&spec.link, spec.hit));
        }
        output.queue.leaves(now.to_cycle().0, request.at.0);
    }

    /// A request goes on to the home of its line. When it has left.
    fn pass_on(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        data_bytes: u32,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) -> Ticks {
        let at = self.link.send(&spec.link, (now, Ticks(0)), data_bytes);
        let content = HalfContent::Request(Request { at, ..*request });
        output.to_other_half.push(HalfMessage { at, content });
        self.link.free_at()
    }

    /// The answer to a request that has passed leaves some time after that: to the SM, or to the other half and from there
    /// to the SM.
    pub(super) fn answer(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        asker: Asker,
        Passed { at: passed, after, waited }: Passed,
        output: &mut SliceOutput<'_>,
    ) {
        let at = passed + after;
        if asker != Asker::OtherHalf {
            if let Some(coalescer) = &spec.coalescer
                && asker == Asker::Sm
                && request.joins()
            {
                let came = waited.then(|| passed.to_cycle());
                self.coalescer.answered(coalescer, request, came, at.to_cycle());
            }
            return reply(spec, request, at.to_cycle(), asker == Asker::Neighbour, output);
        }
        match request.kind {
            RequestKind::Read => {
                let content = HalfContent::Data(request.located_line(), request.sectors);
                let arrival = self.link.send(&spec.link, (passed, after), data_bytes(request));
                output.queue.leaves(at.to_cycle().0, request.at.0);
                output.to_other_half.push(HalfMessage { at: arrival, content });
            }
            // The other half has answered already.
            RequestKind::Write { .. } => output.queue.leaves(at.to_cycle().0, request.at.0),
            RequestKind::Atomic { .. } => {
                let arrival = self.link.send(&spec.link, (passed, after), data_bytes(request));
                let at = (Ticks::from(arrival) + spec.hit).to_cycle();
                reply(spec, request, at, false, output);
            }
        }
    }

    /// Keeps in mind that the other half has a copy of a line at home here, or tells it that its copy is out of date.
    pub(super) fn note_copies(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        asker: Asker,
        index: LineIndex,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let keeps = matches!(request.kind, RequestKind::Read | RequestKind::Write { .. });
        if asker == Asker::OtherHalf && keeps {
            self.cache.set_copied(index, true);
        } else if request.kind != RequestKind::Read && self.cache.is_copied(index) {
            self.cache.set_copied(index, false);
            // Behind the data that has been sent before.
            let at = self.link.send(&spec.link, (now, spec.fill), 0);
            let content = HalfContent::Invalidate(request.located_line());
            output.to_other_half.push(HalfMessage { at, content });
        }
    }

    /// Sectors of a line arrive from its home.
    pub(crate) fn fill_copy(
        &mut self,
        spec: &L2Spec,
        line: Line,
        sectors: SectorMask,
        (at, takes): (Cycle, DramTakes),
        output: &mut SliceOutput<'_>,
    ) {
        let now = Ticks::from(at);
        self.unblock(now);
        let takes = if spec.cleans_before_eviction { takes } else { DramTakes::Victims };
        let found = self.cache.seek(line.address, line.local);
        if let Some(index) = found.map_or_else(|absent| self.insert(spec, absent, takes, now, output), Some) {
            self.cache.fill(index, sectors);
        }
        let mut ready = std::mem::take(&mut self.ready);
        let readable = |mshr: &Mshr| SectorMask::ALL & !mshr.pending;
        let arrived = self.far_mshrs.arrive(line.address, sectors, &mut ready, readable);
        if arrived.is_some_and(|arrived| arrived.complete) {
            self.released(Blocked::FarMshrs);
        }
        for Waiter { ref request, asker } in ready.drain(..) {
            let passed = self.late_answer(spec, request, asker, now);
            self.answer(spec, request, asker, Passed::late(passed, Ticks(0)), output);
        }
        self.ready = ready;
    }

    /// The copy of a line is out of date.
    pub(crate) fn invalidate_copy(&mut self, line: Line) {
        if let Some(index) = self.cache.find(line.address, line.local) {
            self.cache.invalidate(index);
        }
    }
}

#[cfg(test)]
mod tests;
