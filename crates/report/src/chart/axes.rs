//! The axes of a chart: ticks, names of categories, labels.

use super::Chart;
use super::scale::Scale;
use super::words::tick_text;
use crate::svg::{Anchor, Svg, text_width};

/// The size of ordinary letters.
pub(super) const SIZE: f64 = 13.0;
/// The angle of category names that do not fit side by side.
const SLANT: f64 = -32.0;
/// Height of a line of a category's name.
const LINE: f64 = 15.0;
/// The most lines of a category's name.
const MOST_LINES: usize = 3;

/// The frame of a chart.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// How the names of categories stand.
pub(super) enum Names {
    /// Each in lines that fit its share.
    Lines(Vec<Vec<String>>),
    /// Slanted.
    Slanted(Vec<String>),
}

impl Names {
    /// The names in a width: side by side if they fit.
    pub(super) fn new(categories: &[String], width: f64) -> Names {
        let share = width / categories.len().max(1) as f64 - 6.0;
        let characters = warplab_metrics::whole_number(share / (SIZE * 0.58)).max(1);
        let characters = usize::try_from(characters).unwrap_or(usize::MAX);
        let lines: Vec<Vec<String>> =
            categories.iter().map(|name| crate::wrap::wrap(name, characters)).collect();
        let fits = |lines: &Vec<String>| {
            lines.len() <= MOST_LINES && lines.iter().all(|line| line.chars().count() <= characters)
        };
        if lines.iter().all(fits) { Names::Lines(lines) } else { Names::Slanted(categories.to_vec()) }
    }

    /// The room that they need under the axis.
    pub(super) fn height(&self) -> f64 {
        match self {
            Names::Lines(names) => LINE * names.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64 + 8.0,
            Names::Slanted(names) => {
                let longest = names.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max);
                longest * SLANT.to_radians().sin().abs() + 22.0
            }
        }
    }

    /// How far the first name reaches to the left of its place.
    pub(super) fn overhang(&self) -> f64 {
        match self {
            Names::Lines(_) => 0.0,
            Names::Slanted(names) => {
                names.first().map_or(0.0, |name| text_width(name, SIZE) * SLANT.to_radians().cos())
            }
        }
    }

    fn draw(&self, svg: &mut Svg, x: &Scale, top: f64) {
        match self {
            Names::Lines(names) => {
                for (number, lines) in names.iter().enumerate() {
                    for (line, text) in lines.iter().enumerate() {
                        let place = (x.place(number as f64), top + 17.0 + LINE * line as f64);
                        svg.text(place, SIZE, Anchor::Middle, text);
                    }
                }
            }
            Names::Slanted(names) => {
                for (number, name) in names.iter().enumerate() {
                    let place = (x.place(number as f64) + 5.0, top + 16.0);
                    svg.turned_text(place, SIZE, (Anchor::End, SLANT), name);
                }
            }
        }
    }
}

/// The width of the widest tick's number of y.
pub(super) fn ticks_width(y: &Scale) -> f64 {
    y.ticks().iter().map(|&tick| text_width(&tick_text(tick), SIZE)).fold(0.0, f64::max)
}

/// Draws both axes; `foot` is the lower end of the label of x.
pub(super) fn draw(
    svg: &mut Svg,
    chart: &Chart,
    frame: &Frame,
    (x, y): (&Scale, &Scale),
    names: &Names,
    foot: f64,
) {
    for tick in y.ticks() {
        let place = y.place(tick);
        svg.line((frame.left, place), (frame.right, place), "grid", 1.0);
        svg.text((frame.left - 7.0, place + 4.5), SIZE, Anchor::End, &tick_text(tick));
    }
    if chart.categories.is_empty() {
        for tick in x_ticks(chart, x) {
            let place = x.place(tick);
            svg.line((place, frame.bottom), (place, frame.bottom + 5.0), "axis", 1.0);
            svg.text((place, frame.bottom + 19.0), SIZE, Anchor::Middle, &tick_text(tick));
        }
    } else {
        names.draw(svg, x, frame.bottom);
    }
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "axis", 1.0);
    svg.line((frame.left, frame.top), (frame.left, frame.bottom), "axis", 1.0);
    svg.text(((frame.left + frame.right) / 2.0, foot), SIZE, Anchor::Middle, &label(&chart.x.label, x));
    let middle = (15.0, (frame.top + frame.bottom) / 2.0);
    let text = label(&chart.y.label, y);
    // A long label is written smaller.
    let size = SIZE * ((frame.bottom - frame.top) / text_width(&text, SIZE)).min(1.0);
    svg.turned_text(middle, size, (Anchor::Middle, -90.0), &text);
}

/// The label of an axis, which says where it is logarithmic.
fn label(label: &str, scale: &Scale) -> String {
    if scale.is_log() { format!("{label}, log scale") } else { label.to_owned() }
}

/// The values of x themselves where their numbers fit side by side, round values otherwise.
fn x_ticks(chart: &Chart, x: &Scale) -> Vec<f64> {
    let mut values: Vec<f64> = chart.series.iter().flat_map(|it| &it.points).map(|point| point.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let room = |value: f64| text_width(&tick_text(value), SIZE) / 2.0 + 3.0;
    let apart = |pair: &[f64]| x.place(pair[1]) - x.place(pair[0]) > room(pair[0]) + room(pair[1]);
    if values.windows(2).all(apart) { values } else { x.ticks() }
}
