//! Every section of a launch, filled.

use crate::context::Context;
use crate::metric::{Metric, Section};
use crate::registry::SECTIONS;
use crate::value::Value;
use crate::verdicts::{Verdict, verdicts};

/// A metric and its value.
#[derive(Clone, Debug)]
pub struct MetricRow {
    /// The metric.
    pub metric: &'static Metric,
    /// Its value.
    pub value: Value,
}

/// A section with the values of a launch.
#[derive(Clone, Debug)]
pub struct SectionValues {
    /// The section.
    pub section: &'static Section,
    /// Its metrics, in order.
    pub rows: Vec<MetricRow>,
    /// What they mean.
    pub verdicts: Vec<Verdict>,
}

/// Every section of a launch.
#[must_use]
pub fn evaluate(context: &Context<'_>) -> Vec<SectionValues> {
    let mut all = verdicts(context);
    SECTIONS
        .iter()
        .map(|section| {
            let rows = section
                .metrics
                .iter()
                .map(|metric| MetricRow { metric, value: metric.value(context) })
                .collect();
            let (here, rest) =
                std::mem::take(&mut all).into_iter().partition(|it| it.section == section.name);
            all = rest;
            SectionValues { section, rows, verdicts: here }
        })
        .collect()
}
