//! Who watches a run. Watching never changes what happens.

use crate::counters::{L1Counters, SharedCounters};
use crate::state::WarpState;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Sub};
use warplab_units::{BlockId, Cycle, SmId, WarpMask, WarpSlot};

/// A warp was in one state from one cycle to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateInterval {
    /// The place of the warp.
    pub slot: WarpSlot,
    /// Its state.
    pub state: WarpState,
    /// The instruction that it had issued or waited to issue.
    pub pc: u32,
    /// The first cycle.
    pub from: Cycle,
    /// One past the last cycle.
    pub to: Cycle,
}

/// What one memory instruction of a warp, or several together, asked of level one and of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Sectors of global and local memory.
    pub sectors: u64,
    /// Of these, the ones that an ideal access would not have touched.
    pub excessive_sectors: u64,
    /// Passes of shared memory.
    pub passes: u64,
    /// Of these, the ones that an access without bank conflicts would not have needed.
    pub excessive_passes: u64,
}

impl MemoryUse {
    /// What all accesses together have asked for, from the counters of one multiprocessor.
    #[must_use]
    pub fn so_far(l1: &L1Counters, shared: &SharedCounters) -> MemoryUse {
        MemoryUse {
            sectors: l1.global_load_sectors
                + l1.global_store_sectors
                + l1.global_atomic_sectors
                + l1.global_reduction_sectors
                + l1.local_load_sectors
                + l1.local_store_sectors,
            excessive_sectors: l1.excessive_sectors,
            passes: shared.load_wavefronts + shared.store_wavefronts + shared.atomic_wavefronts,
            excessive_passes: shared.load_bank_conflicts + shared.store_bank_conflicts,
        }
    }
}

impl AddAssign for MemoryUse {
    fn add_assign(&mut self, other: MemoryUse) {
        self.sectors += other.sectors;
        self.excessive_sectors += other.excessive_sectors;
        self.passes += other.passes;
        self.excessive_passes += other.excessive_passes;
    }
}

impl Sub for MemoryUse {
    type Output = MemoryUse;

    fn sub(self, before: MemoryUse) -> MemoryUse {
        MemoryUse {
            sectors: self.sectors - before.sectors,
            excessive_sectors: self.excessive_sectors - before.excessive_sectors,
            passes: self.passes - before.passes,
            excessive_passes: self.excessive_passes - before.excessive_passes,
        }
    }
}

/// What waits and is under way in the load/store unit of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLevels {
    /// Memory instructions that have issued and not started.
    pub queued: u32,
    /// Loads and atomic operations whose data is under way.
    pub loads: u32,
    /// MSHRs in use: lines under way from L2.
    pub mshrs: u32,
}

/// Sees what one multiprocessor does. Every method has an empty default.
pub trait Observer: Send {
    /// Whether intervals are wanted at all: what is not wanted is not computed.
    fn watches(&self) -> bool {
        true
    }

    /// A block has been given to the multiprocessor: its warps are in these slots.
    fn block_started(&mut self, _cycle: Cycle, _sm: SmId, _block: BlockId, _slots: &[WarpSlot]) {}

    /// An instruction issued.
    fn issued(&mut self, _cycle: Cycle, _sm: SmId, _slot: WarpSlot, _pc: u32, _mask: WarpMask) {}

    /// An instruction that issued accesses memory.
    fn accessed(&mut self, _cycle: Cycle, _sm: SmId, _pc: u32, _use: MemoryUse) {}

    /// From this cycle on so much waits and is under way in the load/store unit.
    fn levels(&mut self, _cycle: Cycle, _sm: SmId, _levels: MemoryLevels) {}

    /// A warp was in a state for some cycles.
    fn state(&mut self, _sm: SmId, _interval: StateInterval) {}

    /// A warp has ended.
    fn warp_ended(&mut self, _cycle: Cycle, _sm: SmId, _slot: WarpSlot) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn watches(&self) -> bool {
        false
    }
}
