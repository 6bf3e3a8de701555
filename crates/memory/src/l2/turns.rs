//! Requests that wait in several queues and take turns: each queue is in order of arrival.

use crate::fifo::Fifo;
use crate::message::Request;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::Cycle;

/// Queues at most.
pub(super) const MOST: usize = 16;

/// The queues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    queues: Vec<Fifo<Request>>,
    /// When the first request of each queue arrives, where there is one.
    arrivals: [Cycle; MOST],
    /// The queues in which requests wait.
    waiting: Queues,
    /// The queue whose turn comes after those before it.
    next: u32,
    /// The queue whose first request has its turn.
    chosen: u32,
    len: usize,
}

/// Some of the queues, as a set of bits; one after another as an iterator.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Queues(u32);

impl Iterator for Queues {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros());
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

impl Turns {
    /// So many empty queues, [`MOST`] at most.
    pub(super) fn new(queues: usize) -> Turns {
        Turns {
            queues: vec![Fifo::default(); queues],
            arrivals: [Cycle::NEVER; MOST],
            waiting: Queues(0),
            next: 0,
            chosen: 0,
            len: 0,
        }
    }

    /// How many requests wait in all queues.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A request comes last in a queue; whether it is the first of it.
    #[inline]
    pub(super) fn push(&mut self, request: Request, queue: usize) -> bool {
        let is_first = self.waiting.0 >> queue & 1 == 0;
        if is_first {
            self.waiting.0 |= 1 << queue;
            self.arrivals[queue] = request.at;
        }
        self.queues[queue].push(request);
        self.len += 1;
        is_first
    }

    /// The first moment from `from` on at which a request is there.
    #[inline]
    pub(super) fn first_from(&self, from: Ticks) -> Option<Ticks> {
        self.in_turn(from).map(|queue| Ticks::from(self.arrivals[queue as usize]).max(from))
    }

    /// The first arrival of those that wait.
    pub(super) fn first_arrival(&self) -> Option<Cycle> {
        self.waiting.map(|queue| self.arrivals[queue as usize]).min()
    }

    /// Chooses the request whose turn it is: the first of the next queue that has one which is there by `now`.
    #[inline]
    pub(super) fn choose(&mut self, now: Ticks) -> Option<&Request> {
        self.chosen = self.in_turn(now)?;
        self.chosen()
    }

    /// The request that was chosen.
    #[inline]
    pub(super) fn chosen(&self) -> Option<&Request> {
        self.queues[self.chosen as usize].first()
    }

    /// The request that was chosen leaves.
    #[inline]
    pub(super) fn pop(&mut self) {
        let queue = self.chosen;
        match self.queues[queue as usize].pop_for_next() {
            Some(first) => self.arrivals[queue as usize] = first.at,
            None => self.waiting.0 &= !(1 << queue),
        }
        self.next = if queue as usize + 1 == self.queues.len() { 0 } else { queue + 1 };
        self.len -= 1;
    }

    /// All requests, queue by queue.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.queues.iter().flat_map(|queue| queue.iter())
    }

    /// Looks at the first requests of all queues: at about so many.
    #[inline]
    pub(super) fn look_at_first(&self, most: usize, mut look: impl FnMut(&Request)) {
        let of_each = most.div_ceil((self.waiting.0.count_ones() as usize).max(1));
        for queue in self.waiting {
            let queue = &self.queues[queue as usize];
            queue[..of_each.min(queue.len())].iter().for_each(&mut look);
        }
    }

    /// The next queue in turn whose first request is there by `now`, or else the one whose request is there first.
    #[inline]
    fn in_turn(&self, now: Ticks) -> Option<u32> {
        if self.waiting.0 & self.waiting.0.wrapping_sub(1) == 0 {
            return { self.waiting }.next();
        }
        let mut soonest = (Cycle::NEVER, 0);
        for place in Queues(self.waiting.0.rotate_right(self.next)) {
            let queue = (place + self.next) % MOST as u32;
            let arrival = self.arrivals[queue as usize];
            if Ticks::from(arrival) <= now {
                return Some(queue);
            }
            if arrival < soonest.0 {
                soonest = (arrival, queue);
            }
        }
        Some(soonest.1)
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use crate::testing::read;
    use warplab_config::Ticks;

    /// The tokens of requests in the order in which they leave at cycle `now`.
    fn order(turns: &mut Turns, now: u64) -> Vec<u32> {
        let mut tokens = Vec::new();
        while let Some(request) = turns.choose(Ticks::of_cycles(now)) {
            tokens.push(request.token);
            turns.pop();
        }
        tokens
    }

    #[test]
    fn queues_with_requests_take_turns() {
        let mut turns = Turns::new(3);
        for (token, queue) in [(1, 0), (2, 0), (3, 0), (4, 2), (5, 2)] {
            turns.push(read(token, 0, 1, 10), queue);
        }
        assert_eq!(order(&mut turns, 20), [1, 4, 2, 5, 3]);
        assert_eq!(turns.len(), 0);
    }

    #[test]
    fn who_is_there_goes_before_who_comes_later() {
        let mut turns = Turns::new(2);
        turns.push(read(1, 0, 1, 30), 0);
        turns.push(read(2, 0, 1, 10), 1);
        assert_eq!(turns.first_from(Ticks::of_cycles(5)), Some(Ticks::of_cycles(10)));
        assert_eq!(turns.first_from(Ticks::of_cycles(12)), Some(Ticks::of_cycles(12)));
        assert_eq!(order(&mut turns, 12), [2, 1]);
    }
}
