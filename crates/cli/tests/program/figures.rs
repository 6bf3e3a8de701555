//! Figures of experiments and of the course's page, as they are written.

use crate::common::{fresh_folder, status, stderr, warplab_in};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The figures of an experiment of the course, in order.
fn figures(experiment: &str) -> Vec<String> {
    let folder = fresh_folder(&format!("figures-{experiment}"));
    let file = root().join("configs/experiments").join(experiment).with_extension("ron");
    let ran = warplab_in(&folder, &format!("experiment {} --svg pictures --quiet", file.display()));
    assert_eq!(status(&ran), Some(0), "{}", stderr(&ran));
    let entries = fs::read_dir(folder.join("pictures")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// The numbers of an attribute of the lines that have some text.
fn numbers(svg: &str, has: &str, attribute: &str) -> Vec<f64> {
    let lines = svg.lines().filter(|line| line.contains(has));
    lines
        .filter_map(|line| line.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()?.parse().ok())
        .collect()
}

#[test]
fn the_timeline_of_one_element_shows_its_store_in_cycle_1006_behind_a_fold() {
    let figures = figures("issue_timeline_1");
    assert_eq!(figures.len(), 1);
    let svg = &figures[0];
    for text in [">+995</text>", ">1,002</text>", ">1,006</text>"] {
        assert_eq!(svg.matches(text).count(), 1, "{text}");
    }
    for says in ["cycle 1,002: FFMA of warp 0", "cycle 1,006: STG of warp 0"] {
        assert_eq!(svg.matches(&format!("<title>{says}</title>")).count(), 1, "{says}");
    }
}

#[test]
fn lockstep_and_independent_threads_are_panels_of_one_picture() {
    let figures = figures("its");
    assert_eq!(figures.len(), 1);
    let svg = &figures[0];
    // The first line of the picture has both, one above the other.
    let (lockstep, independent) =
        (numbers(svg, ">in lockstep</text>", "y")[0], numbers(svg, ">independent</text>", "y")[0]);
    assert!(lockstep < independent, "{lockstep} {independent}");
    for says in ["cycle 1,005: FMUL of warp 0", "cycle 1,005: FADD of warp 0"] {
        assert_eq!(svg.matches(&format!("<title>{says}</title>")).count(), 1, "{says}");
    }
}

#[test]
fn a_burst_on_the_dram_bus_is_as_wide_in_every_panel() {
    let figures = figures("dram_banks");
    assert_eq!(figures.len(), 2, "the plot and the bursts");
    let widths = numbers(&figures[1], ": data on the bus</title>", "width");
    assert!(widths.len() > 100, "{} bursts", widths.len());
    assert!(widths.iter().all(|width| (width - widths[0]).abs() < 0.011), "{widths:?}");
}

#[test]
fn the_page_of_the_course_has_every_row_with_its_figures() {
    let folder = fresh_folder("course-page");
    let page = folder.join("page.html");
    let results = folder.join("points.jsonl");
    let line = "reproduce issue-timeline-1 escalator occupancy-block-size --quiet";
    let ran =
        warplab_in(&root(), &format!("{line} --html {} --results {}", page.display(), results.display()));
    assert_eq!(status(&ran), Some(0), "{}", stderr(&ran));
    let page = fs::read_to_string(page).unwrap();
    for row in ["issue-timeline-1", "escalator", "occupancy-block-size"] {
        assert_eq!(page.matches(&format!("<section id=\"{row}\">")).count(), 1, "{row}");
    }
    assert_eq!(page.matches("<svg ").count(), 3);
    assert_eq!(page.matches("role=\"img\" aria-label=\"").count(), 3);
}
