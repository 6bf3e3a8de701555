//! What every warp of one multiprocessor did, for other programs: columns, CSV, and the traces that Perfetto reads.

mod columns;
mod csv;
mod perfetto;

use crate::hot_spots::SourceInstruction;
pub use columns::{Column, timeline_columns};
pub use csv::timeline_csv;
pub use perfetto::timeline_perfetto;
use warplab_trace::{MemoryLevels, StateInterval, WarpState};
use warplab_units::Cycle;

/// Bytes of an encoded instruction.
const INSTRUCTION_BYTES: u64 = 16;

/// A warp that ran on the multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedWarp {
    /// Its slot.
    pub slot: u8,
    /// The number of its block.
    pub block: u64,
    /// Its number in the block.
    pub warp: u32,
    /// The cycle at which it came.
    pub from: u64,
}

/// The record of one multiprocessor.
#[derive(Clone, Copy, Debug)]
pub struct TimelineRecord<'a> {
    /// Kernel and machine.
    pub title: &'a str,
    /// The multiprocessor.
    pub sm: u32,
    /// Its schedulers: slot `n` belongs to scheduler `n` modulo their number.
    pub schedulers: usize,
    /// The warps, in the order in which they came.
    pub warps: &'a [TracedWarp],
    /// Their states.
    pub intervals: &'a [StateInterval],
    /// What was in the load/store unit.
    pub levels: &'a [(Cycle, MemoryLevels)],
    /// The instructions of the kernel, by program counter.
    pub instructions: &'a [SourceInstruction],
}

/// A warp in one state: a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row<'a> {
    scheduler: u32,
    slot: u8,
    block: u64,
    warp: u32,
    from: u64,
    to: u64,
    state: WarpState,
    address: u64,
    instruction: &'a str,
    place: &'a str,
}

impl<'a> TimelineRecord<'a> {
    /// The states as rows, by their beginnings, then by slots.
    fn rows(&self) -> Vec<Row<'a>> {
        let mut rows: Vec<Row<'a>> = self.intervals.iter().map(|interval| self.row(interval)).collect();
        rows.sort_by_key(|row| (row.from, row.slot));
        rows
    }

    fn row(&self, interval: &StateInterval) -> Row<'a> {
        let (slot, from) = (interval.slot.0, interval.from.0);
        let schedulers = self.schedulers.max(1);
        let here = |warp: &&TracedWarp| warp.slot == slot && warp.from <= from;
        let warp = self.warps.iter().rev().find(here);
        let instruction = self.instructions.get(interval.pc as usize);
        Row {
            scheduler: u32::try_from(usize::from(slot) % schedulers).unwrap_or_default(),
            slot,
            block: warp.map_or(0, |warp| warp.block),
            warp: warp.map_or(0, |warp| warp.warp),
            from,
            to: interval.to.0,
            state: interval.state,
            address: u64::from(interval.pc) * INSTRUCTION_BYTES,
            instruction: instruction.map_or("", |instruction| &instruction.text),
            place: instruction.map_or("", |instruction| &instruction.place),
        }
    }
}

/// Three intervals of two warps of a slot and of one of another, for tests.
#[cfg(test)]
mod sample {
    use super::{TimelineRecord, TracedWarp};
    use crate::SourceInstruction;
    use warplab_trace::{MemoryLevels, StallReason, StateInterval, WarpState};
    use warplab_units::{Cycle, WarpSlot};

    pub(super) fn with<T>(work: impl FnOnce(&TimelineRecord<'_>) -> T) -> T {
        let warp = |slot, block, from| TracedWarp { slot, block, warp: 0, from };
        let interval = |slot, state, pc, from, to| StateInterval {
            slot: WarpSlot(slot),
            state,
            pc,
            from: Cycle(from),
            to: Cycle(to),
        };
        let instruction =
            |text: &str, place: &str| SourceInstruction { text: text.to_owned(), place: place.to_owned() };
        let level = |cycle, queued| (Cycle(cycle), MemoryLevels { queued, loads: queued, mshrs: 0 });
        work(&TimelineRecord {
            title: "k on m",
            sm: 2,
            schedulers: 4,
            warps: &[warp(5, 7, 0), warp(0, 8, 4), warp(5, 9, 20)],
            intervals: &[
                interval(5, WarpState::Stalled(StallReason::LongScoreboard), 1, 0, 10),
                interval(5, WarpState::Selected, 1, 10, 11),
                interval(5, WarpState::NotSelected, 0, 20, 21),
                interval(0, WarpState::Selected, 0, 10, 11),
            ],
            levels: &[level(4, 1), level(10, 0)],
            instructions: &[instruction("MOV R1, R2", "a.cu:3"), instruction("LDG.E R2, [R4.64]", "")],
        })
    }
}
