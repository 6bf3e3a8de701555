//! The oldest warp.

use super::choose::least;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};

/// The oldest warp that can issue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Oldest;

impl Policy for Oldest {
    fn new(_: &SchedulerSpec, _: u64) -> Oldest {
        Oldest
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        least(candidates.eligible, |warp| candidates.ages[warp])
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_never_stays_with_a_younger_one() {
        assert_eq!(picks(SchedulerPolicy::Oldest, &[0b10, 0b11], &[1, 2]), [1, 0]);
    }
}
