//! The last writes of a slice: a read of a line that was just written waits, and a write by the other half costs more.

use crate::message::Request;
use serde::{Deserialize, Serialize};
use warplab_config::{GpuConfig, Ticks};
use warplab_units::{Address, SmId};

/// What accesses to a line cost that was just written.
#[derive(Clone, Debug)]
pub(crate) struct WriteSpec {
    /// How long after a write of its line a read by another SM passes.
    to_read: Ticks,
    /// How much longer a write takes while others wait for data of its line.
    pub(crate) to_pending: Ticks,
    /// How long after a write one by the other half costs more, and how much.
    switch_window: Ticks,
    switch_stall: Ticks,
}

impl WriteSpec {
    /// `None` where a machine does not say.
    pub(crate) fn new(config: &GpuConfig) -> Option<WriteSpec> {
        let l2 = &config.l2;
        let cycles = |cycles: u32| Ticks::of_cycles(u64::from(cycles));
        let (window, stall) = l2.write_switch.as_ref().map_or((0, 0), |switch| (switch.window, switch.stall));
        let any = l2.write_to_read.is_some() || l2.write_switch.is_some() || l2.write_to_pending != 0;
        any.then(|| WriteSpec {
            to_read: cycles(l2.write_to_read.unwrap_or(0)),
            to_pending: cycles(l2.write_to_pending),
            switch_window: cycles(window),
            switch_stall: cycles(stall),
        })
    }
}

/// So many lines are told apart: of two that share a place the one is known that was written last.
const PLACES: usize = 64;

/// A write.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Write {
    line: Address,
    at: Ticks,
    sm: SmId,
    /// Whether it came from the other half.
    far: bool,
}

/// None: no line begins there.
const NONE: Write = Write { line: Address(u64::MAX), at: Ticks(0), sm: SmId(0), far: false };

/// The last writes of one slice, each at the place of its line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LastWrites(Vec<Write>);

impl LastWrites {
    /// A request writes its line `now`, from the other half or not: how much longer that takes.
    #[inline]
    pub(crate) fn write(&mut self, spec: &WriteSpec, request: &Request, far: bool, now: Ticks) -> Ticks {
        let &Request { line, local_line, sm, .. } = request;
        if self.0.is_empty() {
            self.0.resize(PLACES, NONE);
        }
        let last =
            std::mem::replace(&mut self.0[local_line as usize % PLACES], Write { line, at: now, sm, far });
        let switches = last.line == line && last.far != far && now < last.at + spec.switch_window;
        if switches { spec.switch_stall } else { Ticks(0) }
    }

    /// A request reads its line `now`: how long it waits.
    #[inline]
    pub(crate) fn read(&self, spec: &WriteSpec, request: &Request, now: Ticks) -> Ticks {
        match self.0.get(request.local_line as usize % PLACES) {
            Some(last) if last.line == request.line && last.sm != request.sm => {
                Ticks((last.at + spec.to_read).0.saturating_sub(now.0))
            }
            _ => Ticks(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LastWrites, WriteSpec};
    use crate::message::Request;
    use crate::testing::read;
    use warplab_config::Ticks;
    use warplab_units::SmId;

    const SPEC: WriteSpec = WriteSpec {
        to_read: Ticks(40),
        to_pending: Ticks(0),
        switch_window: Ticks(60),
        switch_stall: Ticks(3),
    };

    fn request(sm: u16, line: u64) -> Request {
        Request { sm: SmId(sm), ..read(0, line, 0, 0) }
    }

    #[test]
    fn a_read_by_another_sm_waits_until_its_line_has_been_written() {
        let mut last = LastWrites::default();
        let wait = |last: &LastWrites, sm, line, now| last.read(&SPEC, &request(sm, line), Ticks(now)).0;
        assert_eq!(wait(&last, 1, 1, 0), 0);
        last.write(&SPEC, &request(0, 1), false, Ticks(100));
        assert_eq!([100, 110, 139, 140].map(|now| wait(&last, 1, 1, now)), [40, 30, 1, 0]);
        assert_eq!((wait(&last, 0, 1, 100), wait(&last, 1, 65, 100)), (0, 0));
    }

    #[test]
    fn writes_of_a_line_by_both_halves_in_turn_take_longer() {
        let mut last = LastWrites::default();
        let mut write = |line, far, now| last.write(&SPEC, &request(0, line), far, Ticks(now)).0;
        let writes =
            [(1, false, 0), (1, false, 10), (1, true, 20), (2, false, 30), (1, false, 40), (1, true, 100)];
        assert_eq!(writes.map(|(line, far, now)| write(line, far, now)), [0, 0, 3, 0, 3, 0]);
    }
}
