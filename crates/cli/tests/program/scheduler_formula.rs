//! A scheduler as a formula, as a person types it.

use crate::common::{fresh_folder, status, stderr, stdout, warplab};
use std::fs;
use std::path::Path;

const ROUNDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/labs/2-schedulers/rounds.ron");

/// The built-in schedulers, and the formulas that do the same.
const SAME: [(&str, &str); 6] = [
    ("lrr", "rank(select(slot>last,slot,slot+64))"),
    ("gto", "rank(select(issued_last,first,age))"),
    ("oldest", "rank(age)"),
    ("two-level", "rank(select(slot/8==last/8,0,128)+select(slot>last,slot,slot+64))"),
    ("cggty", "rank(select(issued_last,first,-age))"),
    (
        "oldest-block",
        "rank(select(issued_last*(issued>0)*(yielded+ready_now>0),select(yielded,1000000000000000000,first),\
         1000000000*block+order-64*(since_issue+order)))",
    ),
];

fn counters(launch: &str, scheduler: &str) -> String {
    let ran = warplab(&format!("run {launch} --scheduler {scheduler} --section all --json -"));
    assert_eq!(status(&ran), Some(0), "{}", stderr(&ran));
    stdout(&ran)
}

#[test]
fn the_built_in_schedulers_written_as_formulas_give_their_bytes() {
    let reduction = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/reduction.ron");
    for launch in [ROUNDS, reduction] {
        for (built_in, formula) in SAME {
            assert!(counters(launch, built_in) == counters(launch, formula), "{launch}: {built_in}");
        }
    }
}

#[test]
fn a_launch_file_has_a_formula_too() {
    let folder = fresh_folder("formula-in-launch");
    let labs = Path::new(ROUNDS).parent().unwrap();
    fs::copy(labs.join("rounds.ptx"), folder.join("rounds.ptx")).unwrap();
    let text = fs::read_to_string(ROUNDS).unwrap();
    let with = text.replace("gpu: \"textbook\",", "gpu: \"textbook\",\n    scheduler: rank(\"age\"),");
    let launch = folder.join("rounds.ron");
    fs::write(&launch, with).unwrap();
    let ran = warplab(&format!("run {} --json -", launch.display()));
    assert!(stdout(&ran) == counters(ROUNDS, "oldest"));
    fs::write(
        &launch,
        text.replace("gpu: \"textbook\",", "scheduler: rank(\"2 * agee\"), gpu: \"textbook\","),
    )
    .unwrap();
    let ran = warplab(&format!("config check {}", launch.display()));
    assert!(stderr(&ran).contains("unknown name 'agee'; did you mean 'age'?"), "{}", stderr(&ran));
}

#[test]
fn a_formula_that_holds_back_every_warp_ends_the_run_and_is_named() {
    for formula in ["never", "select(cycle>40,never,age)"] {
        let ran = warplab(&format!("run {ROUNDS} --scheduler rank({formula})"));
        assert_eq!(status(&ran), Some(1));
        let said = format!("the scheduler rank(\"{formula}\") gives never to every warp that could issue");
        assert!(stderr(&ran).contains(&said), "{}", stderr(&ran));
    }
}

#[test]
fn a_warp_that_is_held_back_is_charged_to_dispatch_stall_and_every_law_holds() {
    let all = counters(ROUNDS, "rank(select(order<4,age,never))");
    let found: serde_json::Value = serde_json::from_str(&all).unwrap();
    let stall = "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio";
    let of = |id: &str| found["metrics"][id]["value"].as_f64().unwrap();
    assert!(of(stall) > 1.0, "{}", of(stall));
    assert_eq!(of("smsp__inst_issued.sum"), of("smsp__inst_executed.sum"));
}

#[test]
fn a_fault_of_a_formula_says_where_and_what_is_known() {
    let ran = warplab(&format!("run {ROUNDS} --scheduler rank(sqrt(age))"));
    assert_eq!(status(&ran), Some(2));
    let said = "unknown function 'sqrt'; known: min, max, abs, select (character 1)";
    assert!(stderr(&ran).contains(said), "{}", stderr(&ran));
    let ran = warplab(&format!("run {ROUNDS} --scheduler gt"));
    assert!(stderr(&ran).contains("rank(FORMULA)"), "{}", stderr(&ran));
}

/// The share of sectors that hit in the cache when the scheduler is this one.
fn hit_rate(name: &str, scheduler: &str) -> f64 {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/labs/12-scheduler");
    let folder = fresh_folder(name);
    fs::copy(lab.join("reuse.ptx"), folder.join("reuse.ptx")).unwrap();
    let text = fs::read_to_string(lab.join("reuse.ron")).unwrap();
    let launch = folder.join("reuse.ron");
    fs::write(&launch, text.replace("gpu:", &format!("scheduler: {scheduler},\n    gpu:"))).unwrap();
    let ran = warplab(&format!("run {} --json -", launch.display()));
    let found: serde_json::Value = serde_json::from_str(&stdout(&ran)).unwrap();
    found["metrics"]["l1tex__t_sector_hit_rate.pct"]["value"].as_f64().unwrap()
}

#[test]
fn throttling_by_what_was_lost_brings_the_cache_back() {
    // In the manner of CCWS: a long wait is taken for a line that was lost, and fewer warps may issue.
    let throttle = "rank(\"keep limit = 160 then max(40, min(160, limit + select(since_issue > 100, -16, 1))); \
                    select(order * 10 < limit, age, never)\")";
    assert!(hit_rate("greedy", "gto") < 1.0);
    assert!(hit_rate("throttled", throttle) > 84.0);
}

#[test]
fn a_formula_is_refused_where_schedulers_issue_several_instructions() {
    let ran = warplab(&format!("run {ROUNDS} --gpu mi100 --scheduler rank(age)"));
    assert_eq!(status(&ran), Some(2));
    let message = "error: multiprocessor.scheduler: a formula picks one warp per scheduler and cycle, but by \
                   multiprocessor.issue schedulers take turns or issue several instructions\n";
    assert!(stderr(&ran).starts_with(message), "{}", stderr(&ran));
}
