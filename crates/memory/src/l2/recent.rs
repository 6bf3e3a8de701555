//! Sectors that were just written in part: a read of their line holds a slice up until they are whole.

use crate::fifo::Fifo;
use serde::{Deserialize, Serialize};
use warplab_config::{GpuConfig, Ticks};
use warplab_units::Address;

/// What reading such a line costs.
#[derive(Clone, Debug)]
pub(crate) struct RecentSpec {
    /// How long after a write its line is not whole.
    window: Ticks,
    /// How long a read of it keeps the port of the slice busy.
    stall: Ticks,
}

impl RecentSpec {
    /// `None` where a machine does not say.
    pub(crate) fn new(config: &GpuConfig) -> Option<RecentSpec> {
        let merge = config.l2.partial_write.as_ref()?;
        let cycles = |cycles: u32| Ticks::of_cycles(u64::from(cycles));
        Some(RecentSpec { window: cycles(merge.cycles), stall: cycles(merge.read_stall) })
    }
}

/// Lines of one slice with sectors that were just written in part, in the order of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RecentWrites(Fifo<(Address, Ticks)>);

impl RecentWrites {
    /// A sector of a line is written in part `now`.
    pub(crate) fn write(&mut self, spec: &RecentSpec, line: Address, now: Ticks) {
        self.forget(spec, now);
        self.0.push((line, now));
    }

    /// A line is read `now`: how long that holds the slice up. The line is whole then.
    #[inline]
    pub(crate) fn read(&mut self, spec: &RecentSpec, line: Address, now: Ticks) -> Ticks {
        if self.0.is_empty() { Ticks(0) } else { self.read_among(spec, line, now) }
    }

    /// A line is read while some were just written.
    fn read_among(&mut self, spec: &RecentSpec, line: Address, now: Ticks) -> Ticks {
        self.forget(spec, now);
        if self.0.iter().all(|&(written, _)| written != line) {
            return Ticks(0);
        }
        self.0.retain(|&(written, _)| written != line);
        spec.stall
    }

    /// Lines are whole some time after they were written.
    fn forget(&mut self, spec: &RecentSpec, now: Ticks) {
        while self.0.first().is_some_and(|&(_, at)| at + spec.window <= now) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RecentSpec, RecentWrites};
    use warplab_config::Ticks;
    use warplab_units::Address;

    const LINE: Address = Address(128);

    fn spec() -> RecentSpec {
        RecentSpec { window: Ticks(100), stall: Ticks(7) }
    }

    #[test]
    fn the_first_read_after_a_write_stalls() {
        let mut recent = RecentWrites::default();
        recent.write(&spec(), LINE, Ticks(10));
        recent.write(&spec(), LINE, Ticks(11));
        assert_eq!(recent.read(&spec(), Address(256), Ticks(20)), Ticks(0));
        assert_eq!(recent.read(&spec(), LINE, Ticks(20)), Ticks(7));
        assert_eq!(recent.read(&spec(), LINE, Ticks(30)), Ticks(0));
    }

    #[test]
    fn a_read_long_after_a_write_does_not() {
        let mut recent = RecentWrites::default();
        recent.write(&spec(), LINE, Ticks(10));
        assert_eq!(recent.read(&spec(), LINE, Ticks(110)), Ticks(0));
    }
}
