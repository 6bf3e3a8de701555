//! What warps waited for: shares of their cycles by reason, on the hardware and simulated.

use super::{Correlation, optional};
use crate::table::{Align, Table};
use std::collections::BTreeMap;
use warplab_metrics::correlation::{Comparison, Share, mean};

/// The shares of the states of one case: on the hardware, and simulated.
type Shares = [Vec<Share>; 2];

/// The state of a warp that waits for nothing.
const SELECTED: &str = "selected";

/// Smaller shares are not shown.
const LEAST_SHOWN: f64 = 0.05;

/// The states of a case, if both sides have them.
fn shares(case: &Comparison) -> Option<Shares> {
    let shares = case.result.as_ref().ok()?.state_shares();
    shares.iter().all(|side| !side.is_empty()).then_some(shares)
}

/// The reason with the largest share.
fn largest(side: &[Share]) -> Option<&'static str> {
    let reasons = side.iter().filter(|(name, _)| *name != SELECTED);
    reasons.max_by(|one, other| one.1.total_cmp(&other.1)).map(|&(name, _)| name)
}

/// Of these cases, in per cent: in how many the largest reason agrees, and how far the shares are apart in all.
fn agreement(cases: &[Shares]) -> (Option<f64>, Option<f64>) {
    let agrees = |[hardware, simulated]: &Shares| largest(hardware) == largest(simulated);
    let apart = |[hardware, simulated]: &Shares| -> f64 {
        hardware.iter().zip(simulated).map(|(one, other)| (one.1 - other.1).abs()).sum::<f64>() / 2.0
    };
    let agreeing: Vec<f64> = cases.iter().map(|case| if agrees(case) { 100.0 } else { 0.0 }).collect();
    let distances: Vec<f64> = cases.iter().map(apart).collect();
    (mean(&agreeing), mean(&distances))
}

/// A row a reason: its mean share on both sides and the mean of the differences; then how often the largest reason agrees.
pub(super) fn reasons(correlation: &Correlation<'_>) -> String {
    let mut text = String::new();
    for isa in correlation.isas() {
        let cases: Vec<Shares> = correlation.of(isa).filter_map(shares).collect();
        let Some([first, _]) = cases.first() else { continue };
        let heads = [("state of warps", Align::Left), ("hw", Align::Right), ("sim", Align::Right)];
        let mut table = Table::new(heads.into_iter().chain([("difference", Align::Right)]));
        for (number, (name, _)) in first.iter().enumerate() {
            let side = |side: usize| cases.iter().map(move |case| case[side][number].1);
            let [hardware, simulated] = [side(0), side(1)].map(|side| mean(&side.collect::<Vec<_>>()));
            let apart: Vec<f64> = side(0).zip(side(1)).map(|(one, other)| (one - other).abs()).collect();
            let values = [hardware, simulated, mean(&apart)].map(Option::unwrap_or_default);
            if values.iter().any(|&value| value >= LEAST_SHOWN) {
                let [hardware, simulated, apart] = values.map(|value| format!("{value:.1}"));
                table.row([(*name).to_owned(), hardware, simulated, apart]);
            }
        }
        let (agrees, _) = agreement(&cases);
        text.push_str(&format!(
            "Stall reasons, from {isa}: mean share of the warps' cycles in {} cases, in %\n{}\
             The largest reason is the hardware's in {} of the cases.\n\n",
            cases.len(),
            table.text(),
            optional(agrees, |value| format!("{value:.0} %")),
        ));
    }
    text
}

/// A row a group: in how many cases the largest reason agrees, and how much of the warps' cycles falls on other states.
pub(super) fn groups(correlation: &Correlation<'_>) -> String {
    let mut text = String::new();
    for isa in correlation.isas() {
        let mut groups: BTreeMap<&str, Vec<Shares>> = BTreeMap::new();
        for case in correlation.of(isa) {
            groups.entry(&case.group).or_default().extend(shares(case));
        }
        groups.retain(|_, cases| !cases.is_empty());
        if groups.is_empty() {
            continue;
        }
        let heads = [("group", Align::Left), ("cases", Align::Right), ("largest agrees %", Align::Right)];
        let mut table = Table::new(heads.into_iter().chain([("other states %", Align::Right)]));
        for (group, cases) in groups {
            let (agrees, apart) = agreement(&cases);
            let numbers = [agrees, apart].map(|value| optional(value, |value| format!("{value:.0}")));
            table.row([group.to_owned(), cases.len().to_string()].into_iter().chain(numbers));
        }
        text.push_str(&format!("Stall reasons by group, from {isa}\n{}\n", table.text()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{agreement, largest};

    #[test]
    fn the_largest_reason_is_one_that_a_warp_waits_for() {
        assert_eq!(largest(&[("selected", 60.0), ("wait", 30.0), ("drain", 10.0)]), Some("wait"));
    }

    #[test]
    fn half_of_the_cases_agree_and_a_fifth_of_the_cycles_falls_on_other_states() {
        let one = [vec![("wait", 70.0), ("drain", 30.0)], vec![("wait", 60.0), ("drain", 40.0)]];
        let other = [vec![("wait", 60.0), ("drain", 40.0)], vec![("wait", 30.0), ("drain", 70.0)]];
        assert_eq!(agreement(&[one, other]), (Some(50.0), Some(20.0)));
    }
}
