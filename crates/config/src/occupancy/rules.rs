//! The rules by which NVIDIA's and AMD's multiprocessors give out their resources.

use super::carveout::{Fitting, carveout};
use super::{KernelResources, Limiter, Occupancy, OccupancyStep};
use crate::gpu::{Limits, RegisterAllocation};

/// How many blocks and warps of a kernel fit on one multiprocessor.
#[must_use]
pub fn occupancy(limits: &Limits, kernel: &KernelResources) -> Occupancy {
    let mut steps = Vec::new();
    let lanes = limits.warp_lanes.max(1);
    let threads = kernel.threads_per_block.max(1);
    let warps_per_block = threads.div_ceil(lanes);
    steps.push(step(
        "warps per block",
        format!("{threads} threads / {lanes} lanes, rounded up"),
        warps_per_block,
    ));

    let limit_warps = limits.warps / warps_per_block;
    let how = format!("{} warps / {warps_per_block} warps per block", limits.warps);
    steps.push(step("blocks by warps", how, limit_warps));
    steps.push(step("blocks by block slots", "limit of the multiprocessor".to_owned(), limits.blocks));

    let (registers_per_block, limit_registers) = registers(limits, kernel, warps_per_block, &mut steps);
    let shared_per_block = shared_of_block(limits, kernel, &mut steps);

    let others = limit_warps.min(limits.blocks).min(limit_registers.unwrap_or(u32::MAX));
    let by_slots = limit_warps.min(limits.blocks);
    let fitting = Fitting { by_slots, with_registers: others };
    let carveout_kib = carveout(limits, kernel, shared_per_block, fitting, &mut steps);
    let limit_shared = (shared_per_block > 0).then(|| {
        let available = u64::from(carveout_kib) * 1024;
        let available =
            if limits.shared_carveouts_kib.is_empty() { u64::from(limits.shared_bytes) } else { available };
        let blocks = u32::try_from(available / u64::from(shared_per_block)).unwrap_or(u32::MAX);
        let how = format!("{available} bytes / {shared_per_block} bytes per block");
        steps.push(step("blocks by shared memory", how, blocks));
        blocks
    });

    let impossible = impossible(limits, kernel);
    let fitting = others.min(limit_shared.unwrap_or(u32::MAX));
    let blocks = if impossible.is_some() { 0 } else { fitting };
    let limiters = [
        (Limiter::Warps, Some(limit_warps)),
        (Limiter::Blocks, Some(limits.blocks)),
        (Limiter::Registers, limit_registers),
        (Limiter::SharedMemory, limit_shared),
    ];
    let limiters =
        limiters.into_iter().filter(|&(_, limit)| limit == Some(fitting)).map(|(limiter, _)| limiter);
    let warps = blocks * warps_per_block;
    steps.push(step("resident blocks", "the least of these".to_owned(), blocks));
    steps.push(step("resident warps", format!("{blocks} blocks x {warps_per_block} warps"), warps));
    Occupancy {
        warps_per_block,
        registers_per_block,
        shared_per_block,
        limit_warps,
        limit_blocks: limits.blocks,
        limit_registers,
        limit_shared,
        blocks,
        warps,
        fraction: f64::from(warps) / f64::from(limits.warps.max(1)),
        limiters: limiters.collect(),
        carveout_kib,
        impossible,
        steps,
    }
}

pub(super) fn step(what: &'static str, how: String, result: impl Into<u64>) -> OccupancyStep {
    OccupancyStep { what, how, result: result.into() }
}

/// The reason for which the machine refuses such a launch.
fn impossible(limits: &Limits, kernel: &KernelResources) -> Option<String> {
    let shared = u64::from(kernel.static_shared) + u64::from(kernel.dynamic_shared);
    let (threads, registers) = (kernel.threads_per_block, kernel.registers);
    if threads == 0 || threads > limits.threads_per_block {
        return Some(format!("a block of {threads} threads; 1 to {} are possible", limits.threads_per_block));
    }
    if registers > limits.registers_per_thread {
        return Some(format!(
            "{registers} registers per thread; at most {} are possible",
            limits.registers_per_thread
        ));
    }
    if shared > u64::from(limits.shared_bytes_per_block) {
        return Some(format!(
            "{shared} bytes of shared memory per block; at most {} are possible",
            limits.shared_bytes_per_block
        ));
    }
    None
}

/// Registers that a block takes and the blocks that fit; no limit without registers.
fn registers(
    limits: &Limits,
    kernel: &KernelResources,
    warps_per_block: u32,
    steps: &mut Vec<OccupancyStep>,
) -> (u32, Option<u32>) {
    let (unit, lanes) = (limits.register_unit.max(1), limits.warp_lanes);
    let a_thread = kernel.registers.max(limits.least_registers_per_thread);
    let a_warp = a_thread.saturating_mul(lanes);
    let rounded = a_warp.div_ceil(unit).saturating_mul(unit);
    let (a_block, blocks) = match limits.register_allocation {
        _ if kernel.registers == 0 => (0, None),
        RegisterAllocation::Warp | RegisterAllocation::Simd => {
            let how = format!("{a_thread} registers x {lanes} lanes, rounded up to {unit}");
            steps.push(step("registers per warp", how, rounded));
            let part = limits.registers / limits.sub_partitions.max(1);
            let warps = part / rounded;
            let how = format!("{part} registers / {rounded}, rounded down");
            steps.push(step("warps per sub-partition by registers", how, warps));
            let blocks = warps * limits.sub_partitions / warps_per_block;
            (rounded.saturating_mul(warps_per_block), Some(blocks))
        }
        RegisterAllocation::WarpPairs => {
            let how = format!("{a_thread} registers x {lanes} lanes, rounded up to {unit}");
            steps.push(step("registers per warp", how, rounded));
            let a_block = rounded.saturating_mul(warps_per_block.next_multiple_of(2));
            (a_block, Some(limits.registers / a_block))
        }
        RegisterAllocation::Block => {
            let a_block = a_warp.saturating_mul(warps_per_block.next_multiple_of(2));
            let a_block = a_block.div_ceil(unit).saturating_mul(unit);
            (a_block, Some(limits.registers / a_block))
        }
    };
    if let Some(blocks) = blocks {
        steps.push(step("registers per block", format!("for {warps_per_block} warps"), a_block));
        steps.push(step("blocks by registers", format!("{} registers", limits.registers), blocks));
    }
    let scalar = scalar_blocks(limits, kernel, warps_per_block, steps);
    (a_block, blocks.into_iter().chain(scalar).min())
}

/// Blocks that the scalar registers allow, where there is such a limit.
fn scalar_blocks(
    limits: &Limits,
    kernel: &KernelResources,
    warps: u32,
    steps: &mut Vec<OccupancyStep>,
) -> Option<u32> {
    if limits.scalar_registers == 0 || kernel.scalar_registers == 0 {
        return None;
    }
    let waves = limits.scalar_registers / kernel.scalar_registers;
    let blocks = waves * limits.sub_partitions / warps;
    let how = format!(
        "{} / {} a wave, {} SIMD units",
        limits.scalar_registers, kernel.scalar_registers, limits.sub_partitions
    );
    steps.push(step("blocks by scalar registers", how, blocks));
    Some(blocks)
}

/// Bytes of shared memory that a block takes.
fn shared_of_block(limits: &Limits, kernel: &KernelResources, steps: &mut Vec<OccupancyStep>) -> u32 {
    let (wanted, unit) =
        (kernel.static_shared.saturating_add(kernel.dynamic_shared), limits.shared_unit.max(1));
    let a_block = wanted.saturating_add(limits.shared_reserved).div_ceil(unit).saturating_mul(unit);
    let (of_kernel, of_launch, reserved) =
        (kernel.static_shared, kernel.dynamic_shared, limits.shared_reserved);
    let how = format!("{of_kernel} static + {of_launch} dynamic + {reserved} reserved, rounded up to {unit}");
    steps.push(step("bytes of shared memory per block", how, a_block));
    a_block
}
