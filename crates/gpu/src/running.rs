//! The launch that runs: its SMs, its dispatcher, and how far it is.

use crate::dispatch::Dispatcher;
use crate::fault::{RunFault, Standstill};
use crate::launch::{LaunchOptions, PreparedLaunch};
use crate::limits::Watchdog;
use crate::memory_side::MemorySide;
use crate::next_events::{NextEvents, chosen};
use crate::outcome::Progress;
use crate::peers::Clusters;
use crate::placement::Placement;
use crate::sampling::Sampler;
use crate::timeline::Recorder;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_exec::{LaunchFault, MemoryImage};
use warplab_sm::{BlockStart, Context, Sm};
use warplab_trace::{NoObserver, Observer, Sample};
use warplab_units::{Cycle, SmId, TypedId};

/// An SM with the one who watches it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SmPort {
    pub(crate) sm: Sm,
    pub(crate) recorder: Option<Recorder>,
    /// What ended the launch in this epoch.
    #[serde(skip)]
    pub(crate) fault: Option<Box<LaunchFault>>,
}

impl SmPort {
    fn new(id: SmId, begin: Cycle, launch: &QueuedLaunch) -> SmPort {
        let mut sm = Sm::new(id, &launch.prepared.spec);
        if launch.options.check_hazards {
            sm.check_hazards();
        }
        let wanted = launch.options.timeline.filter(|options| options.sm == id.0);
        if wanted.is_some() {
            sm.tell_blocks();
        }
        let recorder = wanted.map(|options| Recorder::new(options, begin));
        SmPort { sm, recorder, fault: None }
    }

    /// Alone, up to `end`. Gives the next event.
    pub(crate) fn advance(&mut self, end: Cycle, context: &Context<'_>) -> Cycle {
        let result = match &mut self.recorder {
            Some(recorder) => advance_recorded(&mut self.sm, recorder, end, context),
            None => self.sm.advance(end, context, &mut NoObserver),
        };
        self.fault = result.err();
        self.sm.next_event()
    }
}

/// Advances an SM that is recorded: outside of the window that is recorded nobody watches.
fn advance_recorded(
    sm: &mut Sm,
    recorder: &mut Recorder,
    end: Cycle,
    context: &Context<'_>,
) -> Result<(), Box<LaunchFault>> {
    let window = recorder.window();
    if !sm.is_watched() && sm.now() < window.end && end > window.start {
        sm.watch_states();
    }
    sm.advance(end, context, recorder)?;
    if sm.is_watched() && end >= window.end {
        // What the warps wait for when the window ends would be told when they have waited.
        sm.clone().settle(context, recorder);
        sm.watch_no_states();
    }
    Ok(())
}

impl SmPort {
    /// Of a copy: everything is counted and recorded up to `now`, before which nothing more happens.
    pub(crate) fn settle(&mut self, now: Cycle, context: &Context<'_>) {
        self.advance(now, context);
        let mut nobody = NoObserver;
        let observer: &mut dyn Observer = match &mut self.recorder {
            Some(recorder) => recorder,
            None => &mut nobody,
        };
        // An instruction that faults ends the launch; what was counted before it stays.
        if self.fault.is_none() {
            self.sm.settle(context, observer);
        }
    }
}

/// A launch that waits for its turn, runs or has run.
#[derive(Debug)]
pub(crate) struct QueuedLaunch {
    pub(crate) prepared: PreparedLaunch,
    pub(crate) options: LaunchOptions,
}

impl QueuedLaunch {
    /// What the SMs read of the launch and of device memory.
    pub(crate) fn context<'a>(&'a self, memory: &'a MemoryImage) -> Context<'a> {
        let prepared = &self.prepared;
        Context {
            spec: &prepared.spec,
            launch: &prepared.launch,
            memory,
            hazards: self.options.check_hazards.then_some(&*prepared.hazards),
        }
    }
}

/// The launch that runs. SMs exist once they get a block: every launch finds L1 and the instruction caches cold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) begin: Cycle,
    pub(crate) sms: Vec<Option<SmPort>>,
    /// The next event of each SM, known after every epoch and every message.
    pub(crate) next: NextEvents,
    /// The SMs that act in the present epoch, ascending.
    #[serde(skip)]
    pub(crate) acting: Vec<usize>,
    pub(crate) watchdog: Watchdog,
    dispatcher: Dispatcher,
    /// The clusters of blocks of a launch that has some.
    pub(crate) clusters: Option<Box<Clusters>>,
    pub(crate) sampler: Option<Sampler>,
    blocks: u64,
    blocks_done: u64,
    /// When the last block ended or the last reply arrived.
    last_end: Cycle,
}

/// The dispatcher of a launch, which gives out the blocks of a cluster together.
fn dispatcher(clusters: Option<&Clusters>, config: &GpuConfig, dispatcher: Dispatcher) -> Dispatcher {
    match clusters.map(Clusters::blocks).filter(|&blocks| blocks > 1) {
        Some(blocks) => dispatcher.in_clusters(blocks, config),
        None => dispatcher,
    }
}

impl Running {
    pub(crate) fn new(
        config: &GpuConfig,
        launch: &QueuedLaunch,
        begin: Cycle,
        memory_side: &MemorySide,
    ) -> Running {
        let shape = &launch.prepared.launch.shape;
        let sms = config.limits.multiprocessors;
        let barrier = config.multiprocessor.block_clusters.map_or(0, |clusters| clusters.barrier);
        let clusters = launch.prepared.launch.constants.grid_clusters();
        let clusters = clusters.map(|shape| Box::new(Clusters::new(shape, barrier)));
        let (blocks, per_sm) = (shape.blocks(), launch.prepared.occupancy.blocks);
        let wave = u64::from(sms) * u64::from(per_sm);
        Running {
            begin,
            sampler: (launch.options.sample && clusters.is_none())
                .then(|| Sampler::new(blocks, wave, memory_side)),
            sms: (0..sms).map(|_| None).collect(),
            next: NextEvents::never(sms as usize),
            acting: Vec::new(),
            watchdog: Watchdog::new(begin, launch.options.max_cycles),
            dispatcher: dispatcher(
                clusters.as_deref(),
                config,
                Dispatcher::new(
                    &config.launch,
                    begin,
                    blocks,
                    shape.warps(config.limits.warp_lanes),
                    Placement::new(config),
                    per_sm,
                ),
            ),
            clusters,
            blocks,
            blocks_done: 0,
            last_end: begin,
        }
    }

    /// The SMs that have had a block.
    pub(crate) fn active(&self) -> impl Iterator<Item = &SmPort> + Clone {
        self.sms.iter().flatten()
    }

    pub(crate) fn active_mut(&mut self) -> impl Iterator<Item = &mut SmPort> {
        self.sms.iter_mut().flatten()
    }

    /// Warp instructions executed so far.
    pub(crate) fn instructions(&self) -> u64 {
        self.active().map(|port| port.sm.instructions()).sum()
    }

    /// Whether every block has ended and no SM waits for anything.
    pub(crate) fn is_done(&self) -> bool {
        self.blocks_done == self.blocks && self.active().all(|port| port.sm.is_idle())
    }

    /// The next cycle in which an SM or the dispatcher can do anything.
    pub(crate) fn next_event(&self) -> Cycle {
        self.next.first().min(self.dispatcher.next_dispatch())
    }

    /// The SMs that do something before `end`, each with its next event.
    pub(crate) fn begin_epoch(&mut self, end: Cycle) -> Vec<(&mut SmPort, &mut Cycle)> {
        let Running { sms, next, acting, .. } = self;
        acting.clear();
        acting.extend(next.due(end));
        let each = chosen(sms, acting).zip(chosen(next.as_mut_slice(), acting));
        each.filter_map(|(port, next)| Some((port.as_mut()?, next))).collect()
    }

    /// What ended the launch in this epoch, if anything: the fault of the first SM that has one.
    pub(crate) fn take_fault(&mut self) -> Option<Box<LaunchFault>> {
        let mut fault = None;
        self.for_each_acting(|port| fault = fault.take().or_else(|| port.fault.take()));
        fault
    }

    /// The SMs that act in the present epoch, with their numbers.
    pub(crate) fn acting(&self) -> impl Iterator<Item = (usize, &SmPort)> {
        self.acting.iter().filter_map(|&sm| Some((sm, self.sms[sm].as_ref()?)))
    }

    /// Calls `look` with each SM that acts in the present epoch.
    pub(crate) fn for_each_acting(&mut self, mut look: impl FnMut(&mut SmPort)) {
        chosen(&mut self.sms, &self.acting).flatten().for_each(&mut look);
    }

    /// Cycles from the start of the kernel to its end.
    pub(crate) fn elapsed(&self, config: &GpuConfig) -> u64 {
        let last_end = self.last_end.max(self.dispatcher.end());
        let flush = if self.active().any(|port| port.sm.has_written()) { config.launch.flush } else { 0 };
        (last_end - self.begin) + u64::from(config.launch.kernel_end) + u64::from(flush)
    }

    /// Gives out the blocks whose dispatch is certain at the boundary `now`.
    pub(crate) fn dispatch(&mut self, now: Cycle, launch: &QueuedLaunch) {
        let (sms, next, begin) = (&mut self.sms, &mut self.next, self.begin);
        let before = self.dispatcher.dispatched();
        let mut give = |sm: SmId, start: BlockStart| {
            next.no_later(sm.index(), start.at);
            sms[sm.index()].get_or_insert_with(|| SmPort::new(sm, begin, launch)).sm.give(start);
        };
        match self.clusters.as_deref_mut() {
            None => self.dispatcher.dispatch(now, give),
            Some(clusters) if clusters.blocks() == 1 => self.dispatcher.dispatch(now, |sm, start| {
                clusters.begins(start.block, sm);
                give(sm, start);
            }),
            Some(clusters) => self.dispatcher.dispatch_clusters(now, |sm, mut start| {
                start.block = clusters.block_in_order(start.block);
                clusters.begins(start.block, sm);
                give(sm, start);
            }),
        }
        if self.dispatcher.dispatched() > before {
            self.watchdog.block_moved(now);
        }
    }

    /// Replies have been handed over, the last of which arrives at `last`.
    pub(crate) fn replied(&mut self, last: Cycle, now: Cycle) {
        if last > self.last_end {
            self.last_end = last;
            self.watchdog.memory_moved(now);
        }
    }

    /// Frees the places of the blocks that have ended.
    pub(crate) fn collect_ends(&mut self, now: Cycle) {
        for &sm in &self.acting {
            let Some(port) = &mut self.sms[sm] else { continue };
            for end in port.sm.ends().drain(..) {
                self.blocks_done += 1;
                self.watchdog.block_moved(now);
                self.last_end = self.last_end.max(end.at);
                self.dispatcher.freed(SmId::from_index(sm), end.at);
            }
        }
    }

    /// The estimate for a launch of which only some blocks were simulated, after so many cycles.
    pub(crate) fn sample(&self, elapsed: u64) -> Option<Sample> {
        self.sampler.as_ref()?.sample(self.blocks, elapsed)
    }

    /// Where the launch is sampled and has become steady, no more blocks come.
    pub(crate) fn stop_if_steady(&mut self, now: Cycle, memory_side: &MemorySide) {
        let Some(sampler) = &mut self.sampler else { return };
        let dispatched = self.dispatcher.dispatched();
        if sampler.is_steady(now, self.blocks_done, dispatched, memory_side) {
            sampler.stop(dispatched);
            self.dispatcher.stop();
            self.blocks = dispatched;
        }
    }

    pub(crate) fn progress(&self, launch: usize, now: Cycle) -> Progress {
        let rest = self.sampler.as_ref().map(|sampler| &sampler.rest).filter(|rest| !rest.is_empty());
        Progress {
            launch,
            blocks_dispatched: rest.map_or(self.dispatcher.dispatched(), |rest| rest.start),
            blocks: rest.map_or(self.blocks, |rest| rest.end),
            cycle: now - self.begin,
            instructions: self.instructions(),
        }
    }

    /// The first and the last cycle in which an instruction issued, counted from the start of the launch.
    pub(crate) fn issue_span(&self) -> Option<(u64, u64)> {
        let spans = self.active().filter_map(|port| port.sm.issue_span());
        let first = spans.clone().map(|(first, _)| first).min()?;
        let last = spans.map(|(_, last)| last).max()?;
        Some((first - self.begin, last - self.begin))
    }

    /// The fault of a launch in which nothing can happen any more, or nothing has for very long.
    pub(crate) fn hang(&self, launch: &QueuedLaunch, at: Cycle) -> RunFault {
        let last_issue = || self.issue_span().map_or(0, |(_, last)| last);
        let cycle = if at == Cycle::NEVER { last_issue() } else { at - self.begin };
        self.standstill(launch).hang(cycle)
    }

    pub(crate) fn standstill<'a>(&'a self, launch: &'a QueuedLaunch) -> Standstill<'a> {
        Standstill {
            kernel: &launch.prepared.launch.kernel,
            blocks_done: self.blocks_done,
            blocks: self.blocks,
            held_by: self.active().find_map(|port| port.sm.held_by()),
            waiting: self.active().flat_map(|port| port.sm.waiting_warps()).collect(),
        }
    }
}
