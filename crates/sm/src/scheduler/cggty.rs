//! Greedy then youngest.

use super::choose::{least, same};
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};

/// The warp that issued last while it can, else the youngest (Huerta et al., MICRO 2025).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cggty {
    last: u32,
}

impl Policy for Cggty {
    fn new(_: &SchedulerSpec, _: u64) -> Cggty {
        Cggty { last: 0 }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, ages, .. } = candidates;
        self.last =
            same(eligible, self.last).unwrap_or_else(|| least(eligible, |warp| u64::MAX - ages[warp]));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_stays_and_then_takes_the_youngest() {
        assert_eq!(picks(SchedulerPolicy::Cggty, &[0b1110, 0b1110, 0b1100], &[9, 7, 3, 5]), [1, 1, 3]);
    }
}
