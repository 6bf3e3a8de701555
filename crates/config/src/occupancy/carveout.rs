//! How much of the memory that level one and shared memory have together becomes shared memory.
//!
//! The rule is not documented. This one gives the size that the profiler reports for each of the 472 launches of
//! `traces/h200`; it depends on the block's size and shared memory alone, not on its registers and not on the grid:
//!
//! - The driver makes room for twice the blocks that the warp slots allow (at most for the block slots), so that
//!   something else can run too; where only two or fewer fit, for those.
//! - A kernel without shared memory counts twice as many again, which the lines that stay in level one show
//!   (`lsu/lsu.txt`: 224 KiB with blocks of one thread).
//! - Doubling never takes more than the smallest size of at least half of the largest; what the blocks themselves
//!   need is given in any case, as far as it exists.

use super::rules::step;
use super::{KernelResources, OccupancyStep};
use crate::gpu::{Limits, RegisterAllocation};

/// KiB of the shared part; `a_block` bytes are taken by a block, and `by_slots` blocks fit by warps and block slots.
pub(super) fn carveout(
    limits: &Limits,
    kernel: &KernelResources,
    a_block: u32,
    by_slots: u32,
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
    let most =
        (largest.saturating_mul(1024)).checked_div(a_block).map_or(by_slots, |blocks| blocks.min(by_slots));
    let needed = smallest_of(u64::from(most) * u64::from(a_block));
    let roomy_blocks = if by_slots > 2 { (2 * by_slots).min(limits.blocks) } else { by_slots };
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
