//! The drawing of a chart.

use super::scale::{Scale, tick_text};
use super::{Chart, ChartKind};
use crate::svg::{COLOURS, Svg, text_width};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 44.0;
/// Room under the frame for ticks and label.
const BOTTOM: f64 = 56.0;
/// The size of ordinary letters.
const SIZE: f64 = 12.0;
/// The angle of category names that do not fit side by side.
const SLANT: f64 = -25.0;

/// The frame of the chart: left, right, top, bottom.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A chart as an SVG document.
#[must_use]
pub fn chart_svg(chart: &Chart) -> String {
    let origins = origins(chart);
    let legend = legend_lines(chart, &origins);
    let legend_width = legend.iter().map(|line| text_width(&line.1, SIZE) + 40.0).fold(0.0, f64::max);
    let slanted = slanted(chart, WIDTH - LEFT - legend_width - 20.0);
    let extra = if slanted { longest(&chart.categories) * 0.45 } else { 0.0 };
    let height = HEIGHT + extra;
    let frame =
        Frame { left: LEFT, right: WIDTH - legend_width - 20.0, top: TOP, bottom: height - BOTTOM - extra };
    let mut svg = Svg::new(WIDTH, height);
    svg.text(WIDTH / 2.0, 24.0, 15.0, "middle", &chart.title);
    let (x, y) = scales(chart, &frame);
    axes(&mut svg, chart, &frame, (&x, &y), slanted, height);
    match chart.kind {
        ChartKind::Line => lines(&mut svg, chart, (&x, &y)),
        ChartKind::Bar => bars(&mut svg, chart, (&x, &y)),
    }
    references(&mut svg, chart, (&x, &y), &origins);
    draw_legend(&mut svg, &legend, frame.right + 14.0);
    svg.finish()
}

/// Whose references there are, in order.
fn origins(chart: &Chart) -> Vec<&str> {
    let mut origins: Vec<&str> = Vec::new();
    for (name, _) in chart.series.iter().flat_map(|series| &series.references) {
        if !origins.contains(&name.as_str()) {
            origins.push(name);
        }
    }
    origins
}

fn longest(names: &[String]) -> f64 {
    names.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max)
}

fn slanted(chart: &Chart, width: f64) -> bool {
    !chart.categories.is_empty() && longest(&chart.categories) + 8.0 > width / chart.categories.len() as f64
}

fn scales(chart: &Chart, frame: &Frame) -> (Scale, Scale) {
    let points = || {
        let of_references = |series: &'_ super::Series| -> Vec<(f64, f64)> {
            series.references.iter().flat_map(|(_, points)| points.iter().copied()).collect()
        };
        chart.series.iter().flat_map(move |series| {
            series.points.iter().copied().chain(of_references(series)).collect::<Vec<_>>()
        })
    };
    let x = if chart.categories.is_empty() {
        Scale::new(points().map(|point| point.0), chart.x.log, (frame.left, frame.right))
    } else {
        Scale::of_categories(chart.categories.len(), (frame.left, frame.right))
    };
    (x, Scale::new(points().map(|point| point.1), chart.y.log, (frame.bottom, frame.top)))
}

fn axes(svg: &mut Svg, chart: &Chart, frame: &Frame, (x, y): (&Scale, &Scale), slanted: bool, height: f64) {
    for tick in y.ticks() {
        let place = y.place(tick);
        svg.line((frame.left, place), (frame.right, place), "#dddddd", 1.0);
        svg.text(frame.left - 6.0, place + 4.0, SIZE, "end", &tick_text(tick));
    }
    if chart.categories.is_empty() {
        for tick in x.ticks() {
            let place = x.place(tick);
            svg.line((place, frame.bottom), (place, frame.bottom + 5.0), "#333333", 1.0);
            svg.text(place, frame.bottom + 19.0, SIZE, "middle", &tick_text(tick));
        }
    }
    for (number, name) in chart.categories.iter().enumerate() {
        let place = x.place(number as f64);
        if slanted {
            svg.slanted_text((place + 4.0, frame.bottom + 16.0), SIZE, SLANT, name);
        } else {
            svg.text(place, frame.bottom + 19.0, SIZE, "middle", name);
        }
    }
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "#333333", 1.0);
    svg.line((frame.left, frame.top), (frame.left, frame.bottom), "#333333", 1.0);
    svg.text((frame.left + frame.right) / 2.0, height - 10.0, 13.0, "middle", &chart.x.label);
    svg.upward_text(18.0, (frame.top + frame.bottom) / 2.0, 13.0, &chart.y.label);
}

fn lines(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    for (number, series) in chart.series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let places: Vec<(f64, f64)> = series.points.iter().map(|&(a, b)| (x.place(a), y.place(b))).collect();
        svg.polyline(&places, colour, 2.0);
        for place in places {
            svg.circle(place, 3.5, colour, colour);
        }
    }
}

/// The middle of the bar of a series at a place, and its width.
fn bar(chart: &Chart, x: &Scale, number: usize, place: f64) -> (f64, f64) {
    let share = (x.place(1.0) - x.place(0.0)) * 0.8;
    let width = share / chart.series.len().max(1) as f64;
    (x.place(place) - share / 2.0 + (number as f64 + 0.5) * width, width)
}

fn bars(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale)) {
    let floor = y.place(0.0);
    for (number, series) in chart.series.iter().enumerate() {
        for &(place, value) in &series.points {
            let (middle, width) = bar(chart, x, number, place);
            let top = y.place(value);
            let corner = (middle - width * 0.45, top.min(floor));
            svg.rectangle(corner, (width * 0.9, (floor - top).abs()), COLOURS[number % COLOURS.len()]);
        }
    }
}

/// Marks of references: their shape says whose they are, on bars black, beside lines of the line's colour.
fn references(svg: &mut Svg, chart: &Chart, (x, y): (&Scale, &Scale), origins: &[&str]) {
    for (number, series) in chart.series.iter().enumerate() {
        for (name, points) in &series.references {
            let shape = origins.iter().position(|origin| origin == name).unwrap_or(0);
            for &(place, value) in points {
                let (middle, colour) = match chart.kind {
                    ChartKind::Line => (x.place(place), COLOURS[number % COLOURS.len()]),
                    ChartKind::Bar => (bar(chart, x, number, place).0, "#000000"),
                };
                mark(svg, (middle, y.place(value)), shape, colour);
            }
        }
    }
}

/// A hollow mark: a diamond, a square or a circle.
fn mark(svg: &mut Svg, (x, y): (f64, f64), shape: usize, colour: &str) {
    match shape % 3 {
        0 => svg.polygon(&[(x, y - 7.0), (x + 7.0, y), (x, y + 7.0), (x - 7.0, y)], colour, "#ffffff"),
        1 => svg.polygon(
            &[(x - 5.5, y - 5.5), (x + 5.5, y - 5.5), (x + 5.5, y + 5.5), (x - 5.5, y + 5.5)],
            colour,
            "#ffffff",
        ),
        _ => svg.circle((x, y), 6.0, colour, "#ffffff"),
    }
}

/// What a line of the legend shows.
enum Sign {
    Colour(&'static str),
    Shape(usize),
}

fn legend_lines(chart: &Chart, origins: &[&str]) -> Vec<(Sign, String)> {
    let named = chart.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty());
    let mut lines: Vec<(Sign, String)> = named
        .map(|(number, series)| (Sign::Colour(COLOURS[number % COLOURS.len()]), series.name.clone()))
        .collect();
    if lines.is_empty() && !origins.is_empty() {
        lines.push((Sign::Colour(COLOURS[0]), "simulated".to_owned()));
    }
    lines.extend(origins.iter().enumerate().map(|(shape, name)| (Sign::Shape(shape), (*name).to_owned())));
    lines
}

fn draw_legend(svg: &mut Svg, lines: &[(Sign, String)], left: f64) {
    for (number, (sign, name)) in lines.iter().enumerate() {
        let y = TOP + 10.0 + 22.0 * number as f64;
        match sign {
            Sign::Colour(colour) => svg.rectangle((left, y - 6.0), (14.0, 12.0), colour),
            Sign::Shape(shape) => mark(svg, (left + 7.0, y), *shape, "#000000"),
        }
        svg.text(left + 22.0, y + 4.0, SIZE, "start", name);
    }
}
