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
    pub(crate) fn time(&self, request: &Request) -> Ticks {
        let flits = match request.kind {
            RequestKind::Read => 1,
            RequestKind::Write { .. } => 1 + request.sectors.count(),
            RequestKind::Atomic { .. } => request.bytes.div_ceil(self.flit_bytes.max(1)),
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
    fn a_read_is_one_flit_and_a_write_one_more_than_its_sectors() {
        let write = RequestKind::Write { full: SectorMask(0b1), words: 0xff };
        let taken = [(RequestKind::Read, 0b1111), (write, 0b1), (write, 0b1111)];
        assert_eq!(taken.map(|(kind, sectors)| cycles(kind, sectors, 0)), [1, 2, 5].map(Ticks::of_cycles));
    }

    #[test]
    fn an_atomic_operation_is_as_many_flits_as_on_the_crossbar() {
        let atomic = RequestKind::Atomic { sector_accesses: 4, returns: false };
        assert_eq!(cycles(atomic, 0b1111, 160), Ticks::of_cycles(5));
    }
}
