//! The port through which requests of SMs pass into a slice, flit by flit.

use crate::message::{Request, RequestKind};
use warplab_config::{GpuConfig, Ticks};

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
    #[inline]
    pub(crate) fn time(&self, request: &Request) -> Ticks {
        let flits = match request.kind {
            RequestKind::Read => 1,
            RequestKind::Write { .. } | RequestKind::Atomic { .. } => request.flits(self.flit_bytes.max(1)),
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

    /// A flit a cycle.
    fn input() -> InputSpec {
        InputSpec { flit: Ticks::of_cycles(1), flit_bytes: 32 }
    }

    fn cycles(kind: RequestKind, sectors: u8, bytes: u32) -> Ticks {
        let input = input();
        let request = Request { sectors: SectorMask(sectors), kind, bytes, ..read(0, 0, 0, 0) };
        input.time(&request)
    }

    #[test]
    fn a_request_with_data_is_as_many_flits_as_on_the_crossbar() {
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
        assert_eq!(cycles, [1, 1, 2, 4, 1, 5].map(Ticks::of_cycles));
    }
}
