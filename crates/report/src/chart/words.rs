//! What a chart says in words: numbers, tooltips, and the description that a screen reader reads.

use super::{Chart, ChartRoof, Series};
use warplab_metrics::{group_thousands, real_text};

/// Points of a series that a description lists; of more it says from where to where they go.
const LISTED: usize = 16;

/// A number: with so many digits, or whole numbers without and others with two.
#[must_use]
pub fn number_text(value: f64, digits: Option<u8>) -> String {
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

/// A tick's number: whole ones without a point, small ones with the digits that they need.
pub(super) fn tick_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() >= 1e6 || value.abs() < 1e-3 {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, fraction) = text.split_once('.').map_or((text, ""), |(whole, fraction)| (whole, fraction));
    let digits = group_thousands(whole);
    if fraction.is_empty() { digits } else { format!("{digits}.{fraction}") }
}

/// The name of a place on x.
fn place_text(chart: &Chart, place: f64) -> String {
    let number = usize::try_from(warplab_metrics::whole_number(place)).ok();
    match number.and_then(|number| chart.categories.get(number)) {
        Some(name) => name.clone(),
        None => number_text(place, chart.x.digits),
    }
}

/// What is said of a point: whose it is, where, and its value.
pub(super) fn point_text(chart: &Chart, whose: &[&str], (place, value): (f64, f64)) -> String {
    let whose: Vec<&str> = whose.iter().copied().filter(|name| !name.is_empty()).collect();
    let whose = if whose.is_empty() { String::new() } else { format!("{}: ", whose.join(", ")) };
    let place = place_text(chart, place);
    let x = if chart.categories.is_empty() { format!("{} {place}", chart.x.label) } else { place };
    format!("{whose}{x}: {} {}", chart.y.label, number_text(value, chart.y.digits))
}

/// The chart in words.
pub(super) fn description(chart: &Chart) -> String {
    let mut text = format!("{} by {}.", chart.y.label, chart.x.label);
    for series in &chart.series {
        text.push_str(&points_text(chart, &series.name, &series.points));
        for (from, points) in &series.references {
            let name = if series.name.is_empty() { from.clone() } else { format!("{}, {from}", series.name) };
            text.push_str(&points_text(chart, &name, points));
        }
    }
    if let Some(ChartRoof { name, peak, slope }) = &chart.roof {
        let (peak, slope) = (number_text(*peak, chart.y.digits), number_text(*slope, None));
        text.push_str(&format!(" {name}: {slope} times x, at most {peak}."));
    }
    text
}

fn points_text(chart: &Chart, name: &str, points: &[(f64, f64)]) -> String {
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let one = |&(place, value): &(f64, f64)| {
        format!("{} at {}", number_text(value, chart.y.digits), place_text(chart, place))
    };
    match (points.first(), points.last()) {
        (Some(first), Some(last)) if points.len() > LISTED => {
            format!(" {name}{} points, from {} to {}.", points.len(), one(first), one(last))
        }
        (Some(_), _) => format!(" {name}{}.", points.iter().map(one).collect::<Vec<_>>().join(", ")),
        _ => String::new(),
    }
}

/// The name of a series in tooltips and legends.
pub(super) fn series_name<'a>(chart: &Chart, series: &'a Series) -> &'a str {
    if series.name.is_empty() && !chart.origins().is_empty() { "simulated" } else { &series.name }
}
