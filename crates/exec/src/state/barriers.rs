//! Block barriers: who has arrived. Shared by the functional interpreter and the multiprocessor.

use crate::op::BarrierKind;
use crate::state::paths::Paths;
use serde::{Deserialize, Serialize};

/// Barriers of a block.
pub(crate) const COUNT: usize = 16;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Barrier {
    threads: u32,
    expected: Option<u32>,
    waiting: u64,
    reduction: Option<(BarrierKind, u32)>,
}

/// The state of the 16 barriers of one block of at most 64 warps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockBarriers {
    /// Those that someone has arrived at, a bit each.
    used: u16,
    barriers: [Barrier; COUNT],
}

/// A barrier that has just completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// Its number.
    pub id: u8,
    /// The warps that waited: bit `i` is warp `i` of the block.
    pub warps: u64,
    /// The result of its reduction.
    pub result: Option<u32>,
}

impl BlockBarriers {
    /// Records an arrival of (part of) warp `warp`: what [`crate::Step::BlockBarrier`] says.
    pub fn arrive(
        &mut self,
        warp: u32,
        kind: BarrierKind,
        id: u8,
        expected: Option<u32>,
        arrivals: u8,
        value: u8,
    ) {
        let index = usize::from(id) % COUNT;
        self.used |= 1 << index;
        let barrier = &mut self.barriers[index];
        barrier.threads += u32::from(arrivals);
        barrier.expected = expected.or(barrier.expected);
        if kind != BarrierKind::Arrive {
            barrier.waiting |= 1 << warp;
        }
        let value = u32::from(value);
        let combined = match (barrier.reduction, kind) {
            (_, BarrierKind::Sync | BarrierKind::Arrive) => return,
            (None, _) => value,
            (Some((_, old)), BarrierKind::ReduceAnd) => old & value,
            (Some((_, old)), BarrierKind::ReduceOr) => old | value,
            (Some((_, old)), _) => old + value,
        };
        barrier.reduction = Some((kind, combined));
    }

    /// Whether barrier `id` is complete now; if so it starts anew. `warps` gives the paths of the block's warps.
    /// Ask after every arrival, and for every barrier in use after a warp has exited.
    pub fn complete<'a>(&mut self, id: u8, warps: impl Iterator<Item = &'a Paths>) -> Option<Released> {
        let index = usize::from(id) % COUNT;
        if self.used >> index & 1 == 0 {
            return None;
        }
        let barrier = self.barriers[index];
        let done = match barrier.expected {
            Some(expected) => barrier.threads >= expected,
            None => warps.into_iter().all(|paths| paths.is_done() || paths.all_at_block_barrier(id)),
        };
        done.then(|| {
            self.barriers[index] = Barrier::default();
            self.used &= !(1 << index);
            Released { id, warps: barrier.waiting, result: barrier.reduction.map(|(_, value)| value) }
        })
    }

    /// Whether someone has arrived at a barrier.
    #[must_use]
    pub fn are_in_use(&self) -> bool {
        self.used != 0
    }

    /// The barriers that someone has arrived at.
    pub fn in_use(&self) -> impl Iterator<Item = u8> + use<> {
        let mut left = self.used;
        std::iter::from_fn(move || {
            let id = left.trailing_zeros() as u8;
            left &= left.wrapping_sub(1);
            (usize::from(id) < COUNT).then_some(id)
        })
    }
}
