//! Credits of an SM on the crossbar: flits that are on the way and that no slice has taken.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Cycles whose returns have a place each.
const CYCLES: usize = 512;
const WORD_CYCLES: usize = u64::BITS as usize;

/// What an SM has on the way, and when it comes to know that a slice has taken some of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Credits {
    /// Flits on the way, those included whose return is known and has not been looked at.
    in_flight: u32,
    /// How many these are.
    returning: u32,
    /// The flits that come back in each cycle from `from` on, by the cycle modulo [`CYCLES`].
    returns: Vec<u32>,
    /// A bit for each cycle in which some do.
    occupied: [u64; CYCLES / WORD_CYCLES],
    /// All returns before this cycle have been looked at.
    from: Cycle,
    /// Those that come later than these.
    late: Vec<(Cycle, u32)>,
    /// What the LSU waits for, while it does.
    awaited: Option<Awaited>,
}

/// The LSU waits until fewer flits are on the way than this.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Awaited {
    limit: u32,
    /// When that is so; never as long as it is not known.
    at: Cycle,
}

impl Default for Credits {
    fn default() -> Credits {
        Credits {
            in_flight: 0,
            returning: 0,
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
        self.returning += flits;
        self.note(flits, at.max(self.from));
        if let Some(Awaited { limit, at: awaited }) = self.awaited
            && at < awaited
            && self.in_flight - self.returning < limit
        {
            self.awaited = Some(Awaited { limit, at: self.fewer_than(limit) });
        }
    }

    /// Notes when flits come back.
    #[inline]
    fn note(&mut self, flits: u32, at: Cycle) {
        if !self.note_in_ring(flits, at) {
            self.late.push((at, flits));
        }
    }

    /// Notes when flits come back, unless that is later than the ring goes; whether it is not.
    #[inline]
    fn note_in_ring(&mut self, flits: u32, at: Cycle) -> bool {
        let is_in_ring = at - self.from < CYCLES as u64;
        if is_in_ring {
            let place = at.0 as usize % CYCLES;
            self.returns[place] += flits;
            self.occupied[place / WORD_CYCLES] |= 1 << (place % WORD_CYCLES);
        }
        is_in_ring
    }

    /// Whether fewer than `limit` flits are on the way; if not, the LSU waits until [`Credits::next_return`].
    #[inline(always)]
    pub(crate) fn allow(&mut self, now: Cycle, limit: u32) -> bool {
        self.awaited = None;
        if self.in_flight < limit {
            return true;
        }
        self.take_back(now);
        let allows = self.in_flight < limit;
        if !allows {
            let is_known = self.in_flight - self.returning < limit;
            let at = if is_known { self.fewer_than(limit) } else { Cycle::NEVER };
            self.awaited = Some(Awaited { limit, at });
        }
        allows
    }

    /// Whether fewer than `limit` flits are on the way; nobody waits if not.
    pub(crate) fn has_room(&mut self, now: Cycle, limit: u32) -> bool {
        if self.in_flight >= limit {
            self.take_back(now);
        }
        self.in_flight < limit
    }

    /// Looks at all returns up to `now`.
    fn take_back(&mut self, now: Cycle) {
        for next in self.in_ring().take_while(|&next| next <= now) {
            let place = next.0 as usize % CYCLES;
            let flits = std::mem::take(&mut self.returns[place]);
            self.in_flight -= flits;
            self.returning -= flits;
            self.occupied[place / WORD_CYCLES] &= !(1 << (place % WORD_CYCLES));
        }
        self.from = now + 1;
        // The room for those that are late stays.
        let mut late = std::mem::take(&mut self.late);
        late.retain(|&(at, flits)| {
            if at <= now {
                self.in_flight -= flits;
                self.returning -= flits;
            }
            at > now && !self.note_in_ring(flits, at)
        });
        self.late = late;
    }

    /// When fewer than `limit` flits are on the way, as far as it is known which come back.
    fn fewer_than(&self, limit: u32) -> Cycle {
        let mut left = self.in_flight;
        let mut are_few = |flits: u32| {
            left -= flits;
            left < limit
        };
        if let Some(at) = self.in_ring().find(|at| are_few(self.returns[at.0 as usize % CYCLES])) {
            return at;
        }
        let mut late = self.late.clone();
        late.sort_unstable();
        late.iter().find(|&&(_, flits)| are_few(flits)).map_or(Cycle::NEVER, |&(at, _)| at)
    }

    /// The cycles with a place each in which flits come back.
    #[inline]
    fn in_ring(&self) -> Returns {
        let bit = self.from.0 % WORD_CYCLES as u64;
        let word = self.from.0 as usize % CYCLES / WORD_CYCLES;
        Returns {
            occupied: self.occupied,
            first: Cycle(self.from.0 - bit),
            bits: self.occupied[word] & u64::MAX << bit,
            end: self.from + CYCLES as u64,
        }
    }

    /// The last of these before `now`, if there is one.
    fn last_in_ring(&self, now: Cycle) -> Option<Cycle> {
        let mut end = now.min(self.from + CYCLES as u64);
        while end > self.from {
            let last = end.0 - 1;
            let (word, bit) = (last as usize % CYCLES / WORD_CYCLES, last % WORD_CYCLES as u64);
            let bits = self.occupied[word] << (WORD_CYCLES as u64 - 1 - bit);
            if bits != 0 {
                let at = Cycle(last - u64::from(bits.leading_zeros()));
                return (at >= self.from).then_some(at);
            }
            end = Cycle(last - bit);
        }
        None
    }

    /// When the LSU may go on that waits, as far as is known; never while it does not wait.
    #[inline]
    pub(crate) fn next_return(&self) -> Cycle {
        self.awaited.map_or(Cycle::NEVER, |awaited| awaited.at)
    }

    /// Whether the LSU waits.
    #[inline]
    pub(crate) fn are_awaited(&self) -> bool {
        self.awaited.is_some()
    }

    /// When flits have come back last before `now` while the LSU waits: they were too few.
    #[inline]
    pub(crate) fn last_return(&self, now: Cycle) -> Option<Cycle> {
        self.awaited?;
        let late = self.late.iter().map(|&(at, _)| at).filter(|&at| at < now).max();
        late.or_else(|| self.last_in_ring(now))
    }
}

/// The cycles with a place each in which flits come back, in their order.
struct Returns {
    occupied: [u64; CYCLES / WORD_CYCLES],
    /// The cycle of the first bit of a word, and the bits of the word that are left.
    first: Cycle,
    bits: u64,
    /// They are before this cycle.
    end: Cycle,
}

impl Iterator for Returns {
    type Item = Cycle;

    #[inline]
    fn next(&mut self) -> Option<Cycle> {
        while self.bits == 0 {
            self.first += WORD_CYCLES as u64;
            if self.first >= self.end {
                return None;
            }
            self.bits = self.occupied[self.first.0 as usize % CYCLES / WORD_CYCLES];
        }
        let next = self.first + u64::from(self.bits.trailing_zeros());
        self.bits &= self.bits - 1;
        (next < self.end).then_some(next)
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
        assert!(!credits.allow(Cycle(1000), 13));
        let returns = [1511, 1512, 1001, 1900, 1064];
        returns.into_iter().for_each(|at| credits.give_back(1, Cycle(at)));
        let mut seen = Vec::new();
        while credits.next_return() != Cycle::NEVER {
            seen.push(credits.next_return().0);
            credits.spend(1);
            assert!(!credits.allow(credits.next_return(), 13));
        }
        assert_eq!(seen, [1001, 1064, 1511, 1512, 1900]);
    }

    #[test]
    fn it_waits_until_enough_have_come_back_whenever_that_is_known() {
        for given in [[5000, 20, 30, 40], [40, 30, 5000, 20], [20, 5000, 40, 30]] {
            let mut credits = Credits::default();
            credits.spend(10);
            assert!(!credits.allow(Cycle(0), 8));
            let mut known = Vec::new();
            for at in given {
                credits.give_back(1, Cycle(at));
                known.push(at);
                known.sort_unstable();
                let third = known.get(2).map_or(Cycle::NEVER, |&at| Cycle(at));
                assert_eq!(credits.next_return(), third, "{known:?} of {given:?}");
            }
            assert!(!credits.allow(Cycle(39), 8));
            assert!(credits.allow(Cycle(40), 8));
        }
    }

    #[test]
    fn the_last_return_before_a_cycle_is_known_while_it_waits() {
        let mut credits = Credits::default();
        credits.give_back(0, Cycle(3));
        assert_eq!(credits.last_return(Cycle(9)), None);
        credits.spend(100);
        assert!(!credits.allow(Cycle(10), 8));
        [70, 20, 130, 900].into_iter().for_each(|at| credits.give_back(1, Cycle(at)));
        let last = [20, 21, 70, 71, 140, 901].map(|now| credits.last_return(Cycle(now)));
        assert_eq!(last, [None, Some(20), Some(20), Some(70), Some(130), Some(900)].map(|at| at.map(Cycle)));
    }
}
