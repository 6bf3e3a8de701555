//! Messages between SMs and partitions, handed over at the boundaries of epochs in an order that does not depend on
//! threads: each cluster of SMs passes its own requests and replies through its ports.

use crate::memory_side::{MemorySpec, PartitionPort};
use crate::running::SmPort;
use serde::{Deserialize, Serialize};
use warplab_memory::{ClusterPorts, Reply, Request};
use warplab_units::{Cycle, TypedId};

/// One cluster of SMs at the crossbar.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) ports: ClusterPorts,
    /// Requests on their way to each partition, which takes them in the next epoch.
    to_partitions: Vec<Vec<Request>>,
    /// The first arrival of these, or never.
    pub(crate) next_arrival: Cycle,
    /// The last arrival of a reply.
    pub(crate) last_reply: Cycle,
    #[serde(skip)]
    scratch: Scratch,
}

/// Space that is used again in every epoch and holds nothing between two.
#[derive(Clone, Debug, Default)]
struct Scratch {
    requests: Vec<Request>,
    replies: Vec<Reply>,
}

impl Cluster {
    /// A cluster whose ports are free.
    pub(crate) fn new(spec: &MemorySpec) -> Cluster {
        Cluster {
            ports: ClusterPorts::new(&spec.crossbar),
            to_partitions: vec![Vec::new(); spec.partitions],
            next_arrival: Cycle::NEVER,
            last_reply: Cycle(0),
            scratch: Scratch::default(),
        }
    }

    /// Whether any request is on its way.
    pub(crate) fn has_requests(&self) -> bool {
        self.next_arrival != Cycle::NEVER
    }

    /// The requests on their way to a partition, each SM's own in order.
    pub(crate) fn requests(&self, partition: usize) -> &[Request] {
        &self.to_partitions[partition]
    }

    /// What its SMs and the partitions have sent in this epoch passes the ports: requests are on their way to their
    /// partitions, replies at their SMs. `cluster` is its number.
    pub(crate) fn exchange(
        &mut self,
        cluster: usize,
        sms: &mut [Option<SmPort>],
        partitions: &[PartitionPort],
        spec: &MemorySpec,
    ) {
        self.send(sms, spec);
        self.receive(cluster, sms, partitions, spec);
    }

    fn send(&mut self, sms: &mut [Option<SmPort>], spec: &MemorySpec) {
        if self.has_requests() {
            self.to_partitions.iter_mut().for_each(Vec::clear);
            self.next_arrival = Cycle::NEVER;
        }
        let requests = &mut self.scratch.requests;
        sms.iter_mut().flatten().for_each(|port| port.sm.take_requests(requests));
        // Stable: SMs come in order, and the requests of each one.
        requests.sort_by_key(|request| request.at);
        for mut request in requests.drain(..) {
            request.at = self.ports.request_arrival(&spec.crossbar, request.at, request.bytes);
            self.next_arrival = self.next_arrival.min(request.at);
            self.to_partitions[spec.map.partition(request.line).index()].push(request);
        }
    }

    fn receive(
        &mut self,
        cluster: usize,
        sms: &mut [Option<SmPort>],
        partitions: &[PartitionPort],
        spec: &MemorySpec,
    ) {
        let replies = &mut self.scratch.replies;
        for port in partitions {
            replies.extend_from_slice(port.replies(cluster));
        }
        // Stable: partitions come in order, and the replies of each one.
        replies.sort_by_key(|reply| (reply.at, reply.sm));
        let first = cluster * spec.crossbar.sms_per_cluster();
        for mut reply in replies.drain(..) {
            reply.at = self.ports.reply_arrival(&spec.crossbar, reply.sm, reply.at, reply.bytes);
            self.last_reply = self.last_reply.max(reply.at);
            if let Some(port) = &mut sms[reply.sm.index() - first] {
                port.deliver(reply);
            }
        }
    }
}
