//! Labs as a student meets them: the solution passes, a blank worksheet does not, and wrong answers get the right hint.

use crate::common::{fresh_folder, status, stderr, stdout, warplab, warplab_in};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The path of a folder that is not there.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    fs::remove_dir(&folder).unwrap();
    folder
}

/// A copy of the solution of a lab in which some texts of the worksheet are others.
pub(crate) fn solution(lab: &str, name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let original =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/labs").join(lab).join("solution");
    let folder = folder(name);
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(&original).unwrap() {
        let path = entry.unwrap().path();
        let mut text = fs::read_to_string(&path).unwrap();
        if path.ends_with("worksheet.ron") {
            for (from, to) in changes {
                assert!(text.contains(from), "the solution of {lab} has no {from}");
                text = text.replace(from, to);
            }
        }
        fs::write(folder.join(path.file_name().unwrap()), text).unwrap();
    }
    folder
}

pub(crate) struct Checked {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn check(lab: &str, folder: &Path) -> Checked {
    let assert = warplab(&format!("lab check {lab} {}", folder.display()));
    let output = assert.get_output();
    Checked {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}

/// The hints that are given, each in one line.
pub(crate) fn hints(checked: &Checked) -> Vec<String> {
    assert_eq!(checked.status, Some(1), "{}{}", checked.stdout, checked.stderr);
    let paragraphs = checked.stdout.split("\n\n").filter(|paragraph| paragraph.starts_with("Hint for "));
    paragraphs.map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The hints for a solution with some answers changed.
pub(crate) fn hints_for(lab: &str, name: &str, changes: &[(&str, &str)]) -> Vec<String> {
    hints(&check(lab, &solution(lab, name, changes)))
}

/// Every lab, and what is said of its worksheet as copied.
const LABS: [(&str, &str); 12] = [
    ("1-latency", "0 of 7 hold, 7 blank"),
    ("2-schedulers", "0 of 4 hold, 4 blank"),
    ("3-dependences", "0 of 5 hold, 5 blank"),
    ("4-littles-law", "0 of 5 hold, 5 blank"),
    ("5-divergence", "0 of 7 hold, 7 blank"),
    ("6-coalescing", "0 of 7 hold, 7 blank"),
    ("7-banks", "0 of 6 hold, 6 blank"),
    ("8-occupancy", "0 of 6 hold, 6 blank"),
    ("9-atomics", "0 of 6 hold, 6 blank"),
    ("10-dram", "0 of 7 hold, 7 blank"),
    ("11-matmul", "0 of 5 hold, 5 blank"),
    ("12-scheduler", "0 of 6 hold, 6 blank"),
];

/// The first line that is wider than a page.
fn wide(text: &str) -> Option<&str> {
    text.lines().find(|line| line.chars().count() > 100)
}

#[test]
fn the_solution_of_every_lab_passes() {
    for (lab, _) in LABS {
        let checked = check(lab, &solution(lab, &format!("solution-{lab}"), &[]));
        assert_eq!(checked.status, Some(0), "{lab}: {}{}", checked.stdout, checked.stderr);
        assert!(!checked.stdout.contains("Hint"), "{}", checked.stdout);
        assert_eq!(wide(&checked.stdout), None, "{lab}");
    }
}

#[test]
fn every_worksheet_as_copied_fails_with_all_its_blanks() {
    for (lab, said) in LABS {
        let folder = folder(&format!("copied-{lab}"));
        warplab(&format!("lab start {lab} {}", folder.display())).success();
        assert_eq!(
            wide(
                &fs::read_to_string(folder.join("worksheet.ron"))
                    .unwrap()
                    .replace(folder.to_str().unwrap(), "")
            ),
            None
        );
        assert_eq!(wide(&stdout(&warplab(&format!("lab show {lab}")))), None, "{lab}");
        let checked = check(lab, &folder);
        assert_eq!((checked.status, checked.stderr.as_str()), (Some(1), ""), "{lab}");
        assert_eq!(checked.stdout.lines().last(), Some(said), "{lab}: {}", checked.stdout);
        assert!(!checked.stdout.contains("Run "), "{lab} shows a timeline: {}", checked.stdout);
        let ran = warplab(&format!("lab check {lab} {} --json", folder.display()));
        let found: Value = serde_json::from_str(&stdout(&ran)).unwrap();
        for verdict in
            found["predictions"].as_array().unwrap().iter().chain(found["checks"].as_array().unwrap())
        {
            assert_eq!(
                (&verdict["simulated"], &verdict["difference"]),
                (&Value::Null, &Value::Null),
                "{lab}"
            );
        }
    }
}

#[test]
fn an_unchanged_kernel_shows_nothing_while_a_prediction_is_wrong() {
    let folder =
        solution("3-dependences", "unchanged-wrong", &[("\"one_element\": 1006", "\"one_element\": 3004")]);
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/kernels");
    fs::copy(kernels.join("issue_timeline.ptx"), folder.join("kernel.ptx")).unwrap();
    let printed = check("3", &folder).stdout;
    assert!(printed.contains("Hint for check 1: kernel.ptx is unchanged."), "{printed}");
    assert!(!printed.contains("Run yours"), "{printed}");
}

#[test]
fn lab_1_who_takes_the_issue_interval_for_the_latency_is_told_to_look_for_dependences() {
    assert_eq!(
        hints_for("1-latency", "interval", &[("\"cycles_between\": 5", "\"cycles_between\": 1")]),
        [
            "Hint for prediction 1: One instruction per cycle is what the issue slot can do. What does the next FFMA of \
             the same warp need before it can start?"
        ]
    );
}

#[test]
fn lab_1_who_forgets_that_a_longer_latency_needs_more_warps_is_told_what_has_grown() {
    assert_eq!(
        hints_for("1-latency", "slow", &[("\"busy_slow\": 50", "\"busy_slow\": 100")]),
        [
            "Hint for prediction 3: Five warps fill the cycles of a latency of 5. The latency has grown, the warps \
             have not: how many cycles of every ten find a warp that is ready?"
        ]
    );
}

#[test]
fn lab_1_too_few_and_too_many_warps_fail_different_checks() {
    assert_eq!(
        hints_for(
            "1-latency",
            "warps",
            &[("\"warps\": 5", "\"warps\": 4"), ("\"warps_slow\": 10", "\"warps_slow\": 32")]
        ),
        [
            "Hint for check 1: There are still cycles in which every warp waits for its own result. Each further warp \
             fills one more cycle of the latency.",
            "Hint for check 4: The scheduler was busy all the time with fewer. Rate x latency is enough.",
        ]
    );
}

#[test]
fn lab_2_who_expects_the_fair_scheduler_to_win_is_sent_to_the_common_load() {
    assert_eq!(
        hints_for("2-schedulers", "fair", &[("\"two_level\"", "\"lrr\"")]),
        [
            "Hint for prediction 1: Round robin is fair: all sixteen warps come to the load of a round at nearly the \
             same time. What is left to issue then? Find the folded columns of L in its timeline."
        ]
    );
}

#[test]
fn lab_2_who_expects_the_greedy_scheduler_to_win_is_sent_to_the_warp_left_behind() {
    assert_eq!(
        hints_for("2-schedulers", "greedy", &[("\"two_level\"", "\"gto\"")]),
        [
            "Hint for prediction 1: The greedy scheduler starts one load after the other without delay. But once a \
             warp is in its chain of arithmetic, how many of the other warps are ready to fill its waits, and how \
             many have not come back from memory? Look at the row of warp15."
        ]
    );
}

#[test]
fn lab_2_who_mixes_up_the_policies_is_sent_to_the_columns() {
    assert_eq!(
        hints_for("2-schedulers", "mixed", &[("\"switches_less\": \"gto\"", "\"switches_less\": \"lrr\"")]),
        [
            "Hint for prediction 2: Round robin goes to the next warp after every instruction, if that one can issue. \
             Read one column after the other: is the star ever in the same row twice?"
        ]
    );
}

#[test]
fn lab_2_who_takes_the_winner_of_sixteen_warps_for_eight_is_asked_how_many_groups_there_are() {
    assert_eq!(
        hints_for("2-schedulers", "eight", &[("\"eight\": \"gto\"", "\"eight\": \"two-level\"")]),
        [
            "Hint for check 1: As long as lrr. Do all eight warps come to their loads together again? How many groups \
             of eight are there now?"
        ]
    );
}

#[test]
fn lab_3_who_adds_up_loads_that_overlap_is_told_so() {
    assert_eq!(
        hints_for("3-dependences", "serial", &[("\"one_element\": 1006", "\"one_element\": 3004")]),
        ["Hint for prediction 1: The three loads do not need each other. When does the second one issue?"]
    );
}

#[test]
fn lab_3_who_hoists_every_load_is_asked_what_the_compiler_knows() {
    assert_eq!(
        hints_for("3-dependences", "hoisted", &[("\"grid_stride\": 2011", "\"grid_stride\": 1009")]),
        [
            "Hint for prediction 2: This is right if all six loads go first. But the second element of c is loaded \
             after a store to c: may the compiler exchange the two when it does not know their distance?"
        ]
    );
}

#[test]
fn lab_3_the_kernel_as_it_was_is_too_slow() {
    let folder = solution("3-dependences", "unchanged", &[]);
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/kernels");
    fs::copy(kernels.join("issue_timeline.ptx"), folder.join("kernel.ptx")).unwrap();
    assert_eq!(
        hints(&check("3", &folder)),
        [
            "Hint for check 1: One load still stands behind a store. You know what the compiler does not: the two \
             addresses are never the same. Change the order of the lines in two_elements_grid_stride."
        ]
    );
}

#[test]
fn lab_3_a_fast_kernel_that_computes_something_else_does_not_pass() {
    let folder = solution("3-dependences", "wrong", &[]);
    let kernel = folder.join("kernel.ptx");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, text.replace("%f8, %f5, %f6, %f7", "%f8, %f5, %f6, %f3")).unwrap();
    let checked = check("3", &folder);
    assert_eq!(checked.status, Some(1));
    assert!(
        checked.stdout.contains("Run yours: expectation c: FAILED (32 of 64 elements differ"),
        "{}",
        checked.stdout
    );
}

#[test]
fn lab_3_shows_the_numbers_of_the_course_beside_the_predictions() {
    let checked = check("3", &solution("3-dependences", "numbers", &[("2013", "2011")]));
    let numbers: Vec<&str> = checked
        .stdout
        .lines()
        .filter(|line| line.trim_end().ends_with(" yes"))
        .map(|line| line.rsplit("  ").find(|cell| cell.contains(',')).unwrap_or_default().trim())
        .collect();
    assert_eq!(numbers, ["1,006", "2,011", "1,009", "2,013", "1,009"], "{}", checked.stdout);
}

#[test]
fn a_worksheet_is_never_overwritten() {
    let folder = folder("twice");
    warplab(&format!("lab start 1 {}", folder.display())).success();
    let assert = warplab(&format!("lab start 1 {}", folder.display())).code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        stderr.ends_with("worksheet.ron is there already; choose another folder or move it away\n"),
        "{stderr}"
    );
}

#[test]
fn every_fault_of_a_worksheet_is_shown_at_its_line() {
    let folder = folder("faults");
    fs::create_dir_all(&folder).unwrap();
    let text = "(\n    predictions: {\n        \"finishes_first\": \"fifo\",\n        \"switches_les\": \"gto\",\n        \
                \"busy_lrr\": \"many\",\n    },\n    extra: 1,\n)\n";
    fs::write(folder.join("worksheet.ron"), text).unwrap();
    let checked = check("2", &folder);
    assert_eq!(checked.status, Some(2));
    let found: Vec<(&str, &str)> = checked
        .stderr
        .split("error: ")
        .skip(1)
        .map(|fault| {
            let place = fault.lines().find_map(|line| line.split_once("worksheet.ron:")).unwrap().1;
            (fault.lines().next().unwrap(), place)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("unknown field 'extra'", "7:12"),
            ("'finishes_first' is none of the possible answers", "3:27"),
            ("nothing is named 'switches_les'", "4:9"),
            ("'busy_lrr' is not a number", "5:21"),
            ("'switches_less' is missing", "2:18"),
            ("'eight' is missing", "1:1"),
        ]
    );
    assert!(checked.stderr.contains("did you mean 'switches_less'?"), "{}", checked.stderr);
}

#[test]
fn labs_are_listed_and_shown_by_number_or_word() {
    let stdout = |line: &str| String::from_utf8(warplab(line).success().get_output().stdout.clone()).unwrap();
    assert!(stdout("lab list").contains("2-schedulers   Lab 2: schedulers side by side"));
    assert!(stdout("lab show latency").starts_with("# Lab 1: latency against warps\n"));
    assert_eq!(stdout("lab show 3"), stdout("lab show 3-dependences"));
}

#[test]
fn an_unknown_lab_is_answered_with_the_known_ones() {
    let assert = warplab("lab show 99").code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(stderr.contains("unknown lab '99'; known: 1-latency, 2-schedulers, 3-dependences"), "{stderr}");
}

/// A folder with a lab of its own, number 99, whose student changes a program by this name.
fn lab_with_copy(name: &str, copy: &str) -> PathBuf {
    let root = fresh_folder(name);
    let lab = root.join("configs/labs/99-own");
    fs::create_dir_all(&lab).unwrap();
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let text = fs::read_to_string(configs.join("labs/3-dependences/lab.ron")).unwrap();
    let text = text.replace("../../launches", &configs.join("launches").display().to_string());
    fs::write(lab.join("lab.ron"), text.replace("kernel.ptx", copy)).unwrap();
    root
}

#[test]
fn a_copy_has_a_plain_name_and_not_that_of_the_worksheet() {
    let outside = "../../../x";
    for copy in [
        outside,
        "/tmp/x.ptx",
        "worksheet.ron",
        "Worksheet.RON",
        "",
        ".",
        "..",
        "a/b",
        "a\\\\b",
        "c:x",
        "nul\\0",
    ] {
        let root = lab_with_copy("names", copy);
        let checked = warplab_in(&root, "config check configs/labs/99-own/lab.ron");
        assert_eq!(status(&checked), Some(1), "{copy}");
        let started = warplab_in(&root, "lab start 99 student");
        assert_eq!(status(&started), Some(2), "{copy}");
        let said = match copy.to_lowercase().as_str() {
            "worksheet.ron" => "would stand in the place of the worksheet",
            _ => "is not the name of a file in the student's folder",
        };
        for ran in [checked, started] {
            assert!(stderr(&ran).contains(said) && stderr(&ran).contains("lab.ron:10:"), "{}", stderr(&ran));
        }
        assert!(!root.join("student").exists() && !root.join("x").exists(), "{copy}");
    }
}

#[test]
fn a_lab_with_a_plain_copy_starts() {
    let root = lab_with_copy("plain", "my-kernel_2.ptx");
    warplab_in(&root, "config check configs/labs/99-own/lab.ron").success();
    warplab_in(&root, "lab start 99 student").success();
    assert!(root.join("student/my-kernel_2.ptx").is_file());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_is_neither_followed_nor_replaced() {
    let root = lab_with_copy("links", "kernel.ptx");
    for (name, target) in [("kernel.ptx", "../victim"), ("worksheet.ron", "../nothing")] {
        let student = root.join("student");
        fs::create_dir_all(&student).unwrap();
        fs::write(root.join("victim"), "precious").unwrap();
        std::os::unix::fs::symlink(target, student.join(name)).unwrap();
        let ran = warplab_in(&root, "lab start 99 student");
        assert_eq!(status(&ran), Some(2), "{name}");
        assert_eq!(
            stderr(&ran),
            format!("error: student/{name} is there already; choose another folder or move it away\n")
        );
        assert_eq!(fs::read_to_string(root.join("victim")).unwrap(), "precious");
        assert!(!root.join("nothing").exists());
        assert_eq!(student.read_dir().unwrap().count(), 1, "nothing else is written");
        fs::remove_dir_all(&student).unwrap();
    }
}

#[test]
fn two_programs_have_two_copies() {
    let root = lab_with_copy("two", "kernel.ptx");
    let lab = root.join("configs/labs/99-own/lab.ron");
    let text = fs::read_to_string(&lab).unwrap();
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/launches/vector_add.ron");
    let run = format!("runs: {{ \"other\": (launch: \"{}\", copy: Some(\"KERNEL.ptx\")),", other.display());
    fs::write(&lab, text.replacen("runs: {", &run, 1)).unwrap();
    let ran = warplab_in(&root, "lab start 99 student");
    assert_eq!(status(&ran), Some(2));
    assert!(stderr(&ran).contains("are one file; give each program its own"), "{}", stderr(&ran));
}
