//! How many warps would be resident with other blocks, registers and shared memory: the three curves of CUDA's
//! occupancy calculator, and where the launch stands on them.

use serde::Serialize;
use warplab_config::{KernelResources, Occupancy, occupancy};
use warplab_metrics::Context;

/// Points of the curve over shared memory.
const SHARED_POINTS: u32 = 128;

/// Occupancy of the launch and around it.
#[derive(Debug, Serialize)]
pub(crate) struct OccupancyDocument<'a> {
    warps: u32,
    blocks: u32,
    warp_slots: u32,
    limiters: Vec<String>,
    /// The calculation: what, how, result.
    steps: Vec<(&'static str, &'a str, u64)>,
    curves: Vec<Curve>,
}

/// Resident warps as one of the three changes.
#[derive(Debug, Serialize)]
struct Curve {
    what: &'static str,
    /// The value of the launch.
    here: u32,
    /// Values with resident warps.
    points: Vec<(u32, u32)>,
}

impl<'a> OccupancyDocument<'a> {
    pub(crate) fn of(context: &Context<'a>) -> OccupancyDocument<'a> {
        let found: &Occupancy = context.occupancy;
        OccupancyDocument {
            warps: found.warps,
            blocks: found.blocks,
            warp_slots: context.config.limits.warps,
            limiters: found.limiters.iter().map(ToString::to_string).collect(),
            steps: found.steps.iter().map(|step| (step.what, step.how.as_str(), step.result)).collect(),
            curves: curves(context),
        }
    }
}

fn curves(context: &Context<'_>) -> Vec<Curve> {
    let (limits, launch) = (&context.config.limits, context.launch);
    let here = KernelResources {
        threads_per_block: u32::try_from(launch.threads_per_block()).unwrap_or(u32::MAX),
        registers: launch.registers,
        static_shared: launch.static_shared_bytes,
        dynamic_shared: launch.dynamic_shared_bytes,
        scalar_registers: 0,
    };
    let shared = here.static_shared + here.dynamic_shared;
    let lanes = limits.warp_lanes.max(1);
    let curve = |what, here, values: Vec<u32>, with: &dyn Fn(u32) -> KernelResources| Curve {
        what,
        here,
        points: values.into_iter().map(|value| (value, occupancy(limits, &with(value)).warps)).collect(),
    };
    let step = (limits.shared_bytes_per_block / SHARED_POINTS).max(1);
    vec![
        curve(
            "threads per block",
            here.threads_per_block,
            values(lanes..=limits.threads_per_block, lanes, here.threads_per_block),
            &|threads_per_block| KernelResources { threads_per_block, ..here },
        ),
        curve(
            "registers per thread",
            here.registers,
            values(1..=limits.registers_per_thread, 1, here.registers),
            &|registers| KernelResources { registers, ..here },
        ),
        curve(
            "bytes of shared memory per block",
            shared,
            values(0..=limits.shared_bytes_per_block, step, shared),
            &|bytes| KernelResources { static_shared: 0, dynamic_shared: bytes, ..here },
        ),
    ]
}

/// Values of a range, the launch's own among them.
fn values(range: std::ops::RangeInclusive<u32>, step: u32, here: u32) -> Vec<u32> {
    let mut values: Vec<u32> = range.step_by(step as usize).chain([here]).collect();
    values.sort_unstable();
    values.dedup();
    values
}
