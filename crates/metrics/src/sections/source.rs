//! Branches and wasted memory traffic.

use crate::metric::{Metric, Section};
use crate::value::Unit::{Count, Percent};
use crate::value::Value;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "source-counters",
    title: "Source Counters",
    description: "Branches and how often warps divided at them; memory traffic that a better layout would not need.",
    metrics: METRICS,
};

const METRICS: &[Metric] = &[
    Metric::shown(
        "smsp__inst_executed_op_branch.sum",
        "Branch Instructions",
        Count("inst"),
        "branches executed by warps",
        "Branches, each counted once for a warp.",
        |c| c.counters.sm.instructions.branches.into(),
    ),
    Metric::shown(
        "derived__smsp__inst_executed_op_branch_pct",
        "Branch Instructions Ratio",
        Percent,
        "branches / warp instructions executed",
        "The share of branches among the instructions.",
        |c| Value::percent(c.counters.sm.instructions.branches as f64, c.executed()),
    ),
    Metric::shown(
        "smsp__sass_average_branch_targets_threads_uniform.pct",
        "Branch Efficiency",
        Percent,
        "branches at which the warp stayed together / branches",
        "How often all lanes of a warp went the same way.",
        |c| {
            let instructions = &c.counters.sm.instructions;
            let together = instructions.branches.saturating_sub(instructions.divergent_branches);
            Value::percent(together as f64, instructions.branches as f64)
        },
    ),
    Metric::shown(
        "smsp__sass_branch_targets_threads_divergent.avg",
        "Avg. Divergent Branches",
        Count("inst"),
        "branches at which the warp divided / schedulers",
        "Divergent branches of a scheduler.",
        |c| Value::ratio(c.counters.sm.instructions.divergent_branches as f64, c.schedulers()),
    ),
    Metric::shown(
        "derived__memory_l2_theoretical_sectors_global_excessive",
        "Excessive Sectors",
        Count("sector"),
        "sectors touched - sectors that the same bytes would fill when packed",
        "Sectors of global and local memory that were moved although lanes used only a part of them.",
        |c| c.counters.sm.l1.excessive_sectors.into(),
    ),
    Metric::shown(
        "derived__memory_l1_wavefronts_shared_excessive",
        "Excessive Shared Wavefronts",
        Count("wavefront"),
        "bank conflicts of loads and stores",
        "Passes of shared memory beyond those that an access without conflict needs.",
        |c| {
            let shared = &c.counters.sm.shared;
            Value::Integer(shared.load_bank_conflicts + shared.store_bank_conflicts)
        },
    ),
];
