//! Warps that others have kept from issuing for long: from time to time they go first.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Every so many cycles the warps that have not issued since the time before go before all others: each has two turns, the
/// last one of them one. A turn is an instruction that another warp could have issued instead. It is what an H200 does in
/// `traces/h200/core/starving.txt`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Starving {
    /// How often they are looked for.
    interval: u64,
    /// When they are looked for next; never where they are not.
    look: Cycle,
    /// Before this cycle all is as usual.
    usual_until: Cycle,
    /// Warps that have two turns, and those that have one.
    twice: u64,
    once: u64,
}

impl Starving {
    /// Nobody starves; every `interval` cycles warps that do are looked for, if it is given.
    pub(super) fn new(interval: Option<u64>) -> Starving {
        let look = interval.map_or(Cycle::NEVER, Cycle);
        Starving { interval: interval.unwrap_or(0), look, usual_until: look, twice: 0, once: 0 }
    }

    /// Before this cycle all is as usual; then [`Starving::first`] says who goes first.
    #[inline]
    pub(super) fn usual_until(&self) -> Cycle {
        self.usual_until
    }

    /// Which of several eligible warps go first; none where none of them starves. Of those that are resident `starve` says
    /// which have not issued since a cycle.
    pub(super) fn first(&mut self, eligible: u64, now: Cycle, starve: impl FnOnce(Cycle) -> u64) -> u64 {
        if now >= self.look {
            let last = now.0 / self.interval;
            self.look = Cycle((last + 1) * self.interval);
            (self.twice, self.once) = (starve(Cycle((last - 1) * self.interval)), 0);
            self.note_usual();
        }
        let twice = self.twice & eligible;
        if twice != 0 { twice } else { self.once & eligible }
    }

    /// A warp that went first has had a turn.
    pub(super) fn had_turn(&mut self, warp: u32) {
        let warp = 1 << warp;
        self.once = (self.once & !warp) | (self.twice & warp);
        self.twice &= !warp;
        if self.twice == 0 && self.once.is_power_of_two() {
            self.once = 0;
        }
        self.note_usual();
    }

    /// A warp goes.
    pub(super) fn leave(&mut self, warp: u32) {
        (self.twice, self.once) = (self.twice & !(1 << warp), self.once & !(1 << warp));
        self.note_usual();
    }

    fn note_usual(&mut self) {
        self.usual_until = if self.twice | self.once == 0 { self.look } else { Cycle(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::Starving;
    use warplab_units::Cycle;

    /// Who goes first, one after another, of these, which have not issued since cycle 0, and then warp 0.
    fn turns(starving: &mut Starving, warps: u64, now: u64, count: usize) -> Vec<u32> {
        let turn = |_| {
            let starve = |since| if since == Cycle(0) { warps } else { 0 };
            let first = starving.first(warps | 1, Cycle(now), starve);
            let warp = if first == 0 { 0 } else { first.trailing_zeros() };
            if first != 0 {
                starving.had_turn(warp);
            }
            warp
        };
        (0..count).map(turn).collect()
    }

    #[test]
    fn warps_that_have_not_issued_for_an_interval_have_two_turns_and_the_last_of_them_one() {
        let mut starving = Starving::new(Some(100));
        assert_eq!(turns(&mut starving, 0b1110, 99, 1), [0]);
        assert_eq!(starving.usual_until(), Cycle(100));
        assert_eq!(turns(&mut starving, 0b1110, 100, 2), [1, 2]);
        assert_eq!(starving.usual_until(), Cycle(0));
        assert_eq!(turns(&mut starving, 0b1110, 130, 5), [3, 1, 2, 0, 0]);
        assert_eq!(starving.usual_until(), Cycle(200));
        assert_eq!(turns(&mut starving, 0b1110, 250, 2), [0, 0]);
    }

    #[test]
    fn one_warp_that_starves_has_one_turn() {
        assert_eq!(turns(&mut Starving::new(Some(100)), 0b10, 120, 3), [1, 0, 0]);
    }

    #[test]
    fn a_warp_that_goes_leaves_no_turns() {
        let mut starving = Starving::new(Some(100));
        assert_eq!(turns(&mut starving, 0b110, 120, 1), [1]);
        starving.leave(2);
        starving.leave(1);
        assert_eq!(turns(&mut starving, 0b110, 121, 2), [0, 0]);
    }

    #[test]
    fn nobody_starves_where_no_interval_is_given() {
        assert_eq!(Starving::new(None).usual_until(), Cycle::NEVER);
    }
}
