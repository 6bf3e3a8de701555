//! Greedy then the longest waiting.

use super::choose::least;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// The most warps of a scheduler.
const WARPS: usize = 64;

/// The warp that issued in the cycle before while it can, else the one that has waited longest since it issued or came. Each
/// older warp that is resident counts as a cycle more, and of warps that have waited equally long so the oldest issues. It is
/// what comes nearest to `traces/h200/core/select.txt`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gtlw {
    last: u32,
    /// The cycle after that in which `last` issued.
    next: Cycle,
    /// When each warp issued last, or came.
    since: Vec<Cycle>,
    /// How many resident warps are older than each.
    older: Vec<u8>,
    /// Warps that are resident.
    resident: u8,
}

impl Policy for Gtlw {
    fn new(_: &SchedulerSpec, _: u64) -> Gtlw {
        Gtlw { last: 0, next: Cycle(0), since: vec![Cycle(0); WARPS], older: vec![0; WARPS], resident: 0 }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, now, .. } = candidates;
        let goes_on = now == self.next && eligible >> self.last & 1 != 0;
        if !goes_on {
            let Gtlw { since, older, .. } = &*self;
            // The cycle since which it has waited, with its older warps taken off, then these again among equals.
            self.last = least(eligible, |warp| {
                let older = u64::from(older[warp]);
                (since[warp].0 + WARPS as u64 - older) * WARPS as u64 + older
            });
        }
        self.since[self.last as usize] = now;
        self.next = now + 1;
        self.last
    }

    fn enter(&mut self, warp: u32, now: Cycle) {
        self.since[warp as usize] = now;
        self.older[warp as usize] = self.resident;
        self.resident += 1;
    }

    fn leave(&mut self, warp: u32) {
        let left = self.older[warp as usize];
        self.older.iter_mut().for_each(|older| *older -= u8::from(*older > left));
        self.resident -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Gtlw;
    use crate::scheduler::{Candidates, Policy};
    use crate::spec::SchedulerSpec;
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_units::Cycle;

    /// A scheduler whose warps came in cycle 0, the oldest first.
    fn scheduler(warps: u32) -> Gtlw {
        let spec = SchedulerSpec { policy: SchedulerPolicy::Gtlw, seed: 1, fetch_group: 8 };
        let mut scheduler = Gtlw::new(&spec, 0);
        (0..warps).for_each(|warp| scheduler.enter(warp, Cycle(0)));
        scheduler
    }

    /// What it picks at these cycles of these eligible warps.
    fn picks(warps: u32, cycles: &[(u64, u64)]) -> Vec<u32> {
        let mut scheduler = scheduler(warps);
        let pick = |&(now, eligible)| scheduler.pick(&Candidates { eligible, now: Cycle(now), ages: &[] });
        cycles.iter().map(pick).collect()
    }

    #[test]
    fn it_stays_without_a_gap_and_then_takes_the_longest_waiting() {
        let cycles = [(10, 0b1111), (11, 0b1111), (12, 0b0111), (14, 0b1111), (16, 0b1111), (30, 0b1111)];
        assert_eq!(picks(4, &cycles), [3, 3, 2, 1, 0, 3]);
    }

    #[test]
    fn an_older_warp_is_a_cycle_more() {
        assert_eq!(picks(2, &[(10, 0b01), (11, 0b10), (20, 0b11)]), [0, 1, 0]);
        assert_eq!(picks(2, &[(10, 0b10), (12, 0b01), (20, 0b11)]), [1, 0, 1]);
    }

    #[test]
    fn those_that_are_younger_than_a_warp_that_leaves_have_one_older_warp_less() {
        let mut scheduler = scheduler(4);
        scheduler.leave(1);
        assert_eq!(scheduler.older[..4], [0, 1, 1, 2]);
        scheduler.enter(1, Cycle(5));
        assert_eq!(scheduler.older[..4], [0, 3, 1, 2]);
    }
}
