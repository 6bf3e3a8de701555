//! Warps that go on at a cycle of the near future, as bits.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// How far ahead a wake-up can be.
const CYCLES: u64 = u64::BITS as u64;

/// The wake-ups of the next cycles: a mask of warps for each cycle, those of the first sub-partition in the lowest bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wakes {
    /// The warps of each cycle modulo [`CYCLES`].
    warps: Vec<u64>,
    /// Bits of a sub-partition, which is room for all of its warps.
    bits: u32,
    /// The warp slot of each bit.
    slots: Vec<u8>,
    /// The cycles modulo [`CYCLES`] that have a wake-up.
    occupied: u64,
    /// No wake-up is earlier.
    now: Cycle,
}

impl Wakes {
    /// None, for an SM of so many sub-partitions.
    pub(crate) fn new(sub_partitions: usize) -> Wakes {
        let bits = u64::BITS / sub_partitions.max(1) as u32;
        let slot = |bit: u32| (bit % bits * sub_partitions as u32 + bit / bits) as u8;
        let slots = (0..u64::BITS).map(slot).collect();
        Wakes { warps: vec![0; CYCLES as usize], bits, slots, occupied: 0, now: Cycle(0) }
    }

    /// At cycle `now`, whose wake-ups have been taken: a warp of a sub-partition goes on at `at`. Whether that is near enough to
    /// be noted here.
    #[inline]
    pub(crate) fn push(&mut self, now: Cycle, at: Cycle, sub: u8, warp: u8) -> bool {
        let near = at.0.wrapping_sub(now.0 + 1) < CYCLES - 1;
        if near {
            self.now = now;
            let cycle = at.0 % CYCLES;
            self.warps[cycle as usize] |= 1 << (u32::from(sub) * self.bits + u32::from(warp));
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

    /// Takes the warps that wake at cycle `now`, a bit each.
    #[inline]
    pub(crate) fn take(&mut self, now: Cycle) -> u64 {
        let cycle = now.0 % CYCLES;
        if self.occupied >> cycle & 1 == 0 {
            return 0;
        }
        self.now = now;
        self.occupied &= !(1 << cycle);
        std::mem::take(&mut self.warps[cycle as usize])
    }

    /// The slot of the warp that has the lowest of these bits.
    #[inline]
    pub(crate) fn first(&self, warps: u64) -> usize {
        usize::from(self.slots[warps.trailing_zeros() as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::Wakes;
    use warplab_units::Cycle;

    /// The slots of warps, in the order in which they go on.
    fn slots(wakes: &Wakes, mut warps: u64) -> Vec<usize> {
        let next = || {
            let slot = (warps != 0).then(|| wakes.first(warps));
            warps &= warps.wrapping_sub(1);
            slot
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn warps_wake_at_their_cycle_by_sub_partition() {
        let mut wakes = Wakes::new(2);
        for (at, sub, warp) in [(105, 0, 3), (105, 1, 0), (105, 0, 5), (163, 1, 31)] {
            assert!(wakes.push(Cycle(100), Cycle(at), sub, warp));
        }
        assert_eq!(wakes.next(), Cycle(105));
        assert_eq!(wakes.take(Cycle(104)), 0);
        let woken = wakes.take(Cycle(105));
        assert_eq!(slots(&wakes, woken), [6, 10, 1]);
        assert_eq!(wakes.next(), Cycle(163));
        let woken = wakes.take(Cycle(163));
        assert_eq!(slots(&wakes, woken), [63]);
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
