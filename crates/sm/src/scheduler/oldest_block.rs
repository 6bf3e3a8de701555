//! Greedy, then the oldest block, whose warps take turns.

use super::choose::least;
use super::starving::Starving;
use super::{Candidates, Policy};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// The most warps of a scheduler.
const WARPS: u64 = 64;

/// The warp that issued last until it has to wait, unless its instruction lets others go first; else, of the oldest block that has an
/// eligible warp, the warp whose last issue or arrival is longest ago. Each older warp of its block counts as a cycle more, and of
/// warps that have waited equally long so the oldest issues. It is what an H200 does in `traces/h200/core`: `turns.txt`,
/// `select.txt` and `alike.txt`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OldestBlock {
    /// The warp that issued last, if it is still there.
    last: u64,
    /// Of each warp, the most warps less those of its block that are older.
    younger: Vec<u64>,
    /// Since when each warp has waited, and `younger` more.
    order: Vec<u64>,
    /// The resident blocks, the oldest first.
    blocks: Vec<BlockWarps>,
    starving: Starving,
}

/// The warps of a block that are resident in the sub-partition; they came in the order of their numbers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BlockWarps {
    block: u64,
    warps: u64,
    count: u32,
}

impl Policy for OldestBlock {
    fn new(spec: &SchedulerSpec, _: u64) -> OldestBlock {
        OldestBlock {
            last: 0,
            younger: vec![WARPS; WARPS as usize],
            order: vec![0; WARPS as usize],
            blocks: Vec::new(),
            starving: Starving::new(spec.starvation_interval),
        }
    }

    #[inline]
    fn pick(&mut self, candidates: &Candidates<'_>) -> u32 {
        if candidates.now >= self.starving.usual_until() {
            return self.pick_starving(candidates);
        }
        self.pick_as_usual(candidates)
    }

    fn enter(&mut self, warp: u32, block: u64, now: Cycle) {
        let older = match self.blocks.last_mut() {
            Some(last) if last.block == block => {
                let older = last.count;
                last.count += 1;
                last.warps |= 1 << warp;
                older
            }
            _ => {
                self.blocks.push(BlockWarps { block, warps: 1 << warp, count: 1 });
                0
            }
        };
        self.younger[warp as usize] = WARPS - u64::from(older);
        self.order[warp as usize] = now.0 + self.younger[warp as usize];
    }

    fn leave(&mut self, warp: u32) {
        let Some(place) = self.blocks.iter().position(|block| block.warps >> warp & 1 != 0) else { return };
        self.last &= !(1 << warp);
        self.starving.leave(warp);
        let block = &mut self.blocks[place];
        block.warps &= !(1 << warp);
        block.count -= 1;
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
    /// The warp that issued last or the one that has waited longest.
    #[inline(always)]
    fn pick_as_usual(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, now, yielded, fresh, .. } = candidates;
        let others = eligible & !self.last;
        if others != 0 && (yielded || eligible & self.last & fresh == 0) {
            let rest = if yielded { others } else { eligible };
            let single = rest & (rest - 1) == 0;
            self.last = if single { rest } else { 1 << self.longest_waiting(rest) };
        }
        self.issues(now)
    }

    /// The warp that was picked last issues: which it is.
    #[inline(always)]
    fn issues(&mut self, now: Cycle) -> u32 {
        let last = self.last.trailing_zeros();
        self.order[last as usize] = now.0 + self.younger[last as usize];
        last
    }

    /// If a warp starves that could issue, it is picked before all others.
    #[cold]
    #[inline(never)]
    fn pick_starving(&mut self, candidates: &Candidates<'_>) -> u32 {
        let &Candidates { eligible, now, .. } = candidates;
        if eligible.is_power_of_two() {
            return self.pick_as_usual(candidates);
        }
        let OldestBlock { starving, blocks, order, younger, .. } = self;
        let has_waited = |warp: usize, since: Cycle| order[warp] < since.0 + younger[warp];
        let first = starving.first(eligible, now, |since| {
            let resident = blocks.iter().fold(0, |warps, block| warps | block.warps);
            let starve =
                (0..WARPS).filter(|&warp| resident >> warp & 1 != 0 && has_waited(warp as usize, since));
            starve.fold(0, |all, warp| all | 1 << warp)
        });
        if first == 0 {
            return self.pick_as_usual(candidates);
        }
        let warp = self.longest_waiting(first);
        self.starving.had_turn(warp);
        self.last = 1 << warp;
        self.issues(now)
    }

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

    const SPEC: SchedulerSpec = SchedulerSpec {
        policy: SchedulerPolicy::OldestBlock,
        seed: 1,
        fetch_group: 8,
        starvation_interval: None,
    };

    /// A scheduler whose warps came in cycle 0, each to one of these blocks, none of which starves.
    fn scheduler(blocks: &[u64]) -> OldestBlock {
        of_blocks(&SPEC, blocks)
    }

    /// Likewise, with other numbers.
    fn of_blocks(spec: &SchedulerSpec, blocks: &[u64]) -> OldestBlock {
        let mut scheduler = OldestBlock::new(spec, 0);
        (0..).zip(blocks).for_each(|(warp, &block)| scheduler.enter(warp, block, Cycle(0)));
        scheduler
    }

    /// What it picks at these cycles of these eligible warps, where each instruction lets others go first or none does.
    fn picks(scheduler: &mut OldestBlock, yielded: bool, cycles: &[(u64, u64)]) -> Vec<u32> {
        let pick = |&(now, eligible)| {
            scheduler.pick(&Candidates { eligible, now: Cycle(now), ages: &[], yielded, fresh: !0 })
        };
        cycles.iter().map(pick).collect()
    }

    #[test]
    fn it_stays_until_its_warp_cannot_issue_and_then_takes_the_longest_waiting() {
        let cycles = [(10, 0b1111), (11, 0b1111), (14, 0b1111), (16, 0b0111), (18, 0b1111), (30, 0b1011)];
        assert_eq!(picks(&mut scheduler(&[0; 4]), false, &cycles), [3, 3, 3, 2, 2, 1]);
    }

    #[test]
    fn a_warp_that_lets_others_go_first_waits_for_its_turn() {
        let cycles = [(10, 0b1111), (11, 0b1111), (12, 0b1111), (13, 0b1111), (14, 0b1111), (15, 0b1000)];
        assert_eq!(picks(&mut scheduler(&[0; 4]), true, &cycles), [3, 2, 1, 0, 3, 3]);
    }

    #[test]
    fn a_warp_that_had_to_wait_for_a_unit_loses_its_turn() {
        let mut scheduler = scheduler(&[0; 4]);
        let mut pick = |now, fresh| {
            scheduler.pick(&Candidates {
                eligible: 0b1111,
                now: Cycle(now),
                ages: &[],
                yielded: false,
                fresh,
            })
        };
        assert_eq!([pick(10, 0b1111), pick(18, 0), pick(26, 0b0100), pick(34, 0b1011)], [3, 2, 2, 1]);
    }

    #[test]
    fn an_older_warp_is_a_cycle_more() {
        assert_eq!(picks(&mut scheduler(&[0; 2]), true, &[(10, 0b01), (11, 0b10), (20, 0b11)]), [0, 1, 0]);
        assert_eq!(picks(&mut scheduler(&[0; 2]), true, &[(10, 0b10), (12, 0b01), (20, 0b11)]), [1, 0, 1]);
    }

    #[test]
    fn older_warps_count_while_they_are_there() {
        let mut scheduler = scheduler(&[0; 3]);
        assert_eq!(picks(&mut scheduler, true, &[(10, 0b100), (12, 0b010)]), [2, 1]);
        assert_eq!(picks(&mut scheduler.clone(), true, &[(20, 0b110)]), [2]);
        scheduler.leave(0);
        assert_eq!(scheduler.blocks[0].warps, 0b110);
    }

    #[test]
    fn warps_of_the_oldest_block_take_turns_while_younger_blocks_wait() {
        let cycles = [(10, 0b1111), (12, 0b1111), (14, 0b1111), (16, 0b1100), (18, 0b1110), (20, 0b1100)];
        assert_eq!(picks(&mut scheduler(&[4, 4, 7, 7]), true, &cycles), [1, 0, 1, 3, 1, 2]);
    }

    #[test]
    fn a_warp_in_the_place_of_the_last_one_does_not_go_on_for_it() {
        let mut scheduler = scheduler(&[4, 7]);
        assert_eq!(picks(&mut scheduler, false, &[(10, 0b01)]), [0]);
        scheduler.leave(0);
        scheduler.enter(0, 9, Cycle(11));
        assert_eq!(picks(&mut scheduler, false, &[(12, 0b11)]), [1]);
    }

    #[test]
    fn a_warp_that_starves_behind_an_older_block_goes_first_from_time_to_time() {
        let spec = SchedulerSpec { starvation_interval: Some(20), ..SPEC };
        let mut scheduler = of_blocks(&spec, &[4, 7]);
        let cycles = [(10, 0b11), (20, 0b11), (21, 0b11), (40, 0b11), (42, 0b01), (44, 0b11), (46, 0b11)];
        // It came in cycle 0, as if it had issued; one that starves alone has one turn.
        assert_eq!(picks(&mut scheduler, false, &cycles), [0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn a_block_that_comes_into_the_place_of_another_is_the_youngest() {
        let mut scheduler = scheduler(&[4, 7]);
        scheduler.leave(0);
        scheduler.enter(0, 9, Cycle(5));
        assert_eq!(picks(&mut scheduler, false, &[(10, 0b11), (12, 0b11), (14, 0b01)]), [1, 1, 0]);
    }
}
