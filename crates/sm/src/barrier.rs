//! Block barriers let their warps go.

use crate::sm::Advance;
use crate::warp::Phase;
use arrayvec::ArrayVec;

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
            let latency = self.context.spec.barrier.release(slots.len());
            for (index, &slot) in slots.iter().enumerate() {
                if released.warps >> index & 1 != 0 {
                    self.pass_barrier(usize::from(slot), id, released.result, latency);
                }
            }
        }
    }

    fn pass_barrier(&mut self, slot: usize, id: u8, result: Option<u32>, latency: u64) {
        let warp = &mut self.sm.warps[slot];
        warp.state.release_block_barrier(id, result);
        if matches!(warp.phase, Phase::AtBlockBarrier | Phase::Converging) {
            self.leave_phase(slot);
            let at = self.sm.warps[slot].since.max(self.sm.now + latency);
            self.wait_until(slot, Phase::LeavingBarrier, at);
        }
    }
}
