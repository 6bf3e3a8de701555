//! The course, reproduced: every exact row exactly, and the simulated rows that are quick.

use std::collections::HashSet;
use warplab_config::load_course;
use warplab_diagnostics::Source;
use warplab_lab::experiment::ReferenceVerdict;
use warplab_tests::experiments::run_shipped;
use warplab_tests::{long_tests, project_file, read};

/// Simulated rows of more than a hundred million warp instructions, or over vectors of millions: minutes, so only with
/// the long tests.
const LONG: [&str; 16] = [
    "ilp_tlp",
    "aos_soa",
    "vectorized_copy",
    "memory_transactions",
    "littles_bytes",
    "littles_fma_chains",
    "max_atomics",
    "vector_update",
    "roofline",
    "transpose",
    "reduction_time",
    "float4_copy",
    "peaks_empirical",
    "stencil_bandwidth",
    "stencil_h200",
    "l2_hit",
];

fn course() -> warplab_config::Course {
    load_course(&Source::new("rows.ron", read("configs/course/rows.ron"))).expect("the rows")
}

#[test]
fn every_line_of_the_course_is_a_row() {
    // 46 lines of the course's table; one of them holds two rows, r-max and wi-min.
    assert_eq!(course().rows.len(), 47);
}

#[test]
fn every_shipped_experiment_belongs_to_a_row_or_draws_a_figure_of_the_machine() {
    let rows = course().rows;
    let mut named: HashSet<String> = rows.into_iter().flat_map(|row| row.experiments).collect();
    let page = read("docs/book/src/machine.md");
    let drawn = page.lines().filter_map(|line| {
        line.strip_prefix("    warplab experiment configs/")?.strip_suffix(" --svg figures")
    });
    named.extend(drawn.map(|file| format!("../{file}")));
    let folder = std::fs::read_dir(project_file("configs/experiments")).expect("the folder");
    let files: HashSet<String> = folder
        .filter_map(|entry| Some(format!("../experiments/{}", entry.ok()?.file_name().to_string_lossy())))
        .collect();
    assert_eq!(named, files);
}

#[test]
fn every_row_that_is_built_holds_or_says_why_not() {
    let rows = course().rows;
    let files = rows.iter().flat_map(|row| &row.experiments);
    let names = files.filter_map(|file| file.strip_prefix("../experiments/")?.strip_suffix(".ron"));
    let mut missed = Vec::new();
    for name in names.filter(|name| long_tests() || !LONG.contains(name)) {
        let report = run_shipped(name);
        assert!(!report.judgements.is_empty(), "{name} compares nothing");
        let lines = report.judgements.iter().map(|it| (it.verdict, &it.line));
        let lines = lines.chain(report.claims.iter().map(|it| (it.verdict, &it.line)));
        let lines = lines.filter(|(verdict, _)| *verdict == ReferenceVerdict::Missed);
        missed.extend(lines.map(|(_, line)| format!("{name}: {line}")));
        missed.extend(report.failed_expectations().iter().map(|line| format!("{name}: {line}")));
        // A reason that is no longer needed is a fault of the description.
        let reasons = report.judgements.iter().map(|it| (it.reference.has_reason(), it.verdict, &it.line));
        let reasons =
            reasons.chain(report.claims.iter().map(|it| (it.claim.deviates.is_some(), it.verdict, &it.line)));
        let stale = reasons.filter(|(reason, verdict, _)| *reason && *verdict == ReferenceVerdict::Holds);
        missed.extend(stale.map(|(.., line)| format!("{name}: {line}")));
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
