//! Least recently used.

use super::Policy;
use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};

/// When each line was last used, as the number of that use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lru {
    ways: usize,
    used: Vec<u64>,
    uses: u64,
}

impl Policy for Lru {
    fn new(shape: CacheShape) -> Lru {
        Lru { ways: shape.ways, used: vec![0; shape.sets * shape.ways], uses: 0 }
    }

    #[inline]
    fn hit(&mut self, set: usize, way: usize) {
        self.uses += 1;
        self.used[set * self.ways + way] = self.uses;
    }

    #[inline]
    fn insert(&mut self, set: usize, way: usize) {
        self.hit(set, way);
    }

    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let used = &self.used[set * self.ways..][..self.ways];
        (0..self.ways).filter(|&way| may_go(way)).min_by_key(|&way| used[way])
    }
}
