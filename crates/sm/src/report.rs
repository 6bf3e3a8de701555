//! What an SM tells about itself: counters, waiting warps, faults.

use crate::hazards::HazardChecker;
use crate::mbarrier::waited_for;
use crate::sm::Sm;
use crate::sub_partition::SubPartition;
use crate::values::HeapRefusal;
use crate::warp::{BarrierBehind, Phase, Warp};
use crate::warpgroup::come_to_product;
use crate::{Context, LaunchSpec};
use warplab_exec::{ExecFault, LaunchFault, Mbarrier, Path, PrintedLines};
use warplab_trace::{Hazards, MemoryUse, SmCounters, StallReason, WarpState};
use warplab_units::{BlockId, Cycle, WarpSlot};

/// A warp that has not ended, and where it waits: for reports of hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingWarp {
    /// Its slot.
    pub slot: WarpSlot,
    /// The block.
    pub block: BlockId,
    /// The warp's number in its block.
    pub warp: u32,
    /// The instruction that it waits to issue.
    pub pc: u32,
    /// Its state.
    pub state: WarpState,
    /// Where other lanes of it are.
    pub elsewhere: Vec<Path>,
    /// The barrier in shared memory that it waits for, and where that is.
    pub barrier: Option<(u32, Mbarrier)>,
    /// How many warps of its warpgroup have come to the product at which it waits for the others, itself included.
    pub warpgroup: Option<usize>,
}

impl Sm {
    /// Warp instructions executed.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions.warp
    }

    /// The first and the last cycle in which an instruction issued.
    #[must_use]
    pub fn issue_span(&self) -> Option<(Cycle, Cycle)> {
        self.first_issue.map(|first| (first, self.last_issue))
    }

    /// The counters as they are now.
    #[must_use]
    pub fn counters(&self) -> SmCounters {
        let [memory_queue, loads, l1_misses, send_port] = self.lsu.queue_counters();
        SmCounters {
            active_cycles: self.active_cycles,
            blocks: self.ended_blocks,
            warps: self.ended_warps,
            instructions: self.instructions.clone(),
            schedulers: self.sub_partitions.iter().map(|sub| sub.counters).collect(),
            l1: self.lsu.counters,
            shared: self.shared_counters,
            memory_queue,
            loads,
            l1_misses,
            send_port,
        }
    }

    /// The formula that holds back every warp that could issue, if one does.
    #[must_use]
    pub fn held_by(&self) -> Option<&str> {
        self.sub_partitions.iter().filter(|_| self.held).find_map(SubPartition::formula)
    }

    /// The warps that have not ended, and where they wait.
    #[must_use]
    pub fn waiting_warps(&self) -> Vec<WaitingWarp> {
        let warps = self.warps.iter().enumerate();
        let resident = warps.filter(|(_, warp)| warp.phase != Phase::Empty);
        resident.map(|(slot, warp)| self.waiting_warp(WarpSlot(slot as u8), warp)).collect()
    }

    fn waiting_warp(&self, slot: WarpSlot, warp: &Warp) -> WaitingWarp {
        let resident = self.blocks[usize::from(warp.block)].as_ref();
        let block = resident.map_or(0, |block| block.number);
        let barrier = resident.and_then(|block| waited_for(block, slot));
        let warpgroup = resident
            .filter(|_| warp.phase == Phase::AtWarpgroup)
            .and_then(|block| come_to_product(block, warp.state.index));
        let paths = warp.state.paths.all();
        let shown = warp.state.paths.current().or(paths.first());
        let next = shown.map_or(0, |path| path.pc);
        let elsewhere = paths.iter().filter(|&path| Some(path) != shown).copied().collect();
        let pc = match warp.barrier {
            BarrierBehind::Incomplete { pc } if warp.phase == Phase::AtBlockBarrier => pc,
            // It is the product that it has come to.
            _ if warp.phase == Phase::AtWarpgroup => next.saturating_sub(1),
            _ => next,
        };
        let ready =
            if self.held { WarpState::Stalled(StallReason::DispatchStall) } else { WarpState::NotSelected };
        let state = warp.phase.reason().map_or(ready, WarpState::Stalled);
        let (block, warp) = (BlockId(block), warp.state.index);
        WaitingWarp { slot, block, warp, pc, state, elsewhere, barrier, warpgroup }
    }

    /// Turns the hazard checker on; the context must have its table from now on.
    pub fn check_hazards(&mut self) {
        self.hazards = Some(Box::default());
    }

    /// What the hazard checker has found, if it is on.
    #[must_use]
    pub fn hazards(&self) -> Option<&Hazards> {
        self.hazards.as_deref().map(HazardChecker::found)
    }

    /// How far the SM is.
    #[must_use]
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Blocks that come go to the observer from now on.
    pub fn tell_blocks(&mut self) {
        self.tells_blocks = true;
    }

    /// Turns watching on: intervals of warp states go to the observer.
    pub fn watch_states(&mut self) {
        self.watched = true;
    }

    /// Turns it off.
    pub fn watch_no_states(&mut self) {
        self.watched = false;
    }

    /// Whether it is on.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// What all accesses together have asked of level one and of shared memory.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        MemoryUse::so_far(&self.lsu.counters, &self.shared_counters)
    }

    /// What was printed in this epoch.
    pub fn printed(&mut self) -> &mut PrintedLines {
        &mut self.printed
    }

    /// The fault of a warp whose request the heap refuses.
    #[must_use]
    pub fn heap_fault(&self, refusal: HeapRefusal, context: &Context<'_>) -> Box<LaunchFault> {
        self.fault(usize::from(refusal.slot), refusal.pc, refusal.fault, context.launch)
    }

    /// A fault of an instruction with its place in the program and in the grid.
    pub(crate) fn fault(
        &self,
        slot: usize,
        pc: u32,
        fault: ExecFault,
        launch: &LaunchSpec,
    ) -> Box<LaunchFault> {
        let warp = &self.warps[slot];
        let lane = usize::from(fault.lane().unwrap_or(0));
        let instruction = launch.kernel.instructions.get(pc as usize);
        Box::new(LaunchFault::Exec {
            kernel: launch.kernel.name.clone(),
            address: u64::from(pc) * 16,
            line: instruction.map_or(0, |instruction| instruction.origin.line),
            instruction: instruction.map_or(String::new(), warplab_program::listing::instruction_text),
            block: self.coordinates(slot),
            thread: warp.state.thread(lane),
            fault,
        })
    }

    /// The kernel's own request to stop.
    pub(crate) fn trap(&self, slot: usize, pc: u32, launch: &LaunchSpec) -> Box<LaunchFault> {
        Box::new(LaunchFault::Trap {
            kernel: launch.kernel.name.clone(),
            address: u64::from(pc) * 16,
            block: self.coordinates(slot),
        })
    }

    fn coordinates(&self, slot: usize) -> [u32; 3] {
        self.blocks[usize::from(self.warps[slot].block)].as_ref().map_or([0; 3], |block| block.coordinates)
    }
}
