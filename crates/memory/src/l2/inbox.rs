//! Requests that wait at a slice.

use super::turns::Turns;
use crate::message::Request;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::Cycle;

/// Why a request does not pass until something has come or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Blocked {
    /// Its line is not there, and every MSHR of lines from DRAM is in use.
    Mshrs,
    /// Its line is not there, and every MSHR of lines from the other half is in use.
    FarMshrs,
    /// It waits for a way of its set or the write queue of DRAM, or has a place and waits for an MSHR.
    Other,
}

/// Requests in order of arrival, or in the order of the turns of their queues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Inbox {
    requests: Turns,
    /// Whether the one whose turn it is is blocked.
    blocked: bool,
    /// What it waited for when it was looked up last, as long as that is known to be so.
    obstacle: Option<Blocked>,
    /// It does not pass before: it was blocked until then.
    not_before: Ticks,
    /// When the last request that was looked up has passed in.
    passed: Ticks,
    /// When the first request can be looked up; never when none waits or it is blocked.
    next: Ticks,
    /// How many have been looked up since [`Inbox::expect`], and how many it expected: what is fetched ahead goes by them.
    #[serde(skip)]
    looked_up: usize,
    #[serde(skip)]
    expected: usize,
}

/// Where requests wait, so many more may be looked up in an epoch than in the one before.
const MORE: usize = 4;

impl Default for Inbox {
    fn default() -> Inbox {
        Inbox::of_queues(1)
    }
}

impl Inbox {
    /// An empty inbox whose requests wait in so many queues that take turns.
    pub(super) fn of_queues(queues: usize) -> Inbox {
        let (not_before, passed) = (Ticks(0), Ticks(0));
        let (requests, obstacle, next) = (Turns::new(queues), None, Ticks::NEVER);
        let (looked_up, expected) = (0, 0);
        Inbox { requests, blocked: false, obstacle, not_before, passed, next, looked_up, expected }
    }

    /// When the first request can be looked up; never when none waits or it is blocked.
    #[inline]
    pub(super) fn next(&self) -> Ticks {
        self.next
    }

    /// All requests, queue by queue.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter()
    }

    /// When the first of the requests that wait arrived, or arrives.
    pub(super) fn first_arrival(&self) -> Option<Cycle> {
        self.requests.first_arrival()
    }

    /// Whether no request waits.
    pub(super) fn is_empty(&self) -> bool {
        self.requests.len() == 0
    }

    /// The request whose turn it is at [`Inbox::next`], or later. It is chosen no earlier than it is looked up: which requests
    /// are there by then does not depend on when they were handed over. One that was blocked keeps its turn.
    #[inline]
    pub(super) fn choose(&mut self, now: Ticks) -> Option<&Request> {
        match self.obstacle {
            Some(_) => self.requests.chosen(),
            None => self.requests.choose(now),
        }
    }

    /// An epoch begins to which so many requests have come. Where others have waited longer, as many will be looked up as in
    /// the epoch before, and else all.
    pub(super) fn expect(&mut self, come: usize) {
        let looked_up = std::mem::take(&mut self.looked_up);
        self.expected = if self.requests.len() > come { looked_up + MORE } else { come };
    }

    /// Looks at the requests that will be looked up in this epoch, as far as can be known.
    #[inline]
    pub(super) fn look_at_expected(&self, look: impl FnMut(&Request)) {
        self.requests.look_at_first(self.expected, look);
    }

    /// Whether the first request is blocked.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// A request comes last in its queue; whether the next one can be looked up at another moment than before.
    #[inline]
    pub(super) fn push(&mut self, request: Request, queue: usize) -> bool {
        let is_first = self.requests.push(request, queue);
        if !is_first || self.blocked {
            return false;
        }
        let next = Ticks::from(request.at).max(self.not_before).max(self.passed);
        let is_sooner = next < self.next;
        self.next = self.next.min(next);
        is_sooner
    }

    /// The request whose turn it was has been looked up; the next one passes in no earlier than `passed`.
    #[inline]
    pub(super) fn pop(&mut self, passed: Option<Ticks>) {
        self.requests.pop();
        self.looked_up += 1;
        self.obstacle = None;
        self.passed = passed.map_or(self.passed, |passed| self.passed.max(passed));
        self.plan();
    }

    /// When the last request has passed in that was looked up.
    pub(super) fn passed(&self) -> Ticks {
        self.passed
    }

    /// What the first request is known to wait for still: no MSHR has become free since it was looked up.
    #[inline]
    pub(super) fn obstacle(&self) -> Option<Blocked> {
        self.obstacle.filter(|&obstacle| obstacle != Blocked::Other)
    }

    /// An MSHR is free that the first request may have waited for.
    #[inline]
    pub(super) fn released(&mut self, obstacle: Blocked) {
        self.obstacle = self.obstacle.filter(|&other| other != obstacle);
    }

    /// The first request is blocked.
    #[inline]
    pub(super) fn block(&mut self, by: Blocked) {
        (self.blocked, self.obstacle) = (true, Some(by));
        self.next = Ticks::NEVER;
    }

    /// What the first request waits for may have gone: it may try again.
    #[inline]
    pub(super) fn unblock(&mut self, now: Ticks) {
        if std::mem::take(&mut self.blocked) {
            self.not_before = self.not_before.max(now);
            self.plan();
        }
    }

    #[inline]
    fn plan(&mut self) {
        let free = self.not_before.max(self.passed);
        self.next = match self.obstacle {
            Some(_) => free,
            None => self.requests.first_from(free).unwrap_or(Ticks::NEVER),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocked, Inbox};
    use crate::testing::read;
    use warplab_config::Ticks;

    #[test]
    fn the_first_request_passes_when_it_has_come_and_the_one_before_has_passed() {
        let mut inbox = Inbox::default();
        assert_eq!(inbox.next(), Ticks::NEVER);
        [10, 11].into_iter().for_each(|at| _ = inbox.push(read(0, 0, 1, at), 0));
        assert_eq!(inbox.next(), Ticks::of_cycles(10));
        inbox.choose(Ticks::of_cycles(10));
        inbox.pop(Some(Ticks::of_cycles(15)));
        assert_eq!(inbox.next(), Ticks::of_cycles(15));
    }

    #[test]
    fn where_requests_wait_as_many_are_expected_as_were_looked_up_before() {
        let mut inbox = Inbox::default();
        (0..10).for_each(|at| _ = inbox.push(read(0, 0, 1, at), 0));
        inbox.expect(10);
        let expected = |inbox: &Inbox| {
            let mut arrivals = Vec::new();
            inbox.look_at_expected(|request| arrivals.push(request.at.0));
            arrivals
        };
        assert_eq!(expected(&inbox).len(), 10);
        for _ in 0..3 {
            inbox.choose(Ticks::of_cycles(10));
            inbox.pop(None);
        }
        (10..30).for_each(|at| _ = inbox.push(read(0, 0, 1, at), 0));
        inbox.expect(20);
        assert_eq!(expected(&inbox), [3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_blocked_request_tries_again_when_that_may_help() {
        let mut inbox = Inbox::default();
        inbox.push(read(0, 0, 1, 10), 0);
        inbox.block(Blocked::Mshrs);
        assert_eq!(inbox.next(), Ticks::NEVER);
        inbox.unblock(Ticks::of_cycles(30));
        assert_eq!((inbox.next(), inbox.obstacle()), (Ticks::of_cycles(30), Some(Blocked::Mshrs)));
        inbox.released(Blocked::FarMshrs);
        assert_eq!(inbox.obstacle(), Some(Blocked::Mshrs));
        inbox.released(Blocked::Mshrs);
        assert_eq!(inbox.obstacle(), None);
    }
}
