//! Which of the eligible warps a scheduler takes.

use rand::RngExt;
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::SchedulerPolicy;

/// Warps of a fetch group of the two-level policy.
const GROUP: u32 = 8;

/// The memory of one scheduler's policy. Warps are numbered inside the sub-partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Policy {
    kind: SchedulerPolicy,
    last: u32,
    group: u32,
    random: Pcg32,
}

impl Policy {
    pub(crate) fn new(kind: SchedulerPolicy, seed: u64, stream: u64) -> Policy {
        Policy { kind, last: 0, group: 0, random: Pcg32::new(seed, stream) }
    }

    /// One of the `eligible` warps (bit i is warp i; at least one). `ages` grow with the time of dispatch; `waits` are
    /// the warps that wait for something long.
    pub(crate) fn pick(&mut self, eligible: u64, ages: &[u64], waits: u64) -> u32 {
        let picked = match self.kind {
            SchedulerPolicy::Lrr => after(eligible, self.last),
            SchedulerPolicy::Gto => {
                self.greedy(eligible).unwrap_or_else(|| extreme(eligible, ages, |age| age))
            }
            SchedulerPolicy::Oldest => extreme(eligible, ages, |age| age),
            SchedulerPolicy::Cggty => {
                self.greedy(eligible).unwrap_or_else(|| extreme(eligible, ages, |age| u64::MAX - age))
            }
            SchedulerPolicy::TwoLevel => self.two_level(eligible, waits),
            SchedulerPolicy::Random => {
                let place = self.random.random_range(0..eligible.count_ones());
                nth(eligible, place)
            }
        };
        self.last = picked;
        picked
    }

    fn greedy(&self, eligible: u64) -> Option<u32> {
        (eligible >> self.last & 1 != 0).then_some(self.last)
    }

    /// Round robin in the active group; the group changes when none of it is eligible and all of it waits long.
    fn two_level(&mut self, eligible: u64, waits: u64) -> u32 {
        let members = |group: u32| ((1u64 << GROUP) - 1) << (group * GROUP);
        let here = eligible & members(self.group);
        if here != 0 {
            return after(here, self.last);
        }
        let others_ready = eligible & !members(self.group);
        let picked = after(others_ready, self.last);
        if waits & members(self.group) != 0 || others_ready != 0 {
            self.group = picked / GROUP;
        }
        picked
    }
}

/// The first set bit after `last`, going round.
fn after(eligible: u64, last: u32) -> u32 {
    let above = if last >= 63 { 0 } else { eligible & (u64::MAX << (last + 1)) };
    if above != 0 { above.trailing_zeros() } else { eligible.trailing_zeros() }
}

/// The set bit whose key is smallest.
fn extreme(eligible: u64, ages: &[u64], key: impl Fn(u64) -> u64) -> u32 {
    let mut rest = eligible;
    let mut best = (u64::MAX, 0);
    while rest != 0 {
        let warp = rest.trailing_zeros();
        rest &= rest - 1;
        let own = (key(ages[warp as usize]), warp);
        if own < best || best.0 == u64::MAX {
            best = own;
        }
    }
    best.1
}

fn nth(mut bits: u64, place: u32) -> u32 {
    for _ in 0..place {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::Policy;
    use warplab_config::gpu::SchedulerPolicy;

    fn picks(kind: SchedulerPolicy, eligible: &[u64], ages: &[u64]) -> Vec<u32> {
        let mut policy = Policy::new(kind, 1, 0);
        eligible.iter().map(|&eligible| policy.pick(eligible, ages, 0)).collect()
    }

    #[test]
    fn round_robin_goes_on_after_the_last() {
        assert_eq!(picks(SchedulerPolicy::Lrr, &[0b1011; 4], &[0; 4]), [1, 3, 0, 1]);
    }

    #[test]
    fn greedy_stays_and_then_takes_the_oldest() {
        assert_eq!(picks(SchedulerPolicy::Gto, &[0b1110, 0b1110, 0b1010], &[9, 7, 3, 5]), [2, 2, 3]);
    }

    #[test]
    fn greedy_then_youngest_takes_the_youngest() {
        assert_eq!(picks(SchedulerPolicy::Cggty, &[0b1110, 0b1110, 0b1100], &[9, 7, 3, 5]), [1, 1, 3]);
    }

    #[test]
    fn oldest_never_stays_with_a_younger_one() {
        assert_eq!(picks(SchedulerPolicy::Oldest, &[0b10, 0b11], &[1, 2]), [1, 0]);
    }

    #[test]
    fn two_levels_stay_in_their_group_while_one_of_it_can_go() {
        let eligible = [0x0101, 0x0101, 0x0100, 0x0101];
        assert_eq!(picks(SchedulerPolicy::TwoLevel, &eligible, &[0; 16]), [0, 0, 8, 8]);
    }

    #[test]
    fn random_repeats_with_its_seed() {
        let eligible = [0xffff; 8];
        assert_eq!(
            picks(SchedulerPolicy::Random, &eligible, &[0; 16]),
            picks(SchedulerPolicy::Random, &eligible, &[0; 16])
        );
    }
}
