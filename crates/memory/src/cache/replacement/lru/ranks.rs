//! The lines of a set in the order of their last use: a byte for each, eight looked at together.

use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};
use warplab_units::{fetch_ahead, fetch_all_ahead};

const WAYS_OF_WORD: usize = u64::BITS as usize / 8;
/// A bit in each byte of a word.
const LOWEST: u64 = u64::MAX / 0xff;
const HIGHEST: u64 = LOWEST << 7;
/// The rank of a way that the set does not have.
const BEYOND: u64 = 0x7f;

/// For each way of each set how many lines of the set have been used since it was: 0 is the last that was used. Ways that a
/// word has beyond those of the set come after all others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ranks {
    ways: usize,
    words_of_set: usize,
    words: Vec<u64>,
}

impl Ranks {
    /// The highest bit of a byte stays free.
    pub(super) const MOST_WAYS: usize = 128;

    pub(super) fn new(shape: CacheShape) -> Ranks {
        let words_of_set = shape.ways.div_ceil(WAYS_OF_WORD);
        let rank = |way: usize| if way < shape.ways { (shape.ways - 1 - way) as u64 } else { BEYOND };
        let word = |number: usize| {
            (0..WAYS_OF_WORD).fold(0, |word, way| word | rank(number * WAYS_OF_WORD + way) << (way * 8))
        };
        let set: Vec<u64> = (0..words_of_set).map(word).collect();
        Ranks { ways: shape.ways, words_of_set, words: set.repeat(shape.sets) }
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

    /// A line is the last that was used: those that were used since it was move back.
    #[inline]
    pub(super) fn mark(&mut self, set: usize, way: usize) {
        let words = &mut self.words[set * self.words_of_set..][..self.words_of_set];
        let (own, shift) = (way / WAYS_OF_WORD, way % WAYS_OF_WORD * 8);
        let rank = words[own] >> shift & 0xff;
        if rank == 0 {
            return;
        }
        for word in words.iter_mut() {
            // The highest bit of each byte that is smaller than the rank.
            let smaller = !((*word | HIGHEST) - rank * LOWEST) & HIGHEST;
            *word += smaller >> 7;
        }
        words[own] &= !(0xff << shift);
    }

    /// The line that was not used for longest, of those that may go.
    #[inline]
    pub(super) fn victim(&self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.ways as u64).rev().find_map(|rank| self.way(set, rank).filter(|&way| may_go(way)))
    }

    /// The way of a rank.
    #[inline]
    fn way(&self, set: usize, rank: u64) -> Option<usize> {
        let words = &self.words[set * self.words_of_set..][..self.words_of_set];
        words.iter().enumerate().find_map(|(number, word)| {
            let other = word ^ (rank * LOWEST);
            // The lowest of these bits is that of a byte that is zero.
            let equal = other.wrapping_sub(LOWEST) & !other & HIGHEST;
            (equal != 0).then(|| number * WAYS_OF_WORD + equal.trailing_zeros() as usize / 8)
        })
    }
}
