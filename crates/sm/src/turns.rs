//! Sub-partitions that take turns, and schedulers that issue several instructions in one cycle.

use crate::sm::{Advance, HeldBack};
use crate::sub_partition::Readiness;
use smallvec::SmallVec;
use warplab_exec::LaunchFault;
use warplab_trace::{StallReason, WarpState};
use warplab_units::Cycle;

impl Advance<'_> {
    /// One cycle in which schedulers issue by the machine's rules; the next cycle in which anything can happen.
    #[inline(never)]
    pub(crate) fn issue_by_rules(&mut self, until: Cycle) -> Result<Cycle, Box<LaunchFault>> {
        let now = self.sm.now;
        let mut issued = false;
        let mut next_free = Cycle::NEVER;
        let mut held_back: HeldBack = SmallVec::new();
        let mut off_turn: SmallVec<[(usize, u64); 4]> = SmallVec::new();
        for sub in 0..self.sm.sub_partitions.len() {
            let ready = self.sm.sub_partitions[sub].ready;
            if ready == 0 {
                continue;
            }
            let turn = self.next_turn(sub);
            if turn > now {
                next_free = next_free.min(turn);
                off_turn.push((sub, ready));
                continue;
            }
            let readiness = self.readiness(sub);
            if readiness.eligible != 0 {
                issued = true;
                self.select_several(sub, &readiness)?;
            }
            if readiness.math | readiness.global | readiness.shared | readiness.behind != 0 {
                next_free = next_free.min(readiness.next_free);
                held_back.push((sub, readiness));
            }
        }
        let next = if issued { now + 1 } else { self.next_cycle(next_free).min(until) };
        self.charge_ready(&held_back, next - now);
        for (sub, warps) in off_turn {
            let reason = StallReason::DispatchStall;
            let cycles = next - now;
            self.sm.sub_partitions[sub].charge_stall(reason, u64::from(warps.count_ones()) * cycles);
            if self.sm.watched {
                self.watch_ready(sub, warps, WarpState::Stalled(reason), cycles);
            }
        }
        Ok(next)
    }

    /// When a sub-partition has its next turn: now, or later.
    fn next_turn(&self, sub: usize) -> Cycle {
        let (now, count) = (self.sm.now, self.sm.sub_partitions.len() as u64);
        if !self.context.spec.issue.in_turn {
            return now;
        }
        now + (sub as u64 + count - now.0 % count) % count
    }

    /// The scheduler picks eligible warps, one for each unit, until it has as many as it can issue.
    fn select_several(&mut self, sub: usize, readiness: &Readiness) -> Result<(), Box<LaunchFault>> {
        let mut rest = readiness.eligible;
        let first = self.sm.sub_partitions[sub].pick(rest, self.sm.now);
        rest &= !(1 << first);
        self.issue(sub, first)?;
        for _ in 1..self.context.spec.issue.instructions {
            // Whose unit has been taken is not eligible any more.
            let more = self.readiness(sub).eligible & rest;
            if more == 0 {
                break;
            }
            let picked = self.sm.sub_partitions[sub].pick_further(more, self.sm.now);
            rest &= !(1 << picked);
            self.issue(sub, picked)?;
        }
        if self.sm.watched {
            self.watch_ready(sub, rest, WarpState::NotSelected, 1);
        }
        Ok(())
    }
}
