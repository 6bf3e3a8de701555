//! A byte for each line of a cache: eight ways of a set are looked through at once.

use super::CacheShape;
use serde::{Deserialize, Serialize};
use warplab_units::{fetch_ahead, fetch_all_ahead};

const WAYS_OF_WORD: usize = u64::BITS as usize / 8;
/// A bit in each byte of a word.
const LOWEST: u64 = u64::MAX / 0xff;
const HIGHEST: u64 = LOWEST << 7;

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

/// The fingerprints of all lines, set by set: a set is a whole number of words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fingerprints {
    shape: CacheShape,
    words_of_set: usize,
    words: Vec<u64>,
    /// Ways of each set that are empty.
    empty: Vec<u32>,
}

impl Fingerprints {
    /// Every way is empty.
    pub(super) fn new(shape: CacheShape) -> Fingerprints {
        let words_of_set = shape.ways.div_ceil(WAYS_OF_WORD);
        let empty_word = |number: usize| match shape.ways - number * WAYS_OF_WORD {
            ways @ 0..WAYS_OF_WORD => u64::MAX << (ways * 8),
            _ => u64::from(Fingerprint::EMPTY.0) * LOWEST,
        };
        let set: Vec<u64> = (0..words_of_set).map(empty_word).collect();
        let empty = vec![shape.ways as u32; shape.sets];
        Fingerprints { shape, words_of_set, words: set.repeat(shape.sets), empty }
    }

    /// Fetches those of a set, which will be needed soon.
    #[inline]
    pub(super) fn fetch(&self, set: usize) {
        fetch_ahead(&self.words[set * self.words_of_set]);
    }

    /// Fetches those of all sets.
    #[inline]
    pub(super) fn fetch_all(&self) {
        fetch_all_ahead(&self.words[..]);
    }

    /// What a way holds from now on.
    #[inline]
    pub(super) fn put(&mut self, set: usize, way: usize, fingerprint: Fingerprint) {
        let word = &mut self.words[set * self.words_of_set + way / WAYS_OF_WORD];
        let shift = way % WAYS_OF_WORD * 8;
        let was_empty = *word >> shift & 0xff == u64::from(Fingerprint::EMPTY.0);
        let empty = self.empty[set] - u32::from(was_empty);
        self.empty[set] = empty + u32::from(fingerprint == Fingerprint::EMPTY);
        *word = *word & !(0xff << shift) | u64::from(fingerprint.0) << shift;
    }

    /// The first empty way of a set.
    #[inline]
    pub(super) fn find_empty(&self, set: usize) -> Option<usize> {
        if self.empty[set] == 0 { None } else { self.find(set, Fingerprint::EMPTY, |_| true) }
    }

    /// The first way of a set with a fingerprint whose line is the right one.
    #[inline]
    pub(super) fn find(
        &self,
        set: usize,
        fingerprint: Fingerprint,
        is_right: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let words = &self.words[set * self.words_of_set..][..self.words_of_set];
        for (number, word) in words.iter().enumerate() {
            let mut found = zero_bytes(word ^ (u64::from(fingerprint.0) * LOWEST));
            while found != 0 {
                let way = number * WAYS_OF_WORD + found.trailing_zeros() as usize / 8;
                if is_right(way) {
                    return Some(way);
                }
                found &= found - 1;
            }
        }
        None
    }
}

/// The highest bit of each byte that is zero.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    !(((word & !HIGHEST) + !HIGHEST) | word) & HIGHEST
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
