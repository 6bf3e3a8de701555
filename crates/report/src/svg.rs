//! A small writer of SVG: numbers with two digits, texts escaped, no fonts needed.

use std::fmt::Write;

/// Colours that people with any colour vision tell apart (Okabe and Ito).
pub(crate) const COLOURS: [&str; 7] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#777777"];

/// A document that is being written.
pub(crate) struct Svg {
    body: String,
}

impl Svg {
    /// A white sheet.
    pub(crate) fn new(width: f64, height: f64) -> Svg {
        let body = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Svg { body }
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    pub(crate) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str, width: f64) {
        self.put(format_args!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>"
        ));
    }

    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points = places(points);
        self.put(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        ));
    }

    pub(crate) fn polygon(&mut self, points: &[(f64, f64)], colour: &str, fill: &str) {
        let points = places(points);
        self.put(format_args!(
            "<polygon points=\"{points}\" fill=\"{fill}\" fill-opacity=\"0.8\" stroke=\"{colour}\" \
             stroke-width=\"2\"/>"
        ));
    }

    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, fill: &str) {
        self.put(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\" \
             stroke-width=\"2\"/>"
        ));
    }

    pub(crate) fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.put(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
        ));
    }

    /// A text; `anchor` is start, middle or end.
    pub(crate) fn text(&mut self, x: f64, y: f64, size: f64, anchor: &str, text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// A text that ends at a place, turned by an angle.
    pub(crate) fn slanted_text(&mut self, (x, y): (f64, f64), size: f64, angle: f64, text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"end\" \
             transform=\"rotate({angle} {x:.2} {y:.2})\">{text}</text>"
        ));
    }

    /// A text that runs upwards.
    pub(crate) fn upward_text(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 {x:.2} {y:.2})\">{text}</text>"
        ));
    }

    /// The document.
    pub(crate) fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }
}

fn places(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// About how wide a text is: fonts differ, so with some room.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.58
}
