//! Runs for other programs, and runs that are kept.

use crate::common::{fresh_folder, status, stderr, stdout, warplab};
use serde_json::Value;
use snapbox::str;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const WARP_STATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/warp_states.ron");

fn file(name: &str) -> PathBuf {
    fresh_folder(&format!("exports_{name}")).join("file")
}

/// What a run writes with an option.
fn written(name: &str, option: &str, more: &str) -> String {
    let file = file(name);
    warplab(&format!("run {WARP_STATES} --quiet {option} {} {more}", file.display())).success();
    fs::read_to_string(file).unwrap()
}

#[test]
fn only_the_metrics_that_are_asked_for_are_printed() {
    let names = "sm__cycles_elapsed.max,smsp__warps_*";
    warplab(&format!("run {WARP_STATES} --quiet --metrics {names}")).success().stdout_eq(str![[r#"
...
    Section: Command line profiler metrics
[..]
    Metric Name[..]Metric Unit[..]Metric Value
[..]
    sm__cycles_elapsed.max [..]
    smsp__warps_active.avg.per_cycle_active [..]
    smsp__warps_eligible.avg.per_cycle_active [..]
[..]

...
"#]]);
    let csv = stdout(&warplab(&format!("run {WARP_STATES} --quiet --csv raw --metrics {names}")).success());
    let heads = csv.lines().next().unwrap();
    assert!(heads.ends_with("\"CC\",\"sm__cycles_elapsed.max\",\"smsp__warps_active.avg.per_cycle_active\",\"smsp__warps_eligible.avg.per_cycle_active\""), "{heads}");
    let details =
        stdout(&warplab(&format!("run {WARP_STATES} --quiet --csv details --metrics {names}")).success());
    assert_eq!(
        details.lines().filter(|line| line.contains("\"Command line profiler metrics\",\"sm")).count(),
        3
    );
}

#[test]
fn an_unknown_metric_is_refused_with_the_nearest() {
    warplab(&format!("run {WARP_STATES} --metrics sm__cycles_elapsd.max")).code(2).stderr_eq(str![[r#"
error: unknown metric 'sm__cycles_elapsd.max'; did you mean 'sm__cycles_elapsed.max'? 'warplab run FILE --csv raw' shows every metric in its first row

"#]]);
}

#[test]
fn the_csv_of_a_timeline_has_every_warp_cycle_once() {
    let csv = written("csv", "--timeline-csv", "");
    let mut lines = csv.lines();
    let heads = "sm,scheduler,slot,block,warp,from,to,state,address,instruction,place";
    assert_eq!(lines.next(), Some(heads));
    let cell = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
    let mut ends = BTreeMap::new();
    let mut issues = 0;
    for line in lines {
        let [slot, from, to] = [2, 5, 6].map(|at| cell(line, at).parse::<u64>().unwrap());
        assert!(ends.insert(slot, to).is_none_or(|end| end == from), "{line}");
        issues += u64::from(cell(line, 7) == "selected");
    }
    let json: Value = serde_json::from_str(&written("csv_json", "--json", "")).unwrap();
    assert_eq!((ends.len(), Some(issues)), (8, json["counters"]["instructions.warp"].as_u64()));
}

#[test]
fn the_csv_of_a_timeline_names_the_instruction_that_issues() {
    let csv = written("csv_issues", "--timeline-csv", "");
    let mut issues: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in csv.lines().filter(|line| line.contains(",selected,")) {
        let cells: Vec<&str> = line.splitn(10, ',').collect();
        issues.entry(cells[2]).or_default().push(line.splitn(9, ',').last().unwrap());
    }
    assert_eq!(issues.len(), 8);
    for of_slot in issues.values() {
        assert!(of_slot[0].starts_with("0,"), "{}", of_slot[0]);
        assert!(of_slot.last().unwrap().contains("EXIT"), "{of_slot:?}");
    }
}

#[test]
fn a_trace_for_perfetto_has_a_thread_for_each_slot_and_the_queues() {
    let trace: Value = serde_json::from_str(&written("perfetto", "--timeline-perfetto", "")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| events.iter().filter(|event| event["name"] == name).count();
    assert_eq!((named("process_name"), named("thread_name")), (1, 8));
    assert!(["eligible warps", "active warps", "memory queue"].iter().all(|name| named(name) > 2));
}

/// A run that was kept in a file.
fn kept(name: &str, launch: &str) -> PathBuf {
    let file = file(name);
    drop(warplab(&format!("run {launch} --quiet -o {}", file.display())));
    file
}

/// How a run ends, what it prints, and the page, the trace and the JSON that it writes.
fn reports(name: &str, what: &str) -> (Option<i32>, [String; 4]) {
    let folder = fresh_folder(&format!("exports_reports_{name}"));
    let [page, trace, json] = ["page", "trace", "json"].map(|name| folder.join(name));
    let [a, b, c] = [&page, &trace, &json].map(|path| path.display().to_string());
    let line = format!("run {what} --quiet --section all --html {a} --timeline-perfetto {b} --json {c}");
    let ran = warplab(&line);
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    (status(&ran), [stdout(&ran), read(&page), read(&trace), read(&json)])
}

#[test]
fn a_run_that_was_kept_gives_the_same_reports_without_simulating() {
    // The expectation of the second fails.
    for (name, launch, status) in [("states", WARP_STATES, 0), ("scale", "scale.ron", 1)] {
        let kept = kept(&format!("same_{name}"), launch);
        let again = reports(&format!("again_{name}"), &format!("--import {}", kept.display()));
        let first = reports(&format!("first_{name}"), launch);
        assert_eq!((again.0, &again.1[0]), (Some(status), &first.1[0]));
        assert!(again == first, "{name}");
    }
}

#[test]
fn runs_that_were_kept_are_compared() {
    let [a, b] = ["a", "b --scheduler gto"].map(|it| {
        let (name, more) = it.split_once(' ').unwrap_or((it, ""));
        kept(&format!("compare_{name}"), &format!("{WARP_STATES} {more}"))
    });
    let line = format!("compare {} {}", a.display(), b.display());
    assert!(stdout(&warplab(&line).success()).contains("B takes 1.07 times"));
}

#[test]
fn a_file_that_is_no_run_or_a_damaged_one_is_refused() {
    let path = file("damaged");
    let import = format!("run --import {}", path.display());
    fs::write(&path, "something else").unwrap();
    assert!(stderr(&warplab(&import).code(2)).contains("this is not what run -o wrote"));
    let mut bytes = fs::read(kept("undamaged", WARP_STATES)).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(stderr(&warplab(&import).code(2)).contains("its bytes have changed or some are missing"));
    bytes[16] = b'x';
    fs::write(&path, &bytes).unwrap();
    assert!(stderr(&warplab(&import).code(2)).contains("only the same build reads it"));
    fs::write(&path, &bytes[..20]).unwrap();
    assert!(stderr(&warplab(&import).code(2)).contains("it ends too early"));
}

#[test]
fn a_run_that_was_kept_has_one_timeline() {
    let kept = kept("timeline", WARP_STATES);
    let line = format!("run --import {} --timeline --timeline-sm 1", kept.display());
    assert!(
        stderr(&warplab(&line).code(2)).contains("has the timeline of launch 1 on multiprocessor 0 only")
    );
}

#[test]
fn occupancy_is_told_as_json() {
    let line = "occupancy --gpu h200 --block 256 --registers 63 --json";
    let told: Value = serde_json::from_str(&stdout(&warplab(line).success())).unwrap();
    assert_eq!((&told["warps"], &told["occupancy"]), (&Value::from(32), &Value::from(0.5)));
    assert_eq!(told["limited_by"], Value::from(vec!["registers"]));
}
