//! One launch on a device of its own.

use crate::device::{Device, Watch};
use crate::fault::RunFault;
use crate::launch::{LaunchOptions, PreparedLaunch};
use crate::outcome::{Progress, RunOutcome};
use crate::timeline::TimelineRecording;
use std::sync::atomic::AtomicBool;
use warplab_config::GpuConfig;
use warplab_exec::{MemoryImage, PrintedLines};

/// How to run one launch.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// See [`LaunchOptions::max_cycles`].
    pub max_cycles: u64,
    /// What to record of the warps' states.
    pub timeline: Option<TimelineRecording>,
    /// Whether to check that no register is read before its result has been written.
    pub check_hazards: bool,
    /// Whether a grid of many alike blocks is simulated only until it is steady.
    pub sample: bool,
    /// Bytes that others have left in L2 for DRAM: see [`Device::leave_dirty`].
    pub left_dirty: u64,
    /// Called between epochs.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Set from outside: the run stops and says what there is so far.
    pub interrupt: Option<&'a AtomicBool>,
    /// Gets the lines that the threads print, even if the run ends in a fault.
    pub printed: Option<&'a mut PrintedLines>,
}

/// Runs one launch on a new device with this memory, to its end. Gives the memory back as the kernel left it.
///
/// # Errors
/// When a thread faults, nothing can go on, or a limit is reached.
pub fn run(
    config: &GpuConfig,
    prepared: &PreparedLaunch,
    memory: MemoryImage,
    options: RunOptions<'_>,
) -> Result<(RunOutcome, MemoryImage), RunFault> {
    let RunOptions { max_cycles, timeline, check_hazards, sample, left_dirty, progress, interrupt, printed } =
        options;
    let mut device = Device::new(config, memory);
    device.leave_dirty(left_dirty);
    let options = LaunchOptions { max_cycles, timeline, check_hazards, sample };
    let launch = device.launch(prepared.clone(), options);
    let end = device.run(&mut Watch { progress, interrupt, until: None });
    if let Some(printed) = printed {
        *printed = device.take_printed();
    }
    end?;
    let outcome = device.outcome(launch).expect("the launch has begun");
    Ok((outcome, device.into_memory()))
}
