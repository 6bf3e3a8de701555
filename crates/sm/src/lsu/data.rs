//! The data stage: the passes by which accesses read and write the data array, which L1 and shared memory share.
//!
//! It has a pass each cycle, but one instruction alone takes several cycles for each of its own, and those of a warp pass one
//! after another. What waits for it has passed the tags before. Measured: lsu/fills.txt.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_units::Cycle;

/// The numbers of the data stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataSpec {
    /// Cycles between two passes of an instruction that reads or writes what is there.
    pub(crate) pace: u64,
    /// Cycles in a hundred passes that conflicts add to a store, beside one each.
    pub(crate) store_conflict_percent: u64,
    /// Accesses to shared memory that may wait for it while the next one starts.
    pub(crate) shared_queue: usize,
    /// Likewise, accesses that come from the tags.
    pub(crate) global_queue: usize,
    /// Passes of shared memory that come between two accesses of the other kind; all pass in order where it is not given.
    pub(crate) between_loads: Option<u64>,
}

impl DataSpec {
    /// Accesses of a kind that may wait.
    fn queue(&self, kind: Kind) -> usize {
        match kind {
            Kind::Shared => self.shared_queue,
            Kind::Global => self.global_queue,
        }
    }
}

/// From where an access comes to the data stage: from the queues alone, or from the tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Shared,
    Global,
}

/// When the data stage is free.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataStage {
    free: Cycle,
    /// Of each warp slot, until when its last access passes.
    until: Vec<Cycle>,
    shared: Begins,
    global: Begins,
    gaps: Gaps,
}

/// When the accesses of a kind begin to pass that wait longest, the last one at the end: one more than may wait.
type Begins = Vec<Cycle>;

/// Ends of accesses to global memory that pass or will, with the passes of shared memory that come behind each.
type Gaps = VecDeque<(Cycle, u64)>;

impl DataStage {
    /// An idle stage of an SM with so many warp slots.
    pub(crate) fn new(warps: usize) -> DataStage {
        DataStage {
            free: Cycle(0),
            until: vec![Cycle(0); warps],
            shared: Begins::new(),
            global: Begins::new(),
            gaps: Gaps::new(),
        }
    }

    /// An access of a warp that starts `now`, comes to the stage at `from` and needs so many passes: when it begins to pass.
    #[inline]
    pub(crate) fn pass(
        &mut self,
        kind: Kind,
        slot: u8,
        (now, from): (Cycle, Cycle),
        passes: u64,
        spec: &DataSpec,
    ) -> Cycle {
        let gap = match (kind, spec.between_loads) {
            (Kind::Shared, Some(room)) => self.gap(now, passes, room),
            _ => None,
        };
        let begin = self.begin(slot, (now, from), gap, passes, spec);
        if kind == Kind::Global {
            self.leave_gap(now, self.free, spec);
        }
        let begins = match kind {
            Kind::Shared => &mut self.shared,
            Kind::Global => &mut self.global,
        };
        note(begins, begin, spec.queue(kind));
        begin
    }

    /// When the next access of a kind can start: as soon as few enough wait for their passes.
    #[inline]
    pub(crate) fn next_start(&self, kind: Kind, spec: &DataSpec) -> Cycle {
        let begins = match kind {
            Kind::Shared => &self.shared,
            Kind::Global => &self.global,
        };
        if begins.len() > spec.queue(kind) { begins[0] } else { Cycle(0) }
    }

    /// When the stage is free.
    pub(crate) fn free(&self) -> Cycle {
        self.free
    }

    /// When an access begins to pass, in a gap or when the stage is free: not before those of its warp are over.
    #[inline]
    fn begin(
        &mut self,
        slot: u8,
        (now, from): (Cycle, Cycle),
        gap: Option<Cycle>,
        passes: u64,
        spec: &DataSpec,
    ) -> Cycle {
        let free = self.free.max(now);
        self.free = free + passes;
        let until = &mut self.until[usize::from(slot)];
        let begin = gap.unwrap_or(free).max(from).max(*until);
        *until = begin + passes * spec.pace;
        begin
    }

    /// An access to global memory will have passed at a cycle: behind it is a gap, unless the stage is free in the next cycle anyway.
    #[inline]
    fn leave_gap(&mut self, now: Cycle, end: Cycle, spec: &DataSpec) {
        if end > now + 1 && spec.between_loads.is_some() {
            self.forget_gaps(now);
            self.gaps.push_back((end, 0));
        }
    }

    /// Where passes of shared memory that start `now` come between accesses to global memory: there is room for so many in each
    /// gap, or for one access.
    #[inline]
    fn gap(&mut self, now: Cycle, passes: u64, room: u64) -> Option<Cycle> {
        self.forget_gaps(now);
        let (end, taken) = self.gaps.iter_mut().find(|(_, taken)| *taken == 0 || *taken + passes <= room)?;
        let begin = *end + *taken;
        *taken += passes;
        Some(begin)
    }

    /// Forgets the gaps that have passed `now`.
    #[inline]
    fn forget_gaps(&mut self, now: Cycle) {
        while self.gaps.front().is_some_and(|&(end, taken)| end + taken <= now) {
            self.gaps.pop_front();
        }
    }

    /// Data comes `now` that needs so many passes, one a cycle: how long until the last of them is over.
    #[inline]
    pub(crate) fn pass_what_comes(&mut self, now: Cycle, passes: u64, spec: &DataSpec) -> u64 {
        self.free = self.free.max(now) + passes;
        if passes > 0 {
            self.leave_gap(now, self.free, spec);
        }
        self.free - now
    }

    /// So many passes of the last access are the conflicts of a store: other warps wait longer for the stage, its own has them
    /// behind it by then.
    #[inline]
    pub(crate) fn add_conflicts(&mut self, passes: u64, spec: &DataSpec) {
        self.free += passes * spec.store_conflict_percent / 100;
    }

    /// How many cycles longer the tags take for an access of so many cycles because other passes come in between.
    #[inline]
    pub(crate) fn share_of_tags(&self, now: Cycle, cycles: u64) -> u64 {
        cycles.min(self.free.since(now))
    }
}

/// An access begins to pass at a cycle, where so many may wait.
#[inline]
fn note(begins: &mut Begins, begin: Cycle, queue: usize) {
    if begins.len() > queue {
        if begin <= begins[0] {
            return;
        }
        begins.remove(0);
    }
    let place = begins.iter().rposition(|&other| other <= begin).map_or(0, |place| place + 1);
    begins.insert(place, begin);
}

#[cfg(test)]
mod tests {
    use super::{DataSpec, DataStage, Kind};
    use warplab_units::Cycle;

    const SPEC: DataSpec = DataSpec {
        pace: 2,
        store_conflict_percent: 50,
        shared_queue: 4,
        global_queue: 1,
        between_loads: None,
    };

    fn begin(stage: &mut DataStage, slot: u8, now: u64, passes: u64) -> u64 {
        stage.pass(Kind::Global, slot, (Cycle(now), Cycle(now)), passes, &SPEC).0
    }

    #[test]
    fn accesses_of_several_warps_have_a_pass_each_cycle() {
        let mut stage = DataStage::new(3);
        assert_eq!([0, 1, 2].map(|slot| begin(&mut stage, slot, 10, 4)), [10, 14, 18]);
    }

    #[test]
    fn accesses_of_one_warp_pass_one_after_another_at_its_pace() {
        let mut stage = DataStage::new(2);
        assert_eq!([10, 11].map(|now| begin(&mut stage, 0, now, 32)), [10, 74]);
    }

    #[test]
    fn data_that_comes_passes_at_a_pass_a_cycle() {
        let mut stage = DataStage::new(1);
        assert_eq!(stage.pass_what_comes(Cycle(10), 32, &SPEC), 32);
        assert_eq!(begin(&mut stage, 0, 12, 1), 42);
    }

    #[test]
    fn conflicts_of_a_store_keep_the_stage_and_not_its_warp() {
        let mut stage = DataStage::new(3);
        assert_eq!(begin(&mut stage, 0, 10, 32), 10);
        stage.add_conflicts(31, &SPEC);
        assert_eq!([begin(&mut stage, 1, 11, 1), begin(&mut stage, 0, 12, 1)], [57, 74]);
    }

    #[test]
    fn the_tags_share_their_cycles_with_other_passes_as_long_as_there_are_some() {
        let mut stage = DataStage::new(1);
        assert_eq!(stage.share_of_tags(Cycle(10), 4), 0);
        stage.pass_what_comes(Cycle(10), 32, &SPEC);
        assert_eq!([10, 40, 42].map(|now| stage.share_of_tags(Cycle(now), 4)), [4, 2, 0]);
    }

    #[test]
    fn an_access_whose_tags_take_long_leaves_the_stage_to_others() {
        let mut stage = DataStage::new(3);
        assert_eq!(stage.pass(Kind::Global, 0, (Cycle(10), Cycle(17)), 1, &SPEC), Cycle(17));
        assert_eq!([begin(&mut stage, 1, 11, 1), begin(&mut stage, 2, 12, 1)], [11, 12]);
    }

    #[test]
    fn shared_memory_comes_between_loads_that_wait_as_far_as_there_is_room() {
        let spec = DataSpec { between_loads: Some(2), ..SPEC };
        let mut stage = DataStage::new(8);
        assert_eq!([32, 64, 96].map(|_| stage.pass_what_comes(Cycle(10), 32, &spec)), [32, 64, 96]);
        let shared = |slot: u8, passes, stage: &mut DataStage| {
            stage.pass(Kind::Shared, slot, (Cycle(11), Cycle(11)), passes, &spec).0
        };
        // Two behind the first load, one that needs more behind the second, and one behind the third.
        let begins = [(0, 1), (1, 1), (2, 8), (3, 1)].map(|(slot, passes)| shared(slot, passes, &mut stage));
        assert_eq!(begins, [42, 43, 74, 106]);
        // What comes later waits for all of them.
        assert_eq!(stage.pass_what_comes(Cycle(12), 1, &spec), 106 + 11 + 1 - 12);
    }

    #[test]
    fn the_next_access_starts_when_one_waits_at_most() {
        let mut stage = DataStage::new(4);
        let mut starts = (0..4).map(|slot| {
            begin(&mut stage, slot, 10, 4);
            stage.next_start(Kind::Global, &SPEC).0
        });
        assert_eq!([(); 4].map(|()| starts.next().unwrap()), [0, 10, 14, 18]);
    }
}
