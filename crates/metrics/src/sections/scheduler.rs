//! How well the schedulers were supplied with warps.

use crate::format::whole_number;
use crate::metric::{Metric, Section};
use crate::value::Unit::{Count, Percent};
use crate::value::Value;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "scheduler",
    title: "Scheduler Statistics",
    description: "Each scheduler has a pool of resident (active) warps; those that can issue are eligible; one of them \
                  is taken each cycle. A cycle without an eligible warp is an issue slot lost.",
    metrics: METRICS,
};

const METRICS: &[Metric] = &[
    Metric::shown(
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "One or More Eligible",
        Percent,
        "cycles with an issued instruction / active scheduler cycles",
        "The share of cycles in which at least one warp could issue. Whenever one can, one does.",
        |c| Value::percent(c.issue_cycles(), c.scheduler_active()),
    ),
    Metric::shown(
        "smsp__issue_active.avg.per_cycle_active",
        "Issued Warp Per Scheduler",
        Count("warp"),
        "cycles with an issued instruction / active scheduler cycles",
        "Warps that issue in a cycle; at most one.",
        |c| Value::ratio(c.issue_cycles(), c.scheduler_active()),
    ),
    Metric::shown(
        "smsp__issue_inst0.avg.pct_of_peak_sustained_active",
        "No Eligible",
        Percent,
        "100 - cycles with an issued instruction / active scheduler cycles",
        "The share of cycles in which every resident warp was stalled.",
        |c| Value::percent(c.scheduler_active() - c.issue_cycles(), c.scheduler_active()),
    ),
    Metric::shown(
        "smsp__warps_active.avg.per_cycle_active",
        "Active Warps Per Scheduler",
        Count("warp"),
        "resident warps summed over cycles / active scheduler cycles",
        "Resident warps of a scheduler, mean over the cycles in which it had one.",
        |c| Value::ratio(c.warp_cycles(), c.scheduler_active()),
    ),
    Metric::shown(
        "smsp__warps_eligible.avg.per_cycle_active",
        "Eligible Warps Per Scheduler",
        Count("warp"),
        "eligible warps (the selected one included) summed over cycles / active scheduler cycles",
        "Warps of a scheduler that could issue. More than one on average means that latency is hidden.",
        |c| Value::ratio(c.of_schedulers(|it| it.eligible_warp_cycles), c.scheduler_active()),
    ),
    Metric::raw(
        "smsp__cycles_active.sum",
        "Active Scheduler Cycles",
        Count("cycle"),
        "cycles with a resident warp, summed over schedulers",
        "What the averages of this section are taken over.",
        |c| Value::Integer(whole_number(c.scheduler_active())),
    ),
];
