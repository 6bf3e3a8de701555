//! What resident warps did in every cycle.

use crate::metric::{Metric, Section};
use crate::states::{state_description, state_label};
use crate::value::Unit::Count;
use crate::value::Value;
use warplab_trace::{StallReason, WarpState};

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "warp-state",
    title: "Warp State Statistics",
    description: "Every resident warp is in exactly one state each cycle. The rows are cycles that a warp spent in a \
                  state for each instruction that it issued; they add up to Warp Cycles Per Issued Instruction.",
    metrics: METRICS,
};

macro_rules! state {
    ($name:literal, $state:expr) => {
        Metric::shown(
            concat!("smsp__average_warps_issue_stalled_", $name, "_per_issue_active.ratio"),
            state_label($state),
            Count("inst"),
            concat!("warp-cycles in state ", $name, " / instructions issued"),
            state_description($state),
            |c| Value::ratio(c.in_state($state), c.issued()),
        )
    };
}

const METRICS: &[Metric] = &[
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
    state!("long_scoreboard", WarpState::Stalled(StallReason::LongScoreboard)),
    state!("short_scoreboard", WarpState::Stalled(StallReason::ShortScoreboard)),
    state!("wait", WarpState::Stalled(StallReason::Wait)),
    state!("math_pipe_throttle", WarpState::Stalled(StallReason::MathPipeThrottle)),
    state!("lg_throttle", WarpState::Stalled(StallReason::LgThrottle)),
    state!("mio_throttle", WarpState::Stalled(StallReason::MioThrottle)),
    state!("barrier", WarpState::Stalled(StallReason::Barrier)),
    state!("membar", WarpState::Stalled(StallReason::Membar)),
    state!("branch_resolving", WarpState::Stalled(StallReason::BranchResolving)),
    state!("no_instruction", WarpState::Stalled(StallReason::NoInstruction)),
    state!("imc_miss", WarpState::Stalled(StallReason::ImcMiss)),
    state!("dispatch_stall", WarpState::Stalled(StallReason::DispatchStall)),
    state!("drain", WarpState::Stalled(StallReason::Drain)),
    state!("sleeping", WarpState::Stalled(StallReason::Sleeping)),
    state!("misc", WarpState::Stalled(StallReason::Misc)),
    state!("not_selected", WarpState::NotSelected),
    state!("selected", WarpState::Selected),
];

#[cfg(test)]
mod tests {
    use super::METRICS;
    use warplab_trace::WarpState;

    #[test]
    fn every_state_has_its_metric() {
        for state in WarpState::all() {
            let id = format!("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", state.name());
            assert!(METRICS.iter().any(|metric| metric.id == id), "{id}");
        }
    }
}
