//! Points whose kernel is only counted: how many blocks and warps fit.

use super::{Measured, number};
use std::collections::BTreeMap;
use warplab_config::occupancy::wave_shares;
use warplab_config::{GpuConfig, KernelResources, occupancy};
use warplab_report::wrap;
use warplab_run::Fault;

/// What can be named in columns.
pub(super) const METRICS: [&str; 11] = [
    "occupancy.blocks",
    "occupancy.warps",
    "occupancy.percent",
    "occupancy.warps_per_block",
    "occupancy.registers_per_block",
    "occupancy.shared_per_block",
    "occupancy.limit_warps",
    "occupancy.limit_blocks",
    "occupancy.limit_registers",
    "occupancy.limit_shared",
    "occupancy.carveout_kib",
];

/// What can be named beside them: the shares of wave slots by the formulas of a sprint report on AMD's machines.
pub(super) const WAVE_METRICS: [&str; 7] = [
    "waves.registers_for_all",
    "waves.vector_pct",
    "waves.vector",
    "waves.scalar_pct",
    "waves.scalar",
    "waves.local",
    "waves.percent",
];

/// A kernel on a machine.
#[derive(Clone, Debug)]
pub(super) struct OccupancyJob {
    config: GpuConfig,
    resources: KernelResources,
}

pub(super) fn prepare(
    settings: &BTreeMap<String, String>,
    config: &GpuConfig,
) -> Result<OccupancyJob, Fault> {
    let of = |name: &str| settings.get(name).map_or(Ok(0), |text| number::<u32>(name, text));
    let resources = KernelResources {
        threads_per_block: of("block")?,
        registers: of("registers")?,
        static_shared: of("shared")?,
        dynamic_shared: of("dynamic")?,
        scalar_registers: of("scalar")?,
    };
    Ok(OccupancyJob { config: config.clone(), resources })
}

/// Characters of a line of a step.
const STEP_WIDTH: usize = 92;

/// A step, what is too long for a line moved in below.
fn step_text(step: &str) -> String {
    wrap(step, STEP_WIDTH).join("\n    ") + "\n"
}

pub(super) fn run(job: &OccupancyJob) -> Measured {
    let found = occupancy(&job.config.limits, &job.resources);
    let values = [
        Some(found.blocks),
        Some(found.warps),
        None,
        Some(found.warps_per_block),
        Some(found.registers_per_block),
        Some(found.shared_per_block),
        Some(found.limit_warps),
        Some(found.limit_blocks),
        found.limit_registers,
        found.limit_shared,
        Some(found.carveout_kib),
    ];
    let mut measured = Measured::default();
    for (id, value) in METRICS.into_iter().zip(values) {
        measured.values.extend(value.map(|value| (id.to_owned(), f64::from(value))));
    }
    measured.values.insert("occupancy.percent".to_owned(), found.fraction * 100.0);
    let shares = wave_shares(&job.config.limits, &job.resources);
    let values = [
        shares.registers_for_all,
        shares.vector_share * 100.0,
        f64::from(shares.vector_waves),
        shares.scalar_share * 100.0,
        f64::from(shares.scalar_waves),
        f64::from(shares.local_waves),
        shares.fraction * 100.0,
    ];
    measured.values.extend(WAVE_METRICS.into_iter().map(str::to_owned).zip(values));
    let steps: Vec<String> = found.steps.iter().map(|step| step_text(&step.to_string())).collect();
    measured.texts.insert("steps".to_owned(), steps.concat());
    measured
}
