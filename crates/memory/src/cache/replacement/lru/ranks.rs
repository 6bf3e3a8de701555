//! The lines of a set in the order of their last use: a byte for each.

use crate::cache::CacheShape;
use crate::cache::way_bytes::WayBytes;
use serde::{Deserialize, Serialize};
use warplab_units::{fetch_ahead, fetch_all_ahead};

/// The rank of a way that the set does not have.
const BEYOND: u8 = u8::MAX;

/// For each way of each set how many lines of the set have been used since it was: 0 is the last that was used. Ways that a
/// group has beyond those of the set come after all others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ranks {
    ways: usize,
    groups_of_set: usize,
    groups: Vec<WayBytes>,
}

impl Ranks {
    /// A rank is a byte.
    pub(super) const MOST_WAYS: usize = 128;

    pub(super) fn new(shape: CacheShape) -> Ranks {
        let rank = |way: usize| if way < shape.ways { (shape.ways - 1 - way) as u8 } else { BEYOND };
        let set = WayBytes::of_set(shape.ways, rank);
        Ranks { ways: shape.ways, groups_of_set: set.len(), groups: set.repeat(shape.sets) }
    }

    /// Fetches those of a set, which will be needed soon.
    #[inline]
    pub(super) fn fetch(&self, set: usize) {
        fetch_ahead(&self.groups[set * self.groups_of_set]);
    }

    /// Fetches those of all sets.
    #[inline]
    pub(super) fn fetch_all(&self) {
        fetch_all_ahead(&self.groups[..]);
    }

    /// A line is the last that was used: those that were used since it was move back.
    #[inline]
    pub(super) fn mark(&mut self, set: usize, way: usize) {
        let groups = &mut self.groups[set * self.groups_of_set..][..self.groups_of_set];
        let (own, way) = (way / WayBytes::WAYS, way % WayBytes::WAYS);
        let rank = groups[own].get(way);
        if rank == 0 {
            return;
        }
        groups.iter_mut().for_each(|group| group.increase_below(rank));
        groups[own].set(way, 0);
    }

    /// The line that was not used for longest, of those that may go.
    #[inline]
    pub(super) fn victim(&self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.ways as u8).rev().find_map(|rank| self.way(set, rank).filter(|&way| may_go(way)))
    }

    /// The way of a rank.
    #[inline]
    fn way(&self, set: usize, rank: u8) -> Option<usize> {
        let groups = &self.groups[set * self.groups_of_set..][..self.groups_of_set];
        let mut numbered = groups.iter().enumerate();
        numbered.find_map(|(number, group)| Some(number * WayBytes::WAYS + group.find(rank, |_| true)?))
    }
}
