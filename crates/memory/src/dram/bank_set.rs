//! Sets of banks as bits.

use serde::{Deserialize, Serialize};

const BITS: usize = u64::BITS as usize;

/// A set of banks of one pseudo-channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BankSet {
    first: u64,
    /// The banks from 64 on; empty where there are none.
    more: Box<[u64]>,
}

impl BankSet {
    /// No bank of so many.
    pub(crate) fn empty(banks: usize) -> BankSet {
        BankSet { first: 0, more: vec![0; banks.div_ceil(BITS).saturating_sub(1)].into() }
    }

    #[inline]
    fn word(&self, bank: usize) -> u64 {
        if bank < BITS { self.first } else { self.more[bank / BITS - 1] }
    }

    #[inline]
    fn word_mut(&mut self, bank: usize) -> &mut u64 {
        if bank < BITS { &mut self.first } else { &mut self.more[bank / BITS - 1] }
    }

    #[inline]
    pub(crate) fn insert(&mut self, bank: usize) {
        *self.word_mut(bank) |= 1 << (bank % BITS);
    }

    #[inline]
    pub(crate) fn remove(&mut self, bank: usize) {
        *self.word_mut(bank) &= !(1 << (bank % BITS));
    }

    #[inline]
    pub(crate) fn contains(&self, bank: usize) -> bool {
        self.word(bank) >> (bank % BITS) & 1 != 0
    }

    pub(crate) fn clear(&mut self) {
        self.first = 0;
        self.more.fill(0);
    }

    /// The first bank that the other lacks.
    #[inline]
    pub(crate) fn first_without(&self, other: &BankSet) -> Option<usize> {
        let left = self.first & !other.first;
        if left != 0 {
            return Some(left.trailing_zeros() as usize);
        }
        let mut words = self.more.iter().zip(&other.more).map(|(&own, &other)| own & !other).enumerate();
        let (number, word) = words.find(|&(_, word)| word != 0)?;
        Some((number + 1) * BITS + word.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::BankSet;

    #[test]
    fn a_set_holds_the_banks_that_were_put_in_and_not_taken_out_across_words() {
        let mut set = BankSet::empty(256);
        [200, 3, 64, 63].into_iter().for_each(|bank| set.insert(bank));
        set.remove(64);
        let held: Vec<usize> = (0..256).filter(|&bank| set.contains(bank)).collect();
        assert_eq!(held, [3, 63, 200]);
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
