//! The time axis: folded where nothing changes, broken into lines.

use super::Tracks;
use crate::svg::text_width;
use std::collections::BTreeSet;
use warplab_metrics::integer_text;

/// Width of a fold.
pub(super) const FOLD: f64 = 44.0;
/// Letters of the axis.
pub(super) const SIZE: f64 = 11.5;

/// A stretch of time that is drawn at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) folded: bool,
}

impl Piece {
    pub(super) fn length(&self) -> u64 {
        self.to - self.from
    }
}

/// The time of all panels from the first box to the end of the last, cut into pieces. A fold keeps one unit of what it
/// folds on either side.
pub(super) fn pieces(tracks: &Tracks) -> Vec<Piece> {
    let boxes = || tracks.panels.iter().flat_map(|panel| &panel.lanes).flat_map(|lane| &lane.boxes);
    let cuts: BTreeSet<u64> = boxes().flat_map(|it| [it.from, it.to]).collect();
    let cuts: Vec<u64> = cuts.into_iter().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut add = |piece: Piece| match pieces.last_mut() {
        Some(last) if !last.folded && !piece.folded => last.to = piece.to,
        _ if piece.from < piece.to => pieces.push(piece),
        _ => {}
    };
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if tracks.fold.is_some_and(|fold| to - from >= fold.max(3)) {
            add(Piece { from, to: from + 1, folded: false });
            add(Piece { from: from + 1, to: to - 1, folded: true });
            add(Piece { from: to - 1, to, folded: false });
        } else {
            add(Piece { from, to, folded: false });
        }
    }
    pieces
}

/// Pieces in lines of a width, at so many pixels per unit.
pub(super) fn lines(pieces: &[Piece], pitch: f64, width: f64) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut used = 0.0;
    let mut rest: Vec<Piece> = pieces.iter().rev().copied().collect();
    while let Some(piece) = rest.pop() {
        let own = piece_width(&piece, pitch);
        let line = lines.last_mut().filter(|_| used + own <= width + 0.01);
        if let Some(line) = line {
            line.push(piece);
            used += own;
            continue;
        }
        // A piece that does not fit is cut, unless it is a fold; what is left goes into the next line.
        let room = warplab_metrics::whole_number((width - used + 0.01) / pitch);
        if !piece.folded && room > 0 {
            let cut = piece.from + room.min(piece.length() - 1).max(1);
            if let Some(line) = lines.last_mut() {
                line.push(Piece { to: cut, ..piece });
            }
            rest.push(Piece { from: cut, ..piece });
        } else {
            rest.push(piece);
        }
        lines.push(Vec::new());
        used = 0.0;
    }
    lines
}

/// The width of a piece.
pub(super) fn piece_width(piece: &Piece, pitch: f64) -> f64 {
    if piece.folded { FOLD } else { piece.length() as f64 * pitch }
}

/// Where the moments of a line of pieces lie.
pub(super) struct Places<'a> {
    pieces: &'a [Piece],
    left: f64,
    pitch: f64,
}

impl<'a> Places<'a> {
    pub(super) fn new(pieces: &'a [Piece], left: f64, pitch: f64) -> Places<'a> {
        Places { pieces, left, pitch }
    }

    /// The first unit of the line and one past its last.
    pub(super) fn ends(&self) -> (u64, u64) {
        let first = self.pieces.first().map_or(0, |piece| piece.from);
        (first, self.pieces.last().map_or(first, |piece| piece.to))
    }

    /// Where a moment lies; before and behind the line, at its ends.
    pub(super) fn place(&self, moment: u64) -> f64 {
        let mut x = self.left;
        for piece in self.pieces {
            let width = piece_width(piece, self.pitch);
            if moment < piece.to {
                let inside = moment.saturating_sub(piece.from) as f64 / piece.length() as f64;
                return x + inside * width;
            }
            x += width;
        }
        x
    }

    /// Folds: the left end of each and how much it hides.
    pub(super) fn folds(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let folded = self.pieces.iter().filter(|piece| piece.folded);
        folded.map(|piece| (self.place(piece.from), piece.length()))
    }

    /// The moments whose numbers are written: those of `marked` that stand alone, where the line begins and goes on after a
    /// fold, and round ones, as far as there is room.
    pub(super) fn ticks(&self, marked: &[u64]) -> Vec<u64> {
        let mut chosen: Vec<u64> = Vec::new();
        let mut choose = |moment: u64| {
            let room = |moment: u64| text_width(&integer_text(moment), SIZE) / 2.0 + 4.0;
            let apart =
                |&other: &u64| (self.place(other) - self.place(moment)).abs() >= room(other) + room(moment);
            if chosen.iter().all(apart) {
                chosen.push(moment);
            }
        };
        let alone = marked.iter().enumerate().filter(|&(at, &moment)| {
            let before = at.checked_sub(1).and_then(|at| marked.get(at));
            before.is_none_or(|&before| moment - before > 1)
        });
        alone.map(|(_, &moment)| moment).filter(|&moment| self.shows(moment)).for_each(&mut choose);
        self.pieces.iter().filter(|piece| !piece.folded).for_each(|piece| choose(piece.from));
        for step in self.steps() {
            let (first, end) = self.ends();
            let round = (first.div_ceil(step)..).map(|number| number * step);
            let inside = round.take_while(|&moment| moment < end).filter(|&moment| self.shows(moment));
            inside.for_each(&mut choose);
        }
        chosen.sort_unstable();
        chosen
    }

    /// Whether a moment is in a piece that is not folded.
    fn shows(&self, moment: u64) -> bool {
        self.pieces.iter().any(|piece| !piece.folded && (piece.from..piece.to).contains(&moment))
    }

    /// The distances of round moments: a coarse one first.
    fn steps(&self) -> [u64; 2] {
        let needed = warplab_metrics::whole_number(50.0 / self.pitch).max(1);
        let mut power = 1;
        while power * 10 <= needed {
            power *= 10;
        }
        let step = [1, 2, 5, 10].into_iter().map(|m| m * power).find(|&step| step >= needed);
        let step = step.unwrap_or(needed);
        [step.max(10), step]
    }
}
