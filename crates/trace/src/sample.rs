//! What is known of a launch that was sampled.

use serde::{Deserialize, Serialize};

/// What a sampled launch gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Blocks that were simulated: the counters are of these.
    pub simulated_blocks: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Cycles that were simulated.
    pub simulated_cycles: u64,
    /// The estimate for the whole grid, in cycles.
    pub cycles: u64,
    /// By how many cycles the estimate may be wrong: the spread of the rates, over all that was extrapolated.
    pub error: u64,
}

impl Sample {
    /// How many times the blocks that were simulated the whole grid has.
    #[must_use]
    pub fn block_ratio(&self) -> f64 {
        self.blocks as f64 / self.simulated_blocks.max(1) as f64
    }

    /// How many times the cycles that were simulated the whole grid takes.
    #[must_use]
    pub fn cycle_ratio(&self) -> f64 {
        self.cycles as f64 / self.simulated_cycles.max(1) as f64
    }
}
