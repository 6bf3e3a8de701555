//! How many warps were resident, and what keeps more from being so.

use crate::metric::{Metric, Section};
use crate::value::Unit::{Count, Percent};
use crate::value::Value;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "occupancy",
    title: "Occupancy",
    description: "Resident warps as a share of the warp slots. The smallest block limit decides how many blocks fit.",
    metrics: METRICS,
};

const METRICS: &[Metric] = &[
    Metric::shown(
        "launch__occupancy_limit_blocks",
        "Block Limit SM",
        Count("block"),
        "limits.blocks of the machine",
        "Blocks that the block slots of a multiprocessor allow.",
        |c| c.occupancy.limit_blocks.into(),
    ),
    Metric::shown(
        "launch__occupancy_limit_registers",
        "Block Limit Registers",
        Count("block"),
        "registers of the multiprocessor / registers of a block as they are given out",
        "Blocks that the register file allows.",
        |c| c.occupancy.limit_registers.map_or(Value::Absent, Value::from),
    ),
    Metric::shown(
        "launch__occupancy_limit_shared_mem",
        "Block Limit Shared Mem",
        Count("block"),
        "shared memory configuration / shared memory of a block as it is given out",
        "Blocks that shared memory allows.",
        |c| c.occupancy.limit_shared.map_or(Value::Absent, Value::from),
    ),
    Metric::shown(
        "launch__occupancy_limit_warps",
        "Block Limit Warps",
        Count("block"),
        "warp slots of the multiprocessor / warps of a block",
        "Blocks that the warp slots allow.",
        |c| c.occupancy.limit_warps.into(),
    ),
    Metric::shown(
        "sm__maximum_warps_avg_per_active_cycle",
        "Theoretical Active Warps per SM",
        Count("warp"),
        "resident blocks x warps of a block",
        "Warps that fit on a multiprocessor.",
        |c| c.occupancy.warps.into(),
    ),
    Metric::shown(
        "sm__maximum_warps_per_active_cycle_pct",
        "Theoretical Occupancy",
        Percent,
        "warps that fit / warp slots",
        "The occupancy that the launch allows.",
        |c| Value::Real(c.occupancy.fraction * 100.0),
    ),
    Metric::shown(
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "Achieved Occupancy",
        Percent,
        "resident warps summed over cycles / (warp slots x active cycles)",
        "The occupancy that was there. Below the theoretical one where blocks start and end, or where the dispatcher \
         cannot keep up.",
        |c| Value::percent(c.warp_cycles(), c.sm_active() * f64::from(c.config.limits.warps)),
    ),
    Metric::shown(
        "sm__warps_active.avg.per_cycle_active",
        "Achieved Active Warps Per SM",
        Count("warp"),
        "resident warps summed over cycles / active cycles",
        "Resident warps of a multiprocessor, mean over the cycles in which it held a block.",
        |c| Value::ratio(c.warp_cycles(), c.sm_active()),
    ),
];
