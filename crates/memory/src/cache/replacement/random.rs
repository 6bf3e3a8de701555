//! Any line, by a seeded generator: the same in every run.

use super::Policy;
use crate::cache::CacheShape;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// The same for all caches; different caches see different requests.
const SEED: u64 = 1;

/// The generator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Random {
    ways: usize,
    generator: Pcg32,
}

impl Policy for Random {
    fn new(shape: CacheShape) -> Random {
        Random { ways: shape.ways, generator: Pcg32::seed_from_u64(SEED) }
    }

    fn hit(&mut self, _set: usize, _way: usize) {}

    fn insert(&mut self, _set: usize, _way: usize) {}

    /// The first line that may go from a random way on.
    fn victim(&mut self, _set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let first = self.generator.next_u32() as usize % self.ways;
        (first..self.ways).chain(0..first).find(|&way| may_go(way))
    }
}
