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
/// row. Where a machine interleaves rows in pieces, consecutive pieces go to the pseudo-channels, the bank groups and the
/// banks, and only then to the next columns of their rows. (The real map is not published; with a line spread over banks
/// the sums of `traces/h200` take a third longer than measured.)
#[derive(Clone, Copy, Debug)]
pub struct DramMap {
    pseudo_channels: Divisor,
    bank_groups: Divisor,
    banks_per_group: Divisor,
    lines_of_piece: Divisor,
    /// Pieces of a row that follow each other before the next bank.
    pieces_before_banks: Divisor,
    /// Pieces of a row that follow each other after all banks.
    pieces_after_banks: Divisor,
    /// Whether pieces at any distance spread over pseudo-channels and bank groups.
    is_folded: bool,
    banks_of_group: u64,
}

impl DramMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(dram: &Dram) -> DramMap {
        let lines = |bytes: u32| (u64::from(bytes) / LINE_BYTES).max(1);
        let lines_of_row = lines(dram.row_bytes);
        let (lines_of_piece, before, after) = match dram.pieces {
            Some(pieces) => (lines(pieces.bytes), 1, u64::from(pieces.near)),
            None => (1, lines_of_row, 1),
        };
        DramMap {
            pseudo_channels: Divisor::new(u64::from(dram.pseudo_channels)),
            bank_groups: Divisor::new(u64::from(dram.bank_groups)),
            banks_per_group: Divisor::new(u64::from(dram.banks_per_group)),
            lines_of_piece: Divisor::new(lines_of_piece),
            pieces_before_banks: Divisor::new(before),
            pieces_after_banks: Divisor::new(after),
            is_folded: dram.pieces.is_some(),
            banks_of_group: u64::from(dram.banks_per_group),
        }
    }

    /// The place of a line of the partition.
    #[must_use]
    pub fn place(&self, local_line: u64) -> DramPlace {
        let (piece, _) = self.lines_of_piece.divide(local_line);
        let (of_channel, pseudo_channel) = self.pseudo_channels.divide(piece);
        let (of_group, group) = self.bank_groups.divide(of_channel);
        let (piece, _) = self.pieces_before_banks.divide(of_group);
        let (piece, bank) = self.banks_per_group.divide(piece);
        let (row, _) = self.pieces_after_banks.divide(piece);
        let turn = mix(row);
        let (channel_turn, group_turn) =
            if self.is_folded { (fold(of_channel >> 1), fold(of_group >> 1)) } else { (0, 0) };
        let (_, pseudo_channel) = self.pseudo_channels.divide(pseudo_channel + channel_turn);
        let (_, group) = self.bank_groups.divide((group + group_turn).wrapping_add(turn));
        let (_, bank) = self.banks_per_group.divide(bank + (turn >> 16));
        DramPlace {
            pseudo_channel: pseudo_channel as usize,
            bank: (group * self.banks_of_group + bank) as usize,
            row,
        }
    }
}

/// The pairs of bits of a number, combined.
fn fold(number: u64) -> u64 {
    // Of two, four and eight pairs, and of the last two of ten.
    let two = number ^ number >> 2;
    let four = two ^ two >> 4;
    (four ^ four >> 8 ^ two >> 16) & 0b11
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

    /// The same with pieces of two lines, two of a row near each other.
    fn in_pieces() -> DramMap {
        let pieces = Some(warplab_config::gpu::RowPieces { bytes: 256, near: 2 });
        DramMap::new(&warplab_config::gpu::Dram { pieces, ..dram() })
    }

    #[test]
    fn a_piece_shares_its_row_with_one_other() {
        let of_first: Vec<u64> =
            (0..64).filter(|&line| in_pieces().place(line) == in_pieces().place(0)).collect();
        assert_eq!(of_first, [0, 1, 20, 21]);
    }

    #[test]
    fn pieces_at_any_distance_spread_over_pseudo_channels_and_groups() {
        for apart in [1, 2, 4, 8, 16, 32] {
            let place = |number: u64| in_pieces().place(2 * number * apart);
            let held = |number: u64| (place(number).pseudo_channel, place(number).bank / 2);
            let all: BTreeSet<(usize, usize)> = (0..32).map(held).collect();
            assert_eq!(all.len(), 4, "{apart} apart");
        }
    }
}
