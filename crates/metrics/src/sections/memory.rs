//! What moved through every cache and memory channel.

use crate::context::Context;
use crate::metric::{Metric, Section};
use crate::peaks::{self, Over};
use crate::value::Unit::{Bytes, BytesPerSecond, Count, Percent};
use crate::value::Value;
use warplab_program::Pipe;
use warplab_units::SECTOR_BYTES;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "memory-workload",
    title: "Memory Workload Analysis",
    description: "Requests, sectors (32 bytes) and hit rates of level one and level two, passes of shared memory, and \
                  bytes of DRAM. A request is one memory instruction of a warp.",
    metrics: METRICS,
};

const SECTOR: crate::value::Unit = Count("sector");
const REQUEST: crate::value::Unit = Count("request");

macro_rules! l1 {
    ($id:literal, $label:literal, $unit:expr, $formula:literal, $description:literal, $field:ident) => {
        Metric::shown($id, $label, $unit, $formula, $description, |c| c.counters.sm.l1.$field.into())
    };
}

macro_rules! shared {
    ($id:literal, $label:literal, $unit:literal, $description:literal, $field:ident) => {
        Metric::shown($id, $label, Count($unit), "as counted by the unit", $description, |c| {
            c.counters.sm.shared.$field.into()
        })
    };
}

macro_rules! l2 {
    ($id:literal, $label:literal, $unit:expr, $description:literal, $field:ident) => {
        Metric::shown($id, $label, $unit, "as counted by the slices", $description, |c| {
            c.counters.memory.l2.$field.into()
        })
    };
}

macro_rules! dram {
    ($id:literal, $label:literal, $unit:expr, $description:literal, $field:ident) => {
        Metric::raw($id, $label, $unit, "as counted by the channels", $description, |c| {
            c.counters.memory.dram.$field.into()
        })
    };
}

/// Sectors of loads, stores and atomic operations at level one, and those found: never one of an atomic operation.
fn l1_sectors(context: &Context<'_>) -> (u64, u64) {
    let l1 = &context.counters.sm.l1;
    let loads = l1.global_load_sectors + l1.local_load_sectors;
    let stores = l1.global_store_sectors + l1.local_store_sectors;
    let hits = l1.global_load_sector_hits + l1.global_load_sector_merges + l1.local_load_sector_hits;
    let atomics = l1.global_atomic_sectors + l1.global_reduction_sectors;
    (loads + stores + atomics, hits + l1.global_store_sector_hits + l1.local_store_sector_hits)
}

/// Sectors at level two, and those found.
fn l2_sectors(context: &Context<'_>) -> (u64, u64) {
    let l2 = &context.counters.memory.l2;
    let all = l2.read_sectors + l2.write_sectors + l2.atomic_sectors + l2.reduction_sectors;
    // A write needs no data from below: it always finds its place.
    (all, l2.read_hits + l2.write_sectors + l2.atomic_hits)
}

/// Sectors that one half of level two asked of the other.
fn fabric_sectors(context: &Context<'_>) -> u64 {
    let l2 = &context.counters.memory.l2;
    l2.far_read_sectors + l2.far_write_sectors + l2.far_atomic_sectors + l2.far_reduction_sectors
}

const METRICS: &[Metric] = &[
    Metric::shown(
        "dram__bytes.sum.per_second",
        "Memory Throughput",
        BytesPerSecond,
        "bytes read from and written to DRAM / duration",
        "What DRAM delivered and took.",
        |c| Value::ratio(peaks::dram_bytes(c) as f64, c.seconds()),
    ),
    Metric::shown(
        "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "Mem Pipes Busy",
        Percent,
        "instructions of the load/store unit x cycles between two of them / scheduler cycles",
        "How busy the way from the schedulers to level one and shared memory was.",
        |c| Value::Real(peaks::pipe(c, Pipe::Lsu, Over::Elapsed)),
    ),
    Metric::shown(
        "l1tex__m_xbar2l1tex_read_bytes.sum.pct_of_peak_sustained_elapsed",
        "Crossbar Throughput",
        Percent,
        "bytes from level two to multiprocessors / (bytes per cycle of the ports x elapsed cycles)",
        "How busy the ports through which multiprocessors receive data were. Message headers are not counted.",
        |c| Value::Real(peaks::crossbar(c)),
    ),
    Metric::shown(
        "l1tex__t_sector_hit_rate.pct",
        "L1/TEX Hit Rate",
        Percent,
        "sectors found / sectors of loads, stores and atomic operations of global and local memory",
        "How often level one had the sector, or had asked for it already. Atomic operations count as misses.",
        |c| {
            let (all, hits) = l1_sectors(c);
            Value::percent(hits as f64, all as f64)
        },
    ),
    Metric::shown(
        "lts__t_sector_hit_rate.pct",
        "L2 Hit Rate",
        Percent,
        "(read and atomic sectors found + written sectors) / all sectors at level two",
        "How often level two could serve a sector without DRAM. Written sectors count as found, as on the hardware: \
         nothing has to be fetched for them.",
        |c| {
            let (all, hits) = l2_sectors(c);
            Value::percent(hits as f64, all as f64)
        },
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "Global Load Requests",
        REQUEST,
        "load instructions of warps",
        "Loads of global memory.",
        global_load_requests
    ),
    l1!(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "Global Load Sectors",
        SECTOR,
        "sectors that these touched",
        "Sectors that loads of global memory touched.",
        global_load_sectors
    ),
    Metric::shown(
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        "Global Load Sectors/Request",
        Count("sector/request"),
        "global load sectors / global load requests",
        "A warp that loads 32 neighbouring words touches 4 sectors; 32 scattered words touch 32.",
        |c| {
            let l1 = &c.counters.sm.l1;
            Value::ratio(l1.global_load_sectors as f64, l1.global_load_requests as f64)
        },
    ),
    Metric::raw(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "Global Load Sector Hits",
        SECTOR,
        "sectors of global loads found in level one or on their way",
        "Sectors of global loads that level one had, or had asked for already.",
        |c| {
            let l1 = &c.counters.sm.l1;
            (l1.global_load_sector_hits + l1.global_load_sector_merges).into()
        },
    ),
    Metric::raw(
        "warplab__l1_sectors_merged.sum",
        "Global Load Sectors Merged",
        SECTOR,
        "sectors of global loads found on their way",
        "Sectors that another load had already asked for.",
        |c| c.counters.sm.l1.global_load_sector_merges.into(),
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "Global Store Requests",
        REQUEST,
        "store instructions of warps",
        "Stores to global memory.",
        global_store_requests
    ),
    l1!(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "Global Store Sectors",
        SECTOR,
        "sectors that these touched",
        "Sectors that stores to global memory touched.",
        global_store_sectors
    ),
    Metric::shown(
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
        "Global Store Sectors/Request",
        Count("sector/request"),
        "global store sectors / global store requests",
        "As for loads.",
        |c| {
            let l1 = &c.counters.sm.l1;
            Value::ratio(l1.global_store_sectors as f64, l1.global_store_requests as f64)
        },
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        "Global Atomic Requests",
        REQUEST,
        "atomic instructions with a result",
        "Atomic operations on global memory that return the old value.",
        global_atomic_requests
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        "Global Reduction Requests",
        REQUEST,
        "atomic instructions without a result",
        "Atomic operations on global memory whose old value nobody reads.",
        global_reduction_requests
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
        "Local Load Requests",
        REQUEST,
        "load instructions on local memory",
        "Loads of local memory: indexed arrays and spilled registers.",
        local_load_requests
    ),
    l1!(
        "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
        "Local Store Requests",
        REQUEST,
        "store instructions on local memory",
        "Stores to local memory: indexed arrays and spilled registers.",
        local_store_requests
    ),
    shared!(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "Shared Load Wavefronts",
        "wavefront",
        "Passes of shared memory that loads needed; one for an access without conflict.",
        load_wavefronts
    ),
    shared!(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "Shared Store Wavefronts",
        "wavefront",
        "Passes of shared memory that stores needed.",
        store_wavefronts
    ),
    Metric::shown(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "Shared Wavefronts",
        Count("wavefront"),
        "passes of loads, stores, atomic operations and exchanges between lanes",
        "All passes of shared memory, of shuffles, of numbers of lanes and of memory instructions without an active lane.",
        |c| peaks::shared_wavefronts(c).into(),
    ),
    shared!(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "Shared Load Bank Conflicts",
        "conflict",
        "Passes of loads beyond those that an access without conflict needs.",
        load_bank_conflicts
    ),
    shared!(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "Shared Store Bank Conflicts",
        "conflict",
        "Passes of stores beyond those that an access without conflict needs.",
        store_bank_conflicts
    ),
    l2!("lts__t_requests.sum", "L2 Requests", REQUEST, "Requests of multiprocessors at level two.", requests),
    l2!("lts__t_sectors_op_read.sum", "L2 Read Sectors", SECTOR, "Sectors read at level two.", read_sectors),
    l2!(
        "lts__t_sectors_op_write.sum",
        "L2 Write Sectors",
        SECTOR,
        "Sectors written at level two.",
        write_sectors
    ),
    l2!(
        "lts__t_sectors_op_atom.sum",
        "L2 Atomic Sectors",
        SECTOR,
        "Sectors of atomic operations that return the old value.",
        atomic_sectors
    ),
    l2!(
        "lts__t_sectors_op_red.sum",
        "L2 Reduction Sectors",
        SECTOR,
        "Sectors of atomic operations whose old value nobody reads.",
        reduction_sectors
    ),
    Metric::raw(
        "lts__t_sectors_srcunit_tex.sum",
        "L2 Sectors from L1",
        SECTOR,
        "read + write + atomic + reduction sectors - those that one half asked of the other - those completed from DRAM",
        "All sectors that multiprocessors asked for or sent.",
        |c| l2_sectors(c).0.saturating_sub(fabric_sectors(c) + c.counters.memory.l2.completed_sectors).into(),
    ),
    Metric::raw(
        "lts__t_sectors_srcunit_tex_lookup_hit.sum",
        "L2 Sectors from L1 Hits",
        SECTOR,
        "read and atomic sectors found + written sectors",
        "Of these, the ones for which nothing had to be fetched.",
        |c| {
            let l2 = &c.counters.memory.l2;
            l2_sectors(c).1.saturating_sub(l2.far_hits + l2.completed_sectors).into()
        },
    ),
    Metric::raw(
        "warplab__l2_sectors_coalesced.sum",
        "L2 Sectors Coalesced",
        SECTOR,
        "sectors of reads that were added to a neighbour's request",
        "Sectors that multiprocessors read with the reply to another one: they count in no other metric of level two.",
        |c| c.counters.memory.l2.coalesced_sectors.into(),
    ),
    Metric::raw(
        "warplab__l2_sectors_written_back.sum",
        "L2 Sectors Written Back",
        SECTOR,
        "dirty sectors of evicted lines",
        "Sectors that level two wrote to DRAM.",
        |c| c.counters.memory.l2.writeback_sectors.into(),
    ),
    Metric::shown(
        "lts__t_sectors_srcunit_ltcfabric.sum",
        "L2 Fabric Sectors",
        SECTOR,
        "sectors that one half of level two read, wrote or changed in the other",
        "Sectors of lines at home in the other half of level two; both halves count them. None where it is one cache.",
        |c| fabric_sectors(c).into(),
    ),
    Metric::shown(
        "warplab__l2_fabric_throughput.pct",
        "L2 Fabric Throughput",
        Percent,
        "bytes between the halves of level two / (bytes per cycle of their links x elapsed cycles)",
        "How busy the links between the halves of level two were. Message headers are not counted.",
        |c| {
            let bytes = (fabric_sectors(c) + c.counters.memory.l2.far_atomic_sectors) * SECTOR_BYTES;
            let peak = peaks::fabric_bytes_per_cycle(c).unwrap_or(0.0);
            Value::percent(bytes as f64, peak * c.elapsed())
        },
    ),
    Metric::shown(
        "dram__bytes_read.sum",
        "DRAM Bytes Read",
        Bytes,
        "32 x sectors fetched",
        "Bytes that level two fetched from DRAM.",
        |c| c.counters.memory.dram.read_bytes.into(),
    ),
    Metric::shown(
        "dram__bytes_write.sum",
        "DRAM Bytes Written",
        Bytes,
        "32 x sectors written back",
        "Bytes that level two wrote to DRAM.",
        |c| c.counters.memory.dram.written_bytes.into(),
    ),
    Metric::shown(
        "warplab__dram_row_hit_rate.pct",
        "DRAM Row Hit Rate",
        Percent,
        "accesses that found their row open / accesses",
        "How often DRAM could read or write without opening a row first.",
        |c| {
            let dram = &c.counters.memory.dram;
            let accesses = dram.row_hits + dram.row_misses + dram.row_conflicts;
            Value::percent(dram.row_hits as f64, accesses as f64)
        },
    ),
    dram!("warplab__dram_activates.sum", "DRAM Activates", Count("command"), "Rows opened.", activates),
    dram!("warplab__dram_precharges.sum", "DRAM Precharges", Count("command"), "Rows closed.", precharges),
    dram!("warplab__dram_refreshes.sum", "DRAM Refreshes", Count("command"), "Refresh commands.", refreshes),
    dram!(
        "warplab__dram_turnarounds.sum",
        "DRAM Turnarounds",
        Count("turn"),
        "Turns of the data bus between reading and writing.",
        turnarounds
    ),
    Metric::raw(
        "warplab__l1_miss_stall_cycles.sum",
        "L1 Miss Stall Cycles",
        Count("cycle"),
        "cycles without a free miss entry while an instruction waited for one",
        "How long level one could not take the next instruction because every miss entry was in use.",
        |c| c.counters.sm.l1.miss_stall_cycles.into(),
    ),
];
