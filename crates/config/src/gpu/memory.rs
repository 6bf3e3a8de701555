//! Crossbar, level-two cache and DRAM.

use super::{SliceHash, SliceTable, SmCluster};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way between multiprocessors and memory partitions. Times in SM cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crossbar {
    /// Cycles each way. The chip advances in epochs of this length, or of twice it.
    #[schemars(range(min = 1, max = 1000))]
    pub latency: u32,
    /// Bytes per cycle that one multiprocessor can send.
    #[schemars(range(min = 1))]
    pub sm_send_bytes: u32,
    /// Bytes per cycle that one multiprocessor can receive.
    #[schemars(range(min = 1))]
    pub sm_receive_bytes: u32,
    /// Multiprocessors that share one port of the crossbar (a graphics processing cluster).
    #[schemars(range(min = 1))]
    pub sms_per_cluster: u32,
    /// Neighbouring multiprocessors that are a texture processing cluster (TPC): blocks are spread over these first, and
    /// where `clusters` does not say it, they ask the two halves of level two in turn. 1 where it is not given.
    #[serde(default = "one_sm_per_tpc")]
    #[schemars(range(min = 1, max = 64))]
    pub sms_per_tpc: u32,
    /// Clusters of different sizes, in the order in which they get blocks; all have `sms_per_cluster` where it is not given.
    #[serde(default)]
    pub clusters: Vec<SmCluster>,
    /// Bytes per cycle that one cluster can send.
    #[schemars(range(min = 1))]
    pub cluster_send_bytes: u32,
    /// Bytes per cycle that one cluster can receive.
    #[schemars(range(min = 1))]
    pub cluster_receive_bytes: u32,
    /// Bytes of a message beside its data.
    #[schemars(range(min = 1, max = 128))]
    pub header_bytes: u32,
    /// Bytes that the port of a multiprocessor passes at once; a request takes no less. Requests pass by their bytes where
    /// it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 128))]
    pub flit_bytes: Option<u32>,
    /// Flits that one multiprocessor may have on the way that level two has not taken. Its load/store unit stops when they
    /// are used up; it never stops where they are not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 65536))]
    pub credits: Option<u32>,
}

/// Multiprocessors of a TPC where a machine gives no number.
fn one_sm_per_tpc() -> u32 {
    1
}

/// Which line of a full set of a cache is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplacementPolicy {
    /// The least recently used line.
    #[default]
    Lru,
    /// The line that came first.
    Fifo,
    /// Any line, by a seeded generator.
    Random,
    /// Tree pseudo-LRU: at each node of a binary tree the half that was not used last.
    TreePlru,
    /// The least recently used of the lines that were not used again since they came; once all were, that is forgotten.
    Nru,
}

/// The percent of a repeated atomic operation's interval where a machine gives none: all of it.
fn a_hundred_percent() -> u32 {
    100
}

/// What writing a line of level two costs that multiprocessors of the other half have just written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteSwitch {
    /// Cycles after a write of a line within which one from the other half costs more.
    #[schemars(range(min = 1))]
    pub window: u32,
    /// Cycles for which it keeps the slice busy longer.
    pub stall: u32,
}

/// The level-two cache. Times in SM cycles unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct L2Cache {
    /// KiB of the whole cache.
    #[schemars(range(min = 1, max = 4194304))]
    pub kib: u32,
    /// Lines of a set.
    #[schemars(range(min = 1, max = 4096))]
    pub ways: u32,
    /// Which line of a full set is replaced.
    #[serde(default)]
    pub replacement: ReplacementPolicy,
    /// Whether the set of a line goes by a hash of its number in the slice, so that lines of any stride go to all sets; one
    /// set after another where it does not.
    #[serde(default)]
    pub hashed_sets: bool,
    /// Slices in front of one DRAM channel.
    #[schemars(range(min = 1, max = 16))]
    pub slices_per_channel: u32,
    /// Bytes that one slice delivers in one cycle of the level-two clock.
    #[schemars(range(min = 1))]
    pub slice_bytes: u32,
    /// Bytes of requests that pass into one slice in one cycle of the level-two clock, in flits of the crossbar.
    /// Requests pass at once where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub input_bytes: Option<u32>,
    /// Neighbouring multiprocessors of a cluster that share an L2 request coalescer: what one of them reads while another's
    /// request for it is at level two comes with that one's reply. Every request is looked up where it is not given.
    #[serde(default)]
    #[schemars(range(min = 2, max = 32))]
    pub coalescer_sms: Option<u32>,
    /// Lines of one set that may hold sectors of which only some words were written. Of more the one that was not written
    /// for longest is completed from DRAM and written back; all may where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub partial_ways: Option<u32>,
    /// Lines of one slice that may wait to be written back. Of more the oldest is written back, and stays; as many as there
    /// are where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub dirty_lines: Option<u32>,
    /// Whether a dirty line that would go for another one is written back first and stays for the next one to replace, and a
    /// clean line goes instead of it, as long as the set has one. It stays dirty while at each
    /// pseudo-channel more reads wait than its controller sees.
    #[serde(default)]
    pub cleans_before_eviction: bool,
    /// Cycles after a write of a line until a read of it by another multiprocessor passes. The slice waits with it. It
    /// passes at once where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub write_to_read: Option<u32>,
    /// Cycles for which a write keeps the slice busy longer while other sectors of its line are under way from DRAM.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub write_to_pending: u32,
    /// What writing a line costs that multiprocessors of the other half have just written. Nothing where it is not given.
    #[serde(default)]
    pub write_switch: Option<WriteSwitch>,
    /// Cycles of the level-two clock for which a sector that was written in part keeps the slice busy when the rest of it
    /// comes from DRAM. None where it is not given.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub completion: u32,
    /// Cycles from the arrival of a request at the slice to the departure of its data, when it hits.
    #[schemars(range(min = 1))]
    pub hit_latency: u32,
    /// Cycles from the arrival of a request to its arrival at DRAM, when it misses.
    pub miss_latency: u32,
    /// Cycles from the data of DRAM to the departure of the reply.
    pub fill_latency: u32,
    /// Bytes fetched from DRAM at once on a miss: 32, 64 or 128.
    #[schemars(range(min = 32, max = 128))]
    pub fetch_bytes: u32,
    /// Lines that can be under way from DRAM to one slice at a time.
    #[schemars(range(min = 1, max = 1048576))]
    pub miss_entries: u32,
    /// Level-two cycles between two atomic operations of one sector.
    #[schemars(range(min = 1))]
    pub atomic_interval: u32,
    /// Percent of that which an operation takes on a sector of which not every word takes part; 100 where it is not given.
    #[serde(default = "a_hundred_percent")]
    #[schemars(range(min = 1, max = 10000))]
    pub atomic_part_percent: u32,
    /// Percent of that which an operation takes on the sector of the one before; 100 where it is not given.
    #[serde(default = "a_hundred_percent")]
    #[schemars(range(min = 1, max = 10000))]
    pub atomic_repeat_percent: u32,
    /// Percent of that which an operation takes on its way through a slice to its home in the other half; 100 where it is not given.
    #[serde(default = "a_hundred_percent")]
    #[schemars(range(min = 1, max = 10000))]
    pub atomic_pass_percent: u32,
    /// Halves of the cache: a multiprocessor reaches lines at home in the other half through its own, which keeps copies.
    #[schemars(range(min = 1, max = 2))]
    pub halves: u32,
    /// Cycles that a message takes from a slice to the one of the same number in the other half.
    pub link_latency: u32,
    /// Bytes that a slice sends to the other half in one cycle of the level-two clock.
    pub link_bytes: u32,
    /// Bytes of atomic operations on parts of sectors that wait for that before the slice takes in nothing more; any number where it is
    /// not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1048576))]
    pub link_queue_bytes: Option<u32>,
    /// Which bits of an address choose half and slice: needed for two halves.
    #[serde(default)]
    pub slice_hash: Option<SliceHash>,
    /// Which slice holds which group of a page (`slice_hash`), where it is known; any even spread where it is not given.
    #[serde(default)]
    pub slice_table: Option<SliceTable>,
}

/// Device memory: channels, each with its own command and data bus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// GiB in all.
    #[schemars(range(min = 1, max = 4096))]
    pub gib: u32,
    /// Channels.
    #[schemars(range(min = 1, max = 1024))]
    pub channels: u32,
    /// Data wires of one channel.
    #[schemars(range(min = 8, max = 512))]
    pub channel_bits: u32,
    /// Transfers on each wire in one command clock.
    #[schemars(range(min = 1, max = 8))]
    pub data_rate: u32,
    /// Independent halves of a channel (pseudo-channels), each with half of the wires.
    #[schemars(range(min = 1, max = 4))]
    pub pseudo_channels: u32,
    /// Bank groups of a pseudo-channel.
    #[schemars(range(min = 1, max = 16))]
    pub bank_groups: u32,
    /// Banks of a group.
    #[schemars(range(min = 1, max = 16))]
    pub banks_per_group: u32,
    /// Ranks of a pseudo-channel, which share the banks of every group: where all banks are refreshed at once, those of one rank
    /// are, and then those of the next. One where it is not given.
    #[serde(default = "one_rank")]
    #[schemars(range(min = 1, max = 16))]
    pub ranks: u32,
    /// Bytes of an open row of a bank.
    #[schemars(range(min = 64))]
    pub row_bytes: u32,
    /// How rows are interleaved in pieces. Whole rows follow each other where it is not given, a line each to
    /// pseudo-channels and bank groups in turn.
    #[serde(default)]
    pub pieces: Option<RowPieces>,
    /// Whether a row is closed as soon as no access waits for it (auto-precharge); else it stays open until its bank needs
    /// another.
    #[serde(default)]
    pub closes_rows: bool,
    /// Bytes of one access.
    #[schemars(range(min = 16, max = 128))]
    pub burst_bytes: u32,
    /// Requests among which a channel chooses.
    #[schemars(range(min = 1, max = 1024))]
    pub queue: u32,
    /// Writes that make the channel turn to writing.
    #[schemars(range(min = 1))]
    pub write_high: u32,
    /// Writes left when it turns back to reading.
    pub write_low: u32,
    /// Steps of 1/1024 of the refresh interval by which a partition is refreshed later than the one before it.
    #[schemars(range(max = 1023))]
    pub refresh_partition_stagger: u32,
    /// Steps of 1/1024 of the refresh interval by which a pseudo-channel is refreshed later than the one before it.
    #[schemars(range(max = 1023))]
    pub refresh_channel_stagger: u32,
    /// Steps of 1/1024 of the refresh interval by which each stack is refreshed later than a stack without delay. A stack
    /// has as many partitions as another, which follow each other. One stack where it is not given.
    #[serde(default)]
    pub stack_refresh_phases: Vec<u32>,
    /// The table of rules that says between which commands the timings of `clocks` lie.
    pub timing_rules: TimingRules,
    /// The timings.
    pub clocks: DramClocks,
}

fn one_rank() -> u32 {
    1
}

/// A table of DRAM timing rules; each is written down in `memory/src/dram/standard.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimingRules {
    /// The rules that the JEDEC standards of memory with bank groups share: DDR4, GDDR5, GDDR6, HBM2, HBM3.
    Jedec,
}

/// How the rows of banks are interleaved: a piece in each pseudo-channel, bank group and bank, then the next piece of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowPieces {
    /// Bytes of a piece, which lie side by side in a row.
    #[schemars(range(min = 128))]
    pub bytes: u32,
    /// Pieces of a row that follow each other in this way; the others lie far away.
    #[schemars(range(min = 1))]
    pub near: u32,
}

/// Timings of DRAM, in command clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramClocks {
    /// Read command to data.
    pub cl: u32,
    /// Write command to data.
    pub cwl: u32,
    /// Activate to read.
    pub rcd_read: u32,
    /// Activate to write.
    pub rcd_write: u32,
    /// Precharge to activate.
    pub rp: u32,
    /// Activate to precharge.
    pub ras: u32,
    /// Activate to activate of one bank.
    pub rc: u32,
    /// Column command to column command, another bank group.
    pub ccd_short: u32,
    /// Column command to column command, the same bank group.
    pub ccd_long: u32,
    /// Activate to activate, another bank group.
    pub rrd_short: u32,
    /// Activate to activate, the same bank group.
    pub rrd_long: u32,
    /// A window that holds at most four activates.
    pub faw: u32,
    /// End of write data to precharge.
    pub wr: u32,
    /// Read to precharge.
    pub rtp: u32,
    /// End of write data to read, another bank group.
    pub wtr_short: u32,
    /// End of write data to read, the same bank group.
    pub wtr_long: u32,
    /// Read command to write command.
    pub rtw: u32,
    /// Time between refreshes of a rank.
    pub refi: u32,
    /// Time of one refresh of all banks of a rank.
    pub rfc: u32,
    /// Precharge to precharge, of any banks (tPPD of HBM3); nothing where it is not given.
    #[serde(default)]
    pub ppd: Option<u32>,
    /// When given, banks are refreshed one after another, instead of all of a rank at once every `refi`.
    #[serde(default)]
    pub bank_refresh: Option<BankRefresh>,
}

/// Refresh of one bank after another, in command clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BankRefresh {
    /// Time between refreshes of two banks.
    #[schemars(range(min = 1))]
    pub refi: u32,
    /// Time of one refresh.
    pub rfc: u32,
    /// Refresh to activate or refresh, of another bank.
    pub rrefd: u32,
}
