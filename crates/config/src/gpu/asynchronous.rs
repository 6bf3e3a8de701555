//! Barriers in shared memory and copies of many lines, which go on while warps do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Barriers in shared memory (`mbarrier`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mbarriers {
    /// Cycles from issue to the answer of an arrival.
    #[schemars(range(min = 1))]
    pub latency: u16,
    /// Cycles from issue to the answer of a test whether a phase is over.
    #[schemars(range(min = 1))]
    pub test_latency: u16,
    /// Cycles of the unit for every instruction.
    #[schemars(range(min = 1))]
    pub interval: u32,
    /// Cycles that every further barrier adds that the lanes of an arrival name.
    pub further: u32,
    /// Cycles that every further barrier adds that the lanes of a test name.
    pub test_further: u32,
    /// Cycles from the issue of the arrival that ends a phase to the answer of the first warp that waits for that.
    pub wake: u32,
    /// Cycles from one such warp to the next.
    pub wake_interval: u32,
    /// Cycles that a warp waits for the end of a phase before the answer is no.
    #[schemars(range(min = 1))]
    pub wait_limit: u32,
}

/// Copies of many lines between global and shared memory by one instruction (`cp.async.bulk`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkCopies {
    /// Cycles from issue until the first line is asked for.
    #[schemars(range(min = 1))]
    pub start: u32,
    /// Cycles from one copy to the next.
    pub interval: u32,
    /// Bytes of lines that are asked for in a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub load_bytes: u32,
    /// Cycles from when the last line comes to the answer of the first warp that waits for it.
    #[schemars(range(min = 1))]
    pub wake: u32,
    /// Cycles from issue until shared memory is read, for copies to global memory.
    #[schemars(range(min = 1))]
    pub store_start: u32,
    /// Cycles that it takes at least to close a group of them.
    pub group: u32,
    /// Bytes of shared memory that are read in a cycle, for copies to global memory.
    #[schemars(range(min = 1, max = 1024))]
    pub store_bytes: u32,
    /// Cycles until an SM has a tensor map that it has not had in this launch.
    #[serde(default)]
    pub map: u32,
    /// Cycles from issue until the first line is asked for, of a box of a tensor.
    #[schemars(range(min = 1))]
    pub box_start: u32,
    /// Cycles more where the box has several rows.
    pub box_rows: u32,
    /// Bytes of lines of a box that are asked for in a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub box_bytes: u32,
    /// Cycles from issue until shared memory is read, of a box of a tensor.
    #[schemars(range(min = 1))]
    pub box_store_start: u32,
    /// Cycles for a row of a box at least.
    pub row: u32,
    /// Cycles for a row of a box that is written and is no whole sector.
    pub partial_row: u32,
    /// Cycles from when a row that lies outside of its tensor would be asked for until it is filled.
    pub outside: u32,
}
