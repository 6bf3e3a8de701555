//! What a multiprocessor is: numbers from the machine description, in the form that the loop wants them.

use crate::lsu::LsuSpec;
use warplab_config::GpuConfig;
use warplab_config::gpu::{Divergence, L1Cache, SchedulerPolicy, SharedMemory};
use warplab_memory::CacheShape;
use warplab_program::{LatencyTable, Pipe};

/// Units that instructions of one or several pipes share.
pub(crate) const UNITS: usize = 7;

/// One multiprocessor's immutable description.
#[derive(Clone, Debug)]
pub struct SmSpec {
    pub(crate) sub_partitions: usize,
    pub(crate) warps: usize,
    pub(crate) policy: SchedulerPolicy,
    pub(crate) seed: u64,
    pub(crate) divergence: warplab_exec::DivergenceModel,
    pub(crate) intervals: [u32; Pipe::COUNT],
    pub(crate) latencies: LatencyTable,
    pub(crate) instructions: warplab_config::gpu::InstructionSupply,
    pub(crate) lsu: LsuSpec,
    pub(crate) shared: SharedMemory,
    pub(crate) l1: L1Cache,
    pub(crate) l1_shape: CacheShape,
    pub(crate) barrier: BarrierSpec,
    pub(crate) cycles_per_nanosecond: f64,
    pub(crate) block_end: u64,
    /// Cycles of a system call: at least an epoch, at whose end the heap answers.
    pub(crate) system_call: u64,
    pub(crate) sm_count: u32,
}

/// How long a complete block barrier holds its warps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierSpec {
    /// Cycles from the last arrival.
    pub(crate) latency: u64,
    /// Cycles that every warp of the block adds.
    pub(crate) warp_interval: u64,
}

impl BarrierSpec {
    /// Cycles from the last arrival until the warps of a block can issue.
    pub(crate) fn release(self, warps: usize) -> u64 {
        self.latency + self.warp_interval * warps as u64
    }
}

/// Taken backward branches of one path before another one gets its turn.
const PATIENCE: u32 = 32;

impl SmSpec {
    /// The multiprocessor of a machine, with so many KiB of its combined memory given to shared memory.
    #[must_use]
    pub fn new(config: &GpuConfig, shared_kib: u32) -> SmSpec {
        let sm = &config.multiprocessor;
        let l1_kib = sm.l1.combined_kib.saturating_sub(sm.l1.reserved_kib).saturating_sub(shared_kib).max(1);
        SmSpec {
            sub_partitions: config.limits.sub_partitions as usize,
            warps: config.limits.warps as usize,
            policy: sm.scheduler,
            seed: sm.scheduler_seed,
            divergence: match sm.divergence {
                Divergence::ConvergenceBarriers => {
                    warplab_exec::DivergenceModel::Barriers { patience: PATIENCE }
                }
                Divergence::IpdomStack => warplab_exec::DivergenceModel::IpdomStack,
            },
            intervals: Pipe::ALL.map(|pipe| sm.pipes.interval(pipe)),
            latencies: sm.latencies.table(&sm.shared, &sm.l1),
            instructions: sm.instructions,
            lsu: LsuSpec {
                queue: sm.memory_pipeline.queue as usize,
                interval: u64::from(sm.memory_pipeline.interval),
                sub_interval: u64::from(sm.memory_pipeline.sub_partition_interval),
                source_release: u64::from(sm.memory_pipeline.source_release),
                hit: u64::from(sm.l1.hit_latency),
                miss_entries: sm.l1.miss_entries as usize,
                send_bytes: u64::from(config.crossbar.sm_send_bytes).max(1),
                flat: sm.l1.flat_latency.map(u64::from),
            },
            shared: sm.shared,
            l1: sm.l1,
            l1_shape: CacheShape::of_bytes(u64::from(l1_kib) * 1024, sm.l1.ways),
            barrier: BarrierSpec {
                latency: u64::from(sm.latencies.barrier),
                warp_interval: u64::from(sm.latencies.barrier_warp),
            },
            cycles_per_nanosecond: config.clocks.sm_mhz / 1000.0,
            block_end: u64::from(config.launch.block_end),
            system_call: u64::from(config.launch.system_call.max(config.crossbar.latency)),
            sm_count: config.limits.multiprocessors,
        }
    }

    /// The latencies that the code was compiled for.
    #[must_use]
    pub fn latencies(&self) -> &LatencyTable {
        &self.latencies
    }
}

/// The unit that executes instructions of a pipe: integer multiply-add and packed halves share the multipliers of
/// single precision (measured: a mix of FFMA and IMAD takes one and two cycles of the same unit).
pub(crate) fn unit(pipe: Pipe) -> usize {
    match pipe {
        Pipe::Fma | Pipe::FmaHeavy | Pipe::Fp16 => 0,
        Pipe::Alu => 1,
        Pipe::Fp64 => 2,
        Pipe::Xu => 3,
        Pipe::Lsu => 4,
        Pipe::Adu => 5,
        Pipe::Cbu | Pipe::Uniform => 6,
    }
}
