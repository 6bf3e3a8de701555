//! Which set of level one a line belongs to.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::{L1Cache, TagHash, TagSets};
use warplab_memory::{CacheShape, PoolShape, SectorCache};
use warplab_units::{Address, LINE_BYTES};

/// Tag banks of level one where their sets are given.
const BANKS: usize = 4;
/// Bits of the number of a set in its bank.
const SET_BITS: u32 = 7;
/// Sets of a bank.
const SETS_OF_BANK: usize = 1 << SET_BITS;

/// How the number of a line gives that of its set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SetNumbers {
    /// By its bits, six at a time: lines at any distance spread over all sets (measured: lsu/lsu.txt, the same number of
    /// lines stays at distances of 128 bytes to 64 KiB).
    Folded,
    /// By its tag bank, and in the bank by its other bits.
    Hashed {
        /// That of the bank.
        banks: TagHash,
        /// The set in the bank by the number of the line divided by four, seven bits at a time.
        in_bank: Vec<u8>,
    },
}

impl SetNumbers {
    /// Those of a machine.
    pub(crate) fn new(cache: &L1Cache) -> SetNumbers {
        match (cache.tag_hash, cache.tag_sets) {
            (Some(banks), Some(sets)) => SetNumbers::Hashed { banks, in_bank: table(sets) },
            _ => SetNumbers::Folded,
        }
    }

    /// Empty tags for data of so many bytes.
    pub(crate) fn tags(&self, cache: &L1Cache, bytes: u64) -> SectorCache {
        match self {
            SetNumbers::Folded => {
                SectorCache::with_replacement(CacheShape::of_bytes(bytes, cache.ways), cache.replacement)
            }
            SetNumbers::Hashed { .. } => {
                let shape = CacheShape { sets: BANKS * SETS_OF_BANK, ways: cache.ways as usize };
                let lines_of_bank = (bytes / LINE_BYTES) as usize / BANKS;
                SectorCache::with_replacement(shape, cache.replacement)
                    .with_pool(PoolShape { banks: BANKS, lines_of_bank })
            }
        }
    }

    /// The number of a line's set, modulo the number of sets.
    #[inline]
    pub(crate) fn of(&self, line: Address) -> u64 {
        let number = line.0 / LINE_BYTES;
        match self {
            SetNumbers::Folded => number ^ number >> 6 ^ number >> 12 ^ number >> 18,
            SetNumbers::Hashed { banks, in_bank } => {
                let quad = number / BANKS as u64;
                let bits = (0..4).fold(0, |bits, fold| bits ^ quad >> (fold * SET_BITS));
                let set = in_bank[bits as usize % SETS_OF_BANK];
                (tag_bank(number, *banks) * SETS_OF_BANK) as u64 + u64::from(set)
            }
        }
    }
}

/// The tag bank of the line with this number.
#[inline]
pub(crate) fn tag_bank(number: u64, TagHash { low, high }: TagHash) -> usize {
    let sum = |mask: u32| (number & u64::from(mask)).count_ones() as usize & 1;
    sum(low) | sum(high) << 1
}

/// The set of each sum of bits: that without the lowest bit, and what this bit adds.
fn table(sets: TagSets) -> Vec<u8> {
    let of_bit: [u8; SET_BITS as usize] = std::array::from_fn(|bit| sets.set(1 << bit) as u8);
    let mut table = vec![0; SETS_OF_BANK];
    for bits in 1..SETS_OF_BANK {
        table[bits] = table[bits & (bits - 1)] ^ of_bit[bits.trailing_zeros() as usize];
    }
    table
}

#[cfg(test)]
mod tests {
    use super::SetNumbers;
    use warplab_config::gpu::{TagHash, TagSets};
    use warplab_units::Address;

    #[test]
    fn the_table_has_the_set_of_every_sum_of_bits() {
        let sets = TagSets { hash: [0x45, 0x75, 0x32, 0x6c, 0x4e, 0x52, 0x61] };
        let table = super::table(sets);
        assert!((0..128).all(|bits| u32::from(table[bits as usize]) == sets.set(bits)));
    }

    #[test]
    fn lines_in_a_row_fill_all_sets_of_all_banks_once() {
        let sets = SetNumbers::Hashed {
            banks: TagHash { low: 0x3ab5, high: 0x15da },
            in_bank: super::table(TagSets { hash: [0x45, 0x75, 0x32, 0x6c, 0x4e, 0x52, 0x61] }),
        };
        for first in [0, 512, 7 << 20] {
            let mut all: Vec<u64> = (0..512).map(|line| sets.of(Address((first + line) * 128))).collect();
            all.sort_unstable();
            assert_eq!(all, (0..512).collect::<Vec<u64>>());
        }
    }
}
