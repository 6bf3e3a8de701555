//! The memory partitions of the chip, and what is on the way between them and the SMs.

use crate::exchange::{Cluster, ClusterSms, clusters_of};
use crate::inspect::ShownSets;
use crate::next_events::{NextEvents, chosen};
use crate::order::{Sorter, Timed};
use crate::parallel;
use crate::running::Running;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_memory::{
    AddressMap, CrossbarSpec, HalfMessage, Partition, PartitionOutput, PartitionSpec, PartitionView, Reply,
    Request,
};
use warplab_trace::{CrossbarCounters, PartitionCounters};
use warplab_units::{Cycle, PartitionId, TypedId};

/// The immutable description of the memory side.
#[derive(Clone, Debug)]
pub(crate) struct MemorySpec {
    pub(crate) partition: PartitionSpec,
    pub(crate) crossbar: CrossbarSpec,
    pub(crate) map: AddressMap,
    pub(crate) partitions: usize,
    /// Cycles of an epoch: the shortest time that a message takes.
    pub(crate) epoch: u64,
}

impl MemorySpec {
    pub(crate) fn new(config: &GpuConfig) -> MemorySpec {
        MemorySpec {
            partition: PartitionSpec::new(config),
            crossbar: CrossbarSpec::new(config),
            map: AddressMap::new(config),
            partitions: config.partitions(),
            epoch: match config.l2.halves {
                2 => u64::from(config.crossbar.latency.min(config.l2.link_latency)),
                _ => u64::from(config.crossbar.latency),
            },
        }
    }
}

/// Messages of one moment stay in the order in which they were sent.
impl Timed for HalfMessage {
    fn at(&self) -> Cycle {
        self.at
    }

    fn rank(&self) -> u64 {
        0
    }
}

/// A partition with what comes to it and what it has sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartitionPort {
    id: PartitionId,
    partition: Partition,
    /// Requests that arrive after the present epoch, in order of arrival and of SMs.
    coming: Vec<Request>,
    /// Messages of the other half that arrive after the present epoch, in order of arrival.
    messages: Vec<HalfMessage>,
    /// What was sent to each cluster in this epoch.
    replies: Vec<Vec<Reply>>,
    #[serde(skip)]
    sent: PartitionOutput,
    #[serde(skip)]
    sorters: (Sorter<Request>, Sorter<HalfMessage>),
}

impl PartitionPort {
    fn new(spec: &MemorySpec, id: PartitionId) -> PartitionPort {
        PartitionPort {
            id,
            partition: Partition::new(&spec.partition, id),
            coming: Vec::new(),
            messages: Vec::new(),
            replies: vec![Vec::new(); spec.crossbar.clusters()],
            sent: PartitionOutput::default(),
            sorters: Default::default(),
        }
    }

    /// What was sent to a cluster in this epoch.
    pub(crate) fn replies(&self, cluster: usize) -> &[Reply] {
        &self.replies[cluster]
    }

    /// The replies of the last epoch have been taken.
    fn forget_replies(&mut self) {
        self.replies.iter_mut().for_each(Vec::clear);
    }

    /// Takes the requests that have left the clusters, and advances to `end`, alone. `next` is its next event until then;
    /// gives the one after.
    pub(crate) fn advance(
        &mut self,
        next: Cycle,
        end: Cycle,
        clusters: &[Cluster],
        spec: &MemorySpec,
    ) -> Cycle {
        self.take_requests(clusters);
        let next = next.min(self.first_coming());
        if next >= end {
            return next;
        }
        let due = self.coming.partition_point(|request| request.at < end);
        for request in self.coming.drain(..due) {
            self.partition.push(&spec.partition, request);
        }
        let due = self.messages.partition_point(|message| message.at < end);
        for message in self.messages.drain(..due) {
            self.partition.push_message(&spec.partition, message);
        }
        self.partition.advance(&spec.partition, end, &mut self.sent);
        for reply in self.sent.replies.drain(..) {
            self.replies[spec.crossbar.cluster(reply.sm)].push(reply);
        }
        self.partition.next_event().unwrap_or(Cycle::NEVER).min(self.first_coming())
    }

    fn take_requests(&mut self, clusters: &[Cluster]) {
        let before = self.coming.len();
        clusters.iter().for_each(|cluster| self.coming.extend_from_slice(cluster.requests(self.id.index())));
        if self.coming.len() > before {
            self.sorters.0.sort(&mut self.coming);
        }
    }

    /// Takes what the partition of the same number in the other half has sent.
    fn take_messages(&mut self, messages: &mut Vec<HalfMessage>) {
        self.messages.append(messages);
        self.sorters.1.sort(&mut self.messages);
    }

    fn first_coming(&self) -> Cycle {
        let request = self.coming.first().map_or(Cycle::NEVER, |request| request.at);
        request.min(self.messages.first().map_or(Cycle::NEVER, |message| message.at))
    }
}

/// Handing over what so many units have sent is as much work as one of them advancing.
const UNITS_PER_CLUSTER: usize = 8;

/// All partitions and the crossbar: what stays warm from one launch to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemorySide {
    partitions: Vec<PartitionPort>,
    clusters: Vec<Cluster>,
    /// The next event of each partition, known after every epoch: the first arrival of a request, too.
    next: NextEvents,
    /// Whether requests have left the clusters for a partition, which takes them in the next epoch.
    called: Vec<bool>,
    /// The partitions that act in the present epoch, ascending.
    #[serde(skip)]
    acting: Vec<usize>,
}

impl MemorySide {
    /// An idle memory side with cold caches.
    pub(crate) fn new(spec: &MemorySpec) -> MemorySide {
        let ids = (0..spec.partitions).map(PartitionId::from_index);
        MemorySide {
            partitions: ids.map(|id| PartitionPort::new(spec, id)).collect(),
            clusters: (0..spec.crossbar.clusters()).map(|_| Cluster::new(spec)).collect(),
            next: NextEvents::never(spec.partitions),
            called: vec![false; spec.partitions],
            acting: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// The next cycle in which a partition does something, a request arrives or a message leaves.
    pub(crate) fn next_event(&self) -> Cycle {
        let held = self.clusters.iter().map(Cluster::next_departure).min();
        self.next.first().min(held.unwrap_or(Cycle::NEVER))
    }

    /// The partitions that do something before `end` or have requests to take, each with its next event; and the clusters
    /// that they take them from.
    pub(crate) fn begin_epoch(&mut self, end: Cycle) -> (Vec<(&mut PartitionPort, &mut Cycle)>, &[Cluster]) {
        let MemorySide { partitions, clusters, next, called, acting } = self;
        let next = next.as_mut_slice();
        let each = next.iter().zip(called.iter()).enumerate();
        acting.clear();
        acting.extend(
            each.filter(|(_, (next, called))| **next < end || **called).map(|(partition, _)| partition),
        );
        acting.iter().for_each(|&partition| called[partition] = false);
        (chosen(partitions, acting).zip(chosen(next, acting)).collect(), clusters)
    }

    /// What a partition holds at the end of a cycle of the epoch that comes next.
    pub(crate) fn inspect(
        &self,
        spec: &MemorySpec,
        partition: PartitionId,
        at: Cycle,
        sets: ShownSets,
    ) -> Option<PartitionView> {
        let mut port = self.partitions.get(partition.index())?.clone();
        let clusters = if self.called[partition.index()] { &self.clusters[..] } else { &[] };
        port.advance(self.next.of(partition.index()), at + 1, clusters, spec);
        Some(port.partition.inspect(at, sets.first, sets.most))
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
        self.partitions.iter().all(|port| port.coming.is_empty() && port.messages.is_empty())
            && !self.called.contains(&true)
            && self.clusters.iter().all(Cluster::holds_nothing)
    }

    /// Hands over what SMs and partitions have sent in this epoch, each cluster alone. The last arrival of a reply.
    /// `busy` units had something to do.
    pub(crate) fn exchange(
        &mut self,
        running: &mut Running,
        spec: &MemorySpec,
        end: Cycle,
        busy: usize,
    ) -> Cycle {
        let MemorySide { partitions, clusters, acting, .. } = self;
        let of_clusters = clusters_of(running, spec.crossbar.sms_per_cluster());
        let mut each: Vec<(&mut Cluster, ClusterSms<'_>)> = clusters.iter_mut().zip(of_clusters).collect();
        let exchange = |(cluster, sms): &mut (&mut Cluster, ClusterSms<'_>)| {
            cluster.send(sms, end, spec);
            cluster.receive(sms, acting.iter().map(|&partition| &partitions[partition]), end, spec);
        };
        if parallel::is_worth_it(busy / UNITS_PER_CLUSTER) {
            parallel::for_each(&mut each, exchange);
        } else {
            each.iter_mut().for_each(exchange);
        }
        self.end_epoch(spec)
    }

    /// Partitions know what comes to them, and their replies are gone. The last arrival of a reply.
    fn end_epoch(&mut self, spec: &MemorySpec) -> Cycle {
        let MemorySide { partitions, clusters, next, called, acting } = self;
        chosen(partitions, acting).for_each(PartitionPort::forget_replies);
        for &partition in acting.iter() {
            let Some(twin) = spec.map.twin(PartitionId::from_index(partition)) else { break };
            if partitions[partition].sent.to_other_half.is_empty() {
                continue;
            }
            let mut messages = std::mem::take(&mut partitions[partition].sent.to_other_half);
            let port = &mut partitions[twin.index()];
            port.take_messages(&mut messages);
            next.no_later(twin.index(), port.first_coming());
            partitions[partition].sent.to_other_half = messages;
        }
        for cluster in clusters.iter() {
            for (partition, first) in cluster.arrivals() {
                called[partition] = true;
                next.no_later(partition, first);
            }
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
