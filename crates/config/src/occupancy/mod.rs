//! How many blocks and warps of a kernel fit on one multiprocessor, and what keeps more from fitting.

mod carveout;
mod rules;
mod wave_share;

pub use rules::occupancy;
pub use wave_share::{WaveShares, wave_shares};

use std::fmt;

/// What one block of a kernel needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// Threads of a block.
    pub threads_per_block: u32,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory that the kernel declares.
    pub static_shared: u32,
    /// Bytes of shared memory that the launch adds.
    pub dynamic_shared: u32,
    /// Scalar registers of a wave (AMD).
    pub scalar_registers: u32,
}

/// What keeps more blocks from being resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// Warp slots.
    Warps,
    /// Block slots.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Warps => "warps",
            Limiter::Blocks => "blocks",
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared memory",
        })
    }
}

/// One step of the calculation: what, how, and the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccupancyStep {
    /// What is calculated: "warps per block".
    pub what: &'static str,
    /// How: "256 threads / 32 lanes, rounded up".
    pub how: String,
    /// The result.
    pub result: u64,
}

impl fmt::Display for OccupancyStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.what, self.how, self.result)
    }
}

/// How many blocks and warps fit on one multiprocessor.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// Warps of a block.
    pub warps_per_block: u32,
    /// Registers that a block takes, rounded up as the machine gives them out.
    pub registers_per_block: u32,
    /// Bytes of shared memory that a block takes, reserved ones and rounding included.
    pub shared_per_block: u32,
    /// Blocks that the warp slots allow.
    pub limit_warps: u32,
    /// Blocks that the block slots allow.
    pub limit_blocks: u32,
    /// Blocks that the registers allow; none if the kernel needs no registers.
    pub limit_registers: Option<u32>,
    /// Blocks that the chosen carve-out allows; none if the kernel needs no shared memory.
    pub limit_shared: Option<u32>,
    /// Resident blocks.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// Resident warps as a share of the warp slots.
    pub fraction: f64,
    /// Every limit that is reached.
    pub limiters: Vec<Limiter>,
    /// KiB of the shared part of the combined memory: what the driver chooses.
    pub carveout_kib: u32,
    /// Why not one block can run, if so.
    pub impossible: Option<String>,
    /// The calculation, in order.
    pub steps: Vec<OccupancyStep>,
}
