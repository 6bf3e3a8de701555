//! Who watches a run. Watching never changes what happens.

use crate::state::WarpState;
use serde::{Deserialize, Serialize};
use warplab_units::{BlockId, Cycle, SmId, WarpMask, WarpSlot};

/// A warp was in one state from one cycle to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateInterval {
    /// The place of the warp.
    pub slot: WarpSlot,
    /// Its state.
    pub state: WarpState,
    /// The instruction that it had issued or waited to issue.
    pub pc: u32,
    /// The first cycle.
    pub from: Cycle,
    /// One past the last cycle.
    pub to: Cycle,
}

/// Sees what one multiprocessor does. Every method has an empty default.
pub trait Observer: Send {
    /// Whether intervals are wanted at all: what is not wanted is not computed.
    fn watches(&self) -> bool {
        true
    }

    /// A block has been given to the multiprocessor: its warps are in these slots.
    fn block_started(&mut self, _cycle: Cycle, _sm: SmId, _block: BlockId, _slots: &[WarpSlot]) {}

    /// An instruction issued.
    fn issued(&mut self, _cycle: Cycle, _sm: SmId, _slot: WarpSlot, _pc: u32, _mask: WarpMask) {}

    /// A warp was in a state for some cycles.
    fn state(&mut self, _sm: SmId, _interval: StateInterval) {}

    /// A warp has ended.
    fn warp_ended(&mut self, _cycle: Cycle, _sm: SmId, _slot: WarpSlot) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn watches(&self) -> bool {
        false
    }
}
