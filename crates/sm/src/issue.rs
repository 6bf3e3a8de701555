//! Issue of one instruction.

use crate::constants::ConstantUse;
use crate::copies::{COPY_COUNTER, Then};
use crate::events::Event;
use crate::hazards::Issued;
use crate::launch::{IssueInfo, MemoryClass};
use crate::lsu::{Owner, Work};
use crate::sm::{Advance, Sm};
use crate::sub_partition::Delay;
use crate::values::GlobalView;
use crate::warp::{Phase, WaitFor};
use warplab_exec::{Environment, ExecFault, Executed, LaunchFault, Path, Step};
use warplab_program::Opcode;
use warplab_trace::WarpState;
use warplab_units::{Cycle, WarpMask, WarpSlot};

impl Advance<'_> {
    /// Issues the next instruction of a warp of a sub-partition.
    #[inline(always)]
    pub(crate) fn issue(&mut self, sub: usize, local: u32) -> Result<(), Box<LaunchFault>> {
        if self.alone && self.issue_computation(sub, local) {
            return Ok(());
        }
        self.issue_any(sub, local)
    }

    #[inline(never)]
    pub(crate) fn issue_any(&mut self, sub: usize, local: u32) -> Result<(), Box<LaunchFault>> {
        let slot = self.sm.slot(sub, local);
        let executed = match self.execute(slot) {
            Ok(executed) => executed,
            Err(fault) => return Err(self.faulted(slot, fault)),
        };
        if self.sm.hazards.is_some() {
            self.check_hazards(slot, &executed);
        }
        let info = &self.context.launch.issue[executed.pc as usize];
        self.count(info, &executed);
        let now = self.sm.now;
        let delay = self.take(sub, local, info);
        let late = delay.dispatch;
        if self.sm.watched {
            self.watch_at(slot, executed.pc, WarpState::Selected, now, now + 1);
            self.watch(slot, WarpState::Stalled(info.held_as()), now + 1, now + 1 + late);
            self.observer.issued(now, self.sm.id, WarpSlot(slot as u8), executed.pc, executed.mask);
        }
        self.sm.warps[slot].since = now.later(1 + late);
        self.hold_counters(sub, slot, info, &executed, delay.unit);
        if info.packed > 0 {
            return self.issue_packed(sub, slot, info, executed);
        }
        self.follow(slot, info, &executed, now.later(late))
    }

    /// The instruction of a warp takes its unit and the ports of the register file.
    #[inline(always)]
    fn take(&mut self, sub: usize, local: u32, info: &IssueInfo) -> Delay {
        let file = self.context.spec.register_file.as_ref();
        let Sm { sub_partitions, now, queued, .. } = &mut *self.sm;
        sub_partitions[sub].issue(local, info, file, *now, queued)
    }

    /// Issues the next instruction of a warp if all it does is to compute, while nobody watches. Whether it is one.
    #[inline(always)]
    pub(crate) fn issue_computation(&mut self, sub: usize, local: u32) -> bool {
        let slot = self.sm.slot(sub, local);
        let launch = self.context.launch;
        let warp = &mut self.sm.warps[slot];
        let Some(&Path { pc, mask, .. }) = warp.state.paths.current() else { return false };
        let Some(info) = launch.issue.get(pc as usize).filter(|info| info.only_computes) else {
            return false;
        };
        warplab_exec::compute(&launch.code, &mut warp.state, &launch.constants, pc, mask);
        launch.code.fetch_operands(&warp.state, pc + 1);
        let now = self.sm.now;
        self.count_issue(info, mask);
        let late = self.take(sub, local, info).dispatch;
        self.sm.warps[slot].since = now.later(1 + late);
        let next = now.later(late + u64::from(info.stall));
        let fetched = self.fetched(sub, pc, pc + 1, next);
        self.wait_until(slot, Phase::FixedLatency { fetched }, next);
        true
    }

    #[cold]
    pub(crate) fn faulted(&mut self, slot: usize, fault: ExecFault) -> Box<LaunchFault> {
        let pc = self.sm.warps[slot].state.paths.current().map_or(0, |path| path.pc);
        self.sm.fault(slot, pc, fault, self.context.launch)
    }

    /// What the instruction computes.
    #[inline(always)]
    pub(crate) fn execute(&mut self, slot: usize) -> Result<Executed, ExecFault> {
        let (sm, context) = (&mut *self.sm, self.context);
        let warp = &mut sm.warps[slot];
        let Some(block) = &mut sm.blocks[usize::from(warp.block)] else { return Err(ExecFault::PastEnd) };
        let mut global = GlobalView {
            image: context.memory,
            overlay: &mut sm.overlay,
            log: &mut sm.log,
            cycle: sm.now,
            slot: slot as u8,
            generation: warp.generation,
        };
        let mut environment = Environment {
            banks: &context.launch.constants,
            shared: &mut block.shared,
            global: &mut global,
            clock: sm.now.0,
            cycles_per_nanosecond: context.spec.cycles_per_nanosecond,
            sm: sm.number,
            sm_count: context.spec.sm_count,
            warp_slot: slot as u32,
            warp_slots: context.spec.warps as u32,
            block: block.coordinates,
            grid_id: 1,
            record: &mut sm.scratch.record,
            system: &mut sm.scratch.system,
        };
        warplab_exec::step(&context.launch.code, &mut warp.state, &mut environment)
    }

    pub(crate) fn check_hazards(&mut self, slot: usize, executed: &Executed) {
        let (Some(checker), Some(table)) = (&mut self.sm.hazards, self.context.hazards) else { return };
        let issued = Issued {
            slot,
            generation: self.sm.warps[slot].generation,
            pc: executed.pc,
            at: self.sm.now,
            active: executed.active,
            executing: executed.mask,
        };
        checker.issued(table, &issued);
    }

    #[inline(always)]
    pub(crate) fn count(&mut self, info: &IssueInfo, executed: &Executed) {
        self.count_issue(info, executed.active);
        if let Step::Branched { diverged, .. } = executed.step {
            let counters = &mut self.sm.instructions;
            counters.branches += 1;
            counters.divergent_branches += u64::from(diverged);
        }
    }

    /// Counts an instruction of the `active` lanes.
    #[inline(always)]
    fn count_issue(&mut self, info: &IssueInfo, active: WarpMask) {
        let counters = &mut self.sm.instructions;
        counters.warp += 1;
        let all = self.context.launch.all_lanes;
        counters.thread += u64::from(if active == all.0 { all.1 } else { active.count() });
        counters.by_pipe[info.pipe as usize] += 1;
        counters.by_opcode[info.opcode as usize] += 1;
        if self.sm.first_issue.is_none() {
            self.sm.first_issue = Some(self.sm.now);
        }
        self.sm.last_issue = self.sm.now;
    }

    /// The wait counters of an instruction go up that waits `queued` cycles in its unit, and it is known or left to the LSU when
    /// they go down.
    #[inline(always)]
    pub(crate) fn hold_counters(
        &mut self,
        sub: usize,
        slot: usize,
        info: &IssueInfo,
        executed: &Executed,
        queued: u64,
    ) {
        if info.memory == MemoryClass::CopyGroup {
            return self.hold_for_copies(slot, info);
        }
        if info.memory != MemoryClass::None
            && let Some(work) = self.watched_memory_work(slot, info, executed)
        {
            return self.hold_for_memory(sub, slot, info, work);
        }
        let mut latency = if executed.mask.is_empty() { 1 } else { u64::from(info.latency).max(1) + queued };
        let passes = matches!(info.constant, Some(ConstantUse::Load { .. })) || info.opcode == Opcode::Match;
        if passes && !executed.mask.is_empty() {
            latency += self.further_passes(sub, slot, info, executed, queued);
        }
        let release = self.context.spec.lsu.source_release.min(latency);
        self.hold_for(slot, info.write_barrier, self.sm.now + latency);
        self.hold_for(slot, info.read_barrier, self.sm.now + release);
    }

    /// An instruction of the unit of constant loads passes `queued` cycles after its issue, again when its constants are there, and
    /// once for each address or value that its lanes have: how much later it is done.
    #[inline(never)]
    fn further_passes(
        &mut self,
        sub: usize,
        slot: usize,
        info: &IssueInfo,
        executed: &Executed,
        queued: u64,
    ) -> u64 {
        let warp = &self.sm.warps[slot];
        let (late, passes) = match info.constant {
            Some(ConstantUse::Load { .. }) => {
                (warp.constant_ready.since(self.sm.now + queued), warp.constant_addresses)
            }
            _ => (0, warp.values_of(info.by_value, executed.mask)),
        };
        let again = self.context.spec.constants.as_ref().map_or(0, |spec| spec.address_interval);
        let Sm { sub_partitions, now, queued: unit, .. } = &mut *self.sm;
        sub_partitions[sub].delay_constants(info.taken, *now, late, unit);
        let times = (*now, now.later(queued + late));
        late + sub_partitions[sub].pass_again(info.taken, times, (again, passes), unit)
    }

    /// What the LSU has to do; an observer is told what the access asks for.
    #[inline(always)]
    fn watched_memory_work(&mut self, slot: usize, info: &IssueInfo, executed: &Executed) -> Option<Work> {
        if !self.sm.watched {
            return self.memory_work(slot, info, executed);
        }
        let before = self.sm.memory_use();
        let work = self.memory_work(slot, info, executed);
        let asked = self.sm.memory_use() - before;
        self.observer.accessed(self.sm.now, self.sm.id, executed.pc, asked);
        work
    }

    fn hold_for_memory(&mut self, sub: usize, slot: usize, info: &IssueInfo, work: Work) {
        let warp = &mut self.sm.warps[slot];
        let operation = if info.memory == MemoryClass::Global { WaitFor::Memory } else { WaitFor::Sm };
        let copies = info.opcode == Opcode::Ldgsts;
        let write_barrier = if copies { Some(COPY_COUNTER) } else { info.write_barrier };
        match write_barrier {
            Some(COPY_COUNTER) => warp.copies.begin(),
            Some(counter) => warp.counters.hold(counter, operation),
            None => {}
        }
        info.read_barrier.into_iter().for_each(|counter| warp.counters.hold(counter, operation));
        if work.is_acknowledged() {
            warp.unsent += 1;
            self.sm.fences.issued();
        }
        let owner = Owner {
            slot: slot as u8,
            generation: warp.generation,
            write_barrier,
            read_barrier: info.read_barrier,
        };
        let Sm { lsu, now, next_operation, sub_partitions, .. } = &mut *self.sm;
        let spec = &self.context.spec.lsu;
        lsu.push(sub, owner, work, *now);
        *next_operation = lsu.queues.next_start_with(sub, *next_operation, &spec.queue);
        sub_partitions[sub].fill_queue(lsu.queues.is_full(sub, &spec.queue));
        if self.sm.watched {
            self.watch_levels();
        }
    }

    /// A wait counter goes up until the copies of the warp so far have ended.
    #[cold]
    fn hold_for_copies(&mut self, slot: usize, info: &IssueInfo) {
        let in_bulk = info.opcode == Opcode::Utmacmdflush;
        let Some(counter) = info.write_barrier.or(in_bulk.then_some(0)) else { return };
        let warp = &mut self.sm.warps[slot];
        let copies = if in_bulk { warp.bulk.get_or_insert_default() } else { &mut warp.copies };
        if copies.commit(Then::Release(counter)) {
            warp.counters.hold(counter, WaitFor::Memory);
        } else {
            let group = if in_bulk { self.context.spec.bulk.group } else { 1 };
            self.hold_for(slot, Some(counter), self.sm.now + u64::from(group.max(1)));
        }
    }

    #[inline]
    fn hold_for(&mut self, slot: usize, counter: Option<u8>, until: Cycle) {
        let Some(counter) = counter else { return };
        let warp = &mut self.sm.warps[slot];
        warp.counters.hold(counter, WaitFor::Sm);
        let generation = warp.generation;
        self.sm.events.push(until, Event::Release { slot: slot as u8, generation, counter });
    }
}
