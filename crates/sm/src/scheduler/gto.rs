//! Greedy then oldest.

use super::choose::{least, same};
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};

/// The warp that issued last while it can, else the oldest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gto {
    last: u32,
}

impl Policy for Gto {
    fn new(_: &SchedulerSpec, _: u64) -> Gto {
        Gto { last: 0 }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, ages, .. } = candidates;
        self.last = same(eligible, self.last).unwrap_or_else(|| least(eligible, |warp| ages[warp]));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_stays_and_then_takes_the_oldest() {
        assert_eq!(picks(SchedulerPolicy::Gto, &[0b1110, 0b1110, 0b1010], &[9, 7, 3, 5]), [2, 2, 3]);
    }

    #[test]
    fn of_warps_that_came_together_the_first_is_the_oldest() {
        assert_eq!(picks(SchedulerPolicy::Gto, &[0b1100, 0b1010], &[1; 4]), [2, 1]);
    }
}
