//! From the addresses of a warp's lanes to passes of shared memory, or of the data array of level one, which has the same banks.

use super::atomics::lanes_by_word;
use arrayvec::ArrayVec;
use warplab_exec::peers::PeerRequest;
use warplab_exec::{Pattern, RowAccess};
use warplab_units::{LaneMask, PerLane, ROW_LANES};

/// Banks that are told apart.
const MOST_BANKS: u32 = 64;
/// Words that the lanes of one group of an access to shared memory take together.
const GROUP_WORDS: u32 = 32;

/// Passes of shared memory for one instruction: what it takes, and what it would take without conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passes {
    pub(crate) taken: u32,
    pub(crate) ideal: u32,
}

/// Lanes go in groups that could have a bank for every word: with 32 banks 8-byte accesses by 16 lanes and 16-byte ones by
/// 8, with 16 banks half as many. Within a group every further word of a bank is a further pass, and lanes on one word
/// share it. Groups are twice as large where neighbouring lanes share their words, and a group of a wide access takes its
/// pass even if none of its lanes is active (measured: lsu/lsu.txt, shared 8 and 16 bytes).
pub(crate) fn shared_passes(rows: &[RowAccess; 2], bytes: u32, banks: u32) -> Passes {
    let [lower, upper] = rows;
    if bytes <= 4 && banks >= GROUP_WORDS && upper.mask.is_empty() && lower.pattern != Pattern::Scattered {
        return Passes { taken: 1, ideal: 1 };
    }
    let words = bytes.div_ceil(4).max(1);
    let narrow = (GROUP_WORDS.min(banks) / words).max(1) as usize;
    let mut passes = Passes { taken: 0, ideal: 0 };
    for row in rows.iter().filter(|row| !row.mask.is_empty()) {
        // No group has two words of one bank; lanes of one address share their words.
        let group = match row.pattern {
            Pattern::Contiguous => narrow,
            Pattern::Uniform if words > 1 => 2 * narrow,
            Pattern::Uniform if narrow == ROW_LANES => narrow,
            _ => 0,
        };
        if words <= banks && group > 0 {
            let groups = ROW_LANES.div_ceil(group) as u32;
            passes = Passes { taken: passes.taken + groups, ideal: passes.ideal + groups };
            continue;
        }
        let group = if words > 1 && neighbours_share(row) { 2 * narrow } else { narrow };
        for first in (0..ROW_LANES).step_by(group) {
            let members = LaneMask(row.mask.0 & LaneMask::first(group as u32).0 << first);
            if words > 1 || !members.is_empty() {
                passes.taken += conflict_degree(&row.addresses, members, words, banks);
                passes.ideal += 1;
            }
        }
    }
    passes
}

/// Passes of what another block of the cluster asks for.
pub(crate) fn peer_passes(request: &PeerRequest, banks: u32) -> u64 {
    let row = RowAccess::new(request.addresses, request.mask, request.bytes);
    u64::from(shared_passes(&[row, RowAccess::default()], request.bytes, banks).taken)
}

/// Passes of a load or store of matrices of eight rows: one for each matrix, whose rows eight lanes name, and more where rows lie in the same
/// banks. Lanes that name none take none (measured: matrices.metrics.csv, wavefronts of kernel_ridge_* and gemm_half_sums_*).
pub(crate) fn matrix_passes(row: &RowAccess, bytes: u32, banks: u32) -> Passes {
    let words = bytes.div_ceil(4).max(1);
    let group = (GROUP_WORDS.min(banks) / words).max(1);
    let members = (0..ROW_LANES as u32)
        .step_by(group as usize)
        .map(|first| LaneMask(row.mask.0 & LaneMask::first(group).0 << first));
    members.filter(|members| !members.is_empty()).fold(Passes { taken: 0, ideal: 0 }, |passes, members| {
        Passes {
            taken: passes.taken + conflict_degree(&row.addresses, members, words, banks),
            ideal: passes.ideal + 1,
        }
    })
}

/// Whether every active lane has the address of the next one, or every one that of the one after it, in pairs.
fn neighbours_share(row: &RowAccess) -> bool {
    let in_pairs = |distance: usize| {
        row.mask.lanes().all(|lane| {
            let other = lane ^ distance;
            row.mask.0 >> other & 1 == 0 || row.addresses[lane] == row.addresses[other]
        })
    };
    in_pairs(1) || in_pairs(2)
}

/// A word that the lanes of a group touch.
#[derive(Clone, Copy)]
struct Touched {
    word: u64,
    /// The one before it in its bank.
    before: u8,
}

/// The most different words of one bank.
fn conflict_degree(addresses: &PerLane<u64>, members: LaneMask, words: u32, banks: u32) -> u32 {
    const NONE: u8 = u8::MAX;
    let banks = u64::from(banks.clamp(1, MOST_BANKS));
    let bank_of = |word: u64| if banks == 32 { word % 32 } else { word % banks } as usize;
    let mut touched: ArrayVec<Touched, { GROUP_WORDS as usize }> = ArrayVec::new();
    let mut last = [NONE; MOST_BANKS as usize];
    let mut most = 1;
    for lane in members.lanes() {
        let first = addresses[lane] / 4;
        for word in first..first + u64::from(words) {
            let last = &mut last[bank_of(word)];
            let (mut place, mut number) = (*last, 1);
            while let Some(other) = touched.get(usize::from(place)).filter(|other| other.word != word) {
                (place, number) = (other.before, number + 1);
            }
            if place != NONE {
                continue;
            }
            most = most.max(number);
            let before = std::mem::replace(last, touched.len() as u8);
            if touched.try_push(Touched { word, before }).is_err() {
                return most;
            }
        }
    }
    most
}

/// Passes of an atomic operation on shared memory: conflicts of banks, and lanes on one word one after another.
pub(crate) fn shared_atomic_passes(rows: &[RowAccess; 2], bytes: u32, banks: u32) -> Passes {
    let passes = shared_passes(rows, bytes, banks);
    let busiest = lanes_by_word(rows, bytes).iter().map(|&(_, lanes)| lanes).max().unwrap_or(0);
    Passes { taken: passes.taken.max(u32::from(busiest)), ..passes }
}

#[cfg(test)]
mod tests {
    use super::super::coalesce::tests::{by_lane, warp, wave, wide_warp};
    use super::{Passes, shared_atomic_passes, shared_passes};
    use std::collections::BTreeSet;
    use warplab_exec::RowAccess;
    use warplab_units::LaneMask;

    #[test]
    fn columns_conflict_32_ways_padded_ones_not_at_all() {
        let column = shared_passes(&warp(|lane| 128 * lane), 4, 32);
        assert_eq!(column, Passes { taken: 32, ideal: 1 });
        assert_eq!(shared_passes(&warp(|lane| 132 * lane), 4, 32).taken, 1);
        assert_eq!(shared_passes(&warp(|_| 64), 4, 32).taken, 1);
    }

    #[test]
    fn a_16_byte_word_that_all_lanes_read_takes_two_passes_and_one_of_8_bytes_one() {
        assert_eq!(shared_passes(&wide_warp(16, |_| 64), 16, 32), Passes { taken: 2, ideal: 2 });
        assert_eq!(
            shared_passes(&wide_warp(16, |lane| lane / 16 * 512), 16, 32),
            Passes { taken: 2, ideal: 2 }
        );
        assert_eq!(shared_passes(&wide_warp(8, |_| 64), 8, 32), Passes { taken: 1, ideal: 1 });
        assert_eq!(shared_passes(&wide_warp(16, |lane| lane / 8 * 512), 16, 32).taken, 4);
    }

    #[test]
    fn wide_accesses_go_in_one_two_and_four_phases() {
        let passes = |bytes: u32| shared_passes(&wide_warp(bytes, |lane| lane * u64::from(bytes)), bytes, 32);
        let phases = [4, 8, 16].map(passes);
        assert_eq!(phases.map(|passes| passes.taken), [1, 2, 4]);
    }

    #[test]
    fn lanes_on_one_word_of_shared_memory_come_one_after_another() {
        let passes = shared_atomic_passes(&warp(|lane| lane / 4 * 4), 4, 32);
        assert_eq!(passes, Passes { taken: 4, ideal: 1 });
    }

    #[test]
    fn a_wave_of_64_lanes_takes_a_pass_of_32_banks_for_each_row() {
        assert_eq!(shared_passes(&wave(|lane| 4 * lane), 4, 32), Passes { taken: 2, ideal: 2 });
        assert_eq!(shared_passes(&wave(|lane| 128 * lane), 4, 32).taken, 64);
    }

    #[test]
    fn sixteen_banks_take_half_warps() {
        assert_eq!(shared_passes(&warp(|lane| 4 * lane), 4, 16), Passes { taken: 2, ideal: 2 });
        assert_eq!(shared_passes(&warp(|lane| 8 * lane), 4, 16), Passes { taken: 4, ideal: 2 });
    }

    #[test]
    fn lanes_of_both_rows_on_one_word_of_shared_memory_come_one_after_another() {
        assert_eq!(shared_atomic_passes(&wave(|_| 64), 4, 32).taken, 64);
    }

    #[test]
    fn the_passes_of_scattered_lanes_are_the_different_words_of_the_busiest_bank() {
        let mut seed = 1u64;
        for spread in [16, 40, 200, 5000] {
            let words = by_lane(|_| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (seed >> 33) % spread
            });
            let rows = [RowAccess::new(words.map(|word| 4 * word), LaneMask::ALL, 4), RowAccess::default()];
            let distinct: BTreeSet<u64> = words.into_iter().collect();
            let of_bank = |bank: u64| distinct.iter().filter(|&word| word % 32 == bank).count() as u32;
            assert_eq!(shared_passes(&rows, 4, 32).taken, (0..32).map(of_bank).max().unwrap());
        }
    }
}
