//! A row a case.

use super::{Correlation, optional, value_text};
use crate::table::{Align, Table};
use warplab_metrics::correlation::{CLOCK_CYCLES, Comparison, ELAPSED_CYCLES, Measure, STALL_OVERLAP, Share};

/// Metrics side by side in one table.
const TABLE_METRICS: usize = 5;
/// States of warps that are named for a case.
const STATES: usize = 3;

/// Hardware and simulated values of every case, in as many tables as there must be.
pub(super) fn values(correlation: &Correlation<'_>) -> String {
    let present = correlation.present();
    let measures: Vec<Measure> = present.into_iter().filter(|measure| measure.id != STALL_OVERLAP).collect();
    measures.chunks(TABLE_METRICS).map(|chunk| table(correlation.comparisons, chunk)).collect()
}

fn table(comparisons: &[Comparison], measures: &[Measure]) -> String {
    let mut heads = vec![("case".to_owned(), Align::Left), ("isa".to_owned(), Align::Left)];
    for measure in measures {
        heads.extend([(format!("{} hw", measure.label), Align::Right), ("sim".to_owned(), Align::Right)]);
        if has_ratio(measure) {
            heads.push(("ratio".to_owned(), Align::Right));
        }
    }
    let mut table = Table::new(heads.iter().map(|(head, align)| (head.as_str(), *align)));
    for comparison in comparisons {
        if !measures.iter().any(|measure| comparison.pair(measure.id).is_some()) {
            continue;
        }
        let values = measures.iter().flat_map(|measure| cells(comparison, measure));
        table.row([comparison.case.clone(), comparison.isa.to_owned()].into_iter().chain(values));
    }
    table.text() + "\n"
}

/// Whether the ratio is shown beside the values: for the times.
fn has_ratio(measure: &Measure) -> bool {
    [ELAPSED_CYCLES, CLOCK_CYCLES].contains(&measure.id)
}

fn cells(comparison: &Comparison, measure: &Measure) -> Vec<String> {
    let pair = comparison.pair(measure.id);
    let simulated = pair.and_then(|pair| pair.simulated);
    let mut cells =
        vec![optional(pair.map(|pair| pair.hardware), value_text), optional(simulated, value_text)];
    if has_ratio(measure) {
        let ratio = pair.and_then(|pair| Some(pair.simulated? / pair.hardware));
        cells.push(optional(ratio, |ratio| format!("{ratio:.3}")));
    }
    cells
}

/// The largest reasons of stalls of every case, side by side.
pub(super) fn states(correlation: &Correlation<'_>) -> String {
    if !correlation.present().iter().any(|measure| measure.id == STALL_OVERLAP) {
        return String::new();
    }
    let mut table = Table::new([
        ("case", Align::Left),
        ("isa", Align::Left),
        ("largest stalls hw (% of warp cycles)", Align::Left),
        ("sim", Align::Left),
        ("overlap %", Align::Right),
    ]);
    for comparison in correlation.comparisons {
        let (Ok(compared), Some(overlap)) = (&comparison.result, comparison.pair(STALL_OVERLAP)) else {
            continue;
        };
        let [hardware, simulated] = compared.state_shares();
        table.row([
            comparison.case.clone(),
            comparison.isa.to_owned(),
            largest(hardware),
            largest(simulated),
            optional(overlap.simulated, |overlap| format!("{overlap:.1}")),
        ]);
    }
    table.text() + "\n"
}

/// The largest states other than issuing, as `wait 40, barrier 12`.
fn largest(mut shares: Vec<Share>) -> String {
    shares.retain(|(name, share)| *name != "selected" && *share > 0.0);
    shares.sort_by(|one, other| other.1.total_cmp(&one.1));
    let states = shares.iter().take(STATES).map(|(name, share)| format!("{name} {share:.0}"));
    states.collect::<Vec<String>>().join(", ")
}
