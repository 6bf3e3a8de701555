//! Clusters of blocks whose size only the launch gives.

use crate::common::{fresh_folder, stderr, stdout, warplab};
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;

const HARDWARE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/h200");
const LAUNCH: &str = "--kernel k_ring_bulk --grid 4 --block 256 --arg buffer:in:327680:hash_i32 \
                      --arg buffer:out:4096:zero --arg i32:20";

/// The kernels of the suite in clusters without the lines that say how large these are.
fn without_sizes(extension: &str, test: &str) -> PathBuf {
    let text = std::fs::read_to_string(format!("{HARDWARE}/clusters.{extension}")).unwrap();
    let says = |line: &str| {
        [".explicitcluster", ".reqnctapercluster", ".cluster"].iter().any(|word| line.starts_with(word))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !says(line)).collect();
    let file = fresh_folder(&format!("launch_clusters_{test}")).join(format!("bare.{extension}"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    file
}

/// The cycles of a run, and a hash of what its kernel has written.
fn ran(line: &str, name: &str) -> (u64, u64) {
    let saved = fresh_folder(&format!("launch_clusters_{name}")).join("out.bin");
    let ran = warplab(&format!("run {line} --json - --save out={}", saved.display())).success();
    let json: serde_json::Value = serde_json::from_str(&stdout(&ran)).unwrap();
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(saved).unwrap());
    (json["counters"]["elapsed_cycles"].as_u64().unwrap(), hasher.finish())
}

#[test]
fn a_size_that_the_launch_gives_is_as_good_as_one_in_ptx() {
    let said = ran(&format!("{HARDWARE}/clusters.ptx --isa ptx {LAUNCH}"), "ptx_said");
    let bare = without_sizes("ptx", "ptx_bare");
    assert_eq!(ran(&format!("{} --isa ptx {LAUNCH} --cluster 4", bare.display()), "ptx_given"), said);
}

#[test]
fn a_size_that_the_launch_gives_is_as_good_as_one_in_machine_code() {
    let said = ran(&format!("{HARDWARE}/clusters.sass {LAUNCH}"), "sass_said");
    let bare = without_sizes("sass", "sass_bare");
    assert_eq!(ran(&format!("{} {LAUNCH} --cluster 4", bare.display()), "sass_given"), said);
}

#[test]
fn a_launch_file_gives_the_size_too() {
    let bare = without_sizes("ptx", "file_bare");
    let file = bare.with_file_name("launch.ron");
    let text = "(program: \"bare.ptx\", kernel: \"k_ring_bulk\", grid: (4, 1, 1), block: (256, 1, 1), cluster: (4, 1, 1),\n \
                arguments: [buffer(name: \"in\", size: 327680, init: hash_i32(0)), buffer(name: \"out\", size: 4096, init: zero), \
                i32(20)])\n";
    std::fs::write(&file, text).unwrap();
    let said = ran(&format!("{HARDWARE}/clusters.ptx --isa ptx {LAUNCH}"), "file_said");
    assert_eq!(ran(&format!("{} --isa ptx", file.display()), "file_given"), said);
}

#[test]
fn another_size_than_the_kernel_says_is_refused() {
    let told =
        stderr(&warplab(&format!("run {HARDWARE}/clusters.ptx --isa ptx {LAUNCH} --cluster 2")).code(2));
    assert_eq!(
        told,
        "error: kernel 'k_ring_bulk' is compiled for clusters of 4 x 1 x 1 blocks, and the launch asks for 2 x 1 x 1; \
         leave its cluster out\n"
    );
}

#[test]
fn a_grid_that_is_not_made_of_clusters_is_refused() {
    let bare = without_sizes("sass", "wrong_bare");
    let told = stderr(&warplab(&format!("run {} {LAUNCH} --cluster 3", bare.display())).code(2));
    assert_eq!(
        told,
        "error: k_ring_bulk: a grid of 4 x 1 x 1 blocks is not made of clusters of 3 x 1 x 1; make it a multiple in each \
         direction\n"
    );
}
