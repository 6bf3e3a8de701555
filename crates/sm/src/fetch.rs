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
    /// Cycles that a warp waits for the following line, by [`Level`].
    next_line: [u64; 3],
    /// Cycles that a warp waits for any other line, by [`Level`].
    jump: [u64; 3],
    /// Cycles that the first instruction of the first warp of a slot waits; where it is not given, as after a jump.
    start: Option<u64>,
    /// Lines from the start of the code that a launch brings to L1.
    prefetched: u64,
}

/// Where a line comes from that the L0 cache lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The L1 instruction cache.
    L1,
    /// L2.
    L2,
    /// Memory: this SM has never had it.
    Memory,
}

impl FetchSpec {
    /// The caches of an SM beside so many others of its cluster that run the launch.
    pub(crate) fn new(supply: &InstructionSupply, others: u64) -> FetchSpec {
        let line = supply.line_instructions.max(1);
        let lines = |instructions: u32| u64::from(instructions / line).max(1);
        // The warp issues the instructions of a line while the next one comes.
        let next_line = |interval: u32| u64::from(interval.saturating_sub(line));
        let memory_line_interval = supply.memory_line_interval.unwrap_or(supply.l2_line_interval);
        let memory_latency = supply.memory_latency.unwrap_or(supply.l2_latency);
        FetchSpec {
            line_bits: line.ilog2(),
            l0_lines: lines(supply.l0_instructions),
            l1_lines: lines(supply.l1_instructions),
            next_line: [supply.l1_line_interval, supply.l2_line_interval, memory_line_interval]
                .map(next_line),
            jump: [supply.l1_latency, supply.l2_latency, memory_latency].map(u64::from),
            start: supply
                .start_latency
                .map(|latency| u64::from(latency) + u64::from(supply.start_sharing) * others),
            prefetched: u64::from(supply.prefetched_instructions / line),
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
    /// A cache that has the first lines of the code.
    fn with_first(lines: u64) -> LineCache {
        LineCache { inserted: lines, stamps: (1..=lines).collect() }
    }

    /// Whether the line was there, and whether it ever was; it is there afterwards.
    fn touch(&mut self, line: u32, lines: u64) -> (bool, bool) {
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
        (there, stamp != 0)
    }
}

/// The instruction caches of one SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fetch {
    l0: Vec<LineCache>,
    l1: LineCache,
}

impl Fetch {
    /// The caches when a launch begins.
    pub(crate) fn new(spec: &FetchSpec, sub_partitions: usize) -> Fetch {
        let l1 = LineCache::with_first(spec.prefetched);
        Fetch { l0: vec![LineCache::default(); sub_partitions], l1 }
    }

    /// Cycles that a warp waits for its first instruction, in a slot that has had a warp before or not.
    pub(crate) fn first_delay(&mut self, spec: &FetchSpec, sub_partition: usize, slot_is_new: bool) -> u64 {
        let delay = self.delay(spec, sub_partition, None, 0);
        spec.start.filter(|_| slot_is_new).unwrap_or(delay)
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
        if before == Some(line) || self.l0[sub_partition].touch(line, spec.l0_lines).0 {
            return 0;
        }
        let level = match self.l1.touch(line, spec.l1_lines) {
            (true, _) => Level::L1,
            (false, true) => Level::L2,
            (false, false) => Level::Memory,
        };
        match before {
            Some(before) if before + 1 == line => spec.next_line[level as usize],
            _ => spec.jump[level as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fetch, FetchSpec};
    use warplab_config::gpu::InstructionSupply;

    /// L0 of two lines, L1 of four; lines of eight instructions.
    fn spec() -> FetchSpec {
        let supply = InstructionSupply {
            branch_taken: 10,
            convergence: 0,
            collective: 0,
            branch_target: 0,
            branch_fetch: 0,
            exit: 0,
            l0_instructions: 16,
            l1_line_interval: 18,
            l1_instructions: 32,
            l2_line_interval: 45,
            l1_latency: 30,
            l2_latency: 250,
            memory_line_interval: Some(121),
            memory_latency: Some(300),
            prefetched_instructions: 0,
            start_latency: Some(130),
            start_sharing: 5,
            line_instructions: 8,
            fetch_group: 8,
            branch_patience: 32,
        };
        FetchSpec::new(&supply, 2)
    }

    fn fetch(sub_partitions: usize) -> Fetch {
        Fetch::new(&spec(), sub_partitions)
    }

    /// The delay of each instruction of a path through the code, in sub-partition 0.
    fn delays(fetch: &mut Fetch, path: &[u32]) -> Vec<u64> {
        let before = std::iter::once(None).chain(path.iter().copied().map(Some));
        before.zip(path).map(|(pc, &next)| fetch.delay(&spec(), 0, pc, next)).collect()
    }

    #[test]
    fn the_first_warp_of_a_slot_waits_for_the_start_latency_and_later_ones_for_what_l0_lacks() {
        let mut fetch = fetch(1);
        let first = [true, true, false].map(|slot_is_new| fetch.first_delay(&spec(), 0, slot_is_new));
        assert_eq!(first, [140, 140, 0]);
    }

    #[test]
    fn instructions_of_one_line_come_at_once() {
        assert_eq!(delays(&mut fetch(1), &[0, 1, 7, 3]), [300, 0, 0, 0]);
    }

    #[test]
    fn the_following_line_costs_its_interval_less_the_instructions_before_it() {
        assert_eq!(delays(&mut fetch(1), &[7, 8]), [300, 121 - 8]);
    }

    #[test]
    fn a_jump_to_a_line_in_l0_costs_nothing() {
        assert_eq!(delays(&mut fetch(1), &[0, 8, 0, 8]), [300, 113, 0, 0]);
    }

    #[test]
    fn another_sub_partition_finds_the_line_in_l1() {
        let mut fetch = fetch(2);
        delays(&mut fetch, &[0, 8, 16]);
        assert_eq!(fetch.delay(&spec(), 1, Some(7), 8), 18 - 8);
        assert_eq!(fetch.delay(&spec(), 1, Some(8), 0), 30);
    }

    #[test]
    fn l0_forgets_the_line_that_came_first() {
        // The third line takes the place of the first, which L1 still has.
        assert_eq!(delays(&mut fetch(1), &[0, 8, 16, 0]), [300, 113, 113, 30]);
    }

    #[test]
    fn a_loop_that_is_larger_than_both_caches_comes_from_memory_once_and_from_l2_afterwards() {
        let around: Vec<u32> = (0..5).cycle().take(15).map(|line| line * 8).collect();
        let first = [300, 113, 113, 113, 113];
        let later = [250, 37, 37, 37, 37];
        assert_eq!(delays(&mut fetch(1), &around), [first, later, later].concat());
    }

    #[test]
    fn what_a_launch_prefetches_comes_from_l1() {
        let spec = FetchSpec { prefetched: 2, ..spec() };
        let mut fetch = Fetch::new(&spec, 1);
        let mut delay = |pc, next| fetch.delay(&spec, 0, pc, next);
        assert_eq!([delay(None, 0), delay(Some(7), 8), delay(Some(15), 16)], [30, 18 - 8, 121 - 8]);
    }
}
