//! What resident warps did in every cycle.

use crate::metric::{Metric, Section, ValueSource};
use crate::value::Unit::Count;
use crate::value::Value;
use warplab_trace::WarpState;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "warp-state",
    title: "Warp State Statistics",
    description: "Every resident warp is in exactly one state each cycle. The rows are cycles that a warp spent in a \
                  state for each instruction that it issued; they add up to Warp Cycles Per Issued Instruction.",
    metrics: METRICS,
};

/// The metric of a state.
const fn of_state(state: WarpState) -> Metric {
    Metric {
        id: state.metric(),
        label: state.label(),
        unit: Count("inst"),
        formula: state.formula(),
        description: state.description(),
        source: ValueSource::WarpCycles(state),
        shown: true,
    }
}

/// The averages, then every state.
const METRICS: &[Metric] = &{
    let mut metrics = [AVERAGES[0]; AVERAGES.len() + WarpState::COUNT];
    let mut place = 1;
    while place < metrics.len() {
        metrics[place] = match place.checked_sub(AVERAGES.len()) {
            None => AVERAGES[place],
            Some(row) => of_state(WarpState::IN_REPORT_ORDER[row]),
        };
        place += 1;
    }
    metrics
};

const AVERAGES: [Metric; 3] = [
    Metric::shown(
        "smsp__average_warp_latency_per_inst_issued.ratio",
        "Warp Cycles Per Issued Instruction",
        Count("cycle"),
        "resident warps summed over cycles / instructions issued",
        "Cycles between two instructions of one warp. The more there are, the more warps are needed to fill every \
         issue slot.",
        |c| Value::ratio(c.warp_cycles(), c.issued()),
    ),
    Metric::shown(
        "smsp__average_warps_active_per_inst_executed.ratio",
        "Warp Cycles Per Executed Instruction",
        Count("cycle"),
        "resident warps summed over cycles / instructions executed",
        "The same for executed instructions.",
        |c| Value::ratio(c.warp_cycles(), c.executed()),
    ),
    Metric::shown(
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "Avg. Active Threads Per Warp",
        Count("thread"),
        "thread instructions executed / warp instructions executed",
        "Lanes that execute an instruction; fewer than a full warp means divergence, predication, or blocks that do \
         not fill their last warp.",
        |c| Value::ratio(c.counters.sm.instructions.thread as f64, c.executed()),
    ),
];

#[cfg(test)]
mod tests {
    use super::METRICS;
    use warplab_trace::WarpState;

    #[test]
    fn every_state_has_its_metric() {
        for state in WarpState::all() {
            assert!(METRICS.iter().any(|metric| metric.id == state.metric()), "{}", state.name());
        }
    }
}
