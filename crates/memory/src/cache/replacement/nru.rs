//! Not recently used: lines that were used again stay, as long as the set has others.

use super::{Policy, lru::Lru};
use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};
use warplab_units::Divisor;

/// Which lines were used again since they came, and in which order all were used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Nru {
    ways: usize,
    /// Set by set, a line each.
    used_again: Vec<bool>,
    order: Lru,
}

impl Policy for Nru {
    fn new(shape: CacheShape) -> Nru {
        Nru { ways: shape.ways, used_again: vec![false; shape.sets * shape.ways], order: Lru::new(shape) }
    }

    #[inline]
    fn hit(&mut self, set: usize, way: usize) {
        self.used_again[set * self.ways + way] = true;
        self.order.hit(set, way);
    }

    /// Data that comes for a line is not a use of it.
    #[inline]
    fn touch(&mut self, _line: usize, _ways: Divisor) {}

    fn insert(&mut self, set: usize, way: usize) {
        self.used_again[set * self.ways + way] = false;
        self.order.insert(set, way);
    }

    #[inline]
    fn fetch(&self, set: usize) {
        self.order.fetch(set);
    }

    #[inline]
    fn fetch_all(&self) {
        self.order.fetch_all();
    }

    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let used_again = &mut self.used_again[set * self.ways..][..self.ways];
        if let Some(way) = self.order.victim(set, |way| may_go(way) && !used_again[way]) {
            return Some(way);
        }
        used_again.fill(false);
        self.order.victim(set, may_go)
    }
}
