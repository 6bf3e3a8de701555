//! What a warp does after an instruction.

use crate::launch::IssueInfo;
use crate::sm::Advance;
use crate::warp::Phase;
use warplab_exec::{Executed, LaunchFault, PathStatus, Printed, Step};
use warplab_program::Opcode;
use warplab_units::Cycle;

impl Advance<'_> {
    /// The phase that follows an instruction, which the dispatcher has let go at `dispatched`.
    #[inline(always)]
    pub(crate) fn follow(
        &mut self,
        slot: usize,
        info: &IssueInfo,
        executed: &Executed,
        dispatched: Cycle,
    ) -> Result<(), Box<LaunchFault>> {
        let now = self.sm.now;
        let next = dispatched.later(u64::from(info.stall));
        match executed.step {
            Step::Branched { targets: targets @ 1.., .. } => {
                let late = u64::from(targets) * self.context.spec.branch_target;
                self.go_on(slot, executed.pc, next, late);
            }
            Step::Next | Step::Memory { .. } | Step::Branched { .. } | Step::Blocked => {
                let late = match info.by_value {
                    Some(_) if info.opcode == Opcode::Warpsync => self.meeting_of_masks(slot, info, executed),
                    _ => u64::from(info.meeting),
                };
                self.go_on(slot, executed.pc, next, late);
            }
            Step::YieldsInVain => self.go_on(slot, executed.pc, next, self.context.spec.yield_in_vain),
            Step::Bulk | Step::Mbarrier(_) | Step::Warpgroup(_) => {
                return self.asynchronous(slot, info, executed, next);
            }
            Step::Sleep { nanoseconds } => {
                let cycles = (f64::from(nanoseconds) * self.context.spec.cycles_per_nanosecond) as u64;
                if self.sleep_for_phase(slot, executed.pc, next, now + cycles.max(1)) {
                    return Ok(());
                }
                self.wait_until(slot, Phase::Sleeping, next.max(now + cycles));
            }
            Step::ClusterBarrier { waits } => self.at_cluster_barrier(slot, waits, executed.pc, next),
            Step::Fence { scope } => self.fence(slot, scope, executed.pc, next),
            Step::BlockBarrier { kind, id, threads, arrivals, value } => {
                let warp = &self.sm.warps[slot];
                let place = usize::from(warp.block);
                let index = warp.state.index;
                if let Some(block) = &mut self.sm.blocks[place] {
                    block.barriers.arrive(index, kind, id, threads, arrivals, value);
                }
                self.go_past_barrier(slot, kind, id, executed.pc);
                self.go_on(slot, executed.pc, next, 0);
                self.sm.barrier_free = self.context.spec.barrier.taken(self.sm.barrier_free.max(self.sm.now));
                self.check_barriers(place);
            }
            Step::System { .. } => self.system_call(slot, executed.pc),
            Step::Exited { warp_done: false } => self.go_on(slot, executed.pc, next, 0),
            Step::Exited { warp_done: true } => self.exit(slot, executed.pc, next),
            Step::Trap => return Err(self.sm.trap(slot, executed.pc, self.context.launch)),
        }
        Ok(())
    }

    /// What a barrier adds at which lanes name others: more for each further mask.
    #[inline(never)]
    fn meeting_of_masks(&self, slot: usize, info: &IssueInfo, executed: &Executed) -> u64 {
        let further = self.sm.warps[slot].values_of(info.by_value, executed.mask).saturating_sub(1);
        u64::from(info.meeting) + u64::from(further) * u64::from(self.context.spec.named_mask)
    }

    /// The warp can issue again at `next`, or later when it jumped or its code is not there, and `late` cycles after that; or
    /// it waits for others.
    pub(crate) fn go_on(&mut self, slot: usize, pc: u32, next: Cycle, late: u64) {
        let spec = self.context.spec;
        let warp = &mut self.sm.warps[slot];
        let sub = usize::from(warp.sub);
        let Some(path) = warp.state.paths.current() else {
            let waits = |path: &warplab_exec::Path| matches!(path.status, PathStatus::AtBlockBarrier(_));
            let at_barrier = warp.state.paths.all().iter().any(waits);
            warp.phase = if at_barrier { Phase::AtBlockBarrier } else { Phase::Converging };
            return;
        };
        let target = path.pc;
        self.context.launch.code.fetch_operands(&warp.state, target);
        if target == pc + 1 && late == 0 {
            let fetched = self.fetched(sub, pc, target, next);
            self.wait_until(slot, Phase::FixedLatency { fetched }, next);
        } else {
            let jumps = target != pc + 1;
            let jump = if jumps { next.max(self.sm.now + spec.branch_taken) } else { next };
            let resolved = jump + late;
            let fetched = self.fetched(sub, pc, target, resolved);
            let since = self.sm.warps[slot].since;
            let stall = next.since(since) as u8;
            let fetch = if jumps { spec.branch_fetch } else { 0 };
            let fetch_from = resolved.since(since).saturating_sub(fetch).max(u64::from(stall)) as u16;
            self.wait_until(slot, Phase::BranchResolving { stall, fetch_from, fetched }, resolved);
        }
    }

    /// When an instruction comes that is wanted at `wanted`, if later.
    #[inline(always)]
    pub(crate) fn fetched(&mut self, sub: usize, pc: u32, target: u32, wanted: Cycle) -> Option<Cycle> {
        let there = self.sm.fetch.there(&self.context.spec.fetch, sub, Some(pc), target, wanted);
        (there > wanted).then_some(there)
    }

    /// The warp has issued its last instruction, whose stall count ends at `next`.
    fn exit(&mut self, slot: usize, pc: u32, next: Cycle) {
        match self.context.spec.exit {
            0 => self.drain(slot),
            cycles => {
                let stall = next.since(self.sm.warps[slot].since) as u8;
                self.wait_until(slot, Phase::Exiting { stall, pc }, next + cycles);
            }
        }
    }

    /// The warp leaves as soon as its stores have left and it knows that.
    pub(crate) fn drain(&mut self, slot: usize) {
        let warp = &mut self.sm.warps[slot];
        warp.phase = Phase::Draining;
        if warp.unsent == 0 {
            match warp.drained {
                at if at > self.sm.now => self.wait_until(slot, Phase::Draining, at),
                _ => self.end_warp(slot),
            }
        }
    }

    /// The warp has called the driver; what it printed is kept, what it asks of the heap goes to the log.
    fn system_call(&mut self, slot: usize, pc: u32) {
        let sm = &mut *self.sm;
        let warp = &sm.warps[slot];
        let block = sm.blocks[usize::from(warp.block)].as_ref().map_or(0, |block| block.number);
        let lines = sm.scratch.system.take_lines(&warp.state);
        if !lines.is_empty() {
            sm.printed.push(Printed { cycle: sm.now.0, block, lines });
        }
        for request in sm.scratch.system.take_heap_requests() {
            sm.log.push_heap(sm.now, slot as u8, warp.generation, pc, &request);
        }
        let over = sm.now + self.context.spec.system_call;
        self.wait_until(slot, Phase::SystemCall, over);
    }
}
