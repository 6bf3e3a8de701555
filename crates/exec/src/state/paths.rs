//! Divergence: which lanes of a warp are where.
//!
//! A warp is a list of [`Path`]s with disjoint lanes, one of which is current and issues. When a branch splits a
//! path, the side with fewer lanes goes first, of equal ones that which falls through (measured: core/turns.txt; on machines
//! with a stack always the latter); the other is pushed; when the current path blocks or ends, the path that was pushed last
//! goes on. Paths merge only at `BSYNC` and `WARPSYNC`, or where they yield (`yields.rs`), never by luck.
//!
//! Convergence barriers remember, for every lane, the lanes it is to meet: two paths that use the same barrier
//! register at once do not disturb each other.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::mem::discriminant;
use warplab_units::WarpMask;

/// The most convergence barriers that a warp has.
pub(super) const BARRIERS: usize = 16;

/// How divergence is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DivergenceModel {
    /// Volta and later: after this many taken backward branches another runnable path gets its turn.
    Barriers {
        /// Taken backward branches of one path in a row.
        patience: u32,
    },
    /// A stack of reconvergence points: strictly last in, first out; a path that spins starves the others.
    IpdomStack,
}

impl Default for DivergenceModel {
    fn default() -> DivergenceModel {
        DivergenceModel::Barriers { patience: 32 }
    }
}

/// What a path is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathStatus {
    /// Can issue.
    Runnable,
    /// Can issue, but lets others go first.
    Yielded,
    /// Waits at `BSYNC` for the lanes of this barrier register.
    AtConvergence(u8),
    /// Waits at `WARPSYNC` for these lanes.
    AtWarpsync(WarpMask),
    /// Waits at `WARPSYNC.COLLECTIVE` for these lanes; goes on at `resume` after the region.
    AtCollective {
        /// The lanes that run the region together.
        mask: WarpMask,
        /// The instruction after the region.
        resume: u32,
    },
    /// Its lanes are in a collective region on another path; goes on at its program counter afterwards.
    InCollective,
    /// Waits at a block barrier.
    AtBlockBarrier(u8),
}

/// Lanes that execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// The index of the next instruction (of the one that waits, for a path that waits).
    pub pc: u32,
    /// The lanes.
    pub mask: WarpMask,
    /// What they do.
    pub status: PathStatus,
}

/// The divergence state of a warp.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Paths {
    /// Mostly one.
    pub(super) list: SmallVec<[Path; 2]>,
    pub(super) current: Option<usize>,
    live: WarpMask,
    /// What each lane of the warp is to meet: a place for every lane of the first barrier, then of the next.
    participants: Vec<WarpMask>,
    /// The lanes that are between `BSSY` and `BSYNC` of each barrier.
    pub(super) inside: [WarpMask; BARRIERS],
    /// Lanes of a warp.
    pub(super) width: usize,
    pub(super) divergence: DivergenceModel,
    pub(super) backward: u32,
    /// Whether lanes have gone past a convergence barrier without others that had yielded.
    pub(super) parted: bool,
    /// The block barrier that the warp has arrived at and gone past before it is complete.
    passed: Option<u8>,
}

impl Paths {
    /// All `lanes` of a warp of `width` at the first instruction; `barriers` convergence barriers.
    #[must_use]
    pub fn new(lanes: WarpMask, width: usize, barriers: usize, divergence: DivergenceModel) -> Paths {
        let mut paths = Paths {
            list: SmallVec::new(),
            current: None,
            live: WarpMask::EMPTY,
            participants: vec![WarpMask::EMPTY; barriers * width],
            inside: [WarpMask::EMPTY; BARRIERS],
            width,
            divergence,
            backward: 0,
            parted: false,
            passed: None,
        };
        paths.restart(lanes);
        paths
    }

    /// All `lanes` at the first instruction, as if new.
    pub fn restart(&mut self, lanes: WarpMask) {
        self.list.clear();
        if !lanes.is_empty() {
            self.list.push(Path { pc: 0, mask: lanes, status: PathStatus::Runnable });
        }
        self.current = (!lanes.is_empty()).then_some(0);
        self.live = lanes;
        self.participants.fill(WarpMask::EMPTY);
        self.inside.fill(WarpMask::EMPTY);
        self.backward = 0;
        self.parted = false;
        self.passed = None;
    }

    /// The path that issues next; `None` when all wait or the warp is done.
    #[inline]
    #[must_use]
    pub fn current(&self) -> Option<&Path> {
        self.current.map(|index| &self.list[index])
    }

    /// Every path.
    #[must_use]
    pub fn all(&self) -> &[Path] {
        &self.list
    }

    /// The lanes that have not exited.
    #[inline]
    #[must_use]
    pub fn live(&self) -> WarpMask {
        self.live
    }

    /// Whether every lane has exited.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.live.is_empty()
    }

    /// Whether every live lane has come to this block barrier and none has left it.
    #[must_use]
    pub fn all_at_block_barrier(&self, id: u8) -> bool {
        self.passed == Some(id) || self.list.iter().all(|path| path.status == PathStatus::AtBlockBarrier(id))
    }

    /// The current path goes to the next instruction.
    #[inline(always)]
    pub fn advance(&mut self) {
        if let Some(index) = self.current {
            self.list[index].pc += 1;
        }
    }

    pub(super) fn here(&mut self) -> &mut Path {
        // Only called while an instruction of the current path executes.
        let index = self.current.unwrap_or(0);
        &mut self.list[index]
    }

    /// A branch of the current path: the lanes in `taken` go to `target`, the others to the next instruction. Says
    /// whether the path split.
    #[inline]
    pub fn branch(&mut self, taken: WarpMask, target: u32) -> bool {
        let path = *self.here();
        if taken.is_empty() {
            self.advance();
            return false;
        }
        if taken == path.mask {
            self.here().pc = target;
            if target <= path.pc {
                self.backward_branch();
            }
            return false;
        }
        let there = Path { pc: target, mask: taken, status: PathStatus::Runnable };
        let next = Path { pc: path.pc + 1, mask: path.mask.without(taken), ..path };
        let taken_first = taken.count() < next.mask.count() && self.divergence != DivergenceModel::IpdomStack;
        let (first, later) = if taken_first { (there, next) } else { (next, there) };
        *self.here() = first;
        self.list.push(later);
        true
    }

    /// Each lane of `taken` goes to its own target, the others to the next instruction. Says whether the path split, and how
    /// many targets there are.
    pub(crate) fn branch_each(&mut self, taken: WarpMask, targets: &[u32]) -> (bool, u8) {
        let mut rest = taken;
        let mut split = false;
        let mut count = 0;
        while let Some(lane) = rest.lowest() {
            let target = targets[lane];
            let same = rest.lanes().filter(|&l| targets[l] == target).collect();
            rest = rest.without(same);
            count += 1;
            let whole = self.here().mask;
            if same == whole {
                self.branch(same, target);
                return (split, count);
            }
            split = true;
            self.here().mask = whole.without(same);
            self.list.push(Path { pc: target, mask: same, status: PathStatus::Runnable });
        }
        self.advance();
        (split, count)
    }

    /// Splits lanes off the current path; they execute the same instruction later, on their own.
    pub(crate) fn split_off(&mut self, lanes: WarpMask) {
        let path = *self.here();
        let rest = path.mask & lanes;
        if !rest.is_empty() && rest != path.mask {
            self.here().mask = path.mask.without(rest);
            self.list.push(Path { pc: path.pc, mask: rest, status: PathStatus::Runnable });
        }
    }

    fn backward_branch(&mut self) {
        let DivergenceModel::Barriers { patience } = self.divergence else { return };
        self.backward += 1;
        if self.backward >= patience {
            self.rotate();
        }
    }

    /// The next runnable path after the current one gets its turn.
    pub fn rotate(&mut self) {
        self.backward = 0;
        let Some(index) = self.current else { return };
        let count = self.list.len();
        let mut next = (1..count).map(|step| (index + step) % count);
        if let Some(other) = next.find(|&other| self.list[other].status == PathStatus::Runnable) {
            self.current = Some(other);
        }
    }

    /// `NANOSLEEP`: another runnable path goes first.
    pub(crate) fn rest(&mut self) {
        self.advance();
        if self.divergence != DivergenceModel::IpdomStack {
            self.rotate();
        }
    }

    /// The path that was pushed last goes on; where none is left but those that have yielded, one of these.
    pub(super) fn pick(&mut self) {
        self.backward = 0;
        let last = |it: &Paths| it.list.iter().rposition(|path| path.status == PathStatus::Runnable);
        self.current = last(self);
        if self.current.is_none() && self.end_yields() {
            self.current = last(self);
        }
        if self.parted {
            self.gather();
        }
    }

    /// Makes the current path exactly `lanes`; the others skip this instruction.
    fn isolate(&mut self, lanes: WarpMask) {
        let path = *self.here();
        if lanes != path.mask {
            self.here().mask = lanes;
            let rest = path.mask.without(lanes);
            self.list.push(Path { pc: path.pc + 1, mask: rest, status: PathStatus::Runnable });
        }
    }

    /// `BSSY`: the lanes will meet again.
    #[inline]
    pub fn open(&mut self, barrier: u8, lanes: WarpMask) {
        self.inside[usize::from(barrier) % BARRIERS] |= lanes;
        if self.parted {
            self.join_barrier(barrier, lanes);
        } else if lanes == self.live {
            // Lanes that have ended meet nobody.
            self.participants_mut(barrier).fill(lanes);
        } else {
            self.set_row(barrier, lanes, |_| lanes);
        }
        self.advance();
    }

    /// Sets what each of `lanes` is to meet at a barrier, where it is among them.
    pub(crate) fn set_participants(
        &mut self,
        barrier: u8,
        lanes: WarpMask,
        value: impl Fn(usize) -> WarpMask,
    ) {
        let inside = lanes.lanes().filter(|&lane| value(lane).has(lane)).collect();
        let slot = &mut self.inside[usize::from(barrier) % BARRIERS];
        *slot = slot.without(lanes) | inside;
        self.set_row(barrier, lanes, value);
    }

    /// Sets what each of `lanes` is to meet at a barrier.
    pub(super) fn set_row(&mut self, barrier: u8, lanes: WarpMask, value: impl Fn(usize) -> WarpMask) {
        let row = self.participants_mut(barrier);
        lanes.lanes().for_each(|lane| row[lane] = value(lane));
    }

    /// What each lane of the warp is to meet at a barrier.
    #[inline]
    #[must_use]
    pub fn participants(&self, barrier: u8) -> &[WarpMask] {
        &self.participants[usize::from(barrier) * self.width..][..self.width]
    }

    #[inline]
    fn participants_mut(&mut self, barrier: u8) -> &mut [WarpMask] {
        &mut self.participants[usize::from(barrier) * self.width..][..self.width]
    }

    /// `BSYNC`: waits for the live lanes of the barrier. Says whether the path goes on at once.
    pub fn converge(&mut self, barrier: u8, lanes: WarpMask) -> bool {
        if lanes.is_empty() {
            self.advance();
            return true;
        }
        let row = self.participants(barrier);
        let mut meant = lanes.lowest().map_or(WarpMask::EMPTY, |lane| row[lane]);
        if !meant.has(lanes.lowest().unwrap_or(0)) {
            meant = lanes.lanes().filter(|&lane| row[lane].has(lane)).collect();
            if meant.is_empty() {
                self.advance();
                return true;
            }
        }
        if lanes == self.here().mask && meant & self.live == lanes {
            self.went_on(barrier, lanes);
            self.advance();
            return true;
        }
        let row = self.participants(barrier);
        let waiting: WarpMask = lanes.lanes().filter(|&lane| row[lane].has(lane)).collect();
        if self.passes_yielded(barrier, (waiting, meant)) {
            self.isolate(lanes);
            self.advance();
            return true;
        }
        self.isolate(waiting);
        self.here().status = PathStatus::AtConvergence(barrier);
        let before = self.current;
        self.current = None;
        self.check_waiting();
        if self.current.is_none() {
            self.pick();
        }
        before == self.current
    }

    /// `BREAK`: the lanes leave the barrier.
    pub fn leave(&mut self, barrier: u8, lanes: WarpMask) {
        self.forget(barrier, lanes);
        self.advance();
        self.check_waiting();
    }

    /// Lanes have gone past a barrier.
    #[inline(always)]
    fn went_on(&mut self, barrier: u8, lanes: WarpMask) {
        let slot = &mut self.inside[usize::from(barrier) % BARRIERS];
        *slot = slot.without(lanes);
    }

    /// Lanes leave a barrier.
    pub(super) fn forget(&mut self, barrier: u8, lanes: WarpMask) {
        self.went_on(barrier, lanes);
        let row = self.participants_mut(barrier);
        let groups = lanes.lanes().fold(WarpMask::EMPTY, |mask, lane| mask | row[lane]);
        for (lane, slot) in row.iter_mut().enumerate() {
            if groups.has(lane) {
                *slot = slot.without(lanes);
            }
        }
    }

    /// `WARPSYNC`: waits for the live lanes of a mask. Says whether the path goes on at once.
    pub(crate) fn synchronise(&mut self, mask: WarpMask, lanes: WarpMask) -> bool {
        if lanes.is_empty() || (mask & self.live == lanes && lanes == self.here().mask) {
            self.advance();
            return true;
        }
        self.isolate(lanes);
        self.here().status = PathStatus::AtWarpsync(mask);
        self.blocked()
    }

    /// `WARPSYNC.COLLECTIVE`: waits for the lanes of a mask, which run the region that follows together, then each
    /// goes on at its own `resume`.
    pub fn collect(&mut self, mask: WarpMask, lanes: WarpMask, resume: u32) -> bool {
        if lanes.is_empty() {
            self.advance();
            return true;
        }
        self.isolate(lanes);
        self.here().status = PathStatus::AtCollective { mask, resume };
        self.blocked()
    }

    fn blocked(&mut self) -> bool {
        let before = self.current.take();
        self.check_waiting();
        if self.current.is_none() {
            self.pick();
        }
        before == self.current
    }

    /// `ENDCOLLECTIVE`: the lanes go on where each entered.
    pub(crate) fn end_collective(&mut self) {
        let Some(index) = self.current else { return };
        let mask = self.list[index].mask;
        let waits = |path: &Path| path.status == PathStatus::InCollective && !(path.mask & mask).is_empty();
        if !self.list.iter().any(waits) {
            self.advance();
            return;
        }
        for path in &mut self.list {
            if waits(path) {
                path.status = PathStatus::Runnable;
            }
        }
        self.list.remove(index);
        self.pick();
    }

    /// The lanes end.
    pub fn exit(&mut self, lanes: WarpMask) {
        self.live = self.live.without(lanes);
        let Some(index) = self.current else { return };
        let path = &mut self.list[index];
        path.mask = path.mask.without(lanes);
        path.pc += 1;
        if path.mask.is_empty() {
            self.list.remove(index);
            self.current = None;
        }
        if !self.list.is_empty() {
            self.check_waiting();
            if self.current.is_none() {
                self.pick();
            }
        }
    }

    /// The lanes wait at a block barrier.
    pub fn wait_at_block_barrier(&mut self, id: u8, lanes: WarpMask) {
        self.isolate(lanes);
        self.here().status = PathStatus::AtBlockBarrier(id);
        self.pick();
    }

    /// The warp goes past the block barrier that all its lanes have just arrived at, although it may not be complete; what
    /// others may see it must not do before it is. Whether all lanes had arrived.
    pub fn go_past_block_barrier(&mut self, id: u8) -> bool {
        let [path] = self.list.as_mut_slice() else { return false };
        if path.status != PathStatus::AtBlockBarrier(id) {
            return false;
        }
        path.status = PathStatus::Runnable;
        path.pc += 1;
        self.current = Some(0);
        self.passed = Some(id);
        true
    }

    /// The block barrier is complete: paths that wait there go on.
    pub fn release_block_barrier(&mut self, id: u8) {
        if self.passed == Some(id) {
            self.passed = None;
            return;
        }
        for path in &mut self.list {
            if path.status == PathStatus::AtBlockBarrier(id) {
                path.status = PathStatus::Runnable;
                path.pc += 1;
            }
        }
        if self.current.is_none() {
            self.pick();
        }
    }

    /// Lets paths go on whose lanes have all come.
    pub(super) fn check_waiting(&mut self) {
        let mut index = 0;
        let mut running = self.lanes_of(PathStatus::Runnable);
        while index < self.list.len() {
            let path = self.list[index];
            let lane = path.mask.lowest().unwrap_or(0);
            let meant = match path.status {
                PathStatus::AtConvergence(barrier) => self.participants(barrier)[lane],
                _ => path.named_lanes(),
            };
            let at_barrier = matches!(path.status, PathStatus::AtConvergence(_));
            // Lanes that run have not come, and have not yielded.
            if meant.is_empty() && !at_barrier || !(meant & running).is_empty() {
                index += 1;
                continue;
            }
            // In a function that calls itself lanes that went deeper may wait at the barrier of the others' name, for each other.
            let together = |other: &Path| {
                if (other.mask & meant).is_empty() {
                    return false;
                }
                match (other.status, path.status) {
                    (PathStatus::AtConvergence(a), PathStatus::AtConvergence(b)) => {
                        let lane = other.mask.lowest().unwrap_or(0);
                        a == b && !(self.participants(a)[lane] & path.mask).is_empty()
                    }
                    // Each waits for the lanes of its own mask, wherever these are.
                    (a, b) => discriminant(&a) == discriminant(&b) && other.named_lanes() == meant,
                }
            };
            let come =
                self.list.iter().filter(|other| together(other)).fold(WarpMask::EMPTY, |m, p| m | p.mask);
            let missing = (meant & self.live).without(come);
            if missing.is_empty() {
                self.release(path, meant | path.mask);
                (index, running) = (0, self.lanes_of(PathStatus::Runnable));
            } else if let PathStatus::AtConvergence(barrier) = path.status
                && self.only_yielded_are_missing(missing, come)
            {
                self.release(path, come);
                self.forget(barrier, meant | come);
                (index, running) = (0, self.lanes_of(PathStatus::Runnable));
            } else {
                index += 1;
            }
        }
    }

    fn release(&mut self, first: Path, lanes: WarpMask) {
        if let PathStatus::AtCollective { .. } = first.status {
            return self.enter_collective(lanes);
        }
        if let PathStatus::AtConvergence(barrier) = first.status {
            self.went_on(barrier, lanes);
        }
        let current_mask = self.current.map(|index| self.list[index].mask);
        let mut index = 0;
        let mut freed: SmallVec<[Path; 4]> = SmallVec::new();
        while index < self.list.len() {
            let path = self.list[index];
            let kind = discriminant(&path.status) == discriminant(&first.status);
            let same = match (path.status, first.status) {
                (PathStatus::AtConvergence(a), PathStatus::AtConvergence(b)) => a == b,
                _ => kind,
            };
            if !same || !path.mask.without(lanes).is_empty() {
                index += 1;
                continue;
            }
            self.list.remove(index);
            match freed.iter_mut().find(|other| other.pc == path.pc + 1) {
                Some(other) => other.mask |= path.mask,
                None => freed.push(Path { pc: path.pc + 1, mask: path.mask, status: PathStatus::Runnable }),
            }
        }
        self.list.extend(freed);
        self.current = current_mask.and_then(|mask| self.list.iter().position(|path| path.mask == mask));
    }

    fn enter_collective(&mut self, lanes: WarpMask) {
        let current_mask = self.current.map(|index| self.list[index].mask);
        let mut entry = Path { pc: 0, mask: WarpMask::EMPTY, status: PathStatus::Runnable };
        for path in &mut self.list {
            let PathStatus::AtCollective { resume, .. } = path.status else { continue };
            if !path.mask.without(lanes).is_empty() {
                continue;
            }
            entry.mask |= path.mask;
            entry.pc = path.pc + 1;
            path.pc = resume;
            path.status = PathStatus::InCollective;
        }
        self.list.push(entry);
        self.current = current_mask.and_then(|mask| {
            self.list.iter().position(|path| path.mask == mask && path.status == PathStatus::Runnable)
        });
    }
}
