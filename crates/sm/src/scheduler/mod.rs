//! Warp schedulers: which of the eligible warps issues.
//!
//! A scheduler is a file of this folder with a state that implements [`Policy`], and its row in
//! `config/src/gpu/scheduler.rs`. A formula of a person is in `rank`.

mod choose;
mod rank;
mod starving;

use crate::spec::SchedulerSpec;
use rank::Rank;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::SchedulerPolicy;
use warplab_units::Cycle;

/// What a scheduler chooses from. Warps are numbered inside the sub-partition; masks have bit i for warp i.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<'a> {
    /// Warps that can issue now: at least one.
    pub(crate) eligible: u64,
    /// The cycle.
    pub(crate) now: Cycle,
    /// When each warp came: older ones have smaller numbers.
    pub(crate) ages: &'a [u64],
    /// Whether the instruction that issued last lets other warps go first.
    pub(crate) yielded: bool,
    /// The warps that have become ready since the scheduler last looked: none that had to wait for a unit.
    pub(crate) fresh: u64,
}

/// What only a formula looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Warps that are resident.
    pub(crate) resident: u64,
    /// Warps whose next instruction accesses global or local memory.
    pub(crate) global: u64,
}

/// What came of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    /// The warp that issues.
    pub(crate) warp: Option<u32>,
    /// Eligible warps that a formula holds back.
    pub(crate) held: u64,
}

/// A scheduler's memory.
pub(crate) trait Policy {
    /// The memory of a scheduler that has not picked yet. Each scheduler of the chip has its own `stream` of random
    /// numbers.
    fn new(spec: &SchedulerSpec, stream: u64) -> Self;

    /// One of the eligible warps.
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32;

    /// A warp of a block comes; blocks come in the order of their numbers.
    fn enter(&mut self, _warp: u32, _block: u64, _now: Cycle) {}

    /// A warp goes.
    fn leave(&mut self, _warp: u32) {}
}

macro_rules! policies {
    ($($(#[$doc:meta])* $variant:ident in $module:ident { $($text:tt)* })*) => {
        $(mod $module;)*

        /// The memory of one scheduler, whatever its policy.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum Scheduler {
            $($variant($module::$variant),)*
            Rank(Box<Rank>),
        }

        impl Scheduler {
            /// The memory of a scheduler that has not picked yet; `stream` is that of its random numbers.
            pub(crate) fn new(spec: &SchedulerSpec, stream: u64) -> Scheduler {
                match &spec.policy {
                    $(SchedulerPolicy::$variant => Scheduler::$variant(Policy::new(spec, stream)),)*
                    SchedulerPolicy::Rank(formula) => Scheduler::Rank(Box::new(Rank::new(formula.clone()))),
                }
            }

            /// One of the eligible warps. A formula may hold back all of them, so that [`Scheduler::pick_by_formula`]
            /// asks it. Where schedulers take turns or issue several instructions this is the only question, and
            /// machines with a formula there are refused (`config/src/validate_gpu.rs`).
            #[inline]
            pub(crate) fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
                match self {
                    $(Scheduler::$variant(policy) => policy.pick(candidates),)*
                    Scheduler::Rank(_) => candidates.eligible.trailing_zeros(),
                }
            }

            /// A warp of a block comes.
            pub(crate) fn enter(&mut self, warp: u32, block: u64, now: Cycle) {
                match self {
                    $(Scheduler::$variant(policy) => policy.enter(warp, block, now),)*
                    Scheduler::Rank(rank) => rank.enter(warp, block, now),
                }
            }

            /// A warp goes.
            pub(crate) fn leave(&mut self, warp: u32) {
                match self {
                    $(Scheduler::$variant(policy) => policy.leave(warp),)*
                    Scheduler::Rank(_) => {}
                }
            }
        }
    };
}

warplab_config::schedulers!(policies);

impl Scheduler {
    /// One of the eligible warps, or none where a formula holds back all of them; `loads` counts what a warp waits for.
    pub(crate) fn pick_by_formula(
        &mut self,
        candidates: &Candidates<'_>,
        view: &View,
        loads: impl Fn(u32) -> i64,
    ) -> Pick {
        match self {
            Scheduler::Rank(rank) => rank.pick(candidates, view, loads),
            other => Pick { warp: Some(other.pick(candidates)), held: 0 },
        }
    }

    /// The formula that it goes by, if it does.
    pub(crate) fn formula(&self) -> Option<&str> {
        match self {
            Scheduler::Rank(rank) => Some(rank.formula()),
            _ => None,
        }
    }

    /// Whether a warp that is held back may be let go although nothing happens.
    pub(crate) fn is_timed(&self) -> bool {
        matches!(self, Scheduler::Rank(rank) if rank.is_timed())
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidates, Scheduler, View};
    use crate::spec::SchedulerSpec;
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_units::Cycle;

    const VIEW: View = View { resident: u64::MAX, global: 0 };

    fn pick(scheduler: &mut Scheduler, candidates: &Candidates<'_>) -> u32 {
        scheduler.pick_by_formula(candidates, &VIEW, |_| 0).warp.unwrap()
    }

    /// What a scheduler picks in consecutive cycles.
    /// Warps that need not wait, in the cycles of [`picks`].
    const FRESH: u64 = 0x5555_5555_5555_5555;

    pub(super) fn picks(policy: SchedulerPolicy, eligible: &[u64], ages: &[u64]) -> Vec<u32> {
        let mut scheduler =
            Scheduler::new(&SchedulerSpec { policy, seed: 1, fetch_group: 8, starvation_interval: None }, 0);
        by_age(ages).into_iter().for_each(|warp| scheduler.enter(warp, 0, Cycle(0)));
        let cycles = eligible.iter().zip(2..);
        cycles
            .map(|(&eligible, now)| {
                let yielded = now % 3 == 0;
                pick(&mut scheduler, &Candidates { eligible, now: Cycle(now), ages, yielded, fresh: FRESH })
            })
            .collect()
    }

    /// The warps in the order in which they came.
    fn by_age(ages: &[u64]) -> Vec<u32> {
        let mut warps: Vec<u32> = (0..ages.len() as u32).collect();
        warps.sort_by_key(|&warp| ages[warp as usize]);
        warps
    }

    fn every_policy() -> Vec<SchedulerPolicy> {
        let formula =
            "keep n = 0 then n + slot; keep warp m = 0 then m + 1; select(slot > n % 64, m, m + slot)";
        SchedulerPolicy::ALL.into_iter().chain([SchedulerPolicy::Rank(formula.parse().unwrap())]).collect()
    }

    #[test]
    fn every_scheduler_picks_an_eligible_warp() {
        let eligible: Vec<u64> =
            (1..200u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << (n % 64)).collect();
        let ages: Vec<u64> = (0..64).map(|warp| warp * 37 % 64).collect();
        for policy in every_policy() {
            let picked = picks(policy, &eligible, &ages);
            assert!(picked.iter().zip(&eligible).all(|(warp, mask)| mask >> warp & 1 != 0));
        }
    }

    #[test]
    fn every_scheduler_picks_the_only_eligible_warp() {
        for policy in every_policy() {
            let masks: Vec<u64> = (0..64).map(|warp| 1 << warp).collect();
            assert_eq!(picks(policy, &masks, &[0; 64]), (0..64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_copy_of_a_scheduler_goes_on_as_the_original() {
        for policy in every_policy() {
            let name = policy.text();
            let mut scheduler = Scheduler::new(
                &SchedulerSpec { policy, seed: 1, fetch_group: 8, starvation_interval: None },
                3,
            );
            let candidates =
                Candidates { eligible: u64::MAX, now: Cycle(7), ages: &[5; 64], yielded: false, fresh: 0 };
            (0..10).for_each(|_| {
                pick(&mut scheduler, &candidates);
            });
            let bytes = postcard::to_allocvec(&scheduler).unwrap();
            let mut restored: Scheduler = postcard::from_bytes(&bytes).unwrap();
            let both = (0..10).map(|_| (pick(&mut scheduler, &candidates), pick(&mut restored, &candidates)));
            assert!(both.into_iter().all(|(one, other)| one == other), "{name}");
        }
    }
}
