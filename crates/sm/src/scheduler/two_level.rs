//! Two levels: fetch groups of warps (Narasiman, MICRO 2011).

use super::choose::after;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};

/// Round robin in the active group; the group changes when none of it is eligible.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TwoLevel {
    last: u32,
    active: u32,
    /// Warps of a group.
    size: u32,
}

impl Policy for TwoLevel {
    fn new(spec: &SchedulerSpec, _: u64) -> TwoLevel {
        TwoLevel { last: 0, active: 0, size: spec.fetch_group.clamp(1, 64) }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let members = (u64::MAX >> (64 - self.size)).checked_shl(self.active * self.size).unwrap_or(0);
        let here = candidates.eligible & members;
        if here != 0 {
            self.last = after(here, self.last);
        } else {
            self.last = after(candidates.eligible, self.last);
            self.active = self.last / self.size;
        }
        self.last
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_stays_in_its_group_while_one_of_it_can_go() {
        let eligible = [0x0101, 0x0101, 0x0100, 0x0101];
        assert_eq!(picks(SchedulerPolicy::TwoLevel, &eligible, &[0; 16]), [0, 0, 8, 8]);
    }

    #[test]
    fn it_goes_round_inside_the_group() {
        assert_eq!(picks(SchedulerPolicy::TwoLevel, &[0xffff; 4], &[0; 16]), [1, 2, 3, 4]);
    }
}
