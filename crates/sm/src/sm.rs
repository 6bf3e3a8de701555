//! The SM's own loop: events, issue, and the jump to the next cycle in which anything can happen.

use crate::blocks::{BlockEnd, BlockStart, ResidentBlock};
use crate::bulk::BulkUnit;
use crate::constants::Constants;
use crate::context::Context;
use crate::events::{Event, Events};
use crate::fence::Fences;
use crate::fetch::Fetch;
use crate::hazards::HazardChecker;
use crate::lsu::{LoadStoreUnit, Outcome};
use crate::peers::Peers;
use crate::pipes::QueuedUnit;
use crate::spec::SmSpec;
use crate::sub_partition::{HELD_BACK_BY, Readiness, SubPartition};
use crate::values::{AtomicResult, Overlay, StoreLog};
use crate::wakes::Wakes;
use crate::warp::{Phase, Warp};
use crate::warpgroup::ProductUnit;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::VecDeque;
use warplab_exec::{AccessRecord, LaunchFault, PrintedLines, SharedMemory, SystemRecord};
use warplab_memory::{Reply, Request};
use warplab_trace::{InstructionCounters, Observer, SharedCounters, WarpState};
use warplab_units::{Cycle, SmId, fetch_all_ahead};

/// Sub-partitions of different SMs have streams of random numbers of their own.
const MOST_SUB_PARTITIONS: u64 = 64;

/// The state of one SM. Its description and the launch come in a [`Context`]; a clone runs on as the original does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sm {
    pub(crate) id: SmId,
    /// The number that it calls its own.
    pub(crate) number: u32,
    pub(crate) now: Cycle,
    pub(crate) warps: Vec<Warp>,
    pub(crate) sub_partitions: Vec<SubPartition>,
    pub(crate) blocks: Vec<Option<ResidentBlock>>,
    /// Shared memory of blocks that have ended, for those that come.
    #[serde(skip)]
    pub(crate) free_memories: Vec<SharedMemory>,
    pub(crate) events: Events,
    pub(crate) wakes: Wakes,
    pub(crate) lsu: LoadStoreUnit,
    pub(crate) bulk: Box<BulkUnit>,
    pub(crate) peers: Box<Peers>,
    pub(crate) products: Box<ProductUnit>,
    pub(crate) fetch: Fetch,
    pub(crate) constants: Constants,
    pub(crate) overlay: Overlay,
    pub(crate) log: StoreLog,
    pub(crate) printed: PrintedLines,
    inbox: VecDeque<Reply>,
    /// When the first of these comes, or a message of another SM of a cluster, or never.
    pub(crate) next_reply: Cycle,
    /// When something can start in the LSU, as far as is known, or never.
    pub(crate) next_operation: Cycle,
    /// The unit behind the queues of constant loads.
    pub(crate) queued: QueuedUnit,
    starts: VecDeque<BlockStart>,
    /// When the first of these comes, or never.
    next_start: Cycle,
    pub(crate) ends: Vec<BlockEnd>,
    pub(crate) instructions: InstructionCounters,
    pub(crate) shared_counters: SharedCounters,
    pub(crate) first_issue: Option<Cycle>,
    pub(crate) last_issue: Cycle,
    pub(crate) fences: Fences,
    /// When the SM can take the next arrival at a block barrier.
    pub(crate) barrier_free: Cycle,
    /// Blocks that are resident.
    pub(crate) resident: u32,
    pub(crate) active_since: Cycle,
    pub(crate) active_cycles: u64,
    pub(crate) ended_blocks: u64,
    pub(crate) ended_warps: u64,
    pub(crate) next_age: u64,
    /// Every warp that could issue is held back by a formula, and only what comes from outside can change that.
    pub(crate) held: bool,
    /// When a ready warp can issue, or something else happens, if nothing comes from outside before.
    next_ready: Cycle,
    /// Since when no warp has issued because of that, even if the formula may let one go.
    held_since: Option<Cycle>,
    pub(crate) watched: bool,
    /// Blocks that come go to the observer.
    pub(crate) tells_blocks: bool,
    pub(crate) hazards: Option<Box<HazardChecker>>,
    #[serde(skip)]
    pub(crate) scratch: Scratch,
}

/// A formula that has held back every warp for so many cycles, while nothing is under way, is taken to do so for ever.
const LONGEST_HOLD: u64 = 1_000_000;

/// Space that is used again in every cycle and holds nothing between two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    outcomes: Vec<Outcome>,
    pub(crate) record: AccessRecord,
    pub(crate) system: SystemRecord,
}

impl Sm {
    /// An idle SM with cold caches.
    #[must_use]
    pub fn new(id: SmId, spec: &SmSpec) -> Sm {
        let stream = |number| u64::from(id.0) * MOST_SUB_PARTITIONS + number;
        let sub_partition = |number| SubPartition::new(&spec.scheduler, stream(number));
        Sm {
            id,
            number: spec.number(id),
            now: Cycle(0),
            warps: Vec::new(),
            sub_partitions: (0..spec.sub_partitions as u64).map(sub_partition).collect(),
            blocks: Vec::new(),
            free_memories: Vec::new(),
            events: Events::new(),
            wakes: Wakes::new(spec.sub_partitions),
            lsu: LoadStoreUnit::new(spec, id),
            bulk: Box::default(),
            peers: Box::default(),
            products: Box::default(),
            fetch: Fetch::new(&spec.fetch, spec.sub_partitions, spec.distance(id)),
            constants: Constants::new(spec.constants.as_ref(), id, spec.distance(id)),
            overlay: Overlay::default(),
            log: StoreLog::default(),
            printed: PrintedLines::default(),
            inbox: VecDeque::new(),
            next_reply: Cycle::NEVER,
            next_operation: Cycle::NEVER,
            queued: QueuedUnit::default(),
            fences: Fences::default(),
            starts: VecDeque::new(),
            next_start: Cycle::NEVER,
            ends: Vec::new(),
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
            held: false,
            next_ready: Cycle(0),
            barrier_free: Cycle(0),
            held_since: None,
            watched: false,
            tells_blocks: false,
            hazards: None,
            scratch: Scratch::default(),
        }
    }

    /// A block will come; blocks must be given in order of time.
    pub fn give(&mut self, start: BlockStart) {
        self.next_start = self.next_start.min(start.at);
        self.starts.push_back(start);
    }

    /// A reply will arrive; replies must be given in order of time.
    pub fn deliver(&mut self, reply: Reply) {
        self.next_reply = self.next_reply.min(reply.at);
        self.inbox.push_back(reply);
    }

    /// Slices have taken so many flits of what it sent, which it knows from `at` on.
    pub fn give_back(&mut self, flits: u32, at: Cycle) {
        self.lsu.credits.give_back(flits, at);
    }

    /// When credits for the crossbar come back that the LSU waits for, or never.
    #[must_use]
    pub fn next_credit(&self) -> Cycle {
        self.lsu.credits.next_return()
    }

    /// Writes the old values of an atomic operation into the registers of the warp that asked.
    pub fn deliver_atomic(&mut self, result: &AtomicResult) {
        let warp = &mut self.warps[usize::from(result.slot)];
        if let Some(register) = result.register.filter(|_| warp.generation == result.generation) {
            let values = &result.values[..result.rows.min(4)];
            warp.state.write_rows(result.row, u32::from(register), values, result.mask);
        }
    }

    /// Takes what has been asked of L2 since the last call, in order of time, but for what a store may still join after `end`.
    pub fn take_requests(&mut self, end: Cycle, requests: &mut Vec<Request>) {
        self.lsu.port.take(end, requests);
    }

    /// The blocks that have ended; the device takes them out.
    pub fn ends(&mut self) -> &mut Vec<BlockEnd> {
        &mut self.ends
    }

    /// When the first request begins to leave that [`Sm::take_requests`] has kept.
    #[must_use]
    pub fn kept_until(&self) -> Cycle {
        self.lsu.port.kept_until
    }

    /// The changes that this SM has made to global memory in this epoch.
    #[must_use]
    pub fn log(&self) -> &StoreLog {
        &self.log
    }

    /// The changes of this epoch have been applied to device memory.
    pub fn clear_log(&mut self) {
        self.log.clear();
        self.overlay.clear();
    }

    /// Whether it has stored to global or local memory.
    #[must_use]
    pub fn has_written(&self) -> bool {
        self.lsu.has_written
    }

    /// Whether nothing is resident, coming or under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.resident == 0
            && self.starts.is_empty()
            && self.inbox.is_empty()
            && self.lsu.is_idle()
            && self.peers.is_idle()
    }

    /// The next cycle in which something can happen without news from outside, or never.
    #[must_use]
    pub fn next_event(&self) -> Cycle {
        let ready = self.sub_partitions.iter().any(|sub| sub.ready != 0);
        if ready && !self.held { self.next_ready.max(self.now) } else { self.next_known() }
    }

    fn next_known(&self) -> Cycle {
        let event = self.events.next().min(self.wakes.next());
        let lsu = self.next_operation.min(self.next_credit());
        event.min(lsu).min(self.next_reply).min(self.next_start)
    }

    /// Advances to cycle `until`, alone.
    ///
    /// # Errors
    /// When an instruction faults.
    pub fn advance(
        &mut self,
        until: Cycle,
        context: &Context<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), Box<LaunchFault>> {
        let alone = !self.watched && self.hazards.is_none();
        Advance { sm: self, context, observer, alone }.until(until)
    }

    /// The slot of a warp of a sub-partition.
    pub(crate) fn slot(&self, sub: usize, warp: u32) -> usize {
        warp as usize * self.sub_partitions.len() + sub
    }
}

/// An SM that advances: its state, what it reads, and who watches.
pub(crate) struct Advance<'a> {
    pub(crate) sm: &'a mut Sm,
    pub(crate) context: &'a Context<'a>,
    pub(crate) observer: &'a mut dyn Observer,
    /// Whether neither an observer nor the hazard checker is told what warps do.
    pub(crate) alone: bool,
}

/// Sub-partitions with ready warps that cannot issue.
pub(crate) type HeldBack = SmallVec<[(usize, Readiness); 4]>;

impl Advance<'_> {
    /// Advances to cycle `until`. What was held back on the way is charged at its end.
    fn until(&mut self, until: Cycle) -> Result<(), Box<LaunchFault>> {
        fetch_all_ahead(&*self.sm);
        fetch_all_ahead(&self.sm.sub_partitions[..]);
        self.sm.lsu.fetch_for(self.sm.inbox.iter().take_while(|reply| reply.at < until));
        let result = self.cycles(until);
        let now = self.sm.now;
        self.sm.sub_partitions.iter_mut().for_each(|sub| sub.end_hold(now));
        result
    }

    /// Cycle after cycle: first what is due, then each scheduler issues; time goes to the next cycle in which anything
    /// can happen, and the cycles until then are charged to what each warp waits for.
    fn cycles(&mut self, until: Cycle) -> Result<(), Box<LaunchFault>> {
        let by_formula = self.context.spec.scheduler.is_formula();
        while self.sm.now < until {
            self.take_due();
            let next = if !self.context.spec.issues_one_each {
                self.issue_by_rules(until)?
            } else if self.alone && !by_formula {
                self.issue_unwatched()?
            } else {
                self.issue_each(by_formula, until)?
            };
            self.sm.next_ready = next;
            self.sm.now = next.min(until);
        }
        Ok(())
    }

    /// One cycle in which each scheduler issues, while nobody watches and no formula decides; the next cycle in which
    /// anything can happen. Sub-partitions of which nothing has changed are passed by.
    #[inline(always)]
    fn issue_unwatched(&mut self) -> Result<Cycle, Box<LaunchFault>> {
        let now = self.sm.now;
        let mut next = Cycle::NEVER;
        for sub in 0..self.sm.sub_partitions.len() {
            let sub_partition = &mut self.sm.sub_partitions[sub];
            if sub_partition.hold.until > now {
                next = next.min(sub_partition.hold.until);
                continue;
            }
            let eligible = sub_partition.look(now);
            if eligible == 0 {
                next = next.min(sub_partition.hold.until);
                continue;
            }
            let picked = sub_partition.pick(eligible, now);
            if self.issue_computation(sub, picked) {
                next = next.min(self.sm.sub_partitions[sub].rest());
            } else {
                self.issue_any(sub, picked)?;
                next = Cycle(0);
            }
        }
        let following = now.later(1);
        Ok(if next <= following { following } else { self.next_cycle(next) })
    }

    /// One cycle in which each scheduler issues; the next cycle in which anything can happen.
    #[inline(never)]
    fn issue_each(&mut self, by_formula: bool, until: Cycle) -> Result<Cycle, Box<LaunchFault>> {
        let mut held_back: HeldBack = SmallVec::new();
        let mut eligible = false;
        let mut next_free = Cycle::NEVER;
        for sub in 0..self.sm.sub_partitions.len() {
            if self.sm.sub_partitions[sub].ready == 0 {
                continue;
            }
            let mut readiness = self.readiness(sub);
            if readiness.eligible == 0 {
                self.sm.sub_partitions[sub].find_none();
            }
            if readiness.eligible != 0 && by_formula {
                readiness.held = self.select_by_formula(sub, &readiness)?;
                eligible |= readiness.held != readiness.eligible;
            } else if readiness.eligible != 0 {
                eligible = true;
                self.select(sub, &readiness)?;
            }
            if readiness.holds_back() {
                next_free = next_free.min(readiness.next_free);
                held_back.push((sub, readiness));
            }
        }
        let mut next = if eligible { self.sm.now + 1 } else { self.next_cycle(next_free) };
        if by_formula {
            next = self.hold(eligible, &held_back, next.min(until));
        }
        self.charge_ready(&held_back, next.min(until) - self.sm.now);
        Ok(next)
    }

    /// Everything that happens at the start of this cycle: replies, the LSU, events of warps, blocks that come.
    fn take_due(&mut self) {
        let now = self.sm.now;
        if self.sm.next_reply <= now || self.sm.next_credit() <= now || self.sm.next_operation <= now {
            self.run_lsu();
        }
        self.take_events();
        if self.sm.next_start <= now {
            while let Some(start) = self.sm.starts.pop_front_if(|start| start.at <= now) {
                self.start_block(start);
            }
            self.sm.next_start = self.sm.starts.front().map_or(Cycle::NEVER, |start| start.at);
        }
    }

    /// The LSU takes the replies of this cycle and starts an operation if one can start.
    fn run_lsu(&mut self) {
        let now = self.sm.now;
        if self.sm.next_reply <= now || self.sm.next_credit() <= now {
            self.take_peer_messages();
            self.take_replies();
        }
        if self.sm.next_operation <= now {
            let Sm { lsu, sub_partitions, scratch, .. } = &mut *self.sm;
            let spec = &self.context.spec.lsu;
            for sub in lsu.advance(now, spec, &mut scratch.outcomes).into_iter().flatten() {
                sub_partitions[sub].fill_queue(lsu.queues.is_full(sub, &spec.queue));
            }
            self.sm.next_operation = lsu.next_operation(spec).max(now + 1);
        }
        for number in 0..self.sm.scratch.outcomes.len() {
            self.memory_outcome(self.sm.scratch.outcomes[number]);
        }
        self.sm.scratch.outcomes.clear();
        self.pass_fences();
        if self.sm.watched {
            self.watch_levels();
        }
    }

    /// The LSU takes the replies and credits of this cycle.
    fn take_replies(&mut self) {
        let Sm { lsu, inbox, peers, scratch, now, next_operation, next_reply, .. } = &mut *self.sm;
        let was_blocked = lsu.queues.blocked_since().is_some();
        while let Some(reply) = inbox.pop_front_if(|reply| reply.at <= *now) {
            if let Some(next) = lsu.reply(&reply, &self.context.spec.lsu, &mut scratch.outcomes) {
                *next_operation = (*next_operation).min(next);
            }
        }
        if lsu.credits.next_return() <= *now {
            lsu.take_credits(*now, &self.context.spec.lsu, &mut scratch.outcomes);
        }
        if was_blocked && lsu.queues.blocked_since().is_none() {
            *next_operation = lsu.next_operation(&self.context.spec.lsu);
        }
        *next_reply = inbox.front().map_or(Cycle::NEVER, |reply| reply.at).min(peers.next());
    }

    /// Tells the observer what waits and is under way in the LSU.
    pub(crate) fn watch_levels(&mut self) {
        self.observer.levels(self.sm.now, self.sm.id, self.sm.lsu.levels());
    }

    #[inline]
    fn take_events(&mut self) {
        let mut woken = self.sm.wakes.take(self.sm.now);
        while woken != 0 {
            self.wake(self.sm.wakes.first(woken));
            woken &= woken - 1;
        }
        while let Some(event) = self.sm.events.take(self.sm.now) {
            match event {
                Event::Wake { slot, generation } => self.wake_late(usize::from(slot), generation),
                Event::Release { slot, generation, counter } => {
                    self.release(usize::from(slot), generation, counter);
                }
                Event::Sent { slot, generation, requests } => {
                    self.sent(usize::from(slot), generation, requests);
                }
                Event::BulkStep => self.step_bulk(),
                Event::BulkRead { copy } => self.bulk_read(copy),
                Event::BulkLine { copy } => self.bulk_line(copy),
                Event::WaitedEnough { slot, serial } => self.waited_enough(slot, serial),
            }
        }
    }

    /// What has happened to an instruction that another SM of a cluster has something to do with.
    #[cold]
    #[inline(never)]
    pub(crate) fn peer_outcome(&mut self, outcome: Outcome) {
        self.memory_outcome(outcome);
    }

    #[inline(always)]
    fn memory_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Release { slot, generation, counter, at } => {
                // Not at once, but soon: the warp goes on then.
                fetch_all_ahead(&self.sm.warps[usize::from(slot)]);
                self.sm.events.push(at.max(self.sm.now), Event::Release { slot, generation, counter });
            }
            Outcome::Sent { slot, generation, requests, at } if at > self.sm.now => {
                self.sm.events.push(at, Event::Sent { slot, generation, requests });
            }
            Outcome::Sent { slot, generation, requests, .. } => {
                self.sent(usize::from(slot), generation, requests);
            }
            Outcome::Held { slot, generation, requests } => {
                self.sm.fences.sent(requests);
                let warp = &mut self.sm.warps[usize::from(slot)];
                if warp.generation == generation {
                    warp.unacknowledged += u32::from(requests);
                }
            }
            Outcome::BulkLine { copy } => self.bulk_line(copy),
            Outcome::ToPeers { number, owner, at } => self.send_to_peers(number, owner, at),
            Outcome::Acknowledged { slot, generation } => {
                let warp = &mut self.sm.warps[usize::from(slot)];
                if warp.generation == generation {
                    warp.unacknowledged -= 1;
                }
                self.sm.fences.acknowledged();
                self.pass_fences();
            }
        }
    }

    /// A store of a warp has left for L2.
    fn sent(&mut self, slot: usize, generation: u32, requests: u16) {
        self.sm.fences.sent(requests);
        self.sm.fences.left();
        let warp = &mut self.sm.warps[slot];
        if warp.generation == generation {
            warp.unsent -= 1;
            warp.drained = self.sm.now + self.context.spec.drain;
            warp.unacknowledged += u32::from(requests);
            if warp.phase == Phase::Draining {
                self.drain(slot);
            }
        }
        self.pass_fences();
    }

    #[inline(always)]
    pub(crate) fn readiness(&self, sub: usize) -> Readiness {
        self.sm.sub_partitions[sub].readiness(self.sm.now)
    }

    /// The next cycle in which something can happen when no warp is eligible now and a unit that holds one back becomes
    /// free at `next_free`.
    #[inline(always)]
    pub(crate) fn next_cycle(&self, next_free: Cycle) -> Cycle {
        self.sm.next_known().min(next_free).max(self.sm.now + 1)
    }

    /// The scheduler picks one of the eligible warps, whose instruction issues.
    fn select(&mut self, sub: usize, readiness: &Readiness) -> Result<(), Box<LaunchFault>> {
        let eligible = readiness.eligible;
        let picked = self.sm.sub_partitions[sub].pick(eligible, self.sm.now);
        if self.sm.watched {
            self.watch_ready(sub, eligible & !(1 << picked), WarpState::NotSelected, 1);
        }
        self.issue(sub, picked)
    }

    /// The formula picks one of the eligible warps, whose instruction issues, or none. The warps that it holds back.
    fn select_by_formula(&mut self, sub: usize, readiness: &Readiness) -> Result<u64, Box<LaunchFault>> {
        let eligible = readiness.eligible;
        let Sm { now, warps, sub_partitions, .. } = &mut *self.sm;
        let count = sub_partitions.len();
        let loads = |warp: u32| warps[warp as usize * count + sub].counters.long_operations();
        let pick = sub_partitions[sub].pick_by_formula(eligible, *now, loads);
        let Some(picked) = pick.warp else { return Ok(pick.held) };
        if self.sm.watched {
            self.watch_ready(sub, eligible & !pick.held & !(1 << picked), WarpState::NotSelected, 1);
        }
        self.issue(sub, picked)?;
        Ok(pick.held)
    }

    /// The next cycle when formulas may hold warps back: a formula with time in it is asked again in every cycle,
    /// unless it has refused for very long while nothing was under way.
    fn hold(&mut self, issued: bool, held_back: &[(usize, Readiness)], next: Cycle) -> Cycle {
        let sm = &mut *self.sm;
        if held_back.is_empty() && sm.held_since.is_none() {
            return next;
        }
        let holds = held_back.iter().any(|(_, one)| one.held != 0);
        let only = held_back.iter().all(|(_, one)| one.math | one.global | one.shared | one.behind == 0);
        if issued || !holds || !only {
            (sm.held, sm.held_since) = (false, None);
            return next;
        }
        let timed = held_back.iter().any(|&(sub, _)| sm.sub_partitions[sub].is_timed());
        let expects = sm.next_known() != Cycle::NEVER || !sm.lsu.is_idle();
        let since = *sm.held_since.get_or_insert(sm.now);
        let for_ever = !expects && sm.now.since(since) >= LONGEST_HOLD;
        sm.held = !timed || for_ever;
        if timed && !for_ever { next.min(sm.now + 1) } else { next }
    }

    /// Charges the cycles until `now + cycles` to ready warps that a pipe or a queue holds back.
    #[inline(always)]
    pub(crate) fn charge_ready(&mut self, held_back: &[(usize, Readiness)], cycles: u64) {
        for &(sub, ref one) in held_back {
            self.sm.sub_partitions[sub].charge(one, cycles);
            if self.sm.watched {
                for (reason, warps) in HELD_BACK_BY.into_iter().zip(one.held_back()) {
                    self.watch_ready(sub, warps, WarpState::Stalled(reason), cycles);
                }
            }
        }
    }

    pub(crate) fn watch_ready(&mut self, sub: usize, warps: u64, state: WarpState, cycles: u64) {
        let (now, mut rest) = (self.sm.now, warps);
        while rest != 0 {
            let slot = self.sm.slot(sub, rest.trailing_zeros());
            rest &= rest - 1;
            self.watch(slot, state, now, now + cycles);
        }
    }
}
