//! A record of what the warps of one SM did, cycle by cycle.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use warplab_trace::{InstructionCounts, MemoryLevels, MemoryUse, Observer, StateInterval};
use warplab_units::{BlockId, Cycle, SmId, WarpMask, WarpSlot};

/// Which part of which SM's run a timeline records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineRecording {
    /// The SM.
    pub sm: u16,
    /// The first cycle.
    pub from: u64,
    /// One past the last cycle.
    pub to: u64,
    /// The most intervals that are kept, and the most instructions that issued; all of them are counted.
    pub limit: usize,
    /// If given, no more than these last cycles are sure to be kept.
    pub last: Option<u64>,
}

/// Intervals between two looks at which of them are still to be kept.
const KEPT_AT_ONCE: usize = 4096;

impl Default for TimelineRecording {
    fn default() -> TimelineRecording {
        TimelineRecording { sm: 0, from: 0, to: u64::MAX, limit: 4_000_000, last: None }
    }
}

/// A warp that ran on the recorded SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineWarp {
    /// Its slot.
    pub slot: WarpSlot,
    /// The number of its block.
    pub block: u64,
    /// The warp's number in its block.
    pub warp: u32,
    /// The cycle at which its block came to the SM.
    pub from: Cycle,
}

/// The record of one SM: its warps, their states and the instructions that they issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// The warps that came, in order.
    pub warps: Vec<TimelineWarp>,
    /// The states of the warps, in the order in which they ended.
    pub intervals: Vec<StateInterval>,
    /// Instructions that issued: cycle, warp slot, program counter, lanes.
    pub issues: Vec<(Cycle, WarpSlot, u32, WarpMask)>,
    /// What was counted of the instructions, by program counter; those that no warp came to may be missing at the end.
    pub instructions: Vec<InstructionCounts>,
    /// What waits and is under way in the load/store unit, from each cycle on in which it changes.
    pub levels: Vec<(Cycle, MemoryLevels)>,
    /// Whether the limit was reached and later intervals are missing.
    pub cut: bool,
}

impl Timeline {
    /// Forgets what was over before a cycle; counts stay.
    fn forget(&mut self, before: Cycle) {
        self.intervals.retain(|interval| interval.to > before);
        self.issues.retain(|issue| issue.0 >= before);
        self.levels.retain(|level| level.0 >= before);
        // A warp is over when another one has come to its slot.
        let mut taken = [false; u8::MAX as usize + 1];
        let mut kept: Vec<TimelineWarp> = Vec::new();
        for &warp in self.warps.iter().rev() {
            if !taken[usize::from(warp.slot.0)] {
                kept.push(warp);
            }
            taken[usize::from(warp.slot.0)] |= warp.from <= before;
        }
        kept.reverse();
        self.warps = kept;
    }
}

/// Records a timeline in cycles since the start of the launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recorder {
    options: TimelineRecording,
    /// When the launch began: cycles are counted from here.
    begin: Cycle,
    pub(crate) timeline: Timeline,
}

impl Recorder {
    pub(crate) fn new(options: TimelineRecording, begin: Cycle) -> Recorder {
        Recorder { options, begin, timeline: Timeline::default() }
    }

    /// The cycles that are recorded.
    pub(crate) fn window(&self) -> Range<Cycle> {
        let at = |cycle: u64| Cycle(self.begin.0.saturating_add(cycle));
        at(self.options.from)..at(self.options.to)
    }

    fn since_begin(&self, cycle: Cycle) -> Cycle {
        Cycle(cycle - self.begin)
    }

    /// Whether a cycle since the start of the launch is recorded.
    fn is_inside(&self, cycle: Cycle) -> bool {
        (self.options.from..self.options.to).contains(&cycle.0)
    }

    /// The counts of an instruction.
    fn of(&mut self, pc: u32) -> &mut InstructionCounts {
        let (counts, pc) = (&mut self.timeline.instructions, pc as usize);
        if counts.len() <= pc {
            counts.resize(pc + 1, InstructionCounts::default());
        }
        &mut counts[pc]
    }
}

impl Observer for Recorder {
    fn block_started(&mut self, cycle: Cycle, _sm: SmId, block: BlockId, slots: &[WarpSlot]) {
        let (warps, from) = (slots.iter().enumerate(), self.since_begin(cycle));
        self.timeline.warps.extend(warps.map(|(warp, &slot)| TimelineWarp {
            slot,
            block: block.0,
            warp: warp as u32,
            from,
        }));
    }

    fn issued(&mut self, cycle: Cycle, _sm: SmId, slot: WarpSlot, pc: u32, mask: WarpMask) {
        let cycle = self.since_begin(cycle);
        if !self.is_inside(cycle) {
            return;
        }
        self.of(pc).execute(mask);
        if self.timeline.issues.len() < self.options.limit {
            self.timeline.issues.push((cycle, slot, pc, mask));
        }
    }

    fn accessed(&mut self, cycle: Cycle, _sm: SmId, pc: u32, asked: MemoryUse) {
        if self.is_inside(self.since_begin(cycle)) {
            self.of(pc).memory += asked;
        }
    }

    fn levels(&mut self, cycle: Cycle, _sm: SmId, levels: MemoryLevels) {
        let cycle = self.since_begin(cycle);
        if !self.is_inside(cycle) || self.timeline.levels.len() >= self.options.limit {
            return;
        }
        let kept = &mut self.timeline.levels;
        kept.pop_if(|last| last.0 == cycle);
        if kept.last().is_none_or(|last| last.1 != levels) {
            kept.push((cycle, levels));
        }
    }

    fn state(&mut self, _sm: SmId, interval: StateInterval) {
        let from = self.since_begin(interval.from).0.max(self.options.from);
        let to = self.since_begin(interval.to).0.min(self.options.to);
        if from >= to {
            return;
        }
        self.of(interval.pc).states[interval.state.index()] += to - from;
        if self.timeline.intervals.len() >= self.options.limit {
            self.timeline.cut = true;
            return;
        }
        self.timeline.intervals.push(StateInterval { from: Cycle(from), to: Cycle(to), ..interval });
        if let Some(last) = self.options.last
            && self.timeline.intervals.len().is_multiple_of(KEPT_AT_ONCE)
        {
            self.timeline.forget(Cycle(to.saturating_sub(last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT_AT_ONCE, Recorder, TimelineRecording};
    use warplab_trace::{MemoryUse, Observer, StallReason, StateInterval, WarpState};
    use warplab_units::{BlockId, Cycle, SmId, WarpMask, WarpSlot};

    const LONG: WarpState = WarpState::Stalled(StallReason::LongScoreboard);

    fn interval(state: WarpState, pc: u32, from: u64, to: u64) -> StateInterval {
        StateInterval { slot: WarpSlot(0), state, pc, from: Cycle(from), to: Cycle(to) }
    }

    #[test]
    fn what_is_not_kept_is_counted_all_the_same() {
        let options = TimelineRecording { from: 10, limit: 1, ..TimelineRecording::default() };
        let mut recorder = Recorder::new(options, Cycle(100));
        for (state, from, to) in [(LONG, 105, 120), (WarpState::Selected, 120, 121), (LONG, 121, 130)] {
            recorder.state(SmId(0), interval(state, 1, from, to));
        }
        for cycle in [105, 120, 130] {
            recorder.issued(Cycle(cycle), SmId(0), WarpSlot(0), 1, WarpMask::first(16));
            let asked = MemoryUse { sectors: 4, ..MemoryUse::default() };
            recorder.accessed(Cycle(cycle), SmId(0), 1, asked);
        }
        let timeline = recorder.timeline;
        assert_eq!((timeline.intervals.len(), timeline.issues.len(), timeline.cut), (1, 1, true));
        let counts = timeline.instructions[1];
        assert_eq!((counts.executed, counts.threads, counts.memory.sectors), (2, 32, 8));
        assert_eq!((counts.waited(), counts.states[LONG.index()]), (19, 19));
    }

    #[test]
    fn of_the_last_cycles_everything_is_kept_and_of_the_others_the_counts() {
        let options = TimelineRecording { last: Some(100), ..TimelineRecording::default() };
        let mut recorder = Recorder::new(options, Cycle(0));
        // What is to be kept was looked at three times, at the end for the last time.
        let cycles = 3 * KEPT_AT_ONCE as u64 - 2 * 100;
        for cycle in 0..cycles {
            if cycle % 50 == 0 {
                recorder.block_started(Cycle(cycle), SmId(0), BlockId(cycle / 50), &[WarpSlot(0)]);
            }
            recorder.issued(Cycle(cycle), SmId(0), WarpSlot(0), 0, WarpMask::first(32));
            recorder.state(SmId(0), interval(WarpState::Selected, 0, cycle, cycle + 1));
        }
        let timeline = recorder.timeline;
        let first = Cycle(cycles - 100);
        assert_eq!((timeline.intervals[0].from, timeline.intervals.len()), (first, 100));
        assert_eq!((timeline.issues[0].0, timeline.issues.len()), (first, 100));
        assert_eq!(timeline.instructions[0].executed, cycles);
        // The warp that was there in the first of these cycles, and the two that came later.
        let blocks: Vec<u64> = timeline.warps.iter().map(|warp| warp.block).collect();
        assert_eq!(blocks, [first.0 / 50, first.0 / 50 + 1, first.0 / 50 + 2]);
    }
}
