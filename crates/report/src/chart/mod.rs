//! Line and bar charts as SVG: axes with labels and units, values on bars, reference marks, a legend.

mod axes;
mod draw;
mod marks;
mod scale;
mod words;

pub(crate) use scale::exponent;
#[cfg(test)]
mod tests;

pub use draw::chart_svg;
pub use words::number_text;

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
    /// What no value is above.
    pub roof: Option<ChartRoof>,
}

/// A kind of chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Points joined by lines.
    Line,
    /// Bars; x has categories.
    Bar,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartAxis {
    /// Its label, with the unit.
    pub label: String,
    /// Whether it is logarithmic; where nothing is said, it is where the values span two decades.
    pub log: Option<bool>,
    /// Digits after the point of its values; as many as they need where nothing is said.
    pub digits: Option<u8>,
}

/// A line, or bars of one colour, and the references beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend; empty for the only one.
    pub name: String,
    /// Places and values; a place is the number of its category where there are categories.
    pub points: Vec<(f64, f64)>,
    /// Marks of references: whose they are, and where.
    pub references: Vec<(String, Vec<(f64, f64)>)>,
}

/// Two straight lines over the whole axis: at most `slope` times x, and at most `peak`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartRoof {
    /// Its name in the legend.
    pub name: String,
    /// The height of the flat part.
    pub peak: f64,
    /// What the other part rises for each unit of x.
    pub slope: f64,
}

impl ChartRoof {
    /// The height of the roof at a place.
    fn height(&self, x: f64) -> f64 {
        (self.slope * x).min(self.peak)
    }

    /// The ends and the ridge of the roof between two places of x, as far as it is between two heights.
    fn corners(&self, (low, high): (f64, f64), (floor, ceiling): (f64, f64)) -> Vec<(f64, f64)> {
        let first = low.max(floor / self.slope);
        let last = if self.height(high) > ceiling { ceiling / self.slope } else { high };
        let places = [first, self.peak / self.slope, last];
        let inside = places.into_iter().filter(|place| (first..=last).contains(place));
        inside.map(|place| (place, self.height(place))).collect()
    }
}

impl Chart {
    /// Whose references there are, in order.
    fn origins(&self) -> Vec<&str> {
        let mut origins: Vec<&str> = Vec::new();
        for (name, _) in self.series.iter().flat_map(|series| &series.references) {
            if !origins.contains(&name.as_str()) {
                origins.push(name);
            }
        }
        origins
    }

    /// Every place with a value, of points, references, and the roof above them.
    fn all_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let references = |series: &'_ Series| -> Vec<(f64, f64)> {
            series.references.iter().flat_map(|(_, points)| points.iter().copied()).collect()
        };
        let own = self
            .series
            .iter()
            .flat_map(move |series| series.points.iter().copied().chain(references(series)));
        let above = self.roof.iter().flat_map(|roof| {
            let points = self.series.iter().flat_map(|series| &series.points);
            points.map(|&(x, _)| (x, roof.height(x)))
        });
        own.chain(above)
    }
}
