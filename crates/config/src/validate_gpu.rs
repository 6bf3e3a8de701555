//! What the form of a machine cannot say: numbers that must fit each other.

use crate::GpuConfig;
use crate::gpu::{RowPieces, SchedulerPolicy, SliceHash, SliceTable};
use crate::ron_tree::Node;
use warplab_diagnostics::Diagnostic;
use warplab_units::LINE_BYTES;

/// Faults of a machine; their places come from the tree that it was read from.
#[must_use]
pub(crate) fn validate_gpu(gpu: &GpuConfig, tree: &Node) -> Vec<Diagnostic> {
    let mut rules = Rules { tree, faults: Vec::new() };
    limits(gpu, &mut rules);
    scheduler(gpu, &mut rules);
    level_one(gpu, &mut rules);
    level_two(gpu, &mut rules);
    match &gpu.l2.slice_hash {
        Some(hash) => slice_hash(gpu, hash, &mut rules),
        None => rules.need(
            gpu.l2.halves == 1,
            "l2.halves",
            || "2 halves without l2.slice_hash".to_owned(),
            "say which bits of an address choose half and slice",
        ),
    }
    cache_lines(gpu, &mut rules);
    clusters(gpu, &mut rules);
    dram(gpu, &mut rules);
    rules.faults
}

struct Rules<'a> {
    tree: &'a Node,
    faults: Vec<Diagnostic>,
}

impl Rules<'_> {
    /// A fault at a path unless the condition holds.
    fn need(&mut self, holds: bool, path: &str, message: impl FnOnce() -> String, help: &str) {
        if !holds {
            let span = self.tree.span_of(path);
            let fault = Diagnostic::error(span, format!("{path}: {}", message()));
            self.faults.push(fault.with_label("does not fit").with_help(help));
        }
    }
}

fn limits(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let limits = &gpu.limits;
    let parts = limits.sub_partitions.max(1);
    rules.need(
        limits.warps.is_multiple_of(parts),
        "limits.warps",
        || format!("{} warps cannot be divided among {parts} sub-partitions", limits.warps),
        "use a multiple of limits.sub_partitions",
    );
    rules.need(
        limits.registers.is_multiple_of(parts),
        "limits.registers",
        || format!("{} registers cannot be divided among {parts} sub-partitions", limits.registers),
        "use a multiple of limits.sub_partitions",
    );
    rules.need(
        u64::from(limits.threads) <= u64::from(limits.warps) * u64::from(limits.warp_lanes),
        "limits.threads",
        || {
            format!(
                "{} threads do not fit into {} warps of {}",
                limits.threads, limits.warps, limits.warp_lanes
            )
        },
        "at most limits.warps x limits.warp_lanes",
    );
    rules.need(
        limits.warp_lanes.is_power_of_two(),
        "limits.warp_lanes",
        || format!("a warp of {} lanes", limits.warp_lanes),
        "a power of two up to 64",
    );
    let coalesced = gpu.multiprocessor.memory_pipeline.coalesced_lanes.unwrap_or(limits.warp_lanes);
    rules.need(
        coalesced.is_power_of_two() && coalesced <= limits.warp_lanes,
        "multiprocessor.memory_pipeline.coalesced_lanes",
        || format!("groups of {coalesced} lanes of a warp of {}", limits.warp_lanes),
        "a power of two, at most limits.warp_lanes",
    );
    rules.need(
        limits.threads_per_block <= limits.threads,
        "limits.threads_per_block",
        || {
            format!(
                "a block of {} threads, but only {} are resident",
                limits.threads_per_block, limits.threads
            )
        },
        "at most limits.threads",
    );
    rules.need(
        limits.shared_bytes_per_block.saturating_add(limits.shared_reserved) <= limits.shared_bytes,
        "limits.shared_bytes_per_block",
        || {
            format!(
                "with the reserved {} bytes more than the {} there are",
                limits.shared_reserved, limits.shared_bytes
            )
        },
        "at most limits.shared_bytes - limits.shared_reserved",
    );
}

fn scheduler(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let multiprocessor = &gpu.multiprocessor;
    let known = SchedulerPolicy::ALL.map(|policy| policy.name().to_owned()).join(", ");
    let by_formula = matches!(multiprocessor.scheduler, SchedulerPolicy::Rank(_));
    let one_each =
        multiprocessor.issue.as_ref().is_none_or(|issue| !issue.in_turn && issue.instructions == 1);
    rules.need(
        one_each || !by_formula,
        "multiprocessor.scheduler",
        || {
            "a formula picks one warp per scheduler and cycle, but by multiprocessor.issue schedulers take turns or \
             issue several instructions"
                .to_owned()
        },
        &format!("use a built-in policy ({known}), or leave out multiprocessor.issue"),
    );
}

fn level_one(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let (limits, l1) = (&gpu.limits, &gpu.multiprocessor.l1);
    let carveouts = &limits.shared_carveouts_kib;
    rules.need(
        carveouts.is_sorted_by(|a, b| a < b),
        "limits.shared_carveouts_kib",
        || "the sizes do not ascend".to_owned(),
        "list each size once, the smallest first",
    );
    if let Some(&largest) = carveouts.last() {
        rules.need(
            u64::from(largest) * 1024 == u64::from(limits.shared_bytes),
            "limits.shared_carveouts_kib",
            || format!("the largest is {largest} KiB, but limits.shared_bytes is {}", limits.shared_bytes),
            "the largest size is all the shared memory there can be",
        );
    }
    for carveout in gpu.carveouts_kib() {
        let size = gpu.l1_kib(carveout);
        rules.need(
            size.is_some(),
            "multiprocessor.l1.combined_kib",
            || format!("{} KiB cannot hold {carveout} KiB of shared memory", l1.combined_kib),
            "it holds shared memory, what is reserved, and level one",
        );
        let lines = u64::from(size.unwrap_or(0)) * 8;
        rules.need(
            lines.is_multiple_of(u64::from(l1.ways.max(1))),
            "multiprocessor.l1.ways",
            || {
                format!(
                    "with {carveout} KiB of shared memory {lines} lines cannot be divided into sets of {}",
                    l1.ways
                )
            },
            "use a divisor of the lines of 128 bytes",
        );
    }
    rules.need(
        l1.tag_banks.is_power_of_two() && (l1.tag_hash.is_none() || l1.tag_banks == 4),
        "multiprocessor.l1.tag_banks",
        || format!("{} banks", l1.tag_banks),
        "a power of two",
    );
    rules.need(
        l1.tag_sets.is_none() || l1.tag_hash.is_some(),
        "multiprocessor.l1.tag_sets",
        || "sets of tag banks without a hash of banks".to_owned(),
        "give multiprocessor.l1.tag_hash too",
    );
    rules.need(
        l1.tag_sets.is_none_or(|sets| sets.reaches_all()),
        "multiprocessor.l1.tag_sets.hash",
        || "some sets would never hold a line".to_owned(),
        "masks of 21 bits, of which the lowest seven are no sum of those of others",
    );
    let line = gpu.multiprocessor.instructions.line_instructions;
    rules.need(
        line.is_power_of_two(),
        "multiprocessor.instructions.line_instructions",
        || format!("{line} instructions"),
        "a power of two",
    );
    let banks = gpu.multiprocessor.shared.banks;
    rules.need(
        banks.is_power_of_two(),
        "multiprocessor.shared.banks",
        || format!("{banks} banks"),
        "a power of two",
    );
}

fn level_two(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let l2 = &gpu.l2;
    let slices = u64::from(gpu.dram.channels) * u64::from(l2.slices_per_channel);
    let share = slices * u64::from(l2.ways) * 128;
    rules.need(
        (u64::from(l2.kib) * 1024).is_multiple_of(share.max(1)),
        "l2.kib",
        || format!("{} KiB cannot be divided into {slices} slices with sets of {} lines", l2.kib, l2.ways),
        &format!("use a multiple of {share} bytes (slices x ways x 128)"),
    );
    rules.need(
        matches!(l2.fetch_bytes, 32 | 64 | 128),
        "l2.fetch_bytes",
        || format!("{} bytes", l2.fetch_bytes),
        "32, 64 or 128",
    );
    rules.need(
        gpu.dram.channels.is_multiple_of(l2.halves.max(1)),
        "l2.halves",
        || format!("{} partitions cannot be divided into {} halves", gpu.dram.channels, l2.halves),
        "use an even number of dram.channels or one half",
    );
    rules.need(
        l2.halves == 1 || l2.link_latency > 0 && l2.link_bytes > 0,
        "l2.halves",
        || {
            format!(
                "2 halves with a link of {} cycles and {} bytes per cycle",
                l2.link_latency, l2.link_bytes
            )
        },
        "give l2.link_latency and l2.link_bytes, at least 1 each",
    );
    let slices = u32::from(l2.slice_table.as_ref().map_or(0, highest_slice)) + 1;
    let in_half = gpu.dram.channels / l2.halves.max(1);
    rules.need(
        l2.halves != 2 || l2.slice_table.is_none() || slices == in_half,
        "l2.slice_table",
        || format!("slices 0 to {} where a half has {in_half} channels", slices - 1),
        "name every slice of a half, or say None and lines are spread evenly",
    );
}

/// Groups of a page that can be told apart.
const MOST_GROUPS: u64 = 65_536;

fn slice_hash(gpu: &GpuConfig, hash: &SliceHash, rules: &mut Rules<'_>) {
    let sizes = [hash.chunk_bytes, hash.group_bytes, hash.page_kib];
    let ascend = hash.chunk_bytes < hash.group_bytes && (2..=MOST_GROUPS).contains(&hash.groups());
    rules.need(
        sizes.iter().all(|size| size.is_power_of_two()) && ascend,
        "l2.slice_hash",
        || {
            format!(
                "chunks of {} bytes, groups of {} bytes and pages of {} KiB",
                sizes[0], sizes[1], sizes[2]
            )
        },
        &format!("powers of two, at least two chunks in a group and 2 to {MOST_GROUPS} groups in a page"),
    );
    let bits = hash.group_bits();
    for (name, of_hash) in [("home_bits", &hash.home_bits), ("odd_chunk_bits", &hash.odd_chunk_bits)] {
        rules.need(
            of_hash.is_sorted_by(|a, b| a < b) && of_hash.iter().all(|bit| bits.contains(bit)),
            &format!("l2.slice_hash.{name}"),
            || format!("bits {of_hash:?}"),
            &format!(
                "ascending, each from {} to {}: these bits number the groups of a page",
                bits.start,
                bits.end - 1
            ),
        );
    }
    rules.need(
        !hash.home_bits.is_empty(),
        "l2.slice_hash.home_bits",
        || "no bits".to_owned(),
        "name at least one bit",
    );
    let entries = gpu.l2.slice_table.as_ref().map(|table| table.slices().len() as u64);
    rules.need(
        entries.is_none_or(|entries| entries == hash.groups()),
        "l2.slice_table",
        || format!("{} slices", entries.unwrap_or(0)),
        &format!("give one for each of the {} groups of a page", hash.groups()),
    );
}

/// The highest slice that a table names.
fn highest_slice(table: &SliceTable) -> u8 {
    table.slices().iter().copied().max().unwrap_or(0)
}

/// Lines that all caches of a machine may have together: about a gigabyte of the host's memory.
const MOST_CACHE_LINES: u64 = 1 << 25;

/// The budget of what a machine needs on the host before anything runs.
fn cache_lines(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let lines = |kib: u32| u64::from(kib) * 8;
    let level_one = lines(gpu.multiprocessor.l1.combined_kib) * u64::from(gpu.limits.multiprocessors);
    let level_two = lines(gpu.l2.kib);
    let larger = if level_one > level_two { "multiprocessor.l1.combined_kib" } else { "l2.kib" };
    rules.need(
        level_one + level_two <= MOST_CACHE_LINES,
        larger,
        || {
            format!(
                "all level-one caches have {level_one} lines of 128 bytes, level two {level_two}: too many to simulate"
            )
        },
        &format!("at most {MOST_CACHE_LINES} lines in all"),
    );
}

/// A cluster says how far each of its TPCs is, or nothing.
fn clusters(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    for (number, cluster) in gpu.crossbar.clusters.iter().enumerate() {
        let tpcs = cluster.sms.div_ceil(gpu.crossbar.sms_per_tpc.max(1)) as usize;
        for (what, given) in [("distances", cluster.distances.len()), ("CPCs", cluster.cpcs.len())] {
            rules.need(
                given == 0 || given == tpcs,
                "crossbar.clusters",
                || format!("{given} {what} of the {tpcs} TPCs of cluster {number}"),
                "give one for each TPC (crossbar.sms_per_tpc), or none",
            );
        }
    }
}

fn dram(gpu: &GpuConfig, rules: &mut Rules<'_>) {
    let dram = &gpu.dram;
    let clocks = &dram.clocks;
    rules.need(
        dram.burst_bytes.is_power_of_two(),
        "dram.burst_bytes",
        || format!("{} bytes", dram.burst_bytes),
        "16, 32, 64 or 128",
    );
    rules.need(
        dram.row_bytes.is_multiple_of(dram.burst_bytes.max(1)),
        "dram.row_bytes",
        || format!("{} bytes cannot be divided into bursts of {}", dram.row_bytes, dram.burst_bytes),
        "use a multiple of dram.burst_bytes",
    );
    if let Some(RowPieces { bytes, near }) = dram.pieces {
        rules.need(
            u64::from(bytes).is_multiple_of(LINE_BYTES) && bytes.saturating_mul(near) <= dram.row_bytes,
            "dram.pieces",
            || format!("{near} pieces of {bytes} bytes in a row of {}", dram.row_bytes),
            "pieces of 128 bytes or a multiple, no more than a row holds",
        );
    }
    let bits = u64::from(dram.channel_bits) * u64::from(dram.data_rate);
    let divisor = 8 * u64::from(dram.pseudo_channels.max(1));
    let per_clock = bits / divisor;
    rules.need(
        bits.is_multiple_of(divisor) && u64::from(dram.burst_bytes).is_multiple_of(per_clock.max(1)),
        "dram.burst_bytes",
        || format!("{} bytes are not a whole number of clocks of a pseudo-channel", dram.burst_bytes),
        "one clock moves channel_bits x data_rate / 8 / pseudo_channels bytes",
    );
    rules.need(
        dram.write_low < dram.write_high,
        "dram.write_low",
        || format!("{} is not below dram.write_high, {}", dram.write_low, dram.write_high),
        "writing stops at write_low and starts at write_high",
    );
    rules.need(
        clocks.rc >= clocks.ras,
        "dram.clocks.rc",
        || format!("{} is below ras, {}", clocks.rc, clocks.ras),
        "a bank cannot be activated again before it may be precharged",
    );
    rules.need(
        clocks.refi / dram.ranks.max(1) > clocks.rfc,
        "dram.clocks.refi",
        || match dram.ranks {
            0 | 1 => format!("{} is not above rfc, {}", clocks.refi, clocks.rfc),
            ranks => format!("{} is not above rfc, {}, for each of {ranks} ranks", clocks.refi, clocks.rfc),
        },
        "refreshing would never end",
    );
    rules.need(
        dram.banks_per_group.is_multiple_of(dram.ranks),
        "dram.ranks",
        || format!("{} ranks cannot share the {} banks of a group", dram.ranks, dram.banks_per_group),
        "a number that divides dram.banks_per_group",
    );
    rules.need(
        dram.stack_refresh_phases.iter().all(|&phase| phase < 1024),
        "dram.stack_refresh_phases",
        || format!("{:?} has a phase above 1,023", dram.stack_refresh_phases),
        "steps of 1/1024 of the refresh interval",
    );
    let banks = dram.bank_groups.saturating_mul(dram.banks_per_group);
    if let Some(refresh) = clocks.bank_refresh {
        rules.need(
            refresh.refi > refresh.rrefd && refresh.refi.saturating_mul(banks) > refresh.rfc,
            "dram.clocks.bank_refresh",
            || format!("a bank every {} clocks, each for {}", refresh.refi, refresh.rfc),
            "refi must be above rrefd, and refi times the banks above rfc",
        );
    }
}
