//! Host instructions per warp instruction, as valgrind counts them: the same on every run, whatever else the host does.

use crate::baseline::{Baseline, HostInstructions};
use crate::launch::{ALL_SMS, machine, measured_launch, program, warp_instructions};
use crate::work::{KINDS, WorkKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use warplab_config::GpuConfig;
use warplab_gpu::{RunOptions, TimelineRecording};
use warplab_program::Program;
use warplab_tests::{Case, case_named, cases};

/// How much more may be counted than the baseline has, in per cent.
const TOLERANCE: f64 = 5.0;

/// How much more a launch may take that is recorded on one multiprocessor, in per cent.
const RECORD: f64 = 20.0;

/// The kinds that are recorded, too, and up to which cycle. The blocks of the first two fill the machine, of which one
/// multiprocessor is recorded to the end; the third has few blocks, so that a window of it is recorded.
const RECORDED: [(&str, u64); 3] = [("blocks", u64::MAX), ("streaming", u64::MAX), ("compute", 2_000)];

/// What the counted process says.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    /// What the processor can do, as valgrind shows it: the simulator chooses its code by it.
    features: Vec<String>,
    /// The warp instructions of each launch, in the order of [`launches`].
    warp_instructions: Vec<u64>,
}

/// A kind of work, and up to which cycle it is recorded, if it is.
type Counted = (&'static WorkKind, Option<u64>);

/// What is counted: every kind, then those that are recorded.
fn launches() -> Vec<Counted> {
    let named = |name| KINDS.iter().find(move |kind| kind.name == name);
    let recorded = RECORDED.iter().filter_map(|&(name, to)| Some((named(name)?, Some(to))));
    KINDS.iter().map(|kind| (kind, None)).chain(recorded).collect()
}

/// Counts all kinds, prints them beside the baseline, and puts them into it. Whether none has too many.
pub(crate) fn measure(baseline: &mut Baseline, saves: bool) -> Result<bool, String> {
    let folder = env::temp_dir().join(format!("warplab-speed-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let counted = count(&folder);
    let removed = fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()));
    let (counted, recorded) = counted?;
    removed?;
    let comparable = counted.features == baseline.host_instructions.features;
    let known =
        if comparable { baseline.host_instructions.per_warp_instruction.clone() } else { BTreeMap::new() };
    println!("{:<48} {:>13} {:>9} {:>7}", "host instructions per warp instruction", "", "baseline", "%");
    let mut fine = true;
    for (name, &count) in &counted.per_warp_instruction {
        let before = known.get(name).copied();
        let change = before.map(|before| 100.0 * (count / before - 1.0));
        let text =
            |value: Option<f64>, digits| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
        let verdict = change.map_or("", |change| match change {
            change if change > TOLERANCE => "  MORE than may be",
            change if change < -TOLERANCE => "  less: --save it",
            _ => "",
        });
        println!("{name:<48} {count:>13.1} {:>9} {:>7}{verdict}", text(before, 1), text(change, 2));
        fine &= change.is_none_or(|change| change <= TOLERANCE);
    }
    let recording_is_fine = compare_recorded(&recorded, &counted.per_warp_instruction);
    if !comparable && !saves {
        let (here, there) = (counted.features.join(" "), baseline.host_instructions.features.join(" "));
        println!("not compared: the baseline was counted with '{there}', this processor has '{here}'");
    }
    baseline.host_instructions = counted;
    Ok((fine || saves) && recording_is_fine)
}

/// Prints the launches that were recorded beside those that were not. Whether recording costs no more than it may.
fn compare_recorded(recorded: &BTreeMap<String, f64>, plain: &BTreeMap<String, f64>) -> bool {
    let mut fine = true;
    for (name, count) in recorded {
        let Some(plain) = plain.get(name) else { continue };
        let more = 100.0 * (count / plain - 1.0);
        let verdict = if more > RECORD { "  MORE than may be" } else { "" };
        println!("{:<48} {count:>13.1} {plain:>9.1} {more:>7.2}{verdict}", format!("{name}, recorded"));
        fine &= more <= RECORD;
    }
    fine
}

/// Runs this program in valgrind, which writes a file after each launch.
fn count(folder: &Path) -> Result<(HostInstructions, BTreeMap<String, f64>), String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--collect-atstart=no"])
        .args(["--toggle-collect=*measured_launch*", "--dump-after=*counted_launch*"])
        .arg(format!("--callgrind-out-file={}/out", folder.display()))
        .arg(program)
        .arg("--counted")
        .env("RAYON_NUM_THREADS", "1")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            format!("valgrind cannot be started ({error}); it is a package of every distribution")
        })?;
    if !output.status.success() {
        return Err("the launches did not run in valgrind".to_owned());
    }
    let report: Report = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let (mut per_warp_instruction, mut recorded) = (BTreeMap::new(), BTreeMap::new());
    for (number, ((kind, recorded_to), warp)) in launches().iter().zip(&report.warp_instructions).enumerate()
    {
        let total = total(&folder.join(format!("out.{}", number + 1)))?;
        let tenths = (10.0 * total as f64 / *warp as f64).round();
        let counts = if recorded_to.is_some() { &mut recorded } else { &mut per_warp_instruction };
        counts.insert(kind.name.to_owned(), tenths / 10.0);
    }
    Ok((HostInstructions { features: report.features, per_warp_instruction }, recorded))
}

/// The sum of a file of callgrind.
fn total(path: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("totals:").or(line.strip_prefix("summary:")));
    let number = line.and_then(|line| line.trim().parse().ok());
    number.ok_or_else(|| format!("{} has no sum", path.display()))
}

/// Runs the first blocks of every kind and prints their warp instructions.
pub(crate) fn child() -> Result<(), String> {
    let config = machine(ALL_SMS)?;
    let mut counts = Vec::new();
    for (kind, recorded_to) in launches() {
        let timeline = recorded_to.map(|to| TimelineRecording { to, ..TimelineRecording::default() });
        let options = RunOptions { timeline, ..RunOptions::default() };
        let mut case = case_named(&cases(kind.suite), kind.counted).clone();
        // The launch alone: what the profiler leaves in level two takes as long for a few blocks as for all.
        (case.shape.grid, case.left_dirty) = (kind.blocks, 0);
        let program = program(kind.suite, &case.kernel, &config)?;
        counts.push(counted_launch(&case, &config, &program, options)?);
    }
    let report = Report { features: features(), warp_instructions: counts };
    println!("{}", serde_json::to_string(&report).map_err(|error| error.to_string())?);
    Ok(())
}

/// Runs a launch; gives its warp instructions. Valgrind writes its file when this ends.
#[inline(never)]
fn counted_launch(
    case: &Case,
    config: &GpuConfig,
    program: &Program,
    options: RunOptions<'_>,
) -> Result<u64, String> {
    let simulated = measured_launch(case, config, program, options).map_err(|fault| fault.to_string())?;
    Ok(warp_instructions(&simulated))
}

/// The wider instructions that code may be chosen by.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<String> {
    let known = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    let here = known.into_iter().filter(|(_, is_here)| *is_here).map(|(name, _)| name.to_owned());
    ["x86_64".to_owned()].into_iter().chain(here).collect()
}

/// Other processors: what the compiler was told.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<String> {
    vec![env::consts::ARCH.to_owned()]
}
