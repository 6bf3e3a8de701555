//! Which line of a full set goes: one file for each policy, and one line for it in the list below.

mod fifo;
mod lru;
mod nru;
mod random;
mod tree_plru;

use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::ReplacementPolicy;
use warplab_units::Divisor;

/// A replacement policy for all sets of a cache. Lines that are empty are taken first and are not its business.
pub(crate) trait Policy {
    /// The state in which no line has been used.
    fn new(shape: CacheShape) -> Self;
    /// A line of a set was found.
    fn hit(&mut self, set: usize, way: usize);
    /// Data has come for a line, given by its number among all lines: set times ways plus way.
    #[inline]
    fn touch(&mut self, line: usize, ways: Divisor) {
        let (set, way) = ways.divide(line as u64);
        self.hit(set as usize, way as usize);
    }
    /// A line was put into a way of a set.
    fn insert(&mut self, set: usize, way: usize);
    /// Fetches what is kept of a set, which will be needed soon.
    #[inline]
    fn fetch(&self, _set: usize) {}
    /// Fetches what is kept of all sets.
    #[inline]
    fn fetch_all(&self) {}
    /// The way of a full set that goes, among those that may; none where none may.
    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize>;
}

/// One type of the policies in the list, chosen by the name that a machine file gives.
macro_rules! policies {
    ($($policy:ident: $state:ty,)*) => {
        /// The state of a cache's replacement policy.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum Replacement { $($policy($state),)* }

        impl Replacement {
            pub(crate) fn new(policy: ReplacementPolicy, shape: CacheShape) -> Replacement {
                match policy { $(ReplacementPolicy::$policy => Replacement::$policy(Policy::new(shape)),)* }
            }

            #[inline]
            pub(crate) fn hit(&mut self, set: usize, way: usize) {
                match self { $(Replacement::$policy(state) => state.hit(set, way),)* }
            }

            #[inline]
            pub(crate) fn touch(&mut self, line: usize, ways: Divisor) {
                match self { $(Replacement::$policy(state) => state.touch(line, ways),)* }
            }

            #[inline]
            pub(crate) fn insert(&mut self, set: usize, way: usize) {
                match self { $(Replacement::$policy(state) => state.insert(set, way),)* }
            }

            #[inline]
            pub(crate) fn fetch(&self, set: usize) {
                match self { $(Replacement::$policy(state) => state.fetch(set),)* }
            }

            #[inline]
            pub(crate) fn fetch_all(&self) {
                match self { $(Replacement::$policy(state) => state.fetch_all(),)* }
            }

            #[inline]
            pub(crate) fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
                match self { $(Replacement::$policy(state) => state.victim(set, may_go),)* }
            }
        }
    };
}

policies! {
    Lru: lru::Lru,
    Fifo: fifo::Fifo,
    Random: random::Random,
    TreePlru: tree_plru::TreePlru,
    Nru: nru::Nru,
}

#[cfg(test)]
mod tests {
    use super::Replacement;
    use crate::cache::CacheShape;
    use warplab_config::gpu::ReplacementPolicy::{self, Fifo, Lru, Nru, Random, TreePlru};

    const ALL: [ReplacementPolicy; 5] = [Lru, Fifo, Random, TreePlru, Nru];

    /// A full set whose lines came in the order of their ways.
    fn full(policy: ReplacementPolicy, ways: usize) -> Replacement {
        let mut replacement = Replacement::new(policy, CacheShape { sets: 2, ways });
        (0..ways).for_each(|way| replacement.insert(1, way));
        replacement
    }

    /// The lines that go, one after the other, each making room for a new one.
    fn victims(replacement: &mut Replacement, count: usize) -> Vec<usize> {
        let mut next = || {
            let way = replacement.victim(1, |_| true)?;
            replacement.insert(1, way);
            Some(way)
        };
        (0..count).filter_map(|_| next()).collect()
    }

    #[test]
    fn lru_takes_the_line_that_was_not_used_for_longest() {
        let mut lru = full(Lru, 4);
        lru.hit(1, 0);
        lru.hit(1, 2);
        assert_eq!(victims(&mut lru, 5), [1, 3, 0, 2, 1]);
    }

    #[test]
    fn fifo_takes_the_line_that_came_first_whatever_was_used() {
        let mut fifo = full(Fifo, 4);
        fifo.hit(1, 0);
        fifo.hit(1, 2);
        assert_eq!(victims(&mut fifo, 5), [0, 1, 2, 3, 0]);
    }

    #[test]
    fn tree_plru_goes_to_the_half_that_was_not_used_last_at_each_node() {
        let mut tree = full(TreePlru, 4);
        // All were used in order: away from 3, then away from 1, then from the last victims.
        assert_eq!(victims(&mut tree, 4), [0, 2, 1, 3]);
        tree.hit(1, 0);
        tree.hit(1, 1);
        assert_eq!(victims(&mut tree, 1), [2]);
    }

    #[test]
    fn tree_plru_of_ways_that_are_no_power_of_two_takes_every_way_and_no_other() {
        let mut taken = victims(&mut full(TreePlru, 5), 40);
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn nru_keeps_lines_that_were_used_again_until_all_were() {
        let mut nru = full(Nru, 4);
        nru.hit(1, 0);
        nru.hit(1, 2);
        assert_eq!(victims(&mut nru, 3), [1, 3, 1]);
        (0..4).for_each(|way| nru.hit(1, way));
        assert_eq!(victims(&mut nru, 2), [0, 1]);
    }

    #[test]
    fn random_takes_the_same_lines_in_every_run_and_every_line_in_time() {
        let [first, second] = [0, 1].map(|_| victims(&mut full(Random, 8), 100));
        assert_eq!(first, second);
        for way in 0..8 {
            let count = first.iter().filter(|&&taken| taken == way).count();
            assert!((4..=25).contains(&count), "way {way} was taken {count} times of 100");
        }
    }

    #[test]
    fn no_policy_takes_a_line_that_must_stay() {
        for policy in ALL {
            let mut replacement = full(policy, 6);
            for only in [5, 0, 3] {
                assert_eq!(replacement.victim(1, |way| way == only), Some(only), "{policy:?}");
            }
            assert_eq!(replacement.victim(1, |_| false), None, "{policy:?}");
        }
    }

    #[test]
    fn sets_know_nothing_of_each_other() {
        for policy in [Lru, Fifo, TreePlru, Nru] {
            let mut replacement = full(policy, 4);
            (0..4).rev().for_each(|way| replacement.insert(0, way));
            assert_eq!(replacement.victim(1, |_| true), Some(0), "{policy:?}");
            assert_eq!(replacement.victim(0, |_| true), Some(3), "{policy:?}");
        }
    }

    #[test]
    fn a_stored_policy_goes_on_as_the_original() {
        for policy in ALL {
            let mut original = full(policy, 8);
            victims(&mut original, 13);
            original.hit(1, 4);
            let bytes = postcard::to_allocvec(&original).unwrap();
            let mut restored: Replacement = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(victims(&mut restored, 50), victims(&mut original, 50), "{policy:?}");
        }
    }
}
