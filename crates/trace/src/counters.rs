//! Counters of every unit: integers that only grow, summed over equal units at the end.

use crate::queue::QueueCounters;
use crate::state::WarpState;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use warplab_program::{Opcode, Pipe};

/// How many states of a warp are counted.
pub const WARP_STATES: usize = WarpState::COUNT;

macro_rules! summed {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $($(#[$field_doc])* pub $field: u64,)* }

        impl AddAssign<&$name> for $name {
            fn add_assign(&mut self, other: &$name) {
                $(self.$field += other.$field;)*
            }
        }

        impl $name {
            /// The counters by name.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field),)*]
            }
        }
    };
}

/// One scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulerCounters {
    /// Cycles in which at least one warp was resident.
    pub active_cycles: u64,
    /// Cycles in which an instruction issued.
    pub issue_cycles: u64,
    /// Cycles in which at least one warp was eligible.
    pub eligible_cycles: u64,
    /// Resident warps summed over cycles.
    pub warp_cycles: u64,
    /// Eligible warps summed over cycles, the selected one among them.
    pub eligible_warp_cycles: u64,
    /// Warps that issued beside another of the same scheduler in one cycle, where it issues to several units at once.
    pub further_warps: u64,
    /// Instructions that issued together with one before them of the same warp, where several operations are one issue.
    pub packed: u64,
    /// Instructions that issued in vain, as a constant operand was not there yet: that instruction, and those behind it
    /// before the miss was seen. Their cycles are in the state of waiting for a fixed latency.
    #[serde(default)]
    pub replayed: u64,
    /// Warp-cycles in each state, by [`WarpState::index`].
    pub states: [u64; WARP_STATES],
}

impl SchedulerCounters {
    /// Instructions that issued, those among them that had to issue again.
    #[must_use]
    pub fn issued(&self) -> u64 {
        self.issue_cycles + self.further_warps + self.packed + self.replayed
    }
}

impl AddAssign<&SchedulerCounters> for SchedulerCounters {
    fn add_assign(&mut self, other: &SchedulerCounters) {
        self.active_cycles += other.active_cycles;
        self.issue_cycles += other.issue_cycles;
        self.eligible_cycles += other.eligible_cycles;
        self.warp_cycles += other.warp_cycles;
        self.eligible_warp_cycles += other.eligible_warp_cycles;
        self.further_warps += other.further_warps;
        self.packed += other.packed;
        self.replayed += other.replayed;
        for (mine, theirs) in self.states.iter_mut().zip(other.states) {
            *mine += theirs;
        }
    }
}

/// Executed instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionCounters {
    /// Warp instructions.
    pub warp: u64,
    /// Thread instructions: lanes that executed, their guard true.
    pub thread: u64,
    /// Warp instructions by pipe.
    pub by_pipe: [u64; Pipe::COUNT],
    /// Warp instructions by opcode.
    pub by_opcode: Vec<u64>,
    /// Branches executed.
    pub branches: u64,
    /// Branches at which a warp divided.
    pub divergent_branches: u64,
    /// Cycles of the tensor cores of all sub-partitions for products of warpgroups.
    pub product_cycles: u64,
}

impl Default for InstructionCounters {
    fn default() -> Self {
        InstructionCounters {
            warp: 0,
            thread: 0,
            by_pipe: [0; Pipe::COUNT],
            by_opcode: vec![0; Opcode::ALL.len()],
            branches: 0,
            divergent_branches: 0,
            product_cycles: 0,
        }
    }
}

impl AddAssign<&InstructionCounters> for InstructionCounters {
    fn add_assign(&mut self, other: &InstructionCounters) {
        self.warp += other.warp;
        self.thread += other.thread;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.product_cycles += other.product_cycles;
        for (mine, theirs) in self.by_pipe.iter_mut().zip(other.by_pipe) {
            *mine += theirs;
        }
        for (mine, theirs) in self.by_opcode.iter_mut().zip(&other.by_opcode) {
            *mine += theirs;
        }
    }
}

summed!(
    /// Global and local memory at the level-one cache.
    L1Counters {
        /// Load instructions on global memory.
        global_load_requests,
        /// Sectors that they touched.
        global_load_sectors,
        /// Sectors of global loads found in the cache.
        global_load_sector_hits,
        /// Sectors of global loads found on their way.
        global_load_sector_merges,
        /// Sectors that copies to shared memory ask for again, as what they bring lies in several sectors there.
        copied_sectors_again,
        /// Passes of shared memory of these copies.
        copy_wavefronts,
        /// Store instructions on global memory.
        global_store_requests,
        /// Sectors that they touched.
        global_store_sectors,
        /// Sectors of global stores found in the cache.
        global_store_sector_hits,
        /// Atomic instructions on global memory with a result.
        global_atomic_requests,
        /// Sectors that they touched.
        global_atomic_sectors,
        /// Atomic instructions on global memory without a result.
        global_reduction_requests,
        /// Sectors that they touched.
        global_reduction_sectors,
        /// Load instructions on local memory.
        local_load_requests,
        /// Sectors that they touched.
        local_load_sectors,
        /// Sectors of local loads found in the cache.
        local_load_sector_hits,
        /// Store instructions on local memory.
        local_store_requests,
        /// Sectors that they touched.
        local_store_sectors,
        /// Sectors of local stores found in the cache.
        local_store_sector_hits,
        /// Cycles of the tag unit.
        tag_cycles,
        /// Cycles of the data unit for global and local memory.
        data_cycles,
        /// Cycles in which the cache could not take the next instruction because every miss entry was in use.
        miss_stall_cycles,
        /// Sectors asked from level two.
        sectors_to_l2,
        /// Sectors that the sectors per request of an ideal access would not have touched.
        excessive_sectors,
    }
);

summed!(
    /// Shared memory.
    SharedCounters {
        /// Load instructions.
        load_requests,
        /// Passes of loads.
        load_wavefronts,
        /// Passes of loads beyond those that an access without conflict needs.
        load_bank_conflicts,
        /// Store instructions.
        store_requests,
        /// Passes of stores.
        store_wavefronts,
        /// Passes of stores beyond those that an access without conflict needs.
        store_bank_conflicts,
        /// Atomic instructions.
        atomic_requests,
        /// Passes of atomic instructions.
        atomic_wavefronts,
        /// Passes of products of warpgroups, which read matrices.
        product_wavefronts,
        /// Instructions of the unit that touch no memory: shuffles, numbers of lanes, accesses without an active lane.
        exchange_requests,
    }
);

summed!(
    /// One cache, counted in sectors.
    CacheCounters {
        /// Sectors read.
        read_sectors,
        /// Of these, found.
        read_hits,
        /// Sectors written.
        write_sectors,
        /// Of these, found.
        write_hits,
        /// Sectors of atomic operations with a result.
        atomic_sectors,
        /// Sectors of atomic operations without a result.
        reduction_sectors,
        /// Sectors of atomic operations found.
        atomic_hits,
        /// Sectors of requests from the other half that were found.
        far_hits,
        /// Of the sectors read, those that the other half asked for.
        far_read_sectors,
        /// Of the sectors written, those that came from the other half.
        far_write_sectors,
        /// Of the sectors of atomic operations with a result, those that came from the other half.
        far_atomic_sectors,
        /// Of the sectors of atomic operations without a result, those that came from the other half.
        far_reduction_sectors,
        /// Sectors that count as hits and waited for a fill already under way.
        merged_sectors,
        /// Sectors read that came with the reply to a neighbour and are counted nowhere else.
        coalesced_sectors,
        /// Their requests.
        coalesced_requests,
        /// Of the sectors written, those that were written in part and completed from below.
        completed_sectors,
        /// Lines evicted.
        evictions,
        /// Sectors written back.
        writeback_sectors,
        /// Requests that came from multiprocessors.
        requests,
        /// Cycles of the level-two clock in which slices delivered or took data.
        busy_ticks,
    }
);

summed!(
    /// DRAM.
    DramCounters {
        /// Bytes read.
        read_bytes,
        /// Bytes written.
        written_bytes,
        /// Accesses that found their row open.
        row_hits,
        /// Accesses that found their bank closed.
        row_misses,
        /// Accesses that found another row open.
        row_conflicts,
        /// Activate commands.
        activates,
        /// Precharge commands.
        precharges,
        /// Refresh commands.
        refreshes,
        /// Turns between reading and writing.
        turnarounds,
        /// Ticks in which the data bus carried data.
        busy_ticks,
    }
);

/// One multiprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmCounters {
    /// Cycles in which at least one block was resident.
    pub active_cycles: u64,
    /// Blocks that ran to their end.
    pub blocks: u64,
    /// Warps that ran to their end.
    pub warps: u64,
    /// Executed instructions.
    pub instructions: InstructionCounters,
    /// The schedulers.
    pub schedulers: Vec<SchedulerCounters>,
    /// Level-one cache.
    pub l1: L1Counters,
    /// Shared memory.
    pub shared: SharedCounters,
    /// Memory instructions between issue and the cache.
    pub memory_queue: QueueCounters,
    /// Loads and atomic instructions with a result, on global or local memory, between issue and their data.
    pub loads: QueueCounters,
    /// Lines under way between level one and level two.
    pub l1_misses: QueueCounters,
    /// Requests that wait for the multiprocessor's port to the crossbar and pass it.
    pub send_port: QueueCounters,
}

impl AddAssign<&SmCounters> for SmCounters {
    fn add_assign(&mut self, other: &SmCounters) {
        self.active_cycles += other.active_cycles;
        self.blocks += other.blocks;
        self.warps += other.warps;
        self.instructions += &other.instructions;
        self.schedulers
            .resize(self.schedulers.len().max(other.schedulers.len()), SchedulerCounters::default());
        for (mine, theirs) in self.schedulers.iter_mut().zip(&other.schedulers) {
            *mine += theirs;
        }
        self.l1 += &other.l1;
        self.shared += &other.shared;
        self.memory_queue += &other.memory_queue;
        self.loads += &other.loads;
        self.l1_misses += &other.l1_misses;
        self.send_port += &other.send_port;
    }
}

/// One memory partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionCounters {
    /// Level-two cache.
    pub l2: CacheCounters,
    /// DRAM.
    pub dram: DramCounters,
    /// Requests between their arrival at level two and the departure of their reply.
    pub l2_requests: QueueCounters,
    /// Requests between their arrival at DRAM and their data.
    pub dram_requests: QueueCounters,
}

impl AddAssign<&PartitionCounters> for PartitionCounters {
    fn add_assign(&mut self, other: &PartitionCounters) {
        self.l2 += &other.l2;
        self.dram += &other.dram;
        self.l2_requests += &other.l2_requests;
        self.dram_requests += &other.dram_requests;
    }
}

/// The crossbar: what waits for its ports, passes them and is on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossbarCounters {
    /// Requests between their departure from a multiprocessor and their arrival at level two.
    pub requests: QueueCounters,
    /// Replies between their departure from level two and their arrival at a multiprocessor.
    pub replies: QueueCounters,
}

impl AddAssign<&CrossbarCounters> for CrossbarCounters {
    fn add_assign(&mut self, other: &CrossbarCounters) {
        self.requests += &other.requests;
        self.replies += &other.replies;
    }
}

/// One launch, all units of a kind summed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounters {
    /// Cycles from the start of the kernel to its end.
    pub elapsed_cycles: u64,
    /// Cycle of the first instruction that issued.
    pub first_issue: u64,
    /// Cycle of the last instruction that issued.
    pub last_issue: u64,
    /// Lanes of a warp.
    pub warp_lanes: u64,
    /// Multiprocessors of the chip.
    pub multiprocessors: u64,
    /// Multiprocessors that ran a block.
    pub active_multiprocessors: u64,
    /// Memory partitions of the chip.
    pub partitions: u64,
    /// Ticks of a cycle (the unit of `busy_ticks`).
    pub ticks_per_cycle: u64,
    /// The multiprocessors.
    pub sm: SmCounters,
    /// The crossbar.
    pub crossbar: CrossbarCounters,
    /// The memory partitions.
    pub memory: PartitionCounters,
}

impl AddAssign<&LaunchCounters> for LaunchCounters {
    /// A launch that follows: cycles are counted on from the end of those before it.
    fn add_assign(&mut self, other: &LaunchCounters) {
        if self.elapsed_cycles == 0 {
            self.first_issue = other.first_issue;
        }
        self.last_issue = self.elapsed_cycles + other.last_issue;
        self.elapsed_cycles += other.elapsed_cycles;
        self.warp_lanes = self.warp_lanes.max(other.warp_lanes);
        self.multiprocessors = self.multiprocessors.max(other.multiprocessors);
        self.active_multiprocessors = self.active_multiprocessors.max(other.active_multiprocessors);
        self.partitions = self.partitions.max(other.partitions);
        self.ticks_per_cycle = self.ticks_per_cycle.max(other.ticks_per_cycle);
        self.sm += &other.sm;
        self.crossbar += &other.crossbar;
        self.memory += &other.memory;
    }
}

impl LaunchCounters {
    /// The queues by name, in the order in which a load meets them.
    #[must_use]
    pub fn queues(&self) -> [(&'static str, &QueueCounters); 8] {
        let (sm, crossbar, memory) = (&self.sm, &self.crossbar, &self.memory);
        [
            ("loads", &sm.loads),
            ("memory_queue", &sm.memory_queue),
            ("l1_misses", &sm.l1_misses),
            ("send_port", &sm.send_port),
            ("crossbar_requests", &crossbar.requests),
            ("l2_requests", &memory.l2_requests),
            ("dram_requests", &memory.dram_requests),
            ("crossbar_replies", &crossbar.replies),
        ]
    }

    /// What is inside of queues is counted up to cycle `now` of the device, and to `memory_now` of its memory side: the launch
    /// still runs.
    pub fn count_inside(&mut self, now: u64, memory_now: u64) {
        let (sm, crossbar, memory) = (&mut self.sm, &mut self.crossbar, &mut self.memory);
        let of_sms = [
            &mut sm.loads,
            &mut sm.memory_queue,
            &mut sm.l1_misses,
            &mut sm.send_port,
            &mut crossbar.requests,
        ];
        of_sms.into_iter().for_each(|queue| queue.count_inside(now));
        let of_memory = [&mut memory.l2_requests, &mut memory.dram_requests, &mut crossbar.replies];
        of_memory.into_iter().for_each(|queue| queue.count_inside(memory_now));
    }
}
