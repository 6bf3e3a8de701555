//! What each bank needs next, as far as it depends on the bank alone: found once and kept until something changes.

use super::bank_set::BankSet;
use super::constraints::{Command, Constraints, ReadyTimes};
use super::queues::Queues;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;

/// The next command of a bank.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// When the bank alone allows it.
    pub(crate) ready: Ticks,
    /// The age of the access that it serves.
    pub(crate) age: u64,
    place: u32,
}

/// What the banks need next for the accesses of the present direction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wishes {
    wishes: Vec<Wish>,
    /// The banks whose wish is known.
    known: BankSet,
    /// Of these: banks that need a column command, an activate, a precharge.
    columns: BankSet,
    activates: BankSet,
    precharges: BankSet,
}

impl Wishes {
    /// Nothing is known of so many banks.
    pub(crate) fn new(banks: usize) -> Wishes {
        let none = BankSet::empty(banks);
        Wishes {
            wishes: vec![Wish::default(); banks],
            known: none.clone(),
            columns: none.clone(),
            activates: none.clone(),
            precharges: none,
        }
    }

    /// Something has changed for a bank.
    #[inline]
    pub(crate) fn forget(&mut self, bank: usize) {
        if self.known.contains(bank) {
            [&mut self.known, &mut self.columns, &mut self.activates, &mut self.precharges]
                .into_iter()
                .for_each(|set| set.remove(bank));
        }
    }

    /// Something has changed for all banks.
    pub(crate) fn forget_all(&mut self) {
        [&mut self.known, &mut self.columns, &mut self.activates, &mut self.precharges]
            .into_iter()
            .for_each(BankSet::clear);
    }

    /// Finds what is not known: a column command for the oldest access to the open row of a bank, or else the way to
    /// the row of the oldest access of all.
    #[inline]
    pub(crate) fn find(
        &mut self,
        constraints: &Constraints,
        ready: &ReadyTimes,
        open_rows: &[Option<u64>],
        queues: &mut Queues,
        column: Command,
    ) {
        while let Some(bank) = queues.occupied().first_without(&self.known) {
            let open_row = open_rows[bank];
            let hit = open_row.and_then(|row| queues.oldest_of_row(bank, row));
            self.known.insert(bank);
            let Some(place) = hit.or_else(|| queues.oldest(bank)) else { continue };
            let waiting = queues.waiting(place);
            let (command, banks) = match (hit, open_row) {
                (Some(_), _) => (column, &mut self.columns),
                (None, Some(_)) => (Command::Precharge, &mut self.precharges),
                (None, None) => (Command::Activate, &mut self.activates),
            };
            banks.insert(bank);
            let ready = ready.of_bank(constraints, command, bank).max(waiting.at);
            self.wishes[bank] = Wish { ready, age: waiting.age, place: place as u32 };
        }
    }

    /// The banks that need a command.
    pub(crate) fn of(&self, command: Command) -> &BankSet {
        match command {
            Command::Activate => &self.activates,
            Command::Precharge => &self.precharges,
            _ => &self.columns,
        }
    }

    /// The next command of a bank.
    #[inline]
    pub(crate) fn wish(&self, bank: usize) -> &Wish {
        &self.wishes[bank]
    }

    /// The place of that access in its queue.
    pub(crate) fn place(&self, bank: usize) -> usize {
        self.wishes[bank].place as usize
    }
}
