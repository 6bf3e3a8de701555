//! One slice of the level-two cache: tags, lines under way from DRAM, and requests that wait for them.

use crate::cache::{CacheShape, LineIndex, SectorCache, Victim};
use crate::message::{HEADER_BYTES, Reply, Request, RequestKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use warplab_config::{GpuConfig, Ticks};
use warplab_trace::{CacheCounters, QueueCounters};
use warplab_units::{Address, Cycle, PartitionId, SECTOR_BYTES, SectorMask, SmId};

/// What a slice wants from DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DramRequest {
    pub(crate) line: Address,
    pub(crate) sectors: SectorMask,
    pub(crate) write: bool,
    pub(crate) at: Ticks,
}

/// A line under way.
#[derive(Clone, Debug, Default)]
struct Miss {
    pending: SectorMask,
    /// Requests that wait for sectors of the line.
    waiters: Vec<Request>,
}

/// One slice.
#[derive(Debug)]
pub(crate) struct Slice {
    cache: SectorCache,
    inbox: VecDeque<Request>,
    misses: FxHashMap<u64, Miss>,
    port_free: Ticks,
    /// The head of the inbox waits for a miss entry, a way of its set or the write queue of DRAM.
    blocked: bool,
    home: Home,
    limits: Limits,
}

/// Which half of level two is the home of a slice's lines, and what the way there and back adds for the
/// multiprocessors of the other half. A half keeps copies of what its own multiprocessors read; what it does not have,
/// and every atomic operation, goes to the line's home.
#[derive(Clone, Copy, Debug)]
struct Home {
    half: u32,
    halves: u32,
    multiprocessors: u32,
    far: Ticks,
}

impl Home {
    fn way(&self, sm: SmId) -> Ticks {
        let asking = u32::from(sm.0) * self.halves / self.multiprocessors.max(1);
        if asking == self.half { Ticks(0) } else { self.far }
    }
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    miss_entries: usize,
    cycle: Ticks,
    slice_bytes: u64,
    fetch_sectors: u32,
    hit: Ticks,
    miss: Ticks,
    fill: Ticks,
    atomic: Ticks,
}

/// Where a slice leaves what it wants and what it counts.
pub(crate) struct SliceOutput<'a> {
    pub(crate) replies: &'a mut Vec<Reply>,
    pub(crate) dram: &'a mut Vec<DramRequest>,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) queue: &'a mut QueueCounters,
}

impl Slice {
    pub(crate) fn new(config: &GpuConfig, partition: PartitionId) -> Slice {
        let l2 = &config.l2;
        let slices = config.partitions() as u64 * u64::from(l2.slices_per_channel);
        let bytes = u64::from(l2.kib) * 1024 / slices;
        let cycle = config.l2_cycle();
        Slice {
            cache: SectorCache::new(CacheShape::of_bytes(bytes, l2.ways)),
            inbox: VecDeque::new(),
            misses: FxHashMap::default(),
            port_free: Ticks(0),
            blocked: false,
            home: Home {
                half: u32::from(partition.0) * l2.halves / config.partitions() as u32,
                halves: l2.halves,
                multiprocessors: config.limits.multiprocessors,
                far: Ticks::of_cycles(u64::from(l2.far_latency)),
            },
            limits: Limits {
                miss_entries: l2.miss_entries as usize,
                cycle,
                slice_bytes: u64::from(l2.slice_bytes),
                fetch_sectors: l2.fetch_bytes / SECTOR_BYTES as u32,
                hit: Ticks::of_cycles(u64::from(l2.hit_latency)),
                miss: Ticks::of_cycles(u64::from(l2.miss_latency)),
                fill: Ticks::of_cycles(u64::from(l2.fill_latency)),
                atomic: cycle * u64::from(l2.atomic_interval),
            },
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

    /// Whether anything waits here.
    pub(crate) fn is_idle(&self) -> bool {
        self.inbox.is_empty() && self.misses.is_empty()
    }

    /// The head of the inbox may try again.
    pub(crate) fn unblock(&mut self) {
        self.blocked = false;
    }

    /// Looks up the head of the inbox at [`Slice::next_event`]. `local_line` gives the number of a line in its
    /// partition; `writes_allowed` is false while the write queue of DRAM is full.
    pub(crate) fn step(
        &mut self,
        local_line: impl Fn(Address) -> u64,
        writes_allowed: bool,
        output: &mut SliceOutput<'_>,
    ) {
        let now = self.next_event();
        let Some(&request) = self.inbox.front() else { return };
        let set = local_line(request.line);
        let found = self.cache.find(request.line, set);
        let index = match found {
            Some(index) => index,
            None => {
                let may_miss = writes_allowed && self.misses.len() < self.limits.miss_entries;
                let misses = &self.misses;
                let room = may_miss
                    .then(|| self.cache.insert(request.line, set, |line| !misses.contains_key(&line.0)))
                    .flatten();
                let Some((index, victim)) = room else {
                    self.blocked = true;
                    return;
                };
                if let Some(victim) = victim {
                    evict(victim, now, output);
                }
                index
            }
        };
        let needs_fill = self.missing(index, &request);
        if !needs_fill.is_empty()
            && !self.misses.contains_key(&request.line.0)
            && self.misses.len() >= self.limits.miss_entries
        {
            self.blocked = true;
            return;
        }
        self.inbox.pop_front();
        self.serve(request, index, needs_fill, now, output);
    }

    /// The sectors that must come from DRAM before the request can be answered.
    fn missing(&self, index: LineIndex, request: &Request) -> SectorMask {
        match request.kind {
            RequestKind::Read | RequestKind::Atomic { .. } => request.sectors & !self.cache.readable(index),
            RequestKind::Write { .. } => SectorMask::EMPTY,
        }
    }

    fn serve(
        &mut self,
        request: Request,
        index: LineIndex,
        needs_fill: SectorMask,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        self.count(&request, index, needs_fill, output.counters);
        let bytes = u64::from(request.sectors.count()) * SECTOR_BYTES;
        let mut busy = self.limits.cycle * bytes.div_ceil(self.limits.slice_bytes).max(1);
        if let RequestKind::Atomic { sector_accesses, .. } = request.kind {
            busy = busy.max(self.limits.atomic * u64::from(sector_accesses));
        }
        self.port_free = now + busy;
        output.counters.busy_ticks += busy.0;
        if let RequestKind::Write { full } = request.kind {
            self.cache.write(index, request.sectors, full);
        }
        if needs_fill.is_empty() {
            let mut at = now + busy + self.limits.hit;
            if let RequestKind::Atomic { .. } = request.kind {
                self.cache.write(index, request.sectors, SectorMask::EMPTY);
                at = at + self.home.way(request.sm);
            }
            answer(&request, at, output);
            return;
        }
        let miss = self.misses.entry(request.line.0).or_default();
        let fetch =
            fetched(needs_fill, self.limits.fetch_sectors) & !self.cache.readable(index) & !miss.pending;
        miss.waiters.push(request);
        output.counters.merged_sectors += u64::from((needs_fill & miss.pending).count());
        if !fetch.is_empty() {
            miss.pending |= fetch;
            let at = now + self.limits.miss;
            output.dram.push(DramRequest { line: request.line, sectors: fetch, write: false, at });
        }
    }

    /// Data of some sectors has come from DRAM.
    pub(crate) fn fill(
        &mut self,
        line: Address,
        set: u64,
        sectors: SectorMask,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) {
        self.blocked = false;
        let Some(index) = self.cache.find(line, set) else { return };
        self.cache.fill(index, sectors);
        let Some(miss) = self.misses.get_mut(&line.0) else { return };
        miss.pending = miss.pending & !sectors;
        let readable = self.cache.readable(index);
        let at = now + self.limits.fill;
        let mut written = SectorMask::EMPTY;
        let home = self.home;
        miss.waiters.retain(|waiter| {
            let ready = readable.contains(waiter.sectors);
            if ready {
                answer(waiter, at + home.way(waiter.sm), output);
                if let RequestKind::Atomic { .. } = waiter.kind {
                    written |= waiter.sectors;
                }
            }
            !ready
        });
        if !written.is_empty() {
            self.cache.write(index, written, SectorMask::EMPTY);
        }
        if miss.pending.is_empty() {
            self.misses.remove(&line.0);
        }
    }

    fn count(
        &self,
        request: &Request,
        index: LineIndex,
        needs_fill: SectorMask,
        counters: &mut CacheCounters,
    ) {
        let sectors = u64::from(request.sectors.count());
        let hits = sectors - u64::from(needs_fill.count());
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
                counters.atomic_hits += accesses - u64::from(needs_fill.count()).min(accesses);
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
fn answer(request: &Request, at: Ticks, output: &mut SliceOutput<'_>) {
    let data = match request.kind {
        RequestKind::Read | RequestKind::Atomic { returns: true, .. } => {
            request.sectors.count() * SECTOR_BYTES as u32
        }
        RequestKind::Write { .. } | RequestKind::Atomic { returns: false, .. } => 0,
    };
    let at: Cycle = at.to_cycle();
    output.queue.leaves(at.0, request.at.0);
    output.replies.push(Reply { sm: request.sm, token: request.token, bytes: HEADER_BYTES + data, at });
}

#[cfg(test)]
mod tests {
    use super::{Home, fetched};
    use warplab_config::Ticks;
    use warplab_units::{SectorMask, SmId};

    #[test]
    fn multiprocessors_of_the_other_half_pay_the_way_home() {
        let home = Home { half: 0, halves: 2, multiprocessors: 132, far: Ticks(7) };
        assert_eq!([0, 65, 66, 131].map(|sm| home.way(SmId(sm))), [0, 0, 7, 7].map(Ticks));
        let whole = Home { halves: 1, ..home };
        assert_eq!(whole.way(SmId(131)), Ticks(0));
    }

    #[test]
    fn a_miss_fetches_whole_pairs_of_sectors() {
        assert_eq!(fetched(SectorMask(0b0010), 2), SectorMask(0b0011));
        assert_eq!(fetched(SectorMask(0b1010), 2), SectorMask(0b1111));
        assert_eq!(fetched(SectorMask(0b1000), 1), SectorMask(0b1000));
        assert_eq!(fetched(SectorMask(0b1000), 4), SectorMask(0b1111));
    }
}
