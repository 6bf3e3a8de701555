//! Issue of one instruction, and what follows from it for its warp.

use crate::coalesce;
use crate::events::Event;
use crate::hazards::Issued;
use crate::launch::{IssueInfo, LaunchSpec, MemoryClass};
use crate::log::GlobalView;
use crate::lsu::{GlobalAccess, Owner, Work};
use crate::multiprocessor::Multiprocessor;
use crate::warp::Phase;
use warplab_exec::{
    AccessKind, AccessRecord, Environment, ExecFault, Executed, FenceScope, LaunchFault, MemoryImage,
    PathStatus, Scope, Space, Step,
};
use warplab_trace::{Observer, StallReason, WarpState};
use warplab_units::{Cycle, LINE_BYTES, WarpSlot};

/// Where the local memory of all warps lies for the memory system: each word of a warp is a line.
const LOCAL_BASE: u64 = 0x6000_0000_0000;

impl Multiprocessor {
    /// Issues the next instruction of a warp of a sub-partition.
    pub(crate) fn issue(
        &mut self,
        sub: usize,
        local: u32,
        launch: &LaunchSpec,
        image: &MemoryImage,
        observer: &mut dyn Observer,
    ) -> Result<(), Box<LaunchFault>> {
        let slot = self.slot(sub, local);
        let executed = self.execute(slot, launch, image).map_err(|fault| self.fault(slot, fault, launch))?;
        if let Some(checker) = &mut self.hazards {
            checker.issued(&Issued {
                slot,
                generation: self.warps[slot].generation,
                pc: executed.pc,
                at: self.now,
                active: executed.active,
                executing: executed.mask,
            });
        }
        let info = &launch.issue[executed.pc as usize];
        self.count(info, &executed);
        let scheduler = &mut self.subs[sub];
        scheduler.make_unready(local, usize::from(info.unit));
        scheduler.unit_free[usize::from(info.unit)] = self.now + u64::from(info.interval);
        if self.watched {
            self.watch(slot, WarpState::Selected, self.now, self.now + 1, observer);
            observer.issued(self.now, self.id, WarpSlot(slot as u8), executed.pc, executed.mask);
        }
        self.warps[slot].since = self.now + 1;
        self.hold_barriers(sub, slot, info, &executed);
        self.follow(slot, info, &executed, launch, observer)
    }

    fn execute(
        &mut self,
        slot: usize,
        launch: &LaunchSpec,
        image: &MemoryImage,
    ) -> Result<Executed, ExecFault> {
        let warp = &mut self.warps[slot];
        let Some(block) = &mut self.blocks[usize::from(warp.block)] else { return Err(ExecFault::PastEnd) };
        let mut global = GlobalView {
            image,
            overlay: &mut self.overlay,
            log: &mut self.log,
            cycle: self.now,
            slot: slot as u8,
            generation: warp.generation,
        };
        let mut environment = Environment {
            banks: &launch.constants,
            shared: &mut block.shared,
            global: &mut global,
            clock: self.now.0,
            global_timer: (self.now.0 as f64 / self.spec.cycles_per_nanosecond) as u64,
            sm: u32::from(self.id.0),
            sm_count: self.spec.sm_count,
            warp_slot: slot as u32,
            warp_slots: self.spec.warps as u32,
            block: block.coordinates,
            grid_id: 1,
            record: &mut self.record,
            system: &mut self.system,
        };
        warplab_exec::step(&launch.code, &mut warp.state, &mut environment)
    }

    fn count(&mut self, info: &IssueInfo, executed: &Executed) {
        let counters = &mut self.instructions;
        counters.warp += 1;
        counters.thread += u64::from(executed.active.count());
        counters.by_pipe[info.pipe as usize] += 1;
        counters.by_opcode[info.opcode as usize] += 1;
        if let Step::Branched { diverged, .. } = executed.step {
            counters.branches += 1;
            counters.divergent_branches += u64::from(diverged);
        }
        self.first_issue.get_or_insert(self.now);
        self.last_issue = self.now;
    }

    /// The wait counters of an instruction go up, and it is known or left to the memory unit when they go down.
    fn hold_barriers(&mut self, sub: usize, slot: usize, info: &IssueInfo, executed: &Executed) {
        let memory = info.memory != MemoryClass::None && !executed.mask.is_empty();
        if memory && let Some(work) = self.memory_work(slot, info, executed) {
            let warp = &mut self.warps[slot];
            let long = info.memory == MemoryClass::Global;
            info.write_barrier.into_iter().for_each(|counter| warp.hold(counter, long));
            info.read_barrier.into_iter().for_each(|counter| warp.hold(counter, long));
            let acknowledged = matches!(
                work,
                Work::Global {
                    access: GlobalAccess::Store { .. } | GlobalAccess::Atomic { returns: false, .. },
                    ..
                }
            );
            warp.unsent += u32::from(acknowledged);
            let owner = Owner {
                slot: slot as u8,
                generation: warp.generation,
                write_barrier: info.write_barrier,
                read_barrier: info.read_barrier,
            };
            self.lsu.push(sub, owner, work, self.now);
            return;
        }
        let latency = if executed.mask.is_empty() { 1 } else { u64::from(info.latency).max(1) };
        let release = u64::from(self.spec.memory.source_release).min(latency);
        self.hold_for(slot, info.write_barrier, self.now + latency);
        self.hold_for(slot, info.read_barrier, self.now + release);
    }

    fn hold_for(&mut self, slot: usize, counter: Option<u8>, until: Cycle) {
        let Some(counter) = counter else { return };
        let warp = &mut self.warps[slot];
        warp.hold(counter, false);
        let generation = warp.generation;
        self.events.push(until, Event::Release { slot: slot as u8, generation, counter });
    }

    /// What the memory unit has to do for the instruction that has just executed.
    fn memory_work(&mut self, slot: usize, info: &IssueInfo, executed: &Executed) -> Option<Work> {
        if !matches!(executed.step, Step::Memory { .. }) {
            self.shared_counters.exchange_requests += 1;
            return Some(Work::Shared { busy: 1, latency: u64::from(info.latency) });
        }
        if self.record.mask.is_empty() || self.record.kind == AccessKind::CacheControl {
            return None;
        }
        match self.record.space {
            Space::Shared => Some(self.shared_work()),
            Space::Global => Some(self.global_work(false)),
            Space::Local => {
                self.interleave_local(slot);
                Some(self.global_work(true))
            }
        }
    }

    fn shared_work(&mut self) -> Work {
        let AccessRecord { ref addresses, mask, bytes, kind, .. } = self.record;
        let shared = &self.spec.shared;
        let atomic = matches!(kind, AccessKind::Atomic | AccessKind::Reduction | AccessKind::Count);
        let passes = if atomic && kind != AccessKind::Count {
            coalesce::shared_atomic_passes(addresses, mask, bytes, shared.banks)
        } else {
            coalesce::shared_passes(addresses, mask, bytes, shared.banks)
        };
        let (taken, conflicts) =
            (u64::from(passes.taken), u64::from(passes.taken.saturating_sub(passes.ideal)));
        let counters = &mut self.shared_counters;
        match kind {
            AccessKind::Store => {
                counters.store_requests += 1;
                counters.store_wavefronts += taken;
                counters.store_bank_conflicts += conflicts;
            }
            AccessKind::Atomic | AccessKind::Reduction | AccessKind::Count => {
                counters.atomic_requests += 1;
                counters.atomic_wavefronts += taken;
            }
            _ => {
                counters.load_requests += 1;
                counters.load_wavefronts += taken;
                counters.load_bank_conflicts += conflicts;
            }
        }
        let further = taken.saturating_sub(1);
        let latency = if atomic {
            u64::from(shared.atomic_latency) + further * u64::from(shared.atomic_lane)
        } else {
            u64::from(shared.latency) + further * u64::from(shared.pass_latency)
        };
        Work::Shared { busy: taken * u64::from(shared.pass_interval), latency }
    }

    fn global_work(&mut self, local: bool) -> Work {
        let AccessRecord { ref addresses, mask, bytes, kind, policy, .. } = self.record;
        let lines = match kind {
            AccessKind::Atomic | AccessKind::Reduction => coalesce::atomic_lines(addresses, mask, bytes),
            _ if local => coalesce::local_lines(addresses, mask, bytes),
            _ => coalesce::lines(addresses, mask, bytes),
        };
        let sectors: u32 = lines.iter().map(|line| line.sectors.count()).sum();
        let tags = coalesce::tag_cycles(&lines, self.spec.l1.tag_banks);
        let data = (bytes * 32).div_ceil(self.spec.l1.bytes_per_cycle).max(1);
        let cached = self.spec.l1.caches_global_loads
            && policy.strong.is_none_or(|scope| scope <= Scope::Multiprocessor);
        let counters = &mut self.lsu.counters;
        counters.tag_cycles += u64::from(tags);
        counters.data_cycles += u64::from(data);
        counters.excessive_sectors += u64::from(sectors.saturating_sub(coalesce::ideal_sectors(mask, bytes)));
        let (request, sector_count, access) = match (kind, local) {
            (AccessKind::Store, false) => (
                &mut counters.global_store_requests,
                &mut counters.global_store_sectors,
                GlobalAccess::Store { local },
            ),
            (AccessKind::Store, true) => (
                &mut counters.local_store_requests,
                &mut counters.local_store_sectors,
                GlobalAccess::Store { local },
            ),
            (AccessKind::Atomic | AccessKind::Reduction, _) => {
                let returns = kind == AccessKind::Atomic;
                let access = GlobalAccess::Atomic { returns };
                if returns {
                    (&mut counters.global_atomic_requests, &mut counters.global_atomic_sectors, access)
                } else {
                    (&mut counters.global_reduction_requests, &mut counters.global_reduction_sectors, access)
                }
            }
            (_, true) => (
                &mut counters.local_load_requests,
                &mut counters.local_load_sectors,
                GlobalAccess::Load { cached: true, local },
            ),
            (_, false) => (
                &mut counters.global_load_requests,
                &mut counters.global_load_sectors,
                GlobalAccess::Load { cached, local },
            ),
        };
        *request += 1;
        *sector_count += u64::from(sectors);
        Work::Global { access, lines, busy: u64::from(tags.max(data)) }
    }

    /// Local addresses become addresses of device memory: the same word of all lanes lies together, and the further
    /// words of a wide access each one line after the other.
    fn interleave_local(&mut self, slot: usize) {
        let warps = self.spec.warps as u64;
        let warp = u64::from(self.id.0) * warps + slot as u64;
        let span = 1u64 << 24;
        for lane in self.record.mask.lanes() {
            let offset = self.record.addresses[lane];
            let (word, byte) = (offset / 4, offset % 4);
            self.record.addresses[lane] =
                LOCAL_BASE + warp * span + word * LINE_BYTES + lane as u64 * 4 + byte;
        }
    }

    /// What the warp does after an instruction.
    fn follow(
        &mut self,
        slot: usize,
        info: &IssueInfo,
        executed: &Executed,
        launch: &LaunchSpec,
        observer: &mut dyn Observer,
    ) -> Result<(), Box<LaunchFault>> {
        let next = self.now + u64::from(info.stall);
        match executed.step {
            Step::Next | Step::Memory { .. } | Step::Branched { .. } | Step::Blocked => {
                self.go_on(slot, executed.pc, next);
            }
            Step::Sleep { nanoseconds } => {
                let cycles = (f64::from(nanoseconds) * self.spec.cycles_per_nanosecond) as u64;
                self.wait_until(slot, StallReason::Sleeping, next.max(self.now + cycles), None);
            }
            Step::Fence { scope } => {
                let warp = &mut self.warps[slot];
                if scope > FenceScope::Block && warp.unsent + warp.unacknowledged > 0 {
                    warp.phase = Phase::Event(StallReason::Membar);
                } else {
                    self.go_on(slot, executed.pc, next);
                }
            }
            Step::BlockBarrier { kind, id, threads, arrivals, holds } => {
                let warp = &self.warps[slot];
                let place = usize::from(warp.block);
                let index = warp.state.index;
                if let Some(block) = &mut self.blocks[place] {
                    let lanes = (holds.0, executed.mask.0);
                    block.barriers.arrive(index, kind, id, threads, arrivals, lanes);
                }
                self.go_on(slot, executed.pc, next);
                self.check_barriers(place, observer);
            }
            Step::System { .. } => self.system_call(slot, executed.pc),
            Step::Exited { warp_done: false } => self.go_on(slot, executed.pc, next),
            Step::Exited { warp_done: true } => self.exit(slot, observer),
            Step::Trap => return Err(self.trap(slot, executed.pc, launch)),
        }
        Ok(())
    }

    /// The warp can issue again at `next`, or later when it jumped or its code is not there; or it waits for others.
    fn go_on(&mut self, slot: usize, pc: u32, next: Cycle) {
        let sub = slot % self.subs.len();
        let warp = &mut self.warps[slot];
        let Some(path) = warp.state.paths.current() else {
            let waits = |path: &warplab_exec::Path| matches!(path.status, PathStatus::AtBlockBarrier(_));
            let at_barrier = warp.state.paths.all().iter().any(waits);
            warp.phase = Phase::Event(if at_barrier { StallReason::Barrier } else { StallReason::Misc });
            return;
        };
        let target = path.pc;
        let (reason, at) = if target == pc + 1 {
            (StallReason::Wait, next)
        } else {
            let resolved = self.now + u64::from(self.spec.instructions.branch_taken);
            (StallReason::BranchResolving, next.max(resolved))
        };
        let fetched = at + self.fetch.delay(sub, pc, target);
        let then = (fetched > at).then_some((StallReason::NoInstruction, fetched));
        self.wait_until(slot, reason, at, then);
    }

    fn exit(&mut self, slot: usize, observer: &mut dyn Observer) {
        let warp = &mut self.warps[slot];
        warp.exited = true;
        warp.phase = Phase::Event(StallReason::Drain);
        if warp.unsent == 0 {
            self.end_warp(slot, observer);
        }
    }

    /// Lets the warps go on whose barrier is complete.
    pub(crate) fn check_barriers(&mut self, place: usize, observer: &mut dyn Observer) {
        let Some(block) = &mut self.blocks[place] else { return };
        let used: arrayvec::ArrayVec<u8, 16> = block.barriers.in_use().collect();
        for id in used {
            let Some(block) = &mut self.blocks[place] else { return };
            let warps = &self.warps;
            let alive = block.slots.iter().map(|&slot| &warps[usize::from(slot)].state.paths);
            let Some(released) = block.barriers.complete(id, alive) else { continue };
            let slots = block.slots.clone();
            let warps_in_block = slots.len() as u64;
            let latency = u64::from(self.spec.barrier.barrier)
                + u64::from(self.spec.barrier.barrier_warp) * warps_in_block;
            for (index, &slot) in slots.iter().enumerate() {
                if released.warps >> index & 1 != 0 {
                    self.pass_barrier(usize::from(slot), id, released.result, latency, observer);
                }
            }
        }
    }

    fn pass_barrier(
        &mut self,
        slot: usize,
        id: u8,
        result: Option<u32>,
        latency: u64,
        observer: &mut dyn Observer,
    ) {
        self.warps[slot].state.release_block_barrier(id, result);
        if let Phase::Event(StallReason::Barrier | StallReason::Misc) = self.warps[slot].phase {
            self.leave_phase(slot, observer);
            let since = self.warps[slot].since;
            self.wait_until(slot, StallReason::Barrier, since.max(self.now + latency), None);
        }
    }

    /// The warp waits for a cycle, and then perhaps for another.
    pub(crate) fn wait_until(
        &mut self,
        slot: usize,
        reason: StallReason,
        at: Cycle,
        then: Option<(StallReason, Cycle)>,
    ) {
        let warp = &mut self.warps[slot];
        warp.phase = Phase::Timed { reason, then };
        let generation = warp.generation;
        self.events.push(at, Event::Wake { slot: slot as u8, generation });
    }

    /// The cycle has come that a warp waited for.
    pub(crate) fn wake(
        &mut self,
        slot: usize,
        generation: u32,
        launch: &LaunchSpec,
        observer: &mut dyn Observer,
    ) {
        if self.warps[slot].generation != generation {
            return;
        }
        let Phase::Timed { then, .. } = self.warps[slot].phase else { return };
        self.leave_phase(slot, observer);
        match then {
            Some((reason, at)) => self.wait_until(slot, reason, at, None),
            None => self.prepare(slot, launch),
        }
    }

    /// A wait counter of a warp goes down.
    pub(crate) fn release(
        &mut self,
        slot: usize,
        generation: u32,
        counter: u8,
        launch: &LaunchSpec,
        observer: &mut dyn Observer,
    ) {
        let warp = &mut self.warps[slot];
        let may_wait_for_less = matches!(warp.phase, Phase::Counters(_));
        if warp.generation != generation || !(warp.release(counter) || may_wait_for_less) {
            return;
        }
        if let Phase::Counters(_) = warp.phase {
            self.leave_phase(slot, observer);
            self.prepare(slot, launch);
        }
    }

    /// Nothing timed holds the warp back: it waits for wait counters, or is ready.
    pub(crate) fn prepare(&mut self, slot: usize, launch: &LaunchSpec) {
        let subs = self.subs.len();
        let warp = &mut self.warps[slot];
        let Some(path) = warp.state.paths.current() else {
            warp.phase = Phase::Event(StallReason::Misc);
            return;
        };
        let Some(info) = launch.issue.get(path.pc as usize) else {
            // Execution runs past the end: issuing reports it.
            warp.phase = Phase::Ready;
            self.subs[slot % subs].make_ready((slot / subs) as u32, 0, MemoryClass::None);
            return;
        };
        let waits = warp.waits_for(info);
        let local = (slot / subs) as u32;
        let scheduler = &mut self.subs[slot % subs];
        if waits == 0 {
            warp.phase = Phase::Ready;
            scheduler.make_ready(local, usize::from(info.unit), info.memory);
            return;
        }
        let long = waits & warp.long != 0;
        warp.phase =
            Phase::Counters(if long { StallReason::LongScoreboard } else { StallReason::ShortScoreboard });
        if long {
            scheduler.long_waits |= 1 << local;
        }
    }

    /// Charges the cycles of a warp's phase to its reason; a new phase begins now.
    pub(crate) fn leave_phase(&mut self, slot: usize, observer: &mut dyn Observer) {
        let subs = self.subs.len();
        let warp = &mut self.warps[slot];
        let reason = match warp.phase {
            Phase::Timed { reason, .. } | Phase::Event(reason) | Phase::Counters(reason) => reason,
            Phase::Ready | Phase::Empty => return,
        };
        // A phase that begins after the issue of this very cycle has no cycle yet.
        let (from, to) = (warp.since, self.now.max(warp.since));
        warp.since = to;
        let scheduler = &mut self.subs[slot % subs];
        scheduler.long_waits &= !(1 << (slot / subs));
        scheduler.counters.states[WarpState::Stalled(reason).index()] += to - from;
        if self.watched && to > from {
            self.watch(slot, WarpState::Stalled(reason), from, to, observer);
        }
    }

    fn fault(&self, slot: usize, fault: ExecFault, launch: &LaunchSpec) -> Box<LaunchFault> {
        let pc = self.warps[slot].state.paths.current().map_or(0, |path| path.pc);
        self.fault_at(slot, pc, fault, launch)
    }

    pub(crate) fn fault_at(
        &self,
        slot: usize,
        pc: u32,
        fault: ExecFault,
        launch: &LaunchSpec,
    ) -> Box<LaunchFault> {
        let warp = &self.warps[slot];
        let lane = usize::from(fault.lane().unwrap_or(0));
        let instruction = launch.kernel.instructions.get(pc as usize);
        Box::new(LaunchFault::Exec {
            kernel: launch.kernel.name.clone(),
            address: u64::from(pc) * 16,
            line: instruction.map_or(0, |instruction| instruction.origin.line),
            instruction: instruction.map_or(String::new(), warplab_program::listing::instruction_text),
            block: self.coordinates(slot),
            thread: [0, 1, 2].map(|axis| warp.state.threads()[axis][lane]),
            fault,
        })
    }

    fn trap(&self, slot: usize, pc: u32, launch: &LaunchSpec) -> Box<LaunchFault> {
        Box::new(LaunchFault::Trap {
            kernel: launch.kernel.name.clone(),
            address: u64::from(pc) * 16,
            block: self.coordinates(slot),
        })
    }

    fn coordinates(&self, slot: usize) -> [u32; 3] {
        self.blocks[usize::from(self.warps[slot].block)].as_ref().map_or([0; 3], |block| block.coordinates)
    }
}
