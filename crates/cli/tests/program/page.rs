//! The page of `run --html`.

use crate::common::{fresh_folder, stderr, stdout, warplab};
use serde_json::Value;
use std::fs;

const WARP_STATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/warp_states.ron");

/// The text of the page of a run.
fn page(name: &str, line: &str) -> String {
    let file = fresh_folder(&format!("page_{name}")).join("page.html");
    warplab(&format!("run {line} --html {}", file.display())).success();
    fs::read_to_string(file).unwrap()
}

/// The document that a page carries.
fn document(page: &str) -> Value {
    let (_, from) = page.split_once("<script type=\"application/json\" id=\"document\">").unwrap();
    serde_json::from_str(from.split_once("</script>").unwrap().0).unwrap()
}

fn instructions(launch: &Value) -> &Vec<Value> {
    launch["code"]["instructions"].as_array().unwrap()
}

fn sum(values: &[Value], of: impl Fn(&Value) -> &Value) -> u64 {
    values.iter().filter_map(|value| of(value).as_u64()).sum()
}

#[test]
fn the_page_is_one_small_file_that_names_no_other() {
    let page = page("small", WARP_STATES);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("<link") && !page.contains("src=\""));
}

#[test]
fn the_document_has_every_metric_as_json_has_it_and_as_the_text_prints_it() {
    let document = document(&page("metrics", WARP_STATES));
    assert_eq!((document["format"].as_str(), document["version"].as_u64()), (Some("warplab-page"), Some(1)));
    let json: Value =
        serde_json::from_str(&stdout(&warplab(&format!("run {WARP_STATES} --json -")).success())).unwrap();
    let text = stdout(&warplab(&format!("run {WARP_STATES} --section all")).success());
    let sections = document["launches"][0]["sections"].as_array().unwrap();
    let metrics: Vec<&Value> =
        sections.iter().flat_map(|section| section["metrics"].as_array().unwrap()).collect();
    assert_eq!(metrics.len(), json["metrics"].as_object().unwrap().len());
    for metric in metrics {
        let id = metric["id"].as_str().unwrap();
        assert_eq!(metric["value"], json["metrics"][id]["value"], "{id}");
        let [label, unit, shown] = ["label", "shown_unit", "shown"].map(|key| metric[key].as_str().unwrap());
        let printed = text.lines().any(|line| {
            line.trim().strip_prefix(label).is_some_and(|rest| {
                rest.split_whitespace().collect::<Vec<_>>()
                    == format!("{unit} {shown}").split_whitespace().collect::<Vec<_>>()
            })
        });
        assert_eq!(printed, metric["in_report"].as_bool().unwrap(), "{label} {unit} {shown}");
    }
}

#[test]
fn what_instructions_asked_of_memory_adds_up_to_the_metrics() {
    // One multiprocessor, all of it recorded.
    let document = document(&page("memory", WARP_STATES));
    let launch = &document["launches"][0];
    let flows = launch["memory"]["flows"].as_array().unwrap();
    assert_eq!(sum(instructions(launch), |it| &it["memory"]["sectors"]), sum(flows, |flow| &flow["sectors"]));
    assert_eq!(sum(instructions(launch), |it| &it["memory"]["sectors"]), 96);
    assert_eq!(sum(instructions(launch), |it| &it["executed"]), 160);
}

#[test]
fn the_cuda_source_of_a_shipped_kernel_is_found_beside_its_ptx() {
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/kernels/saxpy.ptx");
    let launch =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/saxpy.ron")).unwrap();
    let launch =
        launch.replace("../kernels/saxpy.ptx", kernel).replace("4096", "4").replace("1048576", "1024");
    let file = fresh_folder("page_cuda_launch").join("small.ron");
    fs::write(&file, launch.replace("4MiB", "4KiB")).unwrap();
    let arguments = "--arg i32:64 --arg f32:2 --arg buffer:x:256:zero --arg buffer:y:256:zero";
    for (name, line) in [
        ("cuda", file.display().to_string()),
        ("cuda_program", format!("{kernel} --grid 2 --block 32 {arguments}")),
    ] {
        let document = document(&page(name, &line));
        let texts = document["launches"][0]["code"]["texts"].as_array().unwrap();
        let names: Vec<&str> = texts.iter().filter_map(|text| text["name"].as_str()).collect();
        assert!(names.iter().any(|name| name.ends_with("saxpy.cu")), "{names:?}");
    }
}

#[test]
fn the_window_is_what_is_recorded() {
    let document = document(&page("window", &format!("{WARP_STATES} --window 50..60")));
    let timeline = &document["launches"][0]["timeline"];
    assert_eq!((timeline["from"].as_u64(), timeline["to"].as_u64()), (Some(50), Some(60)));
    for row in timeline["rows"].as_array().unwrap() {
        let intervals = row["intervals"].as_array().unwrap();
        let cycles: u64 = intervals.iter().step_by(3).filter_map(Value::as_u64).sum();
        assert_eq!(cycles, 10);
    }
    assert_eq!(sum(instructions(&document["launches"][0]), |it| &it["executed"]), 10);
}

#[test]
fn the_page_does_not_depend_on_the_number_of_threads() {
    let line = "scale.ptx --grid 64 --block 64 --gpu toy --arg buffer:x:256:hash_f32 --arg f32:2";
    let pages = ["1", "3"].map(|jobs| page(&format!("jobs_{jobs}"), &format!("{line} --jobs {jobs}")));
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn several_launches_share_a_page_and_the_first_or_the_chosen_one_is_recorded() {
    let all = document(&page("several", "several.ron"));
    let recorded = |document: &Value| -> Vec<bool> {
        let launches = document["launches"].as_array().unwrap();
        launches.iter().map(|launch| launch.get("timeline").is_some()).collect()
    };
    assert_eq!(recorded(&all), [true, false, false]);
    let second = document(&page("second", "several.ron --launch 2"));
    assert_eq!(recorded(&second), [true]);
}

#[test]
fn a_page_that_cannot_be_written_is_said() {
    let told = stderr(&warplab(&format!("run {WARP_STATES} --html /nowhere/page.html")).failure());
    assert!(told.contains("/nowhere/page.html cannot be written"), "{told}");
}
