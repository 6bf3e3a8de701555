//! The text timeline: rows are warp slots, columns are cycles, one letter a state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warplab_trace::{StateInterval, WarpState};

/// Columns of the text, with the names of the rows.
const COLUMNS: usize = 100;

/// Columns before the first cycle.
const INDENT: usize = 12;

/// What part of a run is shown and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineOptions {
    /// The multiprocessor, for the title.
    pub sm: u32,
    /// The cycles to show; all of them if not given.
    pub cycles: Option<Range<u64>>,
    /// The most columns after the row's name; further columns go into further blocks.
    pub width: usize,
    /// At least so many equal columns are folded into one mark.
    pub fold: usize,
}

impl Default for TimelineOptions {
    fn default() -> TimelineOptions {
        TimelineOptions { sm: 0, cycles: None, width: COLUMNS - INDENT, fold: 12 }
    }
}

/// The cycles `from..to`, in which no warp changes its state.
struct Run {
    from: u64,
    to: u64,
    letters: Vec<char>,
}

/// A piece of a line: one cycle, or a folded run.
struct Piece {
    cycle: u64,
    /// The cells of the rows, all equally wide.
    cells: Vec<String>,
    width: usize,
    folded: bool,
}

/// The states of the warps of one multiprocessor as text.
#[must_use]
pub fn timeline_text(intervals: &[StateInterval], options: &TimelineOptions) -> String {
    let slots: Vec<u8> =
        intervals.iter().map(|interval| interval.slot.0).collect::<BTreeSet<u8>>().into_iter().collect();
    let first = intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let last = intervals.iter().map(|interval| interval.to.0).max().unwrap_or(0);
    let window = options.cycles.clone().unwrap_or(first..last);
    let window = window.start.max(first)..window.end.min(last);
    if slots.is_empty() || window.is_empty() {
        return format!("    Timeline of sm{}: no warp was resident in these cycles\n", options.sm);
    }
    let runs = runs(intervals, &slots, &window);
    let pieces = pieces(&runs, options.fold.max(2));
    let mut text = format!("    Timeline of sm{}, cycles {} to {}\n", options.sm, window.start, window.end);
    let width = options.width.max(16);
    for line in lines(&pieces, width) {
        text.push('\n');
        text.push_str(&block(line, &slots, width));
    }
    text.push('\n');
    text.push_str(&legend(&runs));
    text
}

/// The window cut where some warp changes its state.
fn runs(intervals: &[StateInterval], slots: &[u8], window: &Range<u64>) -> Vec<Run> {
    let mut cuts: BTreeSet<u64> = [window.start, window.end].into();
    let mut rows: BTreeMap<u8, Vec<&StateInterval>> = BTreeMap::new();
    for interval in intervals {
        if interval.to.0 > window.start && interval.from.0 < window.end {
            cuts.extend([interval.from.0.max(window.start), interval.to.0.min(window.end)]);
            rows.entry(interval.slot.0).or_default().push(interval);
        }
    }
    for row in rows.values_mut() {
        row.sort_by_key(|interval| interval.from);
    }
    let cuts: Vec<u64> = cuts.into_iter().collect();
    let letter = |slot: &u8, cycle: u64| {
        let row = rows.get(slot)?;
        let place = row.partition_point(|interval| interval.from.0 <= cycle).checked_sub(1)?;
        (cycle < row[place].to.0).then(|| row[place].state.letter())
    };
    let mut runs: Vec<Run> = Vec::new();
    for pair in cuts.windows(2) {
        let letters: Vec<char> = slots.iter().map(|slot| letter(slot, pair[0]).unwrap_or(' ')).collect();
        match runs.last_mut() {
            Some(before) if before.letters == letters => before.to = pair[1],
            _ => runs.push(Run { from: pair[0], to: pair[1], letters }),
        }
    }
    runs
}

/// Runs as columns: short ones a column per cycle, long ones two columns around a mark.
fn pieces(runs: &[Run], fold: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for run in runs {
        let length = run.to - run.from;
        let single = |cycle: u64| Piece {
            cycle,
            cells: run.letters.iter().map(char::to_string).collect(),
            width: 1,
            folded: false,
        };
        if length < fold as u64 {
            pieces.extend((run.from..run.to).map(single));
            continue;
        }
        let mark = format!("…({})…", length - 2);
        let width = mark.chars().count();
        pieces.push(single(run.from));
        let cells =
            run.letters.iter().map(|&letter| if letter == ' ' { " ".repeat(width) } else { mark.clone() });
        pieces.push(Piece { cycle: run.from + 1, cells: cells.collect(), width, folded: true });
        pieces.push(single(run.to - 1));
    }
    pieces
}

/// Pieces in lines of at most `width` columns.
fn lines(pieces: &[Piece], width: usize) -> Vec<&[Piece]> {
    let mut lines = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (index, piece) in pieces.iter().enumerate() {
        if used + piece.width > width && index > start {
            lines.push(&pieces[start..index]);
            (start, used) = (index, 0);
        }
        used += piece.width;
    }
    if start < pieces.len() {
        lines.push(&pieces[start..]);
    }
    lines
}

/// A ruler and the rows of some pieces.
fn block(pieces: &[Piece], slots: &[u8], width: usize) -> String {
    let mut text = format!("    {:<8}{}\n", "cycle", ruler(pieces, width));
    for (row, slot) in slots.iter().enumerate() {
        let cells: String = pieces.iter().map(|piece| piece.cells[row].as_str()).collect();
        text.push_str(format!("    {:<8}{cells}", format!("warp{slot}")).trim_end());
        text.push('\n');
    }
    text
}

/// Cycle numbers above the columns: at the first column, at every tenth cycle and after folds, where there is room in
/// `width` columns.
fn ruler(pieces: &[Piece], width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    let mut after_fold = true;
    for piece in pieces {
        let written = text.chars().count();
        let wanted = !piece.folded && (after_fold || piece.cycle.is_multiple_of(10));
        let number = format!("|{}", piece.cycle);
        if wanted && (written < column || column == 0) && column + number.len() <= width {
            text.push_str(&" ".repeat(column - written));
            text.push_str(&number);
            after_fold = false;
        }
        after_fold |= piece.folded;
        column += piece.width;
    }
    text
}

/// The letters that appear, each with its state.
fn legend(runs: &[Run]) -> String {
    let seen: BTreeSet<char> = runs.iter().flat_map(|run| run.letters.iter().copied()).collect();
    let states = WarpState::all().filter(|state| seen.contains(&state.letter()));
    let names = states.map(|state| {
        let label = state.label();
        let label = label.strip_prefix("Stall ").unwrap_or(label);
        format!("{} {}", state.letter(), label.to_lowercase())
    });
    let words: Vec<String> = names.collect();
    crate::wrap::wrap(&words.join(", "), COLUMNS - 4)
        .into_iter()
        .map(|line| format!("    {line}\n"))
        .collect()
}

#[cfg(test)]
mod tests;
