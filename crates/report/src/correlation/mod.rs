//! Hardware and simulator side by side: text, CSV, JSON, scatter plot.

mod cases;
mod errors;
mod files;
mod stalls;

pub use files::{correlation_csv, correlation_json};

use crate::scatter::{Scatter, ScatterPoint};
use warplab_metrics::correlation::{CLOCK_CYCLES, Comparison, ELAPSED_CYCLES, Measure};
use warplab_metrics::{integer_text, real_text, whole_number};

/// What is rendered.
#[derive(Clone, Copy, Debug)]
pub struct Correlation<'a> {
    /// The simulated machine.
    pub machine: &'a str,
    /// The cases, in order.
    pub comparisons: &'a [Comparison],
    /// The metrics that the text shows.
    pub measures: &'a [Measure],
}

impl<'a> Correlation<'a> {
    /// What programs were made from, in the order in which they first come.
    fn isas(&self) -> Vec<&'static str> {
        let mut isas: Vec<&'static str> = Vec::new();
        for comparison in self.comparisons {
            if !isas.contains(&comparison.isa) {
                isas.push(comparison.isa);
            }
        }
        isas
    }

    /// The cases from one kind of program.
    fn of(&self, isa: &'static str) -> impl Iterator<Item = &'a Comparison> + Clone + use<'a> {
        self.comparisons.iter().filter(move |comparison| comparison.isa == isa)
    }

    /// The metrics that at least one case has.
    fn present(&self) -> Vec<Measure> {
        let has = |measure: &&Measure| self.comparisons.iter().any(|case| case.pair(measure.id).is_some());
        self.measures.iter().filter(has).copied().collect()
    }
}

/// Cases that failed or computed something else than the hardware, a line each; empty if there are none.
#[must_use]
pub fn correlation_faults(comparisons: &[Comparison]) -> String {
    let line = |case: &Comparison| {
        let name = format!("{}/{} ({})", case.suite, case.case, case.isa);
        match &case.result {
            Err(message) => Some(format!("FAILED {name}: {message}\n")),
            Ok(compared) if !compared.wrong_outputs.is_empty() => {
                let buffers = compared.wrong_outputs.join(", ");
                Some(format!("WRONG  {name}: the checksum of {buffers} is not the hardware's\n"))
            }
            Ok(_) => None,
        }
    };
    comparisons.iter().filter_map(line).collect()
}

/// Everything as text: wrong cases, every case, errors of every metric, stall reasons, groups, the worst ten, how errors are
/// meant.
#[must_use]
pub fn correlation_text(correlation: &Correlation<'_>) -> String {
    let faults = correlation_faults(correlation.comparisons);
    let faults = if faults.is_empty() { faults } else { faults + "\n" };
    let parts = [
        faults,
        cases::values(correlation),
        cases::states(correlation),
        errors::summaries(correlation),
        stalls::reasons(correlation),
        errors::groups(correlation),
        stalls::groups(correlation),
        errors::worst(correlation),
        errors::RULES.to_owned(),
    ];
    parts.concat()
}

/// Elapsed cycles and clock readings of every case as a scatter plot (SVG).
#[must_use]
pub fn correlation_svg(correlation: &Correlation<'_>) -> String {
    let mut points = Vec::new();
    for (series, isa) in correlation.isas().into_iter().enumerate() {
        for (id, hollow) in [(ELAPSED_CYCLES, false), (CLOCK_CYCLES, true)] {
            let pairs = correlation.of(isa).filter_map(|case| Some((case, case.pair(id)?)));
            points.extend(pairs.filter_map(|(case, pair)| {
                Some(ScatterPoint { name: &case.case, x: pair.hardware, y: pair.simulated?, series, hollow })
            }));
        }
    }
    let series: Vec<String> =
        correlation.isas().iter().map(|isa| format!("from {}", isa.to_uppercase())).collect();
    let scatter = Scatter {
        title: format!("Simulated {} beside the hardware: {} points", correlation.machine, points.len()),
        x_label: "hardware (SM cycles)",
        y_label: "simulated (SM cycles)",
        series: &series,
        marks: ("elapsed cycles", "clock readings"),
        points: &points,
    };
    scatter.svg()
}

/// A value for a table: counts whole, others with two digits.
fn value_text(value: f64) -> String {
    if value >= 0.0 && value.fract() == 0.0 { integer_text(whole_number(value)) } else { real_text(value) }
}

/// A value that may not be there.
fn optional(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or("-".to_owned(), text)
}
