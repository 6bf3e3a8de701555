//! The plots of an experiment as charts.

use super::report::ExperimentReport;
use super::table::axis_text;
use warplab_config::experiment::{AxisValue, Bound, Experiment, Plot, PlotKind, PlotRoof};
use warplab_report::{Chart, ChartAxis, ChartKind, ChartRoof, Series};

/// A plot of a report.
pub(super) fn chart(report: &ExperimentReport, plot: &Plot) -> Chart {
    let experiment = &report.experiment;
    let points: Vec<usize> = (0..report.points.len())
        .filter(|&index| experiment.selects(&plot.at, &report.points[index]))
        .collect();
    let categories = categories(report, plot, &points);
    let kind = match plot.kind {
        PlotKind::Line => ChartKind::Line,
        PlotKind::Bar => ChartKind::Bar,
    };
    let x = |index: usize| {
        if categories.is_empty() {
            number(report, &plot.x, index)
        } else {
            let text = x_text(report, &plot.x, index);
            categories.iter().position(|category| *category == text).map(|place| place as f64)
        }
    };
    let names = series_names(report, plot, &points);
    let series = names.iter().map(|name| series(report, plot, &points, name.as_deref(), &x)).collect();
    Chart {
        title: plot.title.clone().unwrap_or_else(|| experiment.title.clone()),
        kind,
        x: axis(experiment, &plot.x, plot.log_x),
        y: axis(experiment, &plot.y, plot.log_y),
        series,
        roof: plot.roof.as_ref().and_then(|it| roof(report, it, &points)),
        categories,
    }
}

fn axis(experiment: &Experiment, name: &str, log: Option<bool>) -> ChartAxis {
    let column = experiment.columns.iter().find(|column| column.name == name);
    ChartAxis { label: label(experiment, name), log, digits: column.and_then(|column| column.digits) }
}

/// The roof of a plot: its columns have the same values at every point.
fn roof(report: &ExperimentReport, roof: &PlotRoof, points: &[usize]) -> Option<ChartRoof> {
    let first = *points.first()?;
    Some(ChartRoof {
        name: roof.name.clone(),
        peak: number(report, &roof.peak, first)?,
        slope: number(report, &roof.slope, first)?,
    })
}

/// The name of an axis or a column, with its unit.
fn label(experiment: &Experiment, name: &str) -> String {
    let axis = experiment.axes.iter().find(|axis| axis.name == name);
    let axis = axis.map(|axis| (axis.head(), axis.unit.as_str()));
    let column = || experiment.columns.iter().find(|column| column.name == name);
    let (head, unit) =
        axis.or_else(|| column().map(|column| (column.head(), column.unit.as_str()))).unwrap_or((name, ""));
    if unit.is_empty() { head.to_owned() } else { format!("{head} ({unit})") }
}

/// The value of a column, or of something that goes with the point, as a number.
fn number(report: &ExperimentReport, name: &str, index: usize) -> Option<f64> {
    let column = report.experiment.columns.iter().position(|column| column.name == name);
    match (column, report.points[index].names.get(name)) {
        (Some(column), _) => report.columns[column][index],
        (None, Some(AxisValue::Number(number))) => Some(*number),
        _ => None,
    }
}

fn x_text(report: &ExperimentReport, name: &str, index: usize) -> String {
    let axis = report.experiment.axes.iter().find(|axis| axis.name == name);
    let value = report.points[index].names.get(name);
    value.map_or_else(String::new, |value| axis_text(axis, value))
}

/// The texts along x, in order, where x is not a number; bars always stand side by side.
fn categories(report: &ExperimentReport, plot: &Plot, points: &[usize]) -> Vec<String> {
    let numeric = points.iter().all(|&index| number(report, &plot.x, index).is_some());
    if numeric && plot.kind == PlotKind::Line {
        return Vec::new();
    }
    let mut categories: Vec<String> = Vec::new();
    for &index in points {
        let text = x_text(report, &plot.x, index);
        if !categories.contains(&text) {
            categories.push(text);
        }
    }
    categories
}

/// The values of the axis of series, or one nameless series.
fn series_names(report: &ExperimentReport, plot: &Plot, points: &[usize]) -> Vec<Option<String>> {
    let Some(axis) = &plot.series else { return vec![None] };
    let mut names: Vec<Option<String>> = Vec::new();
    for &index in points {
        let name = Some(x_text(report, axis, index));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn series(
    report: &ExperimentReport,
    plot: &Plot,
    points: &[usize],
    name: Option<&str>,
    x: &dyn Fn(usize) -> Option<f64>,
) -> Series {
    let belongs = |index: &usize| match (&plot.series, name) {
        (Some(axis), Some(name)) => x_text(report, axis, *index) == name,
        _ => true,
    };
    let here: Vec<usize> = points.iter().copied().filter(belongs).collect();
    let found = here.iter().filter_map(|&index| Some((x(index)?, number(report, &plot.y, index)?))).collect();
    let mut references: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    // A bound on one side or an order is no place where the value should lie.
    let is_place = |bound| !matches!(bound, Bound::Below | Bound::Above | Bound::Order(_));
    let of_column = report.judgements.iter().filter(|it| it.reference.column == plot.y);
    for judgement in of_column.filter(|it| is_place(it.reference.bound)) {
        let marks: Vec<(f64, f64)> = here
            .iter()
            .filter_map(|&index| Some((x(index)?, judgement.comparisons[index]?.expected)))
            .collect();
        let from = &judgement.reference.from;
        match references.iter_mut().find(|(name, _)| name == from) {
            Some((_, known)) => known.extend(marks),
            None if !marks.is_empty() => references.push((from.clone(), marks)),
            None => {}
        }
    }
    let prefix = plot.series.as_deref().filter(|_| name.is_some_and(|name| name.parse::<f64>().is_ok()));
    let name = match (prefix, name) {
        (Some(axis), Some(name)) => format!("{axis} {name}"),
        (_, name) => name.unwrap_or_default().to_owned(),
    };
    Series { name, points: found, references }
}
