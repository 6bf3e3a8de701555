//! Warps that go on at a cycle of the near future, as bits.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// How far ahead a wake-up can be.
const CYCLES: u64 = u64::BITS as u64;

/// The wake-ups of the next cycles: a mask of warps for each cycle and sub-partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wakes {
    /// The warps of each sub-partition for each cycle modulo [`CYCLES`].
    warps: Vec<u64>,
    sub_partitions: usize,
    /// The cycles modulo [`CYCLES`] that have a wake-up.
    occupied: u64,
    /// No wake-up is earlier.
    now: Cycle,
}

impl Wakes {
    /// None, for an SM of so many sub-partitions.
    pub(crate) fn new(sub_partitions: usize) -> Wakes {
        Wakes { warps: vec![0; CYCLES as usize * sub_partitions], sub_partitions, occupied: 0, now: Cycle(0) }
    }

    /// At cycle `now`, whose wake-ups have been taken: a warp of a sub-partition goes on at `at`. Whether that is near
    /// enough to be noted here.
    #[inline]
    pub(crate) fn push(&mut self, now: Cycle, at: Cycle, sub: usize, warp: u32) -> bool {
        let near = at.0.wrapping_sub(now.0 + 1) < CYCLES - 1;
        if near {
            self.now = now;
            let cycle = (at.0 % CYCLES) as usize;
            self.warps[cycle * self.sub_partitions + sub] |= 1 << warp;
            self.occupied |= 1 << cycle;
        }
        near
    }

    /// The cycle of the next wake-up, or never.
    #[inline]
    pub(crate) fn next(&self) -> Cycle {
        if self.occupied == 0 {
            return Cycle::NEVER;
        }
        let ahead = self.occupied.rotate_right((self.now.0 % CYCLES) as u32);
        self.now + u64::from(ahead.trailing_zeros())
    }

    /// Whether a warp wakes at cycle `now`: then [`Wakes::take`] is called for all sub-partitions.
    #[inline]
    pub(crate) fn begin(&mut self, now: Cycle) -> bool {
        let bit = 1 << (now.0 % CYCLES);
        let any = self.occupied & bit != 0;
        if any {
            self.now = now;
            self.occupied &= !bit;
        }
        any
    }

    /// Takes the warps of a sub-partition that wake at cycle `now`.
    #[inline]
    pub(crate) fn take(&mut self, now: Cycle, sub: usize) -> u64 {
        std::mem::take(&mut self.warps[(now.0 % CYCLES) as usize * self.sub_partitions + sub])
    }
}

#[cfg(test)]
mod tests {
    use super::Wakes;
    use warplab_units::Cycle;

    #[test]
    fn warps_wake_at_their_cycle_by_sub_partition() {
        let mut wakes = Wakes::new(2);
        for (at, sub, warp) in [(105, 0, 3), (105, 1, 0), (105, 0, 5), (163, 1, 63)] {
            assert!(wakes.push(Cycle(100), Cycle(at), sub, warp));
        }
        assert_eq!(wakes.next(), Cycle(105));
        assert!(!wakes.begin(Cycle(104)) && wakes.begin(Cycle(105)));
        assert_eq!([wakes.take(Cycle(105), 0), wakes.take(Cycle(105), 1)], [0b10_1000, 1]);
        assert_eq!(wakes.next(), Cycle(163));
        assert!(wakes.begin(Cycle(163)));
        assert_eq!([wakes.take(Cycle(163), 0), wakes.take(Cycle(163), 1)], [0, 1 << 63]);
        assert_eq!(wakes.next(), Cycle::NEVER);
    }

    #[test]
    fn what_is_64_cycles_ahead_is_too_far() {
        let mut wakes = Wakes::new(1);
        assert!(wakes.push(Cycle(10), Cycle(73), 0, 1));
        assert!(!wakes.push(Cycle(10), Cycle(74), 0, 2));
        assert_eq!(wakes.next(), Cycle(73));
    }
}
