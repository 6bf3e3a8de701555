//! Fences: what waits for memory that others can see.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What fences take. They wait for all that their multiprocessor has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fences {
    /// Cycles that a fence for the GPU takes where nothing is under way.
    #[schemars(range(min = 1))]
    pub gpu: u32,
    /// Cycles that a fence for the system takes.
    #[schemars(range(min = 1))]
    pub system: u32,
    /// Cycles from the last acknowledgement until the warp goes on.
    pub behind: u32,
    /// Cycles from one fence of a sub-partition to the next.
    #[serde(default)]
    pub interval: u32,
    /// Cycles of a fence behind the last line of a load that it has waited for.
    #[serde(default)]
    pub behind_loads: u32,
}
