//! Which pseudo-channel, bank group, bank and row a burst lies in.

use crate::map::mix;
use warplab_config::gpu::Dram;
use warplab_units::{Divisor, LINE_BYTES};

/// The place of the bursts of one line in their partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramPlace {
    /// The pseudo-channel.
    pub pseudo_channel: usize,
    /// The bank, its group included: group times banks of a group, plus the bank.
    pub bank: usize,
    /// The row.
    pub row: u64,
}

/// The bursts of a line lie in one row, so that one activate serves them all. Consecutive lines go to the
/// pseudo-channels, then to the bank groups, then to the columns of a row; banks and rows follow, both hashed with the
/// row. (The real map is not published; with a line spread over banks the sums of `traces/h200` take a third longer
/// than measured.)
#[derive(Clone, Copy, Debug)]
pub struct DramMap {
    pseudo_channels: Divisor,
    bank_groups: Divisor,
    banks_per_group: Divisor,
    lines_of_row: Divisor,
    banks_of_group: u64,
}

impl DramMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(dram: &Dram) -> DramMap {
        DramMap {
            pseudo_channels: Divisor::new(u64::from(dram.pseudo_channels)),
            bank_groups: Divisor::new(u64::from(dram.bank_groups)),
            banks_per_group: Divisor::new(u64::from(dram.banks_per_group)),
            lines_of_row: Divisor::new((u64::from(dram.row_bytes) / LINE_BYTES).max(1)),
            banks_of_group: u64::from(dram.banks_per_group),
        }
    }

    /// The place of a line of the partition.
    #[must_use]
    pub fn place(&self, local_line: u64) -> DramPlace {
        let (line, pseudo_channel) = self.pseudo_channels.divide(local_line);
        let (line, group) = self.bank_groups.divide(line);
        let (line, _) = self.lines_of_row.divide(line);
        let (row, bank) = self.banks_per_group.divide(line);
        let turn = mix(row);
        let (_, group) = self.bank_groups.divide(group.wrapping_add(turn));
        let (_, bank) = self.banks_per_group.divide(bank + (turn >> 16));
        DramPlace {
            pseudo_channel: pseudo_channel as usize,
            bank: (group * self.banks_of_group + bank) as usize,
            row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dram;
    use super::DramMap;
    use std::collections::BTreeSet;

    /// Two pseudo-channels of two groups of two banks; a row holds 8 lines.
    fn map() -> DramMap {
        DramMap::new(&dram())
    }

    #[test]
    fn consecutive_lines_go_to_the_pseudo_channels_in_turn() {
        let channels: Vec<usize> = (0..4).map(|line| map().place(line).pseudo_channel).collect();
        assert_eq!(channels, [0, 1, 0, 1]);
    }

    #[test]
    fn consecutive_lines_of_a_pseudo_channel_go_to_different_bank_groups() {
        let [first, second] = [0, 2].map(|line| map().place(line).bank / 2);
        assert_ne!(first, second);
    }

    #[test]
    fn a_row_holds_as_many_lines_as_fit() {
        // Every fourth line is in the same pseudo-channel and group; eight of them are a row.
        let places: BTreeSet<(usize, u64)> =
            (0..8).map(|line| map().place(line * 4)).map(|place| (place.bank, place.row)).collect();
        assert_eq!(places.len(), 1);
        assert_ne!(map().place(8 * 4).bank, map().place(0).bank);
    }

    #[test]
    fn no_two_lines_share_a_place_beyond_a_row() {
        let mut lines = std::collections::BTreeMap::new();
        for line in 0..4096 {
            let place = map().place(line);
            *lines.entry((place.pseudo_channel, place.bank, place.row)).or_insert(0) += 1;
        }
        assert!(lines.values().all(|&count| count == 8));
    }
}
