//! Two runs beside each other: how much longer one takes, why, and what else changed.
//!
//! The time of a launch is instructions x cycles between two instructions of a warp / resident warps / schedulers at
//! work / clock, by Little's law for warps. So the ratio of two times is the product of five ratios, each of a metric;
//! what is at work follows from the others.

use crate::metric::Metric;
use crate::registry::{find_metric, metrics};
use crate::value::Value;
use serde::Serialize;
use std::collections::BTreeMap;
use warplab_trace::WarpState;

const TIME: &str = "gpu__time_duration.sum";
const CLOCK: &str = "sm__cycles_elapsed.avg.per_second";
const INSTRUCTIONS: &str = "smsp__inst_issued.sum";
const LATENCY: &str = "smsp__average_warp_latency_per_inst_issued.ratio";
const WARPS: &str = "smsp__warps_active.avg.per_cycle_active";

/// Changes below this share are not worth a row.
const WORTH: f64 = 0.005;

/// The metrics of one run by id, in base units.
pub type Measured = BTreeMap<String, Value>;

/// One reason why the times differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// What it is.
    pub what: &'static str,
    /// The id of its metric, where it has one.
    pub metric: Option<&'static str>,
    /// Its value before, as text.
    pub before: String,
    /// Its value after, as text.
    pub after: String,
    /// By what it multiplies the time.
    pub times: f64,
}

/// Cycles in a state for an issued instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateChange {
    /// The name of the state.
    pub state: &'static str,
    /// Its label.
    pub label: &'static str,
    /// Cycles before.
    pub before: f64,
    /// Cycles after.
    pub after: f64,
}

/// A metric that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The id of the metric.
    pub metric: &'static str,
    /// Its label.
    pub label: &'static str,
    /// Before, as text with its unit.
    pub before: String,
    /// After, as text with its unit.
    pub after: String,
    /// After / before; none if there was nothing before.
    pub ratio: Option<f64>,
}

/// Two runs beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The time after / the time before.
    pub time: Option<f64>,
    /// The times as text.
    pub times: [String; 2],
    /// Why, the strongest reason first: their product is `time`.
    pub factors: Vec<Factor>,
    /// The states, those that changed most first.
    pub states: Vec<StateChange>,
    /// All metrics that changed, those that changed most first.
    pub differences: Vec<Difference>,
}

/// What changed from one run to another.
#[must_use]
pub fn compare(before: &Measured, after: &Measured) -> Comparison {
    Comparison {
        time: ratio(before, after, TIME),
        times: [before, after]
            .map(|run| find_metric(TIME).map_or(String::new(), |time| text(time, run.get(TIME)))),
        factors: factors(before, after),
        states: states(before, after),
        differences: differences(before, after),
    }
}

fn ratio(before: &Measured, after: &Measured, id: &str) -> Option<f64> {
    let (before, after) = (before.get(id)?.number()?, after.get(id)?.number()?);
    (before > 0.0 && after > 0.0).then(|| after / before)
}

fn factors(before: &Measured, after: &Measured) -> Vec<Factor> {
    let known = [
        ("instructions issued", INSTRUCTIONS, 1.0),
        ("cycles between two instructions of a warp", LATENCY, 1.0),
        ("resident warps of a scheduler at work", WARPS, -1.0),
        ("clock", CLOCK, -1.0),
    ];
    let mut factors: Vec<Factor> = known
        .into_iter()
        .filter_map(|(what, id, power)| {
            let metric = find_metric(id)?;
            Some(Factor {
                what,
                metric: Some(id),
                before: text(metric, before.get(id)),
                after: text(metric, after.get(id)),
                times: ratio(before, after, id)?.powf(power),
            })
        })
        .collect();
    let Some(time) = ratio(before, after, TIME) else { return Vec::new() };
    if factors.len() < known.len() {
        return Vec::new();
    }
    let product: f64 = factors.iter().map(|factor| factor.times).product();
    factors.push(Factor {
        what: "schedulers at work",
        metric: None,
        before: at_work(before),
        after: at_work(after),
        times: time / product,
    });
    factors.sort_by(|a, b| b.times.ln().abs().total_cmp(&a.times.ln().abs()));
    factors
}

/// Schedulers that held a warp, mean over the time of the kernel.
fn at_work(run: &Measured) -> String {
    let of = |id: &str| run.get(id).and_then(Value::number).unwrap_or(0.0);
    let cycles = of(TIME) * 1e-9 * of(CLOCK);
    let work = of(INSTRUCTIONS) * of(LATENCY) / of(WARPS);
    crate::format::real_text(work / cycles)
}

/// Cycles in a state for an issued instruction.
fn cycles(run: &Measured, state: WarpState) -> f64 {
    run.get(state.metric()).and_then(Value::number).unwrap_or(0.0)
}

fn states(before: &Measured, after: &Measured) -> Vec<StateChange> {
    let mut states: Vec<StateChange> = WarpState::all()
        .map(|state| StateChange {
            state: state.name(),
            label: state.label(),
            before: cycles(before, state),
            after: cycles(after, state),
        })
        .filter(|change| change.before != change.after)
        .collect();
    let moved = |change: &StateChange| (change.after - change.before).abs();
    states.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
    states
}

fn differences(before: &Measured, after: &Measured) -> Vec<Difference> {
    let mut found: Vec<(f64, Difference)> = metrics()
        .filter_map(|metric| {
            let (before, after) = (before.get(metric.id)?, after.get(metric.id)?);
            let (was, is) = (before.number()?, after.number()?);
            let weight = weight(was, is);
            let ratio = (was != 0.0).then(|| is / was);
            let row = Difference {
                metric: metric.id,
                label: metric.label,
                before: text(metric, Some(before)),
                after: text(metric, Some(after)),
                ratio,
            };
            (weight > WORTH && row.before != row.after).then_some((weight, row))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, row)| row).collect()
}

/// How much a metric changed: the logarithm of its ratio; what comes from nothing or goes to nothing changed most.
fn weight(before: f64, after: f64) -> f64 {
    if before == after {
        0.0
    } else if before <= 0.0 || after <= 0.0 {
        f64::INFINITY
    } else {
        (after / before).ln().abs()
    }
}

/// A value as the report prints it, with its unit.
fn text(metric: &Metric, value: Option<&Value>) -> String {
    let (unit, text) = metric.unit.scaled(value.unwrap_or(&Value::Absent));
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::{Measured, compare};
    use crate::evaluate;
    use crate::test_launch::{counters, launch, with};
    use warplab_trace::{LaunchCounters, StallReason, WarpState};

    fn measured(counters: &LaunchCounters) -> Measured {
        let sections = with(counters, &launch(), evaluate);
        let rows = sections.iter().flat_map(|section| &section.rows);
        rows.map(|row| (row.metric.id.to_owned(), row.value.clone())).collect()
    }

    /// Half of the waits for level one, and half of the time.
    fn faster() -> LaunchCounters {
        let mut counters = counters();
        counters.elapsed_cycles /= 2;
        for scheduler in &mut counters.sm.schedulers {
            scheduler.states[WarpState::Stalled(StallReason::LongScoreboard).index()] = 10_000;
            scheduler.warp_cycles = 40_000;
            scheduler.active_cycles = 20_000;
        }
        counters
    }

    #[test]
    fn the_product_of_the_reasons_is_the_ratio_of_the_times() {
        let found = compare(&measured(&counters()), &measured(&faster()));
        assert_eq!(found.time, Some(0.5));
        let product: f64 = found.factors.iter().map(|factor| factor.times).product();
        assert!((product - 0.5).abs() < 1e-12, "{product}");
        assert_eq!(found.factors[0].what, "cycles between two instructions of a warp");
        assert_eq!(
            (found.factors[0].before.as_str(), found.factors[0].after.as_str()),
            ("8.00 cycle", "4.00 cycle")
        );
    }

    #[test]
    fn the_state_that_moved_most_comes_first() {
        let found = compare(&measured(&counters()), &measured(&faster()));
        let first = &found.states[0];
        assert_eq!((first.state, first.before, first.after), ("long_scoreboard", 5.0, 1.0));
    }

    #[test]
    fn a_run_beside_itself_differs_in_nothing() {
        let found = compare(&measured(&counters()), &measured(&counters()));
        assert_eq!((found.time, found.states.len(), found.differences.len()), (Some(1.0), 0, 0));
        assert!(found.factors.iter().all(|factor| (factor.times - 1.0).abs() < 1e-12));
    }
}
