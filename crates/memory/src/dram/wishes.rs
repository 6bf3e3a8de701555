//! What each bank needs next, as far as it depends on the bank alone: kept until the bank or its queue changes.

use super::constraints::Command;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::fetch_all_ahead;

/// The next command of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// The age of the access that it serves.
    pub(crate) age: u64,
    /// When the bank alone allows it.
    pub(crate) ready: Ticks,
    /// The place of that access in the queues.
    pub(crate) place: u32,
    pub(crate) bank: u16,
    pub(crate) group: u16,
}

/// What the banks need next for the accesses of the present direction: at most one wish for each bank.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Wishes {
    /// The wishes for column commands, activates and precharges, those of the oldest accesses first.
    lines: [Vec<Wish>; 3],
    /// Before this moment no wish of a line can be granted, as far as is known: looking through it can wait until then.
    not_before: [Ticks; 3],
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
    /// Fetches what the next commands will need.
    pub(crate) fn fetch(&self) {
        self.lines.iter().for_each(|line| fetch_all_ahead(&line[..]));
    }

    /// The wish at a position among those for a command.
    #[inline]
    pub(crate) fn at(&self, command: Command, position: usize) -> Wish {
        self.lines[line_of(command)][position]
    }

    /// Which of the wishes for a command can be granted first, and when: the banks' groups and `earliest` must allow it,
    /// too. Of those that can be granted at once the one for the oldest access.
    #[inline]
    pub(crate) fn first(&mut self, command: Command, of_groups: &[Ticks], earliest: Ticks) -> (Ticks, usize) {
        let line = line_of(command);
        let (mut first, mut first_position) = (Ticks::NEVER, 0);
        for (position, wish) in self.lines[line].iter().enumerate() {
            let at = wish.ready.max(of_groups[usize::from(wish.group)]);
            if at <= earliest {
                return (earliest, position);
            }
            if at < first {
                (first, first_position) = (at, position);
            }
        }
        self.not_before[line] = first;
        (first, first_position)
    }

    /// Before this moment no wish for a command can be granted, whatever the groups of banks allow.
    #[inline]
    pub(crate) fn not_before(&self, command: Command) -> Ticks {
        self.not_before[line_of(command)]
    }

    /// Where the wish of a bank stands among those for a command.
    #[inline]
    pub(crate) fn position(&self, command: Command, bank: usize) -> Option<usize> {
        self.lines[line_of(command)].iter().position(|wish| usize::from(wish.bank) == bank)
    }

    /// A wish takes its place behind those of older accesses.
    #[inline]
    pub(crate) fn add(&mut self, command: Command, wish: Wish) {
        let not_before = &mut self.not_before[line_of(command)];
        *not_before = (*not_before).min(wish.ready);
        let line = &mut self.lines[line_of(command)];
        let mut place = line.len();
        line.push(wish);
        while place > 0 && line[place - 1].age > wish.age {
            line[place] = line[place - 1];
            place -= 1;
        }
        line[place] = wish;
    }

    /// Takes out the wish that stands at a position.
    #[inline]
    pub(crate) fn take(&mut self, command: Command, position: usize) -> Wish {
        let line = &mut self.lines[line_of(command)];
        let wish = line[position];
        for place in position + 1..line.len() {
            line[place - 1] = line[place];
        }
        line.pop();
        wish
    }

    /// A bank needs the same command for the same access again, and allows it at `ready`, no earlier than before.
    #[inline]
    pub(crate) fn renew(&mut self, command: Command, position: usize, ready: Ticks) {
        let wish = &mut self.lines[line_of(command)][position];
        wish.ready = wish.ready.max(ready);
    }

    /// Takes out the wish of a bank, if it has one.
    pub(crate) fn withdraw(&mut self, bank: usize) {
        for line in &mut self.lines {
            line.retain(|wish| usize::from(wish.bank) != bank);
        }
    }

    /// Takes out all wishes.
    pub(crate) fn clear(&mut self) {
        self.lines.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::super::constraints::Command::{Activate, Precharge, Read};
    use super::{Wish, Wishes};
    use warplab_config::Ticks;

    /// Wishes for activates, of banks with the numbers of their ages.
    fn activates(ages: &[u16]) -> Wishes {
        let mut wishes = Wishes::default();
        for &bank in ages {
            let wish = Wish { age: u64::from(bank), ready: Ticks(0), place: 0, bank, group: 0 };
            wishes.add(Activate, wish);
        }
        wishes
    }

    fn ages(wishes: &Wishes) -> Vec<u64> {
        wishes.lines[1].iter().map(|wish| wish.age).collect()
    }

    #[test]
    fn wishes_for_a_command_stand_in_the_order_of_ages() {
        assert_eq!(ages(&activates(&[5, 2, 9, 0, 7])), [0, 2, 5, 7, 9]);
    }

    #[test]
    fn a_wish_that_is_taken_out_leaves_the_others_in_order() {
        let mut wishes = activates(&[5, 2, 9]);
        assert_eq!(wishes.take(Activate, 1).age, 5);
        assert_eq!(ages(&wishes), [2, 9]);
        wishes.withdraw(2);
        assert_eq!(ages(&wishes), [9]);
    }

    #[test]
    fn of_wishes_that_can_be_granted_at_once_the_one_for_the_oldest_access_comes_first() {
        let mut wishes = activates(&[5, 2, 9]);
        wishes.renew(Activate, 0, Ticks(40));
        let mut first =
            |of_group: u64, earliest: u64| wishes.first(Activate, &[Ticks(of_group)], Ticks(earliest));
        assert_eq!(first(0, 10), (Ticks(10), 1));
        assert_eq!(first(0, 40), (Ticks(40), 0));
        assert_eq!(first(30, 20), (Ticks(30), 1));
    }

    #[test]
    fn no_wish_can_be_granted_before_the_moment_that_is_kept_until_one_comes_that_can() {
        let mut wishes = activates(&[5]);
        wishes.renew(Activate, 0, Ticks(40));
        assert_eq!(wishes.not_before(Activate), Ticks(0));
        wishes.first(Activate, &[Ticks(60)], Ticks(10));
        assert_eq!(wishes.not_before(Activate), Ticks(60));
        wishes.add(Activate, Wish { age: 6, ready: Ticks(50), place: 0, bank: 6, group: 0 });
        assert_eq!(wishes.not_before(Activate), Ticks(50));
    }

    #[test]
    fn a_bank_stands_among_the_wishes_for_its_command_only() {
        let wishes = activates(&[5, 2, 9]);
        let positions = [Read, Activate, Precharge].map(|command| wishes.position(command, 9));
        assert_eq!(positions, [None, Some(2), None]);
    }
}
