//! A moment on the multiprocessor clock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A moment, counted in cycles of the multiprocessor clock from the start of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cycle(pub u64);

impl Cycle {
    /// A moment that never comes: the wake-up time of something that waits for an event, not for a time.
    pub const NEVER: Cycle = Cycle(u64::MAX);

    /// So many cycles after this moment, which is not [`Cycle::NEVER`].
    #[inline(always)]
    #[must_use]
    pub fn later(self, cycles: u64) -> Cycle {
        Cycle(self.0 + cycles)
    }

    /// Cycles from `earlier` to this moment; zero when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Cycle) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<u64> for Cycle {
    type Output = Cycle;
    fn add(self, cycles: u64) -> Cycle {
        Cycle(self.0.saturating_add(cycles))
    }
}

impl AddAssign<u64> for Cycle {
    fn add_assign(&mut self, cycles: u64) {
        *self = *self + cycles;
    }
}

impl Sub<Cycle> for Cycle {
    type Output = u64;
    fn sub(self, earlier: Cycle) -> u64 {
        self.0 - earlier.0
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
