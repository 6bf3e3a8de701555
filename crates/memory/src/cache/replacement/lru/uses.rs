//! The last use of each line, as the number of that use.

use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};

/// When each line was last used, as the number of that use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Uses {
    ways: usize,
    used: Vec<u64>,
    uses: u64,
}

impl Uses {
    pub(super) fn new(shape: CacheShape) -> Uses {
        Uses { ways: shape.ways, used: vec![0; shape.sets * shape.ways], uses: 0 }
    }

    /// A line is the last that was used.
    #[inline]
    pub(super) fn mark(&mut self, set: usize, way: usize) {
        self.uses += 1;
        self.used[set * self.ways + way] = self.uses;
    }

    /// The line of a full set that was not used for longest, of those that may go.
    pub(super) fn victim(&self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
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
