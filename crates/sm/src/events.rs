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
    /// A store of a warp has left for L2, in so many requests.
    Sent { slot: u8, generation: u32, requests: u16 },
    /// The unit of bulk copies asks for a line.
    BulkStep,
    /// All lines of a bulk copy have been asked for, or read.
    BulkRead { copy: u32 },
    /// A row of a bulk copy that lies outside of its tensor is filled.
    BulkLine { copy: u32 },
    /// A warp has waited long enough for a barrier in shared memory.
    WaitedEnough { slot: u8, serial: u32 },
}

const SLOTS: usize = 512;

/// Events of the near future for which there is room from the start.
const USUAL: usize = 64;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    event: Event,
    /// The next event of the cycle; after the last one comes the first.
    after: u32,
}

/// Events by cycle: a ring of lists for the near future, a heap for the rest. Events of one cycle come in the order in
/// which they were pushed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Events {
    /// The event of each cycle that was pushed last.
    last: Vec<u32>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    occupied: [u64; SLOTS / 64],
    far: BinaryHeap<Reverse<(Cycle, u64, Event)>>,
    pushed: u64,
    /// Every event before this cycle has been taken.
    now: Cycle,
    /// The cycle of the next event, or never.
    next: Cycle,
}

impl Events {
    pub(crate) fn new() -> Events {
        Events {
            last: vec![NONE; SLOTS],
            nodes: Vec::with_capacity(USUAL),
            free: Vec::with_capacity(USUAL),
            occupied: [0; SLOTS / 64],
            far: BinaryHeap::new(),
            pushed: 0,
            now: Cycle(0),
            next: Cycle::NEVER,
        }
    }

    /// Adds an event; one in the past happens now.
    #[inline]
    pub(crate) fn push(&mut self, at: Cycle, event: Event) {
        let at = at.max(self.now);
        self.next = self.next.min(at);
        if at.0 - self.now.0 >= SLOTS as u64 {
            return self.push_far(at, event);
        }
        let slot = at.0 as usize % SLOTS;
        let place = self.free.pop().unwrap_or(self.nodes.len() as u32);
        let after = match self.nodes.get_mut(self.last[slot] as usize) {
            Some(last) => std::mem::replace(&mut last.after, place),
            None => place,
        };
        let node = Node { event, after };
        match self.nodes.get_mut(place as usize) {
            Some(free) => *free = node,
            None => self.nodes.push(node),
        }
        self.last[slot] = place;
        self.occupied[slot / 64] |= 1 << (slot % 64);
    }

    #[cold]
    fn push_far(&mut self, at: Cycle, event: Event) {
        self.far.push(Reverse((at, self.pushed, event)));
        self.pushed += 1;
    }

    /// The cycle of the next event, or never.
    #[inline]
    pub(crate) fn next(&self) -> Cycle {
        self.next
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

    /// Takes the next event of cycle `now`, before which there must be none.
    #[inline]
    pub(crate) fn take(&mut self, now: Cycle) -> Option<Event> {
        if self.next > now {
            return None;
        }
        self.now = now;
        if let Some(event) = self.take_far(now) {
            return Some(event);
        }
        let slot = now.0 as usize % SLOTS;
        let last = self.last[slot];
        let event = self.nodes.get(last as usize).map(|node| node.after).map(|first| {
            let Node { event, after } = self.nodes[first as usize];
            self.free.push(first);
            if first == last {
                self.last[slot] = NONE;
            } else {
                self.nodes[last as usize].after = after;
            }
            event
        });
        if self.last[slot] == NONE {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            let far = self.far.peek().map_or(Cycle::NEVER, |entry| entry.0.0);
            self.next = self.next_in_ring().min(far);
        }
        event
    }

    /// Takes an event of the heap that happens `now`.
    #[inline]
    fn take_far(&mut self, now: Cycle) -> Option<Event> {
        let &Reverse((at, _, event)) = self.far.peek()?;
        (at <= now).then(|| {
            self.far.pop();
            event
        })
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
            seen.extend(std::iter::from_fn(|| events.take(now)).map(|event| (now.0, event)));
        }
        assert_eq!(seen, [(5, wake(1)), (5, wake(4)), (511, wake(3)), (5000, wake(2))]);
    }

    #[test]
    fn the_ring_turns_over_without_losing_a_slot() {
        let mut events = Events::new();
        events.push(Cycle(700), wake(0));
        assert_eq!([events.take(Cycle(700)), events.take(Cycle(700))], [Some(wake(0)), None]);
        events.push(Cycle(700 + 511), wake(1));
        assert_eq!(events.next(), Cycle(1211));
        events.push(Cycle(3), wake(2));
        assert_eq!(events.next(), Cycle(700));
    }
}
