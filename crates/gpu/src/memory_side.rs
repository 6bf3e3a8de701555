//! The memory partitions of the chip, and what is on the way between them and the SMs.

use crate::exchange::{Cluster, ClusterSms, clusters_of};
use crate::inspect::ShownSets;
use crate::next_events::{NextEvents, chosen};
use crate::order::{Sorter, Stream, Timed};
use crate::parallel;
use crate::running::Running;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_memory::{
    AddressMap, CrossbarSpec, HalfContent, HalfMessage, Partition, PartitionOutput, PartitionSpec,
    PartitionView, Request,
};
use warplab_trace::{CrossbarCounters, PartitionCounters};
use warplab_units::{Address, Cycle, PartitionId, TypedId};

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
    partition: Partition,
    /// Requests that arrive after the last epoch, as they were sent.
    coming: Vec<Request>,
    /// Messages of the other half that arrive after the last epoch: its requests, and data and invalidations. Those of one
    /// kind mostly come in order.
    far_requests: Stream<HalfMessage>,
    far_data: Stream<HalfMessage>,
    #[serde(skip)]
    sent: PartitionOutput,
    #[serde(skip)]
    sorter: Sorter,
}

impl PartitionPort {
    fn new(spec: &MemorySpec, id: PartitionId) -> PartitionPort {
        PartitionPort {
            partition: Partition::new(&spec.partition, id),
            coming: Vec::new(),
            far_requests: Stream::default(),
            far_data: Stream::default(),
            sent: PartitionOutput::default(),
            sorter: Sorter::default(),
        }
    }

    /// Whether nothing is on its way here.
    fn is_quiet(&self) -> bool {
        self.coming.is_empty() && self.far_requests.is_empty() && self.far_data.is_empty()
    }

    /// A request is on its way here.
    fn take_request(&mut self, request: Request) {
        self.coming.push(request);
    }

    /// A message of the partition of the same number in the other half is on its way here.
    fn take_message(&mut self, message: HalfMessage) {
        match message.content {
            HalfContent::Request(_) => self.far_requests.push(message),
            HalfContent::Data(..) | HalfContent::Invalidate(_) => self.far_data.push(message),
        }
    }

    /// Advances to `end`, alone; gives the next event after it.
    pub(crate) fn advance(&mut self, end: Cycle, spec: &MemorySpec) -> Cycle {
        let partition = &mut self.partition;
        let take = |request| partition.push(&spec.partition, request);
        let (of_sms, next_request) = self.sorter.take_before(&mut self.coming, end, take);
        let mut take = |message| partition.push_message(&spec.partition, message);
        let (far_requests, next_far_request) = self.far_requests.take_before(end, &mut take);
        let (_, next_far_data) = self.far_data.take_before(end, take);
        let next_message = next_far_request.min(next_far_data);
        partition.fetch_for(&spec.partition, end, [of_sms, far_requests]);
        self.partition.advance(&spec.partition, end, &mut self.sent);
        self.partition.next_event().unwrap_or(Cycle::NEVER).min(next_request).min(next_message)
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
            clusters: spec.crossbar.clusters().iter().map(|sms| Cluster::new(sms.len())).collect(),
            next: NextEvents::never(spec.partitions),
            acting: Vec::new(),
        }
    }

    /// Lines that somebody else wrote are in L2 from before.
    pub(crate) fn leave_dirty(&mut self, spec: &MemorySpec, lines: impl Iterator<Item = Address>) {
        for line in lines {
            let home = spec.map.home_partition(line);
            self.partitions[home.index()].partition.leave_dirty(&spec.partition, line);
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

    /// The partitions that do something before `end`, each with its next event.
    pub(crate) fn begin_epoch(&mut self, end: Cycle) -> Vec<(&mut PartitionPort, &mut Cycle)> {
        let MemorySide { partitions, next, acting, .. } = self;
        acting.clear();
        acting.extend(next.due(end));
        chosen(partitions, acting).zip(chosen(next.as_mut_slice(), acting)).collect()
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
        port.advance(at + 1, spec);
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
        self.partitions.iter().all(PartitionPort::is_quiet)
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
        self.hand_over_replies(spec);
        let MemorySide { clusters, .. } = self;
        let of_clusters = clusters_of(running, spec.crossbar.clusters());
        let mut each: Vec<(&mut Cluster, ClusterSms<'_>)> = clusters.iter_mut().zip(of_clusters).collect();
        let exchange = |(cluster, sms): &mut (&mut Cluster, ClusterSms<'_>)| {
            cluster.send(sms, end, spec);
            cluster.receive(sms, end, spec);
            cluster.receive_credits(sms, spec);
        };
        if parallel::is_worth_it(busy / UNITS_PER_CLUSTER) {
            parallel::for_each(&mut each, exchange);
        } else {
            each.iter_mut().for_each(exchange);
        }
        self.hand_over_messages(spec);
        self.hand_over_requests();
        self.clusters.iter().map(|cluster| cluster.last_reply).max().unwrap_or_default()
    }

    /// What partitions have sent in this epoch goes to the clusters.
    fn hand_over_replies(&mut self, spec: &MemorySpec) {
        let MemorySide { partitions, clusters, acting, .. } = self;
        for port in chosen(partitions, acting) {
            for reply in &port.sent.replies {
                clusters[spec.crossbar.cluster(reply.sm)].take_reply(*reply);
            }
            for credit in &port.sent.credits {
                clusters[spec.crossbar.cluster(credit.sm)].take_credit(*credit);
            }
            port.sent.replies.clear();
            port.sent.credits.clear();
        }
    }

    /// What partitions have sent to the other half in this epoch is on its way there.
    fn hand_over_messages(&mut self, spec: &MemorySpec) {
        let MemorySide { partitions, next, acting, .. } = self;
        for &partition in acting.iter() {
            let Some(twin) = spec.map.twin(PartitionId::from_index(partition)) else { break };
            let mut messages = std::mem::take(&mut partitions[partition].sent.to_other_half);
            for message in messages.drain(..) {
                next.no_later(twin.index(), message.at);
                partitions[twin.index()].take_message(message);
            }
            partitions[partition].sent.to_other_half = messages;
        }
    }

    /// The requests that have passed the ports are on their way to the partitions.
    fn hand_over_requests(&mut self) {
        let MemorySide { partitions, clusters, next, .. } = self;
        for cluster in clusters {
            for (partition, request) in &cluster.passed {
                next.no_later(partition.index(), request.at);
                partitions[partition.index()].take_request(*request);
            }
            cluster.passed.clear();
        }
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
