//! The lines of atomic operations, how often level two touches their sectors, and the flits that they take.
//!
//! Lanes on one word come one after another, in rounds; those on several words of a line go together. Each tag bank hands over
//! one round of one line at a time. A round of a single word is one flit if those of the other banks are too; one of several
//! words has a flit for each sector and one more, and so have the single words beside it (measured: traces/h200/lsu/lanes.txt).

use super::coalesce::{LineAccess, Lines, bank_of, row_lines};
use arrayvec::ArrayVec;
use warplab_config::gpu::TagHash;
use warplab_exec::{Pattern, RowAccess};
use warplab_units::{LINE_BYTES, MOST_WARP_LANES, SECTOR_BYTES};

/// Adds the lines of an atomic operation.
pub(crate) fn atomic_lines(
    rows: &[RowAccess; 2],
    bytes: u32,
    (banks, hash): (u32, Option<TagHash>),
    all: &mut Lines,
) {
    let before = all.len();
    row_lines(rows, bytes, all);
    let lines = &mut all[before..];
    let [lower, upper] = rows;
    if upper.mask.is_empty() && bytes >= 4 && lower.pattern == Pattern::Contiguous {
        // Every word has one lane.
        for access in lines {
            access.sector_accesses = access.sectors.count() as u8;
            access.headers = 1;
        }
        return;
    }
    if upper.mask.is_empty() && lower.pattern == Pattern::Uniform {
        for access in lines {
            access.sector_accesses = lower.mask.count() as u8;
        }
        return;
    }
    let rounds = rounds_of(rows, bytes, lines);
    if rounds.iter().any(|rounds| rounds.joint > 0) {
        count_headers(&rounds, lines, (banks, hash));
    }
}

/// The rounds of a line: how many there are, and how many of more than one word, which are the first.
#[derive(Clone, Copy, Default)]
struct Rounds {
    all: u8,
    joint: u8,
}

/// Counts how often the sectors of lines are touched, and the rounds of each line.
fn rounds_of(
    rows: &[RowAccess; 2],
    bytes: u32,
    lines: &mut [LineAccess],
) -> ArrayVec<Rounds, MOST_WARP_LANES> {
    let mut rounds: ArrayVec<Rounds, MOST_WARP_LANES> = lines.iter().map(|_| Rounds::default()).collect();
    let mut of_sectors = [[0u8; (LINE_BYTES / SECTOR_BYTES) as usize]; MOST_WARP_LANES];
    for (address, lanes) in lanes_by_word(rows, bytes) {
        let line = address / LINE_BYTES * LINE_BYTES;
        let Some(place) = lines.iter().position(|access| access.line.0 == line) else { continue };
        let of_sector = &mut of_sectors[place][(address % LINE_BYTES / SECTOR_BYTES) as usize];
        *of_sector = lanes.max(*of_sector);
        let Rounds { all, joint } = rounds[place];
        rounds[place] = if lanes > all {
            Rounds { all: lanes, joint: all }
        } else {
            Rounds { all, joint: lanes.max(joint) }
        };
    }
    for (access, of_sectors) in lines.iter_mut().zip(of_sectors) {
        access.sector_accesses = of_sectors.iter().sum();
    }
    rounds
}

/// Counts the flits beside those of the sectors.
fn count_headers(rounds: &[Rounds], lines: &mut [LineAccess], (banks, hash): (u32, Option<TagHash>)) {
    let some = |count: u8| if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    let mut next = [0u8; 32];
    let mut long = 0;
    let mut begins: ArrayVec<u8, MOST_WARP_LANES> = ArrayVec::new();
    for (rounds, access) in rounds.iter().zip(&*lines) {
        let next = &mut next[bank_of(access, banks, hash)];
        long |= some(rounds.joint) << *next;
        begins.push(*next);
        *next += rounds.all;
    }
    for ((rounds, access), begin) in rounds.iter().zip(lines).zip(begins) {
        access.headers = (long >> begin & some(rounds.all)).count_ones() as u8;
    }
}

/// The words that lanes touch, and how many lanes each.
pub(crate) fn lanes_by_word(rows: &[RowAccess; 2], bytes: u32) -> ArrayVec<(u64, u8), MOST_WARP_LANES> {
    let mut words: ArrayVec<(u64, u8), MOST_WARP_LANES> = ArrayVec::new();
    let addresses = rows.iter().flat_map(|row| row.mask.lanes().map(|lane| row.addresses[lane]));
    for address in addresses {
        let word = address & !u64::from(bytes.max(1) - 1);
        match words.iter_mut().find(|(other, _)| *other == word) {
            Some((_, lanes)) => *lanes += 1,
            None => words.push((word, 1)),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::coalesce::tests::{added, warp, wave};
    use super::atomic_lines;
    use warplab_exec::RowAccess;

    /// What each line takes: how often its sectors are touched, and the flits beside those.
    fn taken(rows: &[RowAccess; 2]) -> Vec<(u8, u8)> {
        let lines = added(|all| atomic_lines(rows, 4, (4, None), all));
        lines.iter().map(|line| (line.sector_accesses, line.headers)).collect()
    }

    #[test]
    fn atomic_operations_touch_a_sector_once_for_every_lane_on_its_busiest_word() {
        // The sectors that the H200 counts for red_global_share1 to share32.
        let accesses = [1, 2, 4, 8, 16, 32].map(|share| taken(&warp(|lane| lane / share * 4))[0].0);
        assert_eq!(accesses, [4, 4, 4, 8, 16, 32]);
    }

    #[test]
    fn lanes_of_both_rows_on_one_word_come_one_after_another() {
        assert_eq!(taken(&wave(|_| 64))[0].0, 64);
    }

    /// The address of a lane that touches a word of a line.
    fn at(line: u64, word: u64) -> u64 {
        128 * line + 4 * word
    }

    #[test]
    fn a_round_of_several_words_has_a_flit_for_each_sector_and_one_more() {
        // Eight lines of four lanes each: two words of two sectors, two words of one sector twice, a word four times.
        let of_words = |words: [u64; 4]| taken(&warp(|lane| at(lane / 4, words[lane as usize % 4])));
        assert_eq!(of_words([0, 1, 8, 9]), [(2, 1); 8]);
        assert_eq!(of_words([0, 0, 1, 1]), [(2, 2); 8]);
        assert_eq!(of_words([0, 0, 0, 8]), [(4, 1); 8]);
        assert_eq!(of_words([0, 0, 0, 0]), [(4, 0); 8]);
    }

    #[test]
    fn single_words_take_a_flit_more_beside_several() {
        // Lanes 0 and 1 in line 0, the others in lines of their own: the first lines of the three other banks go with it.
        let lines = taken(&warp(|lane| if lane == 0 { at(0, 0) } else { at(lane - 1, 8 * (lane % 2)) }));
        assert_eq!(lines[..5], [(2, 1), (1, 1), (1, 1), (1, 1), (1, 0)]);
        assert_eq!(lines.iter().map(|&(sectors, headers)| sectors + headers).sum::<u8>(), 36);
    }
}
