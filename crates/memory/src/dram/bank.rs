//! One bank: its open row, the accesses that wait for it, and what it needs next.

use super::channel::Access;
use super::constraints::{Command, Constraints, ReadyTimes};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::Ticks;

/// An access that waits for its column command.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) access: Access,
    /// Its place in the order of arrival at the pseudo-channel.
    pub(crate) age: u64,
    /// Whether an activate or precharge was issued for it: then it is counted already.
    pub(crate) opened: bool,
}

/// Accesses of one direction in order of arrival.
pub(crate) type BankQueue = VecDeque<Waiting>;

/// What a bank needs next, as far as it depends on the bank alone.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Wish {
    pub(crate) command: Command,
    pub(crate) ready: Ticks,
    pub(crate) age: u64,
    /// The place of the access in its queue.
    pub(crate) place: usize,
}

/// What a bank needs next for its queue (not empty): a column command for the oldest access to its open row, or else
/// the way to the row of the oldest access of all.
pub(crate) fn wish(
    constraints: &Constraints,
    ready: &ReadyTimes,
    (bank, open_row): (usize, Option<u64>),
    queue: &BankQueue,
    column: Command,
) -> Wish {
    let hit = open_row.and_then(|row| queue.iter().position(|waiting| waiting.access.row == row));
    let command = match (hit, open_row) {
        (Some(_), _) => column,
        (None, Some(_)) => Command::Precharge,
        (None, None) => Command::Activate,
    };
    let place = hit.unwrap_or(0);
    let waiting = &queue[place];
    let ready = ready.of_bank(constraints, command, bank).max(waiting.access.at);
    Wish { command, ready, age: waiting.age, place }
}
