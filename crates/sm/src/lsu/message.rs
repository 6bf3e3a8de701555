//! What the issue stage and the LSU say to each other, and the parts of the LSU among themselves.

use super::coalesce::LineAccess;
use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Who waits for a memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) slot: u8,
    pub(crate) generation: u32,
    pub(crate) write_barrier: Option<u8>,
    pub(crate) read_barrier: Option<u8>,
}

/// What the LSU has to do for an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    /// Shared memory, or lane exchange: passes of the data stage, and cycles from the first one to the result.
    Shared { passes: u64, latency: u64 },
    /// Barriers in shared memory, which have a unit of their own: how long they keep it, and cycles to the result.
    Barrier { passes: u64, latency: u64 },
    /// Shared memory of other blocks: the number of what is asked of them, its passes, and whether fences wait for it.
    Peers { number: u32, passes: u64, acknowledged: bool },
    /// Global or local memory.
    Global { access: GlobalAccess, lines: Vec<LineAccess>, passes: Passes },
}

/// What an access to global or local memory takes of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passes {
    /// Cycles of the tags.
    pub(crate) tags: u16,
    /// Passes of the data stage.
    pub(crate) data: u16,
    /// Of these, what it would take for its width alone, with a bank for each word.
    pub(crate) width: u16,
}

impl Passes {
    /// The passes of the data stage that the missing lines of a load take when they are there, as slowly as the tags tell them apart,
    /// and in how many parts. Copies past L1 go by it to shared memory (measured: lsu/copies.txt).
    pub(crate) fn when_there(self, lines: &[LineAccess], missing: usize, at_once: usize) -> (u16, u8) {
        if lines.first().is_some_and(|line| line.alone) {
            return (1, 1);
        }
        let passes = (usize::from(self.tags.max(self.data)) * missing).div_ceil(lines.len().max(1));
        (passes as u16, missing.div_ceil(at_once).max(1) as u8)
    }
}

impl Work {
    /// Whether L2 acknowledges it: the warp has unsent stores until it has left.
    pub(crate) fn is_acknowledged(&self) -> bool {
        match self {
            Work::Global { access, .. } => !access.has_result(),
            Work::Peers { acknowledged, .. } => *acknowledged,
            Work::Shared { .. } | Work::Barrier { .. } => false,
        }
    }
}

/// What is done with global or local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum GlobalAccess {
    Load { cached: bool, local: bool },
    Store { local: bool },
    Atomic { returns: bool },
}

impl GlobalAccess {
    /// Whether the warp gets data.
    pub(crate) fn has_result(self) -> bool {
        matches!(self, GlobalAccess::Load { .. } | GlobalAccess::Atomic { returns: true, .. })
    }
}

/// An instruction in the LSU: who waits for it, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asker {
    pub(crate) owner: Owner,
    pub(crate) issued: Cycle,
}

/// A memory instruction in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Operation {
    pub(crate) asker: Asker,
    pub(crate) work: Work,
}

impl Operation {
    /// Whether it takes data to global or local memory.
    #[inline]
    pub(crate) fn is_store(&self) -> bool {
        matches!(&self.work, Work::Global { access, .. } if !matches!(access, GlobalAccess::Load { .. }))
    }
}

/// Which slices of level two an SM has asked since its last fence: of its own half only, or of the other one, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Asked {
    #[default]
    Nobody,
    Near,
    Far,
}

impl Asked {
    /// A slice has answered, of the other half or of the SM's own.
    #[inline]
    pub(crate) fn also(&mut self, is_far: bool) {
        *self = (*self).max(if is_far { Asked::Far } else { Asked::Near });
    }
}

/// Something that has happened to an instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A wait counter goes down at a cycle.
    Release { slot: u8, generation: u32, counter: u8, at: Cycle },
    /// A store leaves for L2, in this many requests, the last of them at `at`.
    Sent { slot: u8, generation: u32, requests: u16, at: Cycle },
    /// A store waits for credits: so many requests will be acknowledged, the first ones perhaps before it has left.
    Held { slot: u8, generation: u32, requests: u16 },
    /// What an instruction asks of other blocks leaves at a cycle.
    ToPeers { number: u32, owner: Owner, at: Cycle },
    /// L2 has answered one request of a bulk copy.
    BulkLine { copy: u32 },
    /// L2 has acknowledged one request of a store.
    Acknowledged { slot: u8, generation: u32 },
}

impl Outcome {
    /// The result of an instruction is there; nothing when no wait counter counts it.
    pub(crate) fn result(owner: Owner, at: Cycle) -> Option<Outcome> {
        let Owner { slot, generation, write_barrier, .. } = owner;
        write_barrier.map(|counter| Outcome::Release { slot, generation, counter, at })
    }
}
