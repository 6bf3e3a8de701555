//! Line and bar charts as SVG: axes with labels and units, reference marks, a legend.

mod draw;
mod scale;

pub(crate) use scale::exponent;
#[cfg(test)]
mod tests;

pub use draw::chart_svg;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// Lines or bars.
    pub kind: ChartKind,
    /// What runs to the right.
    pub x: ChartAxis,
    /// What runs upwards.
    pub y: ChartAxis,
    /// The names of the places on x, in order; with none of them x is a number.
    pub categories: Vec<String>,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// A kind of chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Points joined by lines.
    Line,
    /// Bars from zero; x has categories.
    Bar,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartAxis {
    /// Its label, with the unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// A line, or bars of one colour, and the references beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; empty for the only one.
    pub name: String,
    /// Places and values; a place is the number of its category where there are categories.
    pub points: Vec<(f64, f64)>,
    /// Marks of references: whose they are, and where.
    pub references: Vec<(String, Vec<(f64, f64)>)>,
}
