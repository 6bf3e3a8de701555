//! What a pseudo-channel of DRAM has to do, for people to look at.

use super::PseudoChannel;
use crate::dram::queues::{Queues, Waiting};
use serde::Serialize;
use warplab_config::Ticks;
use warplab_units::{Address, Cycle, LINE_BYTES, SectorMask};

/// An access that waits for its column command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DramAccessView {
    /// The bank.
    pub bank: usize,
    /// The row.
    pub row: u64,
    /// The line of memory.
    pub line: Address,
    /// Its sectors that have not had their column command.
    pub sectors: SectorMask,
    /// When it came.
    pub at: Cycle,
}

/// A pseudo-channel of DRAM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChannelView {
    /// The open row of each bank.
    pub open_rows: Vec<Option<u64>>,
    /// Whether it writes at present.
    pub writing: bool,
    /// Reads that wait, in order of arrival.
    pub reads: Vec<DramAccessView>,
    /// Writes that wait, in order of arrival.
    pub writes: Vec<DramAccessView>,
    /// When the next command can be issued; none when nothing waits.
    pub next_command: Option<Cycle>,
}

impl PseudoChannel {
    /// What the pseudo-channel has to do.
    #[must_use]
    pub fn inspect(&self) -> ChannelView {
        ChannelView {
            open_rows: self.open_rows.clone(),
            writing: self.writing,
            reads: accesses(&self.reads, self.open_rows.len()),
            writes: accesses(&self.writes, self.open_rows.len()),
            next_command: (self.decide_at != Ticks::NEVER).then(|| self.decide_at.to_cycle()),
        }
    }
}

fn accesses(queues: &Queues, banks: usize) -> Vec<DramAccessView> {
    let mut all: Vec<(usize, Waiting)> =
        (0..banks).flat_map(|bank| queues.of_bank(bank).map(move |waiting| (bank, *waiting))).collect();
    all.sort_by_key(|(_, waiting)| waiting.age);
    all.into_iter().map(|(bank, waiting)| access(bank, &waiting)).collect()
}

fn access(bank: usize, waiting: &Waiting) -> DramAccessView {
    DramAccessView {
        bank,
        row: waiting.row,
        line: Address(waiting.token * LINE_BYTES),
        sectors: waiting.sectors,
        at: waiting.at.to_cycle(),
    }
}
