//! How much of the memory that level one and shared memory have together becomes shared memory.
//!
//! The rule is not documented. This one gives the size that the profiler reports for each of the launches of
//! `traces/h200`; it depends on the block's size, registers and shared memory, and not on the grid:
//!
//! - The driver makes room for twice the blocks that fit by warp slots, block slots and registers, so that something else
//!   can run too, but beyond three quarters of the block slots for no more than fit; where only two or fewer fit by the
//!   slots, for those.
//! - A kernel without shared memory counts twice as many again, which the lines that stay in level one show
//!   (`lsu/lsu.txt`: 224 KiB with blocks of one thread).
//! - Doubling never takes more than the smallest size of at least half of the largest; what the blocks themselves
//!   need is given in any case, as far as it exists.

use super::rules::step;
use super::{KernelResources, OccupancyStep};
use crate::gpu::{Limits, RegisterAllocation};

/// Blocks that fit by other limits than shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitting {
    /// By warp slots and block slots.
    pub(super) by_slots: u32,
    /// By these and by registers.
    pub(super) with_registers: u32,
}

/// KiB of the shared part; a block takes `a_block` bytes.
pub(super) fn carveout(
    limits: &Limits,
    kernel: &KernelResources,
    a_block: u32,
    Fitting { by_slots, with_registers: fit }: Fitting,
    steps: &mut Vec<OccupancyStep>,
) -> u32 {
    let sizes = &limits.shared_carveouts_kib;
    let Some(&largest) = sizes.last() else { return limits.shared_bytes.div_ceil(1024) };
    if limits.register_allocation == RegisterAllocation::WarpPairs {
        let how = "the largest, as long as the program does not prefer level one".to_owned();
        steps.push(step("KiB of the shared carve-out", how, largest));
        return largest;
    }
    let smallest_of =
        |bytes: u64| sizes.iter().copied().find(|&kib| u64::from(kib) * 1024 >= bytes).unwrap_or(largest);
    let most = (largest.saturating_mul(1024)).checked_div(a_block).map_or(fit, |blocks| blocks.min(fit));
    let needed = smallest_of(u64::from(most) * u64::from(a_block));
    let roomy_blocks = if by_slots > 2 { (2 * fit).min(fit.max(limits.blocks * 3 / 4)) } else { fit };
    let has_shared = kernel.static_shared > 0 || kernel.dynamic_shared > 0;
    let roomy_blocks = if has_shared { roomy_blocks } else { (2 * roomy_blocks).min(limits.blocks) };
    let ceiling = smallest_of(u64::from(largest) * 512);
    let chosen = smallest_of(u64::from(roomy_blocks) * u64::from(a_block)).min(ceiling).max(needed);
    let how = format!(
        "room for {roomy_blocks} blocks of {a_block} bytes, if that is at most {ceiling} KiB; for {most} at least"
    );
    steps.push(step("KiB of the shared carve-out", how, chosen));
    chosen
}
