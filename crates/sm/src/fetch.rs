//! Instruction supply: which lines of the code the L0 cache of a sub-partition and the L1 instruction cache hold.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::InstructionSupply;

/// The numbers of the instruction caches.
#[derive(Clone, Debug)]
pub(crate) struct FetchSpec {
    /// A line holds two to this power instructions.
    line_bits: u32,
    /// Lines of an L0 cache.
    l0_lines: u64,
    /// Lines of the L1 instruction cache.
    l1_lines: u64,
    /// Cycles that a warp waits for the following line from L1, and from L2.
    next_line: [u64; 2],
    /// Cycles that a warp waits for any other line from L1, and from L2.
    jump: [u64; 2],
}

impl FetchSpec {
    pub(crate) fn new(supply: &InstructionSupply) -> FetchSpec {
        let line = supply.line_instructions.max(1);
        let lines = |instructions: u32| u64::from(instructions / line).max(1);
        // The warp issues the instructions of a line while the next one comes.
        let next_line = |interval: u32| u64::from(interval.saturating_sub(line));
        FetchSpec {
            line_bits: line.ilog2(),
            l0_lines: lines(supply.l0_instructions),
            l1_lines: lines(supply.l1_instructions),
            next_line: [supply.l1_line_interval, supply.l2_line_interval].map(next_line),
            jump: [supply.l1_latency, supply.l2_latency].map(u64::from),
        }
    }
}

/// A cache of code lines, first in first out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct LineCache {
    inserted: u64,
    /// For each line, one more than the number of its insertion; 0 for never.
    stamps: Vec<u64>,
}

impl LineCache {
    /// Whether the line is there; it is afterwards.
    fn touch(&mut self, line: u32, lines: u64) -> bool {
        let line = line as usize;
        if line >= self.stamps.len() {
            self.stamps.resize(line + 1, 0);
        }
        let stamp = self.stamps[line];
        let there = stamp != 0 && self.inserted - stamp < lines;
        if !there {
            self.inserted += 1;
            self.stamps[line] = self.inserted;
        }
        there
    }
}

/// The instruction caches of one SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fetch {
    l0: Vec<LineCache>,
    l1: LineCache,
}

impl Fetch {
    /// Cold caches.
    pub(crate) fn new(sub_partitions: usize) -> Fetch {
        Fetch { l0: vec![LineCache::default(); sub_partitions], l1: LineCache::default() }
    }

    /// Cycles that a warp waits for its next instruction at `next` after one at `pc`; `None` for its first.
    #[inline]
    pub(crate) fn delay(
        &mut self,
        spec: &FetchSpec,
        sub_partition: usize,
        pc: Option<u32>,
        next: u32,
    ) -> u64 {
        let line = next >> spec.line_bits;
        let before = pc.map(|pc| pc >> spec.line_bits);
        if before == Some(line) || self.l0[sub_partition].touch(line, spec.l0_lines) {
            return 0;
        }
        let level = usize::from(!self.l1.touch(line, spec.l1_lines));
        let sequential = before.is_some_and(|before| before + 1 == line);
        if sequential { spec.next_line[level] } else { spec.jump[level] }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fetch, FetchSpec};
    use warplab_config::gpu::InstructionSupply;

    /// L0 of two lines, L1 of four; lines of eight instructions.
    fn spec() -> FetchSpec {
        FetchSpec::new(&InstructionSupply {
            branch_taken: 10,
            l0_instructions: 16,
            l1_line_interval: 18,
            l1_instructions: 32,
            l2_line_interval: 45,
            l1_latency: 30,
            l2_latency: 250,
            line_instructions: 8,
            fetch_group: 8,
            branch_patience: 32,
        })
    }

    /// The delay of each instruction of a path through the code, in sub-partition 0.
    fn delays(fetch: &mut Fetch, path: &[u32]) -> Vec<u64> {
        let before = std::iter::once(None).chain(path.iter().copied().map(Some));
        before.zip(path).map(|(pc, &next)| fetch.delay(&spec(), 0, pc, next)).collect()
    }

    #[test]
    fn the_first_instruction_comes_from_l2() {
        assert_eq!(delays(&mut Fetch::new(1), &[0]), [250]);
    }

    #[test]
    fn instructions_of_one_line_come_at_once() {
        assert_eq!(delays(&mut Fetch::new(1), &[0, 1, 7, 3]), [250, 0, 0, 0]);
    }

    #[test]
    fn the_following_line_costs_its_interval_less_the_instructions_before_it() {
        assert_eq!(delays(&mut Fetch::new(1), &[7, 8]), [250, 45 - 8]);
    }

    #[test]
    fn a_jump_to_a_line_in_l0_costs_nothing() {
        assert_eq!(delays(&mut Fetch::new(1), &[0, 8, 0, 8]), [250, 37, 0, 0]);
    }

    #[test]
    fn another_sub_partition_finds_the_line_in_l1() {
        let mut fetch = Fetch::new(2);
        delays(&mut fetch, &[0, 8]);
        assert_eq!(fetch.delay(&spec(), 1, None, 0), 30);
        assert_eq!(fetch.delay(&spec(), 1, Some(7), 8), 18 - 8);
    }

    #[test]
    fn l0_forgets_the_line_that_came_first() {
        // The third line takes the place of the first, which L1 still has.
        assert_eq!(delays(&mut Fetch::new(1), &[0, 8, 16, 0]), [250, 37, 37, 30]);
    }

    #[test]
    fn a_loop_that_is_larger_than_both_caches_misses_every_time() {
        let around: Vec<u32> = (0..5).cycle().take(15).map(|line| line * 8).collect();
        let expected: Vec<u64> = (0..15).map(|at| if at % 5 == 0 { 250 } else { 37 }).collect();
        assert_eq!(delays(&mut Fetch::new(1), &around), expected);
    }
}
