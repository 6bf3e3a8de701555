//! Warp instructions per second and peak bytes: every run is a process of its own.

use crate::baseline::{Baseline, Speed};
use crate::launch::{Launch, Took};
use serde::{Deserialize, Serialize};
use std::env;
use std::fs;
use std::process::{Command, Stdio};

/// What a run's process says.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    took: Took,
    /// Where the system tells it.
    peak_mib: Option<u64>,
}

/// Runs every launch, prints it beside the baseline, and puts it into the baseline.
pub(crate) fn measure(launches: &[Launch], runs: u8, baseline: &mut Baseline) -> Result<(), String> {
    if launches.is_empty() {
        return Ok(());
    }
    println!(
        "{:<48} {:>13} {:>8} {:>9} {:>9} {:>6} {:>9} {:>9}",
        "launch", "instructions", "seconds", "M/s", "baseline", "ratio", "peak MiB", "baseline"
    );
    for launch in launches {
        let speed = median(launch, runs)?;
        let name = launch.name();
        let before = baseline.speed.insert(name.clone(), speed);
        let million = |speed: Speed| speed.warp_instructions_per_second / 1e6;
        let known = before.map_or("-".to_owned(), |before| format!("{:.3}", million(before)));
        let ratio =
            before.map_or("-".to_owned(), |before| format!("{:.2}", million(speed) / million(before)));
        let mib = |speed: Speed| speed.peak_mib.map_or("-".to_owned(), |mib| mib.to_string());
        println!(
            "{name:<48} {:>13} {:>8.2} {:>9.3} {known:>9} {ratio:>6} {:>9} {:>9}",
            speed.warp_instructions,
            speed.warp_instructions as f64 / speed.warp_instructions_per_second,
            million(speed),
            mib(speed),
            before.map_or("-".to_owned(), mib),
        );
    }
    Ok(())
}

/// The run in the middle of several, by time.
fn median(launch: &Launch, runs: u8) -> Result<Speed, String> {
    let mut reports: Vec<Report> = (0..runs).map(|_| run(launch)).collect::<Result<_, _>>()?;
    reports.sort_by(|a, b| a.took.seconds.total_cmp(&b.took.seconds));
    let Report { took, peak_mib } = reports.swap_remove(reports.len() / 2);
    let warp_instructions_per_second = took.warp_instructions as f64 / took.seconds;
    Ok(Speed { warp_instructions: took.warp_instructions, warp_instructions_per_second, peak_mib })
}

fn run(launch: &Launch) -> Result<Report, String> {
    let text = serde_json::to_string(launch).map_err(|error| error.to_string())?;
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(["--one", &text])
        .env("RAYON_NUM_THREADS", launch.threads.to_string())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{} did not run", launch.name()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Runs a launch and prints what it took.
pub(crate) fn child(text: &str) -> Result<(), String> {
    let launch: Launch = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let report = Report { took: launch.run()?, peak_mib: peak_mib() };
    println!("{}", serde_json::to_string(&report).map_err(|error| error.to_string())?);
    Ok(())
}

/// The most memory that this process had, as Linux tells it.
fn peak_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib.div_ceil(1024))
}
