//! Warp schedulers: which of the eligible warps issues.
//!
//! A scheduler is a file of this folder with a state that implements [`Policy`], its row below, and its name in
//! `config/src/gpu/scheduler.rs`.

mod cggty;
mod choose;
mod gto;
mod lrr;
mod oldest;
mod random;
mod two_level;

use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::SchedulerPolicy;

/// What a scheduler chooses from. Warps are numbered inside the sub-partition; masks have bit i for warp i.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<'a> {
    /// Warps that can issue now: at least one.
    pub(crate) eligible: u64,
    /// When each warp came: older ones have smaller numbers.
    pub(crate) ages: &'a [u64],
}

/// A scheduler's memory.
pub(crate) trait Policy {
    /// The memory of a scheduler that has not picked yet. Each scheduler of the chip has its own `stream` of random
    /// numbers.
    fn new(spec: &SchedulerSpec, stream: u64) -> Self;

    /// One of the eligible warps.
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32;
}

macro_rules! policies {
    ($($variant:ident in $module:ident),* $(,)?) => {
        /// The memory of one scheduler, whatever its policy.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum Scheduler {
            $($variant($module::$variant),)*
        }

        impl Policy for Scheduler {
            fn new(spec: &SchedulerSpec, stream: u64) -> Scheduler {
                match spec.policy {
                    $(SchedulerPolicy::$variant => Scheduler::$variant(Policy::new(spec, stream)),)*
                }
            }

            #[inline]
            fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
                match self {
                    $(Scheduler::$variant(policy) => policy.pick(candidates),)*
                }
            }
        }
    };
}

policies! {
    Lrr in lrr,
    Gto in gto,
    Oldest in oldest,
    TwoLevel in two_level,
    Cggty in cggty,
    Random in random,
}

#[cfg(test)]
mod tests {
    use super::{Candidates, Policy, Scheduler};
    use crate::spec::SchedulerSpec;
    use warplab_config::gpu::SchedulerPolicy;

    /// What a scheduler picks in consecutive cycles.
    pub(super) fn picks(policy: SchedulerPolicy, eligible: &[u64], ages: &[u64]) -> Vec<u32> {
        let mut scheduler = Scheduler::new(&SchedulerSpec { policy, seed: 1, fetch_group: 8 }, 0);
        let pick = |&eligible: &u64| scheduler.pick(&Candidates { eligible, ages });
        eligible.iter().map(pick).collect()
    }

    #[test]
    fn every_scheduler_picks_an_eligible_warp() {
        let eligible: Vec<u64> =
            (1..200u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << (n % 64)).collect();
        let ages: Vec<u64> = (0..64).map(|warp| warp * 37 % 64).collect();
        for policy in SchedulerPolicy::ALL {
            let picked = picks(policy, &eligible, &ages);
            assert!(picked.iter().zip(&eligible).all(|(warp, mask)| mask >> warp & 1 != 0), "{policy:?}");
        }
    }

    #[test]
    fn every_scheduler_picks_the_only_eligible_warp() {
        for policy in SchedulerPolicy::ALL {
            let masks: Vec<u64> = (0..64).map(|warp| 1 << warp).collect();
            assert_eq!(picks(policy, &masks, &[0; 64]), (0..64).collect::<Vec<_>>(), "{policy:?}");
        }
    }

    #[test]
    fn a_copy_of_a_scheduler_goes_on_as_the_original() {
        for policy in SchedulerPolicy::ALL {
            let mut scheduler = Scheduler::new(&SchedulerSpec { policy, seed: 1, fetch_group: 8 }, 3);
            let candidates = Candidates { eligible: u64::MAX, ages: &[5; 64] };
            (0..10).for_each(|_| {
                scheduler.pick(&candidates);
            });
            let bytes = postcard::to_allocvec(&scheduler).unwrap();
            let mut restored: Scheduler = postcard::from_bytes(&bytes).unwrap();
            let both = (0..10).map(|_| (scheduler.pick(&candidates), restored.pick(&candidates)));
            assert!(both.into_iter().all(|(one, other)| one == other), "{policy:?}");
        }
    }
}
