//! Barriers in shared memory: warps that wait for the end of a phase, and who lets them go.
//!
//! The answer of a wait comes late: its wait counter goes down when the phase is over, or when the warp has waited long enough.

use crate::blocks::ResidentBlock;
use crate::copies::Then;
use crate::events::Event;
use crate::launch::IssueInfo;
use crate::sm::Advance;
use crate::warp::{Phase, WaitFor};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_exec::{Executed, LaunchFault, Mbarrier, MbarrierStep, SharedMemory, Step, copies_arrive};
use warplab_program::Modifier;
use warplab_units::{Cycle, LaneMask, WarpSlot};

/// A warp that waits for the end of a phase of a barrier in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PhaseWait {
    slot: u8,
    /// Tells it from other waits of the SM.
    serial: u32,
    address: u32,
    parity: bool,
    answer: Answer,
}

/// What the end of a wait does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Answer {
    /// A predicate of some lanes holds if the phase is over, and a wait counter goes down.
    Predicate { predicate: u8, lanes: LaneMask, counter: Option<u8> },
    /// The warp, which sleeps, goes on.
    Wakes,
    /// Nothing: it has waited long enough, or could not wait. What it waited for it may go on to sleep for.
    Over,
}

impl PhaseWait {
    fn is_over(&self, shared: &SharedMemory) -> bool {
        self.answer != Answer::Over && shared.mbarrier(self.address).parity() != self.parity
    }
}

/// The barrier that a warp of a block waits for, and where that is.
pub(crate) fn waited_for(block: &ResidentBlock, slot: WarpSlot) -> Option<(u32, Mbarrier)> {
    let wait = block.waits.iter().find(|wait| wait.slot == slot.0)?;
    Some((wait.address, block.shared.mbarrier(wait.address)))
}

impl Advance<'_> {
    /// What a copy of many lines or an instruction on a barrier in shared memory or of a warpgroup asks for; the warp can go on at
    /// `next`.
    #[cold]
    #[inline(never)]
    pub(crate) fn asynchronous(
        &mut self,
        slot: usize,
        info: &IssueInfo,
        executed: &Executed,
        next: Cycle,
    ) -> Result<(), Box<LaunchFault>> {
        match executed.step {
            Step::Bulk => self.copy_in_bulk(slot),
            Step::Mbarrier(step) => self.at_mbarrier(slot, info, executed, step),
            Step::Warpgroup(step) => return self.at_warpgroup(slot, executed, step, next),
            _ => {}
        }
        self.go_on(slot, executed.pc, next, 0);
        Ok(())
    }

    /// What an instruction on a barrier in shared memory asks for.
    fn at_mbarrier(&mut self, slot: usize, info: &IssueInfo, executed: &Executed, step: MbarrierStep) {
        match step {
            MbarrierStep::Done => {}
            MbarrierStep::Arrived => {
                let wake = self.context.spec.mbarriers.wake;
                self.end_phases(usize::from(self.sm.warps[slot].block), wake);
            }
            MbarrierStep::Waits { address, parity, predicate } => {
                let counter = info.write_barrier;
                if let Some(counter) = counter {
                    self.sm.warps[slot].counters.hold(counter, WaitFor::Memory);
                }
                let answer = Answer::Predicate { predicate, lanes: executed.mask.row(0), counter };
                let limit = u64::from(self.context.spec.mbarriers.wait_limit);
                self.wait_for_phase(slot, (address, parity), answer, self.sm.now + limit);
            }
            MbarrierStep::Fails { address, parity } => self.has_waited(slot, address, parity),
            MbarrierStep::AfterCopies { address, bytes } => {
                let lanes = executed.mask.row(0).count() as u8;
                let arrival = Then::Arrive { address, lanes, bytes };
                if !self.sm.warps[slot].copies.commit(arrival) {
                    self.arrive_after_copies(slot, address, lanes, bytes);
                }
            }
        }
    }

    /// Lanes of a warp have not waited long enough for the end of a phase, for which they may sleep.
    fn has_waited(&mut self, slot: usize, address: u32, parity: bool) {
        let sm = &mut *self.sm;
        let Some(block) = &mut sm.blocks[usize::from(sm.warps[slot].block)] else { return };
        sm.bulk.waits += 1;
        let (slot, serial) = (slot as u8, sm.bulk.waits);
        block.waits.retain(|wait| wait.slot != slot || wait.answer != Answer::Over);
        block.waits.push(PhaseWait { slot, serial, address, parity, answer: Answer::Over });
    }

    fn wait_for_phase(&mut self, slot: usize, (address, parity): (u32, bool), answer: Answer, until: Cycle) {
        let sm = &mut *self.sm;
        let Some(block) = &mut sm.blocks[usize::from(sm.warps[slot].block)] else { return };
        sm.bulk.waits += 1;
        let (slot, serial) = (slot as u8, sm.bulk.waits);
        block.waits.retain(|wait| wait.slot != slot || wait.answer != Answer::Over);
        block.waits.push(PhaseWait { slot, serial, address, parity, answer });
        sm.events.push(until, Event::WaitedEnough { slot, serial });
    }

    /// A warp whose last wait was too short sleeps on, until the phase is over or for a time; it goes on at `next` if it is over now.
    /// Whether there was such a wait.
    #[cold]
    pub(crate) fn sleep_for_phase(&mut self, slot: usize, pc: u32, next: Cycle, until: Cycle) -> bool {
        let sm = &mut *self.sm;
        let sleeps = self.context.launch.kernel.instructions.get(pc as usize);
        if !sleeps.is_some_and(|instruction| instruction.has(Modifier::Syncs)) {
            return false;
        }
        let Some(block) = &mut sm.blocks[usize::from(sm.warps[slot].block)] else { return false };
        let last = block.waits.iter().find(|it| usize::from(it.slot) == slot && it.answer == Answer::Over);
        let Some(&PhaseWait { address, parity, .. }) = last else { return false };
        if block.shared.mbarrier(address).parity() != parity {
            self.go_on(slot, pc, next, 0);
            return true;
        }
        sm.warps[slot].phase = Phase::AtMbarrier;
        self.wait_for_phase(slot, (address, parity), Answer::Wakes, until);
        true
    }

    /// A warp has waited long enough for the end of a phase.
    #[cold]
    pub(crate) fn waited_enough(&mut self, slot: u8, serial: u32) {
        let place = usize::from(self.sm.warps[usize::from(slot)].block);
        let Some(block) = self.sm.blocks.get_mut(place).and_then(Option::as_mut) else { return };
        let Some(wait) = block.waits.iter_mut().find(|wait| wait.serial == serial) else { return };
        let answer = std::mem::replace(&mut wait.answer, Answer::Over);
        self.answer(usize::from(slot), answer, false, self.sm.now);
    }

    /// Warps of a block go on that have waited for phases which are over now.
    pub(crate) fn end_phases(&mut self, place: usize, wake: u32) {
        let times = self.context.spec.mbarriers;
        let mut at = self.sm.now + u64::from(wake);
        while let Some(wait) = self.take_over(place) {
            self.answer(usize::from(wait.slot), wait.answer, true, at);
            at += u64::from(times.wake_interval);
        }
    }

    /// Takes the first wait of a block whose phase is over.
    fn take_over(&mut self, place: usize) -> Option<PhaseWait> {
        let block = self.sm.blocks[place].as_mut()?;
        let index = block.waits.iter().position(|wait| wait.is_over(&block.shared))?;
        Some(block.waits.remove(index))
    }

    /// The answer of a wait comes at a cycle.
    fn answer(&mut self, slot: usize, answer: Answer, is_over: bool, at: Cycle) {
        let warp = &mut self.sm.warps[slot];
        match answer {
            Answer::Predicate { predicate, lanes, counter } => {
                if is_over {
                    warp.state.set_predicate(predicate, lanes);
                }
                let generation = warp.generation;
                if let Some(counter) = counter {
                    self.sm.events.push(at, Event::Release { slot: slot as u8, generation, counter });
                }
            }
            Answer::Wakes => {
                self.leave_phase(slot);
                let at = at.max(self.sm.now + 1).max(self.sm.warps[slot].since);
                self.wait_until(slot, Phase::Sleeping, at);
            }
            Answer::Over => {}
        }
    }

    /// The copies have ended that lanes of a warp wanted to arrive after.
    #[cold]
    pub(crate) fn arrive_after_copies(&mut self, slot: usize, address: u32, lanes: u8, bytes: bool) {
        let place = usize::from(self.sm.warps[slot].block);
        let Some(block) = &mut self.sm.blocks[place] else { return };
        // More arrivals than the barrier waits for: it stays as it is, and who waits for it is reported as hanging.
        if copies_arrive(&mut block.shared, address, u32::from(lanes), bytes).is_ok() {
            self.end_phases(place, self.context.spec.mbarriers.wake);
        }
    }

    /// A copy of a warp to shared memory has ended: so have groups of them.
    #[cold]
    pub(crate) fn end_copy(&mut self, slot: usize) {
        let ended: SmallVec<[Then; 2]> = self.sm.warps[slot].copies.end().collect();
        for then in ended {
            match then {
                Then::Release(counter) => {
                    self.sm.warps[slot].counters.release(counter);
                }
                Then::Arrive { address, lanes, bytes } => {
                    self.arrive_after_copies(slot, address, lanes, bytes);
                }
            }
        }
    }
}
