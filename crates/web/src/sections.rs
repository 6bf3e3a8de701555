//! Sections, metrics and verdicts, in the words and numbers of the text report.

use serde::Serialize;
use warplab_metrics::{Context, MetricRow, SectionValues, Value, Verdict, most_promising};

/// A section.
#[derive(Debug, Serialize)]
pub(crate) struct SectionDocument<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    metrics: Vec<MetricDocument<'a>>,
    verdicts: Vec<VerdictDocument<'a>>,
}

/// A metric with its value in base units, and as the text report prints it.
#[derive(Debug, Serialize)]
struct MetricDocument<'a> {
    id: &'a str,
    label: &'a str,
    unit: &'a str,
    value: serde_json::Value,
    shown_unit: &'a str,
    shown: String,
    formula: &'a str,
    description: &'a str,
    /// Whether the text report shows it.
    in_report: bool,
}

/// A verdict.
#[derive(Debug, Serialize)]
struct VerdictDocument<'a> {
    kind: &'a str,
    rule: &'a str,
    text: &'a str,
    metrics: &'a [&'static str],
}

/// The place of a proposal among the verdicts.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Change {
    section: usize,
    verdict: usize,
}

impl<'a> SectionDocument<'a> {
    pub(crate) fn of(values: &'a SectionValues) -> SectionDocument<'a> {
        SectionDocument {
            name: values.section.name,
            title: values.section.title,
            description: values.section.description,
            metrics: values.rows.iter().map(metric).collect(),
            verdicts: values.verdicts.iter().map(verdict).collect(),
        }
    }
}

impl Change {
    /// The proposals of all sections, the most promising first.
    pub(crate) fn ranked(context: &Context<'_>, sections: &[SectionValues]) -> Vec<Change> {
        let all: Vec<(Change, &Verdict)> = sections
            .iter()
            .enumerate()
            .flat_map(|(section, values)| {
                let places = values.verdicts.iter().enumerate();
                places.map(move |(verdict, found)| (Change { section, verdict }, found))
            })
            .collect();
        let verdicts: Vec<&Verdict> = all.iter().map(|(_, verdict)| *verdict).collect();
        let ranked = most_promising(context, &verdicts);
        ranked
            .into_iter()
            .map(|place| &all[place].0)
            .map(|&Change { section, verdict }| Change { section, verdict })
            .collect()
    }
}

fn metric(row: &MetricRow) -> MetricDocument<'static> {
    let metric = row.metric;
    let value = match &row.value {
        Value::Integer(count) => (*count).into(),
        Value::Real(real) => (*real).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Absent => serde_json::Value::Null,
    };
    let (shown_unit, shown) = metric.unit.scaled(&row.value);
    MetricDocument {
        id: metric.id,
        label: metric.label,
        unit: metric.unit.name(),
        value,
        shown_unit,
        shown,
        formula: metric.formula,
        description: metric.description,
        in_report: metric.shown,
    }
}

fn verdict(verdict: &Verdict) -> VerdictDocument<'_> {
    VerdictDocument {
        kind: verdict.kind.mark(),
        rule: verdict.rule,
        text: &verdict.text,
        metrics: &verdict.based_on,
    }
}
