//! How warps go from one phase to the next.

use crate::constants::{ConstantPort, ConstantUse};
use crate::copies::COPY_COUNTER;
use crate::events::Event;
use crate::launch::{IssueInfo, MemoryClass};
use crate::sm::{Advance, Sm};
use crate::warp::{BarrierBehind, Phase};
use warplab_trace::{StallReason, StateInterval, WarpState};
use warplab_units::{Cycle, WarpSlot};

impl Advance<'_> {
    /// The warp begins a phase that ends at a known cycle.
    #[inline(always)]
    pub(crate) fn wait_until(&mut self, slot: usize, phase: Phase, at: Cycle) {
        let sm = &mut *self.sm;
        let warp = &mut sm.warps[slot];
        warp.phase = phase;
        if !sm.wakes.push(sm.now, at, warp.sub, warp.local) {
            self.wait_long(slot, at);
        }
    }

    #[cold]
    fn wait_long(&mut self, slot: usize, at: Cycle) {
        let generation = self.sm.warps[slot].generation;
        self.sm.events.push(at, Event::Wake { slot: slot as u8, generation });
    }

    /// The cycle has come at which a timed phase of a warp ends, far from its beginning.
    pub(crate) fn wake_late(&mut self, slot: usize, generation: u32) {
        let warp = &self.sm.warps[slot];
        if warp.generation == generation && warp.phase.is_timed() {
            self.wake(slot);
        }
    }

    /// The cycle has come at which the timed phase of a warp ends.
    #[inline(always)]
    pub(crate) fn wake(&mut self, slot: usize) {
        if !(self.alone && self.wake_from_stall(slot)) {
            self.wake_from_any(slot);
        }
    }

    #[inline(never)]
    fn wake_from_any(&mut self, slot: usize) {
        let phase = self.sm.warps[slot].phase;
        self.leave_phase(slot);
        if let Phase::Exiting { .. } | Phase::Draining = phase {
            return self.drain(slot);
        }
        match phase.fetched() {
            Some(at) => self.wait_until(slot, Phase::Fetching, at),
            None => self.prepare(slot),
        }
    }

    /// The stall count of a warp has run out, while nobody watches: it is ready if its next instruction is there and waits
    /// for no wait counter and no constant. Whether all this is so.
    #[inline(always)]
    fn wake_from_stall(&mut self, slot: usize) -> bool {
        let phase = self.sm.warps[slot].phase;
        phase == Phase::FixedLatency { fetched: None } && self.make_ready(slot, StallReason::Wait)
    }

    /// The wait of a warp for a reason has ended, while nobody watches: it is ready if its next instruction waits for no wait
    /// counter and no constant. Whether it is so.
    #[inline(always)]
    fn make_ready(&mut self, slot: usize, reason: StallReason) -> bool {
        let Sm { warps, sub_partitions, now, .. } = &mut *self.sm;
        let warp = &mut warps[slot];
        let Some(path) = warp.state.paths.current() else { return false };
        let Some(info) = self.context.launch.issue.get(path.pc as usize) else { return false };
        let behind_barrier = warp.barrier != BarrierBehind::None && !info.passes_barrier;
        if behind_barrier || info.constant.is_some() || warp.counters.blocks(info).is_some() {
            return false;
        }
        let sub_partition = &mut sub_partitions[usize::from(warp.sub)];
        sub_partition.charge_stall(reason, now.since(warp.since));
        sub_partition.make_ready(u32::from(warp.local), info.taken.unit, info.memory);
        (warp.since, warp.phase) = (*now, Phase::Ready);
        true
    }

    /// A wait counter of a warp goes down.
    pub(crate) fn release(&mut self, slot: usize, generation: u32, counter: u8) {
        let warp = &mut self.sm.warps[slot];
        let waits_for = warp.phase.counted();
        if warp.generation != generation {
            return;
        }
        if counter == COPY_COUNTER {
            self.end_copy(slot);
        } else {
            warp.counters.release(counter);
        }
        let Some(reason) = waits_for else { return };
        if !(self.alone && self.make_ready(slot, reason)) {
            self.leave_phase(slot);
            self.prepare(slot);
        }
    }

    /// Nothing timed holds the warp back: it waits for wait counters, or is ready.
    pub(crate) fn prepare(&mut self, slot: usize) {
        let warp = &mut self.sm.warps[slot];
        let Some(path) = warp.state.paths.current() else {
            warp.phase = Phase::Converging;
            return;
        };
        let local = u32::from(warp.local);
        let sub = warp.sub;
        let sub_partition = &mut self.sm.sub_partitions[usize::from(sub)];
        let Some(info) = self.context.launch.issue.get(path.pc as usize) else {
            // Execution runs past the end: issuing reports it.
            warp.phase = Phase::Ready;
            sub_partition.make_ready(local, 0, MemoryClass::None);
            return;
        };
        if let Some((phase, until)) = self.held_by_barrier(slot, info) {
            match until {
                Some(at) => self.wait_until(slot, phase, at),
                None => self.sm.warps[slot].phase = phase,
            }
            return;
        }
        let warp = &mut self.sm.warps[slot];
        if let Some(phase) = warp.counters.blocks(info) {
            warp.phase = phase;
            return;
        }
        if let Some(constant) = info.constant
            && let Some(ready) = self.constant(slot, constant)
        {
            let (seen, replay) = self.context.spec.constants.as_ref().map_or((0, 0), |spec| spec.replay);
            self.count_replayed(slot, seen);
            let before_replay = ready.since(self.sm.warps[slot].since).saturating_sub(u64::from(replay));
            let fetch_from = before_replay.clamp(u64::from(seen), u64::from(u16::MAX)) as u16;
            return self.wait_until(slot, Phase::FetchingConstant { seen, fetch_from }, ready);
        }
        self.sm.warps[slot].phase = Phase::Ready;
        self.sm.sub_partitions[usize::from(sub)].make_ready(local, info.taken.unit, info.memory);
    }

    /// Counts the instructions that a warp issues in vain when the operand of the next one is not there: that one, and those
    /// behind it that issue before the miss is seen after so many cycles.
    fn count_replayed(&mut self, slot: usize, seen: u8) {
        let Sm { warps, sub_partitions, .. } = &mut *self.sm;
        let warp = &warps[slot];
        let Some(path) = warp.state.paths.current() else { return };
        let behind = self.context.launch.issue.get(path.pc as usize..).unwrap_or_default();
        let mut issues_at = 0;
        let issues_in_vain = |info: &&IssueInfo| {
            let in_time = issues_at < u32::from(seen);
            issues_at += u32::from(info.stall).max(1);
            in_time && warp.counters.blocks(info).is_none()
        };
        let replayed = behind.iter().take_while(issues_in_vain).count();
        sub_partitions[usize::from(warp.sub)].counters.replayed += replayed as u64;
    }

    /// Asks for the constant of the next instruction of a warp. When an operand comes that is not there; what a load reads is
    /// waited for after its issue.
    fn constant(&mut self, slot: usize, constant: ConstantUse) -> Option<Cycle> {
        let (sm, spec) = (&mut *self.sm, self.context.spec.constants.as_ref()?);
        let now = sm.now;
        match constant {
            ConstantUse::Operand { bank, offset } => {
                let port = ConstantPort::Operand { sub: sm.warps[slot].sub };
                let ready = sm.constants.ready(spec, port, bank, offset, now);
                (ready > now).then_some(ready)
            }
            ConstantUse::Load { bank, offset, register } => {
                let warp = &mut sm.warps[slot];
                let (mut waits, mut addresses) = (0, 0);
                let mut pass = |index: u32| {
                    let at = now + (waits + addresses * spec.address_interval);
                    let offset = index.wrapping_add(offset);
                    waits += sm.constants.ready(spec, ConstantPort::Load, bank, offset, at) - at;
                    addresses += 1;
                };
                match register {
                    None => pass(0),
                    Some(register) => {
                        let lanes = self.context.launch.code.executing(&warp.state);
                        warp.each_value(register, lanes, pass);
                    }
                }
                (warp.constant_ready, warp.constant_addresses) = (now + waits, addresses as u8);
                None
            }
        }
    }

    /// Charges the cycles of a warp's phase to its stall reason; the next phase begins now.
    pub(crate) fn leave_phase(&mut self, slot: usize) {
        let warp = &mut self.sm.warps[slot];
        let Some(reason) = warp.phase.reason() else { return };
        // A phase that begins after the issue of this very cycle has no cycle yet.
        let (from, to) = (warp.since, self.sm.now.max(warp.since));
        let (stall, fetch) = warp.phase.stall_and_fetch(to - from);
        warp.since = to;
        let parts = [
            (StallReason::Wait, from, from + stall),
            (reason, from + stall, Cycle(to.0 - fetch)),
            (StallReason::NoInstruction, Cycle(to.0 - fetch), to),
        ];
        let sub = usize::from(warp.sub);
        for (reason, from, to) in parts {
            if to > from {
                self.sm.sub_partitions[sub].charge_stall(reason, to - from);
                if self.sm.watched {
                    self.watch(slot, WarpState::Stalled(reason), from, to);
                }
            }
        }
    }

    /// Tells the observer what a warp did.
    pub(crate) fn watch(&mut self, slot: usize, state: WarpState, from: Cycle, to: Cycle) {
        let warp = &self.sm.warps[slot];
        let pc = match warp.phase {
            Phase::Exiting { pc, .. } => pc,
            _ => warp.state.paths.current().map_or(0, |path| path.pc),
        };
        self.watch_at(slot, pc, state, from, to);
    }

    /// Likewise, at an instruction that need not be the next one.
    pub(crate) fn watch_at(&mut self, slot: usize, pc: u32, state: WarpState, from: Cycle, to: Cycle) {
        let interval = StateInterval { slot: WarpSlot(slot as u8), state, pc, from, to };
        self.observer.state(self.sm.id, interval);
    }
}
