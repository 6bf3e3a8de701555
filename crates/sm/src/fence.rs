//! Fences: a warp waits until what its SM has written is acknowledged, and for a way to level two (measured:
//! traces/h200/fences).

use crate::sm::Advance;
use crate::warp::Phase;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_exec::FenceScope;
use warplab_units::Cycle;

/// What an SM has written, and the warps that wait for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Fences {
    /// Stores and reductions that have issued, and those of them that have left for level two.
    issued: u64,
    left: u64,
    /// Their requests that have left, and those of them that are acknowledged.
    sent: u64,
    acknowledged: u64,
    /// What is told at present.
    pub(crate) told: Told,
    waiting: SmallVec<[Waiting; 2]>,
    /// When each sub-partition can take the next fence.
    free: SmallVec<[Cycle; 4]>,
}

/// What fences come to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Told {
    /// A store has left, or is acknowledged by level two.
    #[default]
    Store,
    /// A line of a load has come.
    Load,
    /// Another block of the cluster has done what it was asked.
    Peer,
}

/// A warp at a fence.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    slot: u8,
    /// It waits until so many stores have left, then until so many requests are acknowledged, and all of its own.
    left: u64,
    acknowledged: Option<u64>,
    /// And until so many lines have come.
    lines: u64,
    /// It goes on then at the earliest.
    at: Cycle,
}

impl Fences {
    /// A store or a reduction has issued.
    pub(crate) fn issued(&mut self) {
        self.issued += 1;
    }

    /// So many requests have been made of a store that has left, or waits for credits.
    pub(crate) fn sent(&mut self, requests: u16) {
        self.sent += u64::from(requests);
    }

    /// A store has left.
    pub(crate) fn left(&mut self) {
        self.left += 1;
    }

    /// A request is acknowledged.
    pub(crate) fn acknowledged(&mut self) {
        self.acknowledged += 1;
    }

    /// A sub-partition takes a fence at a cycle or later, and the next one so many cycles after it: when.
    fn taken(&mut self, sub: usize, at: Cycle, interval: u32) -> Cycle {
        if self.free.len() <= sub {
            self.free.resize(sub + 1, Cycle(0));
        }
        let at = at.max(self.free[sub]);
        self.free[sub] = at + u64::from(interval);
        at
    }
}

impl Advance<'_> {
    /// A warp comes to a fence, behind which its next instruction could issue at `next`.
    pub(crate) fn fence(&mut self, slot: usize, scope: FenceScope, pc: u32, next: Cycle) {
        let spec = self.context.spec.fences;
        let takes = match scope {
            FenceScope::Block => return self.go_on(slot, pc, next, 0),
            FenceScope::Gpu => spec.gpu,
            FenceScope::System => spec.system,
        };
        let sub = usize::from(self.sm.warps[slot].sub);
        let at = self.sm.fences.taken(sub, next, spec.interval) + u64::from(takes);
        let of_all = spec.gpu > 0;
        let fences = &mut self.sm.fences;
        let lsu = &self.sm.lsu;
        let loads = lsu.asked_lines > lsu.come_lines;
        let under_way = loads || fences.issued > fences.left || fences.sent > fences.acknowledged;
        let warp = &mut self.sm.warps[slot];
        if warp.unsent + warp.unacknowledged > 0 || of_all && under_way {
            warp.phase = Phase::AtFence;
            let left = if of_all { fences.issued } else { 0 };
            let acknowledged = if of_all { None } else { Some(0) };
            let lines = if of_all { self.sm.lsu.asked_lines } else { 0 };
            fences.waiting.push(Waiting { slot: slot as u8, left, acknowledged, lines, at });
            self.pass_fences();
        } else if takes > 0 {
            self.wait_until(slot, Phase::LeavingFence, at);
        } else {
            self.go_on(slot, pc, next, 0);
        }
    }

    /// Warps at fences go on that wait for nothing any more.
    #[inline]
    pub(crate) fn pass_fences(&mut self) {
        if !self.sm.fences.waiting.is_empty() {
            self.pass_those_that_can();
        }
    }

    /// Lines of loads may have come: warps at fences go on that wait for nothing any more.
    #[inline]
    pub(crate) fn pass_fences_behind_loads(&mut self) {
        if !self.sm.fences.waiting.is_empty() {
            self.sm.fences.told = Told::Load;
            self.pass_those_that_can();
            self.sm.fences.told = Told::Store;
        }
    }

    #[inline(never)]
    fn pass_those_that_can(&mut self) {
        let now = self.sm.now;
        let spec = self.context.spec;
        let behind = u64::from(match self.sm.fences.told {
            Told::Store => spec.fences.behind,
            Told::Load => spec.fences.behind_loads,
            Told::Peer => spec.clusters.fence_behind,
        });
        let mut waiting = std::mem::take(&mut self.sm.fences.waiting);
        waiting.retain(|fence| {
            let slot = usize::from(fence.slot);
            let warp = &self.sm.warps[slot];
            let own = warp.unsent + warp.unacknowledged;
            let Fences { left, sent, acknowledged, .. } = self.sm.fences;
            let come = self.sm.lsu.come_lines;
            if come < fence.lines
                || left < fence.left
                || acknowledged < *fence.acknowledged.get_or_insert(sent)
                || own > 0
            {
                return true;
            }
            self.leave_phase(slot);
            let at = fence.at.max(now + behind);
            if at > now {
                self.wait_until(slot, Phase::LeavingFence, at);
            } else {
                self.prepare(slot);
            }
            false
        });
        self.sm.fences.waiting = waiting;
    }
}
