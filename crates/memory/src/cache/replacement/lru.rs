//! Least recently used.

use super::Policy;
use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};
use warplab_units::Divisor;

/// When each line was last used, as the number of that use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lru {
    ways: usize,
    used: Vec<u32>,
    uses: u32,
}

impl Policy for Lru {
    fn new(shape: CacheShape) -> Lru {
        Lru { ways: shape.ways, used: vec![0; shape.sets * shape.ways], uses: 0 }
    }

    #[inline]
    fn hit(&mut self, set: usize, way: usize) {
        self.mark(set * self.ways + way);
    }

    #[inline]
    fn touch(&mut self, line: usize, _: Divisor) {
        self.mark(line);
    }

    #[inline]
    fn insert(&mut self, set: usize, way: usize) {
        self.hit(set, way);
    }

    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let used = &self.used[set * self.ways..][..self.ways];
        // Mostly the oldest of all may go: no other line is looked at.
        let first_use = used.iter().min()?;
        let oldest = used.iter().position(|used| used == first_use)?;
        if may_go(oldest) {
            return Some(oldest);
        }
        (0..self.ways).filter(|&way| may_go(way)).min_by_key(|&way| used[way])
    }
}

impl Lru {
    /// A line is the last that was used.
    #[inline]
    fn mark(&mut self, line: usize) {
        if self.uses == u32::MAX {
            self.count_anew();
        }
        self.uses += 1;
        self.used[line] = self.uses;
    }

    /// The numbers have run out: the lines of each set are numbered anew in the same order.
    #[cold]
    fn count_anew(&mut self) {
        for set in self.used.chunks_mut(self.ways) {
            let before = set.to_vec();
            for (way, used) in set.iter_mut().enumerate() {
                *used = before.iter().filter(|&&other| other < before[way]).count() as u32;
            }
        }
        self.uses = self.ways as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::{Lru, Policy};
    use crate::cache::CacheShape;

    #[test]
    fn the_order_of_use_survives_the_end_of_the_numbers() {
        let mut lru = Lru::new(CacheShape { sets: 1, ways: 3 });
        [2, 0, 1].into_iter().for_each(|way| lru.insert(0, way));
        lru.uses = u32::MAX;
        lru.hit(0, 2);
        assert_eq!(lru.victim(0, |_| true), Some(0));
        lru.hit(0, 0);
        assert_eq!(lru.victim(0, |_| true), Some(1));
    }
}
