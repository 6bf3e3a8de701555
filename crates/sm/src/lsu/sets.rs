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
/// Parts of that number of bits which give the number of a set.
const PARTS: usize = (TagSets::BITS / SET_BITS) as usize;

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
        /// The set in the bank by the number of the line divided by four, seven bits at a time: the sum of three.
        in_bank: Vec<[u8; PARTS]>,
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
                let of_part = |part: usize| {
                    let bits = quad >> (part as u32 * SET_BITS);
                    in_bank[bits as usize % SETS_OF_BANK][part]
                };
                let set = (0..PARTS).fold(0, |set, part| set ^ of_part(part));
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

/// What each part of a line's number divided by four adds to its set.
fn table(sets: TagSets) -> Vec<[u8; PARTS]> {
    let of_bit = |bit: u32| std::array::from_fn(|part| sets.set(1 << (part as u32 * SET_BITS + bit)) as u8);
    let of_bits: [[u8; PARTS]; SET_BITS as usize] = std::array::from_fn(|bit| of_bit(bit as u32));
    let mut table = vec![[0; PARTS]; SETS_OF_BANK];
    // That without the lowest bit, and what this bit adds.
    for bits in 1..SETS_OF_BANK {
        let (rest, bit) = (table[bits & (bits - 1)], of_bits[bits.trailing_zeros() as usize]);
        table[bits] = std::array::from_fn(|part| rest[part] ^ bit[part]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::SetNumbers;
    use warplab_config::gpu::{TagHash, TagSets};
    use warplab_units::Address;

    /// Those of the H200.
    fn hashed() -> SetNumbers {
        let hash = [0x1_ffc5, 0x12_7975, 0x18_ebb2, 0x17_b76c, 0xb_2a4e, 0x5_add2, 0x12_a461];
        SetNumbers::Hashed {
            banks: TagHash { low: 0x6f_7ab5, high: 0x3a_d5da },
            in_bank: super::table(TagSets { hash }),
        }
    }

    #[test]
    fn lines_in_a_row_fill_all_sets_of_all_banks_once() {
        let sets = hashed();
        for first in [0, 512, 7 << 20] {
            let mut all: Vec<u64> = (0..512).map(|line| sets.of(Address((first + line) * 128))).collect();
            all.sort_unstable();
            assert_eq!(all, (0..512).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn each_higher_bit_of_a_line_leads_to_the_set_that_was_measured() {
        let sets = hashed();
        // l1/high.txt: of bits 9 to 22, the line among the first 512 that shares its set.
        let measured = [
            0x071, 0x01b, 0x176, 0x149, 0x039, 0x1e1, 0x1dd, 0x0ee, 0x194, 0x08d, 0x1ac, 0x0f4, 0x12f, 0x082,
        ];
        let of = |line: u64| sets.of(Address(line * 128));
        for (bit, line) in (9..).zip(measured) {
            assert_eq!((of(1 << bit), of(1 << bit | line)), (of(line), of(0)), "bit {bit}");
        }
    }
}
