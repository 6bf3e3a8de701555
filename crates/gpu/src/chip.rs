//! The epochs of one launch.

use crate::dispatch::Dispatcher;
use crate::exchange::Exchange;
use crate::launch::PreparedLaunch;
use crate::limits;
use crate::parallel;
use crate::printed::collect_printed;
use crate::timeline::{Recorder, Timeline, TimelineOptions};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;
use warplab_config::{GpuConfig, TICKS_PER_CYCLE};
use warplab_exec::{Heap, LaunchFault, MemoryImage, PrintedLines};
use warplab_memory::{Partition, PartitionSpec, Reply, Request};
use warplab_sm::{HazardTable, Multiprocessor};
use warplab_trace::{Hazards, LaunchCounters, NoObserver};
use warplab_units::{Cycle, PartitionId, SmId, TypedId};

/// A launch in which for so many cycles no block came or ended, no thread wrote to global memory and level two gave no
/// answer is taken to hang.
const QUIET_CYCLES: u64 = 20_000_000;

/// Instructions are counted once in so many epochs, for the limit that holds where none is given.
const EPOCHS_PER_COUNT: u64 = 256;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Blocks given out.
    pub blocks_dispatched: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// The simulated cycle.
    pub cycle: u64,
    /// Warp instructions executed.
    pub instructions: u64,
}

/// How to run a launch.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// The run stops with a report after so many cycles; with 0 after
    /// [`limits::DEFAULT_MAX_INSTRUCTIONS`] without a block that came or ended.
    pub max_cycles: u64,
    /// What to record of the warps' states.
    pub timeline: Option<TimelineOptions>,
    /// Whether to check that no register is read before its value is there.
    pub check_hazards: bool,
    /// Called between epochs.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Set from outside: the run stops and says what there is so far.
    pub interrupt: Option<&'a AtomicBool>,
    /// Where what the threads print goes, also of a run that ends in a fault.
    pub printed: Option<&'a mut PrintedLines>,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// What was counted.
    pub counters: LaunchCounters,
    /// What was recorded.
    pub timeline: Option<Timeline>,
    /// The hazards, if they were checked.
    pub hazards: Option<Hazards>,
    /// Whether the run was interrupted: the counters are of a part of the launch.
    pub partial: bool,
}

/// Why a launch did not run to its end.
#[derive(Clone, Debug, Error)]
pub enum RunFault {
    /// The kernel or one of its threads did what it must not.
    #[error(transparent)]
    Launch(Box<LaunchFault>),
    /// The limit of cycles or of instructions was reached.
    #[error("{kernel}: not done after {after} ({done} of {blocks} blocks have ended){hint}{report}")]
    TooLong {
        /// The kernel.
        kernel: String,
        /// The limit, as a text with its unit.
        after: String,
        /// How to go on, where no limit was given.
        hint: &'static str,
        /// Blocks that have ended.
        done: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// Where warps wait, a line each.
        report: String,
    },
    /// Nothing can happen any more, or nothing has come of what happens for very long.
    #[error("{kernel}: no further progress at cycle {cycle} ({done} of {blocks} blocks have ended){report}")]
    Hang {
        /// The kernel.
        kernel: String,
        /// When.
        cycle: u64,
        /// Blocks that have ended.
        done: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// What every warp waits for, a line each.
        report: String,
    },
}

/// A multiprocessor with the one who watches it, its next event and its last fault.
struct Unit {
    sm: Multiprocessor,
    /// Known after every epoch and every message.
    next: Cycle,
    recorder: Option<Recorder>,
    fault: Option<Box<LaunchFault>>,
}

impl Unit {
    fn run_until(&mut self, end: Cycle, prepared: &PreparedLaunch, image: &MemoryImage) {
        let result = match &mut self.recorder {
            Some(recorder) => self.sm.run_until(end, &prepared.launch, image, recorder),
            None => self.sm.run_until(end, &prepared.launch, image, &mut NoObserver),
        };
        self.fault = result.err();
        self.next = self.sm.next_event();
    }
}

/// A partition with its next event and the replies of the current epoch.
struct Memory {
    partition: Partition,
    /// Known after every epoch and every message.
    next: Cycle,
    replies: Vec<Reply>,
}

impl Memory {
    fn advance(&mut self, spec: &PartitionSpec, end: Cycle) {
        self.partition.advance(spec, end, &mut self.replies);
        self.next = self.partition.next_event().unwrap_or(Cycle::NEVER);
    }

    fn push(&mut self, spec: &PartitionSpec, request: Request) {
        self.next = self.next.min(request.at);
        self.partition.push(spec, request);
    }
}

struct Chip<'a> {
    prepared: &'a PreparedLaunch,
    image: &'a MemoryImage,
    units: Vec<Option<Unit>>,
    memory_spec: PartitionSpec,
    memories: Vec<Memory>,
    exchange: Exchange,
    dispatcher: Dispatcher,
    heap: Heap,
    timeline: Option<TimelineOptions>,
    hazards: Option<Arc<HazardTable>>,
    blocks: u64,
    blocks_done: u64,
    last_end: Cycle,
    /// When a block last came or ended.
    last_block: Cycle,
    /// The block's coming or end that the instructions below were counted after.
    counted_block: Cycle,
    /// Warp instructions executed until then.
    instructions_at_block: u64,
    /// Epochs so far.
    epochs: u64,
    /// When global memory was last written or level two last answered.
    last_traffic: Cycle,
}

/// Runs a launch to its end. The image holds what the kernel wrote afterwards.
///
/// # Errors
/// When a thread faults, nothing can go on, or the limit of cycles is reached.
pub fn run(
    config: &GpuConfig,
    prepared: &PreparedLaunch,
    image: &MemoryImage,
    mut options: RunOptions<'_>,
) -> Result<RunOutcome, RunFault> {
    let mut chip = Chip::new(config, prepared, image, &options);
    let epoch = u64::from(config.crossbar.latency);
    let mut start = Cycle(0);
    let mut partial = false;
    let mut unread = PrintedLines::default();
    chip.dispatch(start);
    while !chip.is_done() {
        start = start.max(chip.next_event());
        if start == Cycle::NEVER {
            return Err(chip.hang(start));
        }
        if chip.is_stuck(start) {
            return Err(chip.hang(start));
        }
        chip.check_limits(start, options.max_cycles)?;
        let end = start + epoch;
        let advanced = chip.advance(end);
        let printed = options.printed.as_deref_mut().unwrap_or(&mut unread);
        collect_printed(chip.units.iter_mut().flatten().map(|unit| unit.sm.printed()), printed);
        advanced?;
        chip.exchange(end, end + epoch)?;
        chip.dispatch(end);
        start = end;
        if let Some(progress) = &mut options.progress {
            progress(chip.progress(start));
        }
        if options.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            partial = true;
            break;
        }
    }
    let elapsed = if partial { start.0 } else { chip.last_end.0 + u64::from(config.launch.kernel_end) };
    let counters = chip.counters(config, elapsed);
    Ok(RunOutcome { counters, hazards: chip.hazards(), timeline: chip.take_timeline(), partial })
}

impl<'a> Chip<'a> {
    fn new(
        config: &GpuConfig,
        prepared: &'a PreparedLaunch,
        image: &'a MemoryImage,
        options: &RunOptions<'_>,
    ) -> Chip<'a> {
        let sms = config.limits.multiprocessors;
        let shape = &prepared.launch.shape;
        let blocks = shape.blocks();
        let (warps, per_sm) = (shape.warps(), prepared.occupancy.blocks);
        let memory_spec = PartitionSpec::new(config);
        Chip {
            prepared,
            image,
            units: (0..sms).map(|_| None).collect(),
            memories: (0..config.partitions())
                .map(|id| new_memory(&memory_spec, PartitionId(id as u16)))
                .collect(),
            memory_spec,
            exchange: Exchange::new(config),
            dispatcher: Dispatcher::new(&config.launch, blocks, warps, sms, per_sm),
            heap: Heap::new(image),
            timeline: options.timeline,
            hazards: options.check_hazards.then(|| hazard_table(prepared)),
            blocks,
            blocks_done: 0,
            last_end: Cycle(0),
            last_block: Cycle(0),
            counted_block: Cycle(0),
            instructions_at_block: 0,
            epochs: 0,
            last_traffic: Cycle(0),
        }
    }

    /// Whether nothing has come of all the work for so long that nothing will.
    fn is_stuck(&self, now: Cycle) -> bool {
        now.since(self.last_block.max(self.last_traffic)) > QUIET_CYCLES
    }

    /// The limit that was given, or the one that holds where none was.
    fn check_limits(&mut self, now: Cycle, max_cycles: u64) -> Result<(), RunFault> {
        self.epochs += 1;
        let since_block = if self.epochs.is_multiple_of(EPOCHS_PER_COUNT) { self.since_block() } else { 0 };
        match limits::reached(max_cycles, now.0, since_block) {
            None => Ok(()),
            Some(reached) => Err(self.too_long(reached)),
        }
    }

    /// Warp instructions executed since the first count after a block last came or ended.
    fn since_block(&mut self) -> u64 {
        let (count, instructions_at_block) = (self.instructions(), self.instructions_at_block);
        if self.counted_block == self.last_block {
            return count - instructions_at_block;
        }
        (self.counted_block, self.instructions_at_block) = (self.last_block, count);
        0
    }

    /// Warp instructions executed so far.
    fn instructions(&self) -> u64 {
        self.units.iter().flatten().map(|unit| unit.sm.instructions()).sum()
    }

    fn is_done(&self) -> bool {
        self.blocks_done == self.blocks
            && self.exchange.is_idle()
            && self.units.iter().flatten().all(|unit| unit.sm.is_idle())
    }

    /// The next cycle in which anything can happen.
    fn next_event(&self) -> Cycle {
        let sms = self.units.iter().flatten().map(|unit| unit.next);
        let partitions = self.memories.iter().map(|memory| memory.next);
        let outside = [self.exchange.next_arrival(), self.dispatcher.next_dispatch()];
        sms.chain(partitions).chain(outside).min().unwrap_or(Cycle::NEVER)
    }

    /// All multiprocessors and all partitions, each alone, up to `end`.
    fn advance(&mut self, end: Cycle) -> Result<(), RunFault> {
        let (prepared, image) = (self.prepared, self.image);
        let mut active: Vec<&mut Unit> =
            self.units.iter_mut().flatten().filter(|unit| unit.next < end).collect();
        parallel::for_each(&mut active, |unit| unit.run_until(end, prepared, image));
        let spec = &self.memory_spec;
        let mut busy: Vec<&mut Memory> =
            self.memories.iter_mut().filter(|memory| memory.next < end).collect();
        parallel::for_each(&mut busy, |memory| memory.advance(spec, end));
        let fault = self.units.iter_mut().flatten().find_map(|unit| unit.fault.take());
        fault.map_or(Ok(()), |fault| Err(RunFault::Launch(fault)))
    }

    /// What units have for each other at the boundary `now`; hands over what arrives before `until`.
    fn exchange(&mut self, now: Cycle, until: Cycle) -> Result<(), RunFault> {
        self.apply_logs(now)?;
        let mut requests = Vec::new();
        for unit in self.units.iter_mut().flatten() {
            unit.sm.take_requests(&mut requests);
        }
        let (memories, spec) = (&mut self.memories, &self.memory_spec);
        self.exchange
            .requests(requests, until, |partition, request| memories[partition.index()].push(spec, request));
        let mut replies = Vec::new();
        for memory in &mut self.memories {
            replies.append(&mut memory.replies);
        }
        let units = &mut self.units;
        let mut last_reply = self.last_end;
        self.exchange.replies(replies, until, |sm, reply| {
            last_reply = last_reply.max(reply.at);
            if let Some(unit) = &mut units[sm.index()] {
                unit.next = unit.next.min(reply.at);
                unit.sm.deliver(reply);
            }
        });
        if last_reply > self.last_end {
            self.last_end = last_reply;
            self.last_traffic = now;
        }
        self.collect_ends(now);
        Ok(())
    }

    /// Stores and atomic operations take effect for the others, in the order of (cycle, multiprocessor, sequence).
    fn apply_logs(&mut self, now: Cycle) -> Result<(), RunFault> {
        let mut order: Vec<(Cycle, u16, u32)> = Vec::new();
        for (sm, unit) in self.units.iter().enumerate() {
            let Some(unit) = unit else { continue };
            let log = unit.sm.log();
            order.extend((0..log.len()).map(|index| (log.cycle(index), sm as u16, index as u32)));
        }
        if order.is_empty() {
            return Ok(());
        }
        self.last_traffic = now;
        order.sort_unstable();
        for (_, sm, index) in order {
            let Some(unit) = &mut self.units[usize::from(sm)] else { continue };
            match unit.sm.log().apply(index as usize, self.image, &mut self.heap) {
                Ok(Some(result)) => unit.sm.deliver_atomic(&result),
                Ok(None) => {}
                Err(refusal) => {
                    return Err(RunFault::Launch(unit.sm.heap_fault(refusal, &self.prepared.launch)));
                }
            }
        }
        self.units.iter_mut().flatten().for_each(|unit| unit.sm.clear_log());
        Ok(())
    }

    fn collect_ends(&mut self, now: Cycle) {
        for (sm, unit) in self.units.iter_mut().enumerate() {
            let Some(unit) = unit else { continue };
            for end in unit.sm.take_ends() {
                self.blocks_done += 1;
                self.last_block = now;
                self.last_end = self.last_end.max(end.at);
                self.dispatcher.freed(SmId(sm as u16), end.at);
            }
        }
    }

    fn dispatch(&mut self, now: Cycle) {
        let (units, prepared, timeline) = (&mut self.units, self.prepared, self.timeline);
        let hazards = &self.hazards;
        let before = self.dispatcher.dispatched();
        self.dispatcher.dispatch(now, |sm, start| {
            let unit =
                units[sm.index()].get_or_insert_with(|| new_unit(sm, prepared, timeline, hazards.as_ref()));
            unit.next = unit.next.min(start.at);
            unit.sm.give(start);
        });
        if self.dispatcher.dispatched() > before {
            self.last_block = now;
        }
    }

    fn progress(&self, now: Cycle) -> Progress {
        Progress {
            blocks_dispatched: self.dispatcher.dispatched(),
            blocks: self.blocks,
            cycle: now.0,
            instructions: self.instructions(),
        }
    }

    fn counters(&self, config: &GpuConfig, elapsed: u64) -> LaunchCounters {
        let mut counters = LaunchCounters {
            elapsed_cycles: elapsed,
            multiprocessors: u64::from(config.limits.multiprocessors),
            partitions: self.memories.len() as u64,
            ticks_per_cycle: TICKS_PER_CYCLE,
            crossbar: self.exchange.counters().clone(),
            ..LaunchCounters::default()
        };
        let spans = self.units.iter().flatten().filter_map(|unit| unit.sm.issue_span());
        counters.first_issue = spans.clone().map(|(first, _)| first.0).min().unwrap_or(0);
        counters.last_issue = spans.map(|(_, last)| last.0).max().unwrap_or(0);
        for unit in self.units.iter().flatten() {
            counters.active_multiprocessors += 1;
            counters.sm += &unit.sm.counters();
        }
        for memory in &self.memories {
            counters.memory += &memory.partition.counters();
        }
        counters
    }

    /// What all multiprocessors found together.
    fn hazards(&self) -> Option<Hazards> {
        self.hazards.as_ref()?;
        let mut all = Hazards::default();
        let found = self.units.iter().flatten().filter_map(|unit| unit.sm.hazards());
        found.for_each(|hazards| all.append(hazards));
        Some(all)
    }

    fn take_timeline(&mut self) -> Option<Timeline> {
        self.units
            .iter_mut()
            .flatten()
            .find_map(|unit| unit.recorder.take())
            .map(|recorder| recorder.timeline)
    }

    fn hang(&self, at: Cycle) -> RunFault {
        let cycle = if at == Cycle::NEVER { self.last_cycle() } else { at.0 };
        RunFault::Hang {
            kernel: self.prepared.launch.kernel.name.clone(),
            cycle,
            done: self.blocks_done,
            blocks: self.blocks,
            report: self.waiting_report(),
        }
    }

    fn too_long(&self, reached: limits::Reached) -> RunFault {
        RunFault::TooLong {
            kernel: self.prepared.launch.kernel.name.clone(),
            after: reached.after,
            hint: reached.hint,
            done: self.blocks_done,
            blocks: self.blocks,
            report: self.waiting_report(),
        }
    }

    fn last_cycle(&self) -> u64 {
        self.units
            .iter()
            .flatten()
            .filter_map(|unit| unit.sm.issue_span())
            .map(|(_, last)| last.0)
            .max()
            .unwrap_or(0)
    }

    /// Where the first warps wait that have not ended.
    fn waiting_report(&self) -> String {
        const SHOWN: usize = 8;
        let mut report = String::new();
        let warps: Vec<_> = self.units.iter().flatten().flat_map(|unit| unit.sm.waiting_warps()).collect();
        for warp in warps.iter().take(SHOWN) {
            let instruction = self.prepared.launch.kernel.instructions.get(warp.pc as usize);
            let text = instruction.map_or(String::new(), warplab_program::listing::instruction_text);
            let line = instruction.map_or(0, |instruction| instruction.origin.line);
            let (block, number, pc) = (warp.block, warp.warp, warp.pc * 16);
            // Writing to a string cannot fail.
            let _ = write!(
                report,
                "\n  block {block} warp {number} waits at {pc:#x} (line {line}) {text}: {}",
                warp.reason
            );
        }
        if warps.len() > SHOWN {
            let _ = write!(report, "\n  ... and {} more warps", warps.len() - SHOWN);
        }
        report
    }
}

fn new_memory(spec: &PartitionSpec, id: PartitionId) -> Memory {
    Memory { partition: Partition::new(spec, id), next: Cycle::NEVER, replies: Vec::new() }
}

fn hazard_table(prepared: &PreparedLaunch) -> Arc<HazardTable> {
    Arc::new(HazardTable::new(&prepared.launch.kernel, prepared.spec.latencies()))
}

fn new_unit(
    sm: SmId,
    prepared: &PreparedLaunch,
    timeline: Option<TimelineOptions>,
    hazards: Option<&Arc<HazardTable>>,
) -> Unit {
    let mut unit = Unit {
        sm: Multiprocessor::new(sm, prepared.spec.clone()),
        next: Cycle::NEVER,
        recorder: None,
        fault: None,
    };
    if let Some(table) = hazards {
        unit.sm.check_hazards(Arc::clone(table));
    }
    if let Some(options) = timeline.filter(|options| options.sm == sm.0) {
        unit.sm.watch_states();
        unit.recorder = Some(Recorder::new(options));
    }
    unit
}
