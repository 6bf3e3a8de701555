//! What the warps of one multiprocessor did in a window of cycles.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;
use warplab_trace::{StateInterval, WarpState};
use warplab_units::{Cycle, WarpMask, WarpSlot};

/// Cycles that are shown when none are asked for.
const WINDOW: u64 = 20_000;

/// Intervals that are shown at most when no cycles are asked for, to keep the page small.
const INTERVALS: usize = 120_000;

/// What was recorded of one multiprocessor.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The multiprocessor.
    pub sm: u32,
    /// The warps that came, in order.
    pub warps: Vec<ResidentWarp>,
    /// The states of the warps.
    pub intervals: &'a [StateInterval],
    /// Instructions that issued: cycle, warp slot, program counter, lanes.
    pub issues: &'a [(Cycle, WarpSlot, u32, WarpMask)],
    /// The cycles to show; the first that something happened in, if not given.
    pub window: Option<Range<u64>>,
    /// Whether later intervals are missing.
    pub cut: bool,
}

/// A warp that was resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResidentWarp {
    /// Its slot.
    pub slot: u8,
    /// Its block.
    pub block: u64,
    /// Its number in the block.
    pub warp: u32,
    /// The cycle at which its block came.
    pub from: u64,
}

/// The window.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct TimelineDocument {
    sm: u32,
    schedulers: u32,
    from: u64,
    to: u64,
    /// The cycles that were recorded.
    recorded_from: u64,
    recorded_to: u64,
    cut: bool,
    warps: Vec<ResidentWarp>,
    rows: Vec<Row>,
}

/// One warp slot. A slot belongs to the scheduler of its number modulo the schedulers.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    slot: u8,
    /// From the start of the window, one after the other: length in cycles, place of the state in the document's list
    /// (-1 where no warp is resident), and the program counter less the one before.
    intervals: Vec<i64>,
    /// Lanes of the instructions that issued, in order: how many instructions in a row, and their lanes.
    lanes: Vec<u32>,
}

/// What was recorded of a multiprocessor with so many schedulers, as the page draws it.
#[must_use]
pub fn timeline_document(record: &Record<'_>, schedulers: u32) -> TimelineDocument {
    TimelineDocument::of(record, schedulers)
}

impl TimelineDocument {
    pub(crate) fn of(record: &Record<'_>, schedulers: u32) -> TimelineDocument {
        let recorded_from = record.intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
        let recorded_to = record.intervals.iter().map(|interval| interval.to.0).max().unwrap_or(0);
        let window = match &record.window {
            Some(asked) => {
                let to = asked.end.min(recorded_to);
                asked.start.max(recorded_from).min(to)..to
            }
            None => chosen(record.intervals, recorded_from, recorded_to),
        };
        let mut rows: BTreeMap<u8, Vec<&StateInterval>> = BTreeMap::new();
        for interval in record.intervals {
            if interval.to.0 > window.start && interval.from.0 < window.end {
                rows.entry(interval.slot.0).or_default().push(interval);
            }
        }
        let lanes = lanes(record, &window);
        TimelineDocument {
            sm: record.sm,
            schedulers,
            from: window.start,
            to: window.end,
            recorded_from,
            recorded_to,
            cut: record.cut,
            warps: record.warps.iter().filter(|warp| warp.from < window.end).copied().collect(),
            rows: rows.into_iter().map(|(slot, intervals)| row(slot, intervals, &window, &lanes)).collect(),
        }
    }
}

/// A window that is not too much to look at.
fn chosen(intervals: &[StateInterval], from: u64, to: u64) -> Range<u64> {
    let end = to.min(from.saturating_add(WINDOW));
    let mut starts: Vec<u64> =
        intervals.iter().map(|interval| interval.from.0).filter(|&start| start < end).collect();
    if starts.len() <= INTERVALS {
        return from..end;
    }
    let (_, last, _) = starts.select_nth_unstable(INTERVALS);
    from..*last
}

fn row(
    slot: u8,
    mut intervals: Vec<&StateInterval>,
    window: &Range<u64>,
    lanes: &BTreeMap<u8, Vec<u32>>,
) -> Row {
    intervals.sort_by_key(|interval| interval.from);
    let mut row = Row { slot, intervals: Vec::new(), lanes: lanes.get(&slot).cloned().unwrap_or_default() };
    let (mut at, mut pc) = (window.start, 0_i64);
    for interval in intervals {
        let (from, to) = (interval.from.0.max(at), interval.to.0.min(window.end));
        if to <= from {
            continue;
        }
        if from > at {
            row.intervals.extend([signed(from - at), -1, 0]);
        }
        let index = signed(interval.state.index() as u64);
        let goes_on = interval.state != WarpState::Selected && from == at && i64::from(interval.pc) == pc;
        match row.intervals.as_mut_slice() {
            [.., length, state, _] if goes_on && *state == index => *length += signed(to - from),
            _ => row.intervals.extend([signed(to - from), index, i64::from(interval.pc) - pc]),
        }
        (at, pc) = (to, i64::from(interval.pc));
    }
    row
}

/// The lanes of what issued, by slot, equal ones in a row counted together.
fn lanes(record: &Record<'_>, window: &Range<u64>) -> BTreeMap<u8, Vec<u32>> {
    let mut all: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
    for &(cycle, slot, _, mask) in record.issues {
        if !window.contains(&cycle.0) {
            continue;
        }
        let row = all.entry(slot.0).or_default();
        match row.as_mut_slice() {
            [.., count, lanes] if *lanes == mask.count() => *count += 1,
            _ => row.extend([1, mask.count()]),
        }
    }
    all
}

fn signed(cycles: u64) -> i64 {
    i64::try_from(cycles).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Record, Row, TimelineDocument, chosen, signed};
    use std::ops::Range;
    use warplab_config::load_gpu;
    use warplab_diagnostics::Source;
    use warplab_trace::{StallReason, StateInterval, WarpState};
    use warplab_units::{Cycle, WarpMask, WarpSlot};

    const WAIT: WarpState = WarpState::Stalled(StallReason::Wait);

    fn interval(slot: u8, state: WarpState, pc: u32, cycles: Range<u64>) -> StateInterval {
        StateInterval { slot: WarpSlot(slot), state, pc, from: Cycle(cycles.start), to: Cycle(cycles.end) }
    }

    fn document(intervals: &[StateInterval], window: Option<Range<u64>>) -> TimelineDocument {
        let source = Source::new("toy.ron", include_str!("../../../configs/gpus/toy.ron"));
        let limits = load_gpu(&source).expect("the shipped machine loads").limits;
        let issues = [
            (Cycle(10), WarpSlot(0), 3, WarpMask::first(32)),
            (Cycle(12), WarpSlot(0), 4, WarpMask::first(8)),
        ];
        let record = Record { sm: 0, warps: Vec::new(), intervals, issues: &issues, window, cut: false };
        TimelineDocument::of(&record, limits.sub_partitions)
    }

    #[test]
    fn a_row_has_no_gaps_and_joins_what_goes_on() {
        let wait = signed(WAIT.index() as u64);
        let selected = signed(WarpState::Selected.index() as u64);
        let intervals = [
            interval(0, WarpState::Selected, 3, 10..11),
            interval(0, WAIT, 4, 11..12),
            interval(0, WAIT, 4, 12..15),
            interval(0, WarpState::Selected, 4, 20..21),
        ];
        let rows = document(&intervals, Some(0..30)).rows;
        let row = Row {
            slot: 0,
            intervals: vec![1, selected, 3, 4, wait, 1, 5, -1, 0, 1, selected, 0],
            lanes: vec![1, 32, 1, 8],
        };
        assert_eq!(rows, [row]);
    }

    #[test]
    fn a_window_cuts_intervals_and_issues() {
        let intervals = [interval(0, WAIT, 0, 0..100), interval(5, WAIT, 0, 90..100)];
        let found = document(&intervals, Some(11..60));
        assert_eq!((found.from, found.to, found.recorded_to), (11, 60, 100));
        assert_eq!(found.rows.len(), 1);
        assert_eq!((found.rows[0].intervals[0], &found.rows[0].lanes[..]), (49, &[1, 8][..]));
    }

    #[test]
    fn without_a_window_as_much_is_shown_as_keeps_the_page_small() {
        let long: Vec<StateInterval> =
            (0..50_000).map(|cycle| interval(0, WAIT, 0, cycle..cycle + 1)).collect();
        assert_eq!(chosen(&long, 0, 50_000), 0..20_000);
        let busy: Vec<StateInterval> = (0..64)
            .flat_map(|slot| (0..5_000).map(move |cycle| interval(slot, WAIT, 0, cycle..cycle + 1)))
            .collect();
        assert_eq!(chosen(&busy, 0, 5_000), 0..1_875);
    }
}
