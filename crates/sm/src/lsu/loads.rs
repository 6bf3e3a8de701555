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
    /// From issue to the last part.
    pub(crate) counters: QueueCounters,
}

impl Loads {
    /// None, of an SM with so many warp slots.
    pub(crate) fn new(warps: usize) -> Loads {
        Loads { loads: Slab::new(), missed: vec![VecDeque::new(); warps], counters: QueueCounters::default() }
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

    /// A load all of whose parts have come, if it is this one's turn: the same, or the next of its warp, as those that missed
    /// come back in the order of their start (measured: lsu/returns.txt).
    pub(crate) fn next_done(&mut self, load: LoadId, slot: usize) -> Option<Done> {
        let in_order = self.loads.get(load as usize).is_none_or(|load| load.in_order);
        let next = if in_order { *self.missed[slot].front()? } else { load };
        self.loads.get(next as usize).filter(|load| load.parts == 0)?;
        if in_order {
            self.missed[slot].pop_front();
        }
        Some(self.loads.try_remove(next as usize)?.done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, Owner};
    use super::{Done, Loads};
    use warplab_units::Cycle;

    fn asker() -> Asker {
        let owner = Owner { slot: 3, generation: 1, write_barrier: Some(0), read_barrier: None };
        Asker { owner, issued: Cycle(10) }
    }

    #[test]
    fn a_load_is_done_with_its_last_part() {
        let mut loads = Loads::new(4);
        let load = loads.start(asker(), 0, Cycle(43));
        loads.expect(load);
        loads.expect(load);
        assert_eq!(loads.begin(load, 7, 2), None);
        loads.arrived(load);
        assert_eq!(loads.next_done(load, 3), None);
        loads.arrived(load);
        assert_eq!(
            loads.next_done(load, 3),
            Some(Done { asker: asker(), passes: 7, parts: 2, ready: Cycle(43) })
        );
    }

    #[test]
    fn loads_of_a_warp_that_missed_come_back_in_order() {
        let mut loads = Loads::new(4);
        let [first, second, hit] = [(); 3].map(|()| loads.start(asker(), 0, Cycle(43)));
        for load in [first, second] {
            loads.expect(load);
            assert_eq!(loads.begin(load, 1, 1), None);
        }
        assert!(loads.begin(hit, 0, 1).is_some());
        loads.arrived(second);
        assert_eq!(loads.next_done(second, 3), None);
        loads.arrived(first);
        assert!([first, first].map(|load| loads.next_done(load, 3).is_some()) == [true; 2]);
    }

    #[test]
    fn the_number_of_a_load_that_is_done_is_used_again() {
        let mut loads = Loads::new(4);
        let first = loads.start(asker(), 0, Cycle(43));
        let second = loads.start(asker(), 0, Cycle(43));
        loads.begin(first, 0, 1);
        assert_eq!(loads.start(asker(), 0, Cycle(43)), first);
        assert_ne!(first, second);
    }
}
