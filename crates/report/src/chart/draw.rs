//! The drawing of a chart.

use super::axes::{self, Frame, Names};
use super::marks;
use super::scale::{Scale, is_log};
use super::words::{description, number_text, point_text, series_name};
use super::{Chart, ChartKind};
use crate::heading::Heading;
use crate::legend::Item;
use crate::svg::{Anchor, Svg, text_width};

/// Narrow enough to be read on a telephone, where it is shown at two thirds of this.
const WIDTH: f64 = 600.0;
const MARGIN: f64 = 14.0;
/// Height of the frame.
const FRAME: f64 = 300.0;
/// Letters of values on bars.
const VALUE: f64 = 12.0;
/// Half of the width of a mark, where there is room.
const MARK: f64 = 6.5;
/// The same with what sets it off.
const REACH: f64 = MARK + 2.5;

/// A chart as an SVG document.
#[must_use]
pub fn chart_svg(chart: &Chart) -> String {
    let heading = Heading::new(&chart.title, items(chart), WIDTH, MARGIN);
    let (frame, names) = frame(chart, heading.bottom() + 12.0);
    let height = frame.bottom + names.height() + 24.0 + MARGIN / 2.0;
    let mut svg = Svg::new((WIDTH, height), &chart.title, &description(chart));
    heading.draw(&mut svg);
    let (x, y) = scales(chart, &frame);
    axes::draw(&mut svg, chart, &frame, (&x, &y), &names, height - MARGIN);
    match chart.kind {
        ChartKind::Line => {
            lines(&mut svg, chart, (&x, &y));
            references(&mut svg, chart, (&x, &y));
        }
        ChartKind::Bar => {
            bars(&mut svg, chart, (&x, &y));
            references(&mut svg, chart, (&x, &y));
            bar_values(&mut svg, chart, (&x, &y));
        }
    }
    svg.finish()
}

/// The frame under a top: ticks, and names of categories, decide where it begins and ends.
fn frame(chart: &Chart, top: f64) -> (Frame, Names) {
    let right = WIDTH - MARGIN;
    let mut frame = Frame { left: 60.0, right, top, bottom: top + FRAME };
    frame.left = 30.0 + axes::ticks_width(&scales(chart, &frame).1);
    let names = Names::new(&chart.categories, right - frame.left);
    let share = (right - frame.left) / chart.categories.len().max(1) as f64;
    frame.left = frame.left.max(names.overhang() - share / 2.0 + MARGIN);
    (frame, names)
}

fn scales(chart: &Chart, frame: &Frame) -> (Scale, Scale) {
    let (xs, ys) = (|| chart.all_points().map(|point| point.0), || chart.all_points().map(|point| point.1));
    let x = if chart.categories.is_empty() {
        Scale::new(xs(), is_log(xs(), chart.x.log), (frame.left, frame.right))
    } else {
        Scale::of_categories(chart.categories.len(), (frame.left, frame.right))
    };
    let log = is_log(ys(), chart.y.log);
    let y = match chart.kind {
        ChartKind::Line => Scale::new(ys(), log, (frame.bottom, frame.top)),
        ChartKind::Bar => {
            let (_, width) = bar(chart, &x, 0, 0.0);
            let room = if upright(chart, width) { widest_value(chart) } else { VALUE };
            Scale::of_bars(ys(), log, (frame.bottom, frame.top + room))
        }
    };
    (x, y)
}

fn lines(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    let place = |&(a, b): &(f64, f64)| (x.place(a), y.place(b));
    if let Some(roof) = &chart.roof {
        let corners = roof.corners(x.ends(), y.ends());
        let places: Vec<(f64, f64)> = corners.iter().map(place).collect();
        svg.polyline(&places, "axis", 1.5, marks::dashes(1));
    }
    for (number, series) in chart.series.iter().enumerate() {
        let places: Vec<(f64, f64)> = series.points.iter().map(place).collect();
        svg.polyline(&places, &marks::stroke(number), 2.2, marks::dashes(number));
    }
    for (number, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let says = point_text(chart, &[series_name(chart, series)], *point);
            marks::point(svg, place(point), number, &says);
        }
    }
}

/// The middle of the bar of a series at a place, and its width.
fn bar(chart: &Chart, x: &Scale, number: usize, place: f64) -> (f64, f64) {
    let share = ((x.place(1.0) - x.place(0.0)) * 0.82).min(90.0 * chart.series.len().max(1) as f64);
    let width = share / chart.series.len().max(1) as f64;
    (x.place(place) - share / 2.0 + (number as f64 + 0.5) * width, width * 0.92)
}

fn bars(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    let floor = y.floor();
    for (number, series) in chart.series.iter().enumerate() {
        let look = format!("class=\"{}\"", marks::fill(number));
        for &(place, value) in &series.points {
            let (middle, width) = bar(chart, x, number, place);
            let top = y.place(value);
            let says = point_text(chart, &[series_name(chart, series)], (place, value));
            let corner = (middle - width / 2.0, top.min(floor));
            svg.rectangle(corner, (width, (floor - top).abs()), &look, &says);
        }
    }
}

/// Every value, above its bar, and above the marks that it would touch there.
fn bar_values(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    for (number, series) in chart.series.iter().enumerate() {
        for &(place, value) in &series.points {
            let (middle, width) = bar(chart, x, number, place);
            let text = number_text(value, chart.y.digits);
            let is_upright = upright(chart, width);
            let length = if is_upright { text_width(&text, VALUE) } else { VALUE };
            let marks = series.references.iter().flat_map(|(_, marks)| marks);
            let marks = marks.filter(|mark| mark.0 == place).map(|mark| y.place(mark.1)).collect();
            let foot = foot_of_value(y.place(value), length, marks);
            if is_upright {
                svg.turned_text((middle + 4.0, foot), VALUE, (Anchor::Start, -90.0), &text);
            } else {
                svg.text((middle, foot), VALUE, Anchor::Middle, &text);
            }
        }
    }
}

/// Where a text of a length begins above a bar, so that it touches no mark; lower places are larger numbers.
fn foot_of_value(top: f64, length: f64, mut marks: Vec<f64>) -> f64 {
    marks.sort_by(|a, b| b.total_cmp(a));
    marks.into_iter().fold(top - 4.0, |foot, mark| {
        let touches = mark - REACH < foot && mark + REACH > foot - length;
        if touches { mark - REACH - 1.5 } else { foot }
    })
}

fn widest_value(chart: &Chart) -> f64 {
    let values = chart.series.iter().flat_map(|series| &series.points);
    values.map(|point| text_width(&number_text(point.1, chart.y.digits), VALUE)).fold(0.0, f64::max)
}

/// Whether values on bars of a width must stand upright.
fn upright(chart: &Chart, width: f64) -> bool {
    widest_value(chart) > width * 1.15
}

/// Marks of references: their shape says whose they are; those of one bar stand side by side.
fn references(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    let origins = chart.origins();
    let mut found = Vec::new();
    for (number, series) in chart.series.iter().enumerate() {
        for (name, points) in &series.references {
            let shape = origins.iter().position(|origin| origin == name).unwrap_or(0);
            for &(place, value) in points {
                let (middle, size) = match chart.kind {
                    ChartKind::Line => (x.place(place), MARK + 2.0 * shape as f64),
                    ChartKind::Bar => beside(chart, bar(chart, x, number, place), shape),
                };
                let says = point_text(chart, &[name, &series.name], (place, value));
                found.push(((middle, y.place(value)), shape, size, says));
            }
        }
    }
    // All halos first: none lies on the mark of another.
    found.iter().for_each(|(place, shape, size, _)| marks::halo(svg, *place, *shape, *size));
    found.iter().for_each(|(place, shape, size, says)| marks::mark(svg, *place, *shape, *size, says));
}

/// Where the mark of an origin stands on a bar, and how large it is: all origins share the bar.
fn beside(chart: &Chart, (middle, width): (f64, f64), shape: usize) -> (f64, f64) {
    let count = chart.origins().len().max(1) as f64;
    let share = (width / count).min(2.6 * MARK);
    (middle + (shape as f64 - (count - 1.0) / 2.0) * share, MARK.min(share / 2.4).max(3.0))
}

/// The legend: series, lines, references.
fn items(chart: &Chart) -> Vec<Item<'_>> {
    let origins = chart.origins();
    let one_of_many = chart.series.len() > 1 || !origins.is_empty() || chart.roof.is_some();
    let named = chart.series.iter().enumerate().filter(|_| one_of_many);
    let of_series = named.filter_map(|(number, series)| {
        let name = series_name(chart, series).to_owned();
        let sign = move |svg: &mut Svg, (x, y): (f64, f64)| match chart.kind {
            ChartKind::Bar => {
                let look = format!("class=\"{}\"", marks::fill(number));
                svg.rectangle((x - 7.0, y - 6.0), (14.0, 12.0), &look, "");
            }
            ChartKind::Line => {
                let ends = [(x - 9.0, y), (x + 9.0, y)];
                svg.polyline(&ends, &marks::stroke(number), 2.2, marks::dashes(number));
                marks::point(svg, (x, y), number, "");
            }
        };
        (!name.is_empty()).then(|| Item { sign: Box::new(sign), name })
    });
    let of_roof = chart.roof.iter().map(|roof| {
        let sign = move |svg: &mut Svg, (x, y): (f64, f64)| {
            svg.polyline(&[(x - 9.0, y), (x + 9.0, y)], "axis", 1.5, marks::dashes(1));
        };
        Item { sign: Box::new(sign), name: roof.name.clone() }
    });
    let of_origins = origins.into_iter().enumerate().map(|(shape, name)| {
        let sign = move |svg: &mut Svg, place: (f64, f64)| marks::mark(svg, place, shape, MARK, "");
        Item { sign: Box::new(sign), name: name.to_owned() }
    });
    of_series.chain(of_roof).chain(of_origins).collect()
}
