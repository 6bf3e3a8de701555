//! The description of a machine: `configs/gpus/*.ron`.
//!
//! Every number lives in the RON file with its source on its line. Nothing here has a default that changes a
//! result: what a machine is stands in one place.

mod asynchronous;
mod block_clusters;
mod chip;
mod clusters;
mod compiler;
mod fences;
mod latencies;
mod memory;
mod multiprocessor;
mod pipes;
mod rank;
mod scheduler;
mod slice_hash;
mod slice_table;
mod timing;
mod warpgroups;

pub use asynchronous::{BulkCopies, Mbarriers};
pub use block_clusters::BlockClusters;
pub use chip::{Clocks, FirstWave, LaunchTiming, Limits, RegisterAllocation, Vendor};
pub use clusters::SmCluster;
pub use compiler::Compiler;
pub use fences::Fences;
pub use latencies::{BarrierHolds, Latencies, ReaderClass, ReaderLatency, ResultClass};
pub use memory::{
    BankRefresh, Crossbar, Dram, DramClocks, L2Cache, ReplacementPolicy, RowPieces, TimingRules, WriteSwitch,
};
pub use multiprocessor::{
    ConstantSupply, Divergence, InstructionSupply, IssueRules, L1Cache, MemoryPipeline, Multiprocessor,
    SharedMemory, TagHash, TagSets,
};
pub use pipes::{ConstantLoads, PipeTiming, PipeUnit, Pipes, TensorCore};
pub use rank::{Keep, RankCode, RankFormula, RankInput, RankOperator, RankSource, RankStep};
pub use scheduler::SchedulerPolicy;
pub use slice_hash::SliceHash;
pub use slice_table::SliceTable;
pub use timing::{TICKS_PER_CYCLE, Ticks};
pub use warpgroups::Warpgroups;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warplab_units::{MOST_WARP_LANES, ROW_LANES};

/// One machine: everything that the simulator needs to know about a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuConfig {
    /// The name in reports, for example "NVIDIA H200".
    pub name: String,
    /// Who made it: decides the occupancy rules and the names of limits.
    pub vendor: Vendor,
    /// Compute capability ("9.0") or instruction set ("gfx90a").
    pub architecture: String,
    /// Whether kernels can be run; otherwise only occupancy and limits are known.
    pub runnable: bool,
    /// Clock rates.
    pub clocks: Clocks,
    /// What fits on one multiprocessor.
    pub limits: Limits,
    /// How blocks come to multiprocessors.
    pub launch: LaunchTiming,
    /// One multiprocessor.
    pub multiprocessor: Multiprocessor,
    /// The way between multiprocessors and memory partitions.
    pub crossbar: Crossbar,
    /// The level-two cache.
    pub l2: L2Cache,
    /// Device memory.
    pub dram: Dram,
    /// What the compiler of PTX goes by.
    pub compiler: Compiler,
}

impl GpuConfig {
    /// Why kernels cannot be run on this machine, as what is said of it; none where they can.
    #[must_use]
    pub fn cannot_run(&self) -> Option<String> {
        let lanes = self.limits.warp_lanes;
        if lanes as usize != ROW_LANES && lanes as usize != MOST_WARP_LANES {
            return Some(format!(
                "has warps of {lanes} lanes, and only warps of {ROW_LANES} or {MOST_WARP_LANES} are simulated"
            ));
        }
        (!self.runnable).then(|| "has limits only".to_owned())
    }

    /// Rows of 32 lanes of a warp.
    #[must_use]
    pub fn warp_rows(&self) -> u8 {
        if self.limits.warp_lanes as usize > ROW_LANES { 2 } else { 1 }
    }

    /// Memory partitions: each is one DRAM channel with the level-two slices in front of it.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.dram.channels as usize
    }

    /// Sizes in KiB that the shared part of the combined memory can have; one where it is fixed.
    #[must_use]
    pub(crate) fn carveouts_kib(&self) -> Vec<u32> {
        let fixed = self.limits.shared_bytes.div_ceil(1024);
        let sizes = &self.limits.shared_carveouts_kib;
        if sizes.is_empty() { vec![fixed] } else { sizes.clone() }
    }

    /// KiB of level one beside a shared part of this size; none where the combined memory cannot hold it.
    #[must_use]
    pub fn l1_kib(&self, carveout_kib: u32) -> Option<u32> {
        let l1 = &self.multiprocessor.l1;
        l1.combined_kib.checked_sub(l1.reserved_kib)?.checked_sub(carveout_kib).filter(|&kib| kib > 0)
    }

    /// Ticks of one level-two cycle.
    #[must_use]
    pub fn l2_cycle(&self) -> Ticks {
        Ticks::of_clock(self.clocks.sm_mhz, self.clocks.l2_mhz)
    }

    /// Ticks of one DRAM command clock.
    #[must_use]
    pub fn dram_cycle(&self) -> Ticks {
        Ticks::of_clock(self.clocks.sm_mhz, self.clocks.dram_mhz)
    }

    /// Peak DRAM bandwidth in bytes per second: both edges of the data clock, which is twice the command clock where
    /// `data_rate` is four.
    #[must_use]
    pub fn dram_bytes_per_second(&self) -> f64 {
        let bytes_per_clock = f64::from(self.dram.channel_bits) / 8.0 * f64::from(self.dram.data_rate);
        f64::from(self.dram.channels) * bytes_per_clock * self.clocks.dram_mhz * 1e6
    }
}
