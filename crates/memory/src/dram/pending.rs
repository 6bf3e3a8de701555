//! The pending command of each bank, as far as it depends on the bank alone: kept until the bank or its queue changes.

use super::constraints::Command;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::fetch_all_ahead;

/// The next command of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingCommand {
    /// The age of the access that it serves.
    pub(crate) age: u64,
    /// When the bank alone allows it.
    pub(crate) ready: Ticks,
    /// The place of that access in the queues.
    pub(crate) place: u32,
    pub(crate) bank: u16,
    pub(crate) group: u16,
}

/// The pending commands for the accesses of the present direction: at most one per bank.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PendingCommands {
    /// Column commands, activates and precharges, those of the oldest accesses first.
    lines: [Vec<PendingCommand>; 3],
    /// Before this moment no command of a line can issue, as far as is known: looking through it can wait until then.
    not_before: [Ticks; 3],
}

/// The line of a kind of command.
#[inline]
fn line_of(command: Command) -> usize {
    match command {
        Command::Activate => 1,
        Command::Precharge => 2,
        _ => 0,
    }
}

impl PendingCommands {
    /// Fetches what the next commands will need.
    pub(crate) fn fetch(&self) {
        self.lines.iter().for_each(|line| fetch_all_ahead(&line[..]));
    }

    /// The places of the accesses that they serve.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().flatten().map(|pending| pending.place)
    }

    /// The command at a position among those of its kind.
    #[inline]
    pub(crate) fn at(&self, command: Command, position: usize) -> PendingCommand {
        self.lines[line_of(command)][position]
    }

    /// The command of a kind that can issue first, and when: the banks' groups and `earliest` must allow it,
    /// too. Of those that can be granted at once the one for the oldest access.
    #[inline]
    pub(crate) fn first(&mut self, command: Command, of_groups: &[Ticks], earliest: Ticks) -> (Ticks, usize) {
        let line = line_of(command);
        let (mut first, mut first_position) = (Ticks::NEVER, 0);
        for (position, pending) in self.lines[line].iter().enumerate() {
            let at = pending.ready.max(of_groups[usize::from(pending.group)]);
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

    /// Before this moment no command of a kind can issue, whatever the groups of banks allow.
    #[inline]
    pub(crate) fn not_before(&self, command: Command) -> Ticks {
        self.not_before[line_of(command)]
    }

    /// The position of a bank's command among those of a kind.
    #[inline]
    pub(crate) fn position(&self, command: Command, bank: usize) -> Option<usize> {
        self.lines[line_of(command)].iter().position(|pending| usize::from(pending.bank) == bank)
    }

    /// Adds a command behind those of older accesses.
    #[inline]
    pub(crate) fn add(&mut self, command: Command, pending: PendingCommand) {
        let not_before = &mut self.not_before[line_of(command)];
        *not_before = (*not_before).min(pending.ready);
        let line = &mut self.lines[line_of(command)];
        let mut place = line.len();
        line.push(pending);
        while place > 0 && line[place - 1].age > pending.age {
            line[place] = line[place - 1];
            place -= 1;
        }
        line[place] = pending;
    }

    /// Takes out the command at a position.
    #[inline]
    pub(crate) fn take(&mut self, command: Command, position: usize) -> PendingCommand {
        let line = &mut self.lines[line_of(command)];
        let pending = line[position];
        for place in position + 1..line.len() {
            line[place - 1] = line[place];
        }
        line.pop();
        pending
    }

    /// A bank needs the same command for the same access again, and allows it at `ready`, no earlier than before.
    #[inline]
    pub(crate) fn renew(&mut self, command: Command, position: usize, ready: Ticks) {
        let pending = &mut self.lines[line_of(command)][position];
        pending.ready = pending.ready.max(ready);
    }

    /// Takes out the command of a bank, if it has one.
    pub(crate) fn withdraw(&mut self, bank: usize) {
        for line in &mut self.lines {
            line.retain(|pending| usize::from(pending.bank) != bank);
        }
    }

    /// Takes out all commands.
    pub(crate) fn clear(&mut self) {
        self.lines.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::super::constraints::Command::{Activate, Precharge, Read};
    use super::{PendingCommand, PendingCommands};
    use warplab_config::Ticks;

    /// Activates of banks with the numbers of their ages.
    fn activates(ages: &[u16]) -> PendingCommands {
        let mut pending = PendingCommands::default();
        for &bank in ages {
            let command = PendingCommand { age: u64::from(bank), ready: Ticks(0), place: 0, bank, group: 0 };
            pending.add(Activate, command);
        }
        pending
    }

    fn ages(pending: &PendingCommands) -> Vec<u64> {
        pending.lines[1].iter().map(|command| command.age).collect()
    }

    #[test]
    fn pending_commands_for_a_command_stand_in_the_order_of_ages() {
        assert_eq!(ages(&activates(&[5, 2, 9, 0, 7])), [0, 2, 5, 7, 9]);
    }

    #[test]
    fn a_pending_command_that_is_taken_out_leaves_the_others_in_order() {
        let mut pending = activates(&[5, 2, 9]);
        assert_eq!(pending.take(Activate, 1).age, 5);
        assert_eq!(ages(&pending), [2, 9]);
        pending.withdraw(2);
        assert_eq!(ages(&pending), [9]);
    }

    #[test]
    fn of_pending_commands_that_can_be_granted_at_once_the_one_for_the_oldest_access_comes_first() {
        let mut pending = activates(&[5, 2, 9]);
        pending.renew(Activate, 0, Ticks(40));
        let mut first =
            |of_group: u64, earliest: u64| pending.first(Activate, &[Ticks(of_group)], Ticks(earliest));
        assert_eq!(first(0, 10), (Ticks(10), 1));
        assert_eq!(first(0, 40), (Ticks(40), 0));
        assert_eq!(first(30, 20), (Ticks(30), 1));
    }

    #[test]
    fn no_pending_command_can_be_granted_before_the_moment_that_is_kept_until_one_comes_that_can() {
        let mut pending = activates(&[5]);
        pending.renew(Activate, 0, Ticks(40));
        assert_eq!(pending.not_before(Activate), Ticks(0));
        pending.first(Activate, &[Ticks(60)], Ticks(10));
        assert_eq!(pending.not_before(Activate), Ticks(60));
        pending.add(Activate, PendingCommand { age: 6, ready: Ticks(50), place: 0, bank: 6, group: 0 });
        assert_eq!(pending.not_before(Activate), Ticks(50));
    }

    #[test]
    fn a_bank_stands_among_the_pending_commands_for_its_command_only() {
        let pending = activates(&[5, 2, 9]);
        let positions = [Read, Activate, Precharge].map(|command| pending.position(command, 9));
        assert_eq!(positions, [None, Some(2), None]);
    }
}
