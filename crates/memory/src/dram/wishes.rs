//! What each bank needs next, as far as it depends on the bank alone: found once and kept until something changes.

use super::bank_set::BankSet;
use super::constraints::{Command, Constraints, ReadyTimes};
use super::queues::Queues;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;

/// The next command of a bank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Wish {
    pub(crate) bank: u32,
    pub(crate) group: u32,
    /// The place in its queue of the access that it serves.
    pub(crate) place: u32,
    /// The age of that access.
    age: u64,
    /// When the bank alone allows it.
    pub(crate) ready: Ticks,
}

/// What the banks need next for the accesses of the present direction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wishes {
    /// The banks whose wish is known, and the command that each of them needs.
    known: BankSet,
    commands: Vec<Command>,
    /// The wishes for column commands, activates and precharges, those of the oldest accesses first.
    lines: [Vec<Wish>; 3],
}

/// Which line the wishes for a command are in.
#[inline]
fn line_of(command: Command) -> usize {
    match command {
        Command::Activate => 1,
        Command::Precharge => 2,
        _ => 0,
    }
}

impl Wishes {
    /// Nothing is known of so many banks.
    pub(crate) fn new(banks: usize) -> Wishes {
        Wishes {
            known: BankSet::empty(banks),
            commands: vec![Command::Activate; banks],
            lines: Default::default(),
        }
    }

    /// Something has changed for a bank.
    #[inline]
    pub(crate) fn forget(&mut self, bank: usize) {
        if !self.known.contains(bank) {
            return;
        }
        self.known.remove(bank);
        let line = &mut self.lines[line_of(self.commands[bank])];
        let place = line.iter().position(|wish| wish.bank as usize == bank);
        place.map(|place| line.remove(place));
    }

    /// A bank needs the same command for the same access again, and allows it at `ready`, no earlier than before.
    #[inline]
    pub(crate) fn renew(&mut self, bank: usize, ready: Ticks) {
        let line = &mut self.lines[line_of(self.commands[bank])];
        if let Some(wish) = line.iter_mut().find(|wish| wish.bank as usize == bank) {
            wish.ready = wish.ready.max(ready);
        }
    }

    /// Something has changed for all banks.
    pub(crate) fn forget_all(&mut self) {
        self.known.clear();
        self.lines.iter_mut().for_each(Vec::clear);
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
            let command = match (hit, open_row) {
                (Some(_), _) => column,
                (None, Some(_)) => Command::Precharge,
                (None, None) => Command::Activate,
            };
            self.commands[bank] = command;
            let wish = Wish {
                bank: bank as u32,
                group: constraints.group(bank) as u32,
                place: place as u32,
                age: waiting.age,
                ready: ready.of_bank(constraints, command, bank).max(waiting.at),
            };
            line_up(&mut self.lines[line_of(command)], wish);
        }
    }

    /// The wishes for a command, that of the oldest access first.
    #[inline]
    pub(crate) fn oldest_first(&self, command: Command) -> &[Wish] {
        &self.lines[line_of(command)]
    }
}

/// A wish takes its place behind those of older accesses.
#[inline]
fn line_up(line: &mut Vec<Wish>, wish: Wish) {
    let older = line.iter().rposition(|other| other.age < wish.age);
    line.insert(older.map_or(0, |place| place + 1), wish);
}
