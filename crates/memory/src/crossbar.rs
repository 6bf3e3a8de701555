//! The way between SMs and partitions: a latency, and ports of SMs and clusters with a bandwidth each.

use crate::port::{Bandwidth, Port};
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_trace::CrossbarCounters;
use warplab_units::{Cycle, SmId};

/// What a crossbar is.
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
}

/// The ports of every SM and cluster. Messages of one direction must be passed in order of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Crossbar {
    sm_receive: Vec<Port>,
    cluster_send: Vec<Port>,
    cluster_receive: Vec<Port>,
    counters: CrossbarCounters,
}

impl Crossbar {
    /// A crossbar whose ports are free.
    #[must_use]
    pub fn new(spec: &CrossbarSpec) -> Crossbar {
        let clusters = spec.sms.div_ceil(spec.sms_per_cluster);
        Crossbar {
            sm_receive: vec![Port::default(); spec.sms],
            cluster_send: vec![Port::default(); clusters],
            cluster_receive: vec![Port::default(); clusters],
            counters: CrossbarCounters::default(),
        }
    }

    /// When a request that leaves its SM `at` arrives at its partition: at least the latency later.
    pub fn request_arrival(&mut self, spec: &CrossbarSpec, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / spec.sms_per_cluster;
        let arrival = self.cluster_send[cluster].pass(spec.cluster_send, at, bytes) + spec.latency;
        self.counters.requests.passes(at.0, arrival.0);
        arrival
    }

    /// When a reply that leaves its partition `at` arrives at its SM: at least the latency later.
    pub fn reply_arrival(&mut self, spec: &CrossbarSpec, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / spec.sms_per_cluster;
        let passed = self.cluster_receive[cluster].pass(spec.cluster_receive, at, bytes);
        let arrival = self.sm_receive[usize::from(sm.0)].pass(spec.sm_receive, passed, bytes) + spec.latency;
        self.counters.replies.passes(at.0, arrival.0);
        arrival
    }

    /// What has been counted since the last [`Crossbar::take_counters`].
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
    use super::{Crossbar, CrossbarSpec};
    use crate::testing::toy;
    use warplab_units::{Cycle, SmId};

    /// Ten cycles each way; SMs receive 32 bytes per cycle, clusters send 32 and receive 64.
    fn crossbar(sms_per_cluster: u32) -> (CrossbarSpec, Crossbar) {
        let mut config = toy();
        config.crossbar.sms_per_cluster = sms_per_cluster;
        config.crossbar.cluster_receive_bytes = 64;
        let spec = CrossbarSpec::new(&config);
        (spec, Crossbar::new(&spec))
    }

    /// When requests (SM, departure, bytes) arrive.
    fn requests<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| crossbar.request_arrival(&spec, SmId(sm), Cycle(at), bytes).0)
    }

    /// When replies (SM, departure, bytes) arrive.
    fn replies<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| crossbar.reply_arrival(&spec, SmId(sm), Cycle(at), bytes).0)
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
        assert_eq!(crossbar.request_arrival(&spec, SmId(0), Cycle(5), 320), Cycle(5 + 9 + 10));
        assert_eq!(crossbar.reply_arrival(&spec, SmId(0), Cycle(5), 32), Cycle(15));
    }

    #[test]
    fn counters_that_are_taken_start_anew() {
        let (spec, mut crossbar) = crossbar(1);
        crossbar.request_arrival(&spec, SmId(0), Cycle(5), 64);
        crossbar.reply_arrival(&spec, SmId(1), Cycle(50), 32);
        let first = crossbar.take_counters();
        assert_eq!((first.requests.departures, first.requests.total_latency), (1, 11));
        assert_eq!((first.replies.departures, first.replies.total_latency), (1, 10));
        crossbar.request_arrival(&spec, SmId(0), Cycle(105), 8);
        assert_eq!(crossbar.take_counters().requests.total_latency, 10);
        assert_eq!(crossbar.counters().requests.departures, 0);
    }

    #[test]
    fn a_stored_crossbar_remembers_what_its_ports_do() {
        let (spec, mut crossbar) = crossbar(1);
        crossbar.request_arrival(&spec, SmId(0), Cycle(5), 320);
        let bytes = postcard::to_allocvec(&crossbar).unwrap();
        let mut restored: Crossbar = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(restored.request_arrival(&spec, SmId(0), Cycle(6), 32), Cycle(15 + 10));
    }
}
