//! What a multiprocessor is: numbers from the machine description, in the form that the loop wants them.

use warplab_config::GpuConfig;
use warplab_config::gpu::{Divergence, L1Cache, Latencies, MemoryPipeline, SchedulerPolicy, SharedMemory};
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
    pub(crate) divergence: warplab_exec::Divergence,
    pub(crate) intervals: [u32; Pipe::COUNT],
    pub(crate) latencies: LatencyTable,
    pub(crate) instructions: warplab_config::gpu::InstructionSupply,
    pub(crate) memory: MemoryPipeline,
    pub(crate) shared: SharedMemory,
    pub(crate) l1: L1Cache,
    pub(crate) l1_shape: CacheShape,
    pub(crate) send_bytes: u64,
    pub(crate) header_bytes: u32,
    pub(crate) barrier: Latencies,
    pub(crate) cycles_per_nanosecond: f64,
    pub(crate) block_end: u64,
    /// Cycles of a system call: at least an epoch, at whose end the heap answers.
    pub(crate) system_call: u64,
    pub(crate) sm_count: u32,
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
                Divergence::ConvergenceBarriers => warplab_exec::Divergence::Barriers { patience: PATIENCE },
                Divergence::IpdomStack => warplab_exec::Divergence::IpdomStack,
            },
            intervals: Pipe::ALL.map(|pipe| sm.pipes.interval(pipe)),
            latencies: sm.latencies.table(&sm.shared, &sm.l1),
            instructions: sm.instructions,
            memory: sm.memory_pipeline,
            shared: sm.shared,
            l1: sm.l1,
            l1_shape: CacheShape::of_bytes(u64::from(l1_kib) * 1024, sm.l1.ways),
            send_bytes: u64::from(config.crossbar.sm_send_bytes),
            header_bytes: config.crossbar.header_bytes,
            barrier: sm.latencies.clone(),
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
