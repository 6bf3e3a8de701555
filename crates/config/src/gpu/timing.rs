//! The one place where clock domains are converted.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul};
use warplab_units::Cycle;

/// Parts of an SM cycle in which the memory partitions count.
pub const TICKS_PER_CYCLE: u64 = 1024;

/// A duration or moment in 1/1024 of an SM cycle: fine enough that a DRAM clock is right to 0.04 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ticks(pub u64);

impl Ticks {
    /// A moment that never comes.
    pub const NEVER: Ticks = Ticks(u64::MAX);

    /// One cycle of a clock of `mhz` where the SM clock has `sm_mhz`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clocks are checked ranges")]
    pub(crate) fn of_clock(sm_mhz: f64, mhz: f64) -> Ticks {
        Ticks((TICKS_PER_CYCLE as f64 * sm_mhz / mhz).round() as u64)
    }

    /// This many SM cycles.
    #[must_use]
    #[inline]
    pub fn of_cycles(cycles: u64) -> Ticks {
        Ticks(cycles * TICKS_PER_CYCLE)
    }

    /// The SM cycle in which, or at the start of which, this moment lies; rounded up.
    #[must_use]
    #[inline]
    pub fn to_cycle(self) -> Cycle {
        Cycle(self.0.div_ceil(TICKS_PER_CYCLE))
    }
}

impl From<Cycle> for Ticks {
    #[inline]
    fn from(cycle: Cycle) -> Ticks {
        Ticks(cycle.0.saturating_mul(TICKS_PER_CYCLE))
    }
}

impl Add for Ticks {
    type Output = Ticks;
    #[inline]
    fn add(self, other: Ticks) -> Ticks {
        Ticks(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Ticks {
    type Output = Ticks;
    #[inline]
    fn mul(self, factor: u64) -> Ticks {
        Ticks(self.0 * factor)
    }
}
