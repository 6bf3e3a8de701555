//! Several launches one after the other on one device: they share buffers, and L2 stays warm.

use crate::buffers::{self, ReadFile};
use crate::checkpoint::CheckpointOwner;
use crate::fault::Fault;
use crate::workload::{KernelLaunch, device_bytes, kernel, launch_info, prepared};
use crate::{parameters, symbols};
use std::collections::BTreeMap;
use warplab_config::launch::{Argument, BufferSpec};
use warplab_config::{GpuConfig, Occupancy};
use warplab_exec::{MemoryImage, allocate_globals};
use warplab_gpu::{
    Device, LaunchOptions, PreparedLaunch, RunOptions, RunOutcome, Status, Watch, launch_occupancy,
};
use warplab_metrics::LaunchInfo;
use warplab_program::Program;
use warplab_trace::LaunchCounters;
use warplab_units::Cycle;

/// Launches of one program on the same data.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// The program.
    pub program: &'a Program,
    /// The launches in order.
    pub launches: &'a [KernelLaunch<'a>],
    /// Arguments that declare buffers: every list once, however often it is used.
    pub declarations: &'a [Argument],
    /// Buffers that no argument declares.
    pub buffers: &'a [BufferSpec],
    /// Values for variables of the program.
    pub symbols: &'a BTreeMap<String, Argument>,
}

/// How a sequence runs, besides what holds for every launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct SequenceOptions<'a> {
    /// The launch, counted from 0, that gets a timeline if one is asked for.
    pub recorded: usize,
    /// Where the run stops and from where it goes on.
    pub checkpoint: Option<CheckpointOptions<'a>>,
}

/// Where a run stops, with a checkpoint, and from where it goes on.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointOptions<'a> {
    /// The name of this build of the simulator: one goes on from its own checkpoints only.
    pub build: &'a str,
    /// The cycle at which the run stops, counted from the beginning of the first launch.
    pub until: Option<Cycle>,
    /// The bytes of the checkpoint that the run goes on from.
    pub resume: Option<&'a [u8]>,
}

/// What one launch of a sequence gave.
#[derive(Clone, Debug)]
pub struct LaunchResult {
    /// What was launched.
    pub launch: LaunchInfo,
    /// Counters and timeline.
    pub outcome: RunOutcome,
    /// How many blocks fit.
    pub occupancy: Occupancy,
}

impl LaunchResult {
    /// The result of a launch that was kept: what its outcome belongs to.
    ///
    /// # Errors
    /// When the program does not have the kernel.
    pub fn kept(
        config: &GpuConfig,
        program: &Program,
        launch: &KernelLaunch<'_>,
        outcome: RunOutcome,
    ) -> Result<LaunchResult, Fault> {
        let kernel = kernel(program, launch.kernel)?;
        let info = launch_info(kernel, launch, &outcome);
        Ok(LaunchResult { launch: info, outcome, occupancy: launch_occupancy(config, kernel, &launch.shape) })
    }
}

/// What a sequence gave.
#[derive(Debug)]
pub struct SimulatedSequence {
    /// The launches that have begun, in order.
    pub launches: Vec<LaunchResult>,
    /// What was counted of all of them together.
    pub total: LaunchCounters,
    /// Whether not all of them have ended.
    pub partial: bool,
    /// Device memory afterwards.
    pub image: MemoryImage,
    /// The cycle at which the device stands.
    pub cycle: Cycle,
    /// The checkpoint of a run with [`CheckpointOptions`] that stopped before its end.
    pub checkpoint: Option<Vec<u8>>,
}

/// Runs launches one after the other on one device.
///
/// # Errors
/// Why they did not all run to their end.
pub fn simulate_sequence(
    config: &GpuConfig,
    sequence: &Sequence<'_>,
    options: SequenceOptions<'_>,
    read: ReadFile<'_>,
    run: RunOptions<'_>,
) -> Result<SimulatedSequence, Fault> {
    let mut image = MemoryImage::new();
    let ready = prepare_all(config, sequence, read, &mut image)?;
    let owner = options.checkpoint.map(|checkpoint| CheckpointOwner::new(checkpoint.build, &image));
    let RunOptions { max_cycles, timeline, check_hazards, sample, left_dirty, progress, interrupt, printed } =
        run;
    let mut device = Device::new(config, image);
    device.leave_dirty(left_dirty);
    for (number, prepared) in ready.iter().enumerate() {
        let timeline = timeline.filter(|_| number == options.recorded);
        device.launch(prepared.clone(), LaunchOptions { max_cycles, timeline, check_hazards, sample });
    }
    if let (Some(owner), Some(checkpoint)) = (&owner, options.checkpoint) {
        resume(&mut device, owner, checkpoint)?;
    }
    let until = options.checkpoint.and_then(|checkpoint| checkpoint.until);
    let end = device.run(&mut Watch { progress, interrupt, until });
    // What was printed so far belongs to the checkpoint, too.
    let stopped = matches!(end, Ok(Status::Busy));
    let checkpoint = owner.filter(|_| stopped).map(|owner| owner.write(&device));
    if let Some(printed) = printed {
        *printed = device.take_printed();
    }
    end.map_err(|fault| Fault::Run(Box::new(fault)))?;
    let mut launches = Vec::new();
    for (number, (launch, prepared)) in sequence.launches.iter().zip(&ready).enumerate() {
        let Some(outcome) = device.outcome(number) else { break };
        let info = launch_info(kernel(sequence.program, launch.kernel)?, launch, &outcome);
        launches.push(LaunchResult { launch: info, outcome, occupancy: prepared.occupancy.clone() });
    }
    let partial = launches.len() < ready.len() || launches.iter().any(|launch| launch.outcome.partial);
    let (total, cycle) = (device.total(), device.cycle());
    Ok(SimulatedSequence { launches, total, partial, image: device.into_memory(), cycle, checkpoint })
}

/// Fills device memory, and makes every launch ready to run.
pub(crate) fn prepare_all(
    config: &GpuConfig,
    sequence: &Sequence<'_>,
    read: ReadFile<'_>,
    image: &mut MemoryImage,
) -> Result<Vec<PreparedLaunch>, Fault> {
    let Sequence { declarations, buffers, program, .. } = *sequence;
    buffers::allocate(declarations, buffers, program, device_bytes(config), read, image)?;
    let addresses =
        allocate_globals(sequence.program, image).map_err(|fault| Fault::input(fault.to_string()))?;
    let kernels: Vec<&str> = sequence.launches.iter().map(|launch| launch.kernel).collect();
    let program = symbols::write(sequence.program, &kernels, sequence.symbols, image, &addresses, read)?;
    let mut ready = Vec::new();
    for (number, launch) in sequence.launches.iter().enumerate() {
        let found = kernel(&program, launch.kernel)?;
        let bytes = parameters::bytes(found, launch.arguments, image, read);
        let bytes = bytes.map_err(|fault| within(fault, number, sequence))?;
        let one = prepared(config, &program, launch, &bytes, &addresses);
        ready.push(one.map_err(|fault| within(fault, number, sequence))?);
    }
    Ok(ready)
}

/// The device takes its state from the checkpoint, if there is one.
fn resume(
    device: &mut Device,
    owner: &CheckpointOwner,
    checkpoint: CheckpointOptions<'_>,
) -> Result<(), Fault> {
    let Some(bytes) = checkpoint.resume else { return Ok(()) };
    owner.restore(device, bytes).map_err(|fault| Fault::input(fault.to_string()))?;
    let now = device.cycle();
    match checkpoint.until {
        Some(until) if until <= now => Err(Fault::input(format!(
            "the checkpoint stands at cycle {}: the cycle at which to stop, {}, must be later",
            now.0, until.0
        ))),
        _ => Ok(()),
    }
}

/// A fault of one of several launches names it.
fn within(fault: Fault, number: usize, sequence: &Sequence<'_>) -> Fault {
    let count = sequence.launches.len();
    if count == 1 {
        return fault;
    }
    fault.within(&format!("launch {} of {count}", number + 1))
}
