//! First in, first out.

use super::Policy;
use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};

/// When each line came, as the number of its insertion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fifo {
    ways: usize,
    came: Vec<u64>,
    insertions: u64,
}

impl Policy for Fifo {
    fn new(shape: CacheShape) -> Fifo {
        Fifo { ways: shape.ways, came: vec![0; shape.sets * shape.ways], insertions: 0 }
    }

    fn hit(&mut self, _set: usize, _way: usize) {}

    fn insert(&mut self, set: usize, way: usize) {
        self.insertions += 1;
        self.came[set * self.ways + way] = self.insertions;
    }

    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let came = &self.came[set * self.ways..][..self.ways];
        (0..self.ways).filter(|&way| may_go(way)).min_by_key(|&way| came[way])
    }
}
