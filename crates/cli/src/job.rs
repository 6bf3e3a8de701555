//! One or several launches, ready to be simulated: from a launch file, or from a program and flags.

use crate::arguments::{Asked, LaunchArguments, ReadingArguments, Switch};
use crate::failure::Failure;
use crate::machines;
use crate::programs::{self, LoadedProgram, Reading};
use crate::terminal::Terminal;
use crate::{program_text, sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warplab_config::launch::{Argument, BufferSpec, Dimensions, Expectation, LaunchStep};
use warplab_config::{GpuConfig, Launch, load_launch};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_run::{Fault, KernelLaunch, Sequence, check_cluster};
use warplab_units::SmId;

/// What is to be simulated.
#[derive(Debug)]
pub(crate) struct Job {
    /// The program and its text.
    pub(crate) loaded: LoadedProgram,
    /// The launches in order.
    pub(crate) steps: Vec<JobLaunch>,
    /// All arguments of the file, each once: they declare the buffers.
    pub(crate) declarations: Vec<Argument>,
    /// Buffers that no argument declares.
    pub(crate) buffers: Vec<BufferSpec>,
    /// Values for variables of the program.
    pub(crate) symbols: BTreeMap<String, Argument>,
    /// What must hold afterwards.
    pub(crate) expectations: Vec<Expectation>,
    /// The folder that paths are relative to.
    pub(crate) folder: PathBuf,
    /// The files of the high-level source, where they are not looked for: of a run that was kept.
    pub(crate) kept_files: Option<Vec<Option<Source>>>,
    /// The machine.
    pub(crate) config: GpuConfig,
    /// The limit of cycles; 0 for none.
    pub(crate) max_cycles: u64,
}

/// One launch of a job.
#[derive(Clone, Debug)]
pub(crate) struct JobLaunch {
    /// The name of the kernel in the program.
    pub(crate) kernel: String,
    /// Grid, block and dynamic shared memory.
    pub(crate) shape: LaunchShape,
    /// The arguments.
    pub(crate) arguments: Vec<Argument>,
}

impl JobLaunch {
    /// The launch as the laboratory takes it.
    pub(crate) fn launch(&self) -> KernelLaunch<'_> {
        KernelLaunch { kernel: &self.kernel, shape: self.shape, arguments: &self.arguments }
    }
}

impl Job {
    /// The launches as the simulator takes them.
    pub(crate) fn launches(&self) -> Vec<KernelLaunch<'_>> {
        self.steps.iter().map(JobLaunch::launch).collect()
    }

    /// The launches on their data.
    pub(crate) fn sequence<'a>(&'a self, launches: &'a [KernelLaunch<'a>]) -> Sequence<'a> {
        Sequence {
            program: &self.loaded.program,
            launches,
            declarations: &self.declarations,
            buffers: &self.buffers,
            symbols: &self.symbols,
        }
    }

    /// The bytes of a file that the job names.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, Fault> {
        sources::for_lab(&self.folder.join(path))
    }

    /// The multiprocessor of this number.
    pub(crate) fn multiprocessor(&self, number: u16) -> Result<SmId, Failure> {
        let count = self.config.limits.multiprocessors;
        if u32::from(number) < count {
            return Ok(SmId(number));
        }
        Err(Failure::input(format!("there is no multiprocessor {number}; {} has {count}", self.config.name)))
    }

    /// The names of the buffers and of the program's variables in global memory.
    pub(crate) fn buffer_names(&self) -> Vec<&str> {
        let of_arguments = self.declarations.iter().flat_map(Argument::buffers).map(|(name, ..)| name);
        let others = self.buffers.iter().map(|buffer| buffer.name.as_str());
        let globals = self.loaded.program.globals.iter().map(|global| global.name.as_str());
        of_arguments.chain(others).chain(globals).collect()
    }
}

/// The job that a command line asks for.
pub(crate) fn load(arguments: &Asked<'_>, terminal: &mut Terminal) -> Result<Job, Failure> {
    if sources::has_extension(arguments.file, "ron") {
        from_launch(arguments, terminal)
    } else {
        from_program(arguments, terminal)
    }
}

fn from_launch(arguments: &Asked<'_>, terminal: &mut Terminal) -> Result<Job, Failure> {
    let source = sources::read(arguments.file)?;
    let launch = load_launch(&source).map_err(|faults| Failure::Diagnostics(source.clone(), faults))?;
    let flags = arguments.launch;
    let has_data = !flags.arguments.is_empty() || !flags.buffers.is_empty() || !flags.symbols.is_empty();
    if flags.kernel.is_some() || has_data {
        let message = "--kernel, --arg, --buffer and --symbol are for program files; a launch file has its own \
                       kernel and arguments";
        return Err(Failure::input(message));
    }
    let folder = arguments.file.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut changes = launch.changes();
    changes.extend(arguments.machine.all_changes());
    let named = launch.gpu.as_deref().map(|name| relative_machine(name, &folder));
    let gpu = arguments.machine.gpu.clone().or(named).unwrap_or_else(|| machines::DEFAULT.to_owned());
    let config = machine(&gpu, &changes)?;
    let program = folder.join(&launch.program);
    let mut reading = reading(arguments, launch.fmad, launch.cluster)?;
    // What stands on the command line comes last, where it wins.
    reading.nvcc_arguments.splice(0..0, launch.nvcc_args.iter().cloned());
    let same = launch.steps().iter().all(|step| step.kernel == launch.kernel);
    let wanted = same.then_some(launch.kernel.as_str());
    let loaded = programs::load(&program, &config, reading, wanted, terminal)?;
    check_architecture(Path::new(&launch.program), &loaded, &config)?;
    let steps = steps(&launch, flags, &loaded)?;
    Ok(Job {
        loaded,
        steps,
        declarations: launch.argument_lists().concat(),
        buffers: launch.buffers,
        symbols: launch.symbols,
        expectations: launch.expectations,
        folder,
        kept_files: None,
        config,
        max_cycles: arguments.max_cycles.or(launch.max_cycles).unwrap_or(0),
    })
}

/// The launches of a file; flags change the shape of a single one.
fn steps(
    launch: &Launch,
    flags: &LaunchArguments,
    loaded: &LoadedProgram,
) -> Result<Vec<JobLaunch>, Failure> {
    let changes_shape =
        flags.grid.is_some() || flags.block.is_some() || flags.cluster.is_some() || flags.shared.is_some();
    if changes_shape && !launch.launches.is_empty() {
        return Err(Failure::input("--grid, --block, --cluster and --shared are for files with one launch"));
    }
    let step = |step: LaunchStep<'_>| {
        Ok(JobLaunch {
            kernel: kernel(loaded, Some(step.kernel))?,
            shape: shape(
                flags.grid.unwrap_or(step.grid),
                flags.block.unwrap_or(step.block),
                flags.shared.unwrap_or(step.dynamic_shared_bytes).0,
            )?,
            arguments: step.arguments.to_vec(),
        })
    };
    launch.steps().into_iter().map(step).collect()
}

fn from_program(arguments: &Asked<'_>, terminal: &mut Terminal) -> Result<Job, Failure> {
    let flags = arguments.launch;
    let gpu = arguments.machine.gpu.as_deref().unwrap_or(machines::DEFAULT);
    let (Some(grid), Some(block)) = (flags.grid, flags.block) else {
        return Err(Failure::input(
            "a program file needs --grid and --block, for example --grid 4096 --block 256",
        ));
    };
    let config = machine(gpu, &arguments.machine.all_changes())?;
    let wanted = flags.kernel.as_deref();
    let loaded = programs::load(arguments.file, &config, reading(arguments, None, None)?, wanted, terminal)?;
    check_architecture(arguments.file, &loaded, &config)?;
    let kernel = kernel(&loaded, wanted)?;
    let shape = shape(grid, block, flags.shared.unwrap_or_default().0)?;
    Ok(Job {
        loaded,
        steps: vec![JobLaunch { kernel, shape, arguments: flags.arguments.clone() }],
        declarations: flags.arguments.clone(),
        buffers: flags.buffers.clone(),
        symbols: flags.symbols.iter().cloned().collect(),
        expectations: Vec::new(),
        folder: PathBuf::new(),
        kept_files: None,
        config,
        max_cycles: arguments.max_cycles.unwrap_or(0),
    })
}

/// Machine code runs on machines of its major version that are not older, as a driver wants it.
fn check_architecture(path: &Path, loaded: &LoadedProgram, config: &GpuConfig) -> Result<(), Failure> {
    let Some(code) = loaded.program.architecture else { return Ok(()) };
    let machine = program_text::architecture(config);
    let number = machine.as_ref().and_then(|name| name.strip_prefix("sm_")?.parse::<u32>().ok());
    if number.is_some_and(|machine| machine / 10 == code / 10 && machine >= code) {
        return Ok(());
    }
    let machine = machine.unwrap_or_else(|| config.architecture.clone());
    let (major, minor) = (code / 10, code % 10);
    Err(Failure::input(format!(
        "{}: no kernel image is available for {} ({machine}): the code is for sm_{code}; compile it for {machine}, \
         choose another --gpu, or run it all the same with --set architecture='\"{major}.{minor}\"'",
        path.display(),
        config.name
    )))
}

/// The full name of a kernel that runs in the clusters that are asked for.
fn kernel(loaded: &LoadedProgram, wanted: Option<&str>) -> Result<String, Failure> {
    let kernel = programs::kernel(loaded, wanted)?;
    check_cluster(kernel, loaded.read_as.options.cluster)?;
    Ok(kernel.name.clone())
}

/// How the program is read; `fmad` and `cluster` are what the launch file says, if anything.
fn reading(
    arguments: &Asked<'_>,
    fmad: Option<bool>,
    cluster: Option<Dimensions>,
) -> Result<Reading, Failure> {
    let ReadingArguments { isa, nvcc_arguments, passes, fmad: choice } = arguments.reading;
    let fmad = choice.map(Switch::is_on).or(fmad);
    let mut reading = Reading::parse(*isa, passes.as_deref(), None, fmad)?;
    reading.passes.cluster = arguments.launch.cluster.or(cluster).map(Dimensions::array);
    Ok(Reading { nvcc_arguments: nvcc_arguments.clone(), ..reading })
}

/// A machine that can run kernels.
pub(crate) fn machine(name: &str, changes: &[String]) -> Result<GpuConfig, Failure> {
    let config = machines::load(name, changes)?;
    // The same is refused for every launch; said here, it comes before the faults of the program.
    match warplab_gpu::machine_fault(&config) {
        None => Ok(config),
        Some(message) => Err(Failure::input(message)),
    }
}

/// A machine that a launch file names: paths are relative to the file.
fn relative_machine(name: &str, folder: &Path) -> String {
    if name.ends_with(".ron") { folder.join(name).display().to_string() } else { name.to_owned() }
}

fn shape(grid: Dimensions, block: Dimensions, shared: u64) -> Result<LaunchShape, Failure> {
    let dynamic_shared_bytes = u32::try_from(shared).map_err(|_| {
        Failure::input(format!("{shared} bytes of dynamic shared memory are more than any machine has"))
    })?;
    Ok(LaunchShape {
        grid: [grid.0, grid.1, grid.2],
        block: [block.0, block.1, block.2],
        dynamic_shared_bytes,
    })
}
