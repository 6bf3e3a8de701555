//! Kernels of CUTLASS 4.2 beside an H200: the suite `cutlass`, products as programs get them from the library.

use warplab_metrics::correlation::{Comparison, ELAPSED_CYCLES, Measure};
use warplab_program::Program;
use warplab_tests::sweep::sweep;
use warplab_tests::{cases, gpu, listing, suite_program_without};

/// Sparse matrices of warpgroups are not simulated.
const REFUSED: &str = "k_sparse_f16";

/// The launches of the suite with at most so many warp instructions.
const MOST_INSTRUCTIONS: u64 = 200_000;

/// The mean error of elapsed cycles over the launches, in per cent. All that the GPU left is there, bit for bit; how often warps ask
/// whether copies have come depends on time.
fn error(isa: &'static str, program: &Program) -> String {
    let mut short = cases("cutlass");
    short.retain(|case| case.warp_instructions().is_some_and(|count| count <= MOST_INSTRUCTIONS));
    short.retain(|case| case.kernel != REFUSED);
    assert_eq!(short.len(), 22);
    let runs = sweep(&gpu("h200"), "cutlass", isa, program, short);
    for run in &runs {
        assert_eq!(run.fault(), None, "{}", run.case.name);
        let hazards = run.hazards.as_ref().map_or(&[][..], |hazards| &hazards.lines[..]);
        assert!(isa != "ptx" || hazards.is_empty(), "{}: {hazards:?}", run.case.name);
    }
    let comparisons: Vec<Comparison> = runs.into_iter().map(|run| run.comparison).collect();
    let summary = Measure::find(ELAPSED_CYCLES).expect("a metric of the registry").summary(&comparisons);
    format!("{:.2} %", summary.error.expect("there are cases"))
}

#[test]
fn kernels_of_cutlass_compute_what_the_gpu_did_from_machine_code() {
    assert_eq!(error("sass", &listing("traces/h200/cutlass.sass")), "8.64 %");
}

#[test]
fn kernels_of_cutlass_compute_what_the_gpu_did_from_ptx() {
    assert_eq!(error("ptx", &suite_program_without(&gpu("h200"), "cutlass", REFUSED)), "7.01 %");
}
