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
        std::mem::take(&mut self.counters)
    }
}
