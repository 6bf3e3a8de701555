//! The barrier of a cluster: a block has arrived when all of its warps have, or have ended.

use super::message::{PeerContent, PeerTarget};
use crate::sm::Advance;
use crate::warp::Phase;
use warplab_units::Cycle;

impl Advance<'_> {
    /// A warp arrives at the barrier of its cluster, or waits for it; it could go on at `next`.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_cluster_barrier(&mut self, slot: usize, waits: bool, pc: u32, next: Cycle) {
        let warp = &mut self.sm.warps[slot];
        let place = usize::from(warp.block);
        if !waits {
            warp.cluster_arrivals += 1;
            self.go_on(slot, pc, next, 0);
            let taken = self.sm.barrier_free.max(self.sm.now) + u64::from(self.clusters().barrier_warp);
            self.sm.barrier_free = taken;
            return self.check_cluster_arrivals(place);
        }
        let Some(block) = &self.sm.blocks[place] else { return };
        if warp.cluster_arrivals > block.cluster_phases {
            warp.phase = Phase::AtClusterBarrier;
        } else {
            self.go_on(slot, pc, next, 0);
        }
    }

    /// Tells the barrier of the cluster, if all warps of a block have arrived.
    #[cold]
    pub(crate) fn check_cluster_arrivals(&mut self, place: usize) {
        let block = self.sm.blocks[place].as_mut().filter(|block| block.is_in_cluster);
        let Some(block) = block else { return };
        let phase = block.cluster_phases;
        let warps = &self.sm.warps;
        let lives = |slot: &&u8| warps[usize::from(**slot)].phase != Phase::Empty;
        let mut live = block.slots.iter().filter(lives);
        if block.cluster_told > phase || !live.all(|&slot| warps[usize::from(slot)].cluster_arrivals > phase)
        {
            return;
        }
        block.cluster_told = phase + 1;
        let number = block.number;
        self.tell_cluster(number, PeerContent::Arrived);
    }

    /// All warps of a block have ended: its cluster waits for them no more.
    #[cold]
    pub(crate) fn end_in_cluster(&mut self, place: usize) {
        if let Some(number) = self.sm.blocks[place].as_ref().map(|block| block.number) {
            self.tell_cluster(number, PeerContent::Ended);
        }
    }

    /// Tells the barrier of the cluster of a block.
    fn tell_cluster(&mut self, number: u64, what: PeerContent) {
        let (id, at) = (self.sm.id, self.sm.barrier_free.max(self.sm.now));
        self.sm.peers.send(id, at, PeerTarget::Barrier(number), what);
    }

    /// The barrier of the cluster of a block is complete: its warps go on.
    pub(super) fn complete_cluster_barrier(&mut self, number: u64) {
        let now = self.sm.now;
        let blocks = self.sm.blocks.iter_mut().flatten();
        let Some(block) = blocks.into_iter().find(|block| block.number == number) else { return };
        block.cluster_phases += 1;
        let block_slots = block.slots.clone();
        let mut at = now + 1;
        for slot in block_slots {
            let slot = usize::from(slot);
            if self.sm.warps[slot].phase == Phase::AtClusterBarrier {
                self.leave_phase(slot);
                let since = self.sm.warps[slot].since;
                self.wait_until(slot, Phase::LeavingBarrier, since.max(at));
                at += 1;
            }
        }
    }
}
