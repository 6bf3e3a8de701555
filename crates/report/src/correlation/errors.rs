//! Errors of metrics: over all cases, by group, and where they are largest.

use super::{Correlation, optional, value_text};
use crate::table::{Align, Table};
use std::collections::BTreeMap;
use warplab_metrics::correlation::{Comparison, Measure, Rule};

/// Cases that are shown of the worst ones.
const WORST: usize = 10;

/// Smaller errors are rounding: the profiler prints two digits.
const LEAST_SHOWN: f64 = 0.05;

/// How the numbers are meant.
pub(super) const RULES: &str = "\
Errors are mean absolute ones: of counts, times and ratios in % of the hardware's value, of rates (%) in percentage
points (pp). bias is the geometric mean of simulated / hardware, of rates the mean of simulated - hardware. Pearson's
coefficient is of the logarithms, of rates of the values; tau is Kendall's tau-b. A relative error is formed only where
the hardware has at least 1,000 of what is counted, 1,000,000 bytes, or 0.1 of a mean or ratio; 'small' cases are below
that on both sides and 'false' ones on the hardware only: neither is in the statistics. clock is the last reading of
the clock that the kernel wrote; stalls is the share of the warps' cycles that falls on the same states.
";

/// The unit of a metric's error.
fn unit(measure: &Measure) -> &'static str {
    match measure.rule {
        Rule::Points => "pp",
        Rule::Relative { .. } => "%",
    }
}

/// A row a metric: its error over all cases.
pub(super) fn summaries(correlation: &Correlation<'_>) -> String {
    let mut table = Table::new([
        ("metric", Align::Left),
        ("isa", Align::Left),
        ("cases", Align::Right),
        ("error", Align::Right),
        ("", Align::Left),
        ("bias", Align::Right),
        ("Pearson", Align::Right),
        ("tau", Align::Right),
        ("small", Align::Right),
        ("false", Align::Right),
    ]);
    for measure in correlation.present() {
        for isa in correlation.isas() {
            let summary = measure.summary(correlation.of(isa));
            let bias = |bias: f64| match measure.rule {
                Rule::Points => format!("{bias:+.2}"),
                Rule::Relative { .. } => format!("{bias:.3}"),
            };
            table.row([
                measure.label.to_owned(),
                isa.to_owned(),
                summary.count.to_string(),
                optional(summary.error, |error| format!("{error:.2}")),
                unit(&measure).to_owned(),
                optional(summary.bias, bias),
                optional(summary.pearson, |value| format!("{value:.4}")),
                optional(summary.tau, |value| format!("{value:.4}")),
                summary.small.to_string(),
                summary.false_positives.to_string(),
            ]);
        }
    }
    format!("Errors on {}\n{}\n", correlation.machine, table.text())
}

/// A row a group: the error of every metric over its cases.
pub(super) fn groups(correlation: &Correlation<'_>) -> String {
    let measures = correlation.present();
    let mut text = String::new();
    for isa in correlation.isas() {
        let mut groups: BTreeMap<&str, Vec<&Comparison>> = BTreeMap::new();
        for comparison in correlation.of(isa) {
            groups.entry(&comparison.group).or_default().push(comparison);
        }
        let labels: Vec<String> = measures.iter().map(group_head).collect();
        let heads = [("group", Align::Left), ("cases", Align::Right)];
        let mut table =
            Table::new(heads.into_iter().chain(labels.iter().map(|label| (label.as_str(), Align::Right))));
        for (group, cases) in groups {
            let error = |measure: &Measure| measure.summary(cases.iter().copied()).error;
            let errors =
                measures.iter().map(|measure| optional(error(measure), |error| format!("{error:.1}")));
            table.row([group.to_owned(), cases.len().to_string()].into_iter().chain(errors));
        }
        text.push_str(&format!("Errors by group, from {isa} (rates in pp, others in %)\n{}\n", table.text()));
    }
    text
}

/// The label without its per cent sign: the errors are in points.
fn group_head(measure: &Measure) -> String {
    measure.label.trim_end_matches(" %").to_owned()
}

/// The largest errors of every metric, and the cases whose error has no number.
pub(super) fn worst(correlation: &Correlation<'_>) -> String {
    let mut text = String::new();
    for isa in correlation.isas() {
        for measure in correlation.present() {
            let label = measure.label;
            let mut table = Table::new([
                ("case", Align::Left),
                ("hw", Align::Right),
                ("sim", Align::Right),
                ("error", Align::Right),
                ("", Align::Left),
            ]);
            let worst = measure.worst(correlation.of(isa), WORST);
            for case in worst.into_iter().filter(|case| case.error >= LEAST_SHOWN) {
                let error = format!("{:.1}", case.error);
                let unit = unit(&measure).to_owned();
                let values = [value_text(case.hardware), value_text(case.simulated)];
                table.row([vec![case.comparison.case.clone()], values.into(), vec![error, unit]].concat());
            }
            if !table.is_empty() {
                text.push_str(&format!("Worst of {label}, from {isa}\n{}", table.text()));
            }
            let false_positives = measure.false_positives(correlation.of(isa)).take(WORST);
            let named: Vec<String> = false_positives
                .map(|(case, hardware, simulated)| {
                    format!("{} (hw {}, sim {})", case.case, value_text(hardware), value_text(simulated))
                })
                .collect();
            if !named.is_empty() {
                text.push_str(&format!("False {label}, from {isa}: {}\n", named.join(", ")));
            }
            if !table.is_empty() || !named.is_empty() {
                text.push('\n');
            }
        }
    }
    text
}
