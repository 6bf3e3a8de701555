//! Loads and atomic operations whose data is under way.

use super::message::Asker;
use super::mshr::LoadId;
use serde::{Deserialize, Serialize};
use slab::Slab;
use std::collections::VecDeque;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// A load or atomic operation that waits for its parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    /// Parts that have not come.
    parts: u32,
    /// Whether it waits behind those of its warp that missed before it.
    in_order: bool,
    /// What it is when all have.
    done: Done,
}

/// A load or atomic operation all of whose parts have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Who asked.
    pub(crate) asker: Asker,
    /// Passes of the data stage that it takes when it has waited for data.
    pub(crate) passes: u16,
    /// Parts in which these pass.
    pub(crate) parts: u8,
    /// The result is there no earlier than this.
    pub(crate) ready: Cycle,
}

/// The loads under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Loads {
    loads: Slab<Load>,
    /// Of each warp slot, the loads that wait for what was missing, in the order of their start.
    missed: Vec<VecDeque<LoadId>>,
    /// The warp slots whose first of these has come, in turn, and which they are.
    turns: VecDeque<u8>,
    has_turn: Vec<bool>,
    /// From issue to the last part.
    pub(crate) counters: QueueCounters,
}

impl Loads {
    /// None, of an SM with so many warp slots.
    pub(crate) fn new(warps: usize) -> Loads {
        Loads {
            loads: Slab::new(),
            missed: vec![VecDeque::new(); warps],
            turns: VecDeque::new(),
            has_turn: vec![false; warps],
            counters: QueueCounters::default(),
        }
    }

    /// A load starts that has its result at `ready` at the earliest, after its own part and `parts` more.
    pub(crate) fn start(&mut self, asker: Asker, parts: u32, ready: Cycle) -> LoadId {
        let done = Done { asker, passes: 0, parts: 1, ready };
        self.loads.insert(Load { parts: parts + 1, in_order: false, done }) as LoadId
    }

    /// How many are under way.
    pub(crate) fn len(&self) -> usize {
        self.loads.len()
    }

    /// Who asked for each load under way, and how many parts have not come.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = (Asker, u32)> {
        self.loads.iter().map(|(_, load)| (load.done.asker, load.parts))
    }

    /// A load that is under way.
    pub(crate) fn get(&self, load: LoadId) -> Option<&Load> {
        self.loads.get(load as usize)
    }

    /// Who asked for a load.
    pub(crate) fn asker(&self, load: LoadId) -> Option<Asker> {
        self.loads.get(load as usize).map(|load| load.done.asker)
    }

    /// The load waits for a line that is not there.
    pub(crate) fn expect(&mut self, load: LoadId) {
        if let Some(load) = self.loads.get_mut(load as usize) {
            load.parts += 1;
        }
    }

    /// What a load has found is there: what it is when that is all. Else it waits behind those of its warp that wait, and what
    /// comes takes so many passes, in so many parts.
    pub(crate) fn begin(&mut self, load: LoadId, passes: u16, parts: u8) -> Option<Done> {
        let begun = self.loads.get_mut(load as usize)?;
        begun.parts -= 1;
        if begun.parts == 0 {
            return Some(self.loads.try_remove(load as usize)?.done);
        }
        begun.in_order = true;
        (begun.done.passes, begun.done.parts) = (passes, parts);
        self.missed[usize::from(begun.done.asker.owner.slot)].push_back(load);
        None
    }

    /// One part is there.
    pub(crate) fn arrived(&mut self, load: LoadId) {
        if let Some(waiting) = self.loads.get_mut(load as usize) {
            waiting.parts -= 1;
        }
    }

    /// What a load or atomic operation is all of whose parts have come, and that waits for no other of its warp. Where it does
    /// and comes first, its warp has a turn.
    pub(crate) fn all_came(&mut self, load: LoadId) -> Option<Done> {
        let &Load { parts, in_order, done } = self.loads.get(load as usize)?;
        if in_order {
            self.take_turn(done.asker.owner.slot);
        } else if parts == 0 {
            self.loads.try_remove(load as usize);
            return Some(done);
        }
        None
    }

    /// A warp has a turn if the first of its loads that missed has come.
    fn take_turn(&mut self, slot: u8) {
        if !self.has_turn[usize::from(slot)] && self.first_that_came(slot).is_some() {
            self.has_turn[usize::from(slot)] = true;
            self.turns.push_back(slot);
        }
    }

    /// The first load of a warp that missed, if it has come.
    fn first_that_came(&self, slot: u8) -> Option<LoadId> {
        let first = *self.missed[usize::from(slot)].front()?;
        self.loads.get(first as usize).filter(|load| load.parts == 0).map(|_| first)
    }

    /// The load whose turn it is, of the warp that has waited longest. Those of a warp come back in the order of their start
    /// (measured: lsu/returns.txt), and those of others between them (lsu/rows_at_once.txt).
    pub(crate) fn next(&self) -> Option<&Done> {
        let load = self.first_that_came(*self.turns.front()?)?;
        self.loads.get(load as usize).map(|load| &load.done)
    }

    /// That load passes; its warp waits for another turn if the next one has come.
    pub(crate) fn take_next(&mut self) -> Option<Done> {
        let slot = self.turns.pop_front()?;
        self.has_turn[usize::from(slot)] = false;
        let load = self.missed[usize::from(slot)].pop_front()?;
        self.take_turn(slot);
        Some(self.loads.try_remove(load as usize)?.done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, Owner};
    use super::super::mshr::LoadId;
    use super::{Done, Loads};
    use warplab_units::Cycle;

    fn asker(slot: u8) -> Asker {
        let owner = Owner { slot, generation: 1, write_barrier: Some(0), read_barrier: None };
        Asker { owner, issued: Cycle(10) }
    }

    /// Loads of a warp that wait for a line each.
    fn missing<const N: usize>(loads: &mut Loads, slot: u8) -> [LoadId; N] {
        [(); N].map(|()| {
            let load = loads.start(asker(slot), 0, Cycle(43));
            loads.expect(load);
            assert_eq!(loads.begin(load, 1, 1), None);
            load
        })
    }

    fn come(loads: &mut Loads, load: LoadId) {
        loads.arrived(load);
        assert_eq!(loads.all_came(load), None);
    }

    /// The warps whose loads come next.
    fn turns(loads: &mut Loads) -> Vec<u8> {
        std::iter::from_fn(|| loads.take_next()).map(|done| done.asker.owner.slot).collect()
    }

    #[test]
    fn a_load_is_done_with_its_last_part() {
        let mut loads = Loads::new(4);
        let load = loads.start(asker(3), 0, Cycle(43));
        loads.expect(load);
        loads.expect(load);
        assert_eq!(loads.begin(load, 7, 2), None);
        come(&mut loads, load);
        assert_eq!(loads.next(), None);
        come(&mut loads, load);
        assert_eq!(loads.next(), Some(&Done { asker: asker(3), passes: 7, parts: 2, ready: Cycle(43) }));
    }

    #[test]
    fn loads_of_a_warp_that_missed_come_back_in_order() {
        let mut loads = Loads::new(4);
        let [first, second] = missing(&mut loads, 3);
        let hit = loads.start(asker(3), 0, Cycle(43));
        assert!(loads.begin(hit, 0, 1).is_some());
        come(&mut loads, second);
        assert_eq!(loads.next(), None);
        come(&mut loads, first);
        assert_eq!(turns(&mut loads), [3, 3]);
    }

    #[test]
    fn warps_whose_loads_have_come_take_turns() {
        let mut loads = Loads::new(4);
        let [early, late] = [2, 0].map(|slot| missing::<3>(&mut loads, slot));
        early.into_iter().chain(late).for_each(|load| come(&mut loads, load));
        assert_eq!(turns(&mut loads), [2, 0, 2, 0, 2, 0]);
    }

    #[test]
    fn an_atomic_operation_is_done_with_its_last_part_whatever_waits() {
        let mut loads = Loads::new(4);
        missing::<1>(&mut loads, 3);
        let atomic = loads.start(asker(3), 1, Cycle(43));
        loads.arrived(atomic);
        assert_eq!(loads.all_came(atomic), None);
        loads.arrived(atomic);
        assert!(loads.all_came(atomic).is_some());
    }

    #[test]
    fn the_number_of_a_load_that_is_done_is_used_again() {
        let mut loads = Loads::new(4);
        let first = loads.start(asker(3), 0, Cycle(43));
        let second = loads.start(asker(3), 0, Cycle(43));
        loads.begin(first, 0, 1);
        assert_eq!(loads.start(asker(3), 0, Cycle(43)), first);
        assert_ne!(first, second);
    }
}
