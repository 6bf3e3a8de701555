//! What a metric is computed from.

use serde::Serialize;
use warplab_config::{GpuConfig, Occupancy};
use warplab_trace::{LaunchCounters, QueueCounters, Sample, SchedulerCounters, WarpState};

/// What was launched, as reports and JSON name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LaunchInfo {
    /// The name of the kernel.
    pub kernel: String,
    /// What its code is and where it comes from, as reports say it; empty where nobody says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Blocks of the grid in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory that the kernel declares.
    pub static_shared_bytes: u32,
    /// Bytes of shared memory that the launch adds.
    pub dynamic_shared_bytes: u32,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Whether the run was stopped before the kernel ended.
    pub partial: bool,
    /// For a launch of which only some blocks were simulated: how many, and the estimate for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

impl LaunchInfo {
    /// Blocks of the grid.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// Threads of a block.
    #[must_use]
    pub fn threads_per_block(&self) -> u64 {
        self.block.iter().map(|&size| u64::from(size)).product()
    }
}

/// The counters of a launch with the machine and the launch that they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What was counted.
    pub counters: &'a LaunchCounters,
    /// The machine.
    pub config: &'a GpuConfig,
    /// How much of the kernel fits on one multiprocessor.
    pub occupancy: &'a Occupancy,
    /// What was launched.
    pub launch: &'a LaunchInfo,
}

impl Context<'_> {
    /// Cycles from the start of the kernel to its end.
    pub(crate) fn elapsed(&self) -> f64 {
        self.counters.elapsed_cycles as f64
    }

    /// Elapsed seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.elapsed() / (self.config.clocks.sm_mhz * 1e6)
    }

    /// Multiprocessors of the chip.
    pub(crate) fn multiprocessors(&self) -> f64 {
        self.counters.multiprocessors as f64
    }

    /// Schedulers of the chip.
    pub(crate) fn schedulers(&self) -> f64 {
        self.multiprocessors() * f64::from(self.config.limits.sub_partitions)
    }

    /// Cycles in which multiprocessors held a block, summed.
    pub(crate) fn sm_active(&self) -> f64 {
        self.counters.sm.active_cycles as f64
    }

    /// A counter summed over all schedulers.
    pub(crate) fn of_schedulers(&self, counter: impl Fn(&SchedulerCounters) -> u64) -> f64 {
        self.counters.sm.schedulers.iter().map(counter).sum::<u64>() as f64
    }

    /// Cycles in which schedulers held a warp, summed.
    pub(crate) fn scheduler_active(&self) -> f64 {
        self.of_schedulers(|scheduler| scheduler.active_cycles)
    }

    /// Instructions issued.
    pub(crate) fn issued(&self) -> f64 {
        self.of_schedulers(SchedulerCounters::issued)
    }

    /// Cycles in which schedulers issued, also in vain, summed.
    pub(crate) fn issue_cycles(&self) -> f64 {
        self.of_schedulers(|scheduler| scheduler.issue_cycles + scheduler.replayed)
    }

    /// Warp-cycles in a state.
    pub(crate) fn in_state(&self, state: WarpState) -> f64 {
        self.of_schedulers(|scheduler| scheduler.states[state.index()])
    }

    /// Resident warps summed over cycles.
    pub(crate) fn warp_cycles(&self) -> f64 {
        self.of_schedulers(|scheduler| scheduler.warp_cycles)
    }

    /// Warp instructions executed.
    pub(crate) fn executed(&self) -> f64 {
        self.counters.sm.instructions.warp as f64
    }

    /// Blocks that all multiprocessors hold together.
    pub(crate) fn wave(&self) -> f64 {
        f64::from(self.occupancy.blocks) * self.multiprocessors()
    }

    /// How many times the grid fills the chip.
    pub(crate) fn waves(&self) -> Option<f64> {
        (self.wave() > 0.0).then(|| self.launch.blocks() as f64 / self.wave())
    }

    /// The mean latency of a queue.
    pub(crate) fn mean_latency(queue: &QueueCounters) -> f64 {
        if queue.departures == 0 { 0.0 } else { queue.total_latency as f64 / queue.departures as f64 }
    }
}
