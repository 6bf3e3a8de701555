//! Reports as tables: text, CSV, JSON.

use super::judge::{ClaimJudgement, Judgement, ReferenceComparison};
use super::report::ExperimentReport;
use serde_json::{Map, Value, json};
use warplab_config::experiment::{Axis, AxisValue, Bound, Column};
use warplab_report::{Align, Table, number_text, wrap};

/// The head of the marks that say whether a point's launch computed what its expectations say.
const EXPECTATIONS: &str = "expectations";

/// A number of a table: with so many digits, or whole numbers without and others with two; `-` for none.
#[must_use]
pub fn value_text(value: Option<f64>, digits: Option<u8>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| number_text(value, digits))
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

/// Whether references are values that a column should have: an order may be one of other things.
fn has_values(judgements: &[&Judgement]) -> bool {
    judgements.iter().any(|judgement| !matches!(judgement.reference.bound, Bound::Order(_)))
}

/// Whether references are such that a ratio to them says something.
fn has_ratio(judgements: &[&Judgement]) -> bool {
    let judged = judgements.iter().map(|judgement| judgement.reference.bound);
    judged
        .into_iter()
        .any(|bound| matches!(bound, Bound::Within(_) | Bound::Points(_) | Bound::Ratios(_) | Bound::Shown))
}

/// A column of a table: its head, how it is aligned, and its cells.
struct Shown {
    head: String,
    align: Align,
    cells: Vec<String>,
}

/// Characters between two columns.
const GAP: usize = 2;
/// Lines of heads are not made narrower than this.
const NARROWEST: usize = 9;

impl Shown {
    fn widest_cell(&self) -> usize {
        self.cells.iter().map(|cell| characters(cell)).max().unwrap_or(0)
    }

    fn width(&self) -> usize {
        self.head.lines().map(characters).max().unwrap_or(0).max(self.widest_cell())
    }

    fn break_head(&mut self, most: usize) {
        self.head = wrap(&self.head, most.max(self.widest_cell())).join("\n");
    }
}

/// The points of a report as tables of at most `width` characters: axes, then every column with its references and the
/// ratios to them. Heads are broken into lines; what still does not fit goes into a further table with the same axes.
#[must_use]
pub fn tables(report: &ExperimentReport, width: usize) -> Vec<Table> {
    let mut axes = axis_columns(report);
    let shown = report.experiment.columns.iter().zip(&report.columns).filter(|(column, _)| !column.hidden);
    let mut groups: Vec<Vec<Shown>> =
        shown.map(|(column, values)| column_with_references(report, column, values)).collect();
    if report.has_expectations() {
        let cells = report.expectations.iter().map(|it| it.mark().to_owned()).collect();
        groups.push(vec![Shown { head: EXPECTATIONS.to_owned(), align: Align::Left, cells }]);
    }
    narrow(&mut axes, &mut groups, width);
    let own = total(&axes);
    let mut parts: Vec<Vec<Shown>> = Vec::new();
    for group in groups {
        match parts.last_mut() {
            Some(part) if own + total(part) + total(&group) <= width + GAP => part.extend(group),
            _ => parts.push(group),
        }
    }
    parts.iter().map(|part| grid(&axes, part, report.points.len())).collect()
}

fn grid(axes: &[Shown], part: &[Shown], rows: usize) -> Table {
    let columns = || axes.iter().chain(part);
    let mut table = Table::new(columns().map(|column| (column.head.as_str(), column.align)));
    for index in 0..rows {
        table.row(columns().map(|column| column.cells[index].clone()));
    }
    table
}

/// A value of an axis, or of what goes along with one: its label, or else a number as in all tables.
pub(super) fn axis_text(axis: Option<&Axis>, value: &AxisValue) -> String {
    match (axis, value) {
        (Some(axis), value) if !axis.labels.is_empty() => axis.shown(value),
        (_, AxisValue::Number(number)) => value_text(Some(*number), None),
        (_, AxisValue::Text(text)) => text.clone(),
    }
}

fn axis_columns(report: &ExperimentReport) -> Vec<Shown> {
    let of_axis = |(place, axis): (usize, &Axis)| {
        let is_number = |value: &AxisValue| matches!(value, AxisValue::Number(_));
        let are_numbers = axis.labels.is_empty() && axis.values.iter().all(is_number);
        let cells = report.points.iter().map(|point| axis_text(Some(axis), &point.values[place]));
        let align = if are_numbers { Align::Right } else { Align::Left };
        Shown { head: head(axis.head(), &axis.unit), align, cells: cells.collect() }
    };
    report.experiment.axes.iter().enumerate().map(of_axis).collect()
}

fn column_with_references(report: &ExperimentReport, column: &Column, values: &[Option<f64>]) -> Vec<Shown> {
    let numbers = |head: String, cells: Vec<String>| Shown { head, align: Align::Right, cells };
    let own = values.iter().map(|&value| value_text(value, column.digits)).collect();
    let mut columns = vec![numbers(head(column.head(), &column.unit), own)];
    for (from, judgements) in origins(report, column).into_iter().filter(|(_, it)| has_values(it)) {
        let comparison = |index: usize| judgements.iter().find_map(|judgement| judgement.comparisons[index]);
        let comparisons: Vec<_> = (0..report.points.len()).map(comparison).collect();
        let expected = comparisons.iter().map(|it| value_text(it.map(|it| it.expected), column.digits));
        columns.push(numbers(head(from, &column.unit), expected.collect()));
        if has_ratio(&judgements) {
            let ratio = |it: &Option<ReferenceComparison>| it.and_then(ReferenceComparison::ratio);
            let text = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            columns.push(numbers("ratio".to_owned(), comparisons.iter().map(|it| text(ratio(it))).collect()));
        }
    }
    columns
}

/// Characters of a text, as a terminal shows it.
fn characters(text: &str) -> usize {
    text.chars().count()
}

/// Characters of columns with the gap behind each.
fn total(columns: &[Shown]) -> usize {
    columns.iter().map(|column| column.width() + GAP).sum()
}

/// Breaks heads into lines, longest first, until everything is at most so wide or nothing more can be broken.
fn narrow(axes: &mut [Shown], groups: &mut [Vec<Shown>], width: usize) {
    let columns = || axes.iter().chain(groups.iter().flatten());
    let longest = columns().map(|column| characters(&column.head)).max().unwrap_or(0);
    for most in (NARROWEST..longest).rev() {
        if total(axes) + groups.iter().map(|group| total(group)).sum::<usize>() <= width + GAP {
            return;
        }
        axes.iter_mut().chain(groups.iter_mut().flatten()).for_each(|column| column.break_head(most));
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
    let claim = |claim: &ClaimJudgement| {
        json!({
            "claim": claim.claim.says,
            "verdict": format!("{:?}", claim.verdict).to_lowercase(),
            "says": claim.line,
        })
    };
    json!({
        "title": experiment.title,
        "source": experiment.source,
        "why": experiment.why,
        "points": (0..report.points.len()).map(point).collect::<Vec<_>>(),
        "expectations": report.expectations,
        "references": report.judgements.iter().map(judgement).collect::<Vec<_>>(),
        "claims": report.claims.iter().map(claim).collect::<Vec<_>>(),
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
