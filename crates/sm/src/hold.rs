//! Warps that are held back for several cycles: these are charged when that ends, and not one by one.

use crate::sub_partition::{Readiness, SubPartition};
use warplab_trace::StallReason;
use warplab_units::Cycle;

/// All ready warps of a sub-partition are held back by the same things from one cycle to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hold {
    /// Whether it is so.
    holds: bool,
    /// The first cycle that is not charged.
    since: Cycle,
    /// When one of these things ends, if nothing else comes before.
    until: Cycle,
    /// Whether the memory queue is one of them.
    queue_full: bool,
    /// How many warps each holds back.
    warps: [(Option<StallReason>, u64); 4],
}

impl Hold {
    /// Another warp has become ready: what holds the others back is looked at again.
    #[inline(always)]
    pub(crate) fn change(&mut self) {
        self.until = Cycle(0);
    }
}

impl SubPartition {
    /// Until when all ready warps are held back as before; nothing where that must be looked at again.
    #[inline(always)]
    pub(crate) fn held_until(&self, now: Cycle, queue_full: bool) -> Option<Cycle> {
        let Hold { until, queue_full: was_full, .. } = self.hold;
        (now < until && queue_full == was_full).then_some(until)
    }

    /// From now on no ready warp can issue.
    #[inline]
    pub(crate) fn hold(&mut self, now: Cycle, readiness: &Readiness, queue_full: bool) {
        let counted = |(reason, warps): (StallReason, u64)| match warps {
            0 => (None, 0),
            warps => (Some(reason), u64::from(warps.count_ones())),
        };
        let warps = readiness.held_back().map(counted);
        self.hold = Hold { holds: true, since: now, until: readiness.next_free, queue_full, warps };
    }

    /// The ready warps that have been held back are charged up to now.
    #[inline(always)]
    pub(crate) fn end_hold(&mut self, now: Cycle) {
        if self.hold.holds {
            self.charge_hold(now);
        }
    }

    fn charge_hold(&mut self, now: Cycle) {
        (self.hold.holds, self.hold.until) = (false, Cycle(0));
        let Hold { since, warps, .. } = self.hold;
        for (reason, warps) in warps {
            if let Some(reason) = reason {
                self.charge_stall(reason, warps * (now - since));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hold;
    use crate::spec::SchedulerSpec;
    use crate::sub_partition::{Readiness, SubPartition};
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_trace::{StallReason, WarpState};
    use warplab_units::Cycle;

    fn held() -> SubPartition {
        let spec = SchedulerSpec { policy: SchedulerPolicy::Gto, seed: 1, fetch_group: 8 };
        let mut sub = SubPartition::new(&spec, 0);
        let readiness = Readiness { math: 0b11, global: 0b100, next_free: Cycle(20), ..Readiness::NONE };
        sub.hold(Cycle(10), &readiness, true);
        sub
    }

    #[test]
    fn warps_stay_held_back_until_a_unit_is_free_the_queue_changes_or_another_warp_is_ready() {
        let mut sub = held();
        assert_eq!(sub.held_until(Cycle(19), true), Some(Cycle(20)));
        assert_eq!((sub.held_until(Cycle(20), true), sub.held_until(Cycle(19), false)), (None, None));
        Hold::change(&mut sub.hold);
        assert_eq!(sub.held_until(Cycle(19), true), None);
    }

    #[test]
    fn the_cycles_of_a_hold_are_charged_once_when_it_ends() {
        let mut sub = held();
        let stalled = |sub: &SubPartition, reason| sub.counters.states[WarpState::Stalled(reason).index()];
        for _ in 0..2 {
            sub.end_hold(Cycle(17));
            assert_eq!(stalled(&sub, StallReason::MathPipeThrottle), 14);
            assert_eq!(stalled(&sub, StallReason::LgThrottle), 7);
        }
    }
}
