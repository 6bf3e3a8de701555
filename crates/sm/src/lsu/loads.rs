//! Loads and atomic operations whose data is under way.

use super::message::Asker;
use super::mshr::LoadId;
use serde::{Deserialize, Serialize};
use slab::Slab;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// A load or atomic operation that waits for its parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    /// Parts that have not come.
    parts: u32,
    /// What it is when all have.
    done: Done,
}

/// A load or atomic operation all of whose parts have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Who asked.
    pub(crate) asker: Asker,
    /// Lines that pass the data stage.
    pub(crate) lines: u32,
    /// Lines of these that were not there at first.
    pub(crate) late_lines: u32,
    /// The result is there no earlier than this.
    pub(crate) ready: Cycle,
}

/// The loads under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Loads {
    loads: Slab<Load>,
    /// From issue to the last part.
    pub(crate) counters: QueueCounters,
}

impl Loads {
    /// A load starts that has its result at `ready` at the earliest, after its own part and `parts` more.
    pub(crate) fn start(&mut self, asker: Asker, parts: u32, ready: Cycle) -> LoadId {
        let done = Done { asker, lines: 0, late_lines: 0, ready };
        self.loads.insert(Load { parts: parts + 1, done }) as LoadId
    }

    /// The load has lines that pass the data stage.
    pub(crate) fn set_lines(&mut self, load: LoadId, lines: u32) {
        if let Some(load) = self.loads.get_mut(load as usize) {
            load.done.lines = lines;
        }
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
            load.done.late_lines += 1;
        }
    }

    /// One part is there. Whether it is the last.
    pub(crate) fn arrived(&mut self, load: LoadId) -> Option<Done> {
        let waiting = self.loads.get_mut(load as usize)?;
        waiting.parts -= 1;
        if waiting.parts > 0 {
            return None;
        }
        Some(self.loads.try_remove(load as usize)?.done)
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
        let mut loads = Loads::default();
        let load = loads.start(asker(), 0, Cycle(43));
        loads.expect(load);
        loads.expect(load);
        assert_eq!([loads.arrived(load), loads.arrived(load)], [None; 2]);
        assert_eq!(
            loads.arrived(load),
            Some(Done { asker: asker(), lines: 0, late_lines: 2, ready: Cycle(43) })
        );
    }

    #[test]
    fn a_load_that_hits_has_no_late_lines() {
        let mut loads = Loads::default();
        let load = loads.start(asker(), 0, Cycle(43));
        assert_eq!(
            loads.arrived(load),
            Some(Done { asker: asker(), lines: 0, late_lines: 0, ready: Cycle(43) })
        );
    }

    #[test]
    fn the_number_of_a_load_that_is_done_is_used_again() {
        let mut loads = Loads::default();
        let first = loads.start(asker(), 0, Cycle(43));
        let second = loads.start(asker(), 0, Cycle(43));
        loads.arrived(first);
        assert_eq!(loads.start(asker(), 0, Cycle(43)), first);
        assert_ne!(first, second);
    }
}
