//! All sections and their metrics.

use crate::metric::{Metric, Section};
use crate::sections::{
    compute, launch, littles_law, memory, occupancy, scheduler, source, speed_of_light, warp_state,
};

/// Every section, in the order of the report.
pub static SECTIONS: &[&Section] = &[
    &speed_of_light::SECTION,
    &compute::SECTION,
    &memory::SECTION,
    &scheduler::SECTION,
    &warp_state::SECTION,
    &launch::SECTION,
    &occupancy::SECTION,
    &source::SECTION,
    &littles_law::SECTION,
];

/// Every metric, in the order of the report.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    SECTIONS.iter().flat_map(|section| section.metrics)
}

/// The metric with this id.
#[must_use]
pub(crate) fn find_metric(id: &str) -> Option<&'static Metric> {
    metrics().find(|metric| metric.id == id)
}

/// The section with this name.
#[must_use]
pub fn find_section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().copied().find(|section| section.name == name)
}

#[cfg(test)]
mod tests {
    use super::{SECTIONS, metrics};
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_every_metric_is_explained() {
        let mut seen = HashSet::new();
        for metric in metrics() {
            assert!(seen.insert(metric.id), "{} appears twice", metric.id);
            assert!(!metric.label.is_empty() && !metric.formula.is_empty(), "{}", metric.id);
            assert!(metric.description.ends_with('.'), "{}: {}", metric.id, metric.description);
        }
    }

    #[test]
    fn labels_are_unique_inside_a_section() {
        for section in SECTIONS {
            let mut seen = HashSet::new();
            for metric in section.metrics {
                assert!(seen.insert(metric.label), "{}: {} appears twice", section.name, metric.label);
            }
        }
    }

    /// Metrics of the hardware reference, except stalls on units that are not simulated (textures).
    const REFERENCE: &[&str] = &[
        "gpu__time_duration.sum",
        "sm__cycles_elapsed.max",
        "sm__cycles_active.avg",
        "smsp__inst_executed.sum",
        "smsp__inst_issued.sum",
        "smsp__thread_inst_executed.sum",
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "smsp__warps_active.avg.per_cycle_active",
        "smsp__warps_eligible.avg.per_cycle_active",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "sm__maximum_warps_per_active_cycle_pct",
        "launch__registers_per_thread",
        "launch__occupancy_limit_registers",
        "launch__occupancy_limit_shared_mem",
        "launch__occupancy_limit_warps",
        "launch__occupancy_limit_blocks",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "l1tex__t_sector_hit_rate.pct",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "lts__t_sectors_op_atom.sum",
        "lts__t_sectors_op_red.sum",
        "lts__t_sector_hit_rate.pct",
        "lts__t_sectors_srcunit_tex.sum",
        "lts__t_sectors_srcunit_tex_lookup_hit.sum",
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
        "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio",
    ];

    #[test]
    fn every_metric_of_the_hardware_reference_is_there() {
        for id in REFERENCE {
            assert!(super::find_metric(id).is_some(), "{id}");
        }
    }
}
