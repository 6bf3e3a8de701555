//! Any warp.

use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;
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
        for _ in 0..below(&mut self.generator, rest.count_ones()) {
            rest &= rest - 1;
        }
        rest.trailing_zeros()
    }
}

/// A number below `limit`, each as likely as the others to 1 in 2^32: of a 32-bit fraction times the limit the whole part,
/// with the carry of a second fraction's product (Canon's method).
fn below(generator: &mut Pcg32, limit: u32) -> u32 {
    let mut product = || {
        let product = u64::from(generator.next_u32()) * u64::from(limit);
        ((product >> 32) as u32, product as u32)
    };
    let (number, fraction) = product();
    let near_the_next = fraction > limit.wrapping_neg();
    if near_the_next { number + u32::from(fraction.overflowing_add(product().0).1) } else { number }
}

#[cfg(test)]
mod tests {
    use super::below;
    use crate::scheduler::tests::picks;
    use rand_pcg::Pcg32;
    use warplab_config::gpu::SchedulerPolicy;

    #[test]
    fn a_seed_gives_the_same_numbers_in_every_build() {
        let mut generator = Pcg32::new(1, 3);
        let limits = [1, 2, 3, 10, 64, 3 << 30, 3 << 30, u32::MAX];
        let numbers = [0, 0, 0, 0, 56, 2_683_015_772, 1_124_726_339, 2_129_514_716];
        assert_eq!(limits.map(|limit| below(&mut generator, limit)), numbers);
    }

    #[test]
    fn it_repeats_with_its_seed() {
        let eligible = [0xffff; 8];
        let picked = picks(SchedulerPolicy::Random, &eligible, &[0; 16]);
        assert_eq!(picked, picks(SchedulerPolicy::Random, &eligible, &[0; 16]));
        assert!(picked.iter().any(|warp| *warp != picked[0]));
    }
}
