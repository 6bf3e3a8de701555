//! Messages between SMs and partitions, handed over at the boundaries of epochs in an order that does not depend on
//! threads: each cluster of SMs passes its own requests and replies through its ports.

use crate::memory_side::{MemorySpec, PartitionPort};
use crate::order::{Sorter, Timed};
use crate::running::{Running, SmPort};
use serde::{Deserialize, Serialize};
use warplab_memory::{ClusterPorts, Reply, Request};
use warplab_units::{Cycle, TypedId};

/// By SM: the requests of one SM stay in order.
impl Timed for Request {
    fn at(&self) -> Cycle {
        self.at
    }

    fn rank(&self) -> u64 {
        u64::from(self.sm.0)
    }
}

/// By SM, then by token: no two replies to an SM have one token at one time.
impl Timed for Reply {
    fn at(&self) -> Cycle {
        self.at
    }

    fn rank(&self) -> u64 {
        u64::from(self.sm.0) << u32::BITS | u64::from(self.token)
    }
}

/// The SMs of one cluster.
pub(crate) struct ClusterSms<'a> {
    /// The number of the cluster.
    number: usize,
    /// The number of the first SM.
    first: usize,
    sms: &'a mut [Option<SmPort>],
    /// The next event of each.
    next: &'a mut [Cycle],
    /// Those that act in this epoch, by their numbers on the device.
    acting: &'a [usize],
}

/// The SMs of a launch by cluster.
pub(crate) fn clusters_of(
    running: &mut Running,
    sms_per_cluster: usize,
) -> impl Iterator<Item = ClusterSms<'_>> {
    let Running { sms, next, acting, .. } = running;
    let each = sms.chunks_mut(sms_per_cluster).zip(next.as_mut_slice().chunks_mut(sms_per_cluster));
    let mut later: &[usize] = acting;
    each.enumerate().map(move |(number, (sms, next))| {
        let first = number * sms_per_cluster;
        let (acting, rest) = later.split_at(later.partition_point(|&sm| sm < first + sms.len()));
        later = rest;
        ClusterSms { number, first, sms, next, acting }
    })
}

/// One cluster of SMs at the crossbar.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) ports: ClusterPorts,
    /// Requests on their way to each partition, which takes them in the next epoch.
    to_partitions: Vec<Vec<Request>>,
    /// The partitions that any of these goes to.
    called: Vec<usize>,
    /// The last arrival of a reply.
    pub(crate) last_reply: Cycle,
    /// What leaves its SM or partition after the present epoch, in order: it passes the ports in its own epoch, so that
    /// the length of an epoch changes nothing.
    requests: Vec<Request>,
    replies: Vec<Reply>,
    #[serde(skip)]
    sorters: (Sorter<Request>, Sorter<Reply>),
}

impl Cluster {
    /// A cluster whose ports are free.
    pub(crate) fn new(spec: &MemorySpec) -> Cluster {
        Cluster {
            ports: ClusterPorts::new(&spec.crossbar),
            to_partitions: vec![Vec::new(); spec.partitions],
            called: Vec::new(),
            last_reply: Cycle(0),
            requests: Vec::new(),
            replies: Vec::new(),
            sorters: Default::default(),
        }
    }

    /// The requests on their way to a partition, each SM's own in order.
    pub(crate) fn requests(&self, partition: usize) -> &[Request] {
        &self.to_partitions[partition]
    }

    /// The partitions to which requests are on their way, and when the first arrives.
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = (usize, Cycle)> {
        // Requests pass the port in order.
        self.called.iter().map(|&partition| (partition, self.to_partitions[partition][0].at))
    }

    /// When the first message leaves that has not passed the ports.
    pub(crate) fn next_departure(&self) -> Cycle {
        let request = self.requests.first().map_or(Cycle::NEVER, |request| request.at);
        request.min(self.replies.first().map_or(Cycle::NEVER, |reply| reply.at))
    }

    /// Whether every message has passed the ports.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.requests.is_empty() && self.replies.is_empty()
    }

    /// What its SMs have sent and leaves before `end` passes the port: it is on the way to its partitions.
    pub(crate) fn send(&mut self, sms: &mut ClusterSms<'_>, end: Cycle, spec: &MemorySpec) {
        self.called.drain(..).for_each(|partition| self.to_partitions[partition].clear());
        let requests = &mut self.requests;
        for sm in sms.acting.iter().map(|sm| sm - sms.first) {
            sms.sms[sm].iter_mut().for_each(|port| port.sm.take_requests(requests));
        }
        self.sorters.0.sort(requests);
        let leaving = requests.partition_point(|request| request.at < end);
        for mut request in requests.drain(..leaving) {
            request.at = self.ports.request_arrival(&spec.crossbar, request.at, request.bytes);
            let partition = spec.map.partition(request.line, request.sm).index();
            if self.to_partitions[partition].is_empty() {
                self.called.push(partition);
            }
            self.to_partitions[partition].push(request);
        }
    }

    /// What partitions have sent to its SMs and leaves before `end` passes the ports. `partitions` come in order.
    pub(crate) fn receive<'a>(
        &mut self,
        sms: &mut ClusterSms<'_>,
        partitions: impl Iterator<Item = &'a PartitionPort>,
        end: Cycle,
        spec: &MemorySpec,
    ) {
        let replies = &mut self.replies;
        partitions.for_each(|port| replies.extend_from_slice(port.replies(sms.number)));
        self.sorters.1.sort(replies);
        let leaving = replies.partition_point(|reply| reply.at < end);
        for mut reply in replies.drain(..leaving) {
            reply.at = self.ports.reply_arrival(&spec.crossbar, reply.sm, reply.at, reply.bytes);
            self.last_reply = self.last_reply.max(reply.at);
            let sm = reply.sm.index() - sms.first;
            if let Some(port) = &mut sms.sms[sm] {
                sms.next[sm] = sms.next[sm].min(reply.at);
                port.sm.deliver(reply);
            }
        }
    }
}
