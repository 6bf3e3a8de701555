//! When a launch has run long enough to be taken for one that never ends.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Where no limit is given, a launch ends with a report after so many warp instructions in which no block came or
/// ended; the largest launch of the hardware suites executes 445 million in a million blocks. Cycles are no measure: one
/// warp that follows a chain of pointers through DRAM takes a thousand million, cheaply.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 100_000_000;

/// A launch in which for so many cycles no block came or ended, no thread wrote to global memory and L2 gave no answer
/// is taken to hang.
const QUIET_CYCLES: u64 = 20_000_000;

/// Instructions are counted once in so many epochs, for the limit that holds where none is given.
const EPOCHS_PER_COUNT: u64 = 256;

/// How a person raises the default limit.
const HINT: &str =
    "\n  this is the limit where none is given; --max-cycles N, or max_cycles in the file, sets another";

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// The limit with its unit.
    pub(crate) after: String,
    /// How to go on, where no limit was given.
    pub(crate) hint: &'static str,
}

/// Watches the progress of one launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Watchdog {
    begin: Cycle,
    max_cycles: u64,
    epochs: u64,
    /// When a block last came or ended.
    last_block: Cycle,
    /// When global memory was last written or L2 last answered.
    last_traffic: Cycle,
    /// The block's coming or end that the instructions below were counted after.
    counted_block: Cycle,
    /// Warp instructions executed until then.
    instructions_at_block: u64,
}

impl Watchdog {
    /// The watchdog of a launch that begins now; `max_cycles` of 0 means the default limit of instructions.
    pub(crate) fn new(begin: Cycle, max_cycles: u64) -> Watchdog {
        Watchdog {
            begin,
            max_cycles,
            epochs: 0,
            last_block: begin,
            last_traffic: begin,
            counted_block: begin,
            instructions_at_block: 0,
        }
    }

    /// A block came or ended.
    pub(crate) fn block_moved(&mut self, now: Cycle) {
        self.last_block = now;
    }

    /// Global memory was written, or L2 answered.
    pub(crate) fn memory_moved(&mut self, now: Cycle) {
        self.last_traffic = now;
    }

    /// Whether nothing has come of all the work for so long that nothing will.
    pub(crate) fn is_stuck(&self, now: Cycle) -> bool {
        now.since(self.last_block.max(self.last_traffic)) > QUIET_CYCLES
    }

    /// An epoch begins: the limit that the launch has reached, if any. `instructions` counts warp instructions so far.
    pub(crate) fn epoch(&mut self, now: Cycle, instructions: impl FnOnce() -> u64) -> Option<Reached> {
        self.epochs += 1;
        let counts = self.epochs.is_multiple_of(EPOCHS_PER_COUNT);
        let since_block = if counts { self.since_block(instructions()) } else { 0 };
        reached(self.max_cycles, now - self.begin, since_block)
    }

    /// Warp instructions executed since the first count after a block last came or ended.
    fn since_block(&mut self, count: u64) -> u64 {
        if self.counted_block == self.last_block {
            return count - self.instructions_at_block;
        }
        (self.counted_block, self.instructions_at_block) = (self.last_block, count);
        0
    }
}

/// The limit that a launch has reached after so many cycles, and so many instructions since a block last came or ended:
/// the one of cycles that was given, or with 0 the one that holds where none was.
fn reached(max_cycles: u64, cycles: u64, instructions: u64) -> Option<Reached> {
    if max_cycles != 0 {
        let reached = || Reached { after: format!("{max_cycles} cycles"), hint: "" };
        return (cycles >= max_cycles).then(reached);
    }
    let after = || format!("{DEFAULT_MAX_INSTRUCTIONS} warp instructions without a block that came or ended");
    (instructions >= DEFAULT_MAX_INSTRUCTIONS).then(|| Reached { after: after(), hint: HINT })
}

#[cfg(test)]
mod tests {
    use super::{EPOCHS_PER_COUNT, HINT, QUIET_CYCLES, Watchdog, reached};
    use warplab_units::Cycle;

    #[test]
    fn a_launch_without_a_limit_ends_after_many_instructions_without_a_block_and_says_how_to_go_on() {
        let of = |cycles, instructions| {
            reached(0, cycles, instructions).map(|reached| (reached.after, reached.hint))
        };
        assert_eq!(of(u64::MAX, 99_999_999), None);
        let after = "100000000 warp instructions without a block that came or ended".to_owned();
        assert_eq!(of(0, 100_000_000), Some((after, HINT)));
        assert!(HINT.contains("--max-cycles"));
    }

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        assert_eq!(reached(5_000_000_000, 4_999_999_999, u64::MAX), None);
        let found = reached(5_000_000_000, 5_000_000_000, 0).map(|reached| reached.after);
        assert_eq!(found, Some("5000000000 cycles".to_owned()));
    }

    #[test]
    fn the_limit_of_cycles_counts_from_the_start_of_the_launch() {
        let mut watchdog = Watchdog::new(Cycle(1000), 50);
        assert_eq!(watchdog.epoch(Cycle(1049), || 0), None);
        assert!(watchdog.epoch(Cycle(1050), || 0).is_some());
    }

    #[test]
    fn instructions_are_counted_once_in_256_epochs() {
        let mut watchdog = Watchdog::new(Cycle(0), 0);
        let mut counted = 0;
        for epoch in 0..2 * EPOCHS_PER_COUNT {
            watchdog.epoch(Cycle(epoch), || {
                counted += 1;
                0
            });
        }
        assert_eq!(counted, 2);
    }

    #[test]
    fn a_block_that_ends_starts_the_count_of_instructions_anew() {
        let mut watchdog = Watchdog::new(Cycle(0), 0);
        assert_eq!(watchdog.since_block(70), 70);
        watchdog.block_moved(Cycle(9));
        assert_eq!((watchdog.since_block(80), watchdog.since_block(95)), (0, 15));
    }

    #[test]
    fn a_launch_is_stuck_when_neither_blocks_nor_memory_move() {
        let mut watchdog = Watchdog::new(Cycle(0), 0);
        assert!(!watchdog.is_stuck(Cycle(QUIET_CYCLES)));
        assert!(watchdog.is_stuck(Cycle(QUIET_CYCLES + 1)));
        watchdog.memory_moved(Cycle(5));
        assert!(!watchdog.is_stuck(Cycle(QUIET_CYCLES + 5)));
    }
}
