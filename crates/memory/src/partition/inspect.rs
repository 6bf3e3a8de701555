//! What a memory partition holds and what waits in it, for people to look at.

use super::Partition;
use crate::dram::ChannelView;
use crate::l2::SliceView;
use serde::Serialize;
use warplab_units::Cycle;

/// A memory partition: its L2 slices and the DRAM channel behind them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartitionView {
    /// The slices.
    pub slices: Vec<SliceView>,
    /// The pseudo-channels of DRAM.
    pub channels: Vec<ChannelView>,
    /// Sectors on their way from DRAM to the slices.
    pub sectors_coming: usize,
}

impl Partition {
    /// What the partition holds at the end of cycle `now`, with at most `sets` occupied sets of each slice from set
    /// `first` on.
    #[must_use]
    pub fn inspect(&self, now: Cycle, first: usize, sets: usize) -> PartitionView {
        PartitionView {
            slices: self.slices.iter().map(|slice| slice.inspect(now, first, sets)).collect(),
            channels: self.channels.iter().map(|channel| channel.inspect()).collect(),
            sectors_coming: self.fills.iter().map(|fills| fills.len()).sum(),
        }
    }
}
