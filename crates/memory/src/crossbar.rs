//! The way between SMs and partitions: a latency, and ports of SMs and clusters with a bandwidth each.

use crate::port::{Bandwidth, Port};
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_trace::CrossbarCounters;
use warplab_units::{Cycle, SmId};

/// The specification of the crossbar.
#[derive(Clone, Copy, Debug)]
pub struct CrossbarSpec {
    latency: u64,
    sms: usize,
    sms_per_cluster: usize,
    sm_receive: Bandwidth,
    cluster_send: Bandwidth,
    cluster_receive: Bandwidth,
}

impl CrossbarSpec {
    /// The crossbar of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> CrossbarSpec {
        let crossbar = &config.crossbar;
        CrossbarSpec {
            latency: u64::from(crossbar.latency),
            sms: config.limits.multiprocessors as usize,
            sms_per_cluster: crossbar.sms_per_cluster as usize,
            sm_receive: Bandwidth::bytes_per_cycle(crossbar.sm_receive_bytes),
            cluster_send: Bandwidth::bytes_per_cycle(crossbar.cluster_send_bytes),
            cluster_receive: Bandwidth::bytes_per_cycle(crossbar.cluster_receive_bytes),
        }
    }

    /// How many clusters there are.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.sms.div_ceil(self.sms_per_cluster)
    }

    /// SMs of a cluster; the last one may have fewer.
    #[must_use]
    pub fn sms_per_cluster(&self) -> usize {
        self.sms_per_cluster
    }

    /// The cluster of an SM.
    #[must_use]
    pub fn cluster(&self, sm: SmId) -> usize {
        usize::from(sm.0) / self.sms_per_cluster
    }
}

/// The ports of one cluster of SMs. Messages of one direction must be passed in order of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusterPorts {
    sm_receive: Vec<Port>,
    send: Port,
    receive: Port,
    counters: CrossbarCounters,
}

impl ClusterPorts {
    /// Ports that are free.
    #[must_use]
    pub fn new(spec: &CrossbarSpec) -> ClusterPorts {
        ClusterPorts {
            sm_receive: vec![Port::default(); spec.sms_per_cluster],
            send: Port::default(),
            receive: Port::default(),
            counters: CrossbarCounters::default(),
        }
    }

    /// When a request that leaves its SM `at` arrives at its partition: at least the latency later.
    pub fn request_arrival(&mut self, spec: &CrossbarSpec, at: Cycle, bytes: u32) -> Cycle {
        let arrival = self.send.pass(spec.cluster_send, at, bytes) + spec.latency;
        self.counters.requests.passes(at.0, arrival.0);
        arrival
    }

    /// When a reply that leaves its partition `at` arrives at its SM: at least the latency later.
    pub fn reply_arrival(&mut self, spec: &CrossbarSpec, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let passed = self.receive.pass(spec.cluster_receive, at, bytes);
        let port = &mut self.sm_receive[usize::from(sm.0) % spec.sms_per_cluster];
        let arrival = port.pass(spec.sm_receive, passed, bytes) + spec.latency;
        self.counters.replies.passes(at.0, arrival.0);
        arrival
    }

    /// What has been counted since the last [`ClusterPorts::take_counters`].
    #[must_use]
    pub fn counters(&self) -> &CrossbarCounters {
        &self.counters
    }

    /// What has been counted since the last call; the next launch starts anew.
    pub fn take_counters(&mut self) -> CrossbarCounters {
        CrossbarCounters { requests: self.counters.requests.take(), replies: self.counters.replies.take() }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClusterPorts, CrossbarSpec};
    use crate::testing::toy;
    use warplab_units::{Cycle, SmId};

    /// Ten cycles each way; SMs receive 32 bytes per cycle, clusters send 32 and receive 64.
    fn crossbar(sms_per_cluster: u32) -> (CrossbarSpec, Vec<ClusterPorts>) {
        let mut config = toy();
        config.crossbar.sms_per_cluster = sms_per_cluster;
        config.crossbar.cluster_receive_bytes = 64;
        let spec = CrossbarSpec::new(&config);
        (spec, vec![ClusterPorts::new(&spec); spec.clusters()])
    }

    /// When requests (SM, departure, bytes) arrive.
    fn requests<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| {
            let cluster = spec.cluster(SmId(sm));
            crossbar[cluster].request_arrival(&spec, Cycle(at), bytes).0
        })
    }

    /// When replies (SM, departure, bytes) arrive.
    fn replies<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| {
            let cluster = spec.cluster(SmId(sm));
            crossbar[cluster].reply_arrival(&spec, SmId(sm), Cycle(at), bytes).0
        })
    }

    #[test]
    fn a_message_alone_takes_the_latency() {
        assert_eq!(requests(1, [(0, 5, 8)]), [15]);
        assert_eq!(replies(1, [(0, 5, 32)]), [15]);
    }

    #[test]
    fn a_long_request_takes_the_cycles_of_its_bytes_at_the_port_of_its_cluster() {
        assert_eq!(requests(1, [(0, 5, 100)]), [5 + 3 + 10]);
    }

    #[test]
    fn sms_of_one_cluster_share_its_send_port() {
        assert_eq!(requests(2, [(0, 5, 32), (1, 5, 32), (0, 5, 32)]), [15, 16, 17]);
    }

    #[test]
    fn sms_of_different_clusters_do_not_wait_for_each_other() {
        assert_eq!(requests(1, [(0, 5, 32), (1, 5, 32)]), [15, 15]);
    }

    #[test]
    fn a_reply_passes_the_port_of_the_cluster_and_then_that_of_its_sm() {
        // 64 bytes pass the cluster in cycle 5 and the SM in cycles 5 and 6.
        assert_eq!(replies(1, [(0, 5, 64)]), [6 + 10]);
    }

    #[test]
    fn replies_to_two_sms_of_a_cluster_share_only_its_port() {
        assert_eq!(replies(2, [(0, 5, 64), (1, 5, 64)]), [16, 17]);
    }

    #[test]
    fn replies_to_one_sm_wait_for_its_port() {
        assert_eq!(replies(2, [(0, 5, 64), (0, 5, 64)]), [16, 18]);
    }

    #[test]
    fn requests_and_replies_do_not_meet() {
        let (spec, mut crossbar) = crossbar(2);
        assert_eq!(crossbar[0].request_arrival(&spec, Cycle(5), 320), Cycle(5 + 9 + 10));
        assert_eq!(crossbar[0].reply_arrival(&spec, SmId(0), Cycle(5), 32), Cycle(15));
    }

    #[test]
    fn counters_that_are_taken_start_anew() {
        let (spec, crossbar) = crossbar(2);
        let mut ports = crossbar[0].clone();
        ports.request_arrival(&spec, Cycle(5), 64);
        ports.reply_arrival(&spec, SmId(1), Cycle(50), 32);
        let first = ports.take_counters();
        assert_eq!((first.requests.departures, first.requests.total_latency), (1, 11));
        assert_eq!((first.replies.departures, first.replies.total_latency), (1, 10));
        ports.request_arrival(&spec, Cycle(105), 8);
        assert_eq!(ports.take_counters().requests.total_latency, 10);
        assert_eq!(ports.counters().requests.departures, 0);
    }

    #[test]
    fn stored_ports_remember_what_they_do() {
        let (spec, crossbar) = crossbar(1);
        let mut ports = crossbar[0].clone();
        ports.request_arrival(&spec, Cycle(5), 320);
        let bytes = postcard::to_allocvec(&ports).unwrap();
        let mut restored: ClusterPorts = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(restored.request_arrival(&spec, Cycle(6), 32), Cycle(15 + 10));
    }
}
