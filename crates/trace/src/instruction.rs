//! What was counted of one instruction of a kernel.

use crate::observer::MemoryUse;
use crate::state::WarpState;
use serde::{Deserialize, Serialize};
use warplab_units::WarpMask;

/// How often an instruction executed, what warps that came to it waited for, and what it asked of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionCounts {
    /// How often a warp executed it.
    pub executed: u64,
    /// Threads that executed it.
    pub threads: u64,
    /// Warp-cycles in each state before it, by [`WarpState::index`].
    pub states: [u64; WarpState::COUNT],
    /// What it asked of level one and of shared memory.
    pub memory: MemoryUse,
}

impl InstructionCounts {
    /// A warp executes it with these lanes.
    pub fn execute(&mut self, lanes: WarpMask) {
        self.executed += 1;
        self.threads += u64::from(lanes.count());
    }

    /// Warp-cycles in which a warp waited to issue the instruction.
    #[must_use]
    pub fn waited(&self) -> u64 {
        let selected = self.states[WarpState::Selected.index()];
        self.states.iter().sum::<u64>() - selected
    }
}
