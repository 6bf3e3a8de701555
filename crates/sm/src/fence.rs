//! Fences: a warp waits until what its SM has written is acknowledged, and for a way to level two (measured:
//! traces/h200/fences).

use crate::lsu::Asked;
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
    /// Whether what is told at present is that another block of the cluster has done what it was asked.
    pub(crate) told_by_peer: bool,
    waiting: SmallVec<[Waiting; 2]>,
    /// When each sub-partition can take the next fence.
    free: SmallVec<[Cycle; 4]>,
    /// The last way to the slices that had been asked: when it begins, and when all have answered.
    way: (Cycle, Cycle),
}

/// A warp at a fence.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    slot: u8,
    /// Whether it is of the system, not of the GPU.
    of_system: bool,
    /// It waits until so many stores have left, then until so many requests are acknowledged, and all of its own.
    left: u64,
    acknowledged: Option<u64>,
    /// And until so many lines have come, and so many bulk copies have ended.
    lines: u64,
    copies: u64,
    /// When it set out: behind the stores that it waits for.
    start: Cycle,
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
        let of_all = spec.gpu > 0;
        let sm = &mut *self.sm;
        let (warp, fences, lsu) = (&mut sm.warps[slot], &mut sm.fences, &sm.lsu);
        if scope == FenceScope::Block {
            return self.go_on(slot, pc, next, 0);
        }
        let start = fences.taken(usize::from(warp.sub), next, spec.interval);
        let copies = &sm.bulk;
        let loads = lsu.asked_lines > lsu.come_lines || copies.begun > copies.ended;
        let under_way = loads || fences.issued > fences.left || fences.sent > fences.acknowledged;
        let fence = Waiting {
            slot: slot as u8,
            of_system: scope == FenceScope::System,
            left: if of_all { fences.issued } else { 0 },
            acknowledged: if of_all { None } else { Some(0) },
            lines: if of_all { lsu.asked_lines } else { 0 },
            copies: if of_all { copies.begun } else { 0 },
            start,
        };
        if warp.unsent + warp.unacknowledged > 0 || of_all && under_way {
            warp.phase = Phase::AtFence;
            fences.waiting.push(fence);
            self.pass_fences();
        } else {
            match self.end_of_fence(&fence) {
                at if at > next => self.wait_until(slot, Phase::LeavingFence, at),
                _ => self.go_on(slot, pc, next, 0),
            }
        }
    }

    /// When a fence is over for which all has come that it waited for. It goes to the slices that have been asked since the
    /// last one, and then a way to level two. While others of its SM are on their way to slices it waits, with all that come
    /// meanwhile.
    fn end_of_fence(&mut self, fence: &Waiting) -> Cycle {
        let spec = self.context.spec.fences;
        let asked = std::mem::take(&mut self.sm.lsu.asked);
        if fence.of_system {
            return fence.start + u64::from(spec.system);
        }
        let (begin, answered) = &mut self.sm.fences.way;
        let takes = match asked {
            Asked::Nobody => None,
            Asked::Near => Some(spec.asked_near),
            Asked::Far => Some(spec.asked_far),
        };
        if let Some(takes) = takes {
            if *begin < fence.start {
                (*begin, *answered) = (fence.start.max(*answered), Cycle(0));
            }
            *answered = (*answered).max(*begin + u64::from(takes));
        }
        (*answered).max(fence.start) + u64::from(spec.gpu)
    }

    /// Warps at fences go on that wait for nothing any more.
    #[inline]
    pub(crate) fn pass_fences(&mut self) {
        if !self.sm.fences.waiting.is_empty() {
            self.pass_those_that_can();
        }
    }

    #[inline(never)]
    fn pass_those_that_can(&mut self) {
        let now = self.sm.now;
        let spec = self.context.spec;
        let told = if self.sm.fences.told_by_peer { spec.clusters.fence_behind } else { spec.fences.behind };
        let mut waiting = std::mem::take(&mut self.sm.fences.waiting);
        waiting.retain(|fence| {
            let slot = usize::from(fence.slot);
            let warp = &self.sm.warps[slot];
            let own = warp.unsent + warp.unacknowledged;
            let Fences { left, sent, acknowledged, .. } = self.sm.fences;
            if left < fence.left {
                return true;
            }
            if fence.acknowledged.is_none() {
                (fence.acknowledged, fence.start) = (Some(sent), fence.start.max(now));
            }
            let come = self.sm.lsu.come_lines >= fence.lines && self.sm.bulk.ended >= fence.copies;
            if !come || fence.acknowledged > Some(acknowledged) || own > 0 {
                return true;
            }
            self.leave_phase(slot);
            let at = self.end_of_fence(fence).max(now + u64::from(told));
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
