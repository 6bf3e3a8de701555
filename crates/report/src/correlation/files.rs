//! Everything for programs to read.

use super::Correlation;
use serde::Serialize;
use std::collections::BTreeMap;
use warplab_metrics::correlation::{Comparison, Measure, Rule};

/// Raised when a key changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// A row a case: names, result, then two columns for every metric, of the hardware and simulated.
#[must_use]
pub fn correlation_csv(comparisons: &[Comparison]) -> String {
    let has = |id: &str| comparisons.iter().any(|comparison| comparison.pair(id).is_some());
    let ids: Vec<&'static str> = Measure::known_ids().filter(|id| has(id)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = ["suite", "case", "kernel", "isa", "group", "result"].map(str::to_owned);
    let metrics = ids.iter().flat_map(|id| [format!("{id} hw"), format!("{id} sim")]);
    // Writing to memory cannot fail, and all rows are equally long.
    let _ = writer.write_record(names.into_iter().chain(metrics));
    for comparison in comparisons {
        let names = [
            comparison.suite.clone(),
            comparison.case.clone(),
            comparison.kernel.clone(),
            comparison.isa.to_owned(),
            comparison.group.clone(),
            result_text(comparison),
        ];
        let values = ids.iter().flat_map(|id| {
            let pair = comparison.pair(id);
            let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            [text(pair.map(|pair| pair.hardware)), text(pair.and_then(|pair| pair.simulated))]
        });
        let _ = writer.write_record(names.into_iter().chain(values));
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// `ok`, `wrong: BUFFERS` or `failed: WHY`.
fn result_text(comparison: &Comparison) -> String {
    match &comparison.result {
        Err(message) => format!("failed: {message}"),
        Ok(compared) if !compared.wrong_outputs.is_empty() => {
            format!("wrong: {}", compared.wrong_outputs.join(" "))
        }
        Ok(_) => "ok".to_owned(),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    machine: &'a str,
    cases: Vec<CaseJson<'a>>,
    errors: Vec<ErrorJson>,
}

#[derive(Serialize)]
struct CaseJson<'a> {
    suite: &'a str,
    case: &'a str,
    kernel: &'a str,
    isa: &'a str,
    group: &'a str,
    result: String,
    metrics: BTreeMap<&'a str, PairJson>,
}

#[derive(Serialize)]
struct PairJson {
    hardware: f64,
    simulated: Option<f64>,
}

#[derive(Serialize)]
struct ErrorJson {
    metric: &'static str,
    isa: &'static str,
    unit: &'static str,
    cases: usize,
    small: usize,
    false_positives: usize,
    error: Option<f64>,
    bias: Option<f64>,
    pearson: Option<f64>,
    tau: Option<f64>,
}

/// Every case with every metric, and the error of every metric, as JSON with stable keys.
#[must_use]
pub fn correlation_json(correlation: &Correlation<'_>) -> String {
    let comparisons = correlation.comparisons;
    let has = |measure: &Measure| comparisons.iter().any(|comparison| comparison.pair(measure.id).is_some());
    let measures = Measure::known_ids().filter_map(Measure::find).filter(has);
    let isas = correlation.isas();
    let errors = measures.flat_map(|measure| isas.iter().map(move |isa| (measure, *isa)));
    let document = Document {
        schema_version: SCHEMA_VERSION,
        machine: correlation.machine,
        cases: comparisons.iter().map(case_json).collect(),
        errors: errors.map(|(measure, isa)| error_json(correlation, measure, isa)).collect(),
    };
    // These types have nothing that JSON cannot hold.
    serde_json::to_string_pretty(&document).map(|text| text + "\n").unwrap_or_default()
}

fn case_json(comparison: &Comparison) -> CaseJson<'_> {
    let pairs = comparison.result.iter().flat_map(|compared| &compared.pairs);
    let pair = |pair: &warplab_metrics::correlation::Pair| PairJson {
        hardware: pair.hardware,
        simulated: pair.simulated,
    };
    CaseJson {
        suite: &comparison.suite,
        case: &comparison.case,
        kernel: &comparison.kernel,
        isa: comparison.isa,
        group: &comparison.group,
        result: result_text(comparison),
        metrics: pairs.map(|it| (it.id, pair(it))).collect(),
    }
}

fn error_json(correlation: &Correlation<'_>, measure: Measure, isa: &'static str) -> ErrorJson {
    let summary = measure.summary(correlation.of(isa));
    ErrorJson {
        metric: measure.id,
        isa,
        unit: match measure.rule {
            Rule::Points => "percentage points",
            Rule::Relative { .. } => "%",
        },
        cases: summary.count,
        small: summary.small,
        false_positives: summary.false_positives,
        error: summary.error,
        bias: summary.bias,
        pearson: summary.pearson,
        tau: summary.tau,
    }
}
