//! Greedy, then the oldest block, whose warps take turns.

use super::choose::least;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// The most warps of a scheduler.
const WARPS: u64 = 64;

/// The warp that issued in the cycle before while it can; else, of the oldest block that has an eligible warp, the warp whose
/// last issue or arrival is longest ago. Each older warp of its block counts as a cycle more, and of warps that have waited
/// equally long so the oldest issues. It is what an H200 does in `traces/h200/core/turns.txt` and `select.txt`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OldestBlock {
    last: u32,
    /// The cycle after that in which `last` issued.
    next: Cycle,
    /// Of each warp, the most warps less those of its block that are older.
    younger: Vec<u64>,
    /// Since when each warp has waited, and `younger` more.
    order: Vec<u64>,
    /// The resident blocks, the oldest first.
    blocks: Vec<BlockWarps>,
}

/// The warps of a block that are resident in the sub-partition; they came in the order of their numbers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BlockWarps {
    block: u64,
    warps: u64,
}

impl Policy for OldestBlock {
    fn new(_: &SchedulerSpec, _: u64) -> OldestBlock {
        OldestBlock {
            last: 0,
            next: Cycle(0),
            younger: vec![WARPS; WARPS as usize],
            order: vec![0; WARPS as usize],
            blocks: Vec::new(),
        }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, now, yielded, .. } = candidates;
        let alone = eligible & (eligible - 1) == 0;
        if alone {
            self.last = eligible.trailing_zeros();
        } else if yielded {
            self.last = self.longest_waiting(eligible & !(1 << self.last));
        } else if eligible >> self.last & 1 == 0 {
            self.last = self.longest_waiting(eligible);
        }
        let last = self.last as usize;
        self.order[last] = now.0 + self.younger[last];
        self.next = now + 1;
        self.last
    }

    fn enter(&mut self, warp: u32, block: u64, now: Cycle) {
        let older = match self.blocks.last_mut() {
            Some(last) if last.block == block => {
                let older = last.warps.count_ones();
                last.warps |= 1 << warp;
                older
            }
            _ => {
                self.blocks.push(BlockWarps { block, warps: 1 << warp });
                0
            }
        };
        self.younger[warp as usize] = WARPS - u64::from(older);
        self.order[warp as usize] = now.0 + self.younger[warp as usize];
    }

    fn leave(&mut self, warp: u32) {
        let Some(place) = self.blocks.iter().position(|block| block.warps >> warp & 1 != 0) else { return };
        let block = &mut self.blocks[place];
        block.warps &= !(1 << warp);
        let mut behind = block.warps & !((1 << warp) - 1);
        if block.warps == 0 {
            self.blocks.remove(place);
        }
        while behind != 0 {
            let warp = behind.trailing_zeros() as usize;
            behind &= behind - 1;
            self.younger[warp] += 1;
            self.order[warp] += 1;
        }
    }
}

impl OldestBlock {
    /// The warp of the oldest block with eligible ones that has waited longest.
    #[inline]
    fn longest_waiting(&self, eligible: u64) -> u32 {
        let warps = self.blocks.iter().map(|block| block.warps).find(|warps| warps & eligible != 0);
        // Of equals the oldest comes first.
        least(eligible & warps.unwrap_or(u64::MAX), |warp| self.order[warp])
    }
}

#[cfg(test)]
mod tests {
    use super::OldestBlock;
    use crate::scheduler::{Candidates, Policy};
    use crate::spec::SchedulerSpec;
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_units::Cycle;

    /// A scheduler whose warps came in cycle 0, each to one of these blocks.
    fn scheduler(blocks: &[u64]) -> OldestBlock {
        let spec = SchedulerSpec { policy: SchedulerPolicy::OldestBlock, seed: 1, fetch_group: 8 };
        let mut scheduler = OldestBlock::new(&spec, 0);
        (0..).zip(blocks).for_each(|(warp, &block)| scheduler.enter(warp, block, Cycle(0)));
        scheduler
    }

    /// What it picks at these cycles of these eligible warps.
    fn picks(scheduler: &mut OldestBlock, cycles: &[(u64, u64)]) -> Vec<u32> {
        let pick = |&(now, eligible)| scheduler.pick(&Candidates { eligible, now: Cycle(now), ages: &[], yielded: false });
        cycles.iter().map(pick).collect()
    }

    #[test]
    fn it_stays_without_a_gap_and_then_takes_the_longest_waiting() {
        let cycles = [(10, 0b1111), (11, 0b1111), (12, 0b0111), (14, 0b1111), (16, 0b1111), (30, 0b1111)];
        assert_eq!(picks(&mut scheduler(&[0; 4]), &cycles), [3, 3, 2, 1, 0, 3]);
    }

    #[test]
    fn an_older_warp_is_a_cycle_more() {
        assert_eq!(picks(&mut scheduler(&[0; 2]), &[(10, 0b01), (11, 0b10), (20, 0b11)]), [0, 1, 0]);
        assert_eq!(picks(&mut scheduler(&[0; 2]), &[(10, 0b10), (12, 0b01), (20, 0b11)]), [1, 0, 1]);
    }

    #[test]
    fn older_warps_count_while_they_are_there() {
        let mut scheduler = scheduler(&[0; 3]);
        assert_eq!(picks(&mut scheduler, &[(10, 0b100), (12, 0b010)]), [2, 1]);
        assert_eq!(picks(&mut scheduler.clone(), &[(20, 0b110)]), [2]);
        scheduler.leave(0);
        assert_eq!(scheduler.blocks[0].warps, 0b110);
    }

    #[test]
    fn warps_of_the_oldest_block_take_turns_while_younger_blocks_wait() {
        let cycles = [(10, 0b1111), (12, 0b1111), (14, 0b1111), (16, 0b1100), (18, 0b1110), (20, 0b1100)];
        assert_eq!(picks(&mut scheduler(&[4, 4, 7, 7]), &cycles), [1, 0, 1, 3, 1, 2]);
    }

    #[test]
    fn a_block_that_comes_into_the_place_of_another_is_the_youngest() {
        let mut scheduler = scheduler(&[4, 7]);
        scheduler.leave(0);
        scheduler.enter(0, 9, Cycle(5));
        assert_eq!(picks(&mut scheduler, &[(10, 0b11), (12, 0b11), (14, 0b01)]), [1, 1, 0]);
    }
}
