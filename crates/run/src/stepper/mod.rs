//! A run that goes forwards and backwards, cycle by cycle.
//!
//! A device stands at boundaries between epochs only. For a cycle in between, copies of the SM and of the partition that
//! are looked at go on alone from the last boundary, which is exact. To go back, the device takes a snapshot and runs
//! forward again.

mod snapshots;
mod view;

use crate::buffers::ReadFile;
use crate::fault::Fault;
use crate::sequence::{Sequence, prepare_all};
use snapshots::Snapshots;
pub use view::{CodeView, InstructionView, LaunchView, View, ViewOptions};
use warplab_config::GpuConfig;
use warplab_exec::MemoryImage;
use warplab_gpu::{
    Device, DeviceState, LaunchOptions, Probe, RunFault, RunOutcome, Status, TimelineRecording,
};
pub use warplab_memory::{
    CacheView, ChannelView, DramAccessView, L2MshrView, LineView, PartitionView, RequestView, SetView,
    SliceView,
};
use warplab_program::Instruction;
pub use warplab_sm::{
    LaneRows, LaneView, LoadView, LsuView, MshrView, PathView, QueuedView, SchedulerView, SlotView, SmView,
    WaitCounterView, WarpView,
};
use warplab_trace::WarpState;
use warplab_units::{Cycle, SmId, TypedId, WarpSlot};

/// Snapshots that a stepper keeps if it is not told otherwise.
const SNAPSHOTS: usize = 24;

/// Cycles up to the present one of which [`Stepper::outcomes`] have the record of a counting stepper.
pub const RECORDED_CYCLES: u64 = 256;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// This cycle, forwards or backwards.
    Cycle(Cycle),
    /// The next cycle in which the warp of a slot of an SM, or any of its warps, is in another state than before.
    StateChange {
        /// The SM.
        sm: SmId,
        /// The slot; none for any.
        slot: Option<WarpSlot>,
    },
    /// The next cycle in which a warp of an SM issues an instruction of a line.
    Line {
        /// The SM.
        sm: SmId,
        /// The line.
        line: Line,
    },
    /// The end of the last launch.
    End,
}

/// A line of one of the texts that a kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A machine instruction, by its place in the kernel.
    Instruction(u32),
    /// A line of the text that was read (PTX or a listing), from 1.
    Own(u32),
    /// A line of a file of the high-level source, from 1.
    Source {
        /// The file, as the program counts them.
        file: u16,
        /// The line.
        line: u32,
    },
}

impl Line {
    fn is_of(self, pc: u32, instruction: &Instruction) -> bool {
        let origin = instruction.origin;
        match self {
            Line::Instruction(number) => number == pc,
            Line::Own(line) => line == origin.line,
            Line::Source { file, line } => origin.source_file == Some(file) && origin.source_line == line,
        }
    }
}

/// Why a stepper stands where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The goal is reached.
    Reached,
    /// Every launch has ended before it.
    Ended,
    /// A launch has failed before it.
    Failed,
    /// The caller did not want to go on.
    Interrupted,
}

/// The epoch that cannot be completed: its beginning, the last cycle that can be shown, and why.
#[derive(Clone, Debug)]
struct Failure {
    from: Cycle,
    last: Cycle,
    fault: RunFault,
}

/// A device that goes forwards and backwards.
#[derive(Clone, Debug)]
pub struct Stepper {
    device: Device,
    /// The first cycle that can be shown from where the device stands.
    from: Cycle,
    /// The cycle that is shown.
    cycle: Cycle,
    snapshots: Snapshots,
    failure: Option<Failure>,
    files: Vec<String>,
    sms: usize,
}

impl Stepper {
    /// At cycle 0 of the first launch.
    ///
    /// # Errors
    /// Why the launches cannot run.
    pub fn new(config: &GpuConfig, sequence: &Sequence<'_>, read: ReadFile<'_>) -> Result<Stepper, Fault> {
        Stepper::with(config, sequence, read, LaunchOptions::default())
    }

    /// At cycle 0 of the first launch. For [`Stepper::outcomes`] the instructions are counted on an SM, and its warps are
    /// recorded in the last cycles, [`RECORDED_CYCLES`] at least.
    ///
    /// # Errors
    /// Why the launches cannot run.
    pub fn counting(
        config: &GpuConfig,
        sequence: &Sequence<'_>,
        read: ReadFile<'_>,
        sm: SmId,
    ) -> Result<Stepper, Fault> {
        // Every snapshot has a copy.
        let last = Some(RECORDED_CYCLES);
        let timeline = TimelineRecording { sm: sm.0, last, ..TimelineRecording::default() };
        let options = LaunchOptions { timeline: Some(timeline), ..LaunchOptions::default() };
        Stepper::with(config, sequence, read, options)
    }

    fn with(
        config: &GpuConfig,
        sequence: &Sequence<'_>,
        read: ReadFile<'_>,
        options: LaunchOptions,
    ) -> Result<Stepper, Fault> {
        let mut image = MemoryImage::new();
        let ready = prepare_all(config, sequence, read, &mut image)?;
        let mut device = Device::new(config, image);
        for prepared in ready {
            device.launch(prepared, options);
        }
        device.begin_launch();
        Ok(Stepper {
            snapshots: Snapshots::new(device.snapshot(), SNAPSHOTS),
            device,
            from: Cycle(0),
            cycle: Cycle(0),
            failure: None,
            files: sequence.program.files.clone(),
            sms: config.limits.multiprocessors as usize,
        })
    }

    /// The cycle that is shown, counted from the beginning of the first launch.
    #[must_use]
    pub fn cycle(&self) -> Cycle {
        self.cycle
    }

    /// Multiprocessors of the machine.
    #[must_use]
    pub fn multiprocessors(&self) -> usize {
        self.sms
    }

    /// Memory partitions of the machine.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.device.partitions()
    }

    /// Snapshots that are kept.
    #[must_use]
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }

    /// The state of the device at the last boundary between two epochs up to the present cycle.
    #[must_use]
    pub fn boundary_state(&self) -> DeviceState {
        self.device.snapshot()
    }

    /// What ended the launch, once the run has come so far.
    #[must_use]
    pub fn fault(&self) -> Option<&RunFault> {
        self.failure.as_ref().map(|failure| &failure.fault)
    }

    /// Device memory at the last boundary between two epochs up to the present cycle.
    #[must_use]
    pub fn memory(&self) -> &MemoryImage {
        self.device.memory()
    }

    /// Goes so many cycles forwards.
    pub fn step(&mut self, cycles: u64) -> Stop {
        self.run(Goal::Cycle(self.cycle + cycles), &mut |_| true)
    }

    /// Goes so many cycles backwards, at most to the beginning.
    pub fn back(&mut self, cycles: u64) -> Stop {
        self.run(Goal::Cycle(Cycle(self.cycle.0.saturating_sub(cycles))), &mut |_| true)
    }

    /// Goes to a goal. `go_on` is asked after every epoch, with its cycle; where it says no, the stepper stays there.
    pub fn run(&mut self, goal: Goal, go_on: &mut dyn FnMut(Cycle) -> bool) -> Stop {
        match goal {
            Goal::Cycle(cycle) => self.seek(cycle, go_on),
            Goal::End => self.seek(Cycle::NEVER, go_on),
            Goal::StateChange { sm, slot } => {
                let before = self.states(sm);
                self.search(sm, go_on, &mut |_, probe| differ(&before, &probe.states(), slot))
            }
            Goal::Line { sm, line } => {
                self.search(sm, go_on, &mut |device, probe| issues(device, probe, line))
            }
        }
    }

    /// What is shown at the present cycle.
    #[must_use]
    pub fn view(&self, options: &ViewOptions) -> View {
        let probe = self.probe(options.sm);
        let shown = self.cycle >= self.device.cycle();
        let present = self.device.present_launch().filter(|_| shown);
        let launch = present.map(|(number, begin)| LaunchView {
            number,
            kernel: self.device.kernel(number).map_or(String::new(), |kernel| kernel.name.clone()),
            cycle: self.cycle.since(begin),
        });
        let failed = self.failure.as_ref().filter(|failure| failure.last == self.cycle);
        View {
            cycle: self.cycle.0,
            ended: launch.is_none() && self.device.status() == Status::Idle,
            launch,
            fault: failed.map(|failure| failure.fault.to_string()),
            sm: probe.as_ref().map(|probe| probe.view(options.sets)),
            lane: options.lane.zip(probe.as_ref()).and_then(|((slot, lane), probe)| probe.lane(slot, lane)),
            partition: options
                .partition
                .and_then(|partition| self.device.partition_view(partition, self.cycle, options.sets)),
        }
    }

    /// What the launches that have begun have given up to the end of the present cycle, in order.
    #[must_use]
    pub fn outcomes(&self) -> Vec<RunOutcome> {
        self.device.outcomes_through(self.cycle)
    }

    /// The code of the kernel of a launch, counted from 0.
    #[must_use]
    pub fn code(&self, launch: usize) -> Option<CodeView> {
        self.device.kernel(launch).map(|kernel| CodeView::new(kernel, &self.files))
    }

    /// Goes to a cycle; if the run ends before it, to the end.
    fn seek(&mut self, target: Cycle, go_on: &mut dyn FnMut(Cycle) -> bool) -> Stop {
        self.return_before(target);
        loop {
            if let Some(failure) = self.failure.as_ref().filter(|failure| failure.from == self.from) {
                self.cycle = target.min(failure.last);
                return if target > failure.last { Stop::Failed } else { Stop::Reached };
            }
            if self.device.status() == Status::Idle {
                self.cycle = target.min(self.device.cycle());
                return if target > self.cycle { Stop::Ended } else { Stop::Reached };
            }
            let inside = self.device.next_boundary().is_some_and(|boundary| target < boundary);
            if inside || target < self.device.cycle() {
                self.cycle = target;
                return Stop::Reached;
            }
            self.next_epoch(target);
            self.cycle = self.from;
            if !go_on(self.cycle) {
                return Stop::Interrupted;
            }
        }
    }

    /// Goes to the next cycle in which `found` is true of an SM.
    fn search(
        &mut self,
        sm: SmId,
        go_on: &mut dyn FnMut(Cycle) -> bool,
        found: &mut dyn FnMut(&Device, &Probe<'_>) -> bool,
    ) -> Stop {
        let mut next = self.cycle + 1;
        loop {
            let stop = self.seek(next, go_on);
            if stop != Stop::Reached {
                return stop;
            }
            let end = self.end_of_epoch();
            if let Some(cycle) = self.first_in_epoch(sm, next, end, found) {
                self.cycle = cycle;
                return Stop::Reached;
            }
            next = end;
        }
    }

    /// The first cycle of a range, all in the epoch that comes next, in which `found` is true of an SM.
    fn first_in_epoch(
        &self,
        sm: SmId,
        from: Cycle,
        end: Cycle,
        found: &mut dyn FnMut(&Device, &Probe<'_>) -> bool,
    ) -> Option<Cycle> {
        let mut probe = self.device.probe(sm)?;
        let first = from.max(self.device.cycle());
        (first.0..end.0).map(Cycle).find(|&cycle| {
            probe.through(cycle);
            found(&self.device, &probe)
        })
    }

    /// One past the last cycle that can be shown from where the device stands.
    fn end_of_epoch(&self) -> Cycle {
        let failed = self.failure.as_ref().filter(|failure| failure.from == self.from);
        match failed {
            Some(failure) => failure.last + 1,
            None => self.device.next_boundary().unwrap_or(self.cycle + 1).max(self.cycle + 1),
        }
    }

    /// Takes the last snapshot before a cycle, if the device is past it.
    fn return_before(&mut self, target: Cycle) {
        if target >= self.from {
            return;
        }
        if let Some((from, state)) = self.snapshots.before(target) {
            self.device.restore(state.clone());
            self.from = from;
        }
    }

    /// One epoch on the way to a cycle, with a snapshot behind it if one is due. An epoch that fails is not begun.
    fn next_epoch(&mut self, target: Cycle) {
        let boundary = self.device.next_boundary();
        let before = self.from;
        match self.device.advance_epoch() {
            Ok(_) => {
                self.device.begin_launch();
                self.from = boundary.unwrap_or(self.device.cycle());
                if self.snapshots.is_wanted(self.from, target.since(self.from)) {
                    self.snapshots.keep(self.from, self.device.snapshot());
                }
            }
            Err(fault) => self.failed(before, boundary, fault),
        }
    }

    /// The epoch that begins at `from` cannot be completed: the device goes back there.
    fn failed(&mut self, from: Cycle, boundary: Option<Cycle>, fault: RunFault) {
        self.from = Cycle::NEVER;
        self.return_before(from);
        while self.from < from && self.device.status() == Status::Busy {
            self.next_epoch(from);
        }
        let end = boundary.unwrap_or(self.device.cycle() + 1);
        let last = self.first_fault(end).unwrap_or(Cycle(end.0 - 1));
        self.failure = Some(Failure { from, last, fault });
    }

    /// The first cycle before `end` in which an SM faults.
    fn first_fault(&self, end: Cycle) -> Option<Cycle> {
        let all = (0..self.sms).map(SmId::from_index);
        let faulty = all.filter(|&sm| {
            let mut probe = self.device.probe(sm);
            probe.as_mut().is_some_and(|probe| {
                probe.through(Cycle(end.0 - 1));
                probe.fault().is_some()
            })
        });
        let from = self.device.cycle();
        faulty
            .filter_map(|sm| self.first_in_epoch(sm, from, end, &mut |_, probe| probe.fault().is_some()))
            .min()
    }

    /// A copy of an SM at the end of the present cycle.
    fn probe(&self, sm: SmId) -> Option<Probe<'_>> {
        let mut probe = (self.cycle >= self.device.cycle()).then(|| self.device.probe(sm))??;
        probe.through(self.cycle);
        Some(probe)
    }

    fn states(&self, sm: SmId) -> Vec<Option<WarpState>> {
        self.probe(sm).map_or(Vec::new(), |probe| probe.states())
    }
}

/// Whether the state of a slot, or of any, is another one.
fn differ(before: &[Option<WarpState>], now: &[Option<WarpState>], slot: Option<WarpSlot>) -> bool {
    let of = |states: &[Option<WarpState>], slot: usize| states.get(slot).copied().flatten();
    let slots = slot.map_or(0..before.len().max(now.len()), |slot| slot.index()..slot.index() + 1);
    slots.into_iter().any(|slot| of(before, slot) != of(now, slot))
}

/// Whether a warp issues an instruction of a line.
fn issues(device: &Device, probe: &Probe<'_>, line: Line) -> bool {
    let kernel = device.present_launch().and_then(|(number, _)| device.kernel(number));
    let Some(kernel) = kernel else { return false };
    let instructions = probe.issues().into_iter();
    instructions
        .filter_map(|(_, pc)| Some((pc, kernel.instructions.get(pc as usize)?)))
        .any(|(pc, instruction)| line.is_of(pc, instruction))
}
