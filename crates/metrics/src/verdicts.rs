//! What the numbers of a launch mean, in sentences that name the numbers.

use crate::context::Context;
use crate::format::{integer_text, real_text};
use crate::peaks::{self, Over};
use warplab_config::occupancy::Limiter;
use warplab_trace::WarpState;

/// What kind of sentence a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// Says what is.
    Information,
    /// Says what could be better.
    Optimisation,
}

impl VerdictKind {
    /// The three letters in front of it.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            VerdictKind::Information => "INF",
            VerdictKind::Optimisation => "OPT",
        }
    }
}

/// One sentence or two about a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The name of the section under which it stands.
    pub section: &'static str,
    /// Its kind.
    pub kind: VerdictKind,
    /// A stable name of the rule that made it.
    pub rule: &'static str,
    /// What it says.
    pub text: String,
    /// The ids of the metrics that it is based on.
    pub based_on: Vec<&'static str>,
}

const COMPUTE: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const ISSUED: &str = "smsp__issue_active.avg.per_cycle_active";
const ELIGIBLE: &str = "smsp__warps_eligible.avg.per_cycle_active";
const ACTIVE: &str = "smsp__warps_active.avg.per_cycle_active";
const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";
const EXCESSIVE: &str = "derived__memory_l2_theoretical_sectors_global_excessive";
const WAVES: &str = "launch__waves_per_multiprocessor";

/// Shares under which neither side of the machine counts as busy, in per cent.
const BUSY: f64 = 60.0;
/// The share from which on a side counts as saturated, in per cent.
const SATURATED: f64 = 80.0;
/// Issued warps of a scheduler and cycle under which stalls are worth a line.
const ISSUE_GOAL: f64 = 0.8;
/// The share of a stall from which on it is worth a line.
const STALL_SHARE: f64 = 0.3;

/// Every verdict on a launch, in the order of the sections.
#[must_use]
pub fn verdicts(context: &Context<'_>) -> Vec<Verdict> {
    let rules = [
        speed_of_light,
        busiest_pipe,
        scattered_access,
        bank_conflicts,
        issue_slots,
        stalls,
        unused_lanes,
        small_grid,
        tail,
        odd_block,
        occupancy_limit,
        occupancy_gap,
        divergence,
    ];
    rules.into_iter().flat_map(|rule| rule(context)).collect()
}

fn verdict(
    section: &'static str,
    kind: VerdictKind,
    rule: &'static str,
    based_on: &[&'static str],
    text: String,
) -> Option<Verdict> {
    Some(Verdict { section, kind, rule, text, based_on: based_on.to_vec() })
}

type Found = Vec<Verdict>;

fn speed_of_light(context: &Context<'_>) -> Found {
    let (compute, memory) = (peaks::compute(context, Over::Elapsed), peaks::memory(context));
    let (c, m) = (real_text(compute), real_text(memory));
    let (rule, text) = if compute < BUSY && memory < BUSY {
        let text = format!(
            "Compute throughput is {c} % and memory throughput {m} %, both under {BUSY:.0} %: the kernel is bound by \
             latency, not by any unit. See Scheduler Statistics and Warp State Statistics for what the warps wait for."
        );
        ("latency-bound", text)
    } else if compute >= SATURATED || memory >= SATURATED {
        let side = if compute > memory { "Compute" } else { "Memory" };
        let text = format!(
            "{side} throughput is saturated: compute {c} %, memory {m} %. To go faster the kernel must do less of what \
             the busiest unit does; more warps do not help."
        );
        ("saturated", text)
    } else {
        let text = format!(
            "Compute throughput is {c} %, memory throughput {m} %: the kernel is between bound by latency and bound by \
             throughput. Both less work for the busier side and more warps or independent instructions can help."
        );
        ("balanced", text)
    };
    verdict("speed-of-light", VerdictKind::Information, rule, &[COMPUTE, MEMORY], text).into_iter().collect()
}

fn busiest_pipe(context: &Context<'_>) -> Found {
    let (pipe, share) = peaks::busiest_pipe(context, Over::Active);
    if share < BUSY {
        return Vec::new();
    }
    let text = format!(
        "The {pipe} pipe is the busiest: taken in {} % of active cycles. {}",
        real_text(share),
        if share >= SATURATED { "It bounds the kernel." } else { "It is close to a bound." }
    );
    let id = "sm__instruction_throughput.avg.pct_of_peak_sustained_active";
    verdict("compute-workload", VerdictKind::Information, "busiest-pipe", &[id], text).into_iter().collect()
}

fn scattered_access(context: &Context<'_>) -> Found {
    let l1 = &context.counters.sm.l1;
    let sectors = l1.global_load_sectors
        + l1.global_store_sectors
        + l1.global_atomic_sectors
        + l1.global_reduction_sectors
        + l1.local_load_sectors
        + l1.local_store_sectors;
    let share = if sectors == 0 { 0.0 } else { l1.excessive_sectors as f64 / sectors as f64 };
    if share < 0.1 {
        return Vec::new();
    }
    let text = format!(
        "{} of {} sectors ({} %) are excessive: lanes of a warp touch addresses that do not lie together, so that only \
         a part of each 32-byte sector is used. Let neighbouring lanes use neighbouring addresses, or move data \
         through shared memory.",
        integer_text(l1.excessive_sectors),
        integer_text(sectors),
        real_text(share * 100.0)
    );
    let sector_ids = ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", EXCESSIVE];
    verdict("memory-workload", VerdictKind::Optimisation, "scattered-access", &sector_ids, text)
        .into_iter()
        .collect()
}

fn bank_conflicts(context: &Context<'_>) -> Found {
    let shared = &context.counters.sm.shared;
    let kinds = [
        (
            "loads",
            shared.load_requests,
            shared.load_wavefronts,
            shared.load_bank_conflicts,
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        ),
        (
            "stores",
            shared.store_requests,
            shared.store_wavefronts,
            shared.store_bank_conflicts,
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        ),
    ];
    let worth = kinds.into_iter().filter(|&(_, requests, passes, conflicts, _)| {
        requests > 0 && passes > 0 && conflicts as f64 / passes as f64 >= 0.1
    });
    worth
        .filter_map(|(what, requests, passes, conflicts, id)| {
            let text = format!(
                "Shared-memory {what} have {} bank conflicts: {} passes for {} requests, {} on average, {} % of them \
                 because several lanes use one bank. Pad rows by a word, or let lanes go over the banks in order.",
                integer_text(conflicts),
                integer_text(passes),
                integer_text(requests),
                real_text(passes as f64 / requests as f64),
                real_text(100.0 * conflicts as f64 / passes as f64)
            );
            verdict("memory-workload", VerdictKind::Optimisation, "bank-conflicts", &[id], text)
        })
        .collect()
}

/// Issued, eligible and resident warps of a scheduler in a cycle; none for an empty launch.
fn rates(context: &Context<'_>) -> Option<[f64; 3]> {
    let active = context.scheduler_active();
    (active > 0.0 && context.issued() > 0.0).then(|| {
        let eligible = context.of_schedulers(|it| it.eligible_warp_cycles);
        [context.issued() / active, eligible / active, context.warp_cycles() / active]
    })
}

fn issue_slots(context: &Context<'_>) -> Found {
    let Some([issued, eligible, resident]) = rates(context) else { return Vec::new() };
    if issued >= ISSUE_GOAL {
        return Vec::new();
    }
    let text = format!(
        "A scheduler could issue every cycle; here it issues once in {} cycles. Of {} resident warps on average, {} \
         can issue; in {} % of cycles none can. More resident warps, or fewer stalls of each, fill these slots.",
        real_text(1.0 / issued),
        real_text(resident),
        real_text(eligible),
        real_text(100.0 * (1.0 - issued))
    );
    verdict("scheduler", VerdictKind::Optimisation, "issue-slots", &[ISSUED, ELIGIBLE, ACTIVE], text)
        .into_iter()
        .collect()
}

fn stalls(context: &Context<'_>) -> Found {
    let Some([issued, ..]) = rates(context) else { return Vec::new() };
    let all = context.warp_cycles();
    if issued >= ISSUE_GOAL || all == 0.0 {
        return Vec::new();
    }
    let mut worth: Vec<(WarpState, f64)> = WarpState::all()
        .filter(|state| *state != WarpState::Selected)
        .map(|state| (state, context.in_state(state) / all))
        .filter(|&(_, share)| share > STALL_SHARE)
        .collect();
    worth.sort_by(|a, b| b.1.total_cmp(&a.1));
    worth
        .into_iter()
        .filter_map(|(state, share)| {
            let cycles = context.in_state(state) / context.issued();
            let text = format!(
                "{}: {} of {} cycles between two instructions of a warp ({} %). {}",
                state.label(),
                real_text(cycles),
                real_text(all / context.issued()),
                real_text(share * 100.0),
                state.description()
            );
            let id = stall_id(state);
            verdict("warp-state", VerdictKind::Optimisation, "stall", &[id, ISSUED], text)
        })
        .collect()
}

/// The id of the metric of a state.
fn stall_id(state: WarpState) -> &'static str {
    let label = state.label();
    crate::registry::metrics().find(|metric| metric.label == label).map_or("", |metric| metric.id)
}

fn unused_lanes(context: &Context<'_>) -> Found {
    let lanes = f64::from(context.config.limits.warp_lanes);
    let mean = context.counters.sm.instructions.thread as f64 / context.executed().max(1.0);
    if context.executed() == 0.0 || mean > 0.75 * lanes {
        return Vec::new();
    }
    let text = format!(
        "On average {} of {lanes:.0} lanes execute an instruction. Divergent branches, predicates, or blocks that do \
         not fill their last warp leave the others idle.",
        real_text(mean)
    );
    let id = "smsp__thread_inst_executed_per_inst_executed.ratio";
    verdict("warp-state", VerdictKind::Optimisation, "unused-lanes", &[id], text).into_iter().collect()
}

fn small_grid(context: &Context<'_>) -> Found {
    let blocks = context.launch.blocks();
    if blocks == 0 || blocks as f64 >= context.multiprocessors() {
        return Vec::new();
    }
    let noun = if blocks == 1 { "block" } else { "blocks" };
    let text = format!(
        "The grid has {} {noun} for {} multiprocessors: nothing to do for {} of them. Use more, smaller blocks.",
        integer_text(blocks),
        integer_text(context.counters.multiprocessors),
        integer_text(context.counters.multiprocessors - blocks)
    );
    verdict(
        "launch",
        VerdictKind::Optimisation,
        "small-grid",
        &["launch__grid_size", "launch__sm_count"],
        text,
    )
    .into_iter()
    .collect()
}

fn tail(context: &Context<'_>) -> Found {
    let Some(waves) = context.waves() else { return Vec::new() };
    let (full, part) = (waves.floor(), waves.fract());
    let lost = if part > 0.0 { (1.0 - part) / waves.ceil() } else { 0.0 };
    if full < 1.0 || lost < 0.1 {
        return Vec::new();
    }
    let text = format!(
        "The grid is {} waves: {full:.0} full and one that fills {} % of the chip. With blocks of equal length up to \
         {} % of the time is lost in this tail. Change the grid so that the last wave is full, or use many more waves.",
        real_text(waves),
        real_text(part * 100.0),
        real_text(lost * 100.0)
    );
    verdict("launch", VerdictKind::Optimisation, "tail", &[WAVES], text).into_iter().collect()
}

fn odd_block(context: &Context<'_>) -> Found {
    let (threads, lanes) = (context.launch.threads_per_block(), u64::from(context.config.limits.warp_lanes));
    if lanes == 0 || threads.is_multiple_of(lanes) {
        return Vec::new();
    }
    let text = format!(
        "A block of {threads} threads is no multiple of {lanes}: {} lanes of the last warp of every block do nothing.",
        lanes - threads % lanes
    );
    verdict("launch", VerdictKind::Optimisation, "odd-block", &["launch__block_size"], text)
        .into_iter()
        .collect()
}

fn occupancy_limit(context: &Context<'_>) -> Found {
    let fit = context.occupancy;
    if fit.fraction >= 1.0 || fit.limiters.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = fit.limiters.iter().map(ToString::to_string).collect();
    let advice = match fit.limiters[0] {
        Limiter::Registers => {
            "Fewer registers per thread (a launch bound, or less unrolling) let more blocks be resident."
        }
        Limiter::SharedMemory => "Less shared memory per block lets more blocks be resident.",
        Limiter::Blocks => "Larger blocks bring more warps into the same number of block slots.",
        Limiter::Warps => "Another block size divides the warp slots better.",
    };
    let text = format!(
        "Theoretical occupancy is {} %: {} blocks of {} warps fit, limited by {}. {advice}",
        real_text(fit.fraction * 100.0),
        integer_text(u64::from(fit.blocks)),
        integer_text(u64::from(fit.warps_per_block)),
        names.join(" and ")
    );
    let ids = [
        THEORETICAL,
        "launch__occupancy_limit_registers",
        "launch__occupancy_limit_shared_mem",
        "launch__occupancy_limit_warps",
        "launch__occupancy_limit_blocks",
    ];
    verdict("occupancy", VerdictKind::Optimisation, "occupancy-limit", &ids, text).into_iter().collect()
}

fn occupancy_gap(context: &Context<'_>) -> Found {
    let slots = context.sm_active() * f64::from(context.config.limits.warps);
    if slots == 0.0 {
        return Vec::new();
    }
    let (achieved, theoretical) = (100.0 * context.warp_cycles() / slots, context.occupancy.fraction * 100.0);
    if achieved > theoretical - 20.0 {
        return Vec::new();
    }
    let text = format!(
        "Achieved occupancy is {} % of {} % theoretical: blocks come and go faster than multiprocessors are filled, \
         the grid is small, or warps of a block end at different times.",
        real_text(achieved),
        real_text(theoretical)
    );
    verdict("occupancy", VerdictKind::Optimisation, "occupancy-gap", &[ACHIEVED, THEORETICAL], text)
        .into_iter()
        .collect()
}

fn divergence(context: &Context<'_>) -> Found {
    let executed = &context.counters.sm.instructions;
    let share = executed.divergent_branches as f64 / executed.branches.max(1) as f64;
    if share < 0.05 {
        return Vec::new();
    }
    let text = format!(
        "Warps divide at {} of {} branches ({} %): both sides run one after the other. Let the lanes of a warp decide \
         alike, or sort the work.",
        integer_text(executed.divergent_branches),
        integer_text(executed.branches),
        real_text(share * 100.0)
    );
    let id = "smsp__sass_average_branch_targets_threads_uniform.pct";
    verdict("source-counters", VerdictKind::Optimisation, "divergence", &[id], text).into_iter().collect()
}

mod promise;
#[cfg(test)]
mod tests;

pub use promise::most_promising;
