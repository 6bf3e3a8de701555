//! One slice of the L2: tags, MSHRs, and requests that wait for its port.

mod inspect;

use super::home::{Half, Halves};
use super::mshr::Mshrs;
use crate::cache::{CacheShape, LineIndex, SectorCache, Victim};
use crate::map::AddressMap;
use crate::message::{Reply, Request, RequestKind};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::gpu::ReplacementPolicy;
use warplab_config::{GpuConfig, Ticks};
use warplab_trace::{CacheCounters, QueueCounters};
use warplab_units::{Address, Cycle, PartitionId, SECTOR_BYTES, SectorMask};

pub use inspect::{L2MshrView, SliceView};

/// What a slice wants from DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DramRequest {
    pub(crate) line: Address,
    pub(crate) sectors: SectorMask,
    pub(crate) write: bool,
    pub(crate) at: Ticks,
}

/// What a slice is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct L2Spec {
    map: AddressMap,
    shape: CacheShape,
    replacement: ReplacementPolicy,
    halves: Halves,
    mshrs: usize,
    cycle: Ticks,
    slice_bytes: u64,
    fetch_sectors: u32,
    /// Bytes of a reply beside its data.
    header_bytes: u32,
    hit: Ticks,
    miss: Ticks,
    fill: Ticks,
    atomic: Ticks,
}

impl L2Spec {
    pub(crate) fn new(config: &GpuConfig) -> L2Spec {
        let l2 = &config.l2;
        let slices = config.partitions() as u64 * u64::from(l2.slices_per_channel);
        let bytes = u64::from(l2.kib) * 1024 / slices;
        let cycle = config.l2_cycle();
        L2Spec {
            map: AddressMap::new(config),
            shape: CacheShape::of_bytes(bytes, l2.ways),
            replacement: l2.replacement,
            halves: Halves::new(config),
            mshrs: l2.miss_entries as usize,
            cycle,
            slice_bytes: u64::from(l2.slice_bytes),
            fetch_sectors: l2.fetch_bytes / SECTOR_BYTES as u32,
            header_bytes: config.crossbar.header_bytes,
            hit: Ticks::of_cycles(u64::from(l2.hit_latency)),
            miss: Ticks::of_cycles(u64::from(l2.miss_latency)),
            fill: Ticks::of_cycles(u64::from(l2.fill_latency)),
            atomic: cycle * u64::from(l2.atomic_interval),
        }
    }

    /// How long a request keeps the port of its slice busy.
    fn port_time(&self, request: &Request) -> Ticks {
        let bytes = u64::from(request.sectors.count()) * SECTOR_BYTES;
        let busy = self.cycle * bytes.div_ceil(self.slice_bytes).max(1);
        match request.kind {
            RequestKind::Atomic { sector_accesses, .. } => busy.max(self.atomic * u64::from(sector_accesses)),
            RequestKind::Read | RequestKind::Write { .. } => busy,
        }
    }
}

/// One slice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Slice {
    home: Half,
    cache: SectorCache,
    inbox: VecDeque<Request>,
    mshrs: Mshrs,
    port_free: Ticks,
    /// The head of the inbox waits for an MSHR, a way of its set or the write queue of DRAM.
    blocked: bool,
}

/// Where a slice leaves what it wants and what it counts.
pub(crate) struct SliceOutput<'a> {
    pub(crate) replies: &'a mut Vec<Reply>,
    pub(crate) dram: &'a mut Vec<DramRequest>,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) queue: &'a mut QueueCounters,
}

impl Slice {
    pub(crate) fn new(spec: &L2Spec, partition: PartitionId) -> Slice {
        Slice {
            home: spec.halves.home_of(partition),
            cache: SectorCache::with_replacement(spec.shape, spec.replacement),
            inbox: VecDeque::new(),
            mshrs: Mshrs::default(),
            port_free: Ticks(0),
            blocked: false,
        }
    }

    pub(crate) fn push(&mut self, request: Request) {
        self.inbox.push_back(request);
    }

    /// When the next request can be looked up; never when none waits or the slice is blocked.
    pub(crate) fn next_event(&self) -> Ticks {
        match self.inbox.front() {
            Some(request) if !self.blocked => Ticks::from(request.at).max(self.port_free),
            _ => Ticks::NEVER,
        }
    }

    /// The tags and data.
    pub(crate) fn cache(&self) -> &SectorCache {
        &self.cache
    }

    /// Whether anything waits here.
    pub(crate) fn is_idle(&self) -> bool {
        self.inbox.is_empty() && self.mshrs.is_empty()
    }

    /// The head of the inbox may try again.
    pub(crate) fn unblock(&mut self) {
        self.blocked = false;
    }

    /// Looks up the head of the inbox at [`Slice::next_event`]; `writes_allowed` is false while the write queue of DRAM
    /// is full.
    pub(crate) fn step(&mut self, spec: &L2Spec, writes_allowed: bool, output: &mut SliceOutput<'_>) {
        let now = self.next_event();
        let Some(&request) = self.inbox.front() else { return };
        let Some(index) = self.find_or_insert(spec, request.line, writes_allowed, now, output) else {
            self.blocked = true;
            return;
        };
        let missing = self.missing(index, &request);
        if self.mshrs.len() >= spec.mshrs && !missing.is_empty() && !self.mshrs.contains(request.line) {
            self.blocked = true;
            return;
        }
        self.inbox.pop_front();
        self.count(&request, index, missing, output.counters);
        let busy = spec.port_time(&request);
        self.port_free = now + busy;
        output.counters.busy_ticks += busy.0;
        if let RequestKind::Write { full } = request.kind {
            self.cache.write(index, request.sectors, full);
        }
        if missing.is_empty() {
            self.hit(spec, &request, index, now + busy, output);
        } else {
            self.miss(spec, request, index, missing, now, output);
        }
    }

    /// The place of a line in the cache; none while the line cannot get one.
    fn find_or_insert(
        &mut self,
        spec: &L2Spec,
        line: Address,
        writes_allowed: bool,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) -> Option<LineIndex> {
        let set = spec.map.local_line(line);
        if let Some(index) = self.cache.find(line, set) {
            return Some(index);
        }
        if !writes_allowed || self.mshrs.len() >= spec.mshrs {
            return None;
        }
        let (index, victim) = self.cache.insert(line, set)?;
        if let Some(victim) = victim {
            evict(victim, now, output);
        }
        Some(index)
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
        index: LineIndex,
        passed: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let mut at = passed + spec.hit;
        if let RequestKind::Atomic { .. } = request.kind {
            self.cache.write(index, request.sectors, SectorMask::EMPTY);
            at = at + spec.halves.way(request.sm, self.home);
        }
        answer(spec, request, at, output);
    }

    /// The request waits for sectors; those that are not under way yet are asked of DRAM.
    fn miss(
        &mut self,
        spec: &L2Spec,
        request: Request,
        index: LineIndex,
        missing: SectorMask,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        let fetch = fetched(missing, spec.fetch_sectors) & !self.cache.readable(index);
        self.cache.pin(index);
        let waiting = self.mshrs.wait(request, index, missing, fetch);
        output.counters.merged_sectors += u64::from(waiting.merged);
        if !waiting.fetch.is_empty() {
            let at = now + spec.miss;
            output.dram.push(DramRequest { line: request.line, sectors: waiting.fetch, write: false, at });
        }
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
        self.blocked = false;
        // The line is under way, so that it was pinned and is still there.
        let Some(mshr) = self.mshrs.get_mut(line) else { return };
        let index = mshr.index;
        self.cache.touch(index);
        self.cache.fill(index, sectors);
        mshr.pending = mshr.pending & !sectors;
        let readable = self.cache.readable(index);
        let at = now + spec.fill;
        let mut written = SectorMask::EMPTY;
        let home = self.home;
        mshr.waiters.retain(|waiter| {
            let ready = readable.contains(waiter.sectors);
            if ready {
                answer(spec, waiter, at + spec.halves.way(waiter.sm, home), output);
                if let RequestKind::Atomic { .. } = waiter.kind {
                    written |= waiter.sectors;
                }
            }
            !ready
        });
        if !written.is_empty() {
            self.cache.write(index, written, SectorMask::EMPTY);
        }
        if mshr.pending.is_empty() {
            self.mshrs.release(line);
            self.cache.unpin(index);
        }
    }

    fn count(&self, request: &Request, index: LineIndex, missing: SectorMask, counters: &mut CacheCounters) {
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
                counters.write_hits += u64::from((request.sectors & self.cache.present(index)).count());
            }
            RequestKind::Atomic { returns, sector_accesses } => {
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

fn evict(victim: Victim, now: Ticks, output: &mut SliceOutput<'_>) {
    output.counters.evictions += 1;
    if !victim.dirty.is_empty() {
        output.counters.writeback_sectors += u64::from(victim.dirty.count());
        output.dram.push(DramRequest { line: victim.line, sectors: victim.dirty, write: true, at: now });
    }
}

/// The reply leaves at `at`.
fn answer(spec: &L2Spec, request: &Request, at: Ticks, output: &mut SliceOutput<'_>) {
    let data = match request.kind {
        RequestKind::Read | RequestKind::Atomic { returns: true, .. } => {
            request.sectors.count() * SECTOR_BYTES as u32
        }
        RequestKind::Write { .. } | RequestKind::Atomic { returns: false, .. } => 0,
    };
    let at: Cycle = at.to_cycle();
    output.queue.leaves(at.0, request.at.0);
    output.replies.push(Reply { sm: request.sm, token: request.token, bytes: spec.header_bytes + data, at });
}

#[cfg(test)]
mod tests;
