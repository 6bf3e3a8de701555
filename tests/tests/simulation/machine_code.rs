//! The machine code that ran on the GPU, from its listing: it computes the same, in as many instructions.

use warplab_tests::interpreted::{self, Counted, Interpreted, interpret_others};
use warplab_tests::sweep::{MACHINE_CODE, Run, quick};
use warplab_tests::{Case, cases, listing, long_tests};

#[test]
fn every_quick_case_of_the_suite_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_quick("suite", 119, 74);
}

#[test]
fn every_quick_microbenchmark_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_quick("micro", 153, 135);
}

#[test]
fn every_case_of_the_atomics_computes_what_the_gpu_did_in_as_many_instructions() {
    assert_quick("atomics", 124, 104);
}

/// Divisions, roots, exponentials and logarithms among them: their results are the GPU's bits.
#[test]
fn ordinary_kernels_compute_what_the_gpu_did() {
    assert_short("ordinary", 200_000, 37);
}

#[test]
fn kernels_of_applications_compute_what_the_gpu_did() {
    assert_short("applications", 100_000, 15);
}

#[test]
fn everyday_kernels_compute_what_the_gpu_did() {
    assert_short("everyday", 300_000, 27);
}

#[test]
fn assorted_kernels_compute_what_the_gpu_did() {
    assert_short("assorted", 200_000, 34);
}

/// Among them tables of constants that lanes read at different places, and reductions over the masks of `match`.
#[test]
fn sundry_kernels_compute_what_the_gpu_did() {
    assert_short("sundry", 200_000, 28);
}

/// Among them copies from global to shared memory, local memory in bytes and halves, and lanes that yield.
#[test]
fn a_medley_of_kernels_computes_what_the_gpu_did() {
    assert_short("medley", 200_000, 36);
}

/// Products of matrices of every type, transposed matrices, and floats packed as bytes.
#[test]
fn products_of_matrices_are_what_the_gpu_computed() {
    assert_short("matrices", 200_000, 22);
}

/// Among them loops of shared memory and local arrays, chains of hashes, and trees that are searched without recursion.
#[test]
fn a_miscellany_of_kernels_computes_what_the_gpu_did() {
    assert_short("miscellany", 200_000, 24);
}

/// CUB: scans whose blocks wait for each other's flags, sorts, searches.
#[test]
fn block_and_warp_primitives_compute_what_the_gpu_did() {
    assert_short("primitives", 200_000, 13);
}

/// Groups of lanes by their labels, virtual functions, recursion, barriers and copies of the standard library.
#[test]
fn modern_idioms_compute_what_the_gpu_did() {
    assert_short("idioms", 300_000, 7);
}

/// Triton's pipelines of copies, products of warpgroups and tensor maps, Numba, clang's tables of jumps.
#[test]
fn kernels_of_other_compilers_compute_what_the_gpu_did() {
    assert_short("compilers", 80_000, 33);
}

/// Looks at the cases of a suite of at most so many warp instructions, which are so many.
fn assert_short(suite: &'static str, most: u64, count: usize) {
    let program = listing(&format!("traces/h200/{suite}.sass"));
    let mut short = cases(suite);
    short.retain(|case| case.warp_instructions().is_some_and(|count| count <= most));
    assert_eq!(short.len(), count);
    let done = interpret_others(&[], suite, &program, short, Counted::Freely);
    let wrong: Vec<String> = done.into_iter().filter_map(|case| case.difference).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn so_does_every_long_case() {
    if long_tests() {
        assert_long("suite", 151);
        assert_long("micro", 112);
    }
}

/// What is wrong with a simulated run: its buffers, or the number of its instructions.
fn simulated_difference(run: &Run) -> Option<String> {
    let ours = run.counters.as_ref().map(|counters| counters.sm.instructions.warp);
    let theirs = run.case.warp_instructions();
    let counted = theirs.is_none() || theirs == ours;
    let miscounted = || format!("{}: {ours:?} warp instructions, the hardware {theirs:?}", run.case.name);
    run.fault().or_else(|| (!counted).then(miscounted))
}

/// Looks at the quick cases: those that the sweep simulated there, the others on the interpreter. The hardware counted the
/// instructions of some of them.
fn assert_quick(suite: &str, count: usize, counted: usize) {
    let runs: Vec<&Run> = MACHINE_CODE.iter().filter(|run| run.comparison.suite == suite).collect();
    let others = interpreted::MACHINE_CODE.iter().filter(|case| case.suite == suite);
    let others: Vec<&Interpreted> = others.collect();
    let wrong = runs.iter().filter_map(|run| simulated_difference(run));
    let wrong: Vec<String> = wrong.chain(others.iter().filter_map(|case| case.difference.clone())).collect();
    assert_eq!(wrong, [""; 0]);
    let known = quick(suite).iter().filter(|case| case.warp_instructions().is_some()).count();
    assert_eq!((runs.len() + others.len(), known), (count, counted));
}

/// Looks at the cases that are not quick, on the interpreter.
fn assert_long(suite: &'static str, count: usize) {
    let program = listing(&format!("traces/h200/{suite}.sass"));
    let long: Vec<Case> = cases(suite).into_iter().filter(|case| !case.is_quick()).collect();
    assert_eq!(long.len(), count);
    let done = interpret_others(&[], suite, &program, long, Counted::AsOnHardware);
    let wrong: Vec<String> = done.into_iter().filter_map(|case| case.difference).collect();
    assert_eq!(wrong, [""; 0]);
}
