//! Loose round robin.

use super::choose::after;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};

/// The first warp after the one that issued last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lrr {
    last: u32,
}

impl Policy for Lrr {
    fn new(_: &SchedulerSpec, _: u64) -> Lrr {
        Lrr { last: 0 }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        self.last = after(candidates.eligible, self.last);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_goes_on_after_the_last() {
        assert_eq!(picks(SchedulerPolicy::Lrr, &[0b1011; 4], &[0; 4]), [1, 3, 0, 1]);
    }
}
