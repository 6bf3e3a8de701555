//! The committed listings of the hardware suites are what their cubins say, where a disassembler is at hand.

use std::path::{Path, PathBuf};
use std::process::Command;
use warplab_program::listing;
use warplab_sass::read_cubin;

/// A file of the hardware reference.
fn trace(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/h200").join(name)
}

/// Reads the cubin with the disassembler that `WARPLAB_NVDISASM` names; `WARPLAB_BLESS=1` writes the listing anew.
fn assert_listing(suite: &str) {
    let Some(tool) = std::env::var_os("WARPLAB_NVDISASM") else { return };
    let cubin = trace(&format!("{suite}.cubin"));
    let output = Command::new(tool).arg("-json").arg(&cubin).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json = String::from_utf8(output.stdout).unwrap();
    let program = match read_cubin(&std::fs::read(&cubin).unwrap(), &json) {
        Ok(program) => program,
        Err(faults) => panic!("{}", faults.iter().map(|fault| format!("{fault}\n")).collect::<String>()),
    };
    let (text, path) = (listing::write(&program), trace(&format!("{suite}.sass")));
    if std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(committed == text, "{} differs; WARPLAB_BLESS=1 writes it anew", path.display());
}

#[test]
fn the_suite() {
    assert_listing("suite");
}

#[test]
fn the_microbenchmarks() {
    assert_listing("micro");
}

#[test]
fn the_atomics() {
    assert_listing("atomics");
}

#[test]
fn the_paths() {
    assert_listing("paths");
}

#[test]
fn the_ordinary_kernels() {
    assert_listing("ordinary");
}

#[test]
fn the_applications() {
    assert_listing("applications");
}

#[test]
fn the_everyday_kernels() {
    assert_listing("everyday");
}

#[test]
fn the_assorted_kernels() {
    assert_listing("assorted");
}

#[test]
fn the_sundry_kernels() {
    assert_listing("sundry");
}

#[test]
fn the_medley_of_kernels() {
    assert_listing("medley");
}

#[test]
fn the_products_of_matrices() {
    assert_listing("matrices");
}

#[test]
fn the_miscellany_of_kernels() {
    assert_listing("miscellany");
}

#[test]
fn the_kernels_of_block_and_warp_primitives() {
    assert_listing("primitives");
}

#[test]
fn the_kernels_in_modern_idioms() {
    assert_listing("idioms");
}

#[test]
fn the_kernels_of_other_compilers() {
    assert_listing("compilers");
}

#[test]
fn the_kernels_in_clusters() {
    assert_listing("clusters");
    assert_listing("clusters/steps");
}

#[test]
fn the_kernels_of_cutlass() {
    assert_listing("cutlass");
}

#[test]
fn the_forms_of_products_of_warpgroups() {
    assert_listing("warpgroup/forms");
}

#[test]
fn the_kernels_with_products_of_warpgroups() {
    assert_listing("warpgroup/kernels");
}

#[test]
fn the_kernels_with_copies_of_boxes() {
    assert_listing("tensor/kernels");
}

#[test]
fn the_programs_with_copies_of_boxes() {
    assert_listing("tensor/programs");
}

#[test]
fn the_kernels_that_were_not_seen_before() {
    let files =
        ["a_reduce", "b_dense", "c_image", "d_text", "e_graph", "f_phys", "g_ml", "h_bits", "i_mixed"];
    for file in files {
        assert_listing(&format!("unseen/{file}"));
    }
}

#[test]
fn the_fences_and_flags() {
    assert_listing("fences/fences");
}

#[test]
fn the_generic_accesses_to_shared_memory() {
    assert_listing("lsu/generic");
}

#[test]
fn the_exchanges_beside_stores() {
    assert_listing("lsu/beside");
}

#[test]
fn the_bursts_of_warps_that_take_turns() {
    assert_listing("lsu/burst");
}

#[test]
fn the_stores_of_blocks_that_starve() {
    assert_listing("core/starving");
}

#[test]
fn the_stores_of_sectors() {
    assert_listing("lsu/sectors");
}

#[test]
fn the_copies_that_sms_share() {
    assert_listing("shares/share");
}

#[test]
fn the_reads_that_sms_share() {
    assert_listing("shares/coalesce");
}

#[test]
fn the_steps_of_products_of_warpgroups() {
    assert_listing("warpgroup/steps");
}
