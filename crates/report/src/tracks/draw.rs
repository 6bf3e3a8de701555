//! The drawing of lanes.

use super::axis::{Piece, Places, SIZE, lines, piece_width, pieces};
use super::{Lane, Panel, TrackBox, Tracks};
use crate::heading::Heading;
use crate::legend::Item;
use crate::svg::{Anchor, Svg, text_width};
use std::collections::BTreeSet;
use warplab_metrics::integer_text;

/// The width of a picture whose units have room for a letter.
const NARROW: f64 = 600.0;
/// That of one whose units have none.
const WIDE: f64 = 960.0;
const MARGIN: f64 = 12.0;
/// Pixels per unit that give a letter room: the widest that needs no further line is taken.
const PITCHES: [f64; 8] = [24.0, 21.0, 18.0, 16.0, 14.0, 13.0, 12.0, 11.0];
const NARROWEST: f64 = 10.5;
/// About how many lanes all lines together may have.
const MOST_LANES: usize = 120;
/// The most lines.
const MOST_LINES: usize = 10;
/// Height of the head of a panel, and of an axis under the panels.
const HEAD: f64 = 20.0;
const AXIS: f64 = 26.0;

/// How a picture is laid out.
struct Layout {
    width: f64,
    left: f64,
    pitch: f64,
    row: f64,
    lines: Vec<Vec<Piece>>,
}

impl Layout {
    fn new(tracks: &Tracks) -> Layout {
        let names = tracks.panels.iter().flat_map(|panel| &panel.lanes).map(|lane| lane.name.as_str());
        let left = MARGIN + names.map(|name| text_width(name, 12.0)).fold(40.0, f64::max) + 8.0;
        let lanes: usize = tracks.panels.iter().map(|panel| panel.lanes.len()).sum();
        let most = (MOST_LANES / lanes.max(1)).clamp(1, MOST_LINES);
        let pieces = pieces(tracks);
        let room = NARROW - left - MARGIN;
        let row: f64 = if lanes > 40 { 13.0 } else { 18.0 };
        let fewest = lines(&pieces, NARROWEST, room).len();
        if fewest <= most {
            let pitch = PITCHES.into_iter().find(|&pitch| lines(&pieces, pitch, room).len() == fewest);
            let pitch = pitch.unwrap_or(NARROWEST);
            let row = row.max(pitch);
            return Layout { width: NARROW, left, pitch, row, lines: lines(&pieces, pitch, room) };
        }
        let folds: f64 = pieces.iter().filter(|it| it.folded).map(|it| piece_width(it, 0.0)).sum();
        let units: u64 = pieces.iter().filter(|it| !it.folded).map(Piece::length).sum();
        let one_line = |width: f64| (width - left - MARGIN - folds) / units.max(1) as f64;
        // Where folds alone fill a line, nothing is folded.
        if one_line(WIDE) <= 0.0 {
            return Layout::new(&Tracks { fold: None, ..tracks.clone() });
        }
        let narrow = one_line(NARROW);
        let (width, pitch) = if narrow >= 2.0 { (NARROW, narrow) } else { (WIDE, one_line(WIDE)) };
        Layout { width, left, pitch, row, lines: vec![pieces] }
    }

    /// The height of the panels of a line, without its axis.
    fn panels_height(&self, tracks: &Tracks) -> f64 {
        let panel = |panel: &Panel| head(panel) + self.row * panel.lanes.len() as f64 + 6.0;
        tracks.panels.iter().map(panel).sum()
    }
}

fn head(panel: &Panel) -> f64 {
    if panel.title.is_empty() { 0.0 } else { HEAD }
}

/// Lanes over time as an SVG document.
#[must_use]
pub fn tracks_svg(tracks: &Tracks) -> String {
    let layout = Layout::new(tracks);
    let heading = Heading::new(&tracks.title, items(tracks), layout.width, MARGIN);
    let top = heading.bottom() + 10.0;
    let line = layout.panels_height(tracks) + AXIS;
    let height = top + line * layout.lines.len() as f64 + 20.0;
    let mut svg = Svg::new((layout.width, height), &tracks.title, &description(tracks));
    heading.draw(&mut svg);
    for (number, pieces) in layout.lines.iter().enumerate() {
        let places = Places::new(pieces, layout.left, layout.pitch);
        draw_line(&mut svg, tracks, &layout, &places, top + line * number as f64);
    }
    let foot = (layout.left, height - 8.0);
    svg.classed_text(foot, SIZE, Anchor::Start, "soft", &format!("time in {}", tracks.unit));
    svg.finish()
}

fn draw_line(svg: &mut Svg, tracks: &Tracks, layout: &Layout, places: &Places<'_>, top: f64) {
    let mut y = top;
    for panel in &tracks.panels {
        if !panel.title.is_empty() {
            svg.text((MARGIN, y + 14.0), 13.0, Anchor::Start, &panel.title);
            y += HEAD;
        }
        for lane in &panel.lanes {
            draw_lane(svg, lane, layout, places, y);
            y += layout.row;
        }
        y += 6.0;
    }
    draw_axis(svg, tracks, places, (top, y));
}

fn draw_lane(svg: &mut Svg, lane: &Lane, layout: &Layout, places: &Places<'_>, y: f64) {
    let (first, end) = places.ends();
    if lane.heads {
        let size = (places.place(end) - layout.left, layout.row);
        svg.rectangle((layout.left, y), size, "class=\"band\"", "");
    }
    svg.text((layout.left - 6.0, y + layout.row * 0.5 + 4.0), 12.0, Anchor::End, &lane.name);
    for it in lane.boxes.iter().filter(|it| it.to > first && it.from < end) {
        draw_box(svg, it, layout, places, y);
    }
}

fn draw_box(svg: &mut Svg, it: &TrackBox, layout: &Layout, places: &Places<'_>, y: f64) {
    let (from, to) = (places.place(it.from), places.place(it.to));
    // A unit of a long picture is drawn half a pixel wide at least: it must be seen.
    let gap = if layout.pitch >= 4.0 { 0.6 } else { 0.0 };
    let size = ((to - from - gap).max(0.5), layout.row - 2.0);
    let look = format!("class=\"box\" fill=\"{}\"", it.colour);
    svg.rectangle((from, y + 1.0), size, &look, &it.says);
    let room = to - from >= 9.0 && layout.row >= 13.0;
    if let Some(letter) = it.letter.filter(|_| room) {
        let class = if is_dark(it.colour) { "on-dark" } else { "on-light" };
        let height = (layout.row * 0.66).min(14.0);
        let middle = (from + size.0 / 2.0, y + layout.row * 0.5 + height * 0.36);
        svg.classed_text(middle, height, Anchor::Middle, class, &letter.to_string());
    }
}

/// Numbers under the lanes, and a break with the units that it hides at every fold.
fn draw_axis(svg: &mut Svg, tracks: &Tracks, places: &Places<'_>, (top, bottom): (f64, f64)) {
    let (first, end) = places.ends();
    svg.line((places.place(first), bottom), (places.place(end), bottom), "axis", 1.0);
    for (left, hidden) in places.folds() {
        let width = super::axis::FOLD;
        svg.rectangle((left, top), (width, bottom - top + 1.0), "class=\"paper\" fill-opacity=\"0.72\"", "");
        for edge in [left + 2.0, left + width - 2.0] {
            svg.polyline(&zigzag(edge, (top, bottom)), "axis", 1.0, "");
        }
        let middle = (left + width / 2.0, (top + bottom) / 2.0 + 4.0);
        svg.text(middle, SIZE, Anchor::Middle, &format!("+{}", integer_text(hidden)));
    }
    for tick in places.ticks(&marked(tracks)) {
        let x = places.place(tick);
        svg.line((x, bottom), (x, bottom + 4.0), "axis", 1.0);
        svg.text((x, bottom + 16.0), SIZE, Anchor::Middle, &integer_text(tick));
    }
}

/// A line that says that something is left out.
fn zigzag(x: f64, (top, bottom): (f64, f64)) -> Vec<(f64, f64)> {
    let steps = warplab_metrics::whole_number((bottom - top) / 6.0).max(1);
    let place = |step: u64| {
        let side = if step.is_multiple_of(2) { -2.0 } else { 2.0 };
        (x + side, top + (bottom - top) * step as f64 / steps as f64)
    };
    (0..=steps).map(place).collect()
}

/// Where boxes of lanes that sum up begin, in order.
fn marked(tracks: &Tracks) -> Vec<u64> {
    let heads = tracks.panels.iter().flat_map(|panel| &panel.lanes).filter(|lane| lane.heads);
    let moments: BTreeSet<u64> = heads.flat_map(|lane| &lane.boxes).map(|it| it.from).collect();
    moments.into_iter().collect()
}

/// Whether white letters are read better on a colour than black ones (relative luminance of sRGB, without its curve).
fn is_dark(colour: &str) -> bool {
    let part = |at: usize| {
        let digits = colour.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        f64::from(digits.unwrap_or(255))
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) < 128.0
}

fn items(tracks: &Tracks) -> Vec<Item<'_>> {
    let of_colours = tracks.colours.iter().map(|(colour, name)| {
        let look = format!("class=\"box\" fill=\"{colour}\"");
        let sign = move |svg: &mut Svg, (x, y): (f64, f64)| {
            svg.rectangle((x - 7.0, y - 6.0), (14.0, 12.0), &look, "");
        };
        Item { sign: Box::new(sign), name: name.clone() }
    });
    let of_letters = tracks.letters.iter().map(|(letter, name)| {
        let sign = move |svg: &mut Svg, (x, y): (f64, f64)| {
            svg.text((x, y + 4.5), 13.0, Anchor::Middle, &letter.to_string());
        };
        Item { sign: Box::new(sign), name: name.clone() }
    });
    of_colours.chain(of_letters).collect()
}

/// The picture in words: what its panels have, and when boxes of lanes that sum up begin.
fn description(tracks: &Tracks) -> String {
    let mut text = String::new();
    for panel in &tracks.panels {
        let title = if panel.title.is_empty() { String::new() } else { format!("{}: ", panel.title) };
        text.push_str(&format!("{title}{} lanes over time in {}. ", panel.lanes.len(), tracks.unit));
        for lane in panel.lanes.iter().filter(|lane| lane.heads && lane.boxes.len() <= 40) {
            let boxes: Vec<&str> = lane.boxes.iter().map(|it| it.says.as_str()).collect();
            text.push_str(&format!("{}: {}. ", lane.name, boxes.join("; ")));
        }
    }
    text.trim_end().to_owned()
}
