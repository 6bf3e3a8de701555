//! Which pseudo-channel, bank group, bank and row a burst lies in.

use crate::map::mix;
use warplab_config::gpu::Dram;
use warplab_units::{LINE_BYTES, SECTOR_BYTES};

/// The place of one burst in its partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramPlace {
    /// The pseudo-channel.
    pub pseudo_channel: usize,
    /// The bank, its group included: group times banks of a group, plus the bank.
    pub bank: usize,
    /// The row.
    pub row: u64,
}

/// Consecutive bursts go to the pseudo-channels, then to the bank groups, then to the columns of a row; banks and
/// rows follow, the bank hashed with the row.
#[derive(Clone, Copy, Debug)]
pub struct DramMap {
    pseudo_channels: u64,
    bank_groups: u64,
    banks_per_group: u64,
    columns: u64,
}

impl DramMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(dram: &Dram) -> DramMap {
        DramMap {
            pseudo_channels: u64::from(dram.pseudo_channels),
            bank_groups: u64::from(dram.bank_groups),
            banks_per_group: u64::from(dram.banks_per_group),
            columns: u64::from(dram.row_bytes / dram.burst_bytes).max(1),
        }
    }

    /// The place of a sector of a line of the partition.
    #[must_use]
    pub fn place(&self, local_line: u64, sector: u32) -> DramPlace {
        let burst = local_line * (LINE_BYTES / SECTOR_BYTES) + u64::from(sector);
        let (burst, pseudo_channel) = (burst / self.pseudo_channels, burst % self.pseudo_channels);
        let (burst, group) = (burst / self.bank_groups, burst % self.bank_groups);
        let burst = burst / self.columns;
        let (row, bank) = (burst / self.banks_per_group, burst % self.banks_per_group);
        let turn = mix(row);
        let group = (group + turn) % self.bank_groups;
        let bank = (bank + (turn >> 16)) % self.banks_per_group;
        DramPlace {
            pseudo_channel: pseudo_channel as usize,
            bank: (group * self.banks_per_group + bank) as usize,
            row,
        }
    }
}
