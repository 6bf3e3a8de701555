//! Timing constraints as rows: after one command, how long until another may follow, and to which banks that applies.
//!
//! A [`Constraint`] is a row as the standards print it. [`Constraints`] are the rows of a machine in ticks, sorted by
//! the first command. [`ReadyTimes`] is the state: the moment from which each command may be issued to each bank.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::Ticks;
use warplab_config::gpu::DramClocks;

/// What a pseudo-channel can be told. Among commands that are ready at once the first in this order is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Command {
    Read,
    Write,
    Activate,
    Precharge,
    RefreshAll,
    RefreshBank,
}

impl Command {
    pub(crate) const COUNT: usize = 6;
}

/// To which banks a constraint applies: those that share this with the bank of the first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    PseudoChannel,
    BankGroup,
    Bank,
}

/// A number of command clocks as an expression of named timings and the clocks of one burst.
pub(crate) type Distance = fn(&DramClocks, u32) -> u32;

/// One row: `to` comes no earlier than `distance` after the last of `window` commands `from` in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraint {
    pub(crate) level: Level,
    pub(crate) from: Command,
    pub(crate) to: Command,
    pub(crate) distance: Distance,
    /// 1, or of how many commands `from` the first one counts.
    pub(crate) window: usize,
}

/// A row in ticks.
#[derive(Clone, Copy, Debug)]
struct Row {
    level: Level,
    to: Command,
    distance: Ticks,
}

/// A row over several commands of the pseudo-channel.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Which of all.
    number: usize,
    to: Command,
    count: usize,
    distance: Ticks,
}

/// The rows of a machine, by their first command.
#[derive(Clone, Debug)]
pub(crate) struct Constraints {
    groups: usize,
    /// The group of each bank.
    group_of: Vec<u8>,
    after: [Vec<Row>; Command::COUNT],
    windows: [Vec<Window>; Command::COUNT],
}

impl Constraints {
    /// The rows of a standard with a machine's timings. A distance of nothing constrains nothing, and of two rows that
    /// differ in distance only the longer one counts.
    pub(crate) fn new(
        standard: &[Constraint],
        (groups, banks_per_group): (usize, usize),
        clocks: &DramClocks,
        burst: u32,
        clock: Ticks,
    ) -> Constraints {
        let group_of = (0..groups * banks_per_group).map(|bank| (bank / banks_per_group) as u8).collect();
        let mut constraints =
            Constraints { groups, group_of, after: Default::default(), windows: Default::default() };
        for constraint in standard {
            let distance = clock * u64::from((constraint.distance)(clocks, burst));
            let Constraint { level, from, to, window, .. } = *constraint;
            if window > 1 {
                let number = constraints.count_windows();
                constraints.windows[from as usize].push(Window { number, to, count: window, distance });
            } else if distance > Ticks(0) {
                let rows = &mut constraints.after[from as usize];
                match rows.iter_mut().find(|row| (row.level, row.to) == (level, to)) {
                    Some(row) => row.distance = row.distance.max(distance),
                    None => rows.push(Row { level, to, distance }),
                }
            }
        }
        constraints
    }

    pub(crate) fn banks(&self) -> usize {
        self.group_of.len()
    }

    fn count_windows(&self) -> usize {
        self.windows.iter().map(Vec::len).sum()
    }

    /// The group of a bank.
    #[inline]
    pub(crate) fn group(&self, bank: usize) -> usize {
        usize::from(self.group_of[bank])
    }
}

/// The moment from which one command may be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Moments {
    of_channel: Ticks,
    of_groups: Vec<Ticks>,
    of_banks: Vec<Ticks>,
}

/// The moment from which each command may be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadyTimes {
    of_commands: [Moments; Command::COUNT],
    /// For each window its last commands, oldest first.
    windows: Vec<VecDeque<Ticks>>,
}

impl ReadyTimes {
    /// Everything may be issued at once.
    pub(crate) fn new(constraints: &Constraints) -> ReadyTimes {
        let moments = |_| Moments {
            of_channel: Ticks(0),
            of_groups: vec![Ticks(0); constraints.groups],
            of_banks: vec![Ticks(0); constraints.banks()],
        };
        ReadyTimes {
            of_commands: std::array::from_fn(moments),
            windows: vec![VecDeque::new(); constraints.count_windows()],
        }
    }

    /// When a bank alone allows a command; changes only when a command is issued to that bank.
    #[inline]
    pub(crate) fn of_bank(&self, command: Command, bank: usize) -> Ticks {
        self.of_commands[command as usize].of_banks[bank]
    }

    /// When the pseudo-channel and when each group of banks allows a command.
    #[inline]
    pub(crate) fn of_channel_and_groups(&self, command: Command) -> (Ticks, &[Ticks]) {
        let moments = &self.of_commands[command as usize];
        (moments.of_channel, &moments.of_groups)
    }

    /// When what a bank shares with others allows a command.
    pub(crate) fn shared(&self, constraints: &Constraints, command: Command, bank: usize) -> Ticks {
        let (of_channel, of_groups) = self.of_channel_and_groups(command);
        of_groups[constraints.group(bank)].max(of_channel)
    }

    /// A command is issued to a bank: everything that must keep a distance from it moves later, never earlier.
    #[inline]
    pub(crate) fn issued(&mut self, constraints: &Constraints, command: Command, bank: usize, now: Ticks) {
        let group = constraints.group(bank);
        for row in &constraints.after[command as usize] {
            let moments = &mut self.of_commands[row.to as usize];
            let moment = match row.level {
                Level::PseudoChannel => &mut moments.of_channel,
                Level::BankGroup => &mut moments.of_groups[group],
                Level::Bank => &mut moments.of_banks[bank],
            };
            not_before(moment, now + row.distance);
        }
        for window in &constraints.windows[command as usize] {
            let last = &mut self.windows[window.number];
            if last.len() == window.count {
                last.pop_front();
            }
            last.push_back(now);
            if last.len() == window.count {
                let moments = &mut self.of_commands[window.to as usize];
                not_before(&mut moments.of_channel, last[0] + window.distance);
            }
        }
    }
}

/// Moves a moment later, never earlier.
fn not_before(moment: &mut Ticks, earliest: Ticks) {
    *moment = (*moment).max(earliest);
}
