//! Checkpoints as a person uses them: a run stops, writes its state, and goes on from it.

use crate::common::{fresh_folder, status, stderr, stdout, warplab};
use std::fs;
use std::path::PathBuf;

/// Kernels that print, before and after the checkpoint.
const PRINTS: &str = "../../../../traces/isa/runtime.sass --kernel ways --grid 1 --block 64 --gpu toy \
                      --arg buffer:out:8KiB:zero --arg buffer:in:16KiB:zero --arg u32:3";

/// The checkpoint of a launch at a cycle.
fn written(name: &str, launch: &str, cycle: u64) -> PathBuf {
    let file = fresh_folder(&format!("checkpoint_{name}")).join("state");
    let ran = warplab(&format!("run {launch} --until {cycle} --checkpoint {}", file.display())).success();
    let go_on = format!("the same command with --resume {} goes on\n", file.display());
    assert!(stderr(&ran).ends_with(&go_on), "{}", stderr(&ran));
    file
}

/// What is said of a checkpoint that cannot be used.
fn refused(options: &str, file: &str) -> String {
    stderr(&warplab(&format!("run {options} --resume {file}")).code(2).stdout_eq(""))
}

#[test]
fn a_resumed_run_prints_the_same_bytes_as_one_that_was_not_interrupted() {
    for (name, launch, cycle) in
        [("scale", "scale.ron", 100), ("several", "several.ron", 300), ("prints", PRINTS, 500)]
    {
        let file = written(name, launch, cycle);
        let whole = warplab(&format!("run {launch} --section all --json -"));
        let resumed = warplab(&format!("run {launch} --section all --json - --resume {}", file.display()));
        assert_eq!(stdout(&resumed), stdout(&whole), "{name}");
        assert_eq!((stderr(&resumed), status(&resumed)), (stderr(&whole), status(&whole)), "{name}");
    }
}

#[test]
fn a_resumed_run_may_stop_again() {
    let first = written("first", "several.ron", 100);
    let second = written("second", &format!("several.ron --resume {}", first.display()), 400);
    let resumed = warplab(&format!("run several.ron --resume {}", second.display())).success();
    assert_eq!(stdout(&resumed), stdout(&warplab("run several.ron").success()));
}

#[test]
fn a_run_that_stops_reports_what_ran_so_far() {
    let file = fresh_folder("checkpoint_partial").join("state");
    let ran = warplab(&format!("run scale.ron --until 100 --checkpoint {}", file.display())).success();
    assert!(!stdout(&ran).contains("expectation"), "{}", stdout(&ran));
    let note =
        "stopped at cycle 100: the numbers are of a part of the launch, expectations were not checked; ";
    assert!(stderr(&ran).starts_with(note), "{}", stderr(&ran));
}

#[test]
fn a_run_that_ends_before_the_cycle_writes_no_checkpoint() {
    let file = fresh_folder("checkpoint_late").join("state");
    warplab(&format!("run scale.ron --until 5000 --checkpoint {}", file.display()))
        .code(1)
        .stderr_eq("the run ended at cycle 278, before --until 5,000: no checkpoint was written\n");
    assert!(!file.exists());
}

#[test]
fn a_cycle_needs_a_file_for_the_checkpoint() {
    let said = stderr(&warplab("run scale.ron --until 100").code(2));
    assert!(said.contains("--checkpoint <FILE>"), "{said}");
}

#[test]
fn a_checkpoint_of_another_machine_or_launch_is_refused() {
    let file = written("other", "scale.ron", 100).display().to_string();
    let launch = "scale.ptx --grid 1 --block 64 --arg buffer:x:256:zero --arg f32:2 --gpu toy";
    for other in ["scale.ron --gpu h200", "scale.ron --scheduler gto", "several.ron", launch] {
        assert_eq!(
            refused(other, &file),
            "error: the checkpoint belongs to another machine or other launches: give the same files and options as \
             for the run that wrote it\n"
        );
    }
}

#[test]
fn a_checkpoint_of_another_version_is_refused() {
    let file = written("version", "scale.ron", 100);
    let mut bytes = fs::read(&file).unwrap();
    // Magic and length of the version stand before it.
    bytes[24] = b'9';
    fs::write(&file, bytes).unwrap();
    let said = refused("scale.ron", &file.display().to_string());
    assert!(said.starts_with("error: the checkpoint was written by warplab 9.1.0 "), "{said}");
    assert!(said.contains(", this is warplab 0.1.0 ") && said.ends_with(": run the launch anew\n"), "{said}");
}

#[test]
fn a_truncated_checkpoint_is_refused() {
    let file = written("truncated", "scale.ron", 100);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(
        refused("scale.ron", &file.display().to_string()),
        "error: the checkpoint is damaged: its bytes have changed or some are missing\n"
    );
}

#[test]
fn another_file_is_refused() {
    assert_eq!(refused("scale.ron", "scale.ptx"), "error: this is no checkpoint of warplab\n");
    assert!(refused("scale.ron", "missing").starts_with("error: missing cannot be read: "));
}

#[test]
fn a_run_cannot_stop_before_its_checkpoint() {
    let file = written("before", "scale.ron", 100).display().to_string();
    assert_eq!(
        refused(&format!("scale.ron --until 50 --checkpoint {file}.2"), &file),
        "error: the checkpoint stands at cycle 100: the cycle at which to stop, 50, must be later\n"
    );
}
