//! How two values of a metric are compared.

use crate::registry::{find_metric, metrics};
use crate::value::Unit;

/// The id of what a kernel read from the clock.
pub const CLOCK_CYCLES: &str = "clock_cycles";
/// The id of the share of the warps' time that falls on the same states.
pub const STALL_OVERLAP: &str = "stall_overlap.pct";
/// The id of the share of what multiprocessors asked of L2 that was found there: without what launches and code ask.
pub const SM_L2_HIT_RATE: &str = "l2_hit_rate_of_sms.pct";

/// Counts of which the hardware has fewer have no relative error: what surrounds a kernel would be measured.
const LEAST_COUNT: f64 = 1e3;
/// Likewise for bytes: the driver and the profiler move some hundred thousand around an empty kernel.
const LEAST_BYTES: f64 = 1e6;
/// Likewise for means and ratios, which the profiler prints with two digits after the point.
const LEAST_RATIO: f64 = 0.1;

/// What the error of a metric is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The difference, in percentage points: rates are compared so.
    Points,
    /// The difference as a share of the hardware's value, in per cent; none where that is less than `least` or zero.
    Relative {
        /// The smallest value of the hardware that has a relative error.
        least: f64,
    },
}

/// A metric as it is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The id, as in the registry, or one of the three above.
    pub id: &'static str,
    /// A short name for the heads of tables.
    pub label: &'static str,
    /// What its error is.
    pub rule: Rule,
}

/// Short names of the metrics that are shown when none are asked for, in order.
const SHOWN: [(&str, &str); 15] = [
    ("sm__cycles_elapsed.max", "cycles"),
    (CLOCK_CYCLES, "clock"),
    ("smsp__inst_executed.sum", "inst"),
    ("launch__registers_per_thread", "regs"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "L1 ld"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "L1 st"),
    ("l1tex__t_sector_hit_rate.pct", "L1 hit %"),
    ("lts__t_sectors_srcunit_tex.sum", "L2 sect"),
    ("lts__t_sector_hit_rate.pct", "L2 hit %"),
    (SM_L2_HIT_RATE, "of SMs %"),
    ("dram__bytes_read.sum", "DRAM rd"),
    ("dram__bytes_write.sum", "DRAM wr"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "occup %"),
    ("smsp__issue_active.avg.pct_of_peak_sustained_active", "issue %"),
    (STALL_OVERLAP, "stalls %"),
];

/// The metric that the scatter plot and the guard are about.
pub const ELAPSED_CYCLES: &str = SHOWN[0].0;

impl Measure {
    /// The metric with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<Measure> {
        let short = SHOWN.iter().find(|(known, _)| *known == id).copied();
        match id {
            CLOCK_CYCLES => {
                short.map(|(id, label)| Measure { id, label, rule: Rule::Relative { least: 0.0 } })
            }
            STALL_OVERLAP | SM_L2_HIT_RATE => {
                short.map(|(id, label)| Measure { id, label, rule: Rule::Points })
            }
            _ => find_metric(id).map(|metric| Measure {
                id: metric.id,
                label: short.map_or(metric.label, |(_, label)| label),
                rule: rule(metric.id, metric.unit),
            }),
        }
    }

    /// The metrics that are shown when none are asked for.
    #[must_use]
    pub fn shown() -> Vec<Measure> {
        SHOWN.iter().filter_map(|(id, _)| Measure::find(id)).collect()
    }

    /// The ids of everything that can be compared.
    pub fn known_ids() -> impl Iterator<Item = &'static str> {
        [CLOCK_CYCLES, STALL_OVERLAP, SM_L2_HIT_RATE].into_iter().chain(metrics().map(|metric| metric.id))
    }
}

fn rule(id: &str, unit: Unit) -> Rule {
    let least = match unit {
        Unit::Percent => return Rule::Points,
        _ if id.starts_with("launch__") => 0.0,
        Unit::Bytes if id.ends_with(".sum") => LEAST_BYTES,
        _ if id.ends_with(".sum") => LEAST_COUNT,
        _ => LEAST_RATIO,
    };
    Rule::Relative { least }
}

#[cfg(test)]
mod tests {
    use super::{Measure, Rule, SHOWN};

    fn rule(id: &str) -> Rule {
        Measure::find(id).expect(id).rule
    }

    #[test]
    fn the_rule_follows_unit_and_name() {
        assert_eq!(rule("l1tex__t_sector_hit_rate.pct"), Rule::Points);
        assert_eq!(rule("launch__registers_per_thread"), Rule::Relative { least: 0.0 });
        assert_eq!(rule("dram__bytes_read.sum"), Rule::Relative { least: 1e6 });
        assert_eq!(rule("smsp__inst_executed.sum"), Rule::Relative { least: 1e3 });
        assert_eq!(rule("smsp__warps_eligible.avg.per_cycle_active"), Rule::Relative { least: 0.1 });
    }

    #[test]
    fn every_metric_that_is_shown_is_known() {
        assert_eq!(Measure::shown().len(), SHOWN.len());
        assert_eq!(Measure::find("sm__cycles_elapsed.mox"), None);
    }
}
