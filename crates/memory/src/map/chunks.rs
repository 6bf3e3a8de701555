//! Chunks of lines on the slices of two halves, as measured on an H200 (`traces/h200/slices`).

use super::{Half, mix};
use std::sync::Arc;
use warplab_config::gpu::{L2Cache, SliceHash};
use warplab_units::{Address, LINE_BYTES};

/// Chunks on slices by the bits of `l2.slice_hash`. As measured: within a group of chunks the even ones lie on one slice
/// and the odd ones on another; the home is a parity of address bits; the slice is a table of the combinations of the
/// other bits, which a page translates. The translations are a fixed hash, since the pages of a buffer lie anywhere.
/// Where the machine has no table, each slice of a home stands in it equally often and about as often in every stretch: a
/// deck of all slices, shuffled anew for every stretch.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    partitions: usize,
    bits: AddressBits,
    /// For each home and each combination of the other bits.
    table: Arc<[Entry]>,
    /// Where each combination stands in the table before its page is translated.
    places: Arc<[u16]>,
    /// Combinations of a page that a partition is home to, at most.
    most: u64,
    /// The bits of combinations that are numbered together, line by line: one for each pseudo-channel and bank group.
    together_bits: u32,
}

/// The parts of an address. A combination is the number of a group in its page, as its odd chunks have it.
#[derive(Clone, Copy, Debug)]
struct AddressBits {
    /// The lowest bit that says which chunk of its group it is, which group of its page, and which page.
    chunk: u32,
    group: u32,
    page: u32,
    /// The bits of a combination, and those of a combination of one home, which are one fewer.
    combination: u64,
    index: u64,
    index_bits: u32,
    /// The bits of a line in its chunk, those of a chunk among the even or the odd ones of its group, and those of both.
    line: u64,
    line_bits: u32,
    of_parity: u64,
    entry_bits: u32,
    /// Bits of a combination that an odd chunk turns over.
    odd_chunk: u64,
    /// Bits of a combination whose parity chooses the home.
    home_parity: u64,
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

impl AddressBits {
    fn new(hash: &SliceHash) -> AddressBits {
        let group = hash.group_bits().start;
        let mask = |bits: &[u32]| bits.iter().fold(0, |mask, bit| mask | 1 << (bit - group));
        let (chunk, page) = (hash.chunk_bytes.trailing_zeros(), hash.group_bits().end);
        let (index_bits, line_bits) = (page - group - 1, chunk - LINE_BYTES.trailing_zeros());
        AddressBits {
            chunk,
            group,
            page,
            combination: low_bits(page - group),
            index: low_bits(index_bits),
            index_bits,
            line: low_bits(line_bits),
            line_bits,
            of_parity: low_bits(group - chunk - 1),
            entry_bits: group - LINE_BYTES.trailing_zeros(),
            odd_chunk: mask(&hash.odd_chunk_bits),
            home_parity: mask(&hash.home_bits),
        }
    }

    /// The half that is home to a combination.
    fn home(self, combination: u64) -> Half {
        (combination & self.home_parity).count_ones() as usize % 2
    }

    /// A combination without the first bit of the home's parity, which the other bits and the home determine.
    fn index(self, combination: u64) -> usize {
        let home_bit = self.home_parity.trailing_zeros();
        let low = combination & ((1 << home_bit) - 1);
        (low | combination >> (home_bit + 1) << home_bit) as usize
    }

    /// The combination of an address, and which line of it that is: all even chunks of a group, then the odd ones.
    #[inline]
    fn split(self, line: Address) -> (u64, u64) {
        let odd = line.0 >> self.chunk & 1;
        let combination = (line.0 >> self.group & self.combination) ^ (self.odd_chunk * odd);
        let chunk = (line.0 >> self.chunk >> 1 & self.of_parity) << self.line_bits;
        let of_chunk = (line.0 / LINE_BYTES) & self.line;
        (combination, odd << (self.entry_bits - 1) | chunk | of_chunk)
    }
}

/// So many bits, all set.
fn low_bits(count: u32) -> u64 {
    (1 << count) - 1
}

impl Chunks {
    /// Two halves of so many partitions each, spread by the hash and table of the machine; of a machine without a hash none.
    pub(super) fn new(partitions: usize, l2: &L2Cache, together: u64) -> Option<Chunks> {
        let bits = AddressBits::new(l2.slice_hash.as_ref()?);
        let combinations = 0..1u64 << (bits.page - bits.group);
        let place = |combination| bits.home(combination) << bits.index_bits | bits.index(combination);
        let mut table = vec![Entry::default(); combinations.end as usize];
        let mut held = vec![0; 2 * partitions];
        for combination in combinations.clone() {
            let home = bits.home(combination);
            let partition = match &l2.slice_table {
                Some(table) => usize::from(table.slices()[combination as usize]),
                None => shuffled(place(combination), partitions, bits.index_bits),
            };
            let rank = &mut held[home * partitions + partition];
            table[place(combination)] = Entry { partition: partition as u16, rank: *rank };
            *rank += 1;
        }
        let places = combinations.map(|combination| place(combination) as u16).collect();
        let most = u64::from(held.into_iter().max().unwrap_or(1));
        let together_bits = together.next_power_of_two().trailing_zeros();
        Some(Chunks { partitions, bits, table: table.into(), places, most, together_bits })
    }

    /// Partitions of a half.
    pub(super) fn partitions(&self) -> usize {
        self.partitions
    }

    #[inline]
    pub(super) fn place(&self, line: Address) -> SliceLocation {
        let bits = self.bits;
        let page = line.0 >> bits.page;
        let of_page = mix(page);
        let (combination, of_combination) = bits.split(line);
        // A page turns over the home and the bits of the index, which are as many as places have beside it.
        let turned = (of_page & 1) << bits.index_bits | of_page >> 1 & bits.index;
        let place = usize::from(self.places[combination as usize]) ^ turned as usize;
        let Entry { partition, rank } = self.table[place];
        // Lines of a combination lie side by side in a row of DRAM, combinations on pseudo-channels and bank groups.
        let number = page * self.most + u64::from(rank);
        let (block, of_block) = (number >> self.together_bits, number & low_bits(self.together_bits));
        SliceLocation {
            home: place >> bits.index_bits,
            partition: usize::from(partition),
            local_line: (block << bits.entry_bits | of_combination) << self.together_bits | of_block,
        }
    }
}

/// A partition for each place of the table: within a home every stretch of as many as there are has each once.
fn shuffled(place: usize, partitions: usize, index_bits: u32) -> usize {
    let index = place & low_bits(index_bits) as usize;
    let (stretch, of_stretch) = (index / partitions, index % partitions);
    dealt(of_stretch as u64, partitions as u64, (place - index + stretch) as u64) as usize
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
    use crate::testing::{slice_hash, toy};
    use std::collections::{BTreeMap, BTreeSet};
    use warplab_units::{Address, LINE_BYTES};

    const LINES_OF_PAGE: u64 = (2 << 20) / LINE_BYTES;

    fn places(lines: std::ops::Range<u64>) -> impl Iterator<Item = super::SliceLocation> {
        let mut l2 = toy().l2;
        l2.slice_hash = Some(slice_hash());
        let chunks = Chunks::new(47, &l2, 8).unwrap();
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
