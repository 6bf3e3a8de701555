//! A byte for each line of a cache: the ways of a set are looked through at once.

use super::CacheShape;
use super::way_bytes::WayBytes;
use serde::{Deserialize, Serialize};
use warplab_units::{fetch_ahead, fetch_all_ahead};

/// What is known of the line in a way: equal lines have equal fingerprints, and different ones mostly have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u8);

impl Fingerprint {
    /// The way is empty.
    pub(super) const EMPTY: Fingerprint = Fingerprint(0);
    /// The set has no such way: bits that are all set.
    const NO_WAY: Fingerprint = Fingerprint(u8::MAX);

    /// That of a line with this number.
    #[inline]
    pub(super) fn of(number: u64) -> Fingerprint {
        let hash = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        Fingerprint(hash.clamp(Fingerprint::EMPTY.0 + 1, Fingerprint::NO_WAY.0 - 1))
    }
}

/// The fingerprints of all lines, set by set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fingerprints {
    /// Those of a set.
    groups_of_set: usize,
    groups: Vec<WayBytes>,
}

impl Fingerprints {
    /// Every way is empty.
    pub(super) fn new(shape: CacheShape) -> Fingerprints {
        let of_way = |way: usize| if way < shape.ways { Fingerprint::EMPTY.0 } else { Fingerprint::NO_WAY.0 };
        let set = WayBytes::of_set(shape.ways, of_way);
        Fingerprints { groups_of_set: set.len(), groups: set.repeat(shape.sets) }
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

    /// What a way holds from now on.
    #[inline]
    pub(super) fn put(&mut self, set: usize, way: usize, fingerprint: Fingerprint) {
        let group = &mut self.groups[set * self.groups_of_set + way / WayBytes::WAYS];
        group.set(way % WayBytes::WAYS, fingerprint.0);
    }

    /// The first empty way of a set.
    #[inline]
    pub(super) fn find_empty(&self, set: usize) -> Option<usize> {
        self.find(set, Fingerprint::EMPTY, |_| true)
    }

    /// The first way of a set with a fingerprint whose line is the right one.
    #[inline]
    pub(super) fn find(
        &self,
        set: usize,
        fingerprint: Fingerprint,
        is_right: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let groups = &self.groups[set * self.groups_of_set..][..self.groups_of_set];
        let mut numbered = groups.iter().enumerate();
        numbered.find_map(|(number, group)| {
            let first = number * WayBytes::WAYS;
            group.find(fingerprint.0, |way| is_right(first + way)).map(|way| first + way)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, Fingerprints};
    use crate::cache::CacheShape;

    fn ways(fingerprints: &Fingerprints, set: usize, fingerprint: Fingerprint) -> Vec<usize> {
        (0..20).filter(|&way| fingerprints.find(set, fingerprint, |found| found == way).is_some()).collect()
    }

    #[test]
    fn a_fingerprint_is_found_in_the_ways_of_its_set_that_hold_it_and_in_no_other() {
        let mut fingerprints = Fingerprints::new(CacheShape { sets: 2, ways: 20 });
        let fingerprint = Fingerprint::of(77);
        [0, 1, 7, 8, 19].into_iter().for_each(|way| fingerprints.put(1, way, fingerprint));
        assert_eq!(ways(&fingerprints, 1, fingerprint), [0, 1, 7, 8, 19]);
        assert!(ways(&fingerprints, 0, fingerprint).is_empty());
        fingerprints.put(1, 7, Fingerprint::EMPTY);
        assert_eq!(ways(&fingerprints, 1, fingerprint), [0, 1, 8, 19]);
    }

    #[test]
    fn a_set_has_as_many_empty_ways_as_its_shape_says() {
        let fingerprints = Fingerprints::new(CacheShape { sets: 1, ways: 11 });
        assert_eq!(ways(&fingerprints, 0, Fingerprint::EMPTY), (0..11).collect::<Vec<usize>>());
    }

    #[test]
    fn no_line_has_the_fingerprint_of_an_empty_way_or_of_none() {
        assert!(
            (0..100_000).map(Fingerprint::of).all(|of| of != Fingerprint::EMPTY && of != Fingerprint::NO_WAY)
        );
    }
}
