//! The memory partitions of the chip, and what is on the way between them and the SMs.

use crate::exchange::Cluster;
use crate::parallel;
use crate::running::SmPort;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_memory::{AddressMap, CrossbarSpec, Partition, PartitionSpec, Reply, Request};
use warplab_trace::{CrossbarCounters, PartitionCounters};
use warplab_units::{Cycle, PartitionId, TypedId};

/// The immutable description of the memory side.
#[derive(Clone, Debug)]
pub(crate) struct MemorySpec {
    pub(crate) partition: PartitionSpec,
    pub(crate) crossbar: CrossbarSpec,
    pub(crate) map: AddressMap,
    pub(crate) partitions: usize,
}

impl MemorySpec {
    pub(crate) fn new(config: &GpuConfig) -> MemorySpec {
        MemorySpec {
            partition: PartitionSpec::new(config),
            crossbar: CrossbarSpec::new(config),
            map: AddressMap::new(config),
            partitions: config.partitions(),
        }
    }
}

/// A partition with what comes to it and what it has sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartitionPort {
    id: PartitionId,
    partition: Partition,
    /// Known after every epoch.
    next: Cycle,
    /// Requests that arrive after the present epoch, in order of arrival and of SMs.
    coming: Vec<Request>,
    /// What was sent to each cluster in this epoch.
    replies: Vec<Vec<Reply>>,
    has_replied: bool,
    #[serde(skip)]
    sent: Vec<Reply>,
}

impl PartitionPort {
    fn new(spec: &MemorySpec, id: PartitionId) -> PartitionPort {
        PartitionPort {
            id,
            partition: Partition::new(&spec.partition, id),
            next: Cycle::NEVER,
            coming: Vec::new(),
            replies: vec![Vec::new(); spec.crossbar.clusters()],
            has_replied: false,
            sent: Vec::new(),
        }
    }

    /// What was sent to a cluster in this epoch.
    pub(crate) fn replies(&self, cluster: usize) -> &[Reply] {
        &self.replies[cluster]
    }

    /// The replies of the last epoch have been taken.
    pub(crate) fn forget_replies(&mut self) {
        if std::mem::take(&mut self.has_replied) {
            self.replies.iter_mut().for_each(Vec::clear);
        }
    }

    /// Whether requests have left the clusters for it or there is something to do before `end`.
    pub(crate) fn is_busy(&self, end: Cycle, clusters: &[Cluster]) -> bool {
        let has_for_it = |cluster: &Cluster| !cluster.requests(self.id.index()).is_empty();
        self.next < end || clusters.iter().filter(|cluster| cluster.has_requests()).any(has_for_it)
    }

    /// Takes the requests that have left the clusters, and advances to `end`, alone.
    pub(crate) fn advance(&mut self, end: Cycle, clusters: &[Cluster], spec: &MemorySpec) {
        self.take_requests(clusters);
        if self.next >= end {
            return;
        }
        let due = self.coming.partition_point(|request| request.at < end);
        for request in self.coming.drain(..due) {
            self.partition.push(&spec.partition, request);
        }
        self.partition.advance(&spec.partition, end, &mut self.sent);
        self.has_replied = !self.sent.is_empty();
        for reply in self.sent.drain(..) {
            self.replies[spec.crossbar.cluster(reply.sm)].push(reply);
        }
        self.next = self.partition.next_event().unwrap_or(Cycle::NEVER).min(self.first_coming());
    }

    fn take_requests(&mut self, clusters: &[Cluster]) {
        let before = self.coming.len();
        clusters.iter().for_each(|cluster| self.coming.extend_from_slice(cluster.requests(self.id.index())));
        if self.coming.len() > before {
            self.coming.sort_by_key(|request| (request.at, request.sm));
            self.next = self.next.min(self.first_coming());
        }
    }

    fn first_coming(&self) -> Cycle {
        self.coming.first().map_or(Cycle::NEVER, |request| request.at)
    }
}

/// Handing over what so many units have sent is as much work as one of them advancing.
const UNITS_PER_CLUSTER: usize = 8;

/// A cluster that hands over messages, with its SMs.
struct ClusterWork<'a> {
    number: usize,
    cluster: &'a mut Cluster,
    sms: &'a mut [Option<SmPort>],
}

/// All partitions and the crossbar: what stays warm from one launch to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemorySide {
    pub(crate) partitions: Vec<PartitionPort>,
    pub(crate) clusters: Vec<Cluster>,
}

impl MemorySide {
    /// An idle memory side with cold caches.
    pub(crate) fn new(spec: &MemorySpec) -> MemorySide {
        let ids = (0..spec.partitions).map(PartitionId::from_index);
        MemorySide {
            partitions: ids.map(|id| PartitionPort::new(spec, id)).collect(),
            clusters: (0..spec.crossbar.clusters()).map(|_| Cluster::new(spec)).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// The next cycle in which a partition does something or a request arrives.
    pub(crate) fn next_event(&self) -> Cycle {
        let partitions = self.partitions.iter().map(|port| port.next);
        let clusters = self.clusters.iter().map(|cluster| cluster.next_arrival);
        partitions.chain(clusters).min().unwrap_or(Cycle::NEVER)
    }

    /// Lines that L2 holds at most.
    pub(crate) fn l2_capacity(&self) -> u64 {
        self.partitions.iter().map(|port| port.partition.l2_capacity()).sum()
    }

    /// Lines that L2 holds now.
    pub(crate) fn l2_lines(&self) -> u64 {
        self.partitions.iter().map(|port| port.partition.l2_lines()).sum()
    }

    /// Bytes that DRAM has read and written since the counters were last taken.
    pub(crate) fn dram_bytes(&self) -> u64 {
        self.partitions.iter().map(|port| port.partition.dram_bytes()).sum()
    }

    /// Whether no request is on the way.
    pub(crate) fn is_quiet(&self) -> bool {
        self.partitions.iter().all(|port| port.coming.is_empty())
            && !self.clusters.iter().any(Cluster::has_requests)
    }

    /// Hands over what SMs and partitions have sent in this epoch, each cluster alone. The last arrival of a reply.
    /// `busy` units had something to do.
    pub(crate) fn exchange(&mut self, sms: &mut [Option<SmPort>], spec: &MemorySpec, busy: usize) -> Cycle {
        let MemorySide { partitions, clusters } = self;
        let of_clusters = sms.chunks_mut(spec.crossbar.sms_per_cluster());
        let each = clusters.iter_mut().zip(of_clusters).enumerate();
        let mut each: Vec<ClusterWork<'_>> =
            each.map(|(number, (cluster, sms))| ClusterWork { number, cluster, sms }).collect();
        let exchange =
            |work: &mut ClusterWork<'_>| work.cluster.exchange(work.number, work.sms, partitions, spec);
        if parallel::is_worth_it(busy / UNITS_PER_CLUSTER) {
            parallel::for_each(&mut each, exchange);
        } else {
            each.iter_mut().for_each(exchange);
        }
        clusters.iter().map(|cluster| cluster.last_reply).max().unwrap_or_default()
    }

    /// What has been counted since the counters were last taken.
    pub(crate) fn counters(&self) -> (CrossbarCounters, PartitionCounters) {
        let (mut crossbar, mut partitions) = (CrossbarCounters::default(), PartitionCounters::default());
        self.clusters.iter().for_each(|cluster| crossbar += cluster.ports.counters());
        self.partitions.iter().for_each(|port| partitions += &port.partition.counters());
        (crossbar, partitions)
    }

    /// What has been counted; counting starts anew.
    pub(crate) fn take_counters(&mut self) -> (CrossbarCounters, PartitionCounters) {
        let (mut crossbar, mut partitions) = (CrossbarCounters::default(), PartitionCounters::default());
        self.clusters.iter_mut().for_each(|cluster| crossbar += &cluster.ports.take_counters());
        self.partitions.iter_mut().for_each(|port| partitions += &port.partition.take_counters());
        (crossbar, partitions)
    }
}
