//! What copies past level one ask for: what goes from a line to one row of shared memory comes with one request, however it lies there
//! (swizzled tiles of traces/h200/matrices). Of a line that goes to several rows each request brings what lies alike in both, and a
//! sector whose halves lie in two sectors there is asked for twice (measured: traces/h200/lsu/pitch.txt).

use super::coalesce::{LineAccess, Lines};
use smallvec::SmallVec;
use warplab_exec::RowAccess;
use warplab_units::{LINE_BYTES, PerLane, SECTOR_BYTES, SectorMask};

/// Bytes that a lane copies.
pub(super) const PIECE_BYTES: u32 = 16;

/// What one request brings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    line: u64,
    /// The row of shared memory.
    row: u64,
    /// How far what it brings lies behind its place in the line, in a row.
    shift: u64,
    /// Which halves of sectors, where they do not lie together there.
    half: Option<u64>,
}

impl Part {
    /// All that is copied from a line to one row, in any order.
    fn whole(from: u64, to: u64) -> Part {
        Part { line: from & !(LINE_BYTES - 1), row: to / LINE_BYTES, shift: 0, half: None }
    }

    fn new(from: u64, to: u64) -> Part {
        let shift = to.wrapping_sub(from) % LINE_BYTES;
        let half = (!shift.is_multiple_of(SECTOR_BYTES)).then_some(from / u64::from(PIECE_BYTES) % 2);
        Part { line: from & !(LINE_BYTES - 1), row: to / LINE_BYTES, shift, half }
    }
}

/// Sectors that copies ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Those that level one counts: as many as what they bring takes in shared memory, or as are asked for if these are fewer.
    pub(super) counted: u32,
    /// The others.
    pub(super) again: u32,
}

/// Adds the lines that lanes copy from, one for each request, in the order of the lanes.
pub(super) fn lines(row: &RowAccess, places: &PerLane<u64>, all: &mut Lines) -> Asked {
    let mut parts: SmallVec<[(Part, u32); 8]> = SmallVec::new();
    let mut sectors: SmallVec<[u64; 32]> = SmallVec::new();
    for lane in row.mask.lanes() {
        let (from, to) = (row.addresses[lane], places[lane]);
        let words = 0b1111 << (from % LINE_BYTES / 4);
        let lies_in_one_row = row.mask.lanes().all(|other| {
            row.addresses[other] / LINE_BYTES != from / LINE_BYTES
                || places[other] / LINE_BYTES == to / LINE_BYTES
        });
        let part = if lies_in_one_row { Part::whole(from, to) } else { Part::new(from, to) };
        match parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, all)) => *all |= words,
            None => parts.push((part, words)),
        }
        if !sectors.contains(&(to / SECTOR_BYTES)) {
            sectors.push(to / SECTOR_BYTES);
        }
    }
    let mut asked = 0;
    all.extend(parts.into_iter().map(|(part, words)| {
        let touched = (SectorMask::touched_by(words), SectorMask::filled_by(words));
        asked += touched.0.count();
        LineAccess::new(part.line, touched, (words, 0))
    }));
    let counted = asked.min(sectors.len() as u32);
    Asked { counted, again: asked - counted }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Lines, lines};
    use warplab_exec::RowAccess;
    use warplab_units::LaneMask;

    /// Requests, sectors that they ask for, and those that count, of rows of so many bytes that lie so far apart in shared memory.
    fn asked(row: u64, pitch: u64) -> [u32; 3] {
        let from = std::array::from_fn(|lane| 4096 + lane as u64 * 16);
        let places = std::array::from_fn(|lane| lane as u64 * 16 / row * pitch + lane as u64 * 16 % row);
        let mut all = Lines::new();
        let Asked { counted, again } = lines(&RowAccess::new(from, LaneMask::ALL, 16), &places, &mut all);
        [all.len() as u32, counted + again, counted]
    }

    /// The H200 asks level two 1.5 to 3.75 times as often as for rows that lie as in their lines, and for 1.5 times as many sectors
    /// where they lie half a sector off (traces/h200/lsu/pitch.txt).
    #[test]
    fn a_copy_asks_for_what_lies_alike_in_its_line_and_in_shared_memory() {
        assert_eq!(
            [64, 80, 96, 128].map(|pitch| asked(64, pitch)),
            [[4, 16, 16], [15, 24, 20], [10, 16, 16], [8, 16, 16]]
        );
        assert_eq!(
            [128, 144, 160, 192].map(|pitch| asked(128, pitch)),
            [[4, 16, 16], [10, 24, 18], [7, 16, 16], [6, 16, 16]]
        );
    }

    #[test]
    fn a_line_that_goes_to_one_row_is_asked_for_once_in_whatever_order() {
        let from = std::array::from_fn(|lane| 4096 + lane as u64 * 16);
        let places = std::array::from_fn(|lane| (lane as u64 ^ (lane as u64 / 8)) * 16);
        let mut all = Lines::new();
        let asked = lines(&RowAccess::new(from, LaneMask::ALL, 16), &places, &mut all);
        assert_eq!((asked, all.len()), (Asked { counted: 16, again: 0 }, 4));
    }

    #[test]
    fn what_goes_to_many_places_counts_no_more_often_than_it_is_asked_for() {
        let (from, places) = ([4096; 32], std::array::from_fn(|lane| lane as u64 * 32));
        let asked = |from, mask| lines(&RowAccess::new(from, mask, 16), &places, &mut Lines::new());
        assert_eq!(asked(from, LaneMask::ALL), Asked { counted: 32, again: 0 });
        let sector = std::array::from_fn(|lane| 4096 + lane as u64 * 16);
        assert_eq!(asked(sector, LaneMask::first(2)), Asked { counted: 1, again: 0 });
    }
}
