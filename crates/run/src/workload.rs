//! One launch on one machine: from a program and arguments to counters and device memory.

use crate::buffers::{self, ReadFile};
use crate::fault::Fault;
use crate::{parameters, symbols};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use warplab_config::launch::{Argument, BufferSpec};
use warplab_config::{GpuConfig, Occupancy};
use warplab_exec::{LaunchShape, MemoryImage, allocate_globals};
use warplab_gpu::{LaunchRequest, PreparedLaunch, RunOptions, RunOutcome, prepare, run};
use warplab_metrics::{Context, LaunchInfo};
use warplab_program::{Kernel, Program};
use warplab_units::Address;

/// What is launched.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// The program.
    pub program: &'a Program,
    /// The name of the kernel in the program.
    pub kernel: &'a str,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The arguments in the kernel's order.
    pub arguments: &'a [Argument],
    /// Buffers that no argument declares.
    pub buffers: &'a [BufferSpec],
    /// Values for variables of the program.
    pub symbols: &'a BTreeMap<String, Argument>,
}

/// One launch of a program's kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelLaunch<'a> {
    /// The name of the kernel in the program.
    pub kernel: &'a str,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The arguments in the kernel's order.
    pub arguments: &'a [Argument],
}

/// Refuses a launch file with several launches, where only one can be run.
pub fn only_one(launch: &warplab_config::Launch, path: &Path) -> Result<(), Fault> {
    if launch.launches.is_empty() {
        return Ok(());
    }
    let path = path.display();
    Err(Fault::input(format!(
        "{path} has several launches; experiments and labs take files with one, 'warplab run' takes both"
    )))
}

/// No values for variables.
pub static NO_SYMBOLS: BTreeMap<String, Argument> = BTreeMap::new();

/// Bytes of all buffers of a launch.
#[must_use]
pub fn buffer_bytes(arguments: &[Argument], others: &[BufferSpec]) -> u64 {
    buffers::all(arguments, others).fold(0, |sum: u64, (_, size, _)| sum.saturating_add(size.bytes))
}

/// The data of a workload before it runs.
#[derive(Debug)]
pub struct Data<'a> {
    /// The program, with what was written into its constant memory.
    pub program: Cow<'a, Program>,
    /// Device memory.
    pub image: MemoryImage,
    /// Where the program's global variables lie.
    pub symbols: FxHashMap<String, Address>,
    /// The parameters as the kernel finds them in constant memory.
    pub parameters: Vec<u8>,
}

/// A workload that is ready to run.
#[derive(Debug)]
pub struct LoadedWorkload {
    /// The launch.
    pub prepared: PreparedLaunch,
    /// Device memory before the launch.
    pub image: MemoryImage,
}

/// What a simulation gave.
#[derive(Debug)]
pub struct Simulated {
    /// The launch as reports name it.
    pub launch: LaunchInfo,
    /// Counters and timeline.
    pub outcome: RunOutcome,
    /// How many blocks fit.
    pub occupancy: Occupancy,
    /// Device memory after the launch.
    pub image: MemoryImage,
}

impl Simulated {
    /// What metrics are computed from; `config` is the machine that ran the launch.
    #[must_use]
    pub fn context<'a>(&'a self, config: &'a GpuConfig) -> Context<'a> {
        Context { counters: &self.outcome.counters, config, occupancy: &self.occupancy, launch: &self.launch }
    }
}

impl<'a> Workload<'a> {
    /// The launch without its data.
    #[must_use]
    pub fn launch(&self) -> KernelLaunch<'a> {
        KernelLaunch { kernel: self.kernel, shape: self.shape, arguments: self.arguments }
    }

    /// The kernel.
    ///
    /// # Errors
    /// When the program does not have it.
    pub fn kernel(&self) -> Result<&'a Kernel, Fault> {
        kernel(self.program, self.kernel)
    }

    /// Fills device memory and the parameters; `capacity` is the machine's memory in bytes.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    pub fn set_up(&self, capacity: u64, read: ReadFile<'_>) -> Result<Data<'a>, Fault> {
        let mut image = MemoryImage::new();
        buffers::allocate(self.arguments, self.buffers, self.program, capacity, read, &mut image)?;
        let symbols =
            allocate_globals(self.program, &mut image).map_err(|fault| Fault::input(fault.to_string()))?;
        let parameters = parameters::bytes(self.kernel()?, self.arguments, &image, read)?;
        let program = symbols::write(self.program, &[self.kernel], self.symbols, &image, &symbols, read)?;
        Ok(Data { program, image, symbols, parameters })
    }
}

/// A kernel of a program.
pub(crate) fn kernel<'a>(program: &'a Program, name: &str) -> Result<&'a Kernel, Fault> {
    let missing = || match program.refusal(name) {
        Some(refused) => Fault::input(refused.to_string()),
        None => Fault::input(format!("there is no kernel '{name}'")),
    };
    program.kernel(name).ok_or_else(missing)
}

/// Makes a workload ready to run on a machine.
///
/// # Errors
/// Why it cannot run.
pub fn load(
    config: &GpuConfig,
    workload: &Workload<'_>,
    read: ReadFile<'_>,
) -> Result<LoadedWorkload, Fault> {
    let data = workload.set_up(device_bytes(config), read)?;
    let prepared = prepared(config, &data.program, &workload.launch(), &data.parameters, &data.symbols)?;
    Ok(LoadedWorkload { prepared, image: data.image })
}

/// What a launch of a kernel is, for reports.
pub(crate) fn launch_info(kernel: &Kernel, launch: &KernelLaunch<'_>, outcome: &RunOutcome) -> LaunchInfo {
    LaunchInfo {
        code: String::new(),
        kernel: launch.kernel.to_owned(),
        grid: launch.shape.grid,
        block: launch.shape.block,
        registers: kernel.registers,
        static_shared_bytes: kernel.static_shared_bytes,
        dynamic_shared_bytes: launch.shape.dynamic_shared_bytes,
        local_bytes: kernel.local_bytes,
        partial: outcome.partial,
        sample: outcome.sample,
    }
}

/// Runs a workload on a machine.
///
/// # Errors
/// Why it did not run to its end.
pub fn simulate(
    config: &GpuConfig,
    workload: &Workload<'_>,
    read: ReadFile<'_>,
    options: RunOptions<'_>,
) -> Result<Simulated, Fault> {
    let LoadedWorkload { prepared, image } = load(config, workload, read)?;
    let run = run(config, &prepared, image, options);
    let (outcome, image) = run.map_err(|fault| Fault::Run(Box::new(fault)))?;
    let launch = launch_info(workload.kernel()?, &workload.launch(), &outcome);
    Ok(Simulated { launch, outcome, occupancy: prepared.occupancy, image })
}

/// Bytes of a machine's memory.
pub(crate) fn device_bytes(config: &GpuConfig) -> u64 {
    u64::from(config.dram.gib) << 30
}

/// A launch that has its parameters, ready for the device.
pub(crate) fn prepared(
    config: &GpuConfig,
    program: &Program,
    launch: &KernelLaunch<'_>,
    parameters: &[u8],
    symbols: &FxHashMap<String, Address>,
) -> Result<PreparedLaunch, Fault> {
    let launch = LaunchRequest { program, kernel: launch.kernel, shape: launch.shape, parameters, symbols };
    prepare(config, &launch).map_err(|fault| Fault::input(fault.to_string()))
}
