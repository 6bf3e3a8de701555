use crate::scheduler::tests::picks;
use crate::scheduler::{Candidates, Pick, Scheduler, View};
use crate::spec::SchedulerSpec;
use warplab_config::gpu::SchedulerPolicy;
use warplab_units::Cycle;

fn policy(text: &str) -> SchedulerPolicy {
    SchedulerPolicy::Rank(text.parse().unwrap())
}

/// What a formula does in consecutive cycles.
fn pick_all(text: &str, eligible: &[u64], view: View, loads: &[i64]) -> Vec<Pick> {
    let spec = SchedulerSpec { policy: policy(text), seed: 1, fetch_group: 8, starvation_interval: None };
    let mut scheduler = Scheduler::new(&spec, 0);
    let ages: Vec<u64> = (0..64).collect();
    (0..64).for_each(|warp| scheduler.enter(warp, u64::from(warp) / 4, Cycle(0)));
    let cycles = eligible.iter().zip(NOW..);
    cycles
        .map(|(&eligible, cycle)| {
            let candidates =
                Candidates { eligible, now: Cycle(cycle), ages: &ages, yielded: false, fresh: 0 };
            scheduler.pick_by_formula(&candidates, &view, |warp| loads[warp as usize])
        })
        .collect()
}

const VIEW: View = View { resident: u64::MAX, global: 0 };

/// The first cycle.
const NOW: u64 = 100;

fn warps(text: &str, eligible: &[u64], view: View) -> Vec<Option<u32>> {
    pick_all(text, eligible, view, &[0; 64]).into_iter().map(|pick| pick.warp).collect()
}

/// Masks and ages in no order.
fn anything() -> (Vec<u64>, Vec<u64>) {
    let eligible = (1..500u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << (n % 64));
    (eligible.collect(), (0..64).map(|warp| warp * 37 % 64).collect())
}

#[test]
fn the_scheduler_of_the_oldest_block_is_a_formula() {
    let formula = "select(issued_last * (issued > 0) * (yielded + ready_now > 0), select(yielded, 1000000000000000000, first), \
                   1000000000 * block + order - 64 * (since_issue + order))";
    // Warps of a block come in the order of their numbers.
    let ages: Vec<u64> = (0..64).collect();
    let (eligible, _) = anything();
    let built_in = picks(SchedulerPolicy::OldestBlock, &eligible, &ages);
    assert_eq!(picks(policy(formula), &eligible, &ages), built_in);
}

#[test]
fn the_built_in_schedulers_are_formulas() {
    let (eligible, ages) = anything();
    for (built_in, formula) in [
        (SchedulerPolicy::Lrr, "select(slot > last, slot, slot + 64)"),
        (SchedulerPolicy::Gto, "select(issued_last, first, age)"),
        (SchedulerPolicy::Oldest, "age"),
        (
            SchedulerPolicy::TwoLevel,
            "select(slot / 8 == last / 8, 0, 128) + select(slot > last, slot, slot + 64)",
        ),
        (SchedulerPolicy::Cggty, "select(issued_last, first, -age)"),
    ] {
        assert_eq!(picks(policy(formula), &eligible, &ages), picks(built_in, &eligible, &ages), "{formula}");
    }
}

#[test]
fn of_equal_numbers_the_lowest_slot_issues() {
    assert_eq!(warps("7", &[0b1110, 0b1000, 0b1100], VIEW), [Some(1), Some(3), Some(2)]);
}

#[test]
fn never_holds_a_warp_back_and_all_of_them_if_there_is_no_other() {
    let one = pick_all("select(slot < 2, never, slot)", &[0b0111, 0b0011], VIEW, &[0; 64]);
    assert_eq!(one, [Pick { warp: Some(2), held: 0b011 }, Pick { warp: None, held: 0b011 }]);
}

#[test]
fn a_formula_knows_loads_blocks_instructions_and_time() {
    let mut loads = [0; 64];
    loads[1] = 2;
    let by = |text: &str| pick_all(text, &[0b110], VIEW, &loads)[0].warp;
    assert_eq!([by("loads"), by("-loads")], [Some(2), Some(1)]);
    assert_eq!(warps("-block", &[u64::MAX; 2], VIEW), [Some(60); 2]);
    assert_eq!(warps("issued", &[0b111; 4], VIEW), [Some(0), Some(1), Some(2), Some(0)]);
    assert_eq!(warps("-since_issue", &[0b111; 4], VIEW), [Some(0), Some(1), Some(2), Some(0)]);
    assert_eq!(warps("abs(slot - cycle % 4)", &[0b1111; 3], VIEW), [Some(0), Some(1), Some(2)]);
    let view = View { resident: 0b1_0100, global: 0b1_0000 };
    assert_eq!(warps("select(order == 1, first, slot)", &[0b1_0100], view), [Some(4)]);
    assert_eq!(warps("-global", &[0b1_0100], view), [Some(4)]);
}

#[test]
fn a_kept_value_changes_when_a_warp_issues_and_one_of_a_warp_starts_anew_with_it() {
    let turn = "keep turn = 0 then (turn + 1) % 3; abs(slot - turn)";
    assert_eq!(warps(turn, &[0b111; 4], VIEW), [Some(0), Some(1), Some(2), Some(0)]);
    let spec = SchedulerSpec {
        policy: policy("keep warp n = 0 then n + 1; n"),
        seed: 1,
        fetch_group: 8,
        starvation_interval: None,
    };
    let mut scheduler = Scheduler::new(&spec, 0);
    let pick = |scheduler: &mut Scheduler| {
        let candidates =
            Candidates { eligible: 0b11, now: Cycle(NOW), ages: &[0; 64], yielded: false, fresh: 0 };
        scheduler.pick_by_formula(&candidates, &VIEW, |_| 0).warp
    };
    assert_eq!(
        [pick(&mut scheduler), pick(&mut scheduler), pick(&mut scheduler)],
        [Some(0), Some(1), Some(0)]
    );
    scheduler.enter(0, 9, Cycle(0));
    assert_eq!([pick(&mut scheduler), pick(&mut scheduler)], [Some(0), Some(0)]);
}
