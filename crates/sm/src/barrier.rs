//! Block barriers let their warps go: the SM takes one arrival after another.

use crate::sm::Advance;
use crate::warp::Phase;
use arrayvec::ArrayVec;
use warplab_units::Cycle;

impl Advance<'_> {
    /// Lets the warps go on whose barrier is complete. Asked after every arrival, and after a warp has ended.
    pub(crate) fn check_barriers(&mut self, place: usize) {
        let Some(block) = &self.sm.blocks[place] else { return };
        let used: ArrayVec<u8, 16> = block.barriers.in_use().collect();
        for id in used {
            let Some(block) = &mut self.sm.blocks[place] else { return };
            let warps = &self.sm.warps;
            let alive = block.slots.iter().map(|&slot| &warps[usize::from(slot)].state.paths);
            let Some(released) = block.barriers.complete(id, alive) else { continue };
            let slots = block.slots.clone();
            let at = self.context.spec.barrier.release(self.sm.barrier_free.max(self.sm.now));
            for (index, &slot) in slots.iter().enumerate() {
                if released.warps >> index & 1 != 0 {
                    self.pass_barrier(usize::from(slot), id, released.result, at);
                }
            }
        }
    }

    fn pass_barrier(&mut self, slot: usize, id: u8, result: Option<u32>, at: Cycle) {
        let warp = &mut self.sm.warps[slot];
        warp.state.release_block_barrier(id, result);
        if matches!(warp.phase, Phase::AtBlockBarrier | Phase::Converging) {
            self.leave_phase(slot);
            let since = self.sm.warps[slot].since;
            self.wait_until(slot, Phase::LeavingBarrier, since.max(at));
        }
    }
}
