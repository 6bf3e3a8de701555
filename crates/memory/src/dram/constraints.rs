//! Timing constraints as rows: after one command, how long until another may follow, and to which banks that applies.
//!
//! A [`Constraint`] is a row as the standards print it. [`Constraints`] are the rows of a machine in ticks, sorted by
//! the first command. [`ReadyTimes`] is the state: the moment from which each command may be issued to each bank.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::Ticks;
use warplab_config::gpu::DramClocks;
use warplab_units::fetch_all_ahead;

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

/// A row in ticks: which moments it sets, from the first of its level on.
#[derive(Clone, Copy, Debug)]
struct Row {
    level: Level,
    first: usize,
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

/// Where the moments of each command lie: that of the pseudo-channel, those of the groups, those of the banks.
#[derive(Clone, Copy, Debug)]
struct Layout {
    groups: usize,
    banks: usize,
}

impl Layout {
    /// Moments of one command.
    fn of_command(self) -> usize {
        1 + self.groups + self.banks
    }

    /// The first moment of a level.
    fn first(self, command: Command, level: Level) -> usize {
        let of_command = command as usize * self.of_command();
        match level {
            Level::PseudoChannel => of_command,
            Level::BankGroup => of_command + 1,
            Level::Bank => of_command + 1 + self.groups,
        }
    }
}

/// The rows of a machine, by their first command.
#[derive(Clone, Debug)]
pub(crate) struct Constraints {
    layout: Layout,
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
        let layout = Layout { groups, banks: groups * banks_per_group };
        let group_of = (0..layout.banks).map(|bank| (bank / banks_per_group) as u8).collect();
        let mut constraints =
            Constraints { layout, group_of, after: Default::default(), windows: Default::default() };
        for constraint in standard {
            let distance = clock * u64::from((constraint.distance)(clocks, burst));
            let Constraint { level, from, to, window, .. } = *constraint;
            if window > 1 {
                let number = constraints.count_windows();
                constraints.windows[from as usize].push(Window { number, to, count: window, distance });
            } else if distance > Ticks(0) {
                let (rows, first) = (&mut constraints.after[from as usize], layout.first(to, level));
                match rows.iter_mut().find(|row| row.first == first) {
                    Some(row) => row.distance = row.distance.max(distance),
                    None => rows.push(Row { level, first, distance }),
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

/// Commands that a window allows, mostly.
const USUAL_WINDOW: usize = 4;

/// The moment from which each command may be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadyTimes {
    /// Where the moments of each command begin.
    first: [usize; Command::COUNT],
    groups: usize,
    moments: Vec<Ticks>,
    /// For each window its last commands, oldest first.
    windows: Vec<VecDeque<Ticks>>,
}

impl ReadyTimes {
    /// Everything may be issued at once.
    pub(crate) fn new(constraints: &Constraints) -> ReadyTimes {
        let layout = constraints.layout;
        ReadyTimes {
            first: std::array::from_fn(|command| command * layout.of_command()),
            groups: layout.groups,
            moments: vec![Ticks(0); layout.of_command() * Command::COUNT],
            windows: (0..constraints.count_windows())
                .map(|_| VecDeque::with_capacity(USUAL_WINDOW))
                .collect(),
        }
    }

    /// Fetches what the next commands will need.
    pub(crate) fn fetch(&self) {
        fetch_all_ahead(&self.moments[..]);
    }

    /// When a bank alone allows a command; changes only when a command is issued to that bank.
    #[inline]
    pub(crate) fn of_bank(&self, command: Command, bank: usize) -> Ticks {
        self.moments[self.first[command as usize] + 1 + self.groups + bank]
    }

    /// When the pseudo-channel allows a command.
    #[inline]
    pub(crate) fn of_channel(&self, command: Command) -> Ticks {
        self.moments[self.first[command as usize]]
    }

    /// When each group of banks allows a command.
    #[inline]
    pub(crate) fn of_groups(&self, command: Command) -> &[Ticks] {
        &self.moments[self.first[command as usize] + 1..][..self.groups]
    }

    /// When what a bank shares with others allows a command.
    pub(crate) fn shared(&self, constraints: &Constraints, command: Command, bank: usize) -> Ticks {
        self.of_groups(command)[constraints.group(bank)].max(self.of_channel(command))
    }

    /// A command is issued to a bank: everything that must keep a distance from it moves later, never earlier.
    #[inline(always)]
    pub(crate) fn issued(&mut self, constraints: &Constraints, command: Command, bank: usize, now: Ticks) {
        let of_level = [0, constraints.group(bank), bank];
        for row in &constraints.after[command as usize] {
            not_before(&mut self.moments[row.first + of_level[row.level as usize]], now + row.distance);
        }
        for window in &constraints.windows[command as usize] {
            let last = &mut self.windows[window.number];
            if last.len() == window.count {
                last.pop_front();
            }
            last.push_back(now);
            if last.len() == window.count {
                let of_channel = self.first[window.to as usize];
                not_before(&mut self.moments[of_channel], last[0] + window.distance);
            }
        }
    }
}

/// Moves a moment later, never earlier.
#[inline]
fn not_before(moment: &mut Ticks, earliest: Ticks) {
    *moment = (*moment).max(earliest);
}
