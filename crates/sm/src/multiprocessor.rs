//! The multiprocessor's own loop: events, issue, and the jump to the next cycle in which anything can happen.

use crate::block::ResidentBlock;
use crate::events::{Event, Events};
use crate::fetch::Fetch;
use crate::hazards::{HazardChecker, HazardTable};
use crate::launch::LaunchSpec;
use crate::log::{AtomicResult, StoreLog};
use crate::lsu::{LoadStoreUnit, Outcome};
use crate::overlay::Overlay;
use crate::scheduler::{Readiness, SubPartition};
use crate::spec::SmSpec;
use crate::warp::{Phase, Warp};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;
use warplab_exec::{
    AccessRecord, BlockBarriers, LaunchFault, MemoryImage, PrintedLines, SharedMemory, SystemRecord,
    WarpState as Registers,
};
use warplab_memory::{Reply, Request};
use warplab_trace::{
    Hazards, InstructionCounters, Observer, SharedCounters, SmCounters, StallReason, StateInterval, WarpState,
};
use warplab_units::{BlockId, Cycle, SmId, WarpSlot};

/// A block that comes to a multiprocessor: its first warp can issue at this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockStart {
    /// Its number.
    pub block: u64,
    /// When.
    pub at: Cycle,
    /// Cycles between two of its warps.
    pub warp_interval: u64,
}

/// A block has ended: its resources can be given out again at this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEnd {
    /// When.
    pub at: Cycle,
}

/// A warp that has not ended, and where it waits: for reports of hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingWarp {
    /// The block.
    pub block: u64,
    /// The warp's number in its block.
    pub warp: u32,
    /// The instruction that it waits to issue.
    pub pc: u32,
    /// Why, in the words of the profiler.
    pub reason: &'static str,
}

/// One multiprocessor.
#[derive(Debug)]
pub struct Multiprocessor {
    pub(crate) id: SmId,
    pub(crate) spec: Arc<SmSpec>,
    pub(crate) now: Cycle,
    pub(crate) warps: Vec<Warp>,
    pub(crate) subs: Vec<SubPartition>,
    pub(crate) blocks: Vec<Option<ResidentBlock>>,
    pub(crate) events: Events,
    due: Vec<Event>,
    pub(crate) lsu: LoadStoreUnit,
    outcomes: Vec<Outcome>,
    inbox: VecDeque<Reply>,
    starts: VecDeque<BlockStart>,
    pub(crate) fetch: Fetch,
    pub(crate) overlay: Overlay,
    pub(crate) log: StoreLog,
    pub(crate) ends: Vec<BlockEnd>,
    pub(crate) record: AccessRecord,
    pub(crate) system: SystemRecord,
    pub(crate) printed: PrintedLines,
    pub(crate) instructions: InstructionCounters,
    pub(crate) shared_counters: SharedCounters,
    pub(crate) first_issue: Option<Cycle>,
    pub(crate) last_issue: Cycle,
    resident: u32,
    active_since: Cycle,
    active_cycles: u64,
    ended_blocks: u64,
    ended_warps: u64,
    next_age: u64,
    pub(crate) watched: bool,
    pub(crate) hazards: Option<Box<HazardChecker>>,
}

impl Multiprocessor {
    /// An idle multiprocessor with cold caches.
    #[must_use]
    pub fn new(id: SmId, spec: Arc<SmSpec>) -> Multiprocessor {
        let subs = (0..spec.sub_partitions as u64)
            .map(|sub| SubPartition::new(&spec, u64::from(id.0), sub))
            .collect();
        Multiprocessor {
            id,
            now: Cycle(0),
            warps: Vec::new(),
            subs,
            blocks: Vec::new(),
            events: Events::new(),
            due: Vec::new(),
            lsu: LoadStoreUnit::new(&spec, id),
            outcomes: Vec::new(),
            inbox: VecDeque::new(),
            starts: VecDeque::new(),
            fetch: Fetch::new(spec.instructions, spec.sub_partitions),
            overlay: Overlay::default(),
            log: StoreLog::default(),
            ends: Vec::new(),
            record: AccessRecord::default(),
            system: SystemRecord::default(),
            printed: PrintedLines::default(),
            instructions: InstructionCounters::default(),
            shared_counters: SharedCounters::default(),
            first_issue: None,
            last_issue: Cycle(0),
            resident: 0,
            active_since: Cycle(0),
            active_cycles: 0,
            ended_blocks: 0,
            ended_warps: 0,
            next_age: 0,
            watched: false,
            hazards: None,
            spec,
        }
    }

    /// A block will come; blocks must be given in order of time.
    pub fn give(&mut self, start: BlockStart) {
        self.starts.push_back(start);
    }

    /// A reply will arrive; replies must be given in order of time.
    pub fn deliver(&mut self, reply: Reply) {
        self.inbox.push_back(reply);
    }

    /// The old values of an atomic operation.
    pub fn deliver_atomic(&mut self, result: &AtomicResult) {
        let warp = &mut self.warps[usize::from(result.slot)];
        if warp.generation == result.generation {
            if let Some(register) = result.register {
                warp.state.write_rows(u32::from(register), &result.values[..result.rows.min(4)], result.mask);
            }
            if let Some((predicate, lanes)) = result.swapped {
                warp.state.write_predicate(predicate, lanes, result.mask);
            }
        }
    }

    /// Takes what has been asked of level two since the last call, in order of time.
    pub fn take_requests(&mut self, requests: &mut Vec<Request>) {
        requests.append(&mut self.lsu.outbox);
    }

    /// Takes the blocks that have ended since the last call.
    pub fn take_ends(&mut self) -> Vec<BlockEnd> {
        std::mem::take(&mut self.ends)
    }

    /// What has been done to global memory in this epoch.
    #[must_use]
    pub fn log(&self) -> &StoreLog {
        &self.log
    }

    /// The changes of this epoch have been applied to the image.
    pub fn clear_log(&mut self) {
        self.log.clear();
        self.overlay.clear();
    }

    /// Whether nothing is resident, coming or under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.resident == 0 && self.starts.is_empty() && self.inbox.is_empty() && self.lsu.is_idle()
    }

    /// The next cycle in which something can happen without news from outside, or never.
    #[must_use]
    pub fn next_event(&self) -> Cycle {
        let ready = self.subs.iter().any(|sub| sub.ready != 0);
        if ready { self.now } else { self.next_known() }
    }

    /// Warp instructions executed.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions.warp
    }

    /// The first and the last cycle in which an instruction issued.
    #[must_use]
    pub fn issue_span(&self) -> Option<(Cycle, Cycle)> {
        self.first_issue.map(|first| (first, self.last_issue))
    }

    /// Advances to cycle `end`, alone.
    ///
    /// # Errors
    /// When an instruction faults.
    pub fn run_until(
        &mut self,
        end: Cycle,
        launch: &LaunchSpec,
        image: &MemoryImage,
        observer: &mut dyn Observer,
    ) -> Result<(), Box<LaunchFault>> {
        while self.now < end {
            self.happen(launch, observer);
            let mut eligible = false;
            let mut readiness: SmallVec<[Readiness; 4]> = SmallVec::new();
            for sub in 0..self.subs.len() {
                let one = self.readiness(sub);
                if one.eligible != 0 {
                    eligible = true;
                    self.issue_one(sub, &one, launch, image, observer)?;
                }
                readiness.push(one);
            }
            let next = if eligible { self.now + 1 } else { self.next_cycle(&readiness).min(end) };
            self.charge_ready(&readiness, next - self.now, observer);
            self.now = next;
        }
        Ok(())
    }

    fn readiness(&self, sub: usize) -> Readiness {
        if self.subs[sub].ready == 0 {
            return Readiness { next_free: Cycle::NEVER, ..Readiness::default() };
        }
        self.subs[sub].readiness(self.now, self.lsu.is_full(sub))
    }

    /// The next cycle in which something can happen when no warp is eligible now.
    fn next_cycle(&self, readiness: &[Readiness]) -> Cycle {
        let units = readiness.iter().map(|one| one.next_free).min().unwrap_or(Cycle::NEVER);
        self.next_known().min(units).max(self.now + 1)
    }

    fn next_known(&self) -> Cycle {
        let reply = self.inbox.front().map_or(Cycle::NEVER, |reply| reply.at);
        let start = self.starts.front().map_or(Cycle::NEVER, |start| start.at);
        self.events.next().min(self.lsu.next_start().0).min(reply).min(start)
    }

    /// Picks one of the eligible warps and issues its instruction.
    fn issue_one(
        &mut self,
        sub: usize,
        readiness: &Readiness,
        launch: &LaunchSpec,
        image: &MemoryImage,
        observer: &mut dyn Observer,
    ) -> Result<(), Box<LaunchFault>> {
        let eligible = readiness.eligible;
        let scheduler = &mut self.subs[sub];
        let picked = scheduler.policy.pick(eligible, &scheduler.ages, scheduler.long_waits);
        let counters = &mut scheduler.counters;
        counters.issue_cycles += 1;
        counters.eligible_cycles += 1;
        counters.eligible_warp_cycles += u64::from(eligible.count_ones());
        counters.states[WarpState::Selected.index()] += 1;
        counters.states[WarpState::NotSelected.index()] += u64::from(eligible.count_ones() - 1);
        if self.watched {
            self.watch_ready(sub, eligible & !(1 << picked), WarpState::NotSelected, 1, observer);
        }
        self.issue(sub, picked, launch, image, observer)
    }

    /// Charges the cycles until `now + cycles` to ready warps that a unit or queue holds back.
    fn charge_ready(&mut self, readiness: &[Readiness], cycles: u64, observer: &mut dyn Observer) {
        for (sub, one) in readiness.iter().enumerate() {
            if one.math | one.global | one.shared == 0 {
                continue;
            }
            self.subs[sub].charge(one, cycles);
            if self.watched {
                let stalled = WarpState::Stalled;
                self.watch_ready(sub, one.math, stalled(StallReason::MathPipeThrottle), cycles, observer);
                self.watch_ready(sub, one.global, stalled(StallReason::LgThrottle), cycles, observer);
                self.watch_ready(sub, one.shared, stalled(StallReason::MioThrottle), cycles, observer);
            }
        }
    }

    fn watch_ready(
        &self,
        sub: usize,
        warps: u64,
        state: WarpState,
        cycles: u64,
        observer: &mut dyn Observer,
    ) {
        let mut rest = warps;
        while rest != 0 {
            let slot = self.slot(sub, rest.trailing_zeros());
            rest &= rest - 1;
            self.watch(slot, state, self.now, self.now + cycles, observer);
        }
    }

    pub(crate) fn watch(
        &self,
        slot: usize,
        state: WarpState,
        from: Cycle,
        to: Cycle,
        observer: &mut dyn Observer,
    ) {
        let pc = self.warps[slot].state.paths.current().map_or(0, |path| path.pc);
        let interval = StateInterval { slot: WarpSlot(slot as u8), state, pc, from, to };
        observer.state(self.id, interval);
    }

    /// The place of a warp of a sub-partition.
    pub(crate) fn slot(&self, sub: usize, warp: u32) -> usize {
        warp as usize * self.subs.len() + sub
    }

    /// Everything that happens at the start of this cycle.
    fn happen(&mut self, launch: &LaunchSpec, observer: &mut dyn Observer) {
        let now = self.now;
        let mut outcomes = std::mem::take(&mut self.outcomes);
        while self.inbox.front().is_some_and(|reply| reply.at <= now) {
            if let Some(reply) = self.inbox.pop_front() {
                self.lsu.reply(&reply, &mut outcomes);
            }
        }
        let (start, sub) = self.lsu.next_start();
        if start <= now {
            self.lsu.start(now, sub, &mut outcomes);
        }
        for outcome in outcomes.drain(..) {
            self.memory_outcome(outcome, launch, observer);
        }
        self.outcomes = outcomes;
        self.take_events(launch, observer);
        while self.starts.front().is_some_and(|start| start.at <= now) {
            if let Some(start) = self.starts.pop_front() {
                self.start_block(start, launch, observer);
            }
        }
    }

    fn take_events(&mut self, launch: &LaunchSpec, observer: &mut dyn Observer) {
        if self.events.next() > self.now {
            return;
        }
        let mut due = std::mem::take(&mut self.due);
        self.events.take(self.now, &mut due);
        for event in due.drain(..) {
            match event {
                Event::Wake { slot, generation } => {
                    self.wake(usize::from(slot), generation, launch, observer)
                }
                Event::Release { slot, generation, counter } => {
                    self.release(usize::from(slot), generation, counter, launch, observer);
                }
            }
        }
        self.due = due;
    }

    fn memory_outcome(&mut self, outcome: Outcome, launch: &LaunchSpec, observer: &mut dyn Observer) {
        match outcome {
            Outcome::Release { slot, generation, counter, at } => {
                self.events.push(at.max(self.now), Event::Release { slot, generation, counter });
            }
            Outcome::Sent { slot, generation, requests } => {
                let warp = &mut self.warps[usize::from(slot)];
                if warp.generation == generation {
                    warp.unsent -= 1;
                    warp.unacknowledged += requests;
                    self.settle(usize::from(slot), launch, observer);
                }
            }
            Outcome::Acknowledged { slot, generation } => {
                let warp = &mut self.warps[usize::from(slot)];
                if warp.generation == generation {
                    warp.unacknowledged -= 1;
                    self.settle(usize::from(slot), launch, observer);
                }
            }
        }
    }

    /// A store has moved on: a warp that waited for it may go on.
    fn settle(&mut self, slot: usize, launch: &LaunchSpec, observer: &mut dyn Observer) {
        let warp = &self.warps[slot];
        match warp.phase {
            Phase::Event(StallReason::Drain) if warp.unsent == 0 => self.end_warp(slot, observer),
            Phase::Event(StallReason::Membar) if warp.unsent + warp.unacknowledged == 0 => {
                self.leave_phase(slot, observer);
                self.prepare(slot, launch);
            }
            _ => {}
        }
    }

    fn start_block(&mut self, start: BlockStart, launch: &LaunchSpec, observer: &mut dyn Observer) {
        if self.resident == 0 {
            self.active_since = self.now;
        }
        self.resident += 1;
        let place = self.blocks.iter().position(Option::is_none).unwrap_or(self.blocks.len());
        if place == self.blocks.len() {
            self.blocks.push(None);
        }
        let mut block = ResidentBlock {
            number: start.block,
            coordinates: launch.shape.block_index(start.block),
            shared: SharedMemory::new(launch.shared_bytes),
            barriers: BlockBarriers::default(),
            slots: SmallVec::new(),
            live_warps: launch.warps_per_block as u32,
        };
        for index in 0..launch.warps_per_block {
            let slot = self.free_slot();
            block.slots.push(slot as u8);
            self.start_warp(slot, place, index as u32, start.warp_interval, launch);
        }
        if self.watched {
            let slots: Vec<WarpSlot> = block.slots.iter().map(|&slot| WarpSlot(slot)).collect();
            observer.block_started(self.now, self.id, BlockId(start.block), &slots);
        }
        self.blocks[place] = Some(block);
    }

    /// A free place in the sub-partition with the fewest warps.
    fn free_slot(&self) -> usize {
        let subs = self.subs.len();
        let fewest = (0..subs).min_by_key(|&sub| self.subs[sub].resident.count_ones()).unwrap_or(0);
        let warp = (!self.subs[fewest].resident).trailing_zeros();
        self.slot(fewest, warp)
    }

    fn start_warp(&mut self, slot: usize, block: usize, index: u32, warp_interval: u64, launch: &LaunchSpec) {
        let divergence = self.spec.divergence;
        while self.warps.len() <= slot {
            let registers = Registers::new(&launch.code, &launch.shape, 0, divergence);
            self.warps.push(Warp::new(registers));
        }
        self.next_age += 1;
        let (sub, local) = (slot % self.subs.len(), (slot / self.subs.len()) as u32);
        self.subs[sub].enter(local, self.next_age, self.now);
        let warp = &mut self.warps[slot];
        warp.state.restart(&launch.code, &launch.shape, index, divergence);
        warp.block = block as u8;
        warp.generation += 1;
        warp.counters = Default::default();
        warp.pending = 0;
        warp.long = 0;
        warp.unacknowledged = 0;
        warp.unsent = 0;
        warp.exited = false;
        warp.entered = self.now;
        warp.since = self.now;
        let first = self.now + u64::from(index) * warp_interval;
        let fetched = first + self.fetch.delay(sub, u32::MAX - 8, 0);
        let then = (fetched > first).then_some((StallReason::NoInstruction, fetched));
        // Events of this cycle have been taken: what is due now must not become one.
        match then {
            _ if first > self.now => self.wait_until(slot, StallReason::DispatchStall, first, then),
            Some((reason, at)) => self.wait_until(slot, reason, at, None),
            None => self.prepare(slot, launch),
        }
    }

    /// The warp has issued its last instruction and its stores have left.
    pub(crate) fn end_warp(&mut self, slot: usize, observer: &mut dyn Observer) {
        self.leave_phase(slot, observer);
        let (sub, local) = (slot % self.subs.len(), (slot / self.subs.len()) as u32);
        let warp = &mut self.warps[slot];
        warp.phase = Phase::Empty;
        let end = warp.since;
        self.subs[sub].counters.warp_cycles += end.since(warp.entered);
        self.subs[sub].leave(local, end);
        self.ended_warps += 1;
        if self.watched {
            observer.warp_ended(end, self.id, WarpSlot(slot as u8));
        }
        let place = usize::from(self.warps[slot].block);
        let Some(block) = &mut self.blocks[place] else { return };
        block.live_warps -= 1;
        if block.live_warps == 0 {
            self.blocks[place] = None;
            self.ended_blocks += 1;
            self.resident -= 1;
            self.ends.push(BlockEnd { at: end + self.spec.block_end });
            if self.resident == 0 {
                self.active_cycles += end.since(self.active_since);
            }
        } else {
            self.check_barriers(place, observer);
        }
    }

    /// The counters as they are now.
    #[must_use]
    pub fn counters(&self) -> SmCounters {
        SmCounters {
            active_cycles: self.active_cycles,
            blocks: self.ended_blocks,
            warps: self.ended_warps,
            instructions: self.instructions.clone(),
            schedulers: self.subs.iter().map(|sub| sub.counters).collect(),
            l1: self.lsu.counters,
            shared: self.shared_counters,
            memory_queue: self.lsu.queue_counters.clone(),
            loads: self.lsu.load_counters.clone(),
            l1_misses: self.lsu.miss_counters.clone(),
            send_port: self.lsu.port_counters.clone(),
        }
    }

    /// The warps that have not ended, and where they wait.
    #[must_use]
    pub fn waiting_warps(&self) -> Vec<WaitingWarp> {
        self.warps
            .iter()
            .filter(|warp| warp.phase != Phase::Empty)
            .map(|warp| self.waiting_warp(warp))
            .collect()
    }

    fn waiting_warp(&self, warp: &Warp) -> WaitingWarp {
        let block = self.blocks[usize::from(warp.block)].as_ref().map_or(0, |block| block.number);
        let paths = warp.state.paths.all();
        let pc = warp.state.paths.current().or(paths.first()).map_or(0, |path| path.pc);
        let reason = match warp.phase {
            Phase::Timed { reason, .. } | Phase::Event(reason) | Phase::Counters(reason) => reason.name(),
            Phase::Ready | Phase::Empty => "not_selected",
        };
        WaitingWarp { block, warp: warp.state.index, pc, reason }
    }

    /// Turns the hazard checker on.
    pub fn check_hazards(&mut self, table: Arc<HazardTable>) {
        self.hazards = Some(Box::new(HazardChecker::new(table)));
    }

    /// What the hazard checker has found, if it is on.
    #[must_use]
    pub fn hazards(&self) -> Option<&Hazards> {
        self.hazards.as_ref().map(|checker| &checker.hazards)
    }

    /// Turns watching on: intervals of warp states go to the observer.
    pub fn watch_states(&mut self) {
        self.watched = true;
    }
}
