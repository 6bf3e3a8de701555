//! Block barriers let their warps go: the SM takes one arrival after another. Where a barrier holds back only what does more
//! than compute, a warp goes on computing behind it.

use crate::launch::IssueInfo;
use crate::sm::Advance;
use crate::warp::{BarrierBehind, Phase};
use warplab_config::gpu::BarrierHolds;
use warplab_exec::BarrierKind;
use warplab_units::Cycle;

impl Advance<'_> {
    /// The lanes of a warp that have just arrived at a barrier go past it, if it lets them compute and all have come.
    pub(crate) fn go_past_barrier(&mut self, slot: usize, kind: BarrierKind, id: u8, pc: u32) {
        let warp = &mut self.sm.warps[slot];
        let goes_on =
            self.context.spec.barrier.holds == BarrierHolds::AllButArithmetic && kind == BarrierKind::Sync;
        if goes_on && warp.state.paths.go_past_block_barrier(id) {
            warp.barrier = BarrierBehind::Incomplete { pc };
        }
    }

    /// The phase in which a barrier behind the warp holds back its next instruction, and until when, if that is known.
    #[inline]
    pub(crate) fn held_by_barrier(
        &mut self,
        slot: usize,
        info: &IssueInfo,
    ) -> Option<(Phase, Option<Cycle>)> {
        let warp = &mut self.sm.warps[slot];
        match warp.barrier {
            BarrierBehind::None => None,
            _ if info.passes_barrier => None,
            BarrierBehind::Incomplete { .. } => Some((Phase::AtBlockBarrier, None)),
            BarrierBehind::Complete(at) if at > self.sm.now => Some((Phase::LeavingBarrier, Some(at))),
            BarrierBehind::Complete(_) => {
                warp.barrier = BarrierBehind::None;
                None
            }
        }
    }

    /// Lets the warps go on whose barrier is complete. Asked after every arrival, and after a warp has ended.
    pub(crate) fn check_barriers(&mut self, place: usize) {
        let Some(block) = &self.sm.blocks[place] else { return };
        for id in block.barriers.in_use() {
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
        if let BarrierBehind::Incomplete { .. } = warp.barrier {
            warp.barrier = BarrierBehind::Complete(at);
            if warp.phase != Phase::AtBlockBarrier {
                return;
            }
        }
        if matches!(warp.phase, Phase::AtBlockBarrier | Phase::Converging) {
            self.leave_phase(slot);
            let since = self.sm.warps[slot].since;
            self.wait_until(slot, Phase::LeavingBarrier, since.max(at));
        }
    }
}
