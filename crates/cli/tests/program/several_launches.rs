//! Files with several launches: what they share, what is reported, and what is refused.

use crate::common::{fresh_folder, stderr, stdout, warplab};
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// The JSON of a run.
fn json(line: &str) -> serde_json::Value {
    let ran = warplab(&format!("run several.ron --json - {line}")).success();
    serde_json::from_str(&stdout(&ran)).unwrap()
}

/// The faults of `several.ron` with some of its text replaced.
fn faults(name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(Path::new(DATA).join("several.ron")).unwrap();
    assert!(text.contains(from), "no {from}");
    let folder = fresh_folder(&format!("several_{name}"));
    let file = folder.join("mine.ron");
    std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
    std::fs::copy(Path::new(DATA).join("several.ptx"), folder.join("several.ptx")).unwrap();
    stderr(&warplab(&format!("run {}", file.display())).code(2))
}

#[test]
fn launches_run_in_order_on_shared_buffers() {
    let saved = fresh_folder("several_saved").join("results.bin");
    warplab(&format!("run several.ron --save results={}", saved.display())).success();
    let expected: Vec<u8> = (0..64_i32).flat_map(|i| (2 * i + 1).to_le_bytes()).collect();
    assert_eq!(std::fs::read(saved).unwrap(), expected);
}

#[test]
fn json_has_every_launch_and_the_total() {
    let all = json("");
    let launches = all["launches"].as_array().unwrap();
    let kernels: Vec<&str> = launches.iter().map(|it| it["launch"]["kernel"].as_str().unwrap()).collect();
    assert_eq!(kernels, ["add_index", "add_index", "add_one"]);
    for counter in ["elapsed_cycles", "instructions.warp", "sm.blocks", "l1.global_load_sectors"] {
        let of = |value: &serde_json::Value| value["counters"][counter].as_u64().unwrap();
        assert_eq!(launches.iter().map(of).sum::<u64>(), of(&all["total"]), "{counter}");
    }
    assert_eq!(all["total"]["counters"]["sm.blocks"], 5);
}

#[test]
fn launch_n_reports_only_that_launch() {
    let third = json("--launch 3");
    assert_eq!(third["launch"]["kernel"], "add_one");
    assert_eq!(third["counters"]["sm.blocks"], 1);
    assert!(third.get("launches").is_none());
}

#[test]
fn the_text_has_every_launch_and_a_table_with_the_sum() {
    let text = stdout(&warplab("run several.ron --section launch").success());
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("Context 1")).collect();
    assert_eq!(lines.len(), 3);
    let table = text.split("  3 launches\n").nth(1).unwrap();
    assert!(table.contains("add_index") && table.contains("add_one") && table.contains("sum"), "{table}");
}

#[test]
fn a_launch_that_the_file_does_not_have_is_refused() {
    let told = stderr(&warplab("run several.ron --launch 4").code(2));
    assert_eq!(told, "error: --launch 4: the file has 3 launches\n");
    let told = stderr(&warplab("run scale.ron --launch 2").code(2));
    assert_eq!(told, "error: --launch 2: the file has one launch\n");
}

#[test]
fn a_timeline_of_several_launches_needs_a_choice() {
    let told = stderr(&warplab("run several.ron --timeline").code(2));
    assert!(told.contains("choose it with --launch N"), "{told}");
    warplab("run several.ron --timeline --launch 2").success();
}

#[test]
fn a_field_that_no_launch_has_is_refused_at_its_line() {
    let told = faults("field", "(repeat: 2)", "(repeats: 2)");
    assert!(told.contains("'repeats'") && told.contains("mine.ron:10:"), "{told}");
}

#[test]
fn a_pointer_to_no_buffer_is_refused_at_its_line_with_the_nearest_name() {
    let told = faults("pointer", "pointer(buffer: \"results\")", "pointer(buffer: \"result\")");
    assert!(told.contains("no buffer is named 'result'") && told.contains("mine.ron:15:"), "{told}");
    assert!(told.contains("did you mean 'results'?"), "{told}");
}

#[test]
fn a_buffer_that_two_launches_declare_is_refused_at_its_line() {
    let own = "buffer(name: \"values\", size: \"64 x i32\", init: zero)";
    let told = faults("buffer", "pointer(buffer: \"results\")", own);
    assert!(told.contains("two buffers are named 'values'") && told.contains("mine.ron:15:"), "{told}");
}

#[test]
fn a_size_on_the_command_line_is_for_one_launch() {
    let told = stderr(&warplab("run several.ron --block 32").code(2));
    assert_eq!(told, "error: --grid, --block, --cluster and --shared are for files with one launch\n");
}

#[test]
fn an_experiment_takes_one_launch() {
    let folder = fresh_folder("several_experiment");
    let file = folder.join("mine.ron");
    let text = format!(
        "(title: \"t\", source: \"s\", why: \"w\", kind: launch, set: {{\"launch\": \"{DATA}/several.ron\"}},\n \
         columns: [(name: \"c\", of: \"{{sm__cycles_elapsed.max}}\")])"
    );
    std::fs::write(&file, text).unwrap();
    let results = folder.join("points.jsonl");
    let line = format!("experiment {} --results {}", file.display(), results.display());
    let told = stderr(&warplab(&line).code(2));
    assert!(told.contains("experiments and labs take files with one"), "{told}");
}
