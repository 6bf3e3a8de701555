//! What the load/store unit holds and what waits in it, for people to look at.

use super::message::{GlobalAccess, Operation, Work};
use super::{LoadStoreUnit, LsuSpec};
use serde::Serialize;
use warplab_memory::CacheView;
use warplab_trace::MemoryLevels;
use warplab_units::{Address, Cycle, SectorMask, WarpSlot};

/// A memory instruction in the queue of a sub-partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct QueuedView {
    /// The warp slot that issued it.
    pub slot: WarpSlot,
    /// When.
    pub issued: Cycle,
    /// What it does.
    pub kind: &'static str,
    /// Lines of memory that it touches; 0 for shared memory.
    pub lines: usize,
}

/// A load or atomic operation whose data is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoadView {
    /// The warp slot that issued it.
    pub slot: WarpSlot,
    /// When.
    pub issued: Cycle,
    /// Parts that have not come.
    pub parts: u32,
}

/// A line that is under way from L2 to L1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MshrView {
    /// The line.
    pub line: Address,
    /// Sectors that have been requested and have not come.
    pub requested: SectorMask,
    /// The loads that wait for it: the warp slot of each.
    pub waiting: Vec<WarpSlot>,
}

/// The load/store unit with the L1 data cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LsuView {
    /// Entries of each queue.
    pub queue_entries: usize,
    /// The queue of each sub-partition, the next instruction first.
    pub queues: Vec<Vec<QueuedView>>,
    /// Accesses of all sub-partitions that wait for the tags, the next one first.
    pub for_tags: Vec<QueuedView>,
    /// Since when the next of these has waited for an MSHR.
    pub blocked_since: Option<Cycle>,
    /// When the unit can start its next instruction.
    pub free: Cycle,
    /// Loads and atomic operations under way, the oldest first.
    pub loads: Vec<LoadView>,
    /// MSHRs of L1.
    pub mshr_entries: usize,
    /// Those in use, in order of addresses.
    pub mshrs: Vec<MshrView>,
    /// When the port to the crossbar has sent what it has.
    pub port_free: Cycle,
    /// The lines of L1.
    pub l1: CacheView,
}

impl LoadStoreUnit {
    /// What the unit holds before cycle `now`, with at most `sets` occupied sets of L1 from set `first` on.
    pub(crate) fn inspect(&self, spec: &LsuSpec, now: Cycle, first: usize, sets: usize) -> LsuView {
        let queues = (0..self.queues.count()).map(|sub| self.queues.of(sub).map(queued).collect());
        let mut loads: Vec<LoadView> = self.loads.under_way().map(load).collect();
        loads.sort_by_key(|load| (load.issued, load.slot));
        LsuView {
            queue_entries: spec.queue.entries,
            queues: queues.collect(),
            for_tags: self.queues.waiting_for_tags().map(queued).collect(),
            blocked_since: self.blocked_since(now),
            free: self.queues.unit_free(),
            loads,
            mshr_entries: spec.miss_entries,
            mshrs: self.mshrs(),
            port_free: self.port.free_at(&spec.port),
            l1: self.l1.tags().inspect(first, sets),
        }
    }

    /// What waits and is under way, in numbers.
    pub(crate) fn levels(&self) -> MemoryLevels {
        MemoryLevels {
            queued: self.queues.len() as u32,
            loads: self.loads.len() as u32,
            mshrs: self.l1.mshrs.len() as u32,
        }
    }

    fn mshrs(&self) -> Vec<MshrView> {
        let slot = |load| self.loads.asker(load).map(|asker| WarpSlot(asker.owner.slot));
        let lines = self.l1.mshrs.ascending().into_iter();
        let views = lines.map(|(line, requested, waiting)| MshrView {
            line,
            requested,
            waiting: waiting.filter_map(slot).collect(),
        });
        views.collect()
    }
}

fn queued(operation: &Operation) -> QueuedView {
    let (kind, lines) = match &operation.work {
        Work::Shared { .. } | Work::Barrier { .. } => ("shared", 0),
        Work::Peers { .. } => ("shared memory of other blocks", 0),
        Work::Global { access, lines, .. } => (kind(*access), lines.len()),
    };
    let asker = operation.asker;
    QueuedView { slot: WarpSlot(asker.owner.slot), issued: asker.issued, kind, lines }
}

fn kind(access: GlobalAccess) -> &'static str {
    match access {
        GlobalAccess::Load { local: true, .. } => "local load",
        GlobalAccess::Load { .. } => "global load",
        GlobalAccess::Store { local: true } => "local store",
        GlobalAccess::Store { .. } => "global store",
        GlobalAccess::Atomic { returns: true } => "atomic operation",
        GlobalAccess::Atomic { returns: false } => "reduction",
    }
}

fn load((asker, parts): (super::message::Asker, u32)) -> LoadView {
    LoadView { slot: WarpSlot(asker.owner.slot), issued: asker.issued, parts }
}
