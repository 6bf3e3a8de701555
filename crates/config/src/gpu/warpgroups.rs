//! Products of matrices of warpgroups, which go on while warps do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Products of matrices that the four warps of a warpgroup form together (`wgmma`), each on the tensor core of its sub-partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warpgroups {
    /// Columns of a sum that a tensor core forms in a cycle.
    #[schemars(range(min = 1, max = 256))]
    pub columns: u32,
    /// Bytes of factors that are read from shared memory in a cycle.
    #[schemars(range(min = 1, max = 1024))]
    pub shared_bytes: u32,
    /// Cycles from one product to the next at least, with the first factor in registers.
    pub register_interval: u32,
    /// Cycles from when the last of its warps issues a product until it begins.
    pub start: u32,
    /// The same with the first factor in registers.
    pub register_start: u32,
    /// Cycles from when the last column has been formed until the sum is there.
    pub end: u32,
    /// Cycles that `WARPGROUP.ARRIVE` adds to its stall count.
    pub arrive: u32,
    /// Cycles that `USETMAXREG.DEALLOC`, which gives registers back, adds to its stall count.
    pub give_registers: u32,
    /// The same of `USETMAXREG.TRY_ALLOC`, which asks for more.
    pub take_registers: u32,
    /// Cycles from the issue of a product to that of the next one of its warps, at least.
    #[schemars(range(min = 1))]
    pub issue: u32,
    /// Columns of the sum for each of these cycles: as many more as there are, less the least.
    #[schemars(range(min = 1, max = 256))]
    pub issue_columns: u32,
    /// Products that wait to begin; the warps of one more wait, too.
    #[schemars(range(min = 1))]
    pub queue: u32,
}
