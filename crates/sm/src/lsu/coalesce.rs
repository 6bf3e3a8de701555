//! From the addresses of a warp's lanes to lines and sectors. A warp of 64 lanes comes as two rows of 32.

use super::sets::tag_bank;
use serde::{Deserialize, Serialize};
use warplab_config::gpu::TagHash;
use warplab_exec::{Lanes, Pattern, RowAccess};
use warplab_units::{Address, LINE_BYTES, LaneMask, PerLane, ROW_LANES, SECTOR_BYTES, SectorMask};

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
    /// Words of which only some bytes are touched.
    pub(crate) parts: u32,
    /// How often level two touches sectors for an atomic operation: each once for every lane on its busiest word.
    pub(crate) sector_accesses: u8,
    /// Flits of an atomic operation beside those of its sectors.
    pub(crate) headers: u8,
    /// Whether it is a compare-and-swap, which brings two values for each lane.
    pub(crate) compares: bool,
    /// Whether its data goes to shared memory.
    pub(crate) copied: bool,
    /// Whether it passes L1 and joins no other request there: a copy to shared memory.
    pub(crate) alone: bool,
}

impl LineAccess {
    /// An access to a line that is no atomic operation.
    #[inline]
    pub(super) fn new(
        line: u64,
        (sectors, full): (SectorMask, SectorMask),
        (words, parts): (u32, u32),
    ) -> LineAccess {
        let line = Address(line);
        let (sector_accesses, headers, compares, copied, alone) = (0, 0, false, false, false);
        LineAccess { line, sectors, full, words, parts, sector_accesses, headers, compares, copied, alone }
    }
}

/// The lines of an access. Lanes are aligned to their size, so each touches one, and four of local memory.
pub(crate) type Lines = Vec<LineAccess>;

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

/// Adds the lines that the lanes of a warp touch, group after group; a line that several groups touch comes for each.
pub(crate) fn grouped_lines(rows: &[RowAccess; 2], bytes: u32, coalescing: Coalescing, all: &mut Lines) {
    let [lower, upper] = rows;
    if coalescing.lanes as usize == ROW_LANES && upper.mask.is_empty() && !coalescing.segments {
        return lines(lower.lanes(bytes), all);
    }
    if coalescing.lanes as usize > ROW_LANES {
        return row_lines(rows, bytes, all);
    }
    let before = all.len();
    for row in rows {
        for first in (0..ROW_LANES).step_by(coalescing.lanes.max(1) as usize) {
            let group = LaneMask(LaneMask::first(coalescing.lanes).0 << first) & row.mask;
            lines(Lanes::new(&row.addresses, group, bytes), all);
        }
    }
    if coalescing.segments {
        all[before..].iter_mut().for_each(|access| access.sectors = segment(access.sectors));
    }
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

/// Adds the lines that the lanes of a warp touch, each once.
pub(crate) fn row_lines(rows: &[RowAccess; 2], bytes: u32, all: &mut Lines) {
    let [lower, upper] = rows;
    let before = all.len();
    lines(lower.lanes(bytes), all);
    if !upper.mask.is_empty() {
        let mut others = Lines::new();
        lines(upper.lanes(bytes), &mut others);
        join(all, before, others);
    }
}

/// Adds lines to those from a place on, each once. A sector that only all together cover counts as covered in part.
fn join(all: &mut Lines, first: usize, others: Lines) {
    for access in others {
        match all[first..].iter_mut().find(|known| known.line == access.line) {
            Some(known) => {
                known.sectors |= access.sectors;
                known.full |= access.full;
                known.words |= access.words;
                known.parts |= access.parts;
            }
            None => all.push(access),
        }
    }
}

/// Adds the lines that lanes touch, in the order of the lanes that touch them first.
pub(crate) fn lines(lanes: Lanes<'_>, all: &mut Lines) {
    let Lanes { addresses, mask, bytes, pattern } = lanes;
    match (pattern, mask.lowest()) {
        (Pattern::Contiguous, _) => {
            let first = addresses[0];
            lines_of_range(first, first + u64::from(bytes) * ROW_LANES as u64, all);
        }
        (Pattern::Uniform, Some(lane)) if bytes > 0 => {
            lines_of_range(addresses[lane], addresses[lane] + u64::from(bytes), all);
        }
        _ => {
            let bits = addresses.iter().fold(u64::from(bytes), |bits, address| bits | address);
            if bytes > 0 && bits % WORD_BYTES == 0 {
                lines_of_words(addresses, mask, bytes / WORD_BYTES as u32, all);
            } else {
                lines_of_bytes(addresses, mask, bytes, all);
            }
        }
    }
}

/// Adds the lines of lanes that touch so many whole words each.
fn lines_of_words(addresses: &PerLane<u64>, mask: LaneMask, words: u32, all: &mut Lines) {
    let span = u32::MAX >> (32 - words.clamp(1, 32));
    let mut found = Found::default();
    let mut touched = [0u32; ROW_LANES];
    for lane in mask.lanes() {
        let place = found.place(addresses[lane] & !(LINE_BYTES - 1));
        touched[place] |= span << (addresses[lane] % LINE_BYTES / WORD_BYTES);
    }
    let each = found.lines().iter().zip(touched);
    all.extend(each.map(|(&line, words)| {
        let sectors = (SectorMask::touched_by(words), SectorMask::filled_by(words));
        LineAccess::new(line, sectors, (words, 0))
    }));
}

/// Adds the lines of lanes that touch so many bytes each.
fn lines_of_bytes(addresses: &PerLane<u64>, mask: LaneMask, bytes: u32, all: &mut Lines) {
    let span = u128::MAX >> (128 - bytes.clamp(1, 128));
    let mut found = Found::default();
    let mut covered = [0u128; ROW_LANES];
    for lane in mask.lanes() {
        let place = found.place(addresses[lane] & !(LINE_BYTES - 1));
        covered[place] |= span << (addresses[lane] % LINE_BYTES);
    }
    for (&line, covered) in found.lines().iter().zip(covered) {
        let (sectors, words) = touched(covered);
        all.push(LineAccess::new(line, sectors, words));
    }
}

/// The different lines of lanes, in the order of the lanes that touch them first.
struct Found {
    lines: [u64; ROW_LANES],
    count: usize,
    /// Where a line is that has this hash or one of those before it: its place and one more, and nothing where none is.
    places: [u8; 2 * ROW_LANES],
}

impl Default for Found {
    fn default() -> Found {
        Found { lines: [0; ROW_LANES], count: 0, places: [0; 2 * ROW_LANES] }
    }
}

impl Found {
    /// The place of a line, which comes last if it is new.
    #[inline(always)]
    fn place(&mut self, line: u64) -> usize {
        let mut hash = (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize % self.places.len();
        loop {
            match usize::from(self.places[hash]) {
                0 => break,
                after if self.lines[(after - 1) % ROW_LANES] == line => return (after - 1) % ROW_LANES,
                _ => hash = (hash + 1) % self.places.len(),
            }
        }
        let place = self.count % ROW_LANES;
        self.lines[place] = line;
        self.count += 1;
        self.places[hash] = self.count as u8;
        place
    }

    fn lines(&self) -> &[u64] {
        &self.lines[..self.count]
    }
}

/// Adds the lines of the bytes from `start` to `end`.
fn lines_of_range(start: u64, end: u64, all: &mut Lines) {
    let mut at = start;
    while at < end {
        let line = at & !(LINE_BYTES - 1);
        let next = end.min(line + LINE_BYTES);
        let (from, to) = (at - line, next - line);
        all.push(LineAccess::new(line, sectors_between(from, to), words_between(from, to)));
        at = next;
    }
}

/// The sectors of a line of which some bytes, and of which all bytes are touched, and the words of which all are, and of which
/// only some; a bit for each byte.
#[inline]
fn touched(covered: u128) -> ((SectorMask, SectorMask), (u32, u32)) {
    let (low, high) = (covered as u64, (covered >> 64) as u64);
    let parts = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
    let (mut some, mut all) = (0, 0);
    for (sector, part) in parts.into_iter().enumerate() {
        some |= u8::from(part != 0) << sector;
        all |= u8::from(part == u32::MAX) << sector;
    }
    let words = |low, high| words_of_bytes(low) | words_of_bytes(high) << 16;
    let (whole, untouched) = (words(low, high), words(!low, !high));
    ((SectorMask(some), SectorMask(all)), (whole, !(whole | untouched)))
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

/// The words of a line of which all bytes are touched, from byte `from` to byte `to`, and those of which only some are.
fn words_between(from: u64, to: u64) -> (u32, u32) {
    let before = |word: u64| ((1u64 << word) - 1) as u32;
    let words = before(to / WORD_BYTES) & !before(from.div_ceil(WORD_BYTES));
    (words, before(to.div_ceil(WORD_BYTES)) & !before(from / WORD_BYTES) & !words)
}

/// Adds the lines of an access to local memory, where the words of a wide one lie a line apart.
pub(crate) fn local_lines(rows: &[RowAccess; 2], bytes: u32, all: &mut Lines) {
    for row in rows.iter().filter(|row| !row.mask.is_empty()) {
        let before = all.len();
        lines(Lanes::new(&row.addresses, row.mask, bytes.min(4)), all);
        for word in 1..u64::from(bytes.div_ceil(4)) {
            // Lanes that are at different words meet in a line.
            let addresses = row.addresses.map(|address| address.wrapping_add(word * LINE_BYTES));
            let mut further = Lines::new();
            lines(Lanes::new(&addresses, row.mask, 4), &mut further);
            join(all, before, further);
        }
    }
}

/// Cycles of the tag unit: lines of one bank are looked up one after another.
pub(crate) fn tag_cycles(lines: &[LineAccess], banks: u32, hash: Option<TagHash>) -> u32 {
    if lines.len() <= 1 {
        return lines.len() as u32;
    }
    let mut counts = [0u32; 32];
    for access in lines {
        counts[bank_of(access, banks, hash)] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}

/// The tag bank of a line, below 32.
#[inline]
pub(crate) fn bank_of(access: &LineAccess, banks: u32, hash: Option<TagHash>) -> usize {
    let number = access.line.0 / LINE_BYTES;
    match hash {
        Some(hash) => tag_bank(number, hash),
        None => (number % u64::from(banks.clamp(1, 32))) as usize,
    }
}

/// The fewest sectors that so many lanes of so many bytes could touch.
pub(crate) fn ideal_sectors(rows: &[RowAccess; 2], bytes: u32) -> u32 {
    let lanes: u32 = rows.iter().map(|row| row.mask.count()).sum();
    (lanes * bytes).div_ceil(SECTOR_BYTES as u32)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{
        Coalescing, Lines, grouped_lines, lines_of_bytes, lines_of_words, sectors_between, tag_cycles,
        touched, words_between,
    };
    use warplab_exec::{Lanes, RowAccess};
    use warplab_units::{LINE_BYTES, LaneMask, PerLane, SectorMask};

    pub(crate) fn by_lane(mut address: impl FnMut(u64) -> u64) -> PerLane<u64> {
        std::array::from_fn(|lane| address(lane as u64))
    }

    /// All lanes of a warp of 32, of so many bytes each.
    pub(crate) fn wide_warp(bytes: u32, address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        [RowAccess::new(by_lane(address), LaneMask::ALL, bytes), RowAccess::default()]
    }

    /// All lanes of a warp of 32, of four bytes each.
    pub(crate) fn warp(address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        wide_warp(4, address)
    }

    /// All lanes of a warp of 64.
    pub(crate) fn wave(address: impl Fn(u64) -> u64) -> [RowAccess; 2] {
        [0, 32].map(|first| RowAccess::new(by_lane(|lane| address(first + lane)), LaneMask::ALL, 4))
    }

    pub(crate) fn added(add: impl FnOnce(&mut Lines)) -> Lines {
        let mut all = Lines::new();
        add(&mut all);
        all
    }

    fn lines(lanes: Lanes<'_>) -> Lines {
        added(|all| super::lines(lanes, all))
    }

    /// Lines and sectors of loads of four bytes, in groups of so many lanes.
    fn grouped(rows: &[RowAccess; 2], lanes: u32, segments: bool) -> (usize, u32) {
        let lines = added(|all| grouped_lines(rows, 4, Coalescing { lanes, segments }, all));
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
                let words = words_between(from, to);
                assert_eq!(((sectors, full), words), touched(bytes), "{from} to {to}");
                if from % 4 == 0 && to % 4 == 0 {
                    let of_words = (SectorMask::touched_by(words.0), SectorMask::filled_by(words.0));
                    assert_eq!((sectors, full), of_words, "{from} to {to}");
                }
            }
        }
    }

    #[test]
    fn scattered_words_touch_the_lines_that_their_bytes_touch() {
        let mut seed = 1u64;
        for (words, lines) in [(1, 2), (1, 40), (1, 5000), (2, 7), (4, 40)] {
            let mut next = |below: u64| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (seed >> 33) % below
            };
            let mask = LaneMask(next(1 << 31) as u32 | 1);
            let addresses = by_lane(|_| next(lines * 32 / words) * words * 4);
            let words = words as u32;
            assert_eq!(
                added(|all| lines_of_words(&addresses, mask, words, all)),
                added(|all| lines_of_bytes(&addresses, mask, 4 * words, all))
            );
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
}
