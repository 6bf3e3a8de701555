//! Clusters of blocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clusters of blocks on the SMs of one GPC, which reach each other's shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockClusters {
    /// Blocks of a cluster at most.
    #[schemars(range(min = 1, max = 16))]
    pub blocks: u32,
    /// Cycles that a cluster adds to the time that the dispatcher takes for its blocks.
    #[schemars(range(min = 0.0))]
    pub interval: f64,
    /// Cycles of a message from one SM to another.
    #[schemars(range(min = 1))]
    pub way: u32,
    /// Cycles from when shared memory has been accessed until the answer leaves.
    pub answer: u32,
    /// Bytes that leave an SM in a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub send_bytes: u32,
    /// Bytes that come to an SM in a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub receive_bytes: u32,
    /// Cycles from the issue of a copy of many lines to another block until its first bytes leave.
    pub copy_start: u32,
    /// Cycles of `mbarriers.wake` that an arrival of another block has behind it.
    pub barrier_there: u32,
    /// Cycles from the last arrival at the barrier of a cluster until its warps go on.
    #[schemars(range(min = 1))]
    pub barrier: u32,
}
