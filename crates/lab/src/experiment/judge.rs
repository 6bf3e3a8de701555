//! References beside what was found.

use super::table::value_text;
use warplab_config::experiment::{
    Bound, Claim, Columns, Experiment, ExperimentPoint, ReasonPart, Reference, Values, reason_parts,
};

/// A reference with what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The reference.
    pub reference: Reference,
    /// By point; none where the reference says nothing.
    pub comparisons: Vec<Option<ReferenceComparison>>,
    /// Whether the bound holds.
    pub verdict: ReferenceVerdict,
    /// What it says, in a line.
    pub line: String,
}

/// One number beside another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceComparison {
    /// The reference's.
    pub expected: f64,
    /// Ours; none if it could not be computed.
    pub found: Option<f64>,
}

impl ReferenceComparison {
    /// Ours divided by the reference's.
    #[must_use]
    pub fn ratio(self) -> Option<f64> {
        self.found.filter(|_| self.expected != 0.0).map(|found| found / self.expected)
    }
}

/// How a reference was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceVerdict {
    /// The bound holds.
    Holds,
    /// It is missed through a stated fault of the source.
    Known,
    /// It is missed through a stated fault of the simulator.
    Deviates,
    /// It is missed.
    Missed,
    /// It is not judged.
    Shown,
}

/// A claim with what the table says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimJudgement {
    /// The claim.
    pub claim: Claim,
    /// `Holds`, `Deviates` or `Missed`.
    pub verdict: ReferenceVerdict,
    /// What it says, in a line.
    pub line: String,
}

/// Checks a claim at every point that it is about.
pub(super) fn check_claim(
    experiment: &Experiment,
    points: &[ExperimentPoint],
    columns: &Columns<'_>,
    claim: &Claim,
) -> ClaimJudgement {
    let selected = || (0..points.len()).filter(|&index| experiment.selects(&claim.at, &points[index]));
    let is_true = |index: usize| columns.value(&claim.holds, index, &|_| None).is_some_and(|it| it != 0.0);
    let against: Vec<String> =
        selected().filter(|&index| !is_true(index)).map(|index| place(experiment, &points[index])).collect();
    let holds = against.is_empty() && selected().next().is_some();
    let verdict = match (holds, &claim.deviates) {
        (true, _) => ReferenceVerdict::Holds,
        (false, Some(_)) => ReferenceVerdict::Deviates,
        (false, None) => ReferenceVerdict::Missed,
    };
    let says = &claim.says;
    let points_of_claim: Vec<usize> = selected().collect();
    let reason =
        claim.deviates.as_ref().map(|reason| with_numbers(reason, experiment, columns, &points_of_claim));
    let line = match (verdict, &reason) {
        (ReferenceVerdict::Holds, None) => says.clone(),
        (ReferenceVerdict::Holds, Some(reason)) => stale(says, "deviates", reason),
        (_, reason) => {
            let at: Vec<String> = against.into_iter().filter(|place| !place.is_empty()).collect();
            let at = if at.is_empty() { String::new() } else { format!(" (at {})", at.join("; ")) };
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(" Why: {reason}"));
            format!("the table says otherwise{at}: {says}{reason}")
        }
    };
    ClaimJudgement { claim: claim.clone(), verdict, line }
}

/// A reason with the numbers of the columns that it names at some points, each once.
fn with_numbers(reason: &str, experiment: &Experiment, columns: &Columns<'_>, points: &[usize]) -> String {
    let numbers = |name: &str| {
        let digits = experiment.columns.iter().find(|column| column.name == name)?.digits;
        let values = columns.of(name);
        let mut texts: Vec<String> = points.iter().map(|&index| value_text(values[index], digits)).collect();
        texts.dedup();
        let last = texts.pop()?;
        Some(if texts.is_empty() { last } else { format!("{} and {last}", texts.join(", ")) })
    };
    let parts = reason_parts(reason).into_iter().map(|part| match part {
        ReasonPart::Text(text) => text.to_owned(),
        ReasonPart::Column(name) => numbers(name).unwrap_or_else(|| "-".to_owned()),
    });
    parts.collect()
}

/// That a reason for a miss is no longer needed.
fn stale(line: &str, field: &str, reason: &str) -> String {
    format!("{line}; it was said to be missed ({reason}): strike '{field}'")
}

/// The values of axes of a point, as tables show them.
fn place(experiment: &Experiment, point: &ExperimentPoint) -> String {
    let values = experiment.axes.iter().zip(&point.values).map(|(axis, value)| axis.shown(value));
    values.collect::<Vec<_>>().join(", ")
}

/// Judges a reference; `hardware` gives what the profiler measured at a point.
pub(super) fn judge(
    experiment: &Experiment,
    points: &[ExperimentPoint],
    columns: &Columns<'_>,
    reference: &Reference,
    hardware: &dyn Fn(usize, &str) -> Option<f64>,
) -> Judgement {
    let found = columns.of(&reference.column);
    let selected: Vec<usize> =
        (0..points.len()).filter(|&index| experiment.selects(&reference.at, &points[index])).collect();
    let mut comparisons: Vec<Option<ReferenceComparison>> = vec![None; points.len()];
    for (number, &index) in selected.iter().enumerate() {
        let expected = match &reference.values {
            Values::List(values) => values.get(number).copied().flatten(),
            Values::Formula(formula) => columns.value(formula, index, &|_| None),
            Values::Measured(measured) => columns.value(measured, index, &|id| hardware(index, id)),
        };
        comparisons[index] = expected.map(|expected| ReferenceComparison { expected, found: found[index] });
    }
    let base = |index: usize| experiment.elsewhere(points, &points[index], &experiment.base);
    let misses = misses(reference.bound, &comparisons, &base);
    let count = comparisons.iter().flatten().count();
    let holds = misses.is_empty() && count > 0;
    let verdict = match (reference.bound, holds) {
        (Bound::Shown, _) => ReferenceVerdict::Shown,
        (_, true) => ReferenceVerdict::Holds,
        (_, false) if reference.known.is_some() => ReferenceVerdict::Known,
        (_, false) if reference.deviates.is_some() => ReferenceVerdict::Deviates,
        (_, false) => ReferenceVerdict::Missed,
    };
    let compared: Vec<usize> = selected.into_iter().filter(|&index| comparisons[index].is_some()).collect();
    let filled =
        |reason: &Option<String>| Some(with_numbers(reason.as_ref()?, experiment, columns, &compared));
    let reference = &Reference {
        known: filled(&reference.known),
        deviates: filled(&reference.deviates),
        ..reference.clone()
    };
    let line = line(experiment, points, reference, verdict, &misses, count);
    Judgement { reference: reference.clone(), comparisons, verdict, line }
}

/// A point that misses the bound, and how.
struct Miss {
    index: usize,
    how: String,
}

fn misses(
    bound: Bound,
    comparisons: &[Option<ReferenceComparison>],
    base: &dyn Fn(usize) -> Option<usize>,
) -> Vec<Miss> {
    let present = || comparisons.iter().enumerate().filter_map(|(index, it)| Some((index, (*it)?)));
    if let Bound::Order(ties) = bound {
        return out_of_order(&present().collect::<Vec<_>>(), ties);
    }
    let miss = |(index, it): (usize, ReferenceComparison)| {
        let Some(found) = it.found else { return Some(Miss { index, how: "there is no value".to_owned() }) };
        let expected = it.expected;
        let text = |value| value_text(Some(value), None);
        let (holds, how) = match bound {
            Bound::Shown | Bound::Order(_) => return None,
            Bound::Exact => (found == expected, format!("{} instead of {}", text(found), text(expected))),
            Bound::Digits(digits) => {
                let (found, expected) = (rounded(found, digits), rounded(expected, digits));
                (found == expected, format!("{found} instead of {expected}"))
            }
            Bound::Within(percent) => {
                let off = (found / expected - 1.0) * 100.0;
                (is_near(found, expected, percent), format!("{off:+.0} %"))
            }
            Bound::Points(most) => {
                let off = found - expected;
                (off.abs() <= most, format!("{off:+.1}"))
            }
            Bound::Ratios(percent) => {
                let base = base(index).and_then(|base| comparisons.get(base).copied().flatten());
                let Some((base_found, base)) = base.and_then(|base| Some((base.found?, base.expected)))
                else {
                    return Some(Miss { index, how: "there is no base point".to_owned() });
                };
                let (found, expected) = (found / base_found, expected / base);
                (
                    is_near(found, expected, percent),
                    format!("{found:.2} times the base instead of {expected:.2}"),
                )
            }
            Bound::Below => (found < expected, format!("{} is not below {}", text(found), text(expected))),
            Bound::Above => (found > expected, format!("{} is not above {}", text(found), text(expected))),
        };
        (!holds).then_some(Miss { index, how })
    };
    present().filter_map(miss).collect()
}

/// Whether a number is at most so many per cent away from another.
fn is_near(found: f64, expected: f64, percent: f64) -> bool {
    (found - expected).abs() * 100.0 <= percent * expected.abs()
}

/// Rounded to so many digits after the point, as text.
fn rounded(value: f64, digits: u8) -> String {
    format!("{value:.*}", usize::from(digits))
}

/// Pairs whose references differ by more than so many per cent and that come the other way round.
fn out_of_order(present: &[(usize, ReferenceComparison)], ties: f64) -> Vec<Miss> {
    let mut misses = Vec::new();
    for (at, &(_, first)) in present.iter().enumerate() {
        for &(index, second) in &present[at + 1..] {
            let (low, high) = (first.expected.min(second.expected), first.expected.max(second.expected));
            if high <= low * (1.0 + ties / 100.0) {
                continue;
            }
            let (Some(one), Some(two)) = (first.found, second.found) else {
                misses.push(Miss { index, how: "there is no value".to_owned() });
                continue;
            };
            if (one < two) != (first.expected < second.expected) {
                let (one, two) = (value_text(Some(one), None), value_text(Some(two), None));
                misses.push(Miss { index, how: format!("{two} comes out of order with {one}") });
            }
        }
    }
    misses
}

fn line(
    experiment: &Experiment,
    points: &[ExperimentPoint],
    reference: &Reference,
    verdict: ReferenceVerdict,
    misses: &[Miss],
    count: usize,
) -> String {
    let column = experiment.columns.iter().find(|column| column.name == reference.column);
    let (head, unit) =
        column.map_or((reference.column.as_str(), ""), |column| (column.head(), column.unit.as_str()));
    let subject = format!("{head} beside {}", reference.from);
    let bound = match reference.bound {
        Bound::Exact => "exact".to_owned(),
        Bound::Digits(digits) => format!("exact to {digits} digits"),
        Bound::Within(percent) => format!("within {percent} %"),
        Bound::Points(most) if unit == "%" => format!("within {most} percentage points"),
        Bound::Points(most) => format!("within {most} {unit}"),
        Bound::Ratios(percent) => format!("ratios to the base within {percent} %"),
        Bound::Order(_) => "in the same order".to_owned(),
        Bound::Below => "below".to_owned(),
        Bound::Above => "above".to_owned(),
        Bound::Shown => "shown, not judged".to_owned(),
    };
    let plural = if count == 1 { "" } else { "s" };
    match verdict {
        ReferenceVerdict::Shown => format!("{subject}: {bound}"),
        ReferenceVerdict::Holds => {
            let line = format!("{subject}: {bound}, {count} point{plural}");
            match (&reference.known, &reference.deviates) {
                (Some(reason), _) => stale(&line, "known", reason),
                (None, Some(reason)) => stale(&line, "deviates", reason),
                (None, None) => line,
            }
        }
        ReferenceVerdict::Known | ReferenceVerdict::Deviates | ReferenceVerdict::Missed => {
            let where_ = |miss: &Miss| match place(experiment, &points[miss.index]) {
                place if place.is_empty() => miss.how.clone(),
                place => format!("{place}: {}", miss.how),
            };
            let misses: Vec<String> = misses.iter().map(where_).collect();
            let misses =
                if count == 0 { "there is nothing to compare with".to_owned() } else { misses.join("; ") };
            let reason = reference.known.as_ref().or(reference.deviates.as_ref());
            let reason = reason.map_or(String::new(), |reason| format!(". Why: {reason}"));
            format!("{subject}: NOT {bound}: {misses}{reason}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReferenceComparison, misses};
    use warplab_config::experiment::Bound;

    fn count(bound: Bound, pairs: &[(f64, f64)]) -> usize {
        let comparisons: Vec<Option<ReferenceComparison>> = pairs
            .iter()
            .map(|&(found, expected)| Some(ReferenceComparison { expected, found: Some(found) }))
            .collect();
        misses(bound, &comparisons, &|_| Some(0)).len()
    }

    #[test]
    fn bounds_are_sharp() {
        assert_eq!(count(Bound::Exact, &[(0.5, 0.5), (0.5, 0.500_000_1)]), 1);
        assert_eq!(count(Bound::Digits(2), &[(97.656, 97.66), (97.64, 97.66)]), 1);
        assert_eq!(count(Bound::Within(10.0), &[(110.0, 100.0), (111.0, 100.0), (89.0, 100.0)]), 2);
        assert_eq!(count(Bound::Points(5.0), &[(65.0, 60.0), (55.0, 60.0), (65.1, 60.0)]), 1);
        assert_eq!(count(Bound::Below, &[(1.0, 1.0), (0.5, 1.0)]), 1);
        assert_eq!(count(Bound::Above, &[(1.0, 1.0), (1.5, 1.0)]), 1);
    }

    #[test]
    fn ratios_refer_to_the_base_point() {
        // Twice as fast everywhere: the ratios are the same.
        assert_eq!(count(Bound::Ratios(1.0), &[(5.0, 10.0), (10.0, 20.0), (21.0, 40.0)]), 1);
    }

    #[test]
    fn order_leaves_out_what_the_reference_cannot_tell_apart() {
        assert_eq!(count(Bound::Order(5.0), &[(3.0, 10.0), (2.0, 10.4), (1.0, 12.0)]), 2);
        assert_eq!(count(Bound::Order(5.0), &[(2.0, 10.0), (1.0, 10.4), (3.0, 12.0)]), 0);
    }

    #[test]
    fn what_has_no_value_is_missed() {
        let comparison = Some(ReferenceComparison { expected: 1.0, found: None });
        assert_eq!(misses(Bound::Within(100.0), &[comparison], &|_| None).len(), 1);
    }
}
