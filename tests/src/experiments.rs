//! Experiments as tests run them: files and machines of the project, results in memory.

use crate::{project_file, read};
use std::path::Path;
use std::sync::Mutex;
use warplab_config::{DescriptionKind, GpuConfig, apply_override, load_gpu};
use warplab_diagnostics::{Source, render};
use warplab_lab::experiment::{ExperimentOptions, ExperimentReport, Host, Results, load, run};
use warplab_run::Fault;

fn bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(path).map_err(|error| Fault::input(format!("{}: {error}", path.display())))
}

fn program(path: &Path) -> Result<Source, Fault> {
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    Ok(Source::new(path.display().to_string(), text))
}

fn machine(name: &str, changes: &[String]) -> Result<GpuConfig, Fault> {
    let mut source = Source::new(name, read(&format!("configs/gpus/{name}.ron")));
    for change in changes {
        let change = Source::new("a change", change.as_str());
        source = apply_override(&source, DescriptionKind::Gpu, &change)
            .map_err(|faults| Fault::Diagnostics(change, faults))?;
    }
    load_gpu(&source).map_err(|faults| Fault::Diagnostics(source, faults))
}

/// Runs the text of an experiment as if it stood in `configs/experiments`; gives the lines for a results file too.
///
/// # Errors
/// What is wrong with the text or with a point.
pub fn run_text(text: &str, known: &Results, changes: &[&str]) -> Result<(ExperimentReport, String), Fault> {
    let experiment = load(&Source::new("test.ron", text))?;
    let host = Host { read: &bytes, program: &program, machine: &machine, version: "test", interrupt: None };
    let options = ExperimentOptions {
        changes: changes.iter().map(|&change| change.to_owned()).collect(),
        ..ExperimentOptions::default()
    };
    let lines = Mutex::new(String::new());
    let folder = project_file("configs/experiments");
    let report = run(&experiment, &folder, &host, known, &options, &|finished| {
        lines.lock().expect("no thread failed").push_str(finished.line);
    })?;
    Ok((report, lines.into_inner().expect("no thread failed")))
}

/// Runs an experiment of the project.
#[must_use]
pub fn run_shipped(name: &str) -> ExperimentReport {
    let text = read(&format!("configs/experiments/{name}.ron"));
    match run_text(&text, &Results::default(), &[]) {
        Ok((report, _)) => report,
        Err(Fault::Diagnostics(source, faults)) => panic!("{name}: {}", render(&source, &faults)),
        Err(fault) => panic!("{name}: {fault}"),
    }
}
