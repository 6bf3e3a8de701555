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

impl Level {
    const ALL: [Level; 3] = [Level::PseudoChannel, Level::BankGroup, Level::Bank];
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
    to: Command,
    distance: Ticks,
}

/// A row over several commands of the pseudo-channel.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Command,
    to: Command,
    count: usize,
    distance: Ticks,
}

/// The rows of a machine, by their first command and level.
#[derive(Clone, Debug)]
pub(crate) struct Constraints {
    groups: usize,
    /// The group of each bank.
    group_of: Vec<u8>,
    after: [[Vec<Row>; Level::ALL.len()]; Command::COUNT],
    windows: Vec<Window>,
}

impl Constraints {
    /// The rows of a standard with a machine's timings. A distance of nothing constrains nothing.
    pub(crate) fn new(
        standard: &[Constraint],
        (groups, banks_per_group): (usize, usize),
        clocks: &DramClocks,
        burst: u32,
        clock: Ticks,
    ) -> Constraints {
        let group_of = (0..groups * banks_per_group).map(|bank| (bank / banks_per_group) as u8).collect();
        let mut constraints =
            Constraints { groups, group_of, after: Default::default(), windows: Vec::new() };
        for constraint in standard {
            let distance = clock * u64::from((constraint.distance)(clocks, burst));
            let Constraint { level, from, to, window, .. } = *constraint;
            if window > 1 {
                constraints.windows.push(Window { from, to, count: window, distance });
            } else if distance > Ticks(0) {
                constraints.after[from as usize][level as usize].push(Row { to, distance });
            }
        }
        constraints
    }

    pub(crate) fn banks(&self) -> usize {
        self.group_of.len()
    }

    /// The group of a bank.
    #[inline]
    pub(crate) fn group(&self, bank: usize) -> usize {
        usize::from(self.group_of[bank])
    }

    /// Where the ready-times of a level lie that a bank belongs to.
    #[inline]
    fn node(&self, level: Level, bank: usize) -> usize {
        match level {
            Level::PseudoChannel => 0,
            Level::BankGroup => 1 + self.group(bank),
            Level::Bank => 1 + self.groups + bank,
        }
    }
}

/// The moment from which each command may be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadyTimes {
    /// By command: of the pseudo-channel, of each bank group, of each bank.
    nodes: Vec<[Ticks; Command::COUNT]>,
    /// For each window its last commands, oldest first.
    windows: Vec<VecDeque<Ticks>>,
}

impl ReadyTimes {
    /// Everything may be issued at once.
    pub(crate) fn new(constraints: &Constraints) -> ReadyTimes {
        let nodes = 1 + constraints.groups + constraints.banks();
        let window = |window: &Window| VecDeque::with_capacity(window.count);
        ReadyTimes {
            nodes: vec![[Ticks(0); Command::COUNT]; nodes],
            windows: constraints.windows.iter().map(window).collect(),
        }
    }

    /// When a bank alone allows a command; changes only when a command is issued to that bank.
    pub(crate) fn of_bank(&self, constraints: &Constraints, command: Command, bank: usize) -> Ticks {
        self.nodes[constraints.node(Level::Bank, bank)][command as usize]
    }

    /// When each group of banks allows each command.
    #[inline]
    pub(crate) fn of_groups(&self, constraints: &Constraints) -> &[[Ticks; Command::COUNT]] {
        &self.nodes[1..][..constraints.groups]
    }

    /// When the pseudo-channel allows a command.
    #[inline]
    pub(crate) fn of_channel(&self, command: Command) -> Ticks {
        self.nodes[0][command as usize]
    }

    /// When what a bank shares with others allows a command.
    pub(crate) fn shared(&self, constraints: &Constraints, command: Command, bank: usize) -> Ticks {
        let group = self.of_groups(constraints)[constraints.group(bank)];
        group[command as usize].max(self.of_channel(command))
    }

    /// A command is issued to a bank: everything that must keep a distance from it moves later, never earlier.
    pub(crate) fn issued(&mut self, constraints: &Constraints, command: Command, bank: usize, now: Ticks) {
        for (rows, level) in constraints.after[command as usize].iter().zip(Level::ALL) {
            let node = &mut self.nodes[constraints.node(level, bank)];
            rows.iter().for_each(|row| not_before(&mut node[row.to as usize], now + row.distance));
        }
        for (window, last) in constraints.windows.iter().zip(&mut self.windows) {
            if window.from != command {
                continue;
            }
            if last.len() == window.count {
                last.pop_front();
            }
            last.push_back(now);
            if last.len() == window.count {
                not_before(&mut self.nodes[0][window.to as usize], last[0] + window.distance);
            }
        }
    }
}

/// Moves a moment later, never earlier.
fn not_before(moment: &mut Ticks, earliest: Ticks) {
    *moment = (*moment).max(earliest);
}
