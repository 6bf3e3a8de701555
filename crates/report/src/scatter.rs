//! A scatter plot of two values on logarithmic axes, as SVG: what agrees lies on the diagonal.

use crate::chart::exponent;
use std::fmt::Write;

/// The picture's width and height, in pixels.
const SIZE: (f64, f64) = (800.0, 820.0);
/// The left, top, right and bottom edge of the plot.
const PLOT: (f64, f64, f64, f64) = (90.0, 90.0, 770.0, 750.0);
/// Colours of the series, told apart also by people who see few colours.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
/// Points inside the band differ by at most this share.
const BAND: f64 = 0.2;

/// One point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScatterPoint<'a> {
    /// Shown when the pointer rests on it.
    pub(crate) name: &'a str,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Its colour.
    pub(crate) series: usize,
    /// Whether it is the second mark: a ring.
    pub(crate) hollow: bool,
}

impl ScatterPoint<'_> {
    /// Whether both values have a logarithm.
    fn is_drawn(&self) -> bool {
        self.x > 0.0 && self.y > 0.0
    }
}

/// A plot of points.
#[derive(Clone, Debug)]
pub(crate) struct Scatter<'a> {
    pub(crate) title: String,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// The names of the series.
    pub(crate) series: &'a [String],
    /// What full marks and rings are.
    pub(crate) marks: (&'a str, &'a str),
    pub(crate) points: &'a [ScatterPoint<'a>],
}

/// Both axes: powers of ten from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axes {
    first: i32,
    last: i32,
}

impl Axes {
    /// Wide enough for all points that can be drawn.
    fn around(points: &[ScatterPoint<'_>]) -> Axes {
        let values = || points.iter().filter(|point| point.is_drawn()).flat_map(|point| [point.x, point.y]);
        let first = values().fold(f64::INFINITY, f64::min);
        let last = values().fold(0.0, f64::max);
        if last == 0.0 {
            return Axes { first: 0, last: 1 };
        }
        let first = exponent(first.log10().floor());
        Axes { first, last: (exponent(last.log10().ceil())).max(first + 1) }
    }

    /// Where a value lies between the ends of an axis: 0 to 1, held there.
    fn share(self, value: f64) -> f64 {
        let span = f64::from(self.last - self.first);
        ((value.log10() - f64::from(self.first)) / span).clamp(0.0, 1.0)
    }

    fn x(self, value: f64) -> f64 {
        PLOT.0 + self.share(value) * (PLOT.2 - PLOT.0)
    }

    fn y(self, value: f64) -> f64 {
        PLOT.3 - self.share(value) * (PLOT.3 - PLOT.1)
    }

    fn ends(self) -> (f64, f64) {
        (10_f64.powi(self.first), 10_f64.powi(self.last))
    }
}

impl Scatter<'_> {
    /// The picture. Points with a value that is not positive are left out.
    pub(crate) fn svg(&self) -> String {
        let axes = Axes::around(self.points);
        let (width, height) = SIZE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        grid(&mut svg, axes);
        diagonal(&mut svg, axes);
        for point in self.points.iter().filter(|point| point.is_drawn()) {
            mark(&mut svg, axes, point);
        }
        self.words(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn words(&self, svg: &mut String) {
        let (left, top, right, bottom) = PLOT;
        let (middle, centre) = ((left + right) / 2.0, (top + bottom) / 2.0);
        text(
            svg,
            (middle, 30.0),
            "middle",
            &format!("<tspan font-size=\"18\">{}</tspan>", escaped(&self.title)),
        );
        text(svg, (middle, bottom + 45.0), "middle", &escaped(self.x_label));
        line(
            svg,
            &format!(
                "<text x=\"25\" y=\"{centre}\" text-anchor=\"middle\" transform=\"rotate(-90 25 {centre})\">{}</text>",
                escaped(self.y_label)
            ),
        );
        let mut at = left;
        let mut entry = |svg: &mut String, circle: String, words: &str| {
            line(svg, &format!("<circle cx=\"{at:.1}\" cy=\"60\" r=\"5\" {circle}/>"));
            text(svg, (at + 10.0, 65.0), "start", &escaped(words));
            at += 35.0 + 8.0 * words.chars().count() as f64;
        };
        for (series, name) in self.series.iter().enumerate() {
            entry(svg, format!("fill=\"{}\"", colour(series)), name);
        }
        entry(svg, "fill=\"#555\"".to_owned(), self.marks.0);
        entry(svg, "fill=\"none\" stroke=\"#555\" stroke-width=\"1.5\"".to_owned(), self.marks.1);
        line(
            svg,
            &format!("<rect x=\"{:.1}\" y=\"54\" width=\"14\" height=\"12\" fill=\"#e8e8e8\"/>", at - 5.0),
        );
        text(svg, (at + 14.0, 65.0), "start", "within 20 %");
    }
}

/// Lines at every power of ten, their labels, and faint lines between.
fn grid(svg: &mut String, axes: Axes) {
    let (left, top, right, bottom) = PLOT;
    for power in axes.first..=axes.last {
        for step in 1..10 {
            let value = f64::from(step) * 10_f64.powi(power);
            if step > 1 && power == axes.last {
                break;
            }
            let (x, y) = (axes.x(value), axes.y(value));
            let grey = if step == 1 { "#bbb" } else { "#eee" };
            line(
                svg,
                &format!("<path d=\"M{x:.1} {top}V{bottom}M{left} {y:.1}H{right}\" stroke=\"{grey}\"/>"),
            );
        }
        let value = 10_f64.powi(power);
        let label = power_text(power);
        text(svg, (axes.x(value), bottom + 20.0), "middle", &label);
        text(svg, (left - 8.0, axes.y(value) + 5.0), "end", &label);
    }
}

/// The line of equal values and the band around it.
fn diagonal(svg: &mut String, axes: Axes) {
    let (from, to) = axes.ends();
    let corners = [
        (from, from * (1.0 + BAND)),
        (to / (1.0 + BAND), to),
        (to, to),
        (to, to * (1.0 - BAND)),
        (from / (1.0 - BAND), from),
        (from, from),
    ];
    let places = corners.map(|(x, y)| format!("{:.1},{:.1}", axes.x(x), axes.y(y))).join(" ");
    line(svg, &format!("<polygon points=\"{places}\" fill=\"#000\" fill-opacity=\"0.09\"/>"));
    let (left, top, right, bottom) = PLOT;
    line(svg, &format!("<path d=\"M{left} {bottom}L{right} {top}\" stroke=\"#555\"/>"));
    line(svg, &format!("<path d=\"M{left} {top}H{right}V{bottom}H{left}Z\" fill=\"none\" stroke=\"#333\"/>"));
}

fn mark(svg: &mut String, axes: Axes, point: &ScatterPoint<'_>) {
    let colour = colour(point.series);
    let paint = if point.hollow {
        format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"")
    } else {
        format!("fill=\"{colour}\" fill-opacity=\"0.6\"")
    };
    let (x, y) = (axes.x(point.x), axes.y(point.y));
    let title = format!("{}: hardware {}, simulated {}", escaped(point.name), point.x, point.y);
    line(
        svg,
        &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {paint}><title>{title}</title></circle>"),
    );
}

fn colour(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

/// A power of ten in words: `100`, `10 k`, `1 M`.
fn power_text(power: i32) -> String {
    let names = ["", " k", " M", " G", " T"];
    match usize::try_from(power) {
        Ok(power) if power / 3 < names.len() => format!("1{}{}", "0".repeat(power % 3), names[power / 3]),
        _ => format!("1e{power}"),
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    line(svg, &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"));
}

fn line(svg: &mut String, element: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{element}");
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Axes, Scatter, ScatterPoint, power_text};

    fn point(x: f64, y: f64) -> ScatterPoint<'static> {
        ScatterPoint { name: "a<b", x, y, series: 0, hollow: false }
    }

    #[test]
    fn axes_end_at_the_powers_of_ten_around_the_values() {
        assert_eq!(Axes::around(&[point(2750.0, 90.0)]), Axes { first: 1, last: 4 });
        assert_eq!(Axes::around(&[point(100.0, 100.0)]), Axes { first: 2, last: 3 });
        assert_eq!(Axes::around(&[]), Axes { first: 0, last: 1 });
    }

    #[test]
    fn powers_of_ten_have_short_names() {
        let names: Vec<String> = [0, 2, 4, 6, 10, -1].into_iter().map(power_text).collect();
        assert_eq!(names, ["1", "100", "10 k", "1 M", "10 G", "1e-1"]);
    }

    #[test]
    fn a_point_lies_where_its_logarithms_are_and_zero_is_left_out() {
        let points = [point(10.0, 1000.0), point(100.0, 100.0), point(0.0, 5.0)];
        let series = ["one".to_owned()];
        let svg = Scatter {
            title: "t".to_owned(),
            x_label: "x",
            y_label: "y",
            series: &series,
            marks: ("full", "ring"),
            points: &points,
        }
        .svg();
        assert!(svg.contains("<circle cx=\"430.0\" cy=\"420.0\" r=\"4\""), "{svg}");
        assert!(svg.contains("<title>a&lt;b: hardware 10, simulated 1000</title>"), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 2);
    }
}
