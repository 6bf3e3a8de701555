//! Chunks of 256 bytes on the slices of two halves, as measured on an H200 (`traces/h200/slices`).

use super::{Half, mix};
use std::sync::Arc;
use warplab_config::gpu::{SLICE_TABLE_ENTRIES, SliceTable};
use warplab_units::{Address, LINE_BYTES};

/// The lowest bits of an address: lines of a chunk, the chunks of a KiB, and the KiB of a page.
const CHUNK_BIT: u32 = 8;
const SAME_SLICE_BIT: u32 = 9;
const KIB_BIT: u32 = 10;
const PAGE_BIT: u32 = 21;

/// KiB of a page: combinations of address bits that choose home and slice.
const COMBINATIONS: usize = SLICE_TABLE_ENTRIES;

/// Combinations of which one half is the home.
const PER_HOME: usize = COMBINATIONS / 2;

/// Bits of a combination that an odd chunk turns over: address bits 10, 11, 14 and 16.
const ODD_CHUNK: u64 = 0b101_0011;

/// Bits of a combination whose parity chooses the home: address bits 12, 13, 15, 17 and 19.
const HOME_PARITY: u64 = 0b10_1010_1100;

/// The first of these, which the other bits and the home determine.
const HOME_BIT: u32 = 2;

/// Lines of one combination, all in one slice: two of each of four chunks.
const LINES: u64 = 8;

/// Combinations that are numbered together: line by line, then combination by combination.
const BLOCK: u64 = 8;

/// Chunks of 256 bytes on slices. As measured: bit 9 of the address does not count, so that a KiB lies on two slices,
/// its even chunks on one and its odd ones on the other; the home is a parity of address bits; the slice is a table of
/// 11 combinations of the other bits, which a page translates. The translations are a fixed hash, since the pages of a
/// buffer lie anywhere. Where the machine has no table, each slice of a home stands in it equally often and about as
/// often in every stretch: a deck of all slices, shuffled anew for every stretch.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    partitions: usize,
    /// For each home and each combination of the others bits.
    table: Arc<[Entry]>,
    /// Where each combination stands in the table before its page is translated.
    places: Arc<[u16]>,
    /// Combinations of a page that a partition is home to, at most.
    most: u64,
}

/// Where the lines of one combination are.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    partition: u16,
    /// How many combinations before it are there, too.
    rank: u16,
}

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SliceLocation {
    pub(super) home: Half,
    /// Its partition, counted inside a half.
    pub(super) partition: usize,
    pub(super) local_line: u64,
}

impl Chunks {
    /// Two halves of so many partitions each, spread by a measured table or evenly.
    pub(super) fn new(partitions: usize, measured: Option<&SliceTable>) -> Chunks {
        let mut table = vec![Entry::default(); COMBINATIONS];
        let mut held = vec![0; 2 * partitions];
        for combination in 0..COMBINATIONS as u64 {
            let (home, index) = (home(combination), index(combination));
            let partition = match measured {
                Some(table) => usize::from(table.slices()[combination as usize]),
                None => shuffled(home, index, partitions),
            };
            let rank = &mut held[home * partitions + partition];
            table[home * PER_HOME + index] = Entry { partition: partition as u16, rank: *rank };
            *rank += 1;
        }
        let place = |combination| (home(combination) * PER_HOME + index(combination)) as u16;
        let places = (0..COMBINATIONS as u64).map(place).collect();
        let most = u64::from(held.into_iter().max().unwrap_or(1));
        Chunks { partitions, table: table.into(), places, most }
    }

    /// Partitions of a half.
    pub(super) fn partitions(&self) -> usize {
        self.partitions
    }

    #[inline]
    pub(super) fn place(&self, line: Address) -> SliceLocation {
        let page = line.0 >> PAGE_BIT;
        let of_page = mix(page);
        let odd = line.0 >> CHUNK_BIT & 1;
        let combination = ((line.0 >> KIB_BIT) % COMBINATIONS as u64) ^ (ODD_CHUNK * odd);
        // A page turns over the home and the bits of the index, which are as many as places have beside it.
        let turned = (of_page & 1) as usize * PER_HOME + (of_page >> 1) as usize % PER_HOME;
        let place = usize::from(self.places[combination as usize]) ^ turned;
        let home = place / PER_HOME;
        let Entry { partition, rank } = self.table[place];
        let chunk = odd << 1 | line.0 >> SAME_SLICE_BIT & 1;
        let in_entry = chunk * (LINES / 4) + line.0 / LINE_BYTES % (LINES / 4);
        // Lines of a combination lie side by side in a row of DRAM, combinations on pseudo-channels and bank groups.
        let number = page * self.most + u64::from(rank);
        let (block, of_block) = (number / BLOCK, number % BLOCK);
        SliceLocation {
            home,
            partition: usize::from(partition),
            local_line: (block * LINES + in_entry) * BLOCK + of_block,
        }
    }
}

/// The half that is home to a combination.
fn home(combination: u64) -> Half {
    (combination & HOME_PARITY).count_ones() as usize % 2
}

/// A combination without the bit that the home stands for.
fn index(combination: u64) -> usize {
    let low = combination & ((1 << HOME_BIT) - 1);
    (low | combination >> (HOME_BIT + 1) << HOME_BIT) as usize
}

/// A partition for each combination of a home: every stretch of as many as there are has each once.
fn shuffled(home: Half, index: usize, partitions: usize) -> usize {
    let (stretch, place) = (index / partitions, index % partitions);
    dealt(place as u64, partitions as u64, (home * PER_HOME + stretch) as u64) as usize
}

/// The card at a place of a shuffled deck.
fn dealt(place: u64, cards: u64, deck: u64) -> u64 {
    let random = mix(deck);
    let stride = (0..).map(|more| 1 + (random + more) % cards).find(|&stride| are_coprime(stride, cards));
    (place * stride.unwrap_or(1) + (random >> 32)) % cards
}

fn are_coprime(a: u64, b: u64) -> bool {
    if b == 0 { a == 1 } else { are_coprime(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::Chunks;
    use std::collections::{BTreeMap, BTreeSet};
    use warplab_units::{Address, LINE_BYTES};

    const LINES_OF_PAGE: u64 = (2 << 20) / LINE_BYTES;

    fn places(lines: std::ops::Range<u64>) -> impl Iterator<Item = super::SliceLocation> {
        let chunks = Chunks::new(47, None);
        lines.map(move |number| chunks.place(Address(number * LINE_BYTES)))
    }

    #[test]
    fn a_page_lies_evenly_on_the_homes_of_all_slices() {
        let mut held = BTreeMap::new();
        places(0..LINES_OF_PAGE)
            .for_each(|place| *held.entry((place.home, place.partition)).or_insert(0) += 1);
        assert_eq!(held.len(), 94);
        let counts: BTreeSet<u32> = held.into_values().collect();
        assert_eq!(counts, BTreeSet::from([21 * 8, 22 * 8]));
    }

    #[test]
    fn no_two_lines_of_a_partition_have_one_number() {
        let all: BTreeSet<(usize, usize, u64)> = places(0..4 * LINES_OF_PAGE)
            .map(|place| (place.home, place.partition, place.local_line))
            .collect();
        assert_eq!(all.len() as u64, 4 * LINES_OF_PAGE);
    }

    #[test]
    fn both_even_chunks_of_a_kib_share_a_slice_and_so_do_both_odd_ones() {
        let slices: Vec<usize> =
            places(0..LINES_OF_PAGE).map(|place| place.home * 47 + place.partition).collect();
        for of_kib in slices.chunks(8) {
            assert_eq!([0, 2].map(|line| of_kib[line]), [of_kib[1], of_kib[3]]);
            assert_eq!(of_kib[..4], of_kib[4..]);
        }
    }

    #[test]
    fn stretches_of_a_page_lie_as_evenly_as_measured() {
        // traces/h200/slices: the busiest slice of 64 chunks has 2, of 256 chunks 4, of 1,024 chunks 12.
        let busiest = |chunks: u64| {
            let mut held = BTreeMap::new();
            places(0..2 * chunks).step_by(2).for_each(|place| {
                *held.entry((place.home, place.partition)).or_insert(0) += 1;
            });
            held.into_values().max().unwrap()
        };
        assert_eq!([64, 256, 1024].map(busiest), [2, 4, 12]);
    }
}
