//! The signs of series and references, drawn so that none hides another.

use crate::svg::{COLOURS, Svg};

/// Strokes and gaps of the lines of a chart in turn: where two coincide, the lower is seen through the gaps.
const DASHES: [&str; 5] = ["", "9 5", "3 4", "12 4 3 4", "6 3"];

/// The class of a filled shape of a series.
pub(super) fn fill(series: usize) -> String {
    format!("f{}", series % COLOURS)
}

/// The class of a line of a series.
pub(super) fn stroke(series: usize) -> String {
    format!("s{}", series % COLOURS)
}

/// The strokes and gaps of a series' line.
pub(super) fn dashes(series: usize) -> &'static str {
    DASHES[series % DASHES.len()]
}

/// The point of a series: a circle, a square or a triangle, smaller from series to series, so that one that is drawn upon
/// another leaves its rim.
pub(super) fn point(svg: &mut Svg, (x, y): (f64, f64), series: usize, tooltip: &str) {
    let size = (5.0 - 0.8 * series as f64).max(2.2);
    let class = fill(series);
    match series % 3 {
        0 => svg.circle((x, y), size, &class, tooltip),
        1 => svg.polygon(&square((x, y), size), &class, tooltip),
        _ => {
            let corners =
                [(x, y - size * 1.2), (x + size * 1.1, y + size * 0.8), (x - size * 1.1, y + size * 0.8)];
            svg.polygon(&corners, &class, tooltip);
        }
    }
}

/// The mark of a reference: a hollow diamond, square or circle, so that what is under it is seen. `size` is half of its
/// width.
pub(super) fn mark(svg: &mut Svg, place: (f64, f64), shape: usize, size: f64, tooltip: &str) {
    outline(svg, place, shape, size, "mark", tooltip);
}

/// What sets a mark off from what is under it.
pub(super) fn halo(svg: &mut Svg, place: (f64, f64), shape: usize, size: f64) {
    outline(svg, place, shape, size, "halo", "");
}

fn outline(svg: &mut Svg, (x, y): (f64, f64), shape: usize, size: f64, class: &str, tooltip: &str) {
    match shape % 3 {
        0 => {
            let corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)];
            svg.polygon(&corners, class, tooltip);
        }
        1 => svg.polygon(&square((x, y), size * 0.8), class, tooltip),
        _ => svg.circle((x, y), size * 0.85, class, tooltip),
    }
}

fn square((x, y): (f64, f64), half: f64) -> [(f64, f64); 4] {
    [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
}
