//! A port with a bandwidth: what comes while it is busy waits.

use warplab_units::Cycle;

/// A port that passes so many bytes a cycle, one message after another.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    bytes_per_cycle: u64,
    /// When the port is free, in bytes: cycle times bytes a cycle.
    free_at: u64,
}

impl Port {
    /// A free port; at least one byte a cycle.
    #[must_use]
    pub fn new(bytes_per_cycle: u32) -> Port {
        Port { bytes_per_cycle: u64::from(bytes_per_cycle.max(1)), free_at: 0 }
    }

    /// The cycle in which a message that comes `at` has passed its last byte; a message that meets a free port and
    /// fits into one cycle passes at once.
    pub fn pass(&mut self, at: Cycle, bytes: u32) -> Cycle {
        let start = self.free_at.max(at.0 * self.bytes_per_cycle);
        self.free_at = start + u64::from(bytes);
        Cycle((self.free_at - 1) / self.bytes_per_cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::Port;
    use warplab_units::Cycle;

    #[test]
    fn a_port_passes_its_bytes_a_cycle_and_no_more() {
        let mut port = Port::new(32);
        assert_eq!(port.pass(Cycle(10), 32), Cycle(10));
        assert_eq!(port.pass(Cycle(10), 32), Cycle(11));
        assert_eq!(port.pass(Cycle(10), 64), Cycle(13));
        assert_eq!(port.pass(Cycle(20), 8), Cycle(20));
        assert_eq!(port.pass(Cycle(20), 24), Cycle(20));
        assert_eq!(port.pass(Cycle(20), 1), Cycle(21));
    }
}
