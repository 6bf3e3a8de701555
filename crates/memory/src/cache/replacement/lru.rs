//! Least recently used.

mod ranks;
mod uses;

use super::Policy;
use crate::cache::CacheShape;
use ranks::Ranks;
use serde::{Deserialize, Serialize};
use uses::Uses;

/// In which order the lines of each set were used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Lru {
    /// Of sets of few ways: the ranks of all lines.
    Ranks(Ranks),
    /// Of sets of many ways: the last use of each line.
    Uses(Uses),
}

impl Policy for Lru {
    fn new(shape: CacheShape) -> Lru {
        if shape.ways <= Ranks::MOST_WAYS {
            Lru::Ranks(Ranks::new(shape))
        } else {
            Lru::Uses(Uses::new(shape))
        }
    }

    #[inline]
    fn hit(&mut self, set: usize, way: usize) {
        match self {
            Lru::Ranks(ranks) => ranks.mark(set, way),
            Lru::Uses(uses) => uses.mark(set, way),
        }
    }

    #[inline]
    fn insert(&mut self, set: usize, way: usize) {
        self.hit(set, way);
    }

    #[inline]
    fn fetch(&self, set: usize) {
        if let Lru::Ranks(ranks) = self {
            ranks.fetch(set);
        }
    }

    #[inline]
    fn fetch_all(&self) {
        if let Lru::Ranks(ranks) = self {
            ranks.fetch_all();
        }
    }

    #[inline]
    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Lru::Ranks(ranks) => ranks.victim(set, may_go),
            Lru::Uses(uses) => uses.victim(set, may_go),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ranks, Uses};
    use crate::cache::CacheShape;

    #[test]
    fn ranks_and_uses_name_the_same_victims() {
        for ways in [1, 3, 8, 20, Ranks::MOST_WAYS] {
            let shape = CacheShape { sets: 3, ways };
            let (mut ranks, mut uses) = (Ranks::new(shape), Uses::new(shape));
            (0..3 * ways).for_each(|line| {
                ranks.mark(line % 3, line / 3);
                uses.mark(line % 3, line / 3);
            });
            for step in 0..5000usize {
                let (set, way) = (step % 3, step * step / 7 % ways);
                let may_go = |other: usize| !(other + step).is_multiple_of(5);
                assert_eq!(ranks.victim(set, may_go), uses.victim(set, may_go));
                ranks.mark(set, way);
                uses.mark(set, way);
            }
        }
    }

    #[test]
    fn a_set_of_which_no_line_may_go_has_no_victim() {
        let shape = CacheShape { sets: 1, ways: 20 };
        assert_eq!(
            (Ranks::new(shape).victim(0, |_| false), Uses::new(shape).victim(0, |_| false)),
            (None, None)
        );
    }
}
