//! Credits of an SM on the crossbar: flits that are on the way and that no slice has taken.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warplab_units::Cycle;

/// What an SM has on the way, and when it comes to know that a slice has taken some of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Credits {
    /// Flits on the way, those included whose return is known and has not been looked at.
    in_flight: u32,
    /// When flits have been taken, and how many.
    returns: BinaryHeap<Reverse<(Cycle, u32)>>,
    /// The LSU waits for one to come back.
    awaited: bool,
}

impl Credits {
    /// So many flits are sent.
    pub(crate) fn spend(&mut self, flits: u32) {
        self.in_flight += flits;
    }

    /// So many flits have been taken, which the SM knows from `at` on.
    pub(crate) fn give_back(&mut self, flits: u32, at: Cycle) {
        self.returns.push(Reverse((at, flits)));
    }

    /// Whether fewer than `limit` flits are on the way; if not, the LSU waits until [`Credits::next_return`].
    pub(crate) fn allow(&mut self, now: Cycle, limit: u32) -> bool {
        while self.in_flight >= limit
            && let Some(&Reverse((at, flits))) = self.returns.peek()
            && at <= now
        {
            self.returns.pop();
            self.in_flight = self.in_flight.saturating_sub(flits);
        }
        self.awaited = self.in_flight >= limit;
        !self.awaited
    }

    /// When the LSU may go on that waits, as far as is known; never while it does not wait.
    #[inline]
    pub(crate) fn next_return(&self) -> Cycle {
        if !self.awaited {
            return Cycle::NEVER;
        }
        self.returns.peek().map_or(Cycle::NEVER, |&Reverse((at, _))| at)
    }
}

#[cfg(test)]
mod tests {
    use super::Credits;
    use warplab_units::Cycle;

    #[test]
    fn flits_are_sent_until_the_limit_is_reached() {
        let mut credits = Credits::default();
        credits.spend(7);
        assert!(credits.allow(Cycle(0), 8));
        credits.spend(5);
        assert!(!credits.allow(Cycle(0), 8));
    }

    #[test]
    fn what_has_been_taken_counts_from_when_the_sm_knows_it() {
        let mut credits = Credits::default();
        credits.spend(12);
        credits.give_back(1, Cycle(90));
        credits.give_back(5, Cycle(40));
        assert!(!credits.allow(Cycle(39), 8));
        assert_eq!(credits.next_return(), Cycle(40));
        assert!(credits.allow(Cycle(40), 8));
        assert_eq!(credits.next_return(), Cycle::NEVER);
    }
}
