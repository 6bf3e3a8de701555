//! The way between multiprocessors and partitions: a latency, and ports of multiprocessors and clusters with a
//! bandwidth each.

use warplab_config::GpuConfig;
use warplab_units::{Cycle, SmId};

/// A port that passes so many bytes a cycle, one message after another.
#[derive(Clone, Copy, Debug)]
struct Port {
    bytes_per_cycle: u64,
    /// When the port is free, in bytes: cycle times bytes a cycle.
    free_at: u64,
}

impl Port {
    fn new(bytes_per_cycle: u32) -> Port {
        Port { bytes_per_cycle: u64::from(bytes_per_cycle.max(1)), free_at: 0 }
    }

    /// The cycle in which a message that comes `at` has passed its last byte; a message that meets a free port and
    /// fits into one cycle passes at once.
    fn pass(&mut self, at: Cycle, bytes: u32) -> Cycle {
        let start = self.free_at.max(at.0 * self.bytes_per_cycle);
        self.free_at = start + u64::from(bytes);
        Cycle((self.free_at - 1) / self.bytes_per_cycle)
    }
}

/// The ports of every multiprocessor and cluster. Messages of one direction must be passed in order of time.
#[derive(Clone, Debug)]
pub struct Crossbar {
    latency: u64,
    sms_per_cluster: usize,
    sm_receive: Vec<Port>,
    cluster_send: Vec<Port>,
    cluster_receive: Vec<Port>,
}

impl Crossbar {
    /// The crossbar of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> Crossbar {
        let crossbar = &config.crossbar;
        let sms = config.limits.multiprocessors as usize;
        let clusters = sms.div_ceil(crossbar.sms_per_cluster as usize);
        Crossbar {
            latency: u64::from(crossbar.latency),
            sms_per_cluster: crossbar.sms_per_cluster as usize,
            sm_receive: vec![Port::new(crossbar.sm_receive_bytes); sms],
            cluster_send: vec![Port::new(crossbar.cluster_send_bytes); clusters],
            cluster_receive: vec![Port::new(crossbar.cluster_receive_bytes); clusters],
        }
    }

    /// When a request that leaves its multiprocessor `at` arrives at its partition: at least the latency later.
    pub fn request_arrival(&mut self, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / self.sms_per_cluster;
        self.cluster_send[cluster].pass(at, bytes) + self.latency
    }

    /// When a reply that leaves its partition `at` arrives at its multiprocessor: at least the latency later.
    pub fn reply_arrival(&mut self, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / self.sms_per_cluster;
        let passed = self.cluster_receive[cluster].pass(at, bytes);
        self.sm_receive[usize::from(sm.0)].pass(passed, bytes) + self.latency
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
