//! One slice of the L2: tags, MSHRs, and requests that wait for its port.

mod dirty;
mod far;
mod fetch;
mod input;
mod inspect;
mod neighbours;
mod partial;
mod spec;

use super::coalescer::Coalescer;
use super::dirty::DirtyLines;
use super::inbox::{Blocked, Inbox};
use super::link::Link;
use super::mshr::{Arrived, Mshrs, Waiter};
use super::partial::PartialLines;
use super::writes::LastWrites;
use crate::cache::{LineIndex, SectorCache, Victim};
use crate::map::Half;
use crate::message::{Credit, HalfMessage, Reply, Request, RequestKind};
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_trace::{CacheCounters, QueueCounters};
use warplab_units::{Address, Cycle, PartitionId, SECTOR_BYTES, SectorMask};

pub use inspect::{L2MshrView, RequestView, SliceView};
pub(crate) use spec::L2Spec;

/// What a slice wants from DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DramRequest {
    pub(crate) line: Address,
    /// The number of the line inside its partition.
    pub(crate) local_line: u64,
    pub(crate) sectors: SectorMask,
    pub(crate) write: bool,
    pub(crate) at: Ticks,
}

/// Whose request a slice looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Asker {
    /// An SM of its half.
    Sm,
    /// An SM of its half whose neighbour has asked for the same.
    Neighbour,
    /// The slice of the other half.
    OtherHalf,
}

/// Which lines DRAM takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DramTakes {
    /// None: its write queues are full.
    Nothing,
    /// Those that must go.
    Victims,
    /// Those that may stay, too: a controller has time.
    Early,
}

/// A request's turn.
#[derive(Clone, Copy, Debug)]
struct Turn {
    asker: Asker,
    /// The number of the line inside its partition, which chooses its set.
    set: u64,
    takes: DramTakes,
    now: Ticks,
}

/// When what a request asks for has passed the port, and how long after that its answer leaves.
#[derive(Clone, Copy, Debug)]
struct Passed {
    at: Ticks,
    after: Ticks,
    /// Whether it has waited for data.
    waited: bool,
}

impl Passed {
    fn at_once(at: Ticks, after: Ticks) -> Passed {
        Passed { at, after, waited: false }
    }

    fn late(at: Ticks, after: Ticks) -> Passed {
        Passed { at, after, waited: true }
    }
}

/// One slice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Slice {
    half: Half,
    cache: SectorCache,
    /// From SMs, and from the other half: these never wait for the other half, so that the two cannot block each other.
    from_sms: Inbox,
    from_other_half: Inbox,
    /// Whether the last request that passed was an SM's: of two that can be looked up at the same moment, that of the other
    /// half comes next.
    sm_passed: bool,
    coalescer: Coalescer,
    mshrs: Mshrs,
    /// Those of lines under way from the other half.
    far_mshrs: Mshrs,
    /// Lines at home here that were written in part.
    partial: PartialLines,
    /// Lines at home here that must be written back.
    dirty: DirtyLines,
    /// Lines that were just written, copies too.
    last_writes: LastWrites,
    link: Link,
    port_free: Ticks,
    /// The line and sectors of the last atomic operation.
    last_atomic: Option<(Address, SectorMask)>,
    /// Requests that data has brought all they waited for: nothing between two arrivals.
    #[serde(skip)]
    ready: Vec<Waiter>,
}

/// Where a slice leaves what it wants and what it counts.
pub(crate) struct SliceOutput<'a> {
    pub(crate) replies: &'a mut Vec<Reply>,
    pub(crate) dram: &'a mut Vec<DramRequest>,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) queue: &'a mut QueueCounters,
    /// To the slice of the same number in the other half.
    pub(crate) to_other_half: &'a mut Vec<HalfMessage>,
    /// To SMs whose requests have been taken.
    pub(crate) credits: &'a mut Vec<Credit>,
}

impl Slice {
    pub(crate) fn new(spec: &L2Spec, partition: PartitionId) -> Slice {
        Slice {
            half: spec.map.half_of_partition(partition),
            cache: SectorCache::with_replacement(spec.shape, spec.replacement)
                .with_hashed_sets(spec.hashed_sets),
            from_sms: Inbox::of_queues(spec.queues()),
            from_other_half: Inbox::default(),
            sm_passed: true,
            coalescer: Coalescer::default(),
            mshrs: Mshrs::default(),
            far_mshrs: Mshrs::default(),
            partial: PartialLines::default(),
            dirty: DirtyLines::default(),
            last_writes: LastWrites::default(),
            link: Link::default(),
            port_free: Ticks(0),
            last_atomic: None,
            ready: Vec::new(),
        }
    }

    /// A request of an SM arrives; whether the next one can be looked up at another moment than before.
    #[inline]
    pub(crate) fn push(&mut self, spec: &L2Spec, request: Request) -> bool {
        self.from_sms.push(request, spec.queue_of(request.sm))
    }

    /// When the next request can be looked up; never when none waits or all are blocked.
    pub(crate) fn next_event(&self) -> Ticks {
        let next = self.from_sms.next().min(self.from_other_half.next());
        if next == Ticks::NEVER { next } else { next.max(self.port_free) }
    }

    /// The tags and data.
    pub(crate) fn cache(&self) -> &SectorCache {
        &self.cache
    }

    /// Whether anything waits here.
    pub(crate) fn is_idle(&self) -> bool {
        let inboxes = [&self.from_sms, &self.from_other_half];
        inboxes.iter().all(|inbox| inbox.is_empty()) && self.mshrs.is_empty() && self.far_mshrs.is_empty()
    }

    /// What was blocked may try again.
    #[inline]
    pub(crate) fn unblock(&mut self, now: Ticks) {
        self.from_sms.unblock(now);
        self.from_other_half.unblock(now);
    }

    /// An MSHR is free.
    fn released(&mut self, obstacle: Blocked) {
        self.from_sms.released(obstacle);
        self.from_other_half.released(obstacle);
    }

    /// Looks up the request whose turn it is `now`, at [`Slice::next_event`], while DRAM takes what it `takes`.
    pub(crate) fn step(&mut self, spec: &L2Spec, now: Ticks, takes: DramTakes, output: &mut SliceOutput<'_>) {
        let asker = self.next_asker();
        let inbox = self.inbox(asker);
        if let Some(blocked) = inbox.obstacle() {
            return inbox.block(blocked);
        }
        let Some(&request) = inbox.choose(now) else { return };
        let (home, set) = (Half::from(request.home), request.local_line);
        if asker == Asker::Sm && self.coalesce(spec, &request, home, now, output) {
            self.from_sms.pop(None);
            self.sm_passed = true;
            spec.credit(&request, asker, now, output);
            return;
        }
        let turn = Turn { asker, set, takes, now };
        let passed = if asker == Asker::Sm && home != self.half {
            self.look_up_far(spec, &request, turn, output)
        } else {
            self.look_up_home(spec, &request, turn, output)
        };
        match passed {
            Ok(()) => {
                if asker == Asker::OtherHalf || home == self.half || request.kind == RequestKind::Read {
                    spec.credit(&request, asker, now, output);
                }
                let passed = self.pass_in(spec, &request, asker);
                self.inbox(asker).pop(passed);
                self.sm_passed = asker == Asker::Sm;
            }
            Err(blocked) => self.inbox(asker).block(blocked),
        }
    }

    /// Whose request is looked up next: of two that can be at the same moment, not that of who passed last.
    #[inline]
    fn next_asker(&self) -> Asker {
        let [of_sms, of_other_half] = [&self.from_sms, &self.from_other_half].map(Inbox::next);
        let other_half = of_other_half < of_sms || of_other_half == of_sms && self.sm_passed;
        if other_half { Asker::OtherHalf } else { Asker::Sm }
    }

    fn inbox(&mut self, asker: Asker) -> &mut Inbox {
        match asker {
            Asker::Sm | Asker::Neighbour => &mut self.from_sms,
            Asker::OtherHalf => &mut self.from_other_half,
        }
    }

    /// A request for a line that is at home here.
    fn look_up_home(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        turn: Turn,
        output: &mut SliceOutput<'_>,
    ) -> Result<(), Blocked> {
        let Turn { asker, now, .. } = turn;
        let index = self.find_or_insert(spec, request.line, turn, output)?;
        let missing = self.missing(index, request);
        if self.mshrs.len() >= spec.mshrs && !missing.is_empty() && !self.mshrs.contains(request.line) {
            return Err(Blocked::Other);
        }
        if self.mshrs.len() >= spec.mshrs && self.fills_partial_lines(spec, request, index) {
            return Err(Blocked::Other);
        }
        if turn.takes == DramTakes::Nothing && self.fills_dirty_lines(spec, request) {
            return Err(Blocked::Other);
        }
        let present = self.cache.present(index);
        let stall = self.stall_of_writes(spec, request, asker, self.cache.is_pinned(index), now);
        let passed = self.pass_request(spec, request, missing, (stall, now), output);
        if let RequestKind::Write { full, words } = request.kind {
            self.write_sectors(index, request.line, request.sectors, full);
            self.note_partial(spec, (request.line, request.sectors), index, words, now, output);
        }
        self.note_copies(spec, request, asker, index, now, output);
        let asked = if missing.is_empty() {
            self.hit(spec, request, asker, index, passed, output);
            missing
        } else {
            self.miss(spec, Waiter { request: *request, asker }, index, missing, turn, output)
        };
        self.clean_oldest(spec, now, output);
        count(request, present, asked, output.counters);
        if asker == Asker::OtherHalf {
            count_far(request, asked, output.counters);
        }
        Ok(())
    }

    /// A request of which some sectors are missing passes the port, in so much more time than usual; when it has. A read that
    /// waits for data only asks the tags.
    fn pass_request(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        missing: SectorMask,
        (stall, now): (Ticks, Ticks),
        output: &mut SliceOutput<'_>,
    ) -> Ticks {
        let busy = match request.kind {
            RequestKind::Read if !missing.is_empty() => Ticks(0),
            _ => spec.port_time(request, self.last_atomic),
        };
        if let RequestKind::Atomic { .. } = request.kind {
            self.last_atomic = Some((request.line, request.sectors));
        }
        self.pass(busy + stall, now, output)
    }

    /// Something keeps the port busy; when it has passed.
    fn pass(&mut self, busy: Ticks, now: Ticks, output: &mut SliceOutput<'_>) -> Ticks {
        self.port_free = now + busy;
        output.counters.busy_ticks += busy.0;
        self.port_free
    }

    /// The place of a line in the cache, as far as it has one or can get one.
    fn find_or_insert(
        &mut self,
        spec: &L2Spec,
        line: Address,
        turn: Turn,
        output: &mut SliceOutput<'_>,
    ) -> Result<LineIndex, Blocked> {
        let Turn { set, takes, now, .. } = turn;
        let absent = match self.cache.seek(line, set) {
            Ok(index) => return Ok(index),
            Err(absent) => absent,
        };
        if self.mshrs.len() >= spec.mshrs {
            return Err(Blocked::Mshrs);
        }
        self.insert(spec, absent, takes, now, output).ok_or(Blocked::Other)
    }

    /// The sectors that must come from DRAM before the request can be answered.
    fn missing(&self, index: LineIndex, request: &Request) -> SectorMask {
        match request.kind {
            RequestKind::Read | RequestKind::Atomic { .. } => request.sectors & !self.cache.readable(index),
            RequestKind::Write { .. } => SectorMask::EMPTY,
        }
    }

    /// Everything is there at `passed`, when the request has passed the port.
    fn hit(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        asker: Asker,
        index: LineIndex,
        passed: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        if let RequestKind::Atomic { .. } = request.kind {
            self.write_sectors(index, request.line, request.sectors, SectorMask::EMPTY);
        }
        self.answer(spec, request, asker, Passed::at_once(passed, spec.hit), output);
    }

    /// The request waits for sectors; those that are not under way yet are asked of DRAM. Which of the missing ones these
    /// are: the profiler counts the others as hits.
    fn miss(
        &mut self,
        spec: &L2Spec,
        waiter: Waiter,
        index: LineIndex,
        missing: SectorMask,
        turn: Turn,
        output: &mut SliceOutput<'_>,
    ) -> SectorMask {
        let fetch = fetched(missing, spec.fetch_sectors) & !self.cache.readable(index);
        self.cache.pin(index);
        self.wait_for_data(spec, &waiter);
        let waiting = self.mshrs.wait(waiter, index, missing, fetch);
        output.counters.merged_sectors += u64::from(waiting.merged.count());
        if !waiting.fetch.is_empty() {
            output.dram.push(DramRequest {
                line: waiter.request.line,
                local_line: turn.set,
                sectors: waiting.fetch,
                write: false,
                at: turn.now + spec.miss,
            });
        }
        missing & !waiting.merged
    }

    /// Data of some sectors has come from DRAM.
    pub(crate) fn fill(
        &mut self,
        spec: &L2Spec,
        line: Address,
        sectors: SectorMask,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        self.unblock(now);
        // The line is under way, so that it was pinned and is still there.
        let cache = &mut self.cache;
        let arrived = self.mshrs.arrive(line, sectors, &mut self.ready, |mshr| {
            cache.touch(mshr.index);
            cache.fill(mshr.index, sectors);
            cache.readable(mshr.index)
        });
        let Some(Arrived { index, complete, write_back: is_written_back }) = arrived else { return };
        if complete {
            self.released(Blocked::Mshrs);
            self.cache.unpin(index);
        }
        if is_written_back {
            self.port_free = self.port_free.max(now) + spec.completion * u64::from(sectors.count());
            self.clean_whole(spec, index, now, output);
        }
        if self.ready.is_empty() {
            return;
        }
        let mut ready = std::mem::take(&mut self.ready);
        for Waiter { ref request, asker } in ready.drain(..) {
            if let RequestKind::Atomic { .. } = request.kind {
                self.write_sectors(index, line, request.sectors, SectorMask::EMPTY);
            }
            let passed = self.late_answer(spec, request, asker, now);
            self.answer(spec, request, asker, Passed::late(passed, spec.fill), output);
        }
        self.ready = ready;
    }
}

/// Counts a request of whose sectors some were present and some are missing.
fn count(request: &Request, present: SectorMask, missing: SectorMask, counters: &mut CacheCounters) {
    let sectors = u64::from(request.sectors.count());
    let hits = sectors - u64::from(missing.count());
    counters.requests += 1;
    match request.kind {
        RequestKind::Read => {
            counters.read_sectors += sectors;
            counters.read_hits += hits;
        }
        RequestKind::Write { .. } => {
            counters.write_sectors += sectors;
            counters.write_hits += u64::from((request.sectors & present).count());
        }
        RequestKind::Atomic { returns, sector_accesses, .. } => {
            let accesses = u64::from(sector_accesses);
            counters.atomic_hits += accesses - u64::from(missing.count()).min(accesses);
            if returns {
                counters.atomic_sectors += accesses;
            } else {
                counters.reduction_sectors += accesses;
            }
        }
    }
}

/// Counts a request that came from the other half, beside what it counts as any other.
fn count_far(request: &Request, missing: SectorMask, counters: &mut CacheCounters) {
    let sectors = u64::from(request.sectors.count());
    let accesses = match request.kind {
        RequestKind::Read | RequestKind::Write { .. } => sectors,
        RequestKind::Atomic { sector_accesses, .. } => u64::from(sector_accesses),
    };
    counters.far_hits += accesses - u64::from(missing.count()).min(accesses);
    match request.kind {
        RequestKind::Read => counters.far_read_sectors += accesses,
        RequestKind::Write { .. } => counters.far_write_sectors += accesses,
        RequestKind::Atomic { returns: true, .. } => counters.far_atomic_sectors += accesses,
        RequestKind::Atomic { returns: false, .. } => counters.far_reduction_sectors += accesses,
    }
}

/// The wanted sectors rounded out to what is fetched at once.
fn fetched(wanted: SectorMask, fetch_sectors: u32) -> SectorMask {
    let group = (1u8 << fetch_sectors.clamp(1, 4)) - 1;
    (0..4)
        .step_by(fetch_sectors.clamp(1, 4) as usize)
        .map(|first| SectorMask(group << first))
        .filter(|&group| !(wanted & group).is_empty())
        .fold(SectorMask::EMPTY, |all, group| all | group)
}

fn write_back(spec: &L2Spec, victim: Victim, now: Ticks, output: &mut SliceOutput<'_>) {
    let Victim { line, dirty, partial } = victim;
    if dirty.is_empty() {
        return;
    }
    output.counters.writeback_sectors += u64::from(dirty.count());
    let write =
        DramRequest { line, local_line: spec.map.local_line(line), sectors: dirty, write: true, at: now };
    // A burst is written whole: the rest of sectors that were written in part comes from DRAM first.
    if !partial.is_empty() {
        output.dram.push(DramRequest { sectors: partial, write: false, ..write });
    }
    output.dram.push(write);
}

/// The reply to an SM leaves at `at`, alone or with that to its neighbour.
#[inline]
fn reply(spec: &L2Spec, request: &Request, at: Cycle, shared: bool, output: &mut SliceOutput<'_>) {
    let bytes = spec.header_bytes + data_bytes(request);
    output.queue.leaves(at.0, request.at.0);
    let Request { sm, token, home, .. } = *request;
    let is_far = spec.map.half_of_sm(sm) != Half::from(home);
    output.replies.push(Reply { sm, token, bytes, shared, is_far, at });
}

/// Bytes of data in the answer to a request.
fn data_bytes(request: &Request) -> u32 {
    match request.kind {
        RequestKind::Read | RequestKind::Atomic { returns: true, .. } => {
            request.sectors.count() * SECTOR_BYTES as u32
        }
        RequestKind::Write { .. } | RequestKind::Atomic { returns: false, .. } => 0,
    }
}

#[cfg(test)]
mod tests;
