//! What an SM is: numbers from the machine description, in the form that its units want them.

use crate::constants::ConstantSpec;
use crate::fetch::FetchSpec;
use crate::lsu::{Coalescing, DataSpec, LsuSpec, PortSpec, QueueSpec, SetNumbers};
use crate::pipes::PipeSpec;
use crate::register_file::RegisterFileSpec;
use std::sync::Arc;
use warplab_config::GpuConfig;
use warplab_config::gpu::{
    BarrierHolds, BlockClusters, BulkCopies, Crossbar, Divergence, Fences, IssueRules, L1Cache, Mbarriers,
    Multiprocessor, SchedulerPolicy, SharedMemory, Warpgroups,
};
use warplab_exec::DivergenceModel;
use warplab_program::LatencyTable;
use warplab_units::{Cycle, LINE_BYTES, SmId, TypedId};

/// One SM's immutable description.
#[derive(Clone, Debug)]
pub struct SmSpec {
    pub(crate) sub_partitions: usize,
    pub(crate) warps: usize,
    /// Rows of 32 lanes of a warp.
    pub(crate) warp_rows: u32,
    pub(crate) coalescing: Coalescing,
    pub(crate) issue: IssueRules,
    /// Whether every cycle each scheduler issues from one warp at most.
    pub(crate) issues_one_each: bool,
    pub(crate) scheduler: SchedulerSpec,
    pub(crate) divergence: DivergenceModel,
    pub(crate) pipes: PipeSpec,
    /// None where instructions read as many registers at once as they want.
    pub(crate) register_file: Option<RegisterFileSpec>,
    pub(crate) latencies: LatencyTable,
    /// Cycles by which each SM is further from what it shares with others than the nearest one.
    distances: Arc<[u64]>,
    /// The number that each SM calls its own.
    numbers: Arc<[u32]>,
    pub(crate) fetch: FetchSpec,
    /// None where every constant is there at once.
    pub(crate) constants: Option<ConstantSpec>,
    /// Cycles from the issue of a taken branch until the next instruction can issue.
    pub(crate) branch_taken: u64,
    /// Of these, cycles in which the instruction at the target is fetched.
    pub(crate) branch_fetch: u64,
    /// From the end of the stall count of the last instruction of a warp until it has left its slot.
    pub(crate) exit: u64,
    /// From when its last store has left until a warp can leave its slot.
    pub(crate) drain: u64,
    /// Cycles that a branch adds for each address that lanes have in registers.
    pub(crate) branch_target: u64,
    /// Cycles that a `YIELD` adds where no other path of the warp can go on.
    pub(crate) yield_in_vain: u64,
    /// Cycles that an instruction adds at which lanes converge.
    pub(crate) convergence: u32,
    /// Cycles that lanes add that come to a collective operation from divergent code.
    pub(crate) collective: u32,
    /// Cycles that a barrier adds whose lanes are named in a register, those for each mask, and those for lanes that go on alone.
    pub(crate) named_lanes: u32,
    pub(crate) named_mask: u32,
    pub(crate) exclusive_lanes: u32,
    pub(crate) lsu: LsuSpec,
    pub(crate) shared: SharedMemory,
    /// All zeros where fences take no time of their own.
    pub(crate) fences: Fences,
    /// All zeros on a machine without, which runs no kernel that has one.
    pub(crate) mbarriers: Mbarriers,
    pub(crate) bulk: BulkCopies,
    /// All zeros on a machine without, which runs no kernel that has some.
    pub(crate) clusters: BlockClusters,
    /// None where there are no products of warpgroups.
    pub(crate) warpgroups: Option<Warpgroups>,
    pub(crate) l1: L1Cache,
    /// What the carve-out leaves of level one.
    pub(crate) l1_kib: u32,
    /// Which set of level one a line belongs to.
    pub(crate) l1_sets: SetNumbers,
    pub(crate) barrier: BarrierSpec,
    pub(crate) cycles_per_nanosecond: f64,
    pub(crate) block_end: u64,
    /// Cycles of a system call: at least an epoch, at whose end the heap answers.
    pub(crate) system_call: u64,
    pub(crate) sm_count: u32,
}

/// The numbers of the warp schedulers.
#[derive(Clone, Debug)]
pub(crate) struct SchedulerSpec {
    pub(crate) policy: SchedulerPolicy,
    /// The seed of the random policy.
    pub(crate) seed: u64,
    /// Warps of a fetch group of the two-level policy.
    pub(crate) fetch_group: u32,
    /// Cycles after which warps of the policy of the oldest block go first that have not issued, if they ever do.
    pub(crate) starvation_interval: Option<u64>,
}

impl SchedulerSpec {
    /// Whether a formula decides.
    pub(crate) fn is_formula(&self) -> bool {
        matches!(self.policy, SchedulerPolicy::Rank(_))
    }
}

/// How long a complete block barrier holds its warps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierSpec {
    /// Cycles from the last arrival's end.
    pub(crate) latency: u64,
    /// Cycles that the SM takes for the arrival of a warp.
    pub(crate) warp_interval: u64,
    /// What behind it waits for it.
    pub(crate) holds: BarrierHolds,
}

impl BarrierSpec {
    /// When an arrival has been taken that the SM begins to take at `start`.
    pub(crate) fn taken(self, start: Cycle) -> Cycle {
        start + self.warp_interval
    }

    /// When the warps of a block can issue whose last arrival has been taken.
    pub(crate) fn release(self, taken: Cycle) -> Cycle {
        taken + self.latency
    }
}

impl SmSpec {
    /// The SM of a machine, with this many KiB of its combined memory given to shared memory, beside so many others of its
    /// cluster that run the launch.
    #[must_use]
    pub fn new(config: &GpuConfig, shared_kib: u32, others: u64) -> SmSpec {
        let sm = &config.multiprocessor;
        let l1_kib = sm.l1.combined_kib.saturating_sub(sm.l1.reserved_kib).saturating_sub(shared_kib).max(1);
        let issue = sm.issue.unwrap_or(IssueRules::ONE);
        SmSpec {
            sub_partitions: config.limits.sub_partitions as usize,
            warps: config.limits.warps as usize,
            warp_rows: u32::from(config.warp_rows()),
            coalescing: Coalescing {
                lanes: sm.memory_pipeline.coalesced_lanes.unwrap_or(config.limits.warp_lanes),
                segments: sm.memory_pipeline.whole_segments,
            },
            issue,
            issues_one_each: !issue.in_turn && issue.instructions == 1,
            scheduler: SchedulerSpec {
                policy: sm.scheduler.clone(),
                seed: sm.scheduler_seed,
                fetch_group: sm.instructions.fetch_group,
                starvation_interval: sm.starvation_interval.map(u64::from),
            },
            divergence: match sm.divergence {
                Divergence::ConvergenceBarriers => {
                    DivergenceModel::Barriers { patience: sm.instructions.branch_patience }
                }
                Divergence::IpdomStack => DivergenceModel::IpdomStack,
            },
            pipes: PipeSpec::new(&sm.pipes),
            register_file: sm.register_file.map(|file| RegisterFileSpec {
                banks: file.banks as usize,
                window: u64::from(file.read_window),
                late_result: file.late_result.map(u64::from),
                wide_load: u64::from(file.wide_load),
                load_latency: u64::from(sm.shared.latency),
            }),
            latencies: sm.latencies.table(&sm.shared, &sm.l1),
            distances: config.distance_of_sm().into_iter().map(u64::from).collect(),
            numbers: config.number_of_sm().into(),
            fetch: FetchSpec::new(&sm.instructions, others),
            constants: sm.constants.as_ref().map(|supply| {
                ConstantSpec::new(supply, sm.pipes.constant_load, &config.sm_clusters(), others)
            }),
            branch_taken: u64::from(sm.instructions.branch_taken),
            branch_target: u64::from(sm.instructions.branch_target),
            yield_in_vain: u64::from(sm.instructions.yield_in_vain),
            branch_fetch: u64::from(sm.instructions.branch_fetch),
            exit: u64::from(sm.instructions.exit),
            drain: u64::from(sm.instructions.drain),
            convergence: sm.instructions.convergence,
            collective: sm.instructions.collective,
            named_lanes: sm.instructions.named_lanes,
            named_mask: sm.instructions.named_mask,
            exclusive_lanes: sm.instructions.exclusive_lanes,
            lsu: lsu_spec(sm, &config.crossbar, l1_kib as usize * 1024 / LINE_BYTES as usize),
            shared: sm.shared,
            fences: sm.fences.unwrap_or_default(),
            mbarriers: sm.mbarriers.unwrap_or_default(),
            bulk: sm.bulk_copies.unwrap_or_default(),
            clusters: sm.block_clusters.unwrap_or_default(),
            warpgroups: sm.warpgroups,
            l1: sm.l1,
            l1_kib,
            l1_sets: SetNumbers::new(&sm.l1),
            barrier: BarrierSpec {
                latency: u64::from(sm.latencies.barrier),
                warp_interval: u64::from(sm.latencies.barrier_warp),
                holds: sm.latencies.barrier_holds,
            },
            cycles_per_nanosecond: config.clocks.sm_mhz / 1000.0,
            block_end: u64::from(config.launch.block_end),
            system_call: u64::from(config.launch.system_call.max(config.crossbar.latency)),
            sm_count: config.limits.multiprocessors,
        }
    }

    /// The number that an SM calls its own.
    pub(crate) fn number(&self, sm: SmId) -> u32 {
        self.numbers.get(sm.index()).copied().unwrap_or(u32::from(sm.0))
    }

    /// Cycles by which an SM is further from what it shares with others than the nearest one.
    pub(crate) fn distance(&self, sm: SmId) -> u64 {
        self.distances.get(sm.index()).copied().unwrap_or(0)
    }

    /// How divergence is handled.
    #[must_use]
    pub fn divergence(&self) -> DivergenceModel {
        self.divergence
    }

    /// The latencies that the code was compiled for.
    #[must_use]
    pub fn latencies(&self) -> &LatencyTable {
        &self.latencies
    }
}

fn lsu_spec(sm: &Multiprocessor, crossbar: &Crossbar, l1_lines: usize) -> LsuSpec {
    let hit = u64::from(sm.l1.hit_latency);
    LsuSpec {
        queue: QueueSpec {
            entries: sm.memory_pipeline.queue as usize,
            unit_entries: sm.memory_pipeline.unit_queue as usize,
            in_order: sm.memory_pipeline.in_order.min(sm.memory_pipeline.unit_queue) as usize,
            interval: u64::from(sm.memory_pipeline.interval),
            sub_partition_interval: u64::from(sm.memory_pipeline.sub_partition_interval),
            exchange_interval: u64::from(
                sm.memory_pipeline.exchange_interval.unwrap_or(sm.memory_pipeline.sub_partition_interval),
            ),
        },
        header_bytes: crossbar.header_bytes,
        flit_bytes: crossbar.flit_bytes,
        credits: crossbar.flit_bytes.and(crossbar.credits),
        port: PortSpec {
            bytes_per_cycle: u64::from(crossbar.sm_send_bytes).max(1),
            queue: sm.memory_pipeline.send_queue as usize,
            joinable: sm.l1.store_buffer.unwrap_or(0) as usize,
        },
        load_share: u64::from(sm.memory_pipeline.load_share.unwrap_or(1)),
        copy_passes: sm.memory_pipeline.copy_passes,
        lines_at_once: sm.memory_pipeline.lines_at_once.map_or(usize::MAX, |lines| lines as usize),
        store_hold: sm.l1.store_buffer.map(|_| u64::from(sm.l1.store_hold)),
        store_taken: sm.l1.store_buffer.map_or(0, |_| u64::from(sm.l1.store_taken)),
        data: DataSpec {
            pace: u64::from(sm.memory_pipeline.load_share.unwrap_or(1)),
            store_conflict_percent: u64::from(sm.l1.store_conflict_percent.unwrap_or(100))
                .saturating_sub(100),
            shared_queue: sm.memory_pipeline.unit_queue as usize,
            global_queue: sm.memory_pipeline.data_queue as usize,
            between_loads: sm.memory_pipeline.between_loads.map(u64::from),
            returning_passes: sm.memory_pipeline.returning_passes.map(u64::from),
        },
        reads_lane_numbers: sm.memory_pipeline.reads_lane_numbers,
        masked_latency: sm.memory_pipeline.masked_latency.map(u64::from),
        source_release: u64::from(sm.memory_pipeline.source_release),
        hit,
        local_hit: u64::from(sm.l1.local_hit_latency.unwrap_or(sm.l1.hit_latency)),
        request: hit * u64::from(sm.l1.request_percent) / 100,
        miss_entries: sm.l1.miss_entries as usize,
        atomic_entries: sm.l1.atomic_percent.map(|percent| (l1_lines * percent as usize / 100).max(1)),
        flat: sm.l1.flat_latency.map(u64::from),
    }
}
