//! Loads and atomic operations whose data is under way.

use super::message::Asker;
use super::mshr::LoadId;
use serde::{Deserialize, Serialize};
use slab::Slab;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// A load or atomic operation that waits for its parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Load {
    asker: Asker,
    /// Parts that have not come.
    parts: u32,
    /// When the parts that were there are there.
    ready: Cycle,
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
        self.loads.insert(Load { asker, parts: parts + 1, ready }) as LoadId
    }

    /// How many are under way.
    pub(crate) fn len(&self) -> usize {
        self.loads.len()
    }

    /// Who asked for each load under way, and how many parts have not come.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = (Asker, u32)> {
        self.loads.iter().map(|(_, load)| (load.asker, load.parts))
    }

    /// Who asked for a load.
    pub(crate) fn asker(&self, load: LoadId) -> Option<Asker> {
        self.loads.get(load as usize).map(|load| load.asker)
    }

    /// The load waits for one more part.
    pub(crate) fn expect(&mut self, load: LoadId) {
        if let Some(load) = self.loads.get_mut(load as usize) {
            load.parts += 1;
        }
    }

    /// One part is there at `at`. When it is the last: who asked, and when the result is there.
    pub(crate) fn arrived(&mut self, load: LoadId, at: Cycle) -> Option<(Asker, Cycle)> {
        let waiting = self.loads.get_mut(load as usize)?;
        waiting.parts -= 1;
        if waiting.parts > 0 {
            return None;
        }
        let Load { asker, ready, .. } = self.loads.try_remove(load as usize)?;
        let at = ready.max(at);
        self.counters.leaves(at.0, asker.issued.0);
        Some((asker, at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, Owner};
    use super::Loads;
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
        assert_eq!(loads.arrived(load, Cycle(10)), None);
        assert_eq!(loads.arrived(load, Cycle(300)), None);
        assert_eq!(loads.arrived(load, Cycle(280)), Some((asker(), Cycle(280))));
    }

    #[test]
    fn a_load_that_hits_is_done_at_its_hit_latency() {
        let mut loads = Loads::default();
        let load = loads.start(asker(), 0, Cycle(43));
        assert_eq!(loads.arrived(load, Cycle(11)), Some((asker(), Cycle(43))));
    }

    #[test]
    fn the_number_of_a_load_that_is_done_is_used_again() {
        let mut loads = Loads::default();
        let first = loads.start(asker(), 0, Cycle(43));
        let second = loads.start(asker(), 0, Cycle(43));
        loads.arrived(first, Cycle(43));
        assert_eq!(loads.start(asker(), 0, Cycle(43)), first);
        assert_ne!(first, second);
    }
}
