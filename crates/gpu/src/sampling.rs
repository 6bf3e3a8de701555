//! Sampling: a grid of many alike blocks is simulated until its blocks end at a steady rate and L2 does not change any
//! more; the rest is executed without time, so that values stay right, and its time is extrapolated.

use crate::memory_side::MemorySide;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warplab_trace::Sample;
use warplab_units::Cycle;

/// Windows that must agree.
const WINDOWS: usize = 4;
/// Steps of which a window may consist, so that a noisy rate is averaged over a longer time.
const STEPS: [usize; 5] = [1, 2, 4, 8, 16];
/// By how much of their mean the rates of these windows may differ.
const RATE_TOLERANCE: f64 = 0.02;
/// By how much of its mean the DRAM traffic of a block may differ between these windows.
const TRAFFIC_TOLERANCE: f64 = 0.05;
/// DRAM bytes of a block that are no difference.
const TRAFFIC_NOISE: f64 = 64.0;
/// How much of L2 may still fill until the end of the grid, at the present pace.
const L2_TOLERANCE: f64 = 0.05;
/// A step lasts at least so many cycles and blocks: a rate over a few epochs or blocks says little.
const LEAST_CYCLES: u64 = 4096;
const LEAST_BLOCKS: u64 = 256;

/// Where a launch stood at the end of a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Mark {
    at: Cycle,
    blocks: u64,
    dram_bytes: u64,
    /// Valid lines of L2.
    lines: u64,
}

/// Watches a launch until it is steady.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sampler {
    /// Blocks of a step: at least as many as are resident at once.
    step: u64,
    blocks: u64,
    /// Lines that L2 holds.
    capacity: u64,
    marks: Vec<Mark>,
    /// Blocks that are not simulated and not executed yet.
    pub(crate) rest: Range<u64>,
    /// The ends of the windows that agree, once some do.
    agreed: Option<[Mark; WINDOWS + 1]>,
}

impl Sampler {
    pub(crate) fn new(blocks: u64, wave: u64, memory_side: &MemorySide) -> Sampler {
        let capacity = memory_side.l2_capacity();
        Sampler {
            step: wave.max(LEAST_BLOCKS),
            blocks,
            capacity,
            marks: Vec::new(),
            rest: blocks..blocks,
            agreed: None,
        }
    }

    /// Whether the launch is steady, after an epoch that ended at `now` with so many blocks done and dispatched.
    pub(crate) fn is_steady(&mut self, now: Cycle, done: u64, dispatched: u64, memory: &MemorySide) -> bool {
        let (since, before) = self.marks.last().map_or((Cycle(0), 0), |mark| (mark.at, mark.blocks));
        if self.agreed.is_some() || done < before + self.step || now - since < LEAST_CYCLES {
            return false;
        }
        let (dram_bytes, lines) = (memory.dram_bytes(), memory.l2_lines());
        self.marks.push(Mark { at: now, blocks: done, dram_bytes, lines });
        let left = self.blocks - dispatched;
        if left > self.step * WINDOWS as u64 {
            self.agreed = self.steady_windows(left);
        }
        self.agreed.is_some()
    }

    /// The blocks from `dispatched` on are not simulated.
    pub(crate) fn stop(&mut self, dispatched: u64) {
        self.rest = dispatched..self.blocks;
    }

    /// The ends of the last windows, as short ones as possible, if they agree with so many blocks left.
    fn steady_windows(&self, left: u64) -> Option<[Mark; WINDOWS + 1]> {
        STEPS.into_iter().filter_map(|steps| self.last_windows(steps)).find(|marks| self.agree(marks, left))
    }

    fn agree(&self, marks: &[Mark; WINDOWS + 1], left: u64) -> bool {
        let traffic =
            windows(marks, |a, b| (b.dram_bytes - a.dram_bytes) as f64 / (b.blocks - a.blocks) as f64);
        let differs = traffic.spread() > (TRAFFIC_TOLERANCE * traffic.mean).max(TRAFFIC_NOISE);
        let (first, last) = (&marks[0], &marks[WINDOWS]);
        let pace = left as f64 / (last.blocks - first.blocks) as f64;
        let more =
            (last.lines.saturating_sub(first.lines) as f64 * pace).min((self.capacity - last.lines) as f64);
        let fills = more > L2_TOLERANCE * self.capacity as f64;
        cycles_per_block(marks).relative() <= RATE_TOLERANCE && !differs && !fills
    }

    /// The ends of the last windows of so many steps; the first step, in which the chip fills, is in none.
    fn last_windows(&self, steps: usize) -> Option<[Mark; WINDOWS + 1]> {
        let first = self.marks.len().checked_sub(WINDOWS * steps + 1)?;
        Some(std::array::from_fn(|window| self.marks[first + window * steps]))
    }

    /// The estimate after so many simulated blocks and cycles; none if the whole grid was simulated.
    pub(crate) fn sample(&self, simulated_blocks: u64, elapsed: u64) -> Option<Sample> {
        let marks = self.agreed.as_ref()?;
        let per_block = cycles_per_block(marks);
        let rest = (self.blocks - simulated_blocks) as f64 * per_block.mean;
        Some(Sample {
            simulated_blocks,
            blocks: self.blocks,
            simulated_cycles: elapsed,
            cycles: elapsed + rest.round() as u64,
            error: (rest * per_block.relative()).ceil() as u64,
        })
    }
}

/// A value over some windows.
struct Windows {
    mean: f64,
    least: f64,
    most: f64,
}

impl Windows {
    fn spread(&self) -> f64 {
        self.most - self.least
    }

    fn relative(&self) -> f64 {
        self.spread() / self.mean
    }
}

fn windows(marks: &[Mark], value: impl Fn(&Mark, &Mark) -> f64) -> Windows {
    let values = marks.windows(2).map(|pair| value(&pair[0], &pair[1]));
    let (least, most) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let mean = marks.first().zip(marks.last()).map_or(0.0, |(first, last)| value(first, last));
    Windows { mean, least, most }
}

fn cycles_per_block(marks: &[Mark]) -> Windows {
    windows(marks, |a, b| (b.at - a.at) as f64 / (b.blocks - a.blocks) as f64)
}

#[cfg(test)]
mod tests {
    use super::{Mark, Sampler};
    use warplab_trace::Sample;
    use warplab_units::Cycle;

    /// Waves of 100 blocks of a grid of 100,000 before a cache of 1,000 lines.
    fn sampler(marks: impl IntoIterator<Item = Mark>) -> Sampler {
        Sampler {
            step: 100,
            blocks: 100_000,
            capacity: 1000,
            marks: marks.into_iter().collect(),
            rest: 0..0,
            agreed: None,
        }
    }

    fn mark(number: u64) -> Mark {
        Mark { at: Cycle(5000 * number), blocks: 100 * number, dram_bytes: 4096 * number, lines: 1000 }
    }

    #[test]
    fn windows_of_one_pace_agree_and_are_extrapolated() {
        let mut sampler = sampler((1..=5).map(mark));
        sampler.agreed = sampler.steady_windows(99_000);
        sampler.stop(1000);
        assert_eq!(
            sampler.sample(1000, 51_000),
            Some(Sample {
                simulated_blocks: 1000,
                blocks: 100_000,
                simulated_cycles: 51_000,
                cycles: 51_000 + 99_000 * 50,
                error: 0
            })
        );
    }

    #[test]
    fn four_windows_are_needed_after_the_first_wave() {
        assert!(sampler((1..=4).map(mark)).steady_windows(99_000).is_none());
    }

    #[test]
    fn a_window_that_is_3_percent_slower_does_not_agree() {
        let slower = |number| Mark { at: Cycle(5000 * number + 150 * (number / 5)), ..mark(number) };
        assert!(sampler((1..=5).map(slower)).steady_windows(99_000).is_none());
    }

    #[test]
    fn a_noisy_rate_is_averaged_over_longer_windows() {
        // Every other step takes 20 % longer.
        let noisy = |number| Mark { at: Cycle(5000 * number + 1000 * (number / 2)), ..mark(number) };
        assert!(sampler((1..=8).map(noisy)).steady_windows(99_000).is_none());
        let agreed = sampler((1..=9).map(noisy)).steady_windows(99_000).expect("windows of two steps");
        assert_eq!(agreed.map(|mark| mark.blocks), [100, 300, 500, 700, 900]);
    }

    #[test]
    fn a_level_two_that_still_fills_is_not_steady_however_even_the_rate() {
        let filling = |number| Mark { lines: 100 * number, ..mark(number) };
        assert!(sampler((1..=5).map(filling)).steady_windows(99_000).is_none());
    }

    #[test]
    fn writes_that_begin_to_leave_level_two_are_not_steady() {
        let leaving = |number| Mark { dram_bytes: 400_000 * number + 100_000 * (number / 5), ..mark(number) };
        assert!(sampler((1..=5).map(leaving)).steady_windows(99_000).is_none());
    }

    #[test]
    fn a_grid_that_is_simulated_whole_has_no_estimate() {
        assert_eq!(sampler((1..=5).map(mark)).sample(100_000, 100), None);
    }
}
