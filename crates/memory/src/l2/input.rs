//! The port through which requests of SMs pass into a slice, flit by flit.

use crate::message::{Request, RequestKind};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_config::{GpuConfig, Ticks};
use warplab_units::Address;

/// Flits for which a write takes the port at least (measured: `traces/h200/hot/input.txt`, 37 stores of a word and 41 of a
/// sector a cycle from 94 slices, each as long as 1.9 to 2.1 flits).
const LEAST_WRITE_FLITS: u32 = 2;

/// How long requests take to pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputSpec {
    flit: Ticks,
    flit_bytes: u32,
    /// After a write has passed no other one of its line does for so long.
    write_repeat: Ticks,
}

impl InputSpec {
    /// That of a machine, where the port limits anything.
    pub(crate) fn new(config: &GpuConfig) -> Option<InputSpec> {
        let bytes = config.l2.input_bytes?;
        let flit_bytes = config.crossbar.flit_bytes?;
        let flit = Ticks(config.l2_cycle().0 * u64::from(flit_bytes) / u64::from(bytes.max(1)));
        let write_repeat = Ticks::of_cycles(u64::from(config.l2.write_repeat.unwrap_or(0)));
        Some(InputSpec { flit, flit_bytes, write_repeat })
    }

    /// How long a request takes.
    #[inline]
    pub(crate) fn time(&self, request: &Request) -> Ticks {
        let flits = match request.kind {
            RequestKind::Read => 1,
            RequestKind::Write { .. } => request.flits(self.flit_bytes.max(1)).max(LEAST_WRITE_FLITS),
            RequestKind::Atomic { .. } => request.flits(self.flit_bytes.max(1)),
        };
        self.flit * u64::from(flits)
    }
}

/// So many of the last writes are known.
const MOST: usize = 8;

/// The writes that have passed in last, each with its line and when it had.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LastWrites(SmallVec<[(Address, Ticks); MOST]>);

impl LastWrites {
    /// When a request has passed in that could begin at `begin` and takes so long. A write of the line of the last one goes
    /// with that; one of a line that was written before that waits until that write is through.
    #[inline]
    pub(crate) fn pass(&mut self, spec: &InputSpec, request: &Request, begin: Ticks, time: Ticks) -> Ticks {
        if !matches!(request.kind, RequestKind::Write { .. }) || spec.write_repeat == Ticks(0) {
            return begin + time;
        }
        self.write(spec, request.line, begin, time)
    }

    /// When a write of a line has passed in.
    fn write(&mut self, spec: &InputSpec, line: Address, begin: Ticks, time: Ticks) -> Ticks {
        let passed = self.free(spec, line, begin) + time;
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((line, passed));
        passed
    }

    /// When a write of a line can begin, at `begin` or later.
    fn free(&self, spec: &InputSpec, line: Address, begin: Ticks) -> Ticks {
        match self.0.iter().rev().position(|&(other, _)| other == line) {
            None | Some(0) => begin,
            Some(before) => begin.max(self.0[self.0.len() - 1 - before].1 + spec.write_repeat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{InputSpec, LastWrites};
    use crate::message::{Request, RequestKind};
    use crate::testing::read;
    use warplab_config::Ticks;
    use warplab_units::SectorMask;

    /// A flit a cycle; ten cycles from a write of a line to the next one.
    fn input() -> InputSpec {
        InputSpec { flit: Ticks::of_cycles(1), flit_bytes: 32, write_repeat: Ticks::of_cycles(10) }
    }

    fn cycles(kind: RequestKind, sectors: u8, bytes: u32) -> Ticks {
        let input = input();
        let request = Request { sectors: SectorMask(sectors), kind, bytes, ..read(0, 0, 0, 0) };
        input.time(&request)
    }

    #[test]
    fn a_request_with_data_is_as_many_flits_as_on_the_crossbar_a_write_two_at_least() {
        let write = RequestKind::Write { full: SectorMask(0b1), words: 0xff };
        let atomic = RequestKind::Atomic { sector_accesses: 4, full: SectorMask::ALL, returns: false };
        let taken = [
            (RequestKind::Read, 0b1111, 8),
            (write, 0b1, 32),
            (write, 0b1, 64),
            (write, 0b1111, 128),
            (atomic, 0b1, 32),
            (atomic, 0b1111, 160),
        ];
        let cycles = taken.map(|(kind, sectors, bytes)| cycles(kind, sectors, bytes));
        assert_eq!(cycles, [1, 2, 2, 4, 1, 5].map(Ticks::of_cycles));
    }

    #[test]
    fn a_write_waits_for_the_last_one_of_its_line_unless_it_comes_right_behind_it() {
        let write = RequestKind::Write { full: SectorMask(0b1), words: 0xff };
        let mut last = LastWrites::default();
        let mut passed = |line, kind, begin| {
            let request = Request { kind, ..read(0, line, 0, begin) };
            last.pass(&input(), &request, Ticks::of_cycles(begin), Ticks::of_cycles(2)).to_cycle().0
        };
        let writes = [(0, 0), (0, 2), (1, 4), (0, 6), (2, 100), (0, 102)];
        let times = writes.map(|(line, begin)| passed(line, write, begin));
        assert_eq!(times, [2, 4, 6, 4 + 10 + 2, 102, 104]);
        assert_eq!(passed(2, RequestKind::Read, 104), 106);
    }
}
