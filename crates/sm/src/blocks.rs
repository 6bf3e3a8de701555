//! Blocks come to an SM, and end on it.

use crate::mbarrier::PhaseWait;
use crate::sm::Advance;
use crate::warp::{Phase, Warp};
use crate::warpgroup::Warpgroup;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_exec::{ArchitecturalState, BlockBarriers, SharedMemory};
use warplab_units::{BlockId, Cycle, WarpSlot};

/// A block that comes to an SM: its first warp can issue at this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockStart {
    /// Its number.
    pub block: u64,
    /// The cycle.
    pub at: Cycle,
    /// Cycles between two of its warps.
    pub warp_interval: u64,
}

/// A block has ended: its resources can be given out again at this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEnd {
    /// The cycle.
    pub at: Cycle,
}

/// A block that is resident on an SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ResidentBlock {
    pub(crate) number: u64,
    pub(crate) coordinates: [u32; 3],
    pub(crate) shared: SharedMemory,
    pub(crate) barriers: BlockBarriers,
    /// The slots of its warps, in the order of their numbers.
    pub(crate) slots: SmallVec<[u8; 32]>,
    pub(crate) live_warps: u32,
    /// Warps that wait for barriers in shared memory.
    pub(crate) waits: Vec<PhaseWait>,
    /// Its warpgroups, once one has come to a product.
    pub(crate) warpgroups: Vec<Warpgroup>,
    /// Whether the launch has clusters.
    pub(crate) is_in_cluster: bool,
    /// Phases of the barrier of its cluster that are over, and those that it has told that its warps have arrived.
    pub(crate) cluster_phases: u32,
    pub(crate) cluster_told: u32,
}

impl Advance<'_> {
    /// A block comes: each of its warps goes to the sub-partition with the fewest.
    pub(crate) fn start_block(&mut self, start: BlockStart) {
        let launch = self.context.launch;
        let sm = &mut *self.sm;
        if sm.resident == 0 {
            sm.active_since = sm.now;
        }
        sm.resident += 1;
        let place = sm.blocks.iter().position(Option::is_none).unwrap_or(sm.blocks.len());
        if place == sm.blocks.len() {
            sm.blocks.push(None);
        }
        let shared = sm.free_memories.pop().map_or_else(
            || SharedMemory::new(launch.shared_bytes),
            |mut memory| {
                memory.clear();
                memory
            },
        );
        let mut block = ResidentBlock {
            number: start.block,
            coordinates: launch.shape.block_index(start.block),
            shared,
            barriers: BlockBarriers::default(),
            slots: SmallVec::new(),
            live_warps: launch.warps_per_block as u32,
            waits: Vec::new(),
            warpgroups: Vec::new(),
            is_in_cluster: launch.constants.has_clusters(),
            cluster_phases: 0,
            cluster_told: 0,
        };
        for index in 0..launch.warps_per_block {
            let slot = self.free_slot();
            block.slots.push(slot as u8);
            self.start_warp(slot, (place, start.block), index as u32, start.warp_interval);
        }
        if self.sm.tells_blocks {
            let slots: Vec<WarpSlot> = block.slots.iter().map(|&slot| WarpSlot(slot)).collect();
            self.observer.block_started(self.sm.now, self.sm.id, BlockId(start.block), &slots);
        }
        self.sm.blocks[place] = Some(block);
    }

    /// A free slot in the sub-partition with the fewest warps.
    fn free_slot(&self) -> usize {
        let sub_partitions = &self.sm.sub_partitions;
        let warps = |sub: &usize| sub_partitions[*sub].resident_warps;
        let fewest = (0..sub_partitions.len()).min_by_key(warps).unwrap_or(0);
        let warp = (!sub_partitions[fewest].resident).trailing_zeros();
        self.sm.slot(fewest, warp)
    }

    /// A warp comes; its block has a place here and a number in the grid.
    fn start_warp(&mut self, slot: usize, (place, number): (usize, u64), index: u32, warp_interval: u64) {
        let (spec, launch) = (self.context.spec, self.context.launch);
        let sm = &mut *self.sm;
        let sub_partitions = sm.sub_partitions.len();
        let is_new = sm.warps.len() <= slot;
        while sm.warps.len() <= slot {
            let state = ArchitecturalState::new(&launch.code, &launch.shape, index, spec.divergence);
            let (sub, local) = (sm.warps.len() % sub_partitions, sm.warps.len() / sub_partitions);
            sm.warps.push(Warp::new(state, sub as u8, local as u8));
        }
        sm.next_age += 1;
        let warp = &mut sm.warps[slot];
        let sub = usize::from(warp.sub);
        sm.sub_partitions[sub].enter(u32::from(warp.local), sm.next_age, number, sm.now);
        if !is_new {
            warp.state.restart(&launch.shape, index);
        }
        warp.enter(place as u8, sm.now);
        let first = sm.now + u64::from(index) * warp_interval;
        let fetched = sm.fetch.first(&spec.fetch, sub, first);
        // Events of this cycle have been taken: what is due now must not become one.
        if first > sm.now {
            let fetched = (fetched > first).then_some(fetched);
            self.wait_until(slot, Phase::Dispatching { fetched }, first);
        } else if fetched > first {
            self.wait_until(slot, Phase::Fetching, fetched);
        } else {
            self.prepare(slot);
        }
    }

    /// The warp has issued its last instruction and its stores have left.
    pub(crate) fn end_warp(&mut self, slot: usize) {
        self.leave_phase(slot);
        let sm = &mut *self.sm;
        let warp = &mut sm.warps[slot];
        let sub = usize::from(warp.sub);
        warp.phase = Phase::Empty;
        let end = warp.since;
        let place = usize::from(warp.block);
        sm.sub_partitions[sub].leave(u32::from(warp.local), warp.entered, end);
        sm.ended_warps += 1;
        if sm.watched {
            self.observer.warp_ended(end, sm.id, WarpSlot(slot as u8));
        }
        let Some(block) = &mut sm.blocks[place] else { return };
        block.live_warps -= 1;
        if block.live_warps == 0 {
            self.end_block(place, end);
        } else if block.barriers.are_in_use() || block.is_in_cluster {
            self.check_barriers(place);
            self.check_cluster_arrivals(place);
        }
    }

    fn end_block(&mut self, place: usize, end: Cycle) {
        if self.context.launch.constants.has_clusters() {
            self.end_in_cluster(place);
        }
        let sm = &mut *self.sm;
        sm.free_memories.extend(sm.blocks[place].take().map(|block| block.shared));
        sm.ended_blocks += 1;
        sm.resident -= 1;
        sm.ends.push(BlockEnd { at: end + self.context.spec.block_end });
        if sm.resident == 0 {
            sm.active_cycles += end.since(sm.active_since);
        }
    }
}
