//! The hardware reference as tests see it: cases, metrics, and how one is run.

pub mod differences;
pub mod experiments;
pub mod interpreted;
pub mod mutation;
pub mod sweep;

use std::path::PathBuf;
use warplab_config::GpuConfig;
use warplab_config::launch::Argument;
use warplab_diagnostics::Source;
use warplab_exec::MemoryImage;
use warplab_gpu::RunOptions;
use warplab_lab::pool::{self, Limits, Need};
use warplab_program::Program;
use warplab_run::CompileOptions;

/// A file of the project.
#[must_use]
pub fn project_file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The text of a file of the project.
#[must_use]
pub fn read(path: &str) -> String {
    std::fs::read_to_string(project_file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A machine of `configs/gpus`.
#[must_use]
pub fn gpu(name: &str) -> GpuConfig {
    let path = format!("configs/gpus/{name}.ron");
    let source = Source::new(path.clone(), read(&path));
    warplab_config::load_gpu(&source)
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)))
}

pub use warplab_lab::reference::Case;
pub use warplab_run::{LoadedWorkload, Simulated};

/// The cases of one suite (`suite`, `micro` or `atomics`).
#[must_use]
pub fn cases(suite: &str) -> Vec<Case> {
    let source = |path: String| Source::new(path.clone(), read(&path));
    let (launches, metrics) =
        (format!("traces/h200/{suite}.cases.jsonl"), format!("traces/h200/{suite}.metrics.csv"));
    warplab_lab::reference::read(&source(launches), &source(metrics))
        .unwrap_or_else(|fault| panic!("{fault}"))
}

/// The checksums of all buffers of a case, in the order of its arguments.
#[must_use]
pub fn buffer_checksums(case: &Case, image: &MemoryImage) -> Vec<(u64, u64)> {
    let names = case.arguments.iter().filter_map(|argument| match argument {
        Argument::Buffer { name, .. } => Some(name),
        _ => None,
    });
    let buffers = names.filter_map(|name| image.buffer(name));
    buffers.map(|buffer| image.checksum(buffer, 0..buffer.words())).collect()
}

/// Runs a case on a machine.
///
/// # Errors
/// Why it did not run to its end.
pub fn simulate(config: &GpuConfig, program: &Program, case: &Case) -> Result<Simulated, String> {
    case.simulate(config, program, RunOptions::default()).map_err(|fault| fault.to_string())
}

/// The program of a suite, as the simulator's own compiler makes it from the PTX for a machine.
#[must_use]
pub fn suite_program(config: &GpuConfig, suite: &str) -> Program {
    compile(config, &format!("traces/h200/{suite}.ptx"))
}

/// The same without a kernel that the simulator does not know.
#[must_use]
pub fn suite_program_without(config: &GpuConfig, suite: &str, kernel: &str) -> Program {
    let path = format!("traces/h200/{suite}.ptx");
    let source = Source::new(&path, read(&path));
    let parsed = warplab_ptx::parse(&source);
    let wanted = |name: &str| name != kernel;
    let (lowered, _) =
        warplab_run::compile_some(&parsed, &source, config, CompileOptions::default(), &wanted)
            .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)));
    assert!(lowered.program.refused.is_empty());
    lowered.program
}

/// A PTX file of the project, compiled for a machine.
#[must_use]
pub fn compile(config: &GpuConfig, path: &str) -> Program {
    let source = Source::new(path, read(path));
    let (lowered, _) = warplab_run::compile(&source, config, CompileOptions::default())
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)));
    lowered.program
}

/// A listing of the project.
#[must_use]
pub fn listing(path: &str) -> Program {
    let (program, faults) = warplab_program::listing::read(&Source::new(path, read(path)));
    assert_eq!(faults, [], "{path}");
    program
}

/// The case with this name of a list.
#[must_use]
pub fn case_named<'a>(cases: &'a [Case], name: &str) -> &'a Case {
    cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
}

/// Whether the long tests run too: the environment variable `WARPLAB_LONG` is set to 1.
#[must_use]
pub fn long_tests() -> bool {
    std::env::var("WARPLAB_LONG").is_ok_and(|value| value == "1")
}

/// Runs `work` on every case; gives the results in order.
pub fn on_all<T: Send>(cases: &[Case], work: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    on_all_of(cases, Case::need, work)
}

/// Does the same with anything of which `need` says what it needs.
pub fn on_all_of<I: Sync, T: Send>(
    items: &[I],
    need: impl Fn(&I) -> Need,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    pool::on_all(items, Limits::default(), need, work)
}

/// Compares a text with a file of the project; writes the file instead where `WARPLAB_BLESS` is 1.
pub fn assert_golden(path: &str, text: &str) {
    if std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(project_file(path), text).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    assert_eq!(read(path), text, "{path} differs; WARPLAB_BLESS=1 writes it anew");
}
