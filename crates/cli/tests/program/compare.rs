//! Two runs beside each other.

use crate::common::{fresh_folder, stderr, stdout, warplab};
use std::fs;
use std::path::{Path, PathBuf};

const WARP_STATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/warp_states.ron");

/// What two runs wrote, under the machine's scheduler and under GTO.
fn written(name: &str, option: &str) -> [PathBuf; 2] {
    let folder = fresh_folder(&format!("compare_{name}"));
    [("a", ""), ("b", "--scheduler gto")].map(|(file, scheduler)| {
        let file = folder.join(file);
        warplab(&format!("run {WARP_STATES} {scheduler} {option} {}", file.display())).success();
        file
    })
}

fn compared([before, after]: [&Path; 2], more: &str) -> String {
    stdout(&warplab(&format!("compare {} {} {more}", before.display(), after.display())).success())
}

/// The last cell of the row that begins so.
fn last(text: &str, row: &str) -> f64 {
    let line = text.lines().find(|line| line.trim_start().starts_with(row)).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn the_reasons_multiply_to_the_ratio_of_the_times() {
    let [a, b] = written("reasons", "--json");
    let text = compared([&a, &b], "");
    assert!(
        text.contains("A  vector_add on Textbook: 201.00 ns") && text.contains("B takes 1.07 times"),
        "{text}"
    );
    let rows = ["resident warps", "cycles between", "schedulers at work", "instructions issued", "clock"];
    let product: f64 = rows.iter().map(|row| last(&text, row)).product();
    assert!((product - 1.07).abs() < 0.02, "{product}");
    assert!(last(&text, "Stall Not Selected") < -2.0, "{text}");
}

#[test]
fn pages_say_what_json_says_and_make_one_page() {
    let [a, b] = written("pages", "--html");
    let [c, d] = written("json", "--json");
    let both = a.with_file_name("both.html");
    assert_eq!(compared([&a, &b], &format!("--html {}", both.display())), compared([&c, &d], ""));
    let page = fs::read_to_string(both).unwrap();
    assert!(page.contains("<title>vector_add on Textbook beside vector_add on Textbook</title>"));
    assert!(page.contains("\"comparison\":"));
}

#[test]
fn kept_runs_make_the_page_that_their_pages_make() {
    let [a, b] = written("kept", "-o");
    let [c, d] = written("kept_pages", "--html");
    let [kept, of_pages] = ["kept.html", "pages.html"].map(|name| a.with_file_name(name));
    compared([&a, &b], &format!("--html {}", kept.display()));
    compared([&c, &d], &format!("--html {}", of_pages.display()));
    assert_eq!(fs::read_to_string(kept).unwrap(), fs::read_to_string(of_pages).unwrap());
}

#[test]
fn a_run_beside_itself_differs_in_nothing() {
    let [a, _] = written("itself", "--json");
    assert!(compared([&a, &a], "").ends_with("No metric differs.\n"));
}

#[test]
fn a_run_says_what_changed_since_its_baseline() {
    let [a, b] = written("baseline", "--json");
    let ran = warplab(&format!("run {WARP_STATES} --scheduler gto --baseline {}", a.display())).success();
    assert!(stdout(&ran).contains(&compared([&a, &b], "")));
}

#[test]
fn what_no_run_wrote_is_refused() {
    let [a, b] = written("refused", "--json");
    let folder = a.parent().unwrap();
    let told = |line: String| stderr(&warplab(&line).code(2));
    let file = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let (a, b) = (a.display(), b.display());
    let page = told(format!("compare {a} {}", file("page.html", "<html></html>")));
    assert!(page.contains("page.html: it is no page of warplab run --html"), "{page}");
    let json = told(format!("compare {} {b}", file("other.json", "{}")));
    assert!(json.contains("this is not what run --json wrote"), "{json}");
    let launch = told(format!("compare {a} {b} --launch 2"));
    assert!(launch.contains("--launch 2:"), "{launch}");
    let html = told(format!("compare {a} {b} --html {}", folder.join("x.html").display()));
    assert!(
        html.contains("JSON has no timelines and no code; compare two runs that warplab run -o FILE.wl kept"),
        "{html}"
    );
}
