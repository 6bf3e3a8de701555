//! The load/store unit: queues of the sub-partitions, the level-one cache, and what is under way to level two.

use crate::coalesce::{LineAccess, Lines};
use crate::spec::SmSpec;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use warplab_memory::{Reply, Request, RequestKind, SectorCache};
use warplab_trace::{L1Counters, QueueCounters};
use warplab_units::{Address, Cycle, LINE_BYTES, SECTOR_BYTES, SectorMask, SmId};

/// Who waits for a memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) slot: u8,
    pub(crate) generation: u32,
    pub(crate) write_barrier: Option<u8>,
    pub(crate) read_barrier: Option<u8>,
}

/// What the unit has to do for an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Passes of shared memory, or lane exchange: so many cycles of the unit, the result so many after the start.
    Shared { busy: u64, latency: u64 },
    /// Global or local memory.
    Global { access: GlobalAccess, lines: Lines, busy: u64 },
}

/// What is done with global or local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobalAccess {
    Load { cached: bool, local: bool },
    Store { local: bool },
    Atomic { returns: bool },
}

impl GlobalAccess {
    /// Whether the warp gets data.
    fn has_result(self) -> bool {
        matches!(self, GlobalAccess::Load { .. } | GlobalAccess::Atomic { returns: true, .. })
    }
}

/// An instruction in the unit: who waits for it, and since when.
#[derive(Clone, Copy, Debug)]
struct Asker {
    owner: Owner,
    issued: Cycle,
}

#[derive(Clone, Debug)]
struct Operation {
    asker: Asker,
    work: Work,
}

/// Something that has happened to an instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A wait counter goes down at a cycle.
    Release { slot: u8, generation: u32, counter: u8, at: Cycle },
    /// A store has left for level two, in so many requests.
    Sent { slot: u8, generation: u32, requests: u32 },
    /// Level two has acknowledged one request of a store.
    Acknowledged { slot: u8, generation: u32 },
}

/// A load or atomic that waits for lines.
#[derive(Clone, Copy, Debug)]
struct Pending {
    asker: Asker,
    remaining: u32,
    /// When the parts that were there are there.
    ready: Cycle,
}

/// What a reply is for.
#[derive(Clone, Copy, Debug)]
enum Token {
    /// Sectors of a line.
    Fill { line: Address, sectors: SectorMask, sent: Cycle },
    /// Data for one load or atomic alone.
    Data { pending: u32 },
    /// An acknowledgement.
    Store { slot: u8, generation: u32 },
}

/// A line under way.
#[derive(Clone, Debug, Default)]
struct Miss {
    asked: SectorMask,
    waiters: SmallVec<[(SectorMask, u32); 2]>,
}

/// A table whose places are used again.
#[derive(Clone, Debug)]
struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Slab<T> {
    fn new() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }

    fn insert(&mut self, item: T) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.items[place as usize] = item;
                place
            }
            None => {
                self.items.push(item);
                self.items.len() as u32 - 1
            }
        }
    }

    fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self.items[place as usize]
    }
}

/// The load/store unit of one multiprocessor.
#[derive(Debug)]
pub(crate) struct LoadStoreUnit {
    sm: SmId,
    queues: Vec<VecDeque<Operation>>,
    queue_limit: usize,
    sub_free: Vec<Cycle>,
    unit_free: Cycle,
    /// The next operation waits for a miss entry.
    blocked_since: Option<Cycle>,
    cache: SectorCache,
    misses: FxHashMap<u64, Miss>,
    pending: Slab<Pending>,
    tokens: Slab<Token>,
    send_free: u64,
    spec: Timing,
    pub(crate) outbox: Vec<Request>,
    pub(crate) counters: L1Counters,
    pub(crate) queue_counters: QueueCounters,
    pub(crate) load_counters: QueueCounters,
    pub(crate) miss_counters: QueueCounters,
    pub(crate) port_counters: QueueCounters,
}

#[derive(Clone, Copy, Debug)]
struct Timing {
    interval: u64,
    sub_interval: u64,
    source_release: u64,
    hit: u64,
    miss_entries: usize,
    send_bytes: u64,
    header_bytes: u32,
    flat: Option<u64>,
}

/// Cycles of stores that may wait for the port to level two before the unit stops.
const SEND_SLACK: u64 = 64;

impl LoadStoreUnit {
    pub(crate) fn new(spec: &SmSpec, sm: SmId) -> LoadStoreUnit {
        LoadStoreUnit {
            sm,
            queues: vec![VecDeque::new(); spec.sub_partitions],
            queue_limit: spec.memory.queue as usize,
            sub_free: vec![Cycle(0); spec.sub_partitions],
            unit_free: Cycle(0),
            blocked_since: None,
            cache: SectorCache::with_replacement(spec.l1_shape, spec.l1.replacement),
            misses: FxHashMap::default(),
            pending: Slab::new(),
            tokens: Slab::new(),
            send_free: 0,
            spec: Timing {
                interval: u64::from(spec.memory.interval),
                sub_interval: u64::from(spec.memory.sub_partition_interval),
                source_release: u64::from(spec.memory.source_release),
                hit: u64::from(spec.l1.hit_latency),
                miss_entries: spec.l1.miss_entries as usize,
                send_bytes: spec.send_bytes.max(1),
                header_bytes: spec.header_bytes,
                flat: spec.l1.flat_latency.map(u64::from),
            },
            outbox: Vec::new(),
            counters: L1Counters::default(),
            queue_counters: QueueCounters::default(),
            load_counters: QueueCounters::default(),
            miss_counters: QueueCounters::default(),
            port_counters: QueueCounters::default(),
        }
    }

    /// Whether a sub-partition's queue can take no more.
    #[inline]
    pub(crate) fn is_full(&self, sub_partition: usize) -> bool {
        self.queues[sub_partition].len() >= self.queue_limit
    }

    /// An instruction issues into the queue of its sub-partition.
    pub(crate) fn push(&mut self, sub_partition: usize, owner: Owner, work: Work, now: Cycle) {
        self.queue_counters.enters(now.0);
        if let Work::Global { access, .. } = &work
            && access.has_result()
        {
            self.load_counters.enters(now.0);
        }
        self.queues[sub_partition].push_back(Operation { asker: Asker { owner, issued: now }, work });
    }

    /// When the next operation leaves its queue, and whose; never when none waits or the unit is blocked.
    pub(crate) fn next_start(&self) -> (Cycle, usize) {
        if self.blocked_since.is_some() {
            return (Cycle::NEVER, 0);
        }
        self.head()
    }

    fn head(&self) -> (Cycle, usize) {
        let mut best = (Cycle::NEVER, 0);
        let mut best_issued = Cycle::NEVER;
        for (number, queue) in self.queues.iter().enumerate() {
            let Some(head) = queue.front() else { continue };
            let issued = head.asker.issued;
            let start = (issued + 1).max(self.sub_free[number]).max(self.unit_free);
            if (start, issued) < (best.0, best_issued) {
                best = (start, number);
                best_issued = issued;
            }
        }
        best
    }

    /// Starts the operation that [`LoadStoreUnit::next_start`] names, at cycle `now`.
    pub(crate) fn start(&mut self, now: Cycle, sub_partition: usize, outcomes: &mut Vec<Outcome>) {
        let Some(operation) = self.queues[sub_partition].front() else { return };
        if let Work::Global { lines, access, .. } = &operation.work
            && self.must_wait(access, lines)
        {
            self.blocked_since = Some(now);
            return;
        }
        let Some(operation) = self.queues[sub_partition].pop_front() else { return };
        let Asker { owner, issued } = operation.asker;
        self.queue_counters.leaves(now.0, issued.0);
        self.sub_free[sub_partition] = now + self.spec.sub_interval;
        if let Some(counter) = owner.read_barrier {
            let at = (issued + self.spec.source_release).max(now + 2);
            outcomes.push(Outcome::Release { slot: owner.slot, generation: owner.generation, counter, at });
        }
        match operation.work {
            Work::Shared { busy, latency } => {
                self.unit_free = now + busy.max(self.spec.interval);
                release(owner, now + latency.saturating_sub(1), outcomes);
            }
            Work::Global { access, .. } if self.spec.flat.is_some() => {
                self.unit_free = now + self.spec.interval;
                self.flat(operation.asker, access, now, outcomes);
            }
            Work::Global { access, lines, busy } => {
                self.unit_free = now + busy.max(self.spec.interval);
                match access {
                    GlobalAccess::Load { cached, local } => {
                        let ready = now + (self.spec.hit - 1) + busy.saturating_sub(1);
                        let pending = Pending { asker: operation.asker, remaining: 1, ready };
                        self.load(pending, &lines, (cached, local), now, outcomes);
                    }
                    GlobalAccess::Store { local } => self.store(owner, &lines, local, now, outcomes),
                    GlobalAccess::Atomic { returns } => {
                        self.atomic(operation.asker, &lines, returns, now, outcomes);
                    }
                }
                self.wait_for_port(now);
            }
        }
    }

    /// A memory without caches and limits: every answer comes after the same time.
    fn flat(&mut self, asker: Asker, access: GlobalAccess, now: Cycle, outcomes: &mut Vec<Outcome>) {
        if access.has_result() {
            let latency = self.spec.flat.unwrap_or(0);
            self.has_data(asker, now + latency.saturating_sub(1), outcomes);
        } else {
            let Owner { slot, generation, .. } = asker.owner;
            outcomes.push(Outcome::Sent { slot, generation, requests: 0 });
        }
    }

    /// Whether there are too few miss entries for the lines of a load.
    fn must_wait(&self, access: &GlobalAccess, lines: &[LineAccess]) -> bool {
        let needs_entries = matches!(access, GlobalAccess::Load { .. });
        needs_entries
            && self.spec.flat.is_none()
            && !self.misses.is_empty()
            && self.misses.len() + lines.len() > self.spec.miss_entries
    }

    /// Stores that wait too long for the port hold the unit back.
    fn wait_for_port(&mut self, now: Cycle) {
        let free = Cycle(self.send_free / self.spec.send_bytes);
        if free > now + SEND_SLACK {
            self.unit_free = self.unit_free.max(Cycle(free.0 - SEND_SLACK));
        }
    }

    fn load(
        &mut self,
        pending: Pending,
        lines: &[LineAccess],
        (cached, local): (bool, bool),
        now: Cycle,
        outcomes: &mut Vec<Outcome>,
    ) {
        let pending = self.pending.insert(pending);
        for access in lines {
            let (hits, merges) = self.load_line(access, cached, pending, now);
            if local {
                self.counters.local_load_sector_hits += u64::from(hits);
            } else {
                self.counters.global_load_sector_hits += u64::from(hits);
                self.counters.global_load_sector_merges += u64::from(merges);
            }
        }
        self.arrived(pending, now, outcomes);
    }

    /// One line of a load: what is there, and asks for what is not. Says how many sectors hit and were under way.
    fn load_line(&mut self, access: &LineAccess, cached: bool, pending: u32, now: Cycle) -> (u32, u32) {
        let set = access.line.0 / LINE_BYTES;
        let found = if cached { self.cache.find(access.line, set) } else { None };
        let there = found.map_or(SectorMask::EMPTY, |index| self.cache.readable(index) & access.sectors);
        let missing = access.sectors & !there;
        if missing.is_empty() {
            return (there.count(), 0);
        }
        if cached && found.is_none() {
            self.cache.insert(access.line, set, |_| true);
        }
        self.pending.items[pending as usize].remaining += 1;
        if !cached {
            let token = self.tokens.insert(Token::Data { pending });
            self.send(access.line, missing, RequestKind::Read, self.spec.header_bytes, token, now);
            return (there.count(), 0);
        }
        let miss = self.misses.entry(access.line.0).or_default();
        let ask = missing & !miss.asked;
        miss.asked |= ask;
        miss.waiters.push((missing, pending));
        if !ask.is_empty() {
            let token = self.tokens.insert(Token::Fill { line: access.line, sectors: ask, sent: now });
            self.miss_counters.enters(now.0);
            self.send(access.line, ask, RequestKind::Read, self.spec.header_bytes, token, now);
        }
        (there.count(), missing.count() - ask.count())
    }

    fn store(
        &mut self,
        owner: Owner,
        lines: &[LineAccess],
        local: bool,
        now: Cycle,
        outcomes: &mut Vec<Outcome>,
    ) {
        for access in lines {
            let set = access.line.0 / LINE_BYTES;
            let found = self.cache.find(access.line, set);
            let index = match found {
                Some(index) => {
                    let hits = (self.cache.present(index) & access.sectors).count();
                    if local {
                        self.counters.local_store_sector_hits += u64::from(hits);
                    } else {
                        self.counters.global_store_sector_hits += u64::from(hits);
                    }
                    Some(index)
                }
                None => self.cache.insert(access.line, set, |_| true).map(|(index, _)| index),
            };
            if let Some(index) = index {
                self.cache.write(index, access.sectors, access.full);
            }
            let token = self.tokens.insert(Token::Store { slot: owner.slot, generation: owner.generation });
            let bytes = self.spec.header_bytes + access.sectors.count() * SECTOR_BYTES as u32;
            self.send(
                access.line,
                access.sectors,
                RequestKind::Write { full: access.full },
                bytes,
                token,
                now,
            );
        }
        let requests = lines.len() as u32;
        outcomes.push(Outcome::Sent { slot: owner.slot, generation: owner.generation, requests });
    }

    fn atomic(
        &mut self,
        asker: Asker,
        lines: &[LineAccess],
        returns: bool,
        now: Cycle,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Owner { slot, generation, .. } = asker.owner;
        let pending = returns.then(|| {
            let remaining = lines.len() as u32 + 1;
            self.pending.insert(Pending { asker, remaining, ready: now + self.spec.hit })
        });
        for access in lines {
            let set = access.line.0 / LINE_BYTES;
            if let Some(index) = self.cache.find(access.line, set) {
                self.cache.invalidate(index);
            }
            let token = self.tokens.insert(match pending {
                Some(pending) => Token::Data { pending },
                None => Token::Store { slot, generation },
            });
            let sector_accesses = access.sector_accesses;
            let bytes = self.spec.header_bytes + u32::from(sector_accesses) * SECTOR_BYTES as u32;
            self.send(
                access.line,
                access.sectors,
                RequestKind::Atomic { sector_accesses, returns },
                bytes,
                token,
                now,
            );
        }
        match pending {
            Some(pending) => self.arrived(pending, now, outcomes),
            None => {
                let requests = lines.len() as u32;
                outcomes.push(Outcome::Sent { slot, generation, requests });
            }
        }
    }

    /// Sends a request: it leaves half of the level-one latency after the start of its operation.
    fn send(
        &mut self,
        line: Address,
        sectors: SectorMask,
        kind: RequestKind,
        bytes: u32,
        token: u32,
        now: Cycle,
    ) {
        if kind == RequestKind::Read {
            self.counters.sectors_to_l2 += u64::from(sectors.count());
        }
        let ready = now.0 + self.spec.hit / 2;
        let start = self.send_free.max(ready * self.spec.send_bytes);
        self.send_free = start + u64::from(bytes);
        let at = Cycle(self.send_free.div_ceil(self.spec.send_bytes));
        self.port_counters.passes(ready, at.0);
        self.outbox.push(Request { sm: self.sm, token, line, sectors, kind, bytes, at });
    }

    /// One part of a load or atomic is there (the cache's own part at `now`, or a line's).
    fn arrived(&mut self, place: u32, now: Cycle, outcomes: &mut Vec<Outcome>) {
        let pending = &mut self.pending.items[place as usize];
        pending.remaining -= 1;
        if pending.remaining == 0 {
            let Pending { asker, ready, .. } = self.pending.remove(place);
            self.has_data(asker, ready.max(now), outcomes);
        }
    }

    /// A load or atomic has all its data.
    fn has_data(&mut self, asker: Asker, at: Cycle, outcomes: &mut Vec<Outcome>) {
        self.load_counters.leaves(at.0, asker.issued.0);
        release(asker.owner, at, outcomes);
    }

    /// A reply arrives.
    pub(crate) fn reply(&mut self, reply: &Reply, outcomes: &mut Vec<Outcome>) {
        let now = reply.at;
        // The other half of the level-one latency.
        let ready = now + (self.spec.hit - self.spec.hit / 2);
        match self.tokens.remove(reply.token) {
            Token::Fill { line, sectors, sent } => {
                self.miss_counters.leaves(now.0, sent.0);
                self.fill(line, sectors, ready, outcomes);
                self.unblock(now);
            }
            Token::Data { pending } => self.arrived(pending, ready, outcomes),
            Token::Store { slot, generation } => outcomes.push(Outcome::Acknowledged { slot, generation }),
        }
    }

    fn fill(&mut self, line: Address, sectors: SectorMask, ready: Cycle, outcomes: &mut Vec<Outcome>) {
        if let Some(index) = self.cache.find(line, line.0 / LINE_BYTES) {
            self.cache.fill(index, sectors);
        }
        let Some(miss) = self.misses.get_mut(&line.0) else { return };
        miss.asked = miss.asked & !sectors;
        let mut done: SmallVec<[u32; 8]> = SmallVec::new();
        miss.waiters.retain(|(wanted, pending)| {
            *wanted = *wanted & !sectors;
            if wanted.is_empty() {
                done.push(*pending);
            }
            !wanted.is_empty()
        });
        if miss.asked.is_empty() && miss.waiters.is_empty() {
            self.misses.remove(&line.0);
        }
        for pending in done {
            self.arrived(pending, ready, outcomes);
        }
    }

    fn unblock(&mut self, now: Cycle) {
        if let Some(since) = self.blocked_since.take() {
            self.counters.miss_stall_cycles += now.since(since);
            self.unit_free = self.unit_free.max(now);
        }
    }

    /// Whether nothing waits here and nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty) && self.tokens.free.len() == self.tokens.items.len()
    }
}

fn release(owner: Owner, at: Cycle, outcomes: &mut Vec<Outcome>) {
    if let Some(counter) = owner.write_barrier {
        outcomes.push(Outcome::Release { slot: owner.slot, generation: owner.generation, counter, at });
    }
}
