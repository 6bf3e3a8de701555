//! Reports as tables: text, CSV, JSON.

use super::judge::Judgement;
use super::report::ExperimentReport;
use serde_json::{Map, Value, json};
use warplab_config::experiment::{AxisValue, Bound, Column};
use warplab_metrics::{group_thousands, real_text};
use warplab_report::{Align, Table};

/// The head of the marks that say whether a point's launch computed what its expectations say.
const EXPECTATIONS: &str = "expectations";

/// A number of a table: with so many digits, or whole numbers without and others with two; `-` for none.
#[must_use]
pub fn value_text(value: Option<f64>, digits: Option<u8>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    match digits {
        None if value.fract() == 0.0 && value.abs() < 1e15 => with_thousands(&format!("{value:.0}")),
        None if value.abs() < 0.1 => format!("{value:.3e}"),
        None => real_text(value),
        Some(digits) => with_thousands(&format!("{value:.*}", usize::from(digits))),
    }
}

fn with_thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, ""), |(whole, fraction)| (whole, fraction));
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", group_thousands(whole))
}

/// The head of a column, with its unit.
fn head(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

/// The references of a column, those of the same origin together.
fn origins<'a>(report: &'a ExperimentReport, column: &Column) -> Vec<(&'a str, Vec<&'a Judgement>)> {
    let mut origins: Vec<(&str, Vec<&Judgement>)> = Vec::new();
    for judgement in report.judgements.iter().filter(|it| it.reference.column == column.name) {
        let from = judgement.reference.from.as_str();
        match origins.iter_mut().find(|(name, _)| *name == from) {
            Some((_, judgements)) => judgements.push(judgement),
            None => origins.push((from, vec![judgement])),
        }
    }
    origins
}

/// Whether references are such that a ratio to them says something.
fn has_ratio(judgements: &[&Judgement]) -> bool {
    let judged = judgements.iter().map(|judgement| judgement.reference.bound);
    judged.into_iter().any(|bound| matches!(bound, Bound::Within(_) | Bound::Ratios(_) | Bound::Shown))
}

/// The points of a report as a table: axes, then every column with its references and the ratios to them.
#[must_use]
pub fn table(report: &ExperimentReport) -> Table {
    let experiment = &report.experiment;
    let mut heads: Vec<(String, Align)> = Vec::new();
    let is_number = |value: &AxisValue| matches!(value, AxisValue::Number(_));
    for axis in &experiment.axes {
        let align = if axis.values.iter().all(is_number) { Align::Right } else { Align::Left };
        heads.push((head(&axis.name, &axis.unit), align));
    }
    let shown = || experiment.columns.iter().enumerate().filter(|(_, column)| !column.hidden);
    for (_, column) in shown() {
        heads.push((head(column.head(), &column.unit), Align::Right));
        for (from, judgements) in origins(report, column) {
            heads.push((from.to_owned(), Align::Right));
            if has_ratio(&judgements) {
                heads.push(("ratio".to_owned(), Align::Right));
            }
        }
    }
    if report.has_expectations() {
        heads.push((EXPECTATIONS.to_owned(), Align::Left));
    }
    let mut table = Table::new(heads.iter().map(|(head, align)| (head.as_str(), *align)));
    for (index, point) in report.points.iter().enumerate() {
        let mut cells: Vec<String> = point.values.iter().map(axis_text).collect();
        for (number, column) in shown() {
            cells.push(value_text(report.columns[number][index], column.digits));
            for (_, judgements) in origins(report, column) {
                let comparison = judgements.iter().find_map(|judgement| judgement.comparisons[index]);
                cells.push(value_text(comparison.map(|it| it.expected), column.digits));
                if has_ratio(&judgements) {
                    let ratio = comparison.and_then(|it| it.ratio());
                    cells.push(ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
                }
            }
        }
        if report.has_expectations() {
            cells.push(report.expectations[index].mark().to_owned());
        }
        table.row(cells);
    }
    table
}

fn axis_text(value: &AxisValue) -> String {
    match value {
        AxisValue::Number(number) => value_text(Some(*number), None),
        AxisValue::Text(text) => text.clone(),
    }
}

/// A number without thousands and with all its digits; empty for none.
fn plain(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The points of a report as CSV: axes, then columns, each reference behind its column.
#[must_use]
pub fn csv(report: &ExperimentReport) -> String {
    let experiment = &report.experiment;
    let mut heads: Vec<String> = experiment.axes.iter().map(|axis| head(&axis.name, &axis.unit)).collect();
    for column in &experiment.columns {
        heads.push(head(&column.name, &column.unit));
        heads.extend(origins(report, column).iter().map(|(from, _)| format!("{} {from}", column.name)));
    }
    if report.has_expectations() {
        heads.push(EXPECTATIONS.to_owned());
    }
    let mut lines = vec![heads];
    for (index, point) in report.points.iter().enumerate() {
        let mut cells: Vec<String> = point.values.iter().map(ToString::to_string).collect();
        for (number, column) in experiment.columns.iter().enumerate() {
            cells.push(plain(report.columns[number][index]));
            for (_, judgements) in origins(report, column) {
                let comparison = judgements.iter().find_map(|judgement| judgement.comparisons[index]);
                cells.push(plain(comparison.map(|it| it.expected)));
            }
        }
        if report.has_expectations() {
            cells.push(report.expectations[index].mark().to_owned());
        }
        lines.push(cells);
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in &lines {
        // A list of bytes takes everything.
        let _ = writer.write_record(line);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A report as JSON.
#[must_use]
pub fn json(report: &ExperimentReport) -> Value {
    let experiment = &report.experiment;
    let point = |index: usize| {
        let mut object = Map::new();
        for (axis, value) in experiment.axes.iter().zip(&report.points[index].values) {
            object.insert(axis.name.clone(), json!(value));
        }
        for (number, column) in experiment.columns.iter().enumerate() {
            object.insert(column.name.clone(), json!(report.columns[number][index]));
        }
        Value::Object(object)
    };
    let judgement = |judgement: &Judgement| {
        let expected: Vec<Option<f64>> =
            judgement.comparisons.iter().map(|it| it.map(|it| it.expected)).collect();
        json!({
            "column": judgement.reference.column,
            "from": judgement.reference.from,
            "values": expected,
            "verdict": format!("{:?}", judgement.verdict).to_lowercase(),
            "says": judgement.line,
        })
    };
    json!({
        "title": experiment.title,
        "source": experiment.source,
        "why": experiment.why,
        "points": (0..report.points.len()).map(point).collect::<Vec<_>>(),
        "expectations": report.expectations,
        "references": report.judgements.iter().map(judgement).collect::<Vec<_>>(),
        "notes": experiment.notes,
    })
}

#[cfg(test)]
mod tests {
    use super::value_text;

    #[test]
    fn numbers_have_the_digits_that_they_need() {
        let text = |value, digits| value_text(Some(value), digits);
        assert_eq!(text(262_144.0, None), "262,144");
        assert_eq!(text(97.656_25, None), "97.66");
        assert_eq!(text(97.656_25, Some(3)), "97.656");
        assert_eq!(text(0.025, None), "2.500e-2");
        assert_eq!(text(-1234.5, Some(1)), "-1,234.5");
        assert_eq!(value_text(None, None), "-");
    }
}
