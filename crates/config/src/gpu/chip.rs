//! Clocks, limits and the block dispatcher.

use crate::launch::Dimensions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who made the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vendor {
    /// NVIDIA: warps of 32.
    Nvidia,
    /// AMD: waves of 64.
    Amd,
    /// A machine for teaching.
    Model,
}

/// Clock rates in MHz.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Multiprocessors: the unit of every time in reports.
    #[schemars(range(min = 1.0, max = 10000.0))]
    pub sm_mhz: f64,
    /// Level-two cache and crossbar.
    #[schemars(range(min = 1.0, max = 10000.0))]
    pub l2_mhz: f64,
    /// The command clock of DRAM.
    #[schemars(range(min = 1.0, max = 10000.0))]
    pub dram_mhz: f64,
}

/// How registers are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegisterAllocation {
    /// To each warp, rounded up to the unit (compute capability 3.0 and later: inside one of the sub-partitions).
    Warp,
    /// To each warp, with the number of warps of a block rounded up to two (Fermi).
    WarpPairs,
    /// To each block, rounded up to the unit (compute capability 1.x).
    Block,
    /// To each wave from the file of one SIMD unit (AMD).
    Simd,
}

/// What fits on one multiprocessor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Multiprocessors (compute units) of the chip.
    #[schemars(range(min = 1, max = 4096))]
    pub multiprocessors: u32,
    /// Lanes of a warp (wave).
    #[schemars(range(min = 1, max = 64))]
    pub warp_lanes: u32,
    /// Resident threads.
    #[schemars(range(min = 1, max = 65536))]
    pub threads: u32,
    /// Resident warps.
    #[schemars(range(min = 1, max = 64))]
    pub warps: u32,
    /// Resident blocks.
    #[schemars(range(min = 1, max = 64))]
    pub blocks: u32,
    /// Threads of one block.
    #[schemars(range(min = 1, max = 65536))]
    pub threads_per_block: u32,
    /// Blocks of a grid in x, y and z.
    pub grid: Dimensions,
    /// 32-bit registers.
    #[schemars(range(min = 1))]
    pub registers: u32,
    /// Registers are given out in multiples of this.
    #[schemars(range(min = 1))]
    pub register_unit: u32,
    /// To whom registers are given.
    pub register_allocation: RegisterAllocation,
    /// The most registers of one thread.
    #[schemars(range(min = 1, max = 512))]
    pub registers_per_thread: u32,
    /// Registers that every thread is given, however few its kernel uses.
    #[schemars(range(max = 512))]
    pub least_registers_per_thread: u32,
    /// Shared memory in bytes, what is reserved for the system included.
    #[schemars(range(min = 1))]
    pub shared_bytes: u32,
    /// Shared memory of one block in bytes.
    #[schemars(range(min = 1))]
    pub shared_bytes_per_block: u32,
    /// Shared memory is given out in multiples of this.
    #[schemars(range(min = 1))]
    pub shared_unit: u32,
    /// Shared memory that the system takes from every block.
    pub shared_reserved: u32,
    /// Sizes in KiB that the shared part of the combined memory can have, ascending; empty when it is fixed.
    pub shared_carveouts_kib: Vec<u32>,
    /// Scalar registers of one SIMD unit (AMD); 0 when there is no such limit.
    pub scalar_registers: u32,
    /// Sub-partitions (SIMD units), each with its own scheduler and register file.
    #[schemars(range(min = 1, max = 4))]
    pub sub_partitions: u32,
}

/// The blocks of the first wave, of which each multiprocessor starts its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstWave {
    /// Cycles between two blocks of one multiprocessor at least.
    pub interval: u32,
    /// From the start of the last warp of a block to the next block.
    pub gap: u32,
}

/// How blocks come to multiprocessors, in SM cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchTiming {
    /// From the start of the kernel until the first block is dispatched.
    pub kernel_start: u32,
    /// From the end of the last block until the kernel has ended.
    pub kernel_end: u32,
    /// Cycles that this takes longer for a kernel that has stored to memory.
    #[serde(default)]
    pub flush: u32,
    /// Cycles between two dispatched blocks, for the whole chip.
    #[schemars(range(min = 0.001))]
    pub cycles_per_block: f64,
    /// Cycles that dispatching one warp of a block takes beside that (large blocks come slower).
    pub cycles_per_warp: f64,
    /// From the dispatch of a block until its warps can issue.
    #[schemars(range(min = 1))]
    pub block_start: u32,
    /// Cycles between two warps of a block that its multiprocessor starts.
    pub warp_start: u32,
    /// From the exit of a block's last warp until its resources can be given out again.
    #[schemars(range(min = 1))]
    pub block_end: u32,
    /// How multiprocessors get the blocks of the first wave. `cycles_per_block` is then the pace at which blocks that have
    /// ended are taken note of, one after another for the whole chip, and replaced; the first wave comes at that pace, too,
    /// where it is not given.
    #[serde(default)]
    pub first_wave: Option<FirstWave>,
    /// How long a call of the driver takes its warp: `printf`, `malloc`, `free`.
    pub system_call: u32,
}
