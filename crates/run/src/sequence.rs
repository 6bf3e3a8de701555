//! Several launches one after the other on one device: they share buffers, and L2 stays warm.

use crate::buffers::{self, ReadFile};
use crate::fault::Fault;
use crate::workload::{KernelLaunch, device_bytes, kernel, launch_info, prepared};
use crate::{parameters, symbols};
use std::collections::BTreeMap;
use warplab_config::launch::{Argument, BufferSpec};
use warplab_config::{GpuConfig, Occupancy};
use warplab_exec::{MemoryImage, allocate_globals};
use warplab_gpu::{Device, LaunchOptions, RunOptions, RunOutcome, Watch};
use warplab_metrics::LaunchInfo;
use warplab_program::Program;
use warplab_trace::LaunchCounters;

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
}

/// Runs launches one after the other on one device; only launch `recorded`, counted from 0, gets a timeline if one is
/// asked for.
///
/// # Errors
/// Why they did not all run to their end.
pub fn simulate_sequence(
    config: &GpuConfig,
    sequence: &Sequence<'_>,
    recorded: usize,
    read: ReadFile<'_>,
    options: RunOptions<'_>,
) -> Result<SimulatedSequence, Fault> {
    let mut image = MemoryImage::new();
    let declared = buffers::all(sequence.declarations, sequence.buffers);
    buffers::allocate(declared, sequence.program, device_bytes(config), read, &mut image)?;
    let addresses =
        allocate_globals(sequence.program, &mut image).map_err(|fault| Fault::input(fault.to_string()))?;
    let kernels: Vec<&str> = sequence.launches.iter().map(|launch| launch.kernel).collect();
    let program = symbols::write(sequence.program, &kernels, sequence.symbols, &image, &addresses, read)?;
    let mut ready = Vec::new();
    for (number, launch) in sequence.launches.iter().enumerate() {
        let found = kernel(&program, launch.kernel)?;
        let bytes = parameters::bytes(found, launch.arguments, &image, read);
        let bytes = bytes.map_err(|fault| within(fault, number, sequence))?;
        let one = prepared(config, &program, launch, &bytes, &addresses);
        ready.push(one.map_err(|fault| within(fault, number, sequence))?);
    }
    let RunOptions { max_cycles, timeline, check_hazards, progress, interrupt, printed } = options;
    let mut device = Device::new(config, image);
    for (number, prepared) in ready.iter().enumerate() {
        let timeline = timeline.filter(|_| number == recorded);
        device.launch(prepared.clone(), LaunchOptions { max_cycles, timeline, check_hazards });
    }
    let end = device.run(&mut Watch { progress, interrupt });
    if let Some(printed) = printed {
        *printed = device.take_printed();
    }
    end.map_err(|fault| Fault::Run(Box::new(fault)))?;
    let mut launches = Vec::new();
    for (number, (launch, prepared)) in sequence.launches.iter().zip(&ready).enumerate() {
        let Some(outcome) = device.outcome(number) else { break };
        let info = launch_info(kernel(&program, launch.kernel)?, launch, outcome.partial);
        launches.push(LaunchResult { launch: info, outcome, occupancy: prepared.occupancy.clone() });
    }
    let partial = launches.len() < ready.len() || launches.iter().any(|launch| launch.outcome.partial);
    Ok(SimulatedSequence { total: device.total(), launches, partial, image: device.into_memory() })
}

/// A fault of one of several launches names it.
fn within(fault: Fault, number: usize, sequence: &Sequence<'_>) -> Fault {
    let count = sequence.launches.len();
    if count == 1 {
        return fault;
    }
    fault.within(&format!("launch {} of {count}", number + 1))
}
