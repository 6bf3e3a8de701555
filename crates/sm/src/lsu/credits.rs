//! Credits of an SM on the crossbar: flits that are on the way and that no slice has taken.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Cycles whose returns have a place each.
const CYCLES: usize = 256;
const WORD_CYCLES: usize = u64::BITS as usize;

/// What an SM has on the way, and when it comes to know that a slice has taken some of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Credits {
    /// Flits on the way, those included whose return is known and has not been looked at.
    in_flight: u32,
    /// The flits that come back in each cycle from `from` on, by the cycle modulo [`CYCLES`].
    returns: Vec<u32>,
    /// A bit for each cycle in which some do.
    occupied: [u64; CYCLES / WORD_CYCLES],
    /// All returns before this cycle have been looked at.
    from: Cycle,
    /// Those that come later than these.
    late: Vec<(Cycle, u32)>,
    /// When the next flits come back, while the LSU waits for them.
    awaited: Option<Cycle>,
}

impl Default for Credits {
    fn default() -> Credits {
        Credits {
            in_flight: 0,
            returns: vec![0; CYCLES],
            occupied: Default::default(),
            from: Cycle(0),
            late: Vec::new(),
            awaited: None,
        }
    }
}

impl Credits {
    /// So many flits are sent.
    #[inline]
    pub(crate) fn spend(&mut self, flits: u32) {
        self.in_flight += flits;
    }

    /// So many flits have been taken, which the SM knows from `at` on.
    #[inline]
    pub(crate) fn give_back(&mut self, flits: u32, at: Cycle) {
        let at = at.max(self.from);
        if at - self.from < CYCLES as u64 {
            let place = at.0 as usize % CYCLES;
            self.returns[place] += flits;
            self.occupied[place / WORD_CYCLES] |= 1 << (place % WORD_CYCLES);
        } else {
            self.late.push((at, flits));
        }
        self.awaited = self.awaited.map(|next| next.min(at));
    }

    /// Whether fewer than `limit` flits are on the way; if not, the LSU waits until [`Credits::next_return`].
    #[inline]
    pub(crate) fn allow(&mut self, now: Cycle, limit: u32) -> bool {
        self.awaited = None;
        if self.in_flight < limit {
            return true;
        }
        let next = self.take_back(now);
        let allows = self.in_flight < limit;
        self.awaited = (!allows).then_some(next);
        allows
    }

    /// Looks at all returns up to `now`. When the next ones come.
    fn take_back(&mut self, now: Cycle) -> Cycle {
        let mut next = self.next_in_ring();
        while next <= now {
            let place = next.0 as usize % CYCLES;
            self.in_flight -= std::mem::take(&mut self.returns[place]);
            self.occupied[place / WORD_CYCLES] &= !(1 << (place % WORD_CYCLES));
            self.from = next + 1;
            next = self.next_in_ring();
        }
        self.from = now + 1;
        if self.late.is_empty() {
            return next;
        }
        for (at, flits) in std::mem::take(&mut self.late) {
            if at <= now {
                self.in_flight -= flits;
            } else {
                self.give_back(flits, at);
            }
        }
        self.late.iter().fold(self.next_in_ring(), |next, &(at, _)| next.min(at))
    }

    /// The first cycle of those with a place each in which flits come back, or never.
    fn next_in_ring(&self) -> Cycle {
        let words = self.occupied.len();
        let (word, bit) = (self.from.0 as usize % CYCLES / WORD_CYCLES, self.from.0 as usize % WORD_CYCLES);
        // The first word comes twice: from the bit on, and up to it.
        let masks = (0..=words).map(|step| match step {
            0 => u64::MAX << bit,
            _ if step == words => !(u64::MAX << bit),
            _ => u64::MAX,
        });
        for (step, mask) in masks.enumerate() {
            let bits = self.occupied[(word + step) % words] & mask;
            if bits != 0 {
                let ahead = step * WORD_CYCLES + bits.trailing_zeros() as usize - bit;
                return self.from + ahead as u64;
            }
        }
        Cycle::NEVER
    }

    /// When the LSU may go on that waits, as far as is known; never while it does not wait.
    #[inline]
    pub(crate) fn next_return(&self) -> Cycle {
        self.awaited.unwrap_or(Cycle::NEVER)
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

    #[test]
    fn returns_of_any_cycle_are_known_in_their_order() {
        let mut credits = Credits::default();
        credits.spend(8 + 5);
        assert!(!credits.allow(Cycle(1000), 8));
        let returns = [1255, 1256, 1001, 1500, 1064];
        returns.into_iter().for_each(|at| credits.give_back(1, Cycle(at)));
        let mut seen = Vec::new();
        while credits.next_return() != Cycle::NEVER {
            seen.push(credits.next_return().0);
            credits.spend(1);
            assert!(!credits.allow(credits.next_return(), 8));
        }
        assert_eq!(seen, [1001, 1064, 1255, 1256, 1500]);
    }
}
