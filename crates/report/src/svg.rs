//! A small writer of SVG: numbers with two digits, texts escaped, colours for light and dark surroundings, a title that a
//! screen reader says, and one for each shape that a pointer rests on.

use std::fmt::{Display, Write};

/// How many colours series have; light and dark ones are in [`STYLE`].
pub(crate) const COLOURS: usize = 7;

/// Colours that people with any colour vision tell apart (Okabe and Ito), lighter where the surroundings are dark.
const STYLE: &str = "\
.plot .paper{fill:#fff}.plot text{fill:#222}.plot .soft{fill:#666}\
.plot .axis{stroke:#444}.plot .grid{stroke:#ddd}.plot .band{fill:#f3f3f3}\
.plot .mark{fill:none;stroke:#111;stroke-width:2}.plot .halo{fill:none;stroke:#fff;stroke-width:4.5}\
.plot .on-dark{fill:#fff}.plot .on-light{fill:#000}\
.plot .f0{fill:#0072b2}.plot .f1{fill:#e69f00}.plot .f2{fill:#009e73}.plot .f3{fill:#cc79a7}\
.plot .f4{fill:#56b4e9}.plot .f5{fill:#d55e00}.plot .f6{fill:#777}\
.plot .s0{stroke:#0072b2}.plot .s1{stroke:#e69f00}.plot .s2{stroke:#009e73}.plot .s3{stroke:#cc79a7}\
.plot .s4{stroke:#56b4e9}.plot .s5{stroke:#d55e00}.plot .s6{stroke:#777}\
@media(prefers-color-scheme:dark){\
.plot .paper{fill:#16191d}.plot text{fill:#e8e8e8}.plot .soft{fill:#aaa}\
.plot .axis{stroke:#bbb}.plot .grid{stroke:#3a3f45}.plot .band{fill:#21262c}\
.plot .mark{stroke:#f5f5f5}.plot .halo{stroke:#16191d}.plot .box{stroke:#8a9099;stroke-width:.6}\
.plot .on-dark{fill:#fff}.plot .on-light{fill:#000}\
.plot .f0{fill:#3d9bd4}.plot .f5{fill:#f07d2e}.plot .f6{fill:#a5a5a5}\
.plot .s0{stroke:#3d9bd4}.plot .s5{stroke:#f07d2e}.plot .s6{stroke:#a5a5a5}}";

/// A document that is being written.
pub(crate) struct Svg {
    body: String,
}

/// Where the anchor of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

impl Svg {
    /// An empty sheet. Its title is what a screen reader calls it, its description what it reads then.
    pub(crate) fn new((width, height): (f64, f64), title: &str, description: &str) -> Svg {
        let (title, description) = (escaped(title), escaped(description));
        let body = format!(
            "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"Helvetica, Arial, sans-serif\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        );
        Svg { body }
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    /// An element of some attributes, with what is said when a pointer rests on it.
    fn shape(&mut self, name: &str, attributes: impl Display, tooltip: &str) {
        if tooltip.is_empty() {
            self.put(format_args!("<{name} {attributes}/>"));
        } else {
            self.put(format_args!("<{name} {attributes}><title>{}</title></{name}>", escaped(tooltip)));
        }
    }

    pub(crate) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str, width: f64) {
        let ends = format!("x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\"");
        self.shape("line", format_args!("class=\"{class}\" {ends} stroke-width=\"{width}\""), "");
    }

    /// A line through points; `dashes` are lengths of strokes and gaps, nothing for a line without gaps.
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], class: &str, width: f64, dashes: &str) {
        let points = places(points);
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        let line = format!("points=\"{points}\" fill=\"none\" stroke-width=\"{width}\"{dashes}");
        self.shape("polyline", format_args!("class=\"{class}\" {line}"), "");
    }

    pub(crate) fn polygon(&mut self, points: &[(f64, f64)], class: &str, tooltip: &str) {
        self.shape("polygon", format_args!("class=\"{class}\" points=\"{}\"", places(points)), tooltip);
    }

    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str, tooltip: &str) {
        let place = format!("cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\"");
        self.shape("circle", format_args!("class=\"{class}\" {place}"), tooltip);
    }

    /// A box; `look` is its class or its colour, as an attribute.
    pub(crate) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        look: &str,
        tooltip: &str,
    ) {
        let place = format!("x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"");
        self.shape("rect", format_args!("{look} {place}"), tooltip);
    }

    /// A text with its foot at a place.
    pub(crate) fn text(&mut self, place: (f64, f64), size: f64, anchor: Anchor, text: &str) {
        self.classed_text(place, size, anchor, "", text);
    }

    /// The same of a class.
    pub(crate) fn classed_text(
        &mut self,
        (x, y): (f64, f64),
        size: f64,
        anchor: Anchor,
        class: &str,
        text: &str,
    ) {
        let (text, anchor) = (escaped(text), anchor.name());
        let class = if class.is_empty() { String::new() } else { format!("class=\"{class}\" ") };
        self.put(format_args!(
            "<text {class}x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// A text turned by an angle about its anchor.
    pub(crate) fn turned_text(
        &mut self,
        (x, y): (f64, f64),
        size: f64,
        (anchor, angle): (Anchor, f64),
        text: &str,
    ) {
        let (text, anchor) = (escaped(text), anchor.name());
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.1}\" text-anchor=\"{anchor}\" \
             transform=\"rotate({angle} {x:.2} {y:.2})\">{text}</text>"
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

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// About how wide a text is: fonts differ, so with some room.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.58
}

/// The lines of a title that fit a width.
pub(crate) fn title_lines(title: &str, size: f64, width: f64) -> Vec<String> {
    let characters = warplab_metrics::whole_number(width / (size * 0.58)).max(1);
    crate::wrap::wrap(title, usize::try_from(characters).unwrap_or(usize::MAX))
}
