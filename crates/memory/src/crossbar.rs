//! The way between SMs and partitions: a latency, and ports of SMs and clusters with a bandwidth each.

use crate::message::Reply;
use crate::port::{Bandwidth, Port};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use warplab_config::GpuConfig;
use warplab_config::gpu::SmCluster;
use warplab_trace::CrossbarCounters;
use warplab_units::{Cycle, SmId, TypedId};

/// The specification of the crossbar.
#[derive(Clone, Debug)]
pub struct CrossbarSpec {
    /// Where each SM is.
    places: Arc<[Place]>,
    /// The SMs of each cluster.
    clusters: Arc<[Range<usize>]>,
    /// The cluster of each SM.
    cluster_of_sm: Arc<[u16]>,
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
            places: places(config).into(),
            cluster_of_sm: config.cluster_of_sm().into(),
            clusters: ranges(&config.sm_clusters()).into(),
            sm_receive: Bandwidth::bytes_per_cycle(crossbar.sm_receive_bytes),
            cluster_send: Bandwidth::bytes_per_cycle(crossbar.cluster_send_bytes),
            cluster_receive: Bandwidth::bytes_per_cycle(crossbar.cluster_receive_bytes),
        }
    }

    /// Cycles that a message to a partition takes from an SM at least.
    #[inline]
    fn there(&self, sm: SmId) -> u64 {
        u64::from(self.places[sm.index()].there)
    }

    /// Cycles that a message from a partition takes to an SM at least.
    #[inline]
    #[must_use]
    pub fn back(&self, sm: SmId) -> u64 {
        u64::from(self.places[sm.index()].back)
    }

    /// The SMs of each cluster.
    #[must_use]
    pub fn clusters(&self) -> &[Range<usize>] {
        &self.clusters
    }

    /// The cluster of an SM.
    #[inline]
    #[must_use]
    pub fn cluster(&self, sm: SmId) -> usize {
        usize::from(self.cluster_of_sm[sm.index()])
    }
}

/// Where an SM is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its number in its cluster.
    number: u32,
    /// Cycles that a message takes to a partition and from one at least.
    there: u32,
    back: u32,
}

/// Where each SM is: half of its distance counts each way.
fn places(config: &GpuConfig) -> Vec<Place> {
    let latency = config.crossbar.latency;
    let numbers = ranges(&config.sm_clusters()).into_iter().flat_map(|sms| 0..sms.len() as u32);
    let place = |(number, distance): (u32, u32)| Place {
        number,
        there: latency + distance / 2,
        back: latency + distance.div_ceil(2),
    };
    numbers.zip(config.distance_of_sm()).map(place).collect()
}

/// The SMs of clusters that lie one after another.
fn ranges(clusters: &[SmCluster]) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |cluster: &SmCluster| {
        let start = end;
        end += cluster.sms as usize;
        start..end
    };
    clusters.iter().map(range).collect()
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
    /// The free ports of a cluster of so many SMs.
    #[must_use]
    pub fn new(sms: usize) -> ClusterPorts {
        ClusterPorts {
            sm_receive: vec![Port::default(); sms],
            send: Port::default(),
            receive: Port::default(),
            counters: CrossbarCounters::default(),
        }
    }

    /// When a request that leaves an SM `at` arrives at its partition: at least the latency later.
    #[inline]
    pub fn request_arrival(&mut self, spec: &CrossbarSpec, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let arrival = self.send.pass(spec.cluster_send, at, bytes) + spec.there(sm);
        self.counters.requests.passes(at.0, arrival.0);
        arrival
    }

    /// When a reply that leaves its partition `at` arrives at its SM: at least the latency later.
    #[inline]
    pub fn reply_arrival(&mut self, spec: &CrossbarSpec, reply: &Reply) -> Cycle {
        let Reply { sm, bytes, at, shared, .. } = *reply;
        let passed = self.receive.pass(spec.cluster_receive, at, if shared { 0 } else { bytes });
        let place = spec.places[sm.index()];
        let port = &mut self.sm_receive[place.number as usize];
        let arrival = port.pass(spec.sm_receive, passed, bytes) + u64::from(place.back);
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
    use crate::message::Reply;
    use crate::testing::toy;
    use warplab_config::gpu::SmCluster;
    use warplab_units::{Cycle, SmId};

    /// Ten cycles each way; SMs receive 32 bytes per cycle, clusters send 32 and receive 64.
    fn crossbar(sms_per_cluster: u32) -> (CrossbarSpec, Vec<ClusterPorts>) {
        let mut config = toy();
        config.crossbar.sms_per_cluster = sms_per_cluster;
        config.crossbar.cluster_receive_bytes = 64;
        let spec = CrossbarSpec::new(&config);
        let ports = spec.clusters().iter().map(|sms| ClusterPorts::new(sms.len())).collect();
        (spec, ports)
    }

    /// When requests (SM, departure, bytes) arrive.
    fn requests<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| {
            let cluster = spec.cluster(SmId(sm));
            crossbar[cluster].request_arrival(&spec, SmId(sm), Cycle(at), bytes).0
        })
    }

    /// A reply to one SM.
    fn reply(sm: u16, at: u64, bytes: u32) -> Reply {
        Reply { sm: SmId(sm), token: 0, bytes, shared: false, is_far: false, at: Cycle(at) }
    }

    /// When replies (SM, departure, bytes) arrive.
    fn replies<const N: usize>(sms_per_cluster: u32, sent: [(u16, u64, u32); N]) -> [u64; N] {
        let (spec, mut crossbar) = crossbar(sms_per_cluster);
        sent.map(|(sm, at, bytes)| {
            let cluster = spec.cluster(SmId(sm));
            crossbar[cluster].reply_arrival(&spec, &reply(sm, at, bytes)).0
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
    fn a_reply_to_neighbours_passes_the_port_of_their_cluster_once() {
        let (spec, mut crossbar) = crossbar(2);
        let replies = [reply(0, 5, 64), Reply { shared: true, ..reply(1, 5, 64) }];
        assert_eq!(replies.map(|reply| crossbar[0].reply_arrival(&spec, &reply).0), [16, 16]);
    }

    #[test]
    fn replies_to_one_sm_wait_for_its_port() {
        assert_eq!(replies(2, [(0, 5, 64), (0, 5, 64)]), [16, 18]);
    }

    #[test]
    fn an_sm_that_is_further_away_is_reached_later_by_half_of_its_distance_each_way() {
        let mut config = toy();
        (config.limits.multiprocessors, config.crossbar.sms_per_tpc) = (4, 2);
        let distances = vec![0, 5];
        config.crossbar.clusters = vec![SmCluster { sms: 4, distances, ..SmCluster::default() }];
        let spec = CrossbarSpec::new(&config);
        let mut ports = ClusterPorts::new(4);
        assert_eq!([1, 2].map(|sm| ports.request_arrival(&spec, SmId(sm), Cycle(5), 0).0), [15, 15 + 2]);
        assert_eq!([1, 2].map(|sm| ports.reply_arrival(&spec, &reply(sm, 5, 0)).0), [15, 15 + 3]);
        assert_eq!([1, 2].map(|sm| spec.back(SmId(sm))), [10, 13]);
    }

    #[test]
    fn requests_and_replies_do_not_meet() {
        let (spec, mut crossbar) = crossbar(2);
        assert_eq!(crossbar[0].request_arrival(&spec, SmId(0), Cycle(5), 320), Cycle(5 + 9 + 10));
        assert_eq!(crossbar[0].reply_arrival(&spec, &reply(0, 5, 32)), Cycle(15));
    }

    #[test]
    fn counters_that_are_taken_start_anew() {
        let (spec, crossbar) = crossbar(2);
        let mut ports = crossbar[0].clone();
        ports.request_arrival(&spec, SmId(0), Cycle(5), 64);
        ports.reply_arrival(&spec, &reply(1, 50, 32));
        let first = ports.take_counters();
        assert_eq!((first.requests.departures, first.requests.total_latency), (1, 11));
        assert_eq!((first.replies.departures, first.replies.total_latency), (1, 10));
        ports.request_arrival(&spec, SmId(0), Cycle(105), 8);
        assert_eq!(ports.take_counters().requests.total_latency, 10);
        assert_eq!(ports.counters().requests.departures, 0);
    }

    #[test]
    fn stored_ports_remember_what_they_do() {
        let (spec, crossbar) = crossbar(1);
        let mut ports = crossbar[0].clone();
        ports.request_arrival(&spec, SmId(0), Cycle(5), 320);
        let bytes = postcard::to_allocvec(&ports).unwrap();
        let mut restored: ClusterPorts = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(restored.request_arrival(&spec, SmId(0), Cycle(6), 32), Cycle(15 + 10));
    }
}
