//! The device: made once, it runs one launch after another as a stream does; its state can be kept and brought back.

use crate::epoch::Epoch;
use crate::fault::RunFault;
use crate::launch::{LaunchOptions, PreparedLaunch};
use crate::memory_side::{MemorySide, MemorySpec};
use crate::outcome::{Progress, RunOutcome};
use crate::running::{QueuedLaunch, Running};
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warplab_config::{GpuConfig, TICKS_PER_CYCLE};
use warplab_exec::interpreter::{DecodedLaunch, Limits, run_blocks};
use warplab_exec::{Heap, MemoryImage, PrintedLines};
use warplab_sm::LaunchSpec;
use warplab_trace::{CrossbarCounters, Hazards, LaunchCounters, PartitionCounters, SmCounters};
use warplab_units::{Address, Cycle, LINE_BYTES};

/// Blocks that are executed without time between two looks at what the caller wants.
const BLOCKS_AT_ONCE: u64 = 1024;

/// Whether a device still has work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every launch has run to its end.
    Idle,
    /// A launch runs or waits.
    Busy,
}

/// How a caller follows and stops a device that runs; it acts between two epochs.
#[derive(Default)]
pub struct Watch<'a> {
    /// Called after every epoch.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Set from outside: the device stops after the epoch.
    pub interrupt: Option<&'a AtomicBool>,
    /// The cycle at which the device stops: at the end of the epoch that reaches it.
    pub until: Option<Cycle>,
}

impl Watch<'_> {
    fn stops(&self, now: Cycle) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
            || self.until.is_some_and(|until| now >= until)
    }
}

/// The state of a device between two epochs: plain data, without the machine and the programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeviceState {
    pub(crate) now: Cycle,
    pub(crate) memory: MemoryImage,
    pub(crate) heap: Heap,
    pub(crate) memory_side: MemorySide,
    pub(crate) running: Option<Running>,
    pub(crate) finished: Vec<RunOutcome>,
    pub(crate) printed: PrintedLines,
}

impl DeviceState {
    /// The cycle at which the device stands.
    #[must_use]
    pub fn cycle(&self) -> Cycle {
        self.now
    }
}

/// A GPU with its memory and the launches that it has been given.
///
/// L2, DRAM and device memory live as long as the device; every launch finds L1 and the instruction caches cold.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) config: GpuConfig,
    pub(crate) memory_spec: MemorySpec,
    pub(crate) launches: Vec<Arc<QueuedLaunch>>,
    pub(crate) state: DeviceState,
    /// What ended the launch that ran.
    failed: Option<RunFault>,
}

impl Device {
    /// An idle device with cold caches and this memory.
    #[must_use]
    pub fn new(config: &GpuConfig, memory: MemoryImage) -> Device {
        let memory_spec = MemorySpec::new(config);
        let state = DeviceState {
            now: Cycle(0),
            heap: Heap::new(&memory),
            memory,
            memory_side: MemorySide::new(&memory_spec),
            running: None,
            finished: Vec::new(),
            printed: PrintedLines::default(),
        };
        Device { config: config.clone(), memory_spec, launches: Vec::new(), state, failed: None }
    }

    /// So many bytes of L2 are lines that others wrote before and DRAM has not got yet: those of a profiler, or of a copy
    /// from the host. No buffer lies there.
    pub fn leave_dirty(&mut self, bytes: u64) {
        let lines = (0..bytes / LINE_BYTES).map(|line| Address(line * LINE_BYTES));
        self.state.memory_side.leave_dirty(&self.memory_spec, lines);
    }

    /// Adds a launch, which begins when those before it have ended. Gives its number, counted from 0.
    pub fn launch(&mut self, prepared: PreparedLaunch, options: LaunchOptions) -> usize {
        self.launches.push(Arc::new(QueuedLaunch { prepared, options }));
        self.launches.len() - 1
    }

    /// Runs whole epochs until cycle `until` is reached or every launch has ended. An epoch lasts as long as a message
    /// takes on the crossbar: the device may stand at a slightly later cycle afterwards.
    ///
    /// # Errors
    /// When a thread faults, nothing can go on, or a limit is reached.
    pub fn advance(&mut self, until: Cycle) -> Result<Status, RunFault> {
        while self.state.now < until {
            if self.advance_epoch()? == Status::Idle {
                return Ok(Status::Idle);
            }
        }
        Ok(self.status())
    }

    /// Runs until every launch has ended or `watch` stops it. Where `watch` names no cycle, epochs are longer and the memory
    /// side is ahead of the SMs between them, which is faster and comes to the same for kernels without data races.
    ///
    /// # Errors
    /// When a thread faults, nothing can go on, or a limit is reached.
    pub fn run(&mut self, watch: &mut Watch<'_>) -> Result<Status, RunFault> {
        let lead = if watch.until.is_none() { self.memory_spec.lead } else { 0 };
        while self.epoch(lead)? == Status::Busy {
            if let (Some(progress), Some(now)) = (&mut watch.progress, self.state.progress()) {
                progress(now);
            }
            if watch.stops(self.state.now) {
                return Ok(self.status());
            }
        }
        Ok(Status::Idle)
    }

    /// Whether there is still work.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.state.finished.len() == self.launches.len() { Status::Idle } else { Status::Busy }
    }

    /// Launches that have been given.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.launches.len()
    }

    /// The cycle at which the device stands.
    #[must_use]
    pub fn cycle(&self) -> Cycle {
        self.state.now
    }

    /// What a launch gave: all of it when it has ended, what there is so far while it runs, nothing before.
    #[must_use]
    pub fn outcome(&self, launch: usize) -> Option<RunOutcome> {
        if let Some(outcome) = self.state.finished.get(launch) {
            return Some(outcome.clone());
        }
        self.state.running.as_ref().filter(|_| launch == self.state.finished.len())?;
        self.clone().so_far()
    }

    /// What has been counted of a launch, as far as it has run.
    #[must_use]
    pub fn counters(&self, launch: usize) -> Option<LaunchCounters> {
        if let Some(outcome) = self.state.finished.get(launch) {
            return Some(outcome.counters.clone());
        }
        self.outcome(launch).map(|outcome| outcome.counters)
    }

    /// What has been counted of all launches together.
    #[must_use]
    pub fn total(&self) -> LaunchCounters {
        let mut total = LaunchCounters::default();
        (0..self.launches.len())
            .filter_map(|launch| self.counters(launch))
            .for_each(|counters| total += &counters);
        total
    }

    /// Device memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryImage {
        &self.state.memory
    }

    /// Ends the device and gives its memory back.
    #[must_use]
    pub fn into_memory(self) -> MemoryImage {
        self.state.memory
    }

    /// Takes the lines that threads have printed since the last call.
    pub fn take_printed(&mut self) -> PrintedLines {
        std::mem::take(&mut self.state.printed)
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &DeviceState {
        &self.state
    }

    /// A copy of the state, from which this device can go on later.
    #[must_use]
    pub fn snapshot(&self) -> DeviceState {
        self.state.clone()
    }

    /// Goes back (or forth) to a state of this device.
    pub fn restore(&mut self, state: DeviceState) {
        self.state = state;
        self.failed = None;
    }

    /// Hashes what this device does: the machine and the launches that it has been given.
    pub fn hash_work(&self, hasher: &mut impl Hasher) {
        hasher.write(format!("{:?}", self.config).as_bytes());
        for launch in &self.launches {
            let spec = &launch.prepared.launch;
            let work = (&spec.kernel, &spec.shape, &spec.constants, launch.options);
            hasher.write(format!("{work:?}").as_bytes());
        }
    }

    /// Runs one epoch, after which all of the device stands at one cycle.
    ///
    /// # Errors
    /// When a thread faults, nothing can go on, or a limit is reached.
    pub fn advance_epoch(&mut self) -> Result<Status, RunFault> {
        self.epoch(0)
    }

    /// One epoch of the launch that runs; the next one begins when none runs. The partitions go on for `lead` cycles behind
    /// its end, if nothing speaks against it.
    fn epoch(&mut self, lead: u64) -> Result<Status, RunFault> {
        if let Some(fault) = &self.failed {
            return Err(fault.clone());
        }
        let Some(launch) = self.start_next() else { return Ok(Status::Idle) };
        if self.state.is_launch_simulated() {
            self.state.execute_rest(&launch)?;
        } else {
            let lead = if launch.prepared.waits_for_stores { 0 } else { lead };
            Epoch { memory_spec: &self.memory_spec, launch: &launch, state: &mut self.state, lead }.run()?;
        }
        if self.state.is_launch_done() {
            self.finish();
        }
        Ok(self.status())
    }

    /// The launch that runs, or the next one, which begins; none when all have ended.
    pub(crate) fn start_next(&mut self) -> Option<Arc<QueuedLaunch>> {
        let launch = self.launches.get(self.state.finished.len()).map(Arc::clone)?;
        if self.state.running.is_none() {
            let mut running = Running::new(&self.config, &launch, self.state.now, &self.state.memory_side);
            running.dispatch(self.state.now, &launch);
            self.state.running = Some(running);
        }
        Some(launch)
    }

    /// The launch that runs has ended: its counters are kept and counting starts anew.
    fn finish(&mut self) {
        let Some(mut running) = self.state.running.take() else { return };
        let elapsed = running.elapsed(&self.config);
        let counted = self.state.memory_side.take_counters();
        let counters = self.count(&running, elapsed, counted);
        let timeline = running.active_mut().find_map(|port| port.recorder.take());
        let mut outcome = self.gather(&running, counters, false);
        outcome.timeline = timeline.map(|recorder| recorder.timeline);
        outcome.sample = running.sample(elapsed);
        self.state.finished.push(outcome);
        self.state.now = self.state.now.max(running.begin + elapsed);
    }

    pub(crate) fn count(
        &self,
        running: &Running,
        elapsed: u64,
        (crossbar, memory): (CrossbarCounters, PartitionCounters),
    ) -> LaunchCounters {
        let mut sm = SmCounters::default();
        running.active().for_each(|port| sm += &port.sm.counters());
        let (first_issue, last_issue) = running.issue_span().unwrap_or((0, 0));
        LaunchCounters {
            elapsed_cycles: elapsed,
            first_issue,
            last_issue,
            warp_lanes: u64::from(self.config.limits.warp_lanes),
            multiprocessors: u64::from(self.config.limits.multiprocessors),
            active_multiprocessors: running.active().count() as u64,
            partitions: self.state.memory_side.len() as u64,
            ticks_per_cycle: TICKS_PER_CYCLE,
            sm,
            crossbar,
            memory,
        }
    }

    pub(crate) fn gather(&self, running: &Running, counters: LaunchCounters, partial: bool) -> RunOutcome {
        let recorded = running.active().find_map(|port| port.recorder.as_ref());
        let launch = &self.launches[self.state.finished.len()];
        let hazards = launch.options.check_hazards.then(|| {
            let mut all = Hazards::default();
            running.active().filter_map(|port| port.sm.hazards()).for_each(|hazards| all.append(hazards));
            all
        });
        let timeline = recorded.map(|recorder| recorder.timeline.clone());
        RunOutcome { counters, timeline, hazards, sample: None, partial }
    }
}

impl DeviceState {
    fn is_launch_simulated(&self) -> bool {
        // The first is one comparison while blocks run; the second looks at every partition.
        self.running.as_ref().is_some_and(Running::is_done) && self.memory_side.is_quiet()
    }

    fn is_launch_done(&self) -> bool {
        let rest = self.running.as_ref().and_then(|running| running.sampler.as_ref());
        self.is_launch_simulated() && rest.is_none_or(|sampler| sampler.rest.is_empty())
    }

    /// Some of the blocks of a sampled launch that are not simulated are executed without time.
    fn execute_rest(&mut self, launch: &QueuedLaunch) -> Result<(), RunFault> {
        let Some(sampler) = self.running.as_mut().and_then(|running| running.sampler.as_mut()) else {
            return Ok(());
        };
        let rest = &mut sampler.rest;
        let blocks = rest.start..rest.end.min(rest.start + BLOCKS_AT_ONCE);
        rest.start = blocks.end;
        let limits = Limits { divergence: launch.prepared.spec.divergence(), ..Limits::default() };
        let LaunchSpec { kernel, code, constants: banks, shape, .. } = &*launch.prepared.launch;
        let decoded = DecodedLaunch { kernel, code, banks, shape: *shape };
        run_blocks(&decoded, blocks, &self.memory, &mut self.heap, limits, &mut self.printed)
            .map(|_| ())
            .map_err(|fault| RunFault::Launch(Box::new(fault)))
    }

    fn progress(&self) -> Option<Progress> {
        self.running.as_ref().map(|running| running.progress(self.finished.len(), self.now))
    }
}
