//! Instruction supply: which lines of the code the cache of a sub-partition and the next level hold.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::InstructionSupply;

/// Instructions of a line.
const LINE: u32 = 8;

/// A cache of code lines, first in first out.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LineCache {
    capacity: u64,
    inserted: u64,
    /// For each line, one more than the number of its insertion; 0 for never.
    stamps: Vec<u64>,
}

impl LineCache {
    fn new(instructions: u32) -> LineCache {
        LineCache { capacity: u64::from(instructions / LINE).max(1), inserted: 0, stamps: Vec::new() }
    }

    /// Whether the line is there; it is afterwards.
    fn touch(&mut self, line: u32) -> bool {
        let line = line as usize;
        if line >= self.stamps.len() {
            self.stamps.resize(line + 1, 0);
        }
        let stamp = self.stamps[line];
        let there = stamp != 0 && self.inserted - stamp < self.capacity;
        if !there {
            self.inserted += 1;
            self.stamps[line] = self.inserted;
        }
        there
    }
}

/// The instruction caches of one multiprocessor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fetch {
    l0: Vec<LineCache>,
    l1: LineCache,
}

impl Fetch {
    pub(crate) fn new(supply: &InstructionSupply, sub_partitions: usize) -> Fetch {
        Fetch {
            l0: vec![LineCache::new(supply.l0_instructions); sub_partitions],
            l1: LineCache::new(supply.l1_instructions),
        }
    }

    /// Cycles that a warp waits for its next instruction at `next` after one at `pc`.
    #[inline]
    pub(crate) fn delay(
        &mut self,
        supply: &InstructionSupply,
        sub_partition: usize,
        pc: u32,
        next: u32,
    ) -> u64 {
        let line = next / LINE;
        if line == pc / LINE {
            return 0;
        }
        if self.l0[sub_partition].touch(line) {
            return 0;
        }
        let sequential = line == pc / LINE + 1;
        let cycles = match (self.l1.touch(line), sequential) {
            (true, true) => supply.l1_line_interval.saturating_sub(LINE),
            (true, false) => supply.l1_latency,
            (false, true) => supply.l2_line_interval.saturating_sub(LINE),
            (false, false) => supply.l2_latency,
        };
        u64::from(cycles)
    }
}
