//! The way between multiprocessors and partitions: a latency, and ports of multiprocessors and clusters with a
//! bandwidth each.

use crate::port::Port;
use warplab_config::GpuConfig;
use warplab_trace::CrossbarCounters;
use warplab_units::{Cycle, SmId};

/// The ports of every multiprocessor and cluster. Messages of one direction must be passed in order of time.
#[derive(Clone, Debug)]
pub struct Crossbar {
    latency: u64,
    sms_per_cluster: usize,
    sm_receive: Vec<Port>,
    cluster_send: Vec<Port>,
    cluster_receive: Vec<Port>,
    counters: CrossbarCounters,
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
            counters: CrossbarCounters::default(),
        }
    }

    /// When a request that leaves its multiprocessor `at` arrives at its partition: at least the latency later.
    pub fn request_arrival(&mut self, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / self.sms_per_cluster;
        let arrival = self.cluster_send[cluster].pass(at, bytes) + self.latency;
        self.counters.requests.passes(at.0, arrival.0);
        arrival
    }

    /// When a reply that leaves its partition `at` arrives at its multiprocessor: at least the latency later.
    pub fn reply_arrival(&mut self, sm: SmId, at: Cycle, bytes: u32) -> Cycle {
        let cluster = usize::from(sm.0) / self.sms_per_cluster;
        let passed = self.cluster_receive[cluster].pass(at, bytes);
        let arrival = self.sm_receive[usize::from(sm.0)].pass(passed, bytes) + self.latency;
        self.counters.replies.passes(at.0, arrival.0);
        arrival
    }

    /// What has been counted so far.
    #[must_use]
    pub fn counters(&self) -> &CrossbarCounters {
        &self.counters
    }
}
