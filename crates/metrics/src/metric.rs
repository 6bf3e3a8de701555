//! One row of the registry.

use crate::context::Context;
use crate::value::{Unit, Value};
use warplab_trace::WarpState;

/// A metric: its names, what it means, and how it comes from the counters.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The id, as Nsight Compute spells it where it has such a metric.
    pub id: &'static str,
    /// The label in reports.
    pub label: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// How it is computed, in words.
    pub formula: &'static str,
    /// What it means.
    pub description: &'static str,
    /// Where its value comes from.
    pub(crate) source: ValueSource,
    /// Whether the text report shows it; `raw` and JSON show every metric.
    pub shown: bool,
}

/// Where the value of a metric comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueSource {
    /// A function of the counters.
    Counters(fn(&Context<'_>) -> Value),
    /// The warp-cycles in one state for each instruction issued.
    WarpCycles(WarpState),
}

impl Metric {
    /// Its value for a launch.
    #[must_use]
    pub fn value(&self, context: &Context<'_>) -> Value {
        match self.source {
            ValueSource::Counters(value) => value(context),
            ValueSource::WarpCycles(state) => Value::ratio(context.in_state(state), context.issued()),
        }
    }

    /// A metric of the text report.
    pub(crate) const fn shown(
        id: &'static str,
        label: &'static str,
        unit: Unit,
        formula: &'static str,
        description: &'static str,
        value: fn(&Context<'_>) -> Value,
    ) -> Metric {
        Metric { id, label, unit, formula, description, source: ValueSource::Counters(value), shown: true }
    }

    /// A metric of the raw page only.
    pub(crate) const fn raw(
        id: &'static str,
        label: &'static str,
        unit: Unit,
        formula: &'static str,
        description: &'static str,
        value: fn(&Context<'_>) -> Value,
    ) -> Metric {
        Metric { shown: false, ..Metric::shown(id, label, unit, formula, description, value) }
    }
}

/// A section of the report.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The name on a command line.
    pub name: &'static str,
    /// The title in reports.
    pub title: &'static str,
    /// What the section answers.
    pub description: &'static str,
    /// Its metrics, in order.
    pub metrics: &'static [Metric],
}
