//! Instruction supply: which lines of the code the L0 cache of a sub-partition and the L1 instruction cache hold, and when
//! they come. The fetch of a sub-partition runs a few lines ahead of the warp, so that a warp that waits for something else
//! finds the next ones there.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::InstructionSupply;
use warplab_units::Cycle;

/// The numbers of the instruction caches.
#[derive(Clone, Debug)]
pub(crate) struct FetchSpec {
    /// A line holds two to this power instructions.
    line_bits: u32,
    /// Lines of an L0 cache.
    l0_lines: u64,
    /// Lines of the L1 instruction cache.
    l1_lines: u64,
    /// Cycles from one line to the following one, by [`Level`].
    next_line: [u64; 3],
    /// Cycles until any other line comes, by [`Level`].
    jump: [u64; 3],
    /// Lines that are on their way from the L1 instruction cache at once, where distance counts.
    in_flight: Option<u64>,
    /// Lines that are fetched ahead of the one that a warp has come to.
    ahead: u32,
    /// Cycles that the first instruction of the first warp waits; where it is not given, as after a jump.
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

/// How a warp comes to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    /// From the line before it.
    BehindTheLast,
    /// From anywhere else.
    AtAJump,
    /// With its first instruction, which comes after so many cycles.
    After(u64),
}

impl FetchSpec {
    /// The caches of an SM beside so many others of its cluster that run the launch.
    pub(crate) fn new(supply: &InstructionSupply, others: u64) -> FetchSpec {
        let line = supply.line_instructions.max(1);
        let lines = |instructions: u32| u64::from(instructions / line).max(1);
        let memory_line_interval = supply.memory_line_interval.unwrap_or(supply.l2_line_interval);
        let memory_latency = supply.memory_latency.unwrap_or(supply.l2_latency);
        FetchSpec {
            line_bits: line.ilog2(),
            l0_lines: lines(supply.l0_instructions),
            l1_lines: lines(supply.l1_instructions),
            next_line: [supply.l1_line_interval, supply.l2_line_interval, memory_line_interval]
                .map(u64::from),
            jump: [supply.l1_latency, supply.l2_latency, memory_latency].map(u64::from),
            in_flight: supply.lines_in_flight.map(u64::from),
            ahead: supply.lines_ahead,
            start: supply
                .start_latency
                .map(|latency| u64::from(latency) + u64::from(supply.start_sharing) * others),
            prefetched: u64::from(supply.prefetched_instructions / line),
        }
    }
}

/// Room is made for so many lines at once.
const LINES_AT_ONCE: usize = 16;

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
            self.stamps.resize((line + 1).next_multiple_of(LINES_AT_ONCE), 0);
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

/// The cache of a sub-partition.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct L0 {
    lines: LineCache,
    /// Of each line that was ever asked for.
    asked: Vec<Asked>,
}

/// What is known of a line that was asked for.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Asked {
    /// When it comes, or came.
    ready: Cycle,
    /// Whether the lines that are fetched ahead with it were asked for, too.
    with_next: bool,
}

impl L0 {
    /// When a line comes that needs no more work: it and those ahead of it were asked for, and none has had to go yet.
    #[inline]
    fn settled(&self, line: u32, lines: u64) -> Option<Cycle> {
        let asked = self.asked.get(line as usize)?;
        (asked.with_next && self.lines.inserted <= lines).then_some(asked.ready)
    }

    /// Whether the line is there or on its way; it is there afterwards.
    fn touch(&mut self, line: u32, lines: u64) -> bool {
        let there = self.lines.touch(line, lines).0;
        if line as usize >= self.asked.len() {
            let lines = (line as usize + 1).next_multiple_of(LINES_AT_ONCE);
            self.asked.resize(lines, Asked::default());
        }
        there
    }

    /// The line as it was asked for.
    fn at(&mut self, line: u32) -> &mut Asked {
        &mut self.asked[line as usize]
    }
}

/// The instruction caches of one SM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fetch {
    l0: Vec<L0>,
    l1: LineCache,
    /// When the first line of the launch comes, asked for by its first warp here.
    started: Option<Cycle>,
    /// Cycles by which this SM is further from its L1 instruction cache, which is its cluster's, than the nearest one, and by
    /// which each line of straight code comes later.
    distance: u64,
    further: u64,
}

impl Fetch {
    /// The caches when a launch begins.
    pub(crate) fn new(spec: &FetchSpec, sub_partitions: usize, distance: u64) -> Fetch {
        let l1 = LineCache::with_first(spec.prefetched);
        // So many lines are on their way at once.
        let further = spec.in_flight.map_or(0, |lines| (distance + lines / 2) / lines);
        Fetch { l0: vec![L0::default(); sub_partitions], l1, started: None, distance, further }
    }

    /// When a warp that comes `at` has its first instruction: the first one of the launch asks for the line, those that come
    /// before that is there wait for it.
    pub(crate) fn first(&mut self, spec: &FetchSpec, sub_partition: usize, at: Cycle) -> Cycle {
        let Some(start) = spec.start else { return self.there(spec, sub_partition, None, 0, at) };
        let started = *self.started.get_or_insert(at + start + self.distance);
        let comes = if started > at { Comes::After(started - at) } else { Comes::AtAJump };
        self.line(spec, sub_partition, 0, comes, at).max(at)
    }

    /// When a warp has its next instruction at `next` after one at `pc`, or its first after `None`; it can use it `at`.
    #[inline]
    pub(crate) fn there(
        &mut self,
        spec: &FetchSpec,
        sub_partition: usize,
        pc: Option<u32>,
        next: u32,
        at: Cycle,
    ) -> Cycle {
        let line = next >> spec.line_bits;
        let before = pc.map(|pc| pc >> spec.line_bits);
        if before == Some(line) {
            return at;
        }
        let follows = before.is_some_and(|before| before + 1 == line);
        let comes = if follows { Comes::BehindTheLast } else { Comes::AtAJump };
        self.line(spec, sub_partition, line, comes, at).max(at)
    }

    /// When a line comes that a warp wants `at`. The lines after it are on their way then.
    #[inline]
    fn line(&mut self, spec: &FetchSpec, sub_partition: usize, line: u32, comes: Comes, at: Cycle) -> Cycle {
        match self.l0[sub_partition].settled(line, spec.l0_lines) {
            Some(ready) => ready,
            None => self.ask(spec, sub_partition, line, comes, at),
        }
    }

    /// Asks for a line that a warp wants `at`, and for those after it. When it comes.
    #[inline(never)]
    fn ask(&mut self, spec: &FetchSpec, sub_partition: usize, line: u32, comes: Comes, at: Cycle) -> Cycle {
        let (distance, further) = (self.distance, self.further);
        let next_line =
            |level: Level| spec.next_line[level as usize] + if level == Level::L1 { further } else { 0 };
        let l0 = &mut self.l0[sub_partition];
        if !l0.touch(line, spec.l0_lines) {
            let level = level(&mut self.l1, line, spec.l1_lines);
            l0.at(line).ready = at
                + match comes {
                    Comes::After(cycles) => cycles,
                    Comes::AtAJump => spec.jump[level as usize] + distance,
                    // The warp has issued the instructions of a line while the next one came.
                    Comes::BehindTheLast => next_line(level).saturating_sub(1 << spec.line_bits),
                };
        }
        let ready = l0.at(line).ready;
        let mut last = ready.max(at);
        for next in line + 1..=line + spec.ahead {
            if !l0.touch(next, spec.l0_lines) {
                let level = level(&mut self.l1, next, spec.l1_lines);
                l0.at(next).ready = last + next_line(level);
            }
            last = last.max(l0.at(next).ready);
        }
        l0.at(line).with_next = true;
        ready
    }
}

/// Where a line comes from that an L0 cache lacks; L1 has it afterwards.
fn level(l1: &mut LineCache, line: u32, lines: u64) -> Level {
    match l1.touch(line, lines) {
        (true, _) => Level::L1,
        (false, true) => Level::L2,
        (false, false) => Level::Memory,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fetch, FetchSpec};
    use warplab_config::gpu::InstructionSupply;
    use warplab_units::Cycle;

    /// L0 of two lines, L1 of four; lines of eight instructions.
    fn spec() -> FetchSpec {
        let supply = InstructionSupply {
            branch_taken: 10,
            convergence: 0,
            collective: 0,
            named_lanes: 0,
            named_mask: 0,
            exclusive_lanes: 0,
            branch_target: 0,
            yield_in_vain: 0,
            branch_fetch: 0,
            exit: 0,
            drain: 0,
            l0_instructions: 16,
            l1_line_interval: 18,
            l1_instructions: 32,
            l2_line_interval: 45,
            l1_latency: 30,
            l2_latency: 250,
            memory_line_interval: Some(121),
            memory_latency: Some(300),
            lines_ahead: 0,
            lines_in_flight: Some(3),
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
        Fetch::new(&spec(), sub_partitions, 0)
    }

    /// How long each instruction of a path through the code is waited for in sub-partition 0, where one is used in the
    /// cycle in which the one before it was there.
    fn delays(fetch: &mut Fetch, path: &[u32]) -> Vec<u64> {
        let before = std::iter::once(None).chain(path.iter().copied().map(Some));
        let mut now = Cycle(1_000);
        let mut wait = |(pc, &next): (Option<u32>, &u32)| {
            let there = fetch.there(&spec(), 0, pc, next, now);
            there.since(std::mem::replace(&mut now, there))
        };
        before.zip(path).map(&mut wait).collect()
    }

    /// When the first instruction of each of so many lines is there from cycle 1,000 on: the instructions of a line issue one
    /// per cycle, and each of the lines that are named has a wait of so many cycles before that.
    fn straight(ahead: u32, lines: u32, wait: (u32, u64)) -> Vec<u64> {
        let spec = FetchSpec { ahead, prefetched: 100, l0_lines: 100, l1_lines: 100, ..spec() };
        let mut fetch = Fetch::new(&spec, 1, 0);
        let mut now = Cycle(1_000);
        let mut at = |line: u32| {
            let pc = line.checked_sub(1).map(|line| line * 8 + 7);
            let there = fetch.there(&spec, 0, pc, line * 8, now);
            now = there + 8 + if line == wait.0 { wait.1 } else { 0 };
            there.0 - 1_000
        };
        (0..lines).map(&mut at).collect()
    }

    #[test]
    fn warps_that_come_before_the_first_line_wait_for_it_and_later_ones_for_what_l0_lacks() {
        let mut fetch = fetch(2);
        let mut first = |sub, at| fetch.first(&spec(), sub, Cycle(at)).0 - at;
        assert_eq!([first(0, 0), first(0, 32), first(0, 500)], [140, 108, 0]);
        assert_eq!([first(1, 600), first(1, 610)], [30, 20]);
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
        assert_eq!(fetch.there(&spec(), 1, Some(7), 8, Cycle(2_000)), Cycle(2_000 + 18 - 8));
        assert_eq!(fetch.there(&spec(), 1, Some(8), 0, Cycle(3_000)), Cycle(3_000 + 30));
    }

    #[test]
    fn an_sm_that_is_further_away_has_a_jump_later_and_each_line_by_a_third_of_that() {
        let spec = FetchSpec { prefetched: 2, ..spec() };
        let mut fetch = Fetch::new(&spec, 1, 10);
        let mut wait = |pc, next, at| fetch.there(&spec, 0, pc, next, Cycle(at)).0 - at;
        assert_eq!([wait(None, 0, 0), wait(Some(7), 8, 100)], [30 + 10, 18 + 3 - 8]);
        let mut fetch = Fetch::new(&spec, 1, 10);
        assert_eq!(fetch.first(&spec, 0, Cycle(0)), Cycle(spec.start.unwrap() + 10));
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
        let mut fetch = Fetch::new(&spec, 1, 0);
        let mut wait = |pc, next, at| fetch.there(&spec, 0, pc, next, Cycle(at)).0 - at;
        assert_eq!([wait(None, 0, 0), wait(Some(7), 8, 100), wait(Some(15), 16, 200)], [30, 18 - 8, 121 - 8]);
    }

    #[test]
    fn a_line_under_way_is_waited_for() {
        let mut fetch = fetch(1);
        let mut there = |at| fetch.there(&spec(), 0, None, 0, Cycle(at)).0;
        assert_eq!([there(100), there(150), there(500)], [400, 400, 500]);
    }

    #[test]
    fn straight_code_comes_at_the_interval_of_its_lines_however_far_the_fetch_runs_ahead() {
        let expected = [30, 48, 66, 84, 102];
        assert_eq!(straight(0, 5, (9, 0)), expected);
        assert_eq!(straight(3, 5, (9, 0)), expected);
    }

    #[test]
    fn a_warp_that_waits_finds_the_lines_that_were_fetched_ahead() {
        // The warp waits 100 cycles in the first line: the next three are there, the fifth has been asked for at 138.
        assert_eq!(straight(0, 6, (0, 100)), [30, 148, 166, 184, 202, 220]);
        assert_eq!(straight(3, 6, (0, 100)), [30, 138, 146, 154, 162, 174]);
    }
}
