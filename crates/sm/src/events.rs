//! What will happen in an SM at a known cycle.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warplab_units::Cycle;

/// Something that happens at a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Event {
    /// A wait counter of a warp goes down.
    Release { slot: u8, generation: u32, counter: u8 },
    /// A warp that waited for a known time goes on.
    Wake { slot: u8, generation: u32 },
}

const SLOTS: usize = 512;

/// Events by cycle: a ring for the near future, a heap for the rest. Events of one cycle come in the order in which
/// they were pushed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Events {
    ring: Vec<Vec<Event>>,
    occupied: [u64; SLOTS / 64],
    far: BinaryHeap<Reverse<(Cycle, u64, Event)>>,
    pushed: u64,
    /// Every event before this cycle has been taken.
    now: Cycle,
}

impl Events {
    pub(crate) fn new() -> Events {
        Events {
            ring: vec![Vec::new(); SLOTS],
            occupied: [0; SLOTS / 64],
            far: BinaryHeap::new(),
            pushed: 0,
            now: Cycle(0),
        }
    }

    /// Adds an event; one in the past happens now.
    pub(crate) fn push(&mut self, at: Cycle, event: Event) {
        let at = at.max(self.now);
        if at.0 - self.now.0 < SLOTS as u64 {
            let slot = at.0 as usize % SLOTS;
            self.ring[slot].push(event);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse((at, self.pushed, event)));
            self.pushed += 1;
        }
    }

    /// The cycle of the next event, or never.
    pub(crate) fn next(&self) -> Cycle {
        let far = self.far.peek().map_or(Cycle::NEVER, |entry| entry.0.0);
        self.next_in_ring().min(far)
    }

    fn next_in_ring(&self) -> Cycle {
        let start = self.now.0 as usize % SLOTS;
        for step in 0..=SLOTS / 64 {
            let word = (start / 64 + step) % (SLOTS / 64);
            let mut bits = self.occupied[word];
            if step == 0 {
                bits &= u64::MAX << (start % 64);
            } else if step == SLOTS / 64 {
                bits &= !(u64::MAX << (start % 64));
            }
            if bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                return self.now + ((slot + SLOTS - start) % SLOTS) as u64;
            }
        }
        Cycle::NEVER
    }

    /// Takes the events of cycle `now` into `due` (which comes empty); there must be none before it.
    pub(crate) fn take(&mut self, now: Cycle, due: &mut Vec<Event>) {
        self.now = now;
        while let Some(&Reverse((at, _, event))) = self.far.peek() {
            if at > now {
                break;
            }
            self.far.pop();
            due.push(event);
        }
        let slot = now.0 as usize % SLOTS;
        if self.occupied[slot / 64] >> (slot % 64) & 1 != 0 {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            due.append(&mut self.ring[slot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events};
    use warplab_units::Cycle;

    fn wake(slot: u8) -> Event {
        Event::Wake { slot, generation: 0 }
    }

    #[test]
    fn events_come_at_their_cycle_near_or_far() {
        let mut events = Events::new();
        for (slot, at) in [(1, 5), (2, 5000), (3, 511), (4, 5)] {
            events.push(Cycle(at), wake(slot));
        }
        let mut seen = Vec::new();
        while events.next() != Cycle::NEVER {
            let now = events.next();
            let mut due = Vec::new();
            events.take(now, &mut due);
            seen.extend(due.into_iter().map(|event| (now.0, event)));
        }
        assert_eq!(seen, [(5, wake(1)), (5, wake(4)), (511, wake(3)), (5000, wake(2))]);
    }

    #[test]
    fn the_ring_turns_over_without_losing_a_slot() {
        let mut events = Events::new();
        let mut due = Vec::new();
        events.take(Cycle(700), &mut due);
        events.push(Cycle(700 + 511), wake(1));
        assert_eq!(events.next(), Cycle(1211));
        events.push(Cycle(3), wake(2));
        assert_eq!(events.next(), Cycle(700));
    }
}
