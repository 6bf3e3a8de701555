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
    /// Cycles of an atomic operation of another block beside those of a load.
    pub atomic: u32,
    /// Cycles that an arrival at a barrier of another block takes beside the message.
    pub told: u32,
    /// Cycles beside these where it brings data, too.
    pub told_behind: u32,
    /// Cycles of a fence behind the last acknowledgement, where that is another block's.
    pub fence_behind: u32,
    /// Cycles that an SM takes for each warp that arrives at the barrier of a cluster.
    pub barrier_warp: u32,
    /// Cycles from the last arrival at the barrier of a cluster until its warps go on.
    #[schemars(range(min = 1))]
    pub barrier: u32,
}
