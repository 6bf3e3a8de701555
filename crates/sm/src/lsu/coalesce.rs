//! From the addresses of a warp's lanes to lines and sectors, and to passes of shared memory. A warp of 64 lanes comes as
//! two rows of 32.

use super::sets::tag_bank;
use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_config::gpu::TagHash;
use warplab_exec::{Lanes, Pattern, RowAccess};
use warplab_units::{
    Address, LINE_BYTES, LaneMask, MOST_WARP_LANES, PerLane, ROW_LANES, SECTOR_BYTES, SectorMask,
};

/// Bytes of a word.
const WORD_BYTES: u64 = 4;

/// The sectors that a memory instruction touches in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LineAccess {
    pub(crate) line: Address,
    pub(crate) sectors: SectorMask,
    /// Sectors of which every byte is touched.
    pub(crate) full: SectorMask,
    /// Words of which every byte is touched, one bit each.
    pub(crate) words: u32,
    /// How often level two touches sectors for an atomic operation: each once for every lane on its busiest word.
    pub(crate) sector_accesses: u8,
    /// Rounds of an atomic operation on more than one word, one lane of each word at a time.
    pub(crate) rounds: u8,
    /// Whether it is a compare-and-swap, which brings two values for each lane.
    pub(crate) compares: bool,
}

/// Lanes are aligned to their size, so each touches one line, and four of local memory: mostly four or fewer in all.
pub(crate) type Lines = SmallVec<[LineAccess; 4]>;

/// How the lanes of a warp are put together to requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coalescing {
    /// Lanes whose requests become one.
    pub(crate) lanes: u32,
    /// Whether loads take whole segments of 32, 64 or 128 bytes.
    pub(crate) segments: bool,
}

impl Coalescing {
    /// As stores go: no byte that is not written.
    pub(crate) fn stores(self) -> Coalescing {
        Coalescing { segments: false, ..self }
    }
}

/// The lines that the lanes of a warp touch, group after group; a line that several groups touch comes for each.
pub(crate) fn grouped_lines(rows: &[RowAccess; 2], bytes: u32, coalescing: Coalescing) -> Lines {
    let [lower, upper] = rows;
    if coalescing.lanes as usize == ROW_LANES && upper.mask.is_empty() && !coalescing.segments {
        return lines(lower.lanes(bytes));
    }
    if coalescing.lanes as usize > ROW_LANES {
        return row_lines(rows, bytes);
    }
    let mut all = Lines::new();
    for row in rows {
        for first in (0..ROW_LANES).step_by(coalescing.lanes.max(1) as usize) {
            let group = LaneMask(LaneMask::first(coalescing.lanes).0 << first) & row.mask;
            all.extend(lines(Lanes::new(&row.addresses, group, bytes)));
        }
    }
    if coalescing.segments {
        all.iter_mut().for_each(|access| access.sectors = segment(access.sectors));
    }
    all
}

/// The sectors of the smallest segment of 32, 64 or 128 bytes that has all of these.
fn segment(sectors: SectorMask) -> SectorMask {
    match sectors.0 {
        1 | 2 | 4 | 8 => sectors,
        bits if bits & 0b1100 == 0 => SectorMask(0b0011),
        bits if bits & 0b0011 == 0 => SectorMask(0b1100),
        _ => SectorMask(0b1111),
    }
}

/// The lines that the lanes of a warp touch, each once.
fn row_lines(rows: &[RowAccess; 2], bytes: u32) -> Lines {
    let [lower, upper] = rows;
    let first = lines(lower.lanes(bytes));
    if upper.mask.is_empty() {
        return first;
    }
    joined([first, lines(upper.lanes(bytes))].into_iter())
}

/// The lines of several sets of lanes, each once. A sector that only all together cover counts as covered in part.
fn joined(parts: impl Iterator<Item = Lines>) -> Lines {
    let mut all = Lines::new();
    for access in parts.flatten() {
        match all.iter_mut().find(|known| known.line == access.line) {
            Some(known) => {
                known.sectors |= access.sectors;
                known.full |= access.full;
                known.words |= access.words;
            }
            None => all.push(access),
        }
    }
    all
}

/// The lines that lanes touch, in the order of the lanes that touch them first.
pub(crate) fn lines(lanes: Lanes<'_>) -> Lines {
    let Lanes { addresses, mask, bytes, pattern } = lanes;
    match (pattern, mask.lowest()) {
        (Pattern::Contiguous, _) => {
            let first = addresses[0];
            return lines_of_range(first, first + u64::from(bytes) * ROW_LANES as u64);
        }
        (Pattern::Uniform, Some(lane)) if bytes > 0 => {
            return lines_of_range(addresses[lane], addresses[lane] + u64::from(bytes));
        }
        _ => {}
    }
    let mut lines: ArrayVec<LineAccess, ROW_LANES> = ArrayVec::new();
    let mut covered: ArrayVec<u128, ROW_LANES> = ArrayVec::new();
    let span = u128::MAX >> (128 - bytes.clamp(1, 128));
    // A bit for each hash of a line: most lines that are new are told by it.
    let mut known = 0u64;
    for lane in mask.lanes() {
        let line = addresses[lane] & !(LINE_BYTES - 1);
        let bits = span << (addresses[lane] % LINE_BYTES);
        let hash = 1 << (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        let may_be_known = known & hash != 0;
        known |= hash;
        // Neighbours mostly share a line: look at the last one first.
        let is_line = |access: &LineAccess| access.line.0 == line;
        match may_be_known.then(|| lines.iter().rposition(is_line)).flatten() {
            Some(place) => covered[place] |= bits,
            None => {
                lines.push(LineAccess {
                    line: Address(line),
                    sectors: SectorMask::EMPTY,
                    full: SectorMask::EMPTY,
                    words: 0,
                    sector_accesses: 0,
                    rounds: 0,
                    compares: false,
                });
                covered.push(bits);
            }
        }
    }
    for (access, covered) in lines.iter_mut().zip(covered) {
        (access.sectors, access.full, access.words) = touched(covered);
    }
    Lines::from_slice(&lines)
}

/// The lines of the bytes from `start` to `end`.
fn lines_of_range(start: u64, end: u64) -> Lines {
    let mut lines = Lines::new();
    let mut at = start;
    while at < end {
        let line = at & !(LINE_BYTES - 1);
        let next = end.min(line + LINE_BYTES);
        let (from, to) = (at - line, next - line);
        let (sectors, full) = sectors_between(from, to);
        let words = words_between(from, to);
        lines.push(LineAccess {
            line: Address(line),
            sectors,
            full,
            words,
            sector_accesses: 0,
            rounds: 0,
            compares: false,
        });
        at = next;
    }
    lines
}

/// The sectors of a line of which some bytes, and of which all bytes are touched, and the words of which all are; a bit for
/// each byte.
#[inline]
fn touched(covered: u128) -> (SectorMask, SectorMask, u32) {
    let (low, high) = (covered as u64, (covered >> 64) as u64);
    let parts = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
    let (mut some, mut all) = (0, 0);
    for (sector, part) in parts.into_iter().enumerate() {
        some |= u8::from(part != 0) << sector;
        all |= u8::from(part == u32::MAX) << sector;
    }
    (SectorMask(some), SectorMask(all), words_of_bytes(low) | words_of_bytes(high) << 16)
}

/// The 16 words of which all bytes are touched.
#[inline]
fn words_of_bytes(covered: u64) -> u32 {
    let mut words = covered & covered >> 1 & covered >> 2 & covered >> 3 & 0x1111_1111_1111_1111;
    words = (words | words >> 3) & 0x0303_0303_0303_0303;
    words = (words | words >> 6) & 0x000f_000f_000f_000f;
    words = (words | words >> 12) & 0x0000_00ff_0000_00ff;
    ((words | words >> 24) & 0xffff) as u32
}

/// The sectors of a line of which some bytes, and of which all bytes are touched, from byte `from` to byte `to`.
fn sectors_between(from: u64, to: u64) -> (SectorMask, SectorMask) {
    let before = |sector: u64| ((1u64 << sector) - 1) as u8;
    let some = before(to.div_ceil(SECTOR_BYTES)) & !before(from / SECTOR_BYTES);
    let all = before(to / SECTOR_BYTES) & !before(from.div_ceil(SECTOR_BYTES));
    (SectorMask(some), SectorMask(all))
}

/// The words of a line of which all bytes are touched, from byte `from` to byte `to`.
fn words_between(from: u64, to: u64) -> u32 {
    let before = |word: u64| ((1u64 << word) - 1) as u32;
    before(to / WORD_BYTES) & !before(from.div_ceil(WORD_BYTES))
}

/// The lines of an access to local memory, where the words of a wide one lie a line apart.
pub(crate) fn local_lines(rows: &[RowAccess; 2], bytes: u32) -> Lines {
    // Lanes that are at different words meet in a line.
    let of_row = |row: &RowAccess| {
        let first = lines(Lanes::new(&row.addresses, row.mask, bytes.min(4)));
        let further = (1..u64::from(bytes.div_ceil(4))).map(|word| {
            let addresses = row.addresses.map(|address| address.wrapping_add(word * LINE_BYTES));
            lines(Lanes::new(&addresses, row.mask, 4))
        });
        joined(std::iter::once(first).chain(further))
    };
    let mut all = of_row(&rows[0]);
    if !rows[1].mask.is_empty() {
        all.extend(of_row(&rows[1]));
    }
    all
}

/// Cycles of the tag unit: lines of one bank are looked up one after another.
pub(crate) fn tag_cycles(lines: &[LineAccess], banks: u32, hash: Option<TagHash>) -> u32 {
    if lines.len() <= 1 {
        return lines.len() as u32;
    }
    let mut counts = [0u32; 32];
    for access in lines {
        let number = access.line.0 / LINE_BYTES;
        let bank = match hash {
            Some(hash) => tag_bank(number, hash),
            None => (number % u64::from(banks.clamp(1, 32))) as usize,
        };
        counts[bank] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}

/// The fewest sectors that so many lanes of so many bytes could touch.
pub(crate) fn ideal_sectors(rows: &[RowAccess; 2], bytes: u32) -> u32 {
    let lanes: u32 = rows.iter().map(|row| row.mask.count()).sum();
    (lanes * bytes).div_ceil(SECTOR_BYTES as u32)
}

/// The lines of an atomic operation: lanes on one word come one after another, those on the words of a sector together.
pub(crate) fn atomic_lines(rows: &[RowAccess; 2], bytes: u32) -> Lines {
    let mut lines = row_lines(rows, bytes);
    let [lower, upper] = rows;
    if upper.mask.is_empty() && bytes >= 4 && lower.pattern == Pattern::Contiguous {
        // Every word has one lane.
        for access in &mut lines {
            access.sector_accesses = access.sectors.count() as u8;
            access.rounds = 1;
        }
        return lines;
    }
    if upper.mask.is_empty() && lower.pattern == Pattern::Uniform {
        for access in &mut lines {
            access.sector_accesses = lower.mask.count() as u8;
        }
        return lines;
    }
    let words = lanes_by_word(rows, bytes);
    for access in &mut lines {
        let lanes_in_sector = |sector: u64| {
            let start = access.line.0 + sector * SECTOR_BYTES;
            let inside = words.iter().filter(|(address, _)| (start..start + SECTOR_BYTES).contains(address));
            inside.map(|&(_, lanes)| lanes).max().unwrap_or(0)
        };
        access.sector_accesses = (0..LINE_BYTES / SECTOR_BYTES).map(lanes_in_sector).sum();
        let of_line = access.line.0..access.line.0 + LINE_BYTES;
        let lanes = words.iter().filter(|(address, _)| of_line.contains(address)).map(|&(_, lanes)| lanes);
        access.rounds = if lanes.clone().nth(1).is_some() { lanes.max().unwrap_or(0) } else { 0 };
    }
    lines
}

/// The words that lanes touch, and how many lanes each.
fn lanes_by_word(rows: &[RowAccess; 2], bytes: u32) -> ArrayVec<(u64, u8), MOST_WARP_LANES> {
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

/// The most different words of one bank.
fn conflict_degree(addresses: &PerLane<u64>, members: LaneMask, words: u32, banks: u32) -> u32 {
    if are_free_of_conflicts(addresses, members, words, banks) {
        return 1;
    }
    let mut seen: ArrayVec<u64, { GROUP_WORDS as usize }> = ArrayVec::new();
    let mut counts = [0u32; MOST_BANKS as usize];
    for lane in members.lanes() {
        for word in 0..words {
            let word = addresses[lane] / 4 + u64::from(word);
            if !seen.contains(&word) {
                counts[(word % u64::from(banks.clamp(1, MOST_BANKS))) as usize] += 1;
                if seen.try_push(word).is_err() {
                    break;
                }
            }
        }
    }
    counts.into_iter().max().unwrap_or(1).max(1)
}

/// Whether no bank has two different words: almost always.
fn are_free_of_conflicts(addresses: &PerLane<u64>, members: LaneMask, words: u32, banks: u32) -> bool {
    const NOTHING: u64 = u64::MAX;
    let mut words_of_banks = [NOTHING; MOST_BANKS as usize];
    let banks = u64::from(banks.clamp(1, MOST_BANKS));
    let bank_of = |word: u64| if banks == 32 { word % 32 } else { word % banks } as usize;
    members.lanes().all(|lane| {
        let first = addresses[lane] / 4;
        (first..first + u64::from(words)).all(|word| {
            let held = std::mem::replace(&mut words_of_banks[bank_of(word)], word);
            held == word || held == NOTHING
        })
    })
}

/// Passes of an atomic operation on shared memory: conflicts of banks, and lanes on one word one after another.
pub(crate) fn shared_atomic_passes(rows: &[RowAccess; 2], bytes: u32, banks: u32) -> Passes {
    let passes = shared_passes(rows, bytes, banks);
    let busiest = lanes_by_word(rows, bytes).iter().map(|&(_, lanes)| lanes).max().unwrap_or(0);
    Passes { taken: passes.taken.max(u32::from(busiest)), ..passes }
}

#[cfg(test)]
mod tests {
    use super::{
        Coalescing, Passes, atomic_lines, grouped_lines, lines, sectors_between, shared_atomic_passes,
        shared_passes, tag_cycles, touched, words_between,
    };
    use warplab_exec::{Lanes, RowAccess};
    use warplab_units::{LINE_BYTES, LaneMask, PerLane};

    fn by_lane(address: impl Fn(u64) -> u64) -> PerLane<u64> {
        std::array::from_fn(|lane| address(lane as u64))
    }

    /// All lanes of a warp of 32, of so many bytes each.
    fn wide_warp(bytes: u32, address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        [RowAccess::new(by_lane(address), LaneMask::ALL, bytes), RowAccess::default()]
    }

    /// All lanes of a warp of 32, of four bytes each.
    fn warp(address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        wide_warp(4, address)
    }

    /// All lanes of a warp of 64.
    fn wave(address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        [0, 32].map(|first| RowAccess::new(by_lane(|lane| address(first + lane)), LaneMask::ALL, 4))
    }

    /// Lines and sectors of loads of four bytes, in groups of so many lanes.
    fn grouped(rows: &[RowAccess; 2], lanes: u32, segments: bool) -> (usize, u32) {
        let lines = grouped_lines(rows, 4, Coalescing { lanes, segments });
        (lines.len(), lines.iter().map(|line| line.sectors.count()).sum())
    }

    fn sectors(address: impl Fn(u64) -> u64) -> (usize, u32) {
        let lines = lines(Lanes::new(&by_lane(address), LaneMask::ALL, 4));
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
        let all = lines(Lanes::new(&by_lane(|lane| 4 * lane + 4), LaneMask::ALL, 4));
        assert_eq!((all[0].full.0, all[1].full.0), (0b1110, 0));
    }

    #[test]
    fn the_sectors_and_words_of_a_range_are_those_of_its_bytes() {
        for from in 0..LINE_BYTES {
            for to in from + 1..=LINE_BYTES {
                let bytes = (from..to).fold(0, |bytes, byte| bytes | 1u128 << byte);
                let (sectors, full) = sectors_between(from, to);
                assert_eq!((sectors, full, words_between(from, to)), touched(bytes), "{from} to {to}");
            }
        }
    }

    #[test]
    fn lines_a_power_of_two_apart_fall_into_one_tag_bank_without_a_hash() {
        let cycles =
            |pitch| tag_cycles(&lines(Lanes::new(&by_lane(|lane| pitch * lane), LaneMask::ALL, 4)), 4, None);
        assert_eq!([cycles(4096), cycles(128)], [32, 8]);
    }

    /// Measured: traces/h200/lsu/tags.txt, 1 lane a line, words in banks of their own.
    #[test]
    fn a_hash_spreads_lines_over_the_tag_banks() {
        let cycles = |lines_apart: u64| {
            let apart = by_lane(|lane| 128 * lines_apart * lane);
            tag_cycles(
                &lines(Lanes::new(&apart, LaneMask::ALL, 4)),
                4,
                Some(super::TagHash { low: 0x3ab5, high: 0x15da }),
            )
        };
        assert_eq!([1, 2, 32, 64, 512].map(cycles), [8; 5]);
        assert_eq!([3, 9, 17, 33, 65].map(cycles), [11, 14, 9, 16, 8]);
    }

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
    fn atomic_operations_touch_a_sector_once_for_every_lane_on_its_busiest_word() {
        // The sectors that the H200 counts for red_global_share1 to share32.
        let accesses = [1, 2, 4, 8, 16, 32]
            .map(|share| atomic_lines(&warp(|lane| lane / share * 4), 4)[0].sector_accesses);
        assert_eq!(accesses, [4, 4, 4, 8, 16, 32]);
    }

    #[test]
    fn lanes_on_one_word_of_shared_memory_come_one_after_another() {
        let passes = shared_atomic_passes(&warp(|lane| lane / 4 * 4), 4, 32);
        assert_eq!(passes, Passes { taken: 4, ideal: 1 });
    }

    #[test]
    fn a_wave_of_64_lanes_shares_the_lines_that_both_rows_touch() {
        assert_eq!(grouped(&wave(|lane| 4 * lane), 64, false), (2, 8));
        assert_eq!(grouped(&wave(|lane| 4 * (lane % 32)), 64, false), (1, 4));
        assert_eq!(grouped(&wave(|lane| 4 * (lane % 32)), 32, false), (2, 8));
    }

    #[test]
    fn half_warps_ask_for_a_line_each_and_for_whole_segments() {
        assert_eq!(grouped(&warp(|lane| 4 * lane), 16, true), (2, 4));
        // One word in every other sector: each half warp takes two segments of 128 bytes.
        assert_eq!(grouped(&warp(|lane| 64 * (lane % 4)), 16, false), (4, 8));
        assert_eq!(grouped(&warp(|lane| 64 * (lane % 4)), 16, true), (4, 16));
        // Four bytes beyond: the first takes a whole line, the second half of it and 32 bytes of the next.
        assert_eq!(grouped(&warp(|lane| 4 * lane + 4), 16, true), (3, 7));
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
    fn lanes_of_both_rows_on_one_word_come_one_after_another() {
        assert_eq!(atomic_lines(&wave(|_| 64), 4)[0].sector_accesses, 64);
        assert_eq!(shared_atomic_passes(&wave(|_| 64), 4, 32).taken, 64);
    }
}
