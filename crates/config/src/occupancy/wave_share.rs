//! The sprint report's formulas for AMD: shares of the wave slots, without regard to whole blocks and SIMD units.

use super::KernelResources;
use crate::gpu::Limits;

/// Waves that each resource alone allows, as shares of a compute unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveShares {
    /// Wave slots of the compute unit.
    pub slots: u32,
    /// Registers of a thread with which all slots can be used.
    pub registers_for_all: f64,
    /// The share that the vector registers allow: min(1, registers for all / registers of the kernel).
    pub vector_share: f64,
    /// That share of the slots, rounded down.
    pub vector_waves: u32,
    /// The share that the scalar registers allow.
    pub scalar_share: f64,
    /// That share of the slots, rounded down.
    pub scalar_waves: u32,
    /// Waves that local memory allows: its size / bytes of a group x waves of a group, rounded down at the end only.
    pub local_waves: u32,
    /// The least of the three as a share of the slots.
    pub fraction: f64,
}

/// Waves of a compute unit by the sprint report's formulas.
#[must_use]
pub fn wave_shares(limits: &Limits, kernel: &KernelResources) -> WaveShares {
    let slots = limits.warps;
    let threads = f64::from(slots) * f64::from(limits.warp_lanes);
    let registers_for_all = f64::from(limits.registers) / threads;
    let scalar_for_all =
        f64::from(limits.scalar_registers) * f64::from(limits.sub_partitions) / f64::from(slots);
    let share = |available: f64, wanted: u32| {
        if wanted == 0 { 1.0 } else { (available / f64::from(wanted)).min(1.0) }
    };
    let waves = |share: f64| whole(share * f64::from(slots));
    let vector_share = share(registers_for_all, kernel.registers);
    let scalar_share =
        if limits.scalar_registers == 0 { 1.0 } else { share(scalar_for_all, kernel.scalar_registers) };
    let local = f64::from(kernel.static_shared) + f64::from(kernel.dynamic_shared);
    let waves_of_group = f64::from(kernel.threads_per_block.div_ceil(limits.warp_lanes.max(1)));
    let local_waves = if local == 0.0 {
        slots
    } else {
        whole(f64::from(limits.shared_bytes) / local * waves_of_group).min(slots)
    };
    let (vector_waves, scalar_waves) = (waves(vector_share), waves(scalar_share));
    let least = vector_waves.min(scalar_waves).min(local_waves);
    WaveShares {
        slots,
        registers_for_all,
        vector_share,
        vector_waves,
        scalar_share,
        scalar_waves,
        local_waves,
        fraction: f64::from(least) / f64::from(slots.max(1)),
    }
}

/// A count, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are clamped to what u32 holds"
)]
fn whole(count: f64) -> u32 {
    count.floor() as u32
}
