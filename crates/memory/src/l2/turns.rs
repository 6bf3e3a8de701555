//! Requests that wait in several queues and take turns: each queue is in order of arrival.

use crate::fifo::Fifo;
use crate::message::Request;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::Cycle;

/// The queues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    queues: Vec<Fifo<Request>>,
    /// The queues in which requests wait: a bit for each.
    waiting: u32,
    /// The queue whose turn comes after those before it.
    next: u32,
    /// The queue whose first request has its turn, until it leaves.
    chosen: Option<u32>,
    len: usize,
}

impl Turns {
    /// So many empty queues: 32 at most.
    pub(super) fn new(queues: usize) -> Turns {
        Turns { queues: vec![Fifo::default(); queues], waiting: 0, next: 0, chosen: None, len: 0 }
    }

    /// How many requests wait in all queues.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A request comes last in a queue; whether it is the first of it.
    #[inline]
    pub(super) fn push(&mut self, request: Request, queue: usize) -> bool {
        let is_first = self.queues[queue].is_empty();
        self.queues[queue].push(request);
        self.waiting |= 1 << queue;
        self.len += 1;
        is_first
    }

    /// The first moment from `from` on at which a request is there.
    #[inline]
    pub(super) fn first_from(&self, from: Ticks) -> Option<Ticks> {
        self.in_turn(from).map(|(_, at)| Ticks::from(at).max(from))
    }

    /// The request whose turn it is: the first of the next queue that has one which is there by `now`.
    #[inline]
    pub(super) fn choose(&mut self, now: Ticks) -> Option<&Request> {
        if self.chosen.is_none() {
            self.chosen = Some(self.in_turn(now)?.0);
        }
        self.queues[self.chosen? as usize].first()
    }

    /// The request that was chosen leaves.
    #[inline]
    pub(super) fn pop(&mut self) {
        let Some(queue) = self.chosen.take() else { return };
        let requests = &mut self.queues[queue as usize];
        requests.pop();
        if requests.is_empty() {
            self.waiting &= !(1 << queue);
        }
        self.next = if queue + 1 == self.queues.len() as u32 { 0 } else { queue + 1 };
        self.len -= 1;
    }

    /// The first arrival of those that wait.
    pub(super) fn first_arrival(&self) -> Option<Cycle> {
        self.queues.iter().filter_map(|queue| queue.first()).map(|request| request.at).min()
    }

    /// All requests, queue by queue.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.queues.iter().flat_map(|queue| queue.iter())
    }

    /// The first requests of all queues: about so many.
    #[inline]
    pub(super) fn first(&self, most: usize) -> impl Iterator<Item = &Request> + Clone {
        let queues = (self.waiting.count_ones() as usize).max(1);
        let of_each = most.div_ceil(queues);
        self.queues.iter().flat_map(move |queue| &queue[..of_each.min(queue.len())])
    }

    /// The next queue in turn whose first request is there by `now`, or else the one whose request is there first.
    #[inline]
    fn in_turn(&self, now: Ticks) -> Option<(u32, Cycle)> {
        let before_next = (1 << self.next) - 1;
        let mut soonest: Option<(u32, Cycle)> = None;
        for mut queues in [self.waiting & !before_next, self.waiting & before_next] {
            while queues != 0 {
                let queue = queues.trailing_zeros();
                queues &= queues - 1;
                let Some(request) = self.queues[queue as usize].first() else { continue };
                if Ticks::from(request.at) <= now {
                    return Some((queue, request.at));
                }
                if soonest.is_none_or(|(_, at)| request.at < at) {
                    soonest = Some((queue, request.at));
                }
            }
        }
        soonest
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

    #[test]
    fn who_has_been_chosen_keeps_its_turn() {
        let mut turns = Turns::new(2);
        turns.push(read(2, 0, 1, 10), 1);
        assert_eq!(turns.choose(Ticks::of_cycles(10)).map(|request| request.token), Some(2));
        turns.push(read(1, 0, 1, 10), 0);
        assert_eq!(order(&mut turns, 10), [2, 1]);
    }
}
