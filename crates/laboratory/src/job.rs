//! A set-up, ready to run.

use crate::files::{DEFAULT_MACHINE, Files, plain};
use crate::request::SetUp;
use std::path::{Path, PathBuf};
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::launch::{Argument, Dimensions, LaunchStep};
use warplab_config::{GpuConfig, Launch, load_launch};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_program::Program;
use warplab_run::{CompileOptions, Fault, KernelLaunch, Sequence, check_cluster, read_program};

/// A set-up, ready to run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) config: GpuConfig,
    pub(crate) launch: Launch,
    /// The folder that paths of the launch are relative to.
    pub(crate) folder: PathBuf,
    /// The text of the program.
    pub(crate) source: Source,
    pub(crate) program: Program,
    /// The files of the high-level source, as the program counts them; without those that are not at hand.
    pub(crate) texts: Vec<Option<Source>>,
    /// The launches in order.
    pub(crate) steps: Vec<JobLaunch>,
    /// All arguments, each once: they declare the buffers.
    pub(crate) declarations: Vec<Argument>,
}

/// One launch of a job.
#[derive(Clone, Debug)]
pub(crate) struct JobLaunch {
    pub(crate) kernel: String,
    pub(crate) shape: LaunchShape,
    pub(crate) arguments: Vec<Argument>,
}

impl Job {
    /// Reads launch, machine and program.
    pub(crate) fn read(files: Files<'_>, setup: &SetUp) -> Result<Job, Fault> {
        let path = Path::new(&setup.launch);
        let source = files.source(path)?;
        let launch = load_launch(&source).map_err(|faults| Fault::Diagnostics(source, faults))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let config = files.machine(&machine_name(&launch, &folder, setup)?, &changes(&launch, setup)?)?;
        if let Some(message) = warplab_gpu::machine_fault(&config) {
            return Err(Fault::input(message));
        }
        let program_path = folder.join(&launch.program);
        let source = files.source(&program_path)?;
        let program = compile(&program_path, &source, &config, &launch)?;
        let steps = launch.steps().into_iter().map(step).collect::<Result<Vec<JobLaunch>, Fault>>()?;
        for step in &steps {
            if let Some(refused) = program.refusal(&step.kernel) {
                return Err(Fault::Diagnostics(source, refused.faults()));
            }
        }
        let declarations = launch.argument_lists().concat();
        let folders = [program_path.parent().unwrap_or(Path::new("")), &folder];
        let texts = program.files.iter().map(|file| source_file(files, file, folders)).collect();
        Ok(Job { config, launch, folder, source, program, texts, steps, declarations })
    }

    /// The launches as the simulator takes them.
    pub(crate) fn launches<'a>(&'a self) -> Vec<KernelLaunch<'a>> {
        let launch = |step: &'a JobLaunch| KernelLaunch {
            kernel: &step.kernel,
            shape: step.shape,
            arguments: &step.arguments,
        };
        self.steps.iter().map(launch).collect()
    }

    /// The launches on their data.
    pub(crate) fn sequence<'a>(&'a self, launches: &'a [KernelLaunch<'a>]) -> Sequence<'a> {
        Sequence {
            program: &self.program,
            launches,
            declarations: &self.declarations,
            buffers: &self.launch.buffers,
            symbols: &self.launch.symbols,
        }
    }
}

/// A file of the high-level source, where it is at hand: under its own path, or in one of these folders.
fn source_file(files: Files<'_>, file: &str, folders: [&Path; 2]) -> Option<Source> {
    let path = Path::new(file);
    let beside = path.file_name().map(|name| folders.map(|folder| folder.join(name)));
    let paths = std::iter::once(path.to_path_buf()).chain(beside.into_iter().flatten());
    paths.into_iter().find_map(|path| files.source(&path).ok())
}

/// The name of the machine: the person's, the launch's, or the default. A launch may name one by its path.
pub(crate) fn machine_name(launch: &Launch, folder: &Path, setup: &SetUp) -> Result<String, Fault> {
    let name = setup.gpu.as_deref().or(launch.gpu.as_deref()).unwrap_or(DEFAULT_MACHINE);
    if !name.ends_with(".ron") {
        return Ok(name.to_owned());
    }
    let path = plain(&folder.join(name));
    let inside = path.strip_prefix("gpus/").and_then(|name| name.strip_suffix(".ron"));
    inside.map(str::to_owned).ok_or_else(|| Fault::input(format!("{path} is no file of gpus")))
}

/// The changes of the machine: the launch's, then the person's.
fn changes(launch: &Launch, setup: &SetUp) -> Result<Vec<String>, Fault> {
    let mut changes = launch.changes();
    changes.extend(setup.set.iter().cloned());
    if let Some(option) = &setup.scheduler {
        let policy = SchedulerPolicy::from_option(option);
        let unknown = || format!("no scheduler is named '{option}'");
        let policy = policy.map_err(|fault| Fault::input(fault.unwrap_or_else(unknown)))?;
        changes.push(format!("multiprocessor.scheduler={}", policy.text()));
    }
    Ok(changes)
}

fn compile(path: &Path, source: &Source, config: &GpuConfig, launch: &Launch) -> Result<Program, Fault> {
    let options = CompileOptions {
        contracts: launch.fmad.unwrap_or(true),
        cluster: launch.cluster.map(Dimensions::array),
        ..CompileOptions::default()
    };
    let one = launch.steps().iter().all(|step| step.kernel == launch.kernel);
    let read = read_program(path, source, config, options, &|names| {
        Ok(names.iter().copied().find(|name| one && *name == launch.kernel))
    })?;
    let kernels = launch.steps().into_iter().filter_map(|step| read.program.kernel(step.kernel));
    kernels.into_iter().try_for_each(|kernel| check_cluster(kernel, options.cluster))?;
    Ok(read.program)
}

fn step(step: LaunchStep<'_>) -> Result<JobLaunch, Fault> {
    let bytes = step.dynamic_shared_bytes.0;
    let shared = u32::try_from(bytes);
    let shared = shared.map_err(|_| Fault::input(format!("{bytes} bytes of shared memory are too many")))?;
    let (grid, block) = (step.grid, step.block);
    Ok(JobLaunch {
        kernel: step.kernel.to_owned(),
        shape: LaunchShape {
            grid: [grid.0, grid.1, grid.2],
            block: [block.0, block.1, block.2],
            dynamic_shared_bytes: shared,
        },
        arguments: step.arguments.to_vec(),
    })
}
