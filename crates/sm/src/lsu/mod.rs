//! The load/store unit: memory instructions come from the queues of the sub-partitions, shared memory and L1 answer, and
//! what L1 lacks is requested from L2 through the send port.
//!
//! Below the issue stage it speaks in [`Work`], [`Owner`] and [`Outcome`], above the crossbar in `Request` and `Reply`.

mod access;
mod atomics;
mod banks;
mod bulk;
mod coalesce;
mod copied;
mod credits;
mod data;
mod fetch;
mod inspect;
mod l1;
mod loads;
mod message;
mod mshr;
mod port;
mod queue;
mod returns;
mod sets;
mod stores;
#[cfg(test)]
mod tests;

use crate::spec::SmSpec;
pub(crate) use banks::peer_passes;
pub(crate) use coalesce::Coalescing;
use coalesce::LineAccess;
use credits::Credits;
pub(crate) use data::DataSpec;
use data::{Access, DataStage, Kind};
pub use inspect::{LoadView, LsuView, MshrView, QueuedView};
use l1::L1;
use loads::{Done, Loads};
pub(crate) use message::{Asked, GlobalAccess, Outcome, Owner, Passes, Work};
use message::{Asker, Operation};
use mshr::LoadId;
pub(crate) use port::{PortSpec, SendPort};
pub(crate) use queue::{QueueFull, QueueSpec, Queues};
use serde::{Deserialize, Serialize};
pub(crate) use sets::SetNumbers;
use slab::Slab;
use std::collections::VecDeque;
use stores::Held;
use warplab_memory::{LineIndex, Request, RequestKind};
use warplab_trace::{L1Counters, QueueCounters};
use warplab_units::{Address, Cycle, SECTOR_BYTES, SectorMask, SmId};

/// Requests under way for which there is room from the start.
const USUAL: usize = 256;

/// Flits for which a store to a single line takes the port of the SM at least (measured: `traces/h200/mechanisms`, `store_u8_b1024` and
/// `_u16_`, one sector and two; `lsu/sectors.txt`: where it writes more lines, a whole sector takes one).
const LEAST_STORE_FLITS: u32 = 2;

/// The numbers of the LSU.
#[derive(Clone, Debug)]
pub(crate) struct LsuSpec {
    pub(crate) queue: QueueSpec,
    pub(crate) port: PortSpec,
    /// Bytes of a request beside its data.
    pub(crate) header_bytes: u32,
    /// What the send port passes at once; a request takes no less. Requests pass by their bytes where it is not given.
    pub(crate) flit_bytes: Option<u32>,
    /// Flits that may be on the way to L2.
    pub(crate) credits: Option<u32>,
    /// Whether special registers that are another one for each lane are read here.
    pub(crate) reads_lane_numbers: bool,
    pub(crate) data: DataSpec,
    /// Lines of a load whose data passes the data stage together once it has come.
    pub(crate) lines_at_once: usize,
    /// Passes of the data stage that a copy to shared memory takes beside those of its data.
    pub(crate) copy_passes: u16,
    /// Cycles from the last pass of a store until its first request leaves, where stores wait for their data.
    pub(crate) store_hold: Option<u64>,
    /// Cycles from when a store leaves until the line has taken it that it brings.
    pub(crate) store_taken: u64,
    /// Cycles between two passes of a load, and that data of a pass takes on the way back to its sub-partition.
    pub(crate) load_share: u64,
    /// Cycles from the start to the result of an instruction without an active lane; it does not come here where it is not
    /// given.
    pub(crate) masked_latency: Option<u64>,
    /// Cycles from issue until the sources have been read.
    pub(crate) source_release: u64,
    /// Cycles from the start to the result of a load that hits.
    pub(crate) hit: u64,
    /// The same for a load of local memory.
    pub(crate) local_hit: u64,
    /// Of the former, cycles until a request for what is missing leaves; the rest pass after its reply.
    pub(crate) request: u64,
    /// Lines that can be under way from L2.
    pub(crate) miss_entries: usize,
    /// Lines of atomic operations whose old values are wanted that can be under way, if these are limited.
    pub(crate) atomic_entries: Option<usize>,
    /// When given, the latency of a memory without caches and limits.
    pub(crate) flat: Option<u64>,
}

impl LsuSpec {
    /// Cycles from the reply for what is missing to the result.
    fn after_reply(&self) -> u64 {
        self.hit - self.request
    }
}

/// What a reply is for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Token {
    /// Sectors of a line of L1.
    Fill { line: Address, place: Option<LineIndex>, sectors: SectorMask, sent: Cycle },
    /// Data for one load alone.
    Data { load: LoadId },
    /// Old values for one atomic operation.
    Atomic { load: LoadId },
    /// A line of a bulk copy.
    Bulk { copy: u32 },
    /// An acknowledgement.
    Store { slot: u8, generation: u32 },
}

/// The load/store unit of one SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LoadStoreUnit {
    sm: SmId,
    pub(crate) queues: Queues,
    pub(crate) l1: L1,
    pub(crate) loads: Loads,
    tokens: Slab<Token>,
    /// Lines that have been asked for, and those of them that have come.
    pub(crate) asked_lines: u64,
    pub(crate) come_lines: u64,
    /// Slices that have answered since the last fence.
    pub(crate) asked: Asked,
    /// Lines of atomic operations whose old values are under way.
    atomics_away: usize,
    /// Room for the lines of accesses to come.
    #[serde(skip)]
    free_lines: Vec<Vec<LineAccess>>,
    /// Loads that a reply has brought all they waited for: nothing between two replies.
    #[serde(skip)]
    done: Vec<LoadId>,
    data: DataStage,
    /// When the unit of barriers in shared memory is free.
    barriers_free: Cycle,
    pub(crate) port: SendPort,
    pub(crate) credits: Credits,
    /// Stores that wait for credits.
    held: VecDeque<Held>,
    /// Whether a store has been sent.
    pub(crate) has_written: bool,
    pub(crate) counters: L1Counters,
}

impl LoadStoreUnit {
    /// An idle unit with a cold cache.
    pub(crate) fn new(spec: &SmSpec, sm: SmId) -> LoadStoreUnit {
        LoadStoreUnit {
            sm,
            queues: Queues::new(spec.sub_partitions),
            l1: L1::new(&spec.l1, spec.l1_sets.clone(), spec.l1_kib),
            loads: Loads::new(spec.warps),
            tokens: Slab::with_capacity(USUAL),
            asked_lines: 0,
            come_lines: 0,
            asked: Asked::default(),
            atomics_away: 0,
            free_lines: Vec::new(),
            done: Vec::new(),
            data: DataStage::new(spec.warps),
            barriers_free: Cycle(0),
            port: SendPort::default(),
            credits: Credits::default(),
            held: VecDeque::new(),
            has_written: false,
            counters: L1Counters::default(),
        }
    }

    /// An instruction issues into the queue of its sub-partition.
    #[inline]
    pub(crate) fn push(&mut self, sub_partition: usize, owner: Owner, work: Work, now: Cycle) {
        if let Work::Global { access, .. } = &work
            && access.has_result()
        {
            self.loads.counters.enters(now.0);
        }
        self.queues.push(sub_partition, Operation { asker: Asker { owner, issued: now }, work });
    }

    /// What [`LoadStoreUnit::next_operation`] says can happen at cycle `now`: loads pass the data stage, an instruction leaves
    /// the queue of its sub-partition, and an access starts. The sub-partitions whose queues may have more room now: that of what has
    /// left, and that of what has followed others.
    pub(crate) fn advance(
        &mut self,
        now: Cycle,
        spec: &LsuSpec,
        outcomes: &mut Vec<Outcome>,
    ) -> [Option<usize>; 2] {
        self.pass_waiting(now, spec, outcomes);
        let follower = self.queues.take_follower(now, &spec.queue).map(|(sub_partition, operation)| {
            self.exchange(now, &operation, spec, outcomes);
            sub_partition
        });
        let left = self.queues.leave(now, &spec.queue).map(|(sub_partition, asker, operation)| {
            outcomes.extend(sources_read(asker, now, spec));
            if let Some(operation) = operation {
                self.exchange(now, &operation, spec, outcomes);
            }
            sub_partition
        });
        if let Some((access, lines)) = self.queues.for_tags(now) {
            if spec.flat.is_none() && self.must_wait(access, lines, now, spec) {
                self.queues.block(now);
            } else if let Some((sub_partition, operation)) = self.queues.take_for_tags(now, &spec.queue) {
                self.start(now, sub_partition, operation, spec, outcomes);
            }
        }
        [left, follower]
    }

    /// When something can happen next here by itself; never where nothing can.
    #[inline]
    pub(crate) fn next_operation(&self, spec: &LsuSpec) -> Cycle {
        self.queues.next_start(&spec.queue).min(self.data.next())
    }

    /// An access to shared memory, a lane exchange or the reading of a special register starts.
    #[inline]
    fn exchange(&mut self, now: Cycle, operation: &Operation, spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        let owner = operation.asker.owner;
        let (begin, latency) = match operation.work {
            Work::Shared { passes, latency } => {
                self.pass_waiting_before(Kind::Shared, passes, spec, outcomes);
                let access = Access { slot: owner.slot, from: now, passes, conflicts: 0 };
                (self.data.pass(Kind::Shared, now, &access, &spec.data), latency)
            }
            Work::Barrier { passes, latency } => {
                let begin = self.barriers_free.max(now);
                self.barriers_free = begin + passes;
                (begin, latency)
            }
            Work::Peers { number, passes, .. } => {
                self.pass_waiting_before(Kind::Shared, passes, spec, outcomes);
                let access = Access { slot: owner.slot, from: now, passes, conflicts: 0 };
                let at = self.data.pass(Kind::Shared, now, &access, &spec.data);
                self.queues.keep_shared_busy_until(self.data.next_start(Kind::Shared, &spec.data));
                return outcomes.push(Outcome::ToPeers { number, owner, at });
            }
            Work::Global { .. } => return,
        };
        self.queues.keep_shared_busy_until(self.data.next_start(Kind::Shared, &spec.data));
        outcomes.extend(Outcome::result(owner, begin.later(latency.saturating_sub(1))));
    }

    /// Whether an access waits for credits of the crossbar, or is a load for whose lines there are too few MSHRs, or an atomic
    /// operation while too many are under way. Stores wait for credits behind the tags, as long as their buffer has room.
    #[inline]
    fn must_wait(&mut self, access: GlobalAccess, lines: usize, now: Cycle, spec: &LsuSpec) -> bool {
        if matches!(access, GlobalAccess::Store { .. }) && spec.port.joinable > 0 {
            return self.held.len() >= spec.port.joinable;
        }
        let lacks_room = match access {
            GlobalAccess::Load { .. } => !self.l1.mshrs.have_room(lines, spec.miss_entries),
            GlobalAccess::Atomic { returns: true } => spec
                .atomic_entries
                .is_some_and(|most| self.atomics_away > 0 && self.atomics_away + lines > most),
            _ => false,
        };
        !self.has_credits(now, spec) || lacks_room
    }

    /// An access to global or local memory comes to the tags.
    fn start(
        &mut self,
        now: Cycle,
        sub_partition: usize,
        operation: Operation,
        spec: &LsuSpec,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Work::Global { access, mut lines, passes } = operation.work else { return };
        let start = Start { now, spec, outcomes, passes };
        self.start_global(start, operation.asker, access, &lines, sub_partition);
        lines.clear();
        self.free_lines.push(lines);
        self.queues.keep_tags_busy_until(self.data.next_start(Kind::Load, &spec.data).max(now + 1));
    }

    /// An access to global or local memory starts.
    fn start_global(
        &mut self,
        mut start: Start<'_>,
        asker: Asker,
        access: GlobalAccess,
        lines: &[LineAccess],
        sub_partition: usize,
    ) {
        let Start { now, spec, passes, .. } = start;
        if let Some(latency) = spec.flat {
            return self.flat(asker, access, start, now + latency.saturating_sub(1));
        }
        let tags = u64::from(passes.tags);
        self.queues.keep_tags_busy_until(now + tags + self.data.share_of_tags(now, tags));
        match access {
            GlobalAccess::Load { cached, local } => {
                let way = u64::from(passes.width) * spec.load_share;
                self.queues.keep_sub_partition_busy_until(sub_partition, now + way);
                self.load(start, asker, lines, cached, local);
            }
            GlobalAccess::Store { local } => {
                let turn = self.data.end(now);
                let conflicts = passes.data.saturating_sub(passes.width);
                self.pass_data(&mut start, Kind::Store, asker, (passes.data, conflicts), None);
                self.store(start, turn, asker.owner, lines, local);
            }
            GlobalAccess::Atomic { returns } => {
                // It passes behind all that waits: nothing has been measured.
                while !self.data.is_idle() {
                    self.pass_next(spec, start.outcomes);
                }
                self.pass_data(&mut start, Kind::Store, asker, (passes.data, 0), None);
                self.atomic(start, asker, lines, returns);
            }
        }
        if let Some(free) = self.port.back_pressure(now) {
            self.queues.keep_tags_busy_until(free);
            self.queues.keep_shared_busy_until(free);
        }
    }

    /// So many passes of an access to data that is there, some of them conflicts. A load that is done with them has its result so
    /// many cycles after the first of them.
    #[inline(always)]
    fn pass_data(
        &mut self,
        start: &mut Start<'_>,
        kind: Kind,
        asker: Asker,
        (passes, conflicts): (u16, u16),
        result: Option<(Done, u64)>,
    ) {
        let Start { now, spec, .. } = *start;
        let from = now + u64::from(start.passes.tags.max(1) - 1);
        let (passes, conflicts) = (u64::from(passes), u64::from(conflicts));
        let access = Access { slot: asker.owner.slot, from, passes, conflicts };
        if self.data.must_wait(kind, from) {
            return self.data.wait(kind, now, access, result, &spec.data);
        }
        if !self.data.is_idle() {
            self.pass_waiting_before(kind, passes, spec, start.outcomes);
        }
        let begin = self.data.pass(kind, now, &access, &spec.data);
        if let Some((done, lag)) = result {
            self.finish(&done, begin + lag, start.outcomes);
        }
    }

    /// A memory without caches and limits: every answer comes after the same time.
    fn flat(&mut self, asker: Asker, access: GlobalAccess, start: Start<'_>, at: Cycle) {
        let Start { now, spec, outcomes, .. } = start;
        let Owner { slot, generation, .. } = asker.owner;
        if access.has_result() {
            let load = self.loads.start(asker, 0, at);
            self.arrived(load, (now, at), spec, outcomes);
        } else {
            outcomes.push(Outcome::Sent { slot, generation, requests: 0, at: now });
        }
    }

    fn load(&mut self, mut start: Start<'_>, asker: Asker, lines: &[LineAccess], cached: bool, local: bool) {
        let data = start.passes.data;
        let hit = if local { start.spec.local_hit } else { start.spec.hit };
        let load = self.loads.start(asker, 0, start.now + (hit - 1));
        let mut missing = 0;
        self.fetch_for_load(lines);
        if lines.first().is_some_and(|line| line.copied) && start.spec.copy_passes > 0 {
            let passes = (start.spec.copy_passes, 0);
            self.pass_data(&mut start, Kind::Load, asker, passes, None);
        }
        for access in lines {
            // What passes the tags by asks for itself (measured: shares/coalesce.txt, same_gpcs1; lsu/copies.txt).
            if access.alone || !cached {
                missing += 1;
                self.loads.expect(load);
                let token = Token::Data { load };
                self.send(&start, access, access.sectors, RequestKind::Read, token);
                continue;
            }
            let lookup = self.l1.load(access, load, start.now);
            if lookup.misses() {
                missing += 1;
                self.loads.expect(load);
            }
            if !lookup.request.is_empty() {
                let (line, sectors, place) = (access.line, lookup.request, lookup.place);
                let token = Token::Fill { line, place, sectors, sent: start.now };
                self.send(&start, access, sectors, RequestKind::Read, token);
            }
            if local {
                self.counters.local_load_sector_hits += u64::from(lookup.hits);
            } else {
                self.counters.global_load_sector_hits += u64::from(lookup.hits);
                self.counters.global_load_sector_merges += u64::from(lookup.merges);
            }
        }
        let (late, parts) = start.passes.when_there(lines, missing, start.spec.lines_at_once);
        if let Some(done) = self.loads.begin(load, late, parts) {
            let further = u64::from(data.max(1) - 1) * start.spec.load_share;
            let lag = (hit - 1) + further;
            self.pass_data(&mut start, Kind::Load, asker, (data, 0), Some((done, lag)));
        } else if missing < lines.len() && data > late {
            self.pass_data(&mut start, Kind::Load, asker, (data - late, 0), None);
        }
    }

    fn atomic(&mut self, start: Start<'_>, asker: Asker, lines: &[LineAccess], returns: bool) {
        let Owner { slot, generation, .. } = asker.owner;
        let ready = start.now + start.spec.hit;
        let load = returns.then(|| self.loads.start(asker, lines.len() as u32, ready));
        for access in lines {
            self.l1.invalidate(access.line);
            let LineAccess { sector_accesses, full, .. } = *access;
            let kind = RequestKind::Atomic { sector_accesses, full, returns };
            let done = Token::Store { slot, generation };
            let token = load.map_or(done, |load| Token::Atomic { load });
            self.atomics_away += usize::from(returns);
            // Fences wait for them as for loads.
            self.asked_lines += u64::from(returns);
            self.send(&start, access, access.sectors, kind, token);
        }
        match load {
            Some(load) => self.arrived(load, (start.now, start.now), start.spec, start.outcomes),
            None => {
                let (requests, at) = (lines.len() as u16, self.port.free_at(&start.spec.port));
                start.outcomes.push(Outcome::Sent { slot, generation, requests, at });
            }
        }
    }

    /// Sends a request for an operation that starts now.
    fn send(
        &mut self,
        start: &Start<'_>,
        access: &LineAccess,
        sectors: SectorMask,
        kind: RequestKind,
        token: Token,
    ) {
        if kind == RequestKind::Read {
            self.asked_lines += 1;
            self.counters.sectors_to_l2 += u64::from(sectors.count());
        }
        let request =
            self.request(start.spec, access, (sectors, kind), token, start.now + start.spec.request);
        self.leave(request, request.at, 1, start.spec);
    }

    /// A request that is ready to leave at a cycle.
    #[inline]
    fn request(
        &mut self,
        spec: &LsuSpec,
        access: &LineAccess,
        (sectors, kind): (SectorMask, RequestKind),
        token: Token,
        at: Cycle,
    ) -> Request {
        let token = self.tokens.insert(token) as u32;
        let bytes = request_bytes(kind, access, sectors, spec);
        let (sm, line) = (self.sm, access.line);
        Request { sm, token, line, local_line: 0, home: 0, sectors, kind, bytes, at }
    }

    /// A request passes the send port, which it could do at `due`, and takes at least so many flits there: when it begins to leave.
    #[inline(always)]
    fn leave(&mut self, request: Request, due: Cycle, least: u32, spec: &LsuSpec) -> Cycle {
        let taken = request.bytes.max(spec.flit_bytes.unwrap_or(0) * least);
        if let (Some(_), Some(flit)) = (spec.credits, spec.flit_bytes) {
            self.credits.spend(request.flits(flit));
        }
        self.port.send(request, due, taken, &spec.port)
    }

    /// Everything that is counted about a queue: memory queue, loads, L1 misses, send port.
    pub(crate) fn queue_counters(&self) -> [QueueCounters; 4] {
        [&self.queues.counters, &self.loads.counters, &self.l1.mshrs.counters, &self.port.counters]
            .map(Clone::clone)
    }

    /// Whether nothing waits here and nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.queues.is_empty() && self.tokens.is_empty() && self.data.is_idle() && self.held.is_empty()
    }
}

/// The sources of an instruction are read as it leaves the queue of its sub-partition `now`.
fn sources_read(asker: Asker, now: Cycle, spec: &LsuSpec) -> Option<Outcome> {
    let Owner { slot, generation, read_barrier, .. } = asker.owner;
    let at = asker.issued.later(spec.source_release).max(now.later(2));
    read_barrier.map(|counter| Outcome::Release { slot, generation, counter, at })
}

/// The bytes of a request.
fn request_bytes(kind: RequestKind, access: &LineAccess, sectors: SectorMask, spec: &LsuSpec) -> u32 {
    let data = match kind {
        RequestKind::Read => 0,
        RequestKind::Write { .. } => sectors.count(),
        RequestKind::Atomic { sector_accesses, .. } => u32::from(sector_accesses),
    };
    match spec.flit_bytes {
        Some(flit) if kind != RequestKind::Read => flits(kind, access) * flit,
        _ => spec.header_bytes + data * SECTOR_BYTES as u32,
    }
}

/// The flits of a request that brings data: a write has one for each sector, and one more where bytes of a sector are left
/// out; an atomic operation has one for each access to a sector, two if it brings two values, and its headers.
fn flits(kind: RequestKind, access: &LineAccess) -> u32 {
    match kind {
        RequestKind::Read => 1,
        RequestKind::Write { full, .. } => access.sectors.count() + u32::from(full != access.sectors),
        RequestKind::Atomic { sector_accesses, .. } => {
            u32::from(sector_accesses) * if access.compares { 2 } else { 1 } + u32::from(access.headers)
        }
    }
}

/// The start of one access: when, by which numbers, where its outcomes go, and what it takes of the unit.
struct Start<'a> {
    now: Cycle,
    spec: &'a LsuSpec,
    outcomes: &'a mut Vec<Outcome>,
    passes: Passes,
}
