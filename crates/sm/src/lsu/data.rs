//! The data stage: the passes by which accesses read and write the data array, which L1 and shared memory share.
//!
//! It has a pass each cycle, but one instruction alone takes several cycles for each of its own, and those of a warp pass one
//! after another. What waits for it has passed the tags before. Accesses to what is there come first; loads whose data has come
//! wait until the stage is free or enough others have come between, and pass in parts. Measured: lsu/fills.txt, rows.txt and
//! progress.txt.

use super::loads::Done;
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
    /// Loads that hit, or passes of shared memory, that come between two parts of loads whose data has come; all pass in order
    /// where it is not given.
    pub(crate) between_loads: Option<u64>,
    /// Passes of loads whose data has come that wait in one queue; any number may where it is not given.
    pub(crate) returning_passes: Option<u64>,
}

impl DataSpec {
    /// Accesses of a kind that may wait.
    fn queue(&self, kind: Kind) -> usize {
        match kind {
            Kind::Shared => self.shared_queue,
            Kind::Load | Kind::Store => self.global_queue,
        }
    }
}

/// What comes to the data stage from the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// An access to shared memory, or a lane exchange.
    Shared,
    /// A load that hits.
    Load,
    /// A store or atomic operation.
    Store,
}

impl Kind {
    /// What an access of so many passes takes of the room between two parts of loads.
    fn share(self, passes: u64) -> u64 {
        match self {
            Kind::Shared => passes,
            Kind::Load | Kind::Store => 1,
        }
    }
}

/// How many kinds there are.
const KINDS: usize = 3;

/// An access that starts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Access {
    /// Of which warp slot.
    pub(crate) slot: u8,
    /// When it comes to the stage.
    pub(crate) from: Cycle,
    /// The passes that it needs.
    pub(crate) passes: u64,
    /// So many of them are the conflicts of a store: other warps wait longer for the stage, its own has them behind it by then.
    pub(crate) conflicts: u64,
}

impl Access {
    /// How long it keeps the stage.
    #[inline]
    fn keeps(&self, spec: &DataSpec) -> u64 {
        match self.conflicts {
            0 => self.passes,
            conflicts => self.passes + conflicts * spec.store_conflict_percent / 100,
        }
    }
}

/// What waits until the stage has nothing better to do.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Waiting {
    /// A load whose data has come, or what is left of it: its result is there at `ready` if nothing is in the way.
    Data { done: Done, came: Cycle, ready: Cycle, has_begun: bool },
    /// A store, or what comes behind one. Its result, if it has one, is there so many cycles after the first pass.
    Access { kind: Kind, access: Access, result: Option<(Done, u64)> },
}

/// What passes that has waited, as far as others wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    /// When a load begins to pass, and leaves its place in the queue.
    pub(crate) begun: Option<Cycle>,
    /// A load that has passed, and when it has its result.
    pub(crate) done: Option<(Done, Cycle)>,
}

/// The data stage: what passes, and what waits for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataStage {
    free: Cycle,
    /// Of each warp slot, until when its last access passes.
    until: Vec<Cycle>,
    shared: Begins,
    global: Begins,
    /// In the order in which they have come, how long they will keep the stage, and how many are stores.
    waiting: VecDeque<Waiting>,
    waiting_passes: u64,
    waiting_stores: u32,
    /// Passes of loads among them that have not begun.
    returning: u64,
    /// Accesses of each kind that have come before what waits since the last of it has passed.
    since: [u64; KINDS],
}

/// When the accesses of a kind begin to pass that wait longest, the last one at the end: one more than may wait.
type Begins = VecDeque<Cycle>;

impl DataStage {
    /// An idle stage of an SM with so many warp slots.
    pub(crate) fn new(warps: usize) -> DataStage {
        DataStage {
            free: Cycle(0),
            until: vec![Cycle(0); warps],
            shared: Begins::new(),
            global: Begins::new(),
            waiting: VecDeque::new(),
            waiting_passes: 0,
            waiting_stores: 0,
            returning: 0,
            since: [0; KINDS],
        }
    }

    /// An access passes that starts `now`: when it begins to.
    #[inline(always)]
    pub(crate) fn pass(&mut self, kind: Kind, now: Cycle, access: &Access, spec: &DataSpec) -> Cycle {
        self.since[kind as usize] += kind.share(access.passes);
        let begin = self.begin(now, access, spec);
        self.note(kind, begin, spec);
        begin
    }

    /// Something else reads shared memory, before all that comes from now on.
    pub(crate) fn read_first(&mut self, now: Cycle, passes: u64) {
        self.free = self.free.max(now) + passes;
    }

    /// When an access begins to pass: when the stage is free, and not before those of its warp are over.
    #[inline(always)]
    fn begin(&mut self, now: Cycle, access: &Access, spec: &DataSpec) -> Cycle {
        let free = self.free.max(now);
        self.free = free + access.keeps(spec);
        let until = &mut self.until[usize::from(access.slot)];
        let begin = free.max(access.from).max(*until);
        *until = begin + access.passes * spec.pace;
        begin
    }

    /// An access of a kind begins to pass at a cycle.
    #[inline]
    fn note(&mut self, kind: Kind, begin: Cycle, spec: &DataSpec) {
        let begins = match kind {
            Kind::Shared => &mut self.shared,
            Kind::Load | Kind::Store => &mut self.global,
        };
        note(begins, begin, spec.queue(kind));
    }

    /// When the next access of a kind can start: as soon as few enough wait for their passes.
    #[inline]
    pub(crate) fn next_start(&self, kind: Kind, spec: &DataSpec) -> Cycle {
        let begins = match kind {
            Kind::Shared => &self.shared,
            Kind::Load | Kind::Store => &self.global,
        };
        if begins.len() > spec.queue(kind) { begins[0] } else { Cycle(0) }
    }

    /// When all that waits will have passed, if nothing comes before it.
    pub(crate) fn end(&self, now: Cycle) -> Cycle {
        self.free.max(now) + self.waiting_passes
    }

    /// Whether an access of a kind waits: stores come behind all that waits, and loads behind stores (measured: lsu/rows.txt,
    /// with stores and without).
    #[inline]
    pub(crate) fn must_wait(&self, kind: Kind, from: Cycle) -> bool {
        match kind {
            Kind::Shared => false,
            Kind::Load => self.waiting_stores > 0,
            Kind::Store => !self.waiting.is_empty() || self.free > from,
        }
    }

    /// An access that starts `now` waits.
    #[cold]
    pub(crate) fn wait(
        &mut self,
        kind: Kind,
        now: Cycle,
        access: Access,
        result: Option<(Done, u64)>,
        spec: &DataSpec,
    ) {
        let until = &mut self.until[usize::from(access.slot)];
        let begin = (self.free.max(now) + self.waiting_passes).max(access.from).max(*until);
        *until = begin + access.passes * spec.pace;
        let access = Access { from: begin, ..access };
        self.note(kind, begin, spec);
        self.waiting_passes += access.keeps(spec);
        self.waiting_stores += u32::from(kind == Kind::Store);
        self.waiting.push_back(Waiting::Access { kind, access, result });
    }

    /// Whether there is room for the data of a load of so many passes beside that which waits.
    pub(crate) fn has_room(&self, passes: u16, spec: &DataSpec) -> bool {
        self.returning == 0
            || spec.returning_passes.is_none_or(|room| self.returning + u64::from(passes) <= room)
    }

    /// The data of a load has come `now`: when it has its result, where it passes at once or only waits for what passes; else it
    /// waits for its turn.
    #[inline]
    pub(crate) fn comes(&mut self, done: &Done, now: Cycle, ready: Cycle) -> Option<Cycle> {
        if self.waiting.is_empty() && (done.passes == 0 || done.parts == 1 && self.free <= now) {
            self.since = [0; KINDS];
            return Some(self.pass_last(done, now, ready));
        }
        self.waiting_passes += u64::from(done.passes);
        self.returning += u64::from(done.passes);
        self.waiting.push_back(Waiting::Data { done: *done, came: now, ready, has_begun: false });
        None
    }

    /// The last part of a load passes whose data has come: when it has its result.
    #[inline]
    fn pass_last(&mut self, done: &Done, came: Cycle, ready: Cycle) -> Cycle {
        self.free = self.free.max(came) + u64::from(done.passes);
        done.ready.max(ready + (self.free - came).saturating_sub(u64::from(done.passes.min(1))))
    }

    /// When the next that waits can pass; never where nothing does.
    #[inline]
    pub(crate) fn next(&self) -> Cycle {
        if self.waiting.is_empty() { Cycle::NEVER } else { self.free }
    }

    /// Whether something that waits passes before an access that need not, as enough others of its kind have come between.
    #[inline]
    pub(crate) fn is_turn_of_waiting(&self, kind: Kind, passes: u64, spec: &DataSpec) -> bool {
        let since = self.since[kind as usize];
        !self.waiting.is_empty()
            && spec.between_loads.is_none_or(|room| since > 0 && since + kind.share(passes) > room)
    }

    /// What has waited longest passes, or its next part.
    pub(crate) fn pass_waiting(&mut self, spec: &DataSpec) -> Option<Passed> {
        self.since = [0; KINDS];
        match self.waiting.pop_front()? {
            Waiting::Data { done, came, ready, has_begun } => {
                let begins = self.free.max(came);
                if !has_begun {
                    self.returning -= u64::from(done.passes);
                }
                let begun = (!has_begun).then_some(begins);
                let passes = done.passes / u16::from(done.parts.max(1));
                self.waiting_passes -= u64::from(passes);
                if done.parts <= 1 {
                    let at = self.pass_last(&done, came, ready);
                    return Some(Passed { begun, done: Some((done, at)) });
                }
                self.free = begins + u64::from(passes);
                let done = Done { passes: done.passes - passes, parts: done.parts - 1, ..done };
                self.waiting.push_front(Waiting::Data { done, came, ready, has_begun: true });
                Some(Passed { begun, done: None })
            }
            Waiting::Access { kind, access, result } => {
                self.waiting_passes -= access.keeps(spec);
                self.waiting_stores -= u32::from(kind == Kind::Store);
                let begin = self.free.max(access.from);
                self.free += access.keeps(spec);
                Some(Passed { begun: None, done: result.map(|(done, lag)| (done, begin + lag)) })
            }
        }
    }

    /// Whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many cycles longer the tags take for an access of so many cycles because other passes come in between.
    #[inline]
    pub(crate) fn share_of_tags(&self, now: Cycle, cycles: u64) -> u64 {
        cycles.min(self.end(now) - now)
    }
}

/// An access begins to pass at a cycle, where so many may wait.
#[inline]
fn note(begins: &mut Begins, begin: Cycle, queue: usize) {
    if begins.len() > queue {
        if begin <= begins[0] {
            return;
        }
        begins.pop_front();
    }
    begins.push_back(begin);
    let mut place = begins.len() - 1;
    while place > 0 && begins[place - 1] > begin {
        begins.swap(place - 1, place);
        place -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, Owner};
    use super::{Access, DataSpec, DataStage, Done, Kind};
    use warplab_units::Cycle;

    const SPEC: DataSpec = DataSpec {
        pace: 2,
        store_conflict_percent: 50,
        shared_queue: 4,
        global_queue: 1,
        between_loads: None,
        returning_passes: None,
    };

    fn owner(slot: u8) -> Owner {
        Owner { slot, generation: 1, write_barrier: Some(0), read_barrier: None }
    }

    fn access(slot: u8, now: u64, passes: u64) -> Access {
        Access { slot, from: Cycle(now), passes, conflicts: 0 }
    }

    fn begin(stage: &mut DataStage, slot: u8, now: u64, passes: u64) -> u64 {
        stage.pass(Kind::Load, Cycle(now), &access(slot, now, passes), &SPEC).0
    }

    /// A load of so many passes comes that can have its result at once: when it has, if it need not wait.
    fn come(stage: &mut DataStage, now: u64, passes: u16) -> Option<u64> {
        come_in_parts(stage, now, passes, 1)
    }

    /// Likewise, in so many parts.
    fn come_in_parts(stage: &mut DataStage, now: u64, passes: u16, parts: u8) -> Option<u64> {
        stage.comes(&Done { passes, parts, ..done(0) }, Cycle(now), Cycle(now)).map(|at| at.0)
    }

    fn done(slot: u8) -> Done {
        Done { asker: Asker { owner: owner(slot), issued: Cycle(0) }, passes: 0, parts: 1, ready: Cycle(0) }
    }

    /// When what waits has its result.
    fn next(stage: &mut DataStage) -> Option<u64> {
        stage.pass_waiting(&SPEC)?.done.map(|(_, at)| at.0)
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
        assert_eq!([10, 12].map(|now| come(&mut stage, now, 32)), [Some(41), None]);
        assert_eq!((next(&mut stage), begin(&mut stage, 0, 12, 1)), (Some(73), 74));
    }

    #[test]
    fn conflicts_of_a_store_keep_the_stage_and_not_its_warp() {
        let mut stage = DataStage::new(3);
        let store = Access { conflicts: 31, ..access(0, 10, 32) };
        assert_eq!(stage.pass(Kind::Store, Cycle(10), &store, &SPEC), Cycle(10));
        assert_eq!([begin(&mut stage, 1, 11, 1), begin(&mut stage, 0, 12, 1)], [57, 74]);
    }

    #[test]
    fn the_tags_share_their_cycles_with_other_passes_as_long_as_there_are_some() {
        let mut stage = DataStage::new(1);
        assert_eq!(stage.share_of_tags(Cycle(10), 4), 0);
        come(&mut stage, 10, 32);
        assert_eq!([10, 40, 42].map(|now| stage.share_of_tags(Cycle(now), 4)), [4, 2, 0]);
    }

    #[test]
    fn an_access_whose_tags_take_long_leaves_the_stage_to_others() {
        let mut stage = DataStage::new(3);
        assert_eq!(stage.pass(Kind::Load, Cycle(10), &access(0, 17, 1), &SPEC), Cycle(17));
        assert_eq!([begin(&mut stage, 1, 11, 1), begin(&mut stage, 2, 12, 1)], [11, 12]);
    }

    #[test]
    fn so_many_hits_or_passes_of_shared_memory_come_between_two_parts_that_wait() {
        let spec = DataSpec { between_loads: Some(2), ..SPEC };
        let mut stage = DataStage::new(8);
        assert_eq!([1, 4].map(|parts| come_in_parts(&mut stage, 10, 32, parts)), [Some(41), None]);
        assert_eq!(stage.next(), Cycle(42));
        let mut pass = |slot, kind, passes| {
            let parts = stage.is_turn_of_waiting(kind, passes, &spec).then(|| next(&mut stage));
            (parts, stage.pass(kind, Cycle(11), &access(slot, 11, passes), &spec).0)
        };
        // Two hits, and a part; two passes, and a part; an access of many passes, and a part.
        assert_eq!([0, 1].map(|slot| pass(slot, Kind::Load, 4)), [(None, 42), (None, 46)]);
        assert_eq!(pass(2, Kind::Load, 4), (Some(None), 58));
        assert_eq!([3, 4].map(|slot| pass(slot, Kind::Shared, 1)), [(None, 62), (None, 63)]);
        assert_eq!([5, 6].map(|slot| pass(slot, Kind::Shared, 9)), [(Some(None), 72), (Some(None), 89)]);
        assert_eq!(next(&mut stage), Some(105));
    }

    #[test]
    fn stores_wait_behind_loads_whose_data_has_come_and_hits_behind_stores() {
        let spec = DataSpec { between_loads: Some(8), ..SPEC };
        let mut stage = DataStage::new(4);
        assert_eq!([(); 2].map(|()| come(&mut stage, 10, 32)), [Some(41), None]);
        assert_eq!(
            [Kind::Shared, Kind::Load, Kind::Store].map(|kind| stage.must_wait(kind, Cycle(0))),
            [false, false, true]
        );
        stage.wait(Kind::Store, Cycle(11), access(1, 11, 4), None, &spec);
        assert_eq!([Kind::Shared, Kind::Load].map(|kind| stage.must_wait(kind, Cycle(0))), [false, true]);
        stage.wait(Kind::Load, Cycle(12), access(2, 12, 1), Some((done(2), 32)), &spec);
        assert_eq!((stage.end(Cycle(12)), stage.share_of_tags(Cycle(12), 80)), (Cycle(12 + 67), 67));
        // The second load, the store, and the hit with its result 32 cycles after its pass.
        assert_eq!([(); 3].map(|()| next(&mut stage)), [Some(73), None, Some(78 + 32)]);
        assert!(stage.is_idle());
    }

    #[test]
    fn the_next_access_starts_when_one_waits_at_most() {
        let mut stage = DataStage::new(4);
        let mut starts = (0..4).map(|slot| {
            begin(&mut stage, slot, 10, 4);
            stage.next_start(Kind::Load, &SPEC).0
        });
        assert_eq!([(); 4].map(|()| starts.next().unwrap()), [0, 10, 14, 18]);
    }
}
