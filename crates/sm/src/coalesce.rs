//! From the addresses of a warp's lanes to lines and sectors, and to passes of shared memory.

use arrayvec::ArrayVec;
use smallvec::SmallVec;
use warplab_units::{Address, LINE_BYTES, LaneMask, SECTOR_BYTES, SectorMask};

/// The sectors that a memory instruction touches in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineAccess {
    pub(crate) line: Address,
    pub(crate) sectors: SectorMask,
    /// Sectors of which every byte is touched.
    pub(crate) full: SectorMask,
}

/// Lanes are aligned to their size, so each touches one line: 32 at most, and mostly four or fewer.
pub(crate) type Lines = SmallVec<[LineAccess; 4]>;

/// The lines that the lanes of `mask` touch, in the order of the lanes that touch them first.
pub(crate) fn lines(addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> Lines {
    let mut lines = Lines::new();
    let mut covered: ArrayVec<u128, 32> = ArrayVec::new();
    let span = u128::MAX >> (128 - bytes.clamp(1, 128));
    for lane in mask.lanes() {
        let line = addresses[lane] & !(LINE_BYTES - 1);
        let bits = span << (addresses[lane] % LINE_BYTES);
        // Neighbours mostly share a line: look at the last one first.
        match lines.iter().rposition(|access: &LineAccess| access.line.0 == line) {
            Some(place) => covered[place] |= bits,
            None => {
                lines.push(LineAccess {
                    line: Address(line),
                    sectors: SectorMask::EMPTY,
                    full: SectorMask::EMPTY,
                });
                covered.push(bits);
            }
        }
    }
    for (access, covered) in lines.iter_mut().zip(covered) {
        for sector in 0..4 {
            let part = (covered >> (u64::from(sector) * SECTOR_BYTES)) as u32;
            if part != 0 {
                access.sectors |= SectorMask::single(sector);
            }
            if part == u32::MAX {
                access.full |= SectorMask::single(sector);
            }
        }
    }
    lines
}

/// Cycles of the tag unit: lines of one bank are looked up one after another.
pub(crate) fn tag_cycles(lines: &[LineAccess], banks: u32) -> u32 {
    let mut counts = [0u32; 32];
    for access in lines {
        counts[(access.line.0 / LINE_BYTES % u64::from(banks.clamp(1, 32))) as usize] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}

/// The fewest sectors that so many lanes of so many bytes could touch.
pub(crate) fn ideal_sectors(mask: LaneMask, bytes: u32) -> u32 {
    (mask.count() * bytes).div_ceil(SECTOR_BYTES as u32)
}

/// The most lanes that touch one word: atomic operations on it come one after another.
pub(crate) fn lanes_on_one_word(addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> u32 {
    let mut seen: ArrayVec<(u64, u32), 32> = ArrayVec::new();
    for lane in mask.lanes() {
        let word = addresses[lane] / u64::from(bytes.max(1));
        match seen.iter_mut().find(|(other, _)| *other == word) {
            Some((_, count)) => *count += 1,
            None => seen.push((word, 1)),
        }
    }
    seen.iter().map(|&(_, count)| count).max().unwrap_or(0)
}

/// Passes of shared memory for one instruction: what it takes, and what it would take without conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passes {
    pub(crate) taken: u32,
    pub(crate) ideal: u32,
}

/// Lanes go in groups that could have a bank for every word (8-byte accesses by half warps, 16-byte ones by quarter
/// warps); within a group every further word of a bank is a further pass, and lanes on one word share it.
pub(crate) fn shared_passes(addresses: &[u64; 32], mask: LaneMask, bytes: u32, banks: u32) -> Passes {
    let words = bytes.div_ceil(4).max(1);
    let group = (32 / words) as usize;
    let mut passes = Passes { taken: 0, ideal: 0 };
    for first in (0..32).step_by(group) {
        let members = LaneMask(mask.0 & (u32::MAX >> (32 - group)) << first);
        if !members.is_empty() {
            passes.taken += conflict_degree(addresses, members, words, banks);
            passes.ideal += 1;
        }
    }
    passes
}

/// The most different words of one bank.
fn conflict_degree(addresses: &[u64; 32], members: LaneMask, words: u32, banks: u32) -> u32 {
    let mut seen: ArrayVec<u64, 32> = ArrayVec::new();
    let mut counts = [0u32; 64];
    for lane in members.lanes() {
        for word in 0..words {
            let word = addresses[lane] / 4 + u64::from(word);
            if !seen.contains(&word) {
                counts[(word % u64::from(banks.clamp(1, 64))) as usize] += 1;
                if seen.try_push(word).is_err() {
                    break;
                }
            }
        }
    }
    counts.into_iter().max().unwrap_or(1).max(1)
}

/// Passes of an atomic operation on shared memory: conflicts of banks, and lanes on one word one after another.
pub(crate) fn shared_atomic_passes(addresses: &[u64; 32], mask: LaneMask, bytes: u32, banks: u32) -> Passes {
    let passes = shared_passes(addresses, mask, bytes, banks);
    Passes { taken: passes.taken.max(lanes_on_one_word(addresses, mask, bytes)), ..passes }
}

#[cfg(test)]
mod tests {
    use super::{Passes, lanes_on_one_word, lines, shared_passes, tag_cycles};
    use warplab_units::LaneMask;

    fn by_lane(address: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| address(lane as u64))
    }

    fn sectors(address: impl Fn(u64) -> u64) -> (usize, u32) {
        let lines = lines(&by_lane(address), LaneMask::ALL, 4);
        (lines.len(), lines.iter().map(|line| line.sectors.count()).sum())
    }

    #[test]
    fn aligned_permuted_misaligned_and_equal_addresses_touch_4_4_5_and_1_sectors() {
        assert_eq!(sectors(|lane| 4 * lane), (1, 4));
        assert_eq!(sectors(|lane| 4 * (lane ^ 31)), (1, 4));
        assert_eq!(sectors(|lane| 4 * lane + 4), (2, 5));
        assert_eq!(sectors(|_| 400), (1, 1));
        assert_eq!(sectors(|lane| 128 * lane), (32, 32));
    }

    #[test]
    fn only_whole_sectors_are_full() {
        let all = lines(&by_lane(|lane| 4 * lane + 4), LaneMask::ALL, 4);
        assert_eq!((all[0].full.0, all[1].full.0), (0b1110, 0));
    }

    #[test]
    fn lines_a_power_of_two_apart_fall_into_one_tag_bank() {
        assert_eq!(tag_cycles(&lines(&by_lane(|lane| 4096 * lane), LaneMask::ALL, 4), 4), 32);
        assert_eq!(tag_cycles(&lines(&by_lane(|lane| 128 * lane), LaneMask::ALL, 4), 4), 8);
    }

    #[test]
    fn columns_conflict_32_ways_padded_ones_not_at_all() {
        let column = shared_passes(&by_lane(|lane| 128 * lane), LaneMask::ALL, 4, 32);
        assert_eq!(column, Passes { taken: 32, ideal: 1 });
        assert_eq!(shared_passes(&by_lane(|lane| 132 * lane), LaneMask::ALL, 4, 32).taken, 1);
        assert_eq!(shared_passes(&by_lane(|_| 64), LaneMask::ALL, 4, 32).taken, 1);
    }

    #[test]
    fn wide_accesses_go_in_one_two_and_four_phases() {
        let phases = [4, 8, 16]
            .map(|bytes| shared_passes(&by_lane(|lane| lane * bytes), LaneMask::ALL, bytes as u32, 32));
        assert_eq!(phases.map(|passes| passes.taken), [1, 2, 4]);
    }

    #[test]
    fn lanes_on_one_word_are_counted() {
        assert_eq!(lanes_on_one_word(&by_lane(|lane| lane / 4 * 4), LaneMask::ALL, 4), 4);
    }
}
