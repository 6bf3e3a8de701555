//! What a student and a lecturer do with labs: tries, reveal, JSON, a class, a lab of one's own.

use crate::common::{fresh_folder, status, stderr, stdout, warplab, warplab_in};
use crate::labs::{check, folder, solution};
use serde_json::Value;
use std::fs;

/// The solution of lab 7 with one wrong answer.
fn with(name: &str, p34: &str) -> std::path::PathBuf {
    solution("7-banks", name, &[("\"p34\": 2", &format!("\"p34\": {p34}"))])
}

#[test]
fn the_number_comes_after_three_different_tries() {
    let folder = with("tries", "1");
    let worksheet = folder.join("worksheet.ron");
    let text = fs::read_to_string(&worksheet).unwrap();
    let hidden = |answer: &str| {
        fs::write(&worksheet, text.replace("\"p34\": 1", &format!("\"p34\": {answer}"))).unwrap();
        check("7", &folder).stdout.contains("  ?  ")
    };
    assert!(hidden("1") && hidden("1") && hidden("17") && hidden("17"), "the same answer is one try");
    assert!(!hidden("4"));
    let kept = fs::read_to_string(folder.join("tries.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap()["p34"], serde_json::json!(["1", "17", "4"]));
}

#[test]
fn reveal_shows_what_was_simulated() {
    let folder = with("reveal", "1");
    let ran = warplab(&format!("lab check 7 {} --reveal", folder.display()));
    assert_eq!(status(&ran), Some(1));
    let row = stdout(&ran);
    let row = row.lines().find(|line| line.starts_with("2  Rows 34")).unwrap().to_owned();
    assert_eq!(row.split_whitespace().rev().take(4).collect::<Vec<_>>(), ["no", "-1", "2", "1"]);
}

#[test]
fn graders_read_json_that_gives_no_answer_away() {
    let ran = warplab(&format!("lab check 7 {} --json", with("json", "1").display()));
    let found: Value = serde_json::from_str(&stdout(&ran)).unwrap();
    assert_eq!((found["held"].as_u64(), found["of"].as_u64()), (Some(5), Some(6)));
    let wrong = &found["predictions"][1];
    assert_eq!((wrong["id"].as_str(), wrong["state"].as_str()), (Some("p34"), Some("no")));
    assert_eq!((&wrong["simulated"], &wrong["difference"]), (&Value::Null, &Value::Null));
    assert_eq!(found["predictions"][0]["simulated"].as_str(), Some("32"));
}

#[test]
fn a_class_is_one_table_and_nothing_is_written() {
    let (good, bad) = (with("class-good", "2"), with("class-bad", "17"));
    let ran = warplab(&format!("lab grade --lab 7 {} {}", good.display(), bad.display()));
    assert_eq!(status(&ran), Some(0));
    let printed = stdout(&ran);
    let cells = |folder: &str| {
        let row = printed.lines().position(|line| line.contains(folder)).unwrap();
        let last = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        printed.lines().nth(row).map(last).unwrap()
    };
    assert!(cells("class-good").ends_with(&["7-banks".into(), "6".into(), "6".into()]), "{printed}");
    assert!(cells("class-bad").ends_with(&["5".into(), "6".into(), "p34".into()]), "{printed}");
    assert!(!bad.join("tries.json").exists());
}

#[test]
fn a_worksheet_names_its_lab_for_the_grader() {
    let student = folder("names-its-lab");
    warplab(&format!("lab start 2 {}", student.display())).success();
    let ran = warplab(&format!("lab grade {} --json", student.display()));
    let found: Value = serde_json::from_str(&stdout(&ran)).unwrap();
    assert_eq!(found[0]["judgement"]["lab"].as_str(), Some("2-schedulers"));
}

#[test]
fn a_lab_of_ones_own_starts_checks_and_is_graded_by_its_path() {
    let root = fresh_folder("own-lab");
    warplab_in(&root, "lab new mine").success();
    warplab_in(&root, "config check mine/lab.ron").success();
    warplab_in(&root, "lab check ./mine mine/solution").success();
    warplab_in(&root, "lab check mine mine/solution").success();
    warplab_in(&root, "lab start ./mine student").success();
    let ran = warplab_in(&root, "lab check mine/lab.ron student");
    assert_eq!(status(&ran), Some(1));
    assert!(stdout(&ran).ends_with("0 of 3 hold, 3 blank\n"), "{}", stdout(&ran));
    let again = warplab_in(&root, "lab new mine");
    assert_eq!(status(&again), Some(2));
    assert!(stderr(&again).contains("lab.ron is there already"), "{}", stderr(&again));
}

#[test]
fn an_experiment_of_ones_own_runs_as_it_is_written() {
    let root = fresh_folder("own-experiment");
    warplab_in(&root, "experiment new warps.ron").success();
    warplab_in(&root, "config check warps.ron").success();
    let ran = warplab_in(&root, "experiment warps.ron");
    assert_eq!(status(&ran), Some(0), "{}{}", stdout(&ran), stderr(&ran));
    assert!(stdout(&ran).contains("Throughput against warps"));
}

#[test]
fn lab_3_the_number_of_the_slide_has_its_own_hint() {
    let folder = solution("3-dependences", "slide", &[("1009", "1008")]);
    let checked = check("3", &folder);
    assert!(checked.stdout.contains("Hint for prediction 3: So it is on the slide"), "{}", checked.stdout);
    let folder = solution("3-dependences", "other-order", &[("1009", "1010")]);
    assert_eq!(check("3", &folder).status, Some(0), "the other order of the loads is right, too");
}

#[test]
fn a_timeline_that_shows_the_answer_waits_for_it() {
    let folder = solution("3-dependences", "timeline", &[("\"one_element\": 1006", "\"one_element\": 3004")]);
    let printed = check("3", &folder).stdout;
    assert!(
        printed.contains("Timelines that come when the numbers predicted of them hold: one\n"),
        "{printed}"
    );
    assert!(!printed.contains("Run one\n") && printed.contains("Run grid\n"), "{printed}");
}
