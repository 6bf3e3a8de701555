//! Which change promises most.

use super::{Verdict, VerdictKind};
use crate::context::Context;
use crate::peaks::{self, Over};
use warplab_trace::WarpState;

/// The proposals among the verdicts, the most promising first: their places in `verdicts`.
///
/// A proposal is weighed by the share of the kernel's time in which what it names was in the way. It ranks; it is no
/// forecast. What weighs nothing is left out.
#[must_use]
pub fn most_promising(context: &Context<'_>, verdicts: &[&Verdict]) -> Vec<usize> {
    let mut weighed: Vec<(f64, usize)> = verdicts
        .iter()
        .enumerate()
        .filter(|(_, verdict)| verdict.kind == VerdictKind::Optimisation)
        .map(|(place, verdict)| (weight(context, verdict), place))
        .collect();
    weighed.retain(|&(weight, _)| weight > 0.0);
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    weighed.into_iter().map(|(_, place)| place).collect()
}

fn weight(context: &Context<'_>, verdict: &Verdict) -> f64 {
    let unissued = 1.0 - share(context.issued(), context.scheduler_active());
    let unused_lanes = || {
        let lanes = f64::from(context.config.limits.warp_lanes);
        1.0 - share(context.counters.sm.instructions.thread as f64, context.executed() * lanes)
    };
    match verdict.rule {
        "stall" => unissued * stall_share(context, verdict),
        // What stalls is said by a line of its own: this one says no more than that slots are empty.
        "issue-slots" => unissued * 0.1,
        "scattered-access" => scattered_share(context) * peaks::memory(context) / 100.0,
        "bank-conflicts" => conflict_share(context),
        "unused-lanes" | "divergence" | "odd-block" => {
            unused_lanes() * peaks::compute(context, Over::Elapsed) / 100.0
        }
        "small-grid" => 1.0 - share(context.launch.blocks() as f64, context.multiprocessors()),
        "tail" => context.waves().map_or(0.0, |waves| (1.0 - waves.fract()) / waves.ceil()),
        "occupancy-limit" => unissued * (1.0 - context.occupancy.fraction) * 0.5,
        "occupancy-gap" => {
            let slots = context.sm_active() * f64::from(context.config.limits.warps);
            unissued * (context.occupancy.fraction - share(context.warp_cycles(), slots)) * 0.5
        }
        _ => 0.0,
    }
}

fn stall_share(context: &Context<'_>, verdict: &Verdict) -> f64 {
    // Warps that could have issued hold nothing up.
    let mut stalls = WarpState::all().filter(|state| matches!(state, WarpState::Stalled(_)));
    let state = stalls.find(|state| verdict.based_on.contains(&state.metric()));
    state.map_or(0.0, |state| share(context.in_state(state), context.warp_cycles()))
}

fn scattered_share(context: &Context<'_>) -> f64 {
    let l1 = &context.counters.sm.l1;
    let shared = &context.counters.sm.shared;
    let sectors = warplab_trace::MemoryUse::so_far(l1, shared).sectors;
    share(l1.excessive_sectors as f64, sectors as f64)
}

fn conflict_share(context: &Context<'_>) -> f64 {
    let shared = &context.counters.sm.shared;
    let conflicts = (shared.load_bank_conflicts + shared.store_bank_conflicts) as f64;
    share(conflicts * f64::from(context.config.multiprocessor.shared.pass_interval), context.sm_active())
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::most_promising;
    use crate::test_launch::{counters, launch, with};
    use crate::verdicts::{Verdict, VerdictKind, verdicts};
    use warplab_trace::WarpState;

    #[test]
    fn the_stall_that_takes_most_comes_first_and_what_only_informs_not_at_all() {
        with(&counters(), &launch(), |context| {
            let verdicts = verdicts(context);
            let all: Vec<&Verdict> = verdicts.iter().collect();
            let ranked: Vec<&Verdict> =
                most_promising(context, &all).into_iter().map(|place| all[place]).collect();
            assert_eq!(ranked[0].rule, "stall");
            assert!(ranked.iter().all(|verdict| verdict.kind == VerdictKind::Optimisation));
        });
    }

    #[test]
    fn warps_that_could_have_issued_are_nothing_to_change() {
        let mut counters = counters();
        for scheduler in &mut counters.sm.schedulers {
            scheduler.states.fill(0);
            scheduler.states[WarpState::NotSelected.index()] = 80_000;
        }
        with(&counters, &launch(), |context| {
            let verdicts = verdicts(context);
            let all: Vec<&Verdict> = verdicts.iter().collect();
            let ranked = most_promising(context, &all);
            assert!(all.iter().any(|verdict| verdict.rule == "stall"));
            assert!(ranked.iter().all(|&place| all[place].rule != "stall"));
        });
    }
}
