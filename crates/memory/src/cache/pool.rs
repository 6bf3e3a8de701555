//! A cache with tags for more lines than it has data for: each bank of sets has data for so many lines, and when all of it is
//! taken, a hand that goes from set to set frees some.

use serde::{Deserialize, Serialize};

/// The data of a cache whose tags are more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolShape {
    /// Banks: each has an equal share of the sets, one after the other.
    pub banks: usize,
    /// Lines that a bank has data for.
    pub lines_of_bank: usize,
}

/// Who holds the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pool {
    sets_of_bank: usize,
    lines_of_bank: usize,
    banks: Vec<Bank>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bank {
    /// Lines that have data.
    held: usize,
    /// The set that the hand points to, among those of the bank.
    hand: usize,
}

impl Pool {
    /// Nobody holds anything; the hands are at the last sets.
    pub(super) fn new(shape: PoolShape, sets: usize) -> Pool {
        let sets_of_bank = sets / shape.banks;
        let bank = Bank { held: 0, hand: sets_of_bank - 1 };
        Pool { sets_of_bank, lines_of_bank: shape.lines_of_bank.max(1), banks: vec![bank; shape.banks] }
    }

    /// The set that must free a line before one more comes into the bank of `set`; none where there is data left.
    pub(super) fn must_free(&mut self, set: usize, holds_lines: impl Fn(usize) -> bool) -> Option<usize> {
        let number = set / self.sets_of_bank;
        let bank = &mut self.banks[number];
        if bank.held < self.lines_of_bank {
            return None;
        }
        let before = |hand: usize| hand.checked_sub(1).unwrap_or(self.sets_of_bank - 1);
        while !holds_lines(number * self.sets_of_bank + bank.hand) {
            bank.hand = before(bank.hand);
        }
        let found = bank.hand;
        bank.hand = before(found);
        Some(number * self.sets_of_bank + found)
    }

    /// A line has come into a set.
    pub(super) fn take(&mut self, set: usize) {
        self.banks[set / self.sets_of_bank].held += 1;
    }

    /// A line has left a set.
    pub(super) fn give_back(&mut self, set: usize) {
        self.banks[set / self.sets_of_bank].held -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Pool, PoolShape};

    #[test]
    fn a_full_bank_frees_from_the_last_set_that_holds_a_line_to_the_first_and_round_again() {
        let mut pool = Pool::new(PoolShape { banks: 2, lines_of_bank: 2 }, 8);
        let holds = |set: usize| set == 4 || set == 6;
        assert_eq!(pool.must_free(5, holds), None);
        pool.take(4);
        pool.take(6);
        assert_eq!([5, 5, 5].map(|set| pool.must_free(set, holds)), [Some(6), Some(4), Some(6)]);
        // The other bank has data left.
        assert_eq!(pool.must_free(3, holds), None);
        pool.give_back(6);
        assert_eq!(pool.must_free(5, holds), None);
    }
}
