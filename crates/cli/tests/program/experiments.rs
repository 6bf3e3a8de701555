//! Experiments: what a launch computed is checked at every point, and what is finished is kept through every accident.

use crate::common::{fresh_folder, status, stderr, stdout, warplab_in};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const KERNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/kernels/vector_add.ptx");

const LAUNCH: &str = r#"(
    program: "vector_add.ptx", kernel: "vector_add", grid: (1, 1, 1), block: (256, 1, 1),
    arguments: [
        i32(256), buffer(name: "a", size: "256 x f32", init: hash_f32(1)),
        buffer(name: "b", size: "256 x f32", init: hash_f32(2)), buffer(name: "c", size: "256 x f32", init: zero),
    ],
    expectations: [all_close(buffer: "c", expected: formula("a[i] + b[i]"))],
    gpu: "toy",
)"#;

const SWEEP: &str = r#"(
    title: "A sweep", source: "here", why: "to see", kind: launch,
    axes: [(name: "n", values: [255, 256])],
    set: {"launch": "launch.ron", "argument.0": "i32:{n}"},
    columns: [(name: "instructions", of: "{smsp__inst_executed.sum}")],
)"#;

/// A folder with a launch whose kernel is told to leave out one element at the first of two points.
pub(crate) fn sweep(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    fs::copy(KERNEL, folder.join("vector_add.ptx")).unwrap();
    fs::write(folder.join("launch.ron"), LAUNCH).unwrap();
    fs::write(folder.join("sweep.ron"), SWEEP).unwrap();
    folder
}

const FAILED: &str = "at n 255: expectation c: FAILED (1 of 256 elements differ, max relative error 1.0e0; first at 255: 0, expected";

#[test]
fn a_sweep_over_a_wrong_launch_is_marked_and_fails() {
    let folder = sweep("marked");
    // Once simulated, once from the results file: what was wrong stays wrong.
    for _ in 0..2 {
        let ran = warplab_in(&folder, "experiment sweep.ron");
        assert_eq!(status(&ran), Some(1));
        let text = stdout(&ran);
        let rows = text.lines().filter(|line| line.starts_with("    2"));
        let rows: Vec<String> =
            rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(rows, ["255 160 FAILED", "256 160 ok"], "{text}");
        // However long its lines are.
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(&format!("WRONG {FAILED}")), "{text}");
    }
    let csv = warplab_in(&folder, "experiment sweep.ron --csv");
    assert_eq!(stdout(&csv), "n,instructions,expectations\n255,160,FAILED\n256,160,ok\n");
    assert!(stderr(&csv).starts_with(FAILED));
    assert_eq!(status(&csv), Some(1));
    let json = warplab_in(&folder, "experiment sweep.ron --json");
    let value: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(value["expectations"][0]["failed"].as_array().unwrap().len(), 1);
    assert_eq!(value["expectations"][1], serde_json::json!({"checked": 1, "failed": []}));
    assert_eq!(status(&json), Some(1));
    let right = warplab_in(&folder, "experiment sweep.ron --set n=256");
    assert_eq!(status(&right), Some(0), "{}", stdout(&right));
    assert!(stdout(&right).contains("ok        every launch computed what its expectations say\n"));
}

#[test]
fn values_of_the_command_line_have_labels_and_claims_of_the_file_only_where_they_are_its_own() {
    let folder = sweep("relabelled");
    let labelled = SWEEP.replace("values: [255, 256]", "values: [192, 256], labels: [\"most\", \"all\"]").replace(
        "columns: [",
        "claims: [(says: \"Most take less.\", at: {\"n\": [192]}, holds: \"instructions < 100\")], columns: [",
    );
    fs::write(folder.join("sweep.ron"), labelled).unwrap();
    let text = stdout(&warplab_in(&folder, "experiment sweep.ron --set n=256,128"));
    let rows: Vec<String> =
        text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(rows.contains(&"all 160 ok".to_owned()) && rows.contains(&"128 112 FAILED".to_owned()), "{text}");
    assert!(!text.contains("Most take less"), "{text}");
}

#[test]
fn a_results_file_that_cannot_be_written_does_not_throw_the_table_away() {
    let folder = sweep("unwritable");
    fs::write(folder.join("file"), "").unwrap();
    let kept = stdout(&warplab_in(&folder, "experiment sweep.ron"));
    let ran = warplab_in(&folder, "experiment sweep.ron --results file/points.jsonl --fresh");
    assert_eq!((stdout(&ran), status(&ran)), (kept, Some(2)));
    let said = stderr(&ran);
    assert!(said.starts_with("error: file/points.jsonl cannot be written: "), "{said}");
    assert!(
        said.ends_with(
            "; the output is complete, but these points will be run again; give another --results\n"
        )
    );
}

/// How many points a sweep over right launches works out with this results file, and the file after it.
fn worked_out(folder: &Path, bytes: &[u8]) -> (usize, Vec<u8>) {
    let path = folder.join("points.jsonl");
    fs::write(&path, bytes).unwrap();
    let ran = warplab_in(folder, "experiment sweep.ron --results points.jsonl");
    assert_eq!(status(&ran), Some(1), "{}", stderr(&ran));
    let after = fs::read(&path).unwrap();
    assert!(after.starts_with(bytes), "nothing that is there is touched");
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    (lines(&after) - lines(bytes), after)
}

#[test]
fn one_broken_line_of_the_results_costs_one_point() {
    let folder = sweep("broken");
    let (all, whole) = worked_out(&folder, b"");
    assert_eq!((all, worked_out(&folder, &whole).0), (2, 0));
    let mut binary = whole.clone();
    binary[20] = 0xff;
    assert_eq!(worked_out(&folder, &binary).0, 1);
    let text = String::from_utf8(whole.clone()).unwrap();
    let (first, second) = text.split_once('\n').unwrap();
    let (start, rest) = first.split_once("\"values\":{").unwrap();
    let emptied = format!("{start}\"values\":{{}}{}\n{second}", rest.split_once('}').unwrap().1);
    assert_eq!(worked_out(&folder, emptied.as_bytes()).0, 1);
    let edited = text.replacen("\"smsp__inst_executed.sum\":160.0", "\"smsp__inst_executed.sum\":80.0", 1);
    assert!(edited != text);
    assert_eq!(worked_out(&folder, edited.as_bytes()).0, 1);
}

#[test]
fn a_torn_last_line_takes_no_new_line_with_it() {
    let folder = sweep("torn");
    let (_, whole) = worked_out(&folder, b"");
    let torn = &whole[..whole.len() - 30];
    // The torn line is ended, then comes the new one: two ends of lines.
    let (ends, after) = worked_out(&folder, torn);
    assert_eq!(ends, 2);
    assert_eq!(worked_out(&folder, &after).0, 0);
    // A line that lacks nothing but its end is whole.
    assert_eq!(worked_out(&folder, &whole[..whole.len() - 1]).0, 0);
}

#[test]
fn results_that_cannot_be_read_are_named_before_anything_runs() {
    let folder = sweep("unreadable");
    let ran = warplab_in(&folder, "experiment sweep.ron --results .");
    assert_eq!((stdout(&ran).as_str(), status(&ran)), ("", Some(2)));
    assert!(stderr(&ran).starts_with("error: . cannot be read: "), "{}", stderr(&ran));
}

#[test]
fn two_runs_may_keep_their_points_in_one_file() {
    let folder = sweep("shared");
    let (_, whole) = worked_out(&folder, b"");
    let path = folder.join("points.jsonl");
    fs::write(&path, "").unwrap();
    // Another run writes a line while ours is open: each line comes with one call.
    let mut other = OpenOptions::new().append(true).open(&path).unwrap();
    other.write_all(&whole).unwrap();
    assert_eq!(worked_out(&folder, &fs::read(&path).unwrap()).0, 0);
}

/// The checkout.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The list of all rows, of whose results nothing is kept.
static LIST: LazyLock<String> = LazyLock::new(|| {
    let none = fresh_folder("list-nothing-kept").join("points.jsonl");
    stdout(&warplab_in(root(), &format!("reproduce --list --results {}", none.display())))
});

#[test]
fn the_course_has_47_rows_each_with_points() {
    let list = &*LIST;
    let count = |line: &str| line.split_whitespace().nth(1).and_then(|word| word.parse::<u32>().ok());
    assert_eq!(list.lines().filter(|line| !line.starts_with(' ')).filter_map(count).count(), 47, "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
}

#[test]
fn the_list_has_the_measured_seconds_of_a_row_of_which_nothing_is_kept() {
    let list = &*LIST;
    let rows = fs::read_to_string(root().join("configs/course/rows.ron")).unwrap();
    let measured = rows.split_once("(id: \"l2-hit\", seconds: ").unwrap().1.split(',').next().unwrap();
    let words: Vec<&str> =
        list.lines().find(|line| line.starts_with("l2-hit ")).unwrap().split_whitespace().collect();
    assert_eq!(words[1..5], ["3", "0", measured, "s"], "{list}");
}

/// A kernel that writes nothing, and a clock that a machine read.
const CLOCK: &str = r#"{"case":"one","kernel":"vector_add","grid":[1,1,1],"block":[1,1,1],"args":[{"i32":0},{"buffer":"cycles","bytes":16,"init":"index_u32"},{"buffer":"b","bytes":4,"init":"zero"},{"buffer":"c","bytes":4,"init":"zero"}],"clock":[0,10,0,40]}"#;

const READINGS: &str = r#"(
    title: "Readings", source: "here", why: "to see", kind: launch,
    axes: [(name: "at", values: ["3", "3-1"])],
    set: {"suite": "two", "case": "one", "program": "vector_add.ptx", "word": "cycles:{at}", "gpu": "toy"},
    columns: [(name: "read", of: "{word}")],
    references: [(column: "read", from: "hardware", values: measured("{word}"), bound: shown)],
)"#;

#[test]
fn a_word_of_the_clock_or_the_difference_of_two_is_simulated_and_measured() {
    let folder = fresh_folder("readings");
    fs::copy(KERNEL, folder.join("vector_add.ptx")).unwrap();
    fs::write(folder.join("two.cases.jsonl"), CLOCK).unwrap();
    fs::write(folder.join("two.metrics.csv"), "case,kernel,sm__cycles_elapsed.max\none,vector_add,1000\n")
        .unwrap();
    fs::write(folder.join("readings.ron"), READINGS).unwrap();
    let csv = stdout(&warplab_in(&folder, "experiment readings.ron --csv"));
    assert_eq!(csv, "at,read,read hardware\n3,3,40\n3-1,2,30\n");
    let beyond = warplab_in(&folder, "experiment readings.ron --set at=1-4");
    assert_eq!(status(&beyond), Some(2));
    assert_eq!(stderr(&beyond), "error: at at 1-4: word: 'cycles' has 4 words, not 4\n");
}

const REASONS: &str = r#"(
    title: "Squares", source: "here", why: "to see", kind: formula,
    axes: [(name: "n", values: [1, 2, 3])],
    columns: [(name: "square", of: "n^2"), (name: "half", hidden: true, of: "n / 2", digits: 1)],
    references: [
        (column: "square", from: "source", values: list([2, 4, 8]), bound: exact, deviates: "half of n is {half} here"),
    ],
    claims: [(says: "Squares are small.", holds: "square < 9", deviates: "they are {square}")],
)"#;

#[test]
fn the_numbers_of_a_reason_come_from_the_run() {
    let folder = fresh_folder("reasons");
    fs::write(folder.join("squares.ron"), REASONS).unwrap();
    let ran = warplab_in(&folder, "experiment squares.ron");
    let words = stdout(&ran).split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert!(words.contains("Why: half of n is 0.5, 1.0 and 1.5 here"), "{words}");
    assert!(words.contains("Why: they are 1, 4 and 9"), "{words}");
}
