//! What a run prints, and that it does not depend on the number of threads.

use crate::common::warplab;

fn stdout(line: &str) -> String {
    String::from_utf8(warplab(line).get_output().stdout.clone()).unwrap()
}

const SCALE: &str = "run scale.ptx --grid 64 --block 64 --gpu toy --arg buffer:x:256:hash_f32 --arg f32:2";

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    for format in ["--section all", "--csv raw", "--csv details", "--json -", "--timeline"] {
        let one = stdout(&format!("{SCALE} {format} --jobs 1"));
        assert!(!one.is_empty(), "{format}");
        assert_eq!(one, stdout(&format!("{SCALE} {format} --jobs 3")), "{format}");
    }
}

#[test]
fn three_sections_are_shown_unless_others_are_asked_for() {
    let titles = |line: &str| {
        let text = stdout(line);
        text.lines()
            .filter_map(|line| line.strip_prefix("    Section: ").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(SCALE), ["GPU Speed Of Light Throughput", "Launch Statistics", "Occupancy"]);
    assert_eq!(
        titles(&format!("{SCALE} --section warp-state,scheduler")),
        ["Scheduler Statistics", "Warp State Statistics"]
    );
    assert_eq!(titles(&format!("{SCALE} --section all")).len(), 9);
}

#[test]
fn csv_pages_hold_nothing_but_the_page() {
    let page = stdout(&format!("{SCALE} --csv raw"));
    assert_eq!(page.lines().count(), 3);
    assert!(page.starts_with("\"ID\",\"Process ID\""), "{page}");
}

#[test]
fn json_goes_to_a_file_beside_the_sections_or_alone_to_standard_output() {
    let text = stdout(&format!("{SCALE} --json -"));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["launch"]["kernel"], "scale");
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale.json");
    let sections = stdout(&format!("{SCALE} --json {}", file.display()));
    assert!(sections.contains("Section: Occupancy"));
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[test]
fn a_timeline_has_a_row_a_warp_and_a_legend() {
    let text = stdout(&format!("{SCALE} --timeline --cycles 0..200"));
    assert!(text.contains("    Timeline of sm0, cycles "), "{text}");
    assert!(text.lines().any(|line| line.starts_with("    warp0  ")), "{text}");
    assert!(text.contains("* selected"), "{text}");
}

#[test]
fn the_counters_of_every_instruction_are_shown_when_asked_for_by_name() {
    let text = stdout(&format!("{SCALE} --section source-counters"));
    assert!(text.contains("    Instructions on sm0\n    address  instruction"), "{text}");
}

#[test]
fn a_launch_file_runs_on_another_machine_with_changes() {
    let text = stdout("run scale.ron --gpu h200 --scheduler lrr --set l2.kib=30080 --section launch");
    assert!(
        text.starts_with(
            "  scale (1, 1, 1)x(64, 1, 1), Context 1, Stream 7, Device 0 (NVIDIA H200), CC 9.0\n"
        )
    );
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(snapbox::cmd::cargo_bin!("warplab"))
        .arg("isa")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
