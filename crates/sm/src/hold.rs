//! Warps that are held back for several cycles are charged when that ends, and not one by one; meanwhile their sub-partition
//! is not looked at.

use crate::lsu::QueueFull;
use crate::sub_partition::{HELD_BACK_BY, Readiness, SubPartition};
use warplab_units::Cycle;

/// What a sub-partition did when it was looked at last, while an SM advances.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hold {
    /// Before this cycle it does the same, unless [`Hold::change`] is called.
    pub(crate) until: Cycle,
    /// The first cycle that is not charged to the warps that are held back.
    since: Cycle,
    /// The ready warps that are held back, by the reasons of [`HELD_BACK_BY`].
    warps: [u64; 4],
}

impl Hold {
    /// Another warp has become ready: the sub-partition is looked at again.
    #[inline(always)]
    pub(crate) fn change(&mut self) {
        self.until = Cycle(0);
    }
}

impl SubPartition {
    /// Looks at which ready warps can issue now, and notes what holds the others back.
    #[inline(always)]
    pub(crate) fn look(&mut self, now: Cycle) -> u64 {
        if self.ready == 0 {
            self.hold.until = Cycle::NEVER;
            return 0;
        }
        let readiness = self.readiness(now);
        self.hold_back(now, &readiness);
        if readiness.eligible == 0 {
            self.find_none();
        }
        readiness.eligible
    }

    /// From now on these warps are held back.
    #[inline(always)]
    fn hold_back(&mut self, now: Cycle, readiness: &Readiness) {
        let warps = readiness.held_back();
        if differ(warps, self.hold.warps) {
            self.charge_hold(now);
            (self.hold.since, self.hold.warps) = (now, warps);
        }
        self.hold.until = if readiness.eligible == 0 { readiness.next_free } else { Cycle(0) };
    }

    /// A warp has issued, which changes nothing for others: with no other one ready there is nothing to look at. When it is
    /// looked at again.
    #[inline(always)]
    pub(crate) fn rest(&mut self) -> Cycle {
        self.hold.until = if self.ready == 0 { Cycle::NEVER } else { Cycle(0) };
        self.hold.until
    }

    /// Its memory queue is full, or has room: warps that waited for that can go on.
    #[inline]
    pub(crate) fn fill_queue(&mut self, full: QueueFull) {
        if full == self.queue_full {
            return;
        }
        self.queue_full = full;
        let [_, global, shared, _] = self.hold.warps;
        if global | shared != 0 {
            self.hold.change();
        }
    }

    /// The ready warps that have been held back are charged up to now.
    pub(crate) fn end_hold(&mut self, now: Cycle) {
        self.charge_hold(now);
        self.hold = Hold::default();
    }

    #[inline(always)]
    fn charge_hold(&mut self, now: Cycle) {
        let Hold { since, warps, .. } = self.hold;
        for (reason, warps) in HELD_BACK_BY.into_iter().zip(warps) {
            if warps != 0 {
                self.charge_stall(reason, u64::from(warps.count_ones()) * (now - since));
            }
        }
    }
}

/// Whether two lists are not the same. They come word by word, in registers: compared as a whole, the processor would first have to
/// put together in memory what it has just made.
#[inline(always)]
fn differ([a, b, c, d]: [u64; 4], [e, f, g, h]: [u64; 4]) -> bool {
    (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h) != 0
}

#[cfg(test)]
mod tests {
    use crate::launch::{IssueInfo, MemoryClass};
    use crate::lsu::QueueFull;
    use crate::pipes::{PipeUse, QueuedUnit};
    use crate::spec::SchedulerSpec;
    use crate::sub_partition::SubPartition;
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_trace::{StallReason, WarpState};
    use warplab_units::Cycle;

    /// A sub-partition of which one warp waits for its unit until cycle 20, and another one for the memory queue.
    fn held() -> SubPartition {
        let spec = SchedulerSpec {
            policy: SchedulerPolicy::Gto,
            seed: 1,
            fetch_group: 8,
            starvation_interval: None,
        };
        let mut sub = SubPartition::new(&spec, 0);
        let unit = PipeUse { unit: 1, interval: 10, hold: 0, lead: 0, queue: 0, late: 0, in_order: false };
        sub.make_ready(0, 1, MemoryClass::None);
        sub.issue(
            0,
            &IssueInfo { taken: unit, ..IssueInfo::example() },
            None,
            Cycle(10),
            &mut QueuedUnit::default(),
        );
        sub.make_ready(1, 1, MemoryClass::None);
        sub.make_ready(2, 2, MemoryClass::Global);
        sub.fill_queue(QueueFull::Full);
        assert_eq!(sub.look(Cycle(10)), 0);
        sub
    }

    fn stalled(sub: &SubPartition, reason: StallReason) -> u64 {
        sub.counters.states[WarpState::Stalled(reason).index()]
    }

    #[test]
    fn it_is_looked_at_again_when_a_unit_is_free_the_queue_has_room_or_another_warp_is_ready() {
        let mut sub = held();
        assert_eq!(sub.hold.until, Cycle(20));
        sub.fill_queue(QueueFull::HasRoom);
        assert_eq!((sub.hold.until, sub.look(Cycle(15))), (Cycle(0), 0b100));
        let mut sub = held();
        sub.make_ready(3, 3, MemoryClass::None);
        assert_eq!((sub.hold.until, sub.look(Cycle(15))), (Cycle(0), 0b1000));
    }

    #[test]
    fn the_cycles_of_a_hold_are_charged_once_when_it_ends() {
        let mut sub = held();
        assert_eq!(sub.look(Cycle(13)), 0);
        for _ in 0..2 {
            sub.end_hold(Cycle(17));
            assert_eq!(stalled(&sub, StallReason::MathPipeThrottle), 7);
            assert_eq!(stalled(&sub, StallReason::LgThrottle), 7);
        }
    }

    #[test]
    fn a_warp_that_is_held_back_no_more_is_charged_while_others_stay() {
        let mut sub = held();
        assert_eq!(sub.look(Cycle(20)), 0b10);
        assert_eq!(stalled(&sub, StallReason::MathPipeThrottle), 10);
        sub.end_hold(Cycle(25));
        assert_eq!(stalled(&sub, StallReason::LgThrottle), 15);
    }
}
