//! Fences: what waits for memory that others can see.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What fences take. They wait for all that their multiprocessor has written, loaded and copied in bulk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fences {
    /// Cycles that a fence for the GPU takes where nothing has been loaded or stored since the last one.
    #[schemars(range(min = 1))]
    pub gpu: u32,
    /// Cycles that a fence for the system takes.
    #[schemars(range(min = 1))]
    pub system: u32,
    /// Cycles more that a fence for the GPU takes where its multiprocessor has loaded or stored something since the last one, of
    /// lines at home in its own half of L2 only.
    pub asked_near: u32,
    /// Likewise, of lines at home in the other half, too.
    pub asked_far: u32,
    /// Cycles that it takes at least from when the last has come that it waits for.
    pub behind: u32,
    /// Cycles from one fence of a sub-partition to the next.
    #[serde(default)]
    pub interval: u32,
}
