//! What an SM has counted so far when its warps have not ended.

use crate::context::Context;
use crate::sm::{Advance, Sm};
use crate::warp::Phase;
use warplab_trace::Observer;

impl Sm {
    /// Closes the accounts where the SM stands: the warps that are resident are counted, and told to the observer, as if
    /// their waits ended now. It is for a copy, which goes on no more.
    pub fn settle(&mut self, context: &Context<'_>, observer: &mut dyn Observer) {
        let now = self.now;
        let mut advance = Advance { sm: self, context, observer, alone: false };
        (0..advance.sm.warps.len()).for_each(|slot| advance.settle_warp(slot));
        self.sub_partitions.iter_mut().for_each(|sub| sub.settle(now));
        if self.resident > 0 {
            self.active_cycles += now.since(self.active_since);
            self.active_since = now;
        }
    }
}

impl Advance<'_> {
    /// The wait of a warp, and its time in its slot, are counted up to now.
    fn settle_warp(&mut self, slot: usize) {
        if self.sm.warps[slot].phase == Phase::Empty {
            return;
        }
        self.leave_phase(slot);
        let Sm { warps, sub_partitions, now, .. } = &mut *self.sm;
        let warp = &mut warps[slot];
        // The stall of an instruction that is late is counted when it issues.
        let end = (*now).max(warp.since);
        sub_partitions[usize::from(warp.sub)].counters.warp_cycles += end.since(warp.entered);
        warp.entered = end;
    }
}
