//! One launch of a lab, with the student's changes.

use super::text;
use std::path::{Path, PathBuf};
use warplab_config::lab::LabRun;
use warplab_config::launch::{Argument, Dimensions, Size, parse_argument};
use warplab_config::{GpuConfig, Launch, load_launch};
use warplab_diagnostics::nearest_name;
use warplab_exec::LaunchShape;
use warplab_gpu::{RunOptions, TimelineRecording};
use warplab_lower::{Pass, PassSet};
use warplab_program::Program;
use warplab_run::{
    Checked, CompileOptions, Fault, ReadFile, Simulated, Workload, buffer_bytes, check_expectations,
    only_one, read_program, simulate,
};

/// A machine by name, with changes `PATH=VALUE`.
pub type MachineOf<'a> = &'a (dyn Fn(&str, &[String]) -> Result<GpuConfig, Fault> + Sync);

/// Where a lab finds things.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// The files of the lab, relative to its folder.
    pub lab: ReadFile<'a>,
    /// The student's files, relative to the student's folder.
    pub student: ReadFile<'a>,
    /// The machines.
    pub machine: MachineOf<'a>,
}

/// A launch that has run to its end.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) config: GpuConfig,
    pub(super) program: Program,
    pub(super) kernel: String,
    pub(super) shape: LaunchShape,
    pub(super) simulated: Simulated,
    pub(super) checked: Vec<Checked>,
}

/// The launch that a run names, and the path of its program.
pub(super) fn launch(run: &LabRun, read: ReadFile<'_>) -> Result<(Launch, PathBuf), Fault> {
    let path = Path::new(&run.launch);
    let source = text(read, path)?;
    let launch = load_launch(&source).map_err(|faults| Fault::Diagnostics(source, faults))?;
    only_one(&launch, path)?;
    let program = path.parent().unwrap_or(Path::new("")).join(&launch.program);
    Ok((launch, program))
}

/// Bytes of all buffers of a run; none where its launch cannot be read, which [`execute`] reports.
pub(super) fn memory_bytes(run: &LabRun, bench: Bench<'_>) -> u64 {
    launch(run, bench.lab).map_or(0, |(launch, _)| buffer_bytes(&launch.arguments, &launch.buffers))
}

/// What a student has chosen for one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choices {
    pub(super) warps: Option<u32>,
    pub(super) arguments: Vec<(u32, u32)>,
    pub(super) shared_bytes: Option<u32>,
    pub(super) scheduler: Option<String>,
}

/// Whether a run is of a program that the student is to change and has not changed yet.
pub(super) fn is_unchanged(run: &LabRun, bench: Bench<'_>) -> bool {
    let Some(copy) = &run.copy else { return false };
    let original = launch(run, bench.lab).and_then(|(_, path)| (bench.lab)(&path));
    // A copy that cannot be read is no unchanged one: the run says what is wrong with it.
    original.is_ok_and(|original| (bench.student)(Path::new(copy)).is_ok_and(|copy| copy == original))
}

/// Runs a launch of a lab with what the student chose.
pub(super) fn execute(run: &LabRun, choices: &Choices, bench: Bench<'_>) -> Result<Ran, Fault> {
    let (mut launch, original) = launch(run, bench.lab)?;
    change(&mut launch, run, choices)?;
    let config = config(&launch, run, choices, bench)?;
    let source = match &run.copy {
        Some(copy) => text(bench.student, Path::new(copy))?,
        None => text(bench.lab, &original)?,
    };
    let options = CompileOptions {
        run: passes(run)?,
        contracts: launch.fmad.unwrap_or(true),
        cluster: launch.cluster.map(Dimensions::array),
        ..CompileOptions::default()
    };
    let path = run.copy.as_ref().map_or(original.as_path(), Path::new);
    let program = read_program(path, &source, &config, options, &|names| {
        Ok(names.iter().copied().find(|name| *name == launch.kernel))
    })?
    .program;
    if let Some(refused) = program.refusal(&launch.kernel) {
        return Err(Fault::Diagnostics(source, refused.faults()));
    }
    let shape = shape(&launch, choices.warps.or(run.warps), config.limits.warp_lanes)?;
    let workload = Workload {
        program: &program,
        kernel: &launch.kernel,
        shape,
        arguments: &launch.arguments,
        buffers: &launch.buffers,
        symbols: &launch.symbols,
    };
    let options = RunOptions {
        max_cycles: launch.max_cycles.unwrap_or(0),
        timeline: Some(TimelineRecording::default()),
        ..RunOptions::default()
    };
    let simulated = simulate(&config, &workload, bench.lab, options)?;
    let checked = check_expectations(&launch.expectations, &simulated.image, bench.lab)?;
    Ok(Ran { config, program, kernel: launch.kernel, shape, simulated, checked })
}

/// The launch as the run and the student want it.
fn change(launch: &mut Launch, run: &LabRun, choices: &Choices) -> Result<(), Fault> {
    if let Some(kernel) = &run.kernel {
        launch.kernel.clone_from(kernel);
    }
    launch.grid = run.grid.unwrap_or(launch.grid);
    if let Some(bytes) = choices.shared_bytes {
        launch.dynamic_shared_bytes = Size(u64::from(bytes));
    }
    let of_run = run.arguments.iter().map(|(number, text)| {
        let argument = parse_argument(text).map_err(Fault::input)?;
        Ok((number.parse::<usize>().unwrap_or(usize::MAX), argument))
    });
    let of_student = choices.arguments.iter().map(|&(at, value)| Ok((at as usize, Argument::U32(value))));
    for changed in of_run.chain(of_student) {
        let (at, argument) = changed?;
        let missing = || Fault::input(format!("{} has no argument {at}", run.launch));
        *launch.arguments.get_mut(at).ok_or_else(missing)? = argument;
    }
    Ok(())
}

/// The machine of a launch, with the changes of the run and the student.
fn config(launch: &Launch, run: &LabRun, choices: &Choices, bench: Bench<'_>) -> Result<GpuConfig, Fault> {
    let gpu = launch.gpu.as_deref();
    let gpu = gpu.ok_or_else(|| Fault::input(format!("{}: a launch of a lab names its gpu", run.launch)))?;
    let mut changes = launch.changes();
    changes.extend(run.set.iter().map(|(path, value)| format!("{path}={value}")));
    changes.extend(choices.scheduler.iter().map(|policy| format!("multiprocessor.scheduler={policy}")));
    (bench.machine)(gpu, &changes)
}

fn shape(launch: &Launch, warps: Option<u32>, lanes: u32) -> Result<LaunchShape, Fault> {
    let (grid, block) = (launch.grid, launch.block);
    let block = match warps {
        Some(warps) => {
            let threads = warps.checked_mul(lanes);
            let too_many =
                || Fault::input(format!("a block of {warps} warps is larger than any machine takes"));
            [threads.ok_or_else(too_many)?, 1, 1]
        }
        None => [block.0, block.1, block.2],
    };
    let bytes = launch.dynamic_shared_bytes.0;
    let shared = u32::try_from(bytes);
    let shared = shared.map_err(|_| Fault::input(format!("{bytes} bytes of shared memory are too many")))?;
    Ok(LaunchShape { grid: [grid.0, grid.1, grid.2], block, dynamic_shared_bytes: shared })
}

fn passes(run: &LabRun) -> Result<PassSet, Fault> {
    let mut passes = PassSet::all();
    for name in &run.without {
        let pass = Pass::from_name(name).filter(|pass| !pass.is_needed()).ok_or_else(|| {
            let known = Pass::ALL.iter().filter(|pass| !pass.is_needed()).map(|pass| pass.name());
            let near = nearest_name(name, known);
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Fault::input(format!("no pass that can be left out is named '{name}'{near}"))
        })?;
        passes = passes.without(pass);
    }
    Ok(passes)
}
