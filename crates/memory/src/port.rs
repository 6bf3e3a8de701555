//! A port with a bandwidth: a message that comes while it is busy waits.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// Bytes per cycle that a port passes; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth(u64);

impl Bandwidth {
    /// This many bytes per cycle, at least one.
    #[must_use]
    pub fn bytes_per_cycle(bytes: u32) -> Bandwidth {
        Bandwidth(u64::from(bytes.max(1)))
    }
}

/// A port that passes one message after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// When the port is free, in bytes: cycle times bytes per cycle.
    free_at: u64,
}

impl Port {
    /// The cycle in which a message that comes `at` has passed its last byte. A message that meets a free port and fits
    /// into one cycle passes at once; one without bytes passes with the one before.
    #[inline]
    pub fn pass(&mut self, bandwidth: Bandwidth, at: Cycle, bytes: u32) -> Cycle {
        let start = self.free_at.max(at.0 * bandwidth.0);
        self.free_at = start + u64::from(bytes);
        at.max(Cycle(self.free_at.saturating_sub(1) / bandwidth.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bandwidth, Port};
    use warplab_units::Cycle;

    /// When messages of these sizes, which come at these cycles, have passed a port of 32 bytes per cycle.
    fn passed<const N: usize>(messages: [(u64, u32); N]) -> [u64; N] {
        let mut port = Port::default();
        messages.map(|(at, bytes)| port.pass(Bandwidth::bytes_per_cycle(32), Cycle(at), bytes).0)
    }

    #[test]
    fn a_message_that_fits_into_one_cycle_passes_a_free_port_at_once() {
        assert_eq!(passed([(10, 32)]), [10]);
    }

    #[test]
    fn a_message_of_several_cycles_has_passed_with_its_last_byte() {
        assert_eq!(passed([(10, 33)]), [11]);
        assert_eq!(passed([(10, 128)]), [13]);
    }

    #[test]
    fn a_message_waits_for_the_one_before() {
        assert_eq!(passed([(10, 32), (10, 32), (10, 64)]), [10, 11, 13]);
    }

    #[test]
    fn small_messages_share_a_cycle_until_its_bytes_are_spent() {
        assert_eq!(passed([(20, 8), (20, 24), (20, 1)]), [20, 20, 21]);
    }

    #[test]
    fn bandwidth_that_nobody_used_is_lost() {
        assert_eq!(passed([(0, 32), (100, 32), (100, 32)]), [0, 100, 101]);
    }

    #[test]
    fn a_bandwidth_is_at_least_one_byte_per_cycle() {
        assert_eq!(Port::default().pass(Bandwidth::bytes_per_cycle(0), Cycle(0), 3), Cycle(2));
    }
}
