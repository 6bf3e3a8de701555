//! The port through which requests of SMs pass into a slice, flit by flit.

use crate::message::{Request, RequestKind};
use warplab_config::{GpuConfig, Ticks};

/// Flits for which a write takes the port at least (measured: `traces/h200/hot/input.txt`, 37 stores of a word and 41 of a
/// sector a cycle from 94 slices, each as long as 1.9 to 2.1 flits).
const LEAST_WRITE_FLITS: u32 = 2;

/// How long requests take to pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputSpec {
    flit: Ticks,
    flit_bytes: u32,
}

impl InputSpec {
    /// That of a machine, where the port limits anything.
    pub(crate) fn new(config: &GpuConfig) -> Option<InputSpec> {
        let bytes = config.l2.input_bytes?;
        let flit_bytes = config.crossbar.flit_bytes?;
        let flit = Ticks(config.l2_cycle().0 * u64::from(flit_bytes) / u64::from(bytes.max(1)));
        Some(InputSpec { flit, flit_bytes })
    }

    /// How long a request takes.
    pub(crate) fn time(&self, request: &Request) -> Ticks {
        let flits = match request.kind {
            RequestKind::Read => 1,
            RequestKind::Write { .. } => request.flits(self.flit_bytes.max(1)).max(LEAST_WRITE_FLITS),
            RequestKind::Atomic { .. } => request.flits(self.flit_bytes.max(1)),
        };
        self.flit * u64::from(flits)
    }
}

#[cfg(test)]
mod tests {
    use super::InputSpec;
    use crate::message::{Request, RequestKind};
    use crate::testing::read;
    use warplab_config::Ticks;
    use warplab_units::SectorMask;

    fn cycles(kind: RequestKind, sectors: u8, bytes: u32) -> Ticks {
        let input = InputSpec { flit: Ticks::of_cycles(1), flit_bytes: 32 };
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
}
