//! Sets of banks as bits.

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

const BITS: usize = u64::BITS as usize;

/// A set of banks of one pseudo-channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BankSet(SmallVec<[u64; 2]>);

impl BankSet {
    /// No bank of so many.
    pub(crate) fn empty(banks: usize) -> BankSet {
        BankSet(smallvec![0; banks.div_ceil(BITS)])
    }

    #[inline]
    pub(crate) fn insert(&mut self, bank: usize) {
        self.0[bank / BITS] |= 1 << (bank % BITS);
    }

    #[inline]
    pub(crate) fn remove(&mut self, bank: usize) {
        self.0[bank / BITS] &= !(1 << (bank % BITS));
    }

    #[inline]
    pub(crate) fn contains(&self, bank: usize) -> bool {
        self.0[bank / BITS] >> (bank % BITS) & 1 != 0
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Does something for every bank, ascending.
    #[inline]
    pub(crate) fn for_each(&self, mut work: impl FnMut(usize)) {
        for (number, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                work(number * BITS + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// The first bank that is not in `other`.
    #[inline]
    pub(crate) fn first_without(&self, other: &BankSet) -> Option<usize> {
        let mut words = self.0.iter().zip(&other.0).map(|(&own, &other)| own & !other).enumerate();
        words
            .find(|&(_, word)| word != 0)
            .map(|(number, word)| number * BITS + word.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::BankSet;

    #[test]
    fn the_banks_of_a_set_come_ascending_across_words() {
        let mut set = BankSet::empty(256);
        [200, 3, 64, 63].into_iter().for_each(|bank| set.insert(bank));
        let mut banks = Vec::new();
        set.for_each(|bank| banks.push(bank));
        assert_eq!(banks, [3, 63, 64, 200]);
        set.remove(64);
        assert!(!set.contains(64) && set.contains(63));
    }

    #[test]
    fn the_first_bank_that_the_other_lacks() {
        let (mut one, mut other) = (BankSet::empty(256), BankSet::empty(256));
        [1, 2, 130].into_iter().for_each(|bank| one.insert(bank));
        assert_eq!(one.first_without(&other), Some(1));
        [1, 2].into_iter().for_each(|bank| other.insert(bank));
        assert_eq!(one.first_without(&other), Some(130));
        other.insert(130);
        assert_eq!(one.first_without(&other), None);
    }
}
