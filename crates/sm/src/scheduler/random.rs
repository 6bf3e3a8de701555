//! Any warp.

use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use rand::RngExt;
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

/// Any warp, by a seeded generator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Random {
    generator: Pcg32,
}

impl Policy for Random {
    fn new(spec: &SchedulerSpec, stream: u64) -> Random {
        Random { generator: Pcg32::new(spec.seed, stream) }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let mut rest = candidates.eligible;
        for _ in 0..self.generator.random_range(0..rest.count_ones()) {
            rest &= rest - 1;
        }
        rest.trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use crate::scheduler::tests::picks;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn it_repeats_with_its_seed() {
        let eligible = [0xffff; 8];
        let picked = picks(SchedulerPolicy::Random, &eligible, &[0; 16]);
        assert_eq!(picked, picks(SchedulerPolicy::Random, &eligible, &[0; 16]));
        assert!(picked.iter().any(|warp| *warp != picked[0]));
    }
}
