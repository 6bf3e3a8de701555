//! One multiprocessor: schedulers, pipes, latencies, shared memory, level-one cache.

use super::asynchronous::{BulkCopies, Mbarriers};
use super::block_clusters::BlockClusters;
use super::fences::Fences;
use super::latencies::Latencies;
use super::memory::ReplacementPolicy;
use super::pipes::Pipes;
use super::scheduler::SchedulerPolicy;
use super::warpgroups::Warpgroups;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How divergent branches are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Divergence {
    /// Convergence barriers (Volta and later): other lanes of the warp may run while some wait.
    ConvergenceBarriers,
    /// A stack of immediate post-dominators: one side, then the other.
    IpdomStack,
}

/// One multiprocessor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Multiprocessor {
    /// Which warp is taken.
    pub scheduler: SchedulerPolicy,
    /// The seed of the random policy.
    pub scheduler_seed: u64,
    /// Every so many cycles warps that have not issued since go before all others, where the oldest block is taken; never
    /// where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub starvation_interval: Option<u32>,
    /// How schedulers issue; every cycle each one instruction where it is not given.
    #[serde(default)]
    pub issue: Option<IssueRules>,
    /// How divergent branches are executed.
    pub divergence: Divergence,
    /// How instructions come to the schedulers.
    pub instructions: InstructionSupply,
    /// How constants come to the instructions; at once where it is not given.
    #[serde(default)]
    pub constants: Option<ConstantSupply>,
    /// How instructions read registers; as many as they want at once where it is not given.
    #[serde(default)]
    pub register_file: Option<RegisterFile>,
    /// Cycles between two instructions of a pipe, for each sub-partition.
    pub pipes: Pipes,
    /// Cycles until a result can be read.
    pub latencies: Latencies,
    /// From issue to the level-one cache and shared memory.
    pub memory_pipeline: MemoryPipeline,
    /// Shared memory.
    pub shared: SharedMemory,
    /// What fences take; no time of their own, and they wait for stores of their warp, where it is not given.
    #[serde(default)]
    pub fences: Option<Fences>,
    /// Barriers in shared memory (`mbarrier`); the machine has none where it is not given.
    #[serde(default)]
    pub mbarriers: Option<Mbarriers>,
    /// Clusters of blocks that reach each other's shared memory; kernels with some are refused where it is not given.
    pub block_clusters: Option<BlockClusters>,
    /// Copies of many lines by one instruction (`cp.async.bulk`); the machine has none where it is not given.
    #[serde(default)]
    pub bulk_copies: Option<BulkCopies>,
    /// Products of matrices of warpgroups (`wgmma`); the machine has none where it is not given.
    #[serde(default)]
    pub warpgroups: Option<Warpgroups>,
    /// The level-one cache.
    pub l1: L1Cache,
}

/// How schedulers issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IssueRules {
    /// Whether the sub-partitions take turns, one in each cycle.
    pub in_turn: bool,
    /// Instructions that a sub-partition issues in one cycle, of different warps and to different units.
    #[schemars(range(min = 1, max = 8))]
    pub instructions: u32,
    /// Independent operations of a thread that issue together, as the slots of a very long instruction word.
    #[schemars(range(min = 1, max = 8))]
    pub packed: u32,
}

impl IssueRules {
    /// Every cycle each scheduler one instruction.
    pub const ONE: IssueRules = IssueRules { in_turn: false, instructions: 1, packed: 1 };
}

/// How instructions come to the schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionSupply {
    /// Cycles from the issue of a taken branch until the next instruction can issue.
    #[schemars(range(min = 1))]
    pub branch_taken: u32,
    /// Cycles that a branch adds for each address that its lanes have in registers: of a return, a call through a pointer
    /// or a switch.
    #[serde(default)]
    pub branch_target: u32,
    /// Cycles that `YIELD` adds in a warp that has diverged, where no other path can go on.
    #[serde(default)]
    pub yield_in_vain: u32,
    /// Of the cycles of a taken branch, those in which the instruction at its target is fetched.
    #[serde(default)]
    pub branch_fetch: u32,
    /// From the end of the stall count of the last instruction of a warp until the warp has left its slot.
    #[serde(default)]
    pub exit: u32,
    /// From when the last store of a warp has left the SM until the warp can leave its slot.
    #[serde(default)]
    pub drain: u32,
    /// Cycles that an instruction adds at which lanes converge, whether they wait there or go on.
    #[serde(default)]
    pub convergence: u32,
    /// Cycles that lanes add that come to a collective operation (a warp barrier, a vote, a shuffle) from divergent code.
    #[serde(default)]
    pub collective: u32,
    /// Cycles that a barrier of lanes adds that are named in a register (`WARPSYNC`).
    #[serde(default)]
    pub named_lanes: u32,
    /// Cycles that such a barrier adds for each mask that the lanes name.
    #[serde(default)]
    pub named_mask: u32,
    /// Cycles that such a barrier adds for lanes that go on alone with those of their mask (`WARPSYNC.EXCLUSIVE`).
    #[serde(default)]
    pub exclusive_lanes: u32,
    /// Instructions that the cache of a sub-partition holds.
    #[schemars(range(min = 1))]
    pub l0_instructions: u32,
    /// Cycles between lines from the next level while running straight ahead.
    pub l1_line_interval: u32,
    /// Instructions that the next level holds.
    #[schemars(range(min = 1))]
    pub l1_instructions: u32,
    /// Cycles between lines from the level after that.
    pub l2_line_interval: u32,
    /// Cycles until the first line comes after a jump to one that the cache of the sub-partition lacks.
    pub l1_latency: u32,
    /// Cycles until the first line comes after a jump to one that the next level lacks too.
    pub l2_latency: u32,
    /// Cycles between lines that the multiprocessor has never had; as from the level after the next where it is not given.
    #[serde(default)]
    pub memory_line_interval: Option<u32>,
    /// Cycles until the first line comes after a jump to one that the multiprocessor has never had; likewise.
    #[serde(default)]
    pub memory_latency: Option<u32>,
    /// Lines that a sub-partition fetches ahead of the one that a warp has come to.
    #[serde(default)]
    #[schemars(range(max = 64))]
    pub lines_ahead: u32,
    /// Lines that a multiprocessor has asked the next level for at once: where it is further away than others
    /// (`crossbar.clusters`), lines come as much later as its share of that. No later where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub lines_in_flight: Option<u32>,
    /// Instructions from the start of the code that a launch brings to the next level.
    #[serde(default)]
    pub prefetched_instructions: u32,
    /// Cycles until the first warp has its first instruction, for which those wait that come meanwhile; as after a jump
    /// where it is not given.
    #[serde(default)]
    pub start_latency: Option<u32>,
    /// Cycles that this takes longer for each further multiprocessor of a cluster that runs the launch.
    #[serde(default)]
    pub start_sharing: u32,
    /// Instructions of a cache line.
    #[schemars(range(min = 1, max = 1024))]
    pub line_instructions: u32,
    /// Warps of a fetch group of the two-level scheduler.
    #[schemars(range(min = 1, max = 64))]
    pub fetch_group: u32,
    /// Taken backward branches of one path of a warp before another path gets its turn.
    #[schemars(range(min = 1))]
    pub branch_patience: u32,
}

/// How constants come to the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantSupply {
    /// Bytes of a sub-partition's cache for operands, and of the one for constant loads.
    #[schemars(range(min = 16, max = 65536))]
    pub bytes: u32,
    /// Bytes of a line of both.
    #[schemars(range(min = 16, max = 65536))]
    pub line_bytes: u32,
    /// Bytes that the next level takes at once.
    #[schemars(range(min = 16, max = 65536))]
    pub block_bytes: u32,
    /// Cycles that an operand waits for a line of the next level.
    pub operand_miss: u32,
    /// After how many of them the miss is seen: what the warp has issued since then, its instruction first, issues again.
    #[serde(default)]
    pub operand_seen: u8,
    /// For how many of the last of them its code is fetched again.
    #[serde(default)]
    pub operand_replay: u8,
    /// Cycles that a load waits for a line of the next level.
    pub load_miss: u32,
    /// Cycles that either waits beside for a block that the next level lacks.
    pub memory_latency: u32,
    /// Hundredths of a cycle for which a line keeps the way from the next level, which the multiprocessors of a cluster share.
    #[serde(default)]
    #[schemars(range(max = 100000))]
    pub line_interval_percent: u32,
}

/// The register file of a sub-partition, of which each bank gives one register of a warp per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterFile {
    /// Register `n` is in bank `n` modulo these.
    #[schemars(range(min = 1, max = 2))]
    pub banks: u32,
    /// Cycles after issue within which an instruction must read its registers; it issues when it can.
    #[schemars(range(min = 1, max = 16))]
    pub read_window: u32,
    /// Cycles by which results of double precision and of the matrix pipe come later than those of other arithmetic; a register
    /// file takes one result per cycle, and an instruction whose result would come with another waits a cycle.
    #[serde(default)]
    #[schemars(range(min = 1, max = 16))]
    pub late_result: Option<u32>,
    /// Cycles for which the dispatcher holds back an instruction whose result would come with the four registers of a 128-bit load
    /// from shared memory.
    #[serde(default)]
    #[schemars(range(max = 16))]
    pub wide_load: u32,
}

/// From issue to the level-one cache and shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPipeline {
    /// Memory instructions that a sub-partition holds before its schedulers must wait; beside accesses to global or local memory
    /// one more that is none.
    #[schemars(range(min = 1, max = 255))]
    pub queue: u32,
    /// Accesses to global or local memory that wait for the tags beside those, from any sub-partition, and as many to shared memory.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub unit_queue: u32,
    /// The last places of `unit_queue`, in which accesses to shared memory and lane exchanges wait as well, as long as stores or atomic
    /// operations are in front of them.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub in_order: u32,
    /// Cycles between two memory instructions of a sub-partition that leave its queue.
    #[schemars(range(min = 1))]
    pub sub_partition_interval: u32,
    /// Cycles between two accesses of a sub-partition to shared memory, or lane exchanges; as all memory instructions where it is
    /// not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub exchange_interval: Option<u32>,
    /// Accesses that may wait for the data stage while the next one starts.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub data_queue: u32,
    /// Loads that hit, or passes of shared memory and lane exchanges, that come between two parts of loads whose data has come;
    /// where it is not given, all pass the data stage in the order in which they come.
    #[serde(default)]
    #[schemars(range(min = 1, max = 255))]
    pub between_loads: Option<u32>,
    /// Passes of loads whose data has come that wait for the data stage in one queue. Further ones wait by warp, and warps take turns.
    /// All wait in the order in which they have come where it is not given.
    #[serde(default)]
    pub returning_passes: Option<u32>,
    /// Lines of a load in each of these parts; all where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 32))]
    pub lines_at_once: Option<u32>,
    /// Passes of the data stage that a copy from global to shared memory (`LDGSTS`) takes beside those of its data.
    #[serde(default)]
    #[schemars(range(max = 64))]
    pub copy_passes: u16,
    /// Cycles between two passes of one load or store, and that the data of a pass takes on the way back to its sub-partition;
    /// one where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub load_share: Option<u32>,
    /// Cycles between two memory instructions of the multiprocessor.
    #[schemars(range(min = 1))]
    pub interval: u32,
    /// Cycles from issue until the sources have been read, when nothing is in the way.
    pub source_release: u32,
    /// Whether the unit reads the special registers that are another one for each lane: numbers of threads and lanes, and
    /// masks of lanes.
    #[serde(default)]
    pub reads_lane_numbers: bool,
    /// Cycles from the start to the result of a memory instruction without an active lane. Where it is not given, such an
    /// instruction does not go to the unit.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub masked_latency: Option<u32>,
    /// Requests that may wait for the port to level two before the unit stops.
    #[schemars(range(min = 1))]
    pub send_queue: u32,
    /// Lanes whose requests are put together; all of a warp where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub coalesced_lanes: Option<u32>,
    /// Whether a load takes whole segments of 32, 64 or 128 bytes instead of the sectors that it touches.
    #[serde(default)]
    pub whole_segments: bool,
}

/// Shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedMemory {
    /// Banks of four bytes.
    #[schemars(range(min = 1, max = 64))]
    pub banks: u32,
    /// Cycles from issue to the result of a load without conflict.
    #[schemars(range(min = 1))]
    pub latency: u16,
    /// Cycles that every further pass adds to the latency of one instruction.
    pub pass_latency: u32,
    /// Cycles of the unit for every pass.
    #[schemars(range(min = 1))]
    pub pass_interval: u32,
    /// Cycles from issue to the old value of an atomic operation on distinct words.
    pub atomic_latency: u32,
    /// Cycles that every further lane on the same word adds to an atomic operation with result.
    pub atomic_lane: u32,
    /// Passes that a compare-and-swap takes beside those of its lanes; none where it is not given.
    #[serde(default)]
    pub compare_passes: u32,
    /// Passes that a generic store or atomic operation takes beside those that it would take by shared addresses; none where it is
    /// not given. A generic load passes for all lanes, active or not, where it is.
    #[serde(default)]
    pub generic_passes: u32,
}

/// Which of four tag banks looks up a line: each bit of the bank's number is the sum of some bits of the line's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagHash {
    /// The bits of the line's number that give the low bit.
    pub low: u32,
    /// Those that give the high one.
    pub high: u32,
}

/// The tags of level one where they do not shrink with its data: 128 sets in each tag bank, however little the carve-out
/// leaves. A bank that has a line for all of its data frees one in the next set that holds any, from the last set to the first
/// and round again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagSets {
    /// Each bit of a set's number, the highest first, is the sum of some bits of the line's number divided by four: of the
    /// lowest 21; those above do not count.
    #[serde(serialize_with = "as_list")]
    pub hash: [u32; 7],
}

impl TagSets {
    /// Bits of the line's number divided by four that count.
    pub const BITS: u32 = 21;

    /// The set in its bank of a line whose number divided by four has these bits.
    #[must_use]
    pub fn set(&self, bits: u32) -> u32 {
        self.hash.iter().fold(0, |set, mask| set << 1 | (bits & mask).count_ones() & 1)
    }

    /// Whether each set is that of some line.
    pub(crate) fn reaches_all(&self) -> bool {
        self.hash.iter().all(|&mask| mask < 1 << Self::BITS) && (1..128).all(|bits| self.set(bits) != 0)
    }
}

/// A machine file has a list where Rust has an array.
fn as_list<S: serde::Serializer>(hash: &[u32; 7], serializer: S) -> Result<S::Ok, S::Error> {
    hash.as_slice().serialize(serializer)
}

/// The level-one cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct L1Cache {
    /// KiB of the memory that level one and shared memory have together.
    #[schemars(range(min = 1, max = 1048576))]
    pub combined_kib: u32,
    /// KiB of that which neither can use.
    pub reserved_kib: u32,
    /// Lines of a set.
    #[schemars(range(min = 1, max = 4096))]
    pub ways: u32,
    /// Which line of a full set is replaced.
    #[serde(default)]
    pub replacement: ReplacementPolicy,
    /// Cycles from issue to the result of a 32-bit load that hits.
    #[schemars(range(min = 1))]
    pub hit_latency: u16,
    /// The same for a load of local memory, whose addresses have 32 bits; as any load where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub local_hit_latency: Option<u16>,
    /// Percent of the former which pass before a request for what is missing leaves; the rest pass after its reply.
    #[schemars(range(max = 100))]
    pub request_percent: u8,
    /// Tag banks: lines whose low line address differs are looked up at once.
    #[schemars(range(min = 1, max = 32))]
    pub tag_banks: u32,
    /// How the number of a line gives that of its bank; by its lowest bits where it is not given.
    #[serde(default)]
    pub tag_hash: Option<TagHash>,
    /// The sets of each tag bank where they stay the same for every carve-out; as many as its lines need where it is not given.
    #[serde(default)]
    pub tag_sets: Option<TagSets>,
    /// Bytes per cycle from the data array.
    #[schemars(range(min = 1))]
    pub bytes_per_cycle: u32,
    /// Banks of four bytes of the data array, where lanes on different words of one bank are read one after another.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub data_banks: Option<u32>,
    /// Cycles in a hundred passes that bank conflicts add to stores; a pass a cycle where it is not given.
    #[serde(default)]
    #[schemars(range(min = 100, max = 400))]
    pub store_conflict_percent: Option<u32>,
    /// Bytes per cycle that stores and atomic operations take; as loads where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub store_bytes_per_cycle: Option<u32>,
    /// Lines that can be under way from level two at a time.
    #[schemars(range(min = 1, max = 1048576))]
    pub miss_entries: u32,
    /// Lines of atomic operations whose old values are wanted that can be under way, in percent of those that the cache has beside
    /// shared memory; as many as there are where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub atomic_percent: Option<u32>,
    /// Whether loads of global memory are kept.
    pub caches_global_loads: bool,
    /// Lines of stores that wait to leave, or for credits of the crossbar; further stores to these lines may join the last ones, so
    /// many. Each store leaves by itself where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub store_buffer: Option<u32>,
    /// Cycles from the last pass of a store until its first line leaves.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub store_hold: u32,
    /// Cycles from when a store begins to leave until L1 has taken the line that it brings. Until then another store to the line that does not
    /// join it misses, and what was stored is not kept.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub store_taken: u32,
    /// When given, every access to global memory answers after so many cycles, whatever it touches: a memory without
    /// caches and without limits, for teaching.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub flat_latency: Option<u32>,
}

impl L1Cache {
    /// Bytes per cycle that stores and atomic operations take.
    #[must_use]
    pub fn stored_bytes_per_cycle(&self) -> u32 {
        self.store_bytes_per_cycle.unwrap_or(self.bytes_per_cycle)
    }
}
