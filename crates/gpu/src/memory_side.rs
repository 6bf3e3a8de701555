//! The memory partitions of the chip, and what is on the way between them and the SMs.

use crate::exchange::{Cluster, ClusterSms, clusters_of};
use crate::inspect::ShownSets;
use crate::next_events::NextEvents;
use crate::parallel;
use crate::partition_port::{Member, PartitionPort, Twins};
use crate::running::Running;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_memory::{AddressMap, CrossbarSpec, PartitionSpec, PartitionView};
use warplab_trace::{CrossbarCounters, PartitionCounters};
use warplab_units::{Address, Cycle, PartitionId, TypedId};

/// The immutable description of the memory side.
#[derive(Clone, Debug)]
pub(crate) struct MemorySpec {
    pub(crate) partition: PartitionSpec,
    pub(crate) crossbar: CrossbarSpec,
    pub(crate) map: AddressMap,
    pub(crate) partitions: usize,
    /// The shortest time that a message takes between an SM and a partition, in cycles.
    pub(crate) way: u64,
    /// The time that a message takes between the halves of L2; no end where it has none.
    pub(crate) link: u64,
    /// How much longer than `way` an epoch can be in which partitions advance behind SMs.
    pub(crate) lead: u64,
}

impl MemorySpec {
    pub(crate) fn new(config: &GpuConfig) -> MemorySpec {
        let way = u64::from(config.crossbar.latency);
        let link = if config.l2.halves == 2 { u64::from(config.l2.link_latency) } else { u64::MAX };
        // A place that is free again gets its next block in a later epoch.
        let turnaround = u64::from(config.launch.block_end) + u64::from(config.launch.block_start);
        let longest = turnaround.min(2 * way);
        // Partitions that speak with each other advance a message's time after the other: none is left for a few cycles.
        let epoch = if link < longest { longest - longest % link } else { longest };
        MemorySpec {
            partition: PartitionSpec::new(config),
            crossbar: CrossbarSpec::new(config),
            map: AddressMap::new(config),
            partitions: config.partitions(),
            way,
            link,
            lead: epoch.saturating_sub(way),
        }
    }
}

/// Handing over what so many units have sent is as much work as one of them advancing.
const UNITS_PER_CLUSTER: usize = 8;

/// With fewer twins a thread some threads would have nothing to do while others still have work: then every partition is work of
/// its own.
const TWINS_PER_THREAD: usize = 8;

/// All partitions and the crossbar: what stays warm from one launch to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemorySide {
    partitions: Vec<PartitionPort>,
    clusters: Vec<Cluster>,
    /// The next event of each partition, known after every epoch: the first arrival of a request, too.
    next: NextEvents,
    /// The partitions that have just acted, ascending: those of the first half, for whose twins it holds as well.
    #[serde(skip)]
    acting: Vec<usize>,
    /// The cycle up to which the partitions have advanced.
    pub(crate) reached: Cycle,
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
            reached: Cycle(0),
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

    /// The next cycle in which a partition does something, a request arrives or a reply leaves.
    pub(crate) fn next_event(&self) -> Cycle {
        let replies = self.clusters.iter().map(Cluster::next_reply).min();
        self.next.first().min(replies.unwrap_or(Cycle::NEVER))
    }

    /// The next cycle in which a request leaves that an SM has sent.
    pub(crate) fn next_request(&self) -> Cycle {
        self.clusters.iter().map(Cluster::next_request).min().unwrap_or(Cycle::NEVER)
    }

    /// What a partition holds at the end of a cycle of the epoch that comes next.
    pub(crate) fn inspect(
        &self,
        spec: &MemorySpec,
        partition: PartitionId,
        at: Cycle,
        sets: ShownSets,
    ) -> Option<PartitionView> {
        let copy = |partition: PartitionId| {
            let port = self.partitions.get(partition.index())?.clone();
            Some((port, self.next.of(partition.index())))
        };
        let (mut port, mut next) = copy(partition)?;
        let mut other = spec.map.twin(partition).and_then(copy);
        let one = Member { port: &mut port, next: &mut next };
        let other = other.as_mut().map(|(port, next)| Member { port, next });
        Twins { one, other }.advance(at + 1, spec);
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

    /// The requests of SMs that leave before `end` pass the ports, each cluster alone, and are on their way to partitions.
    pub(crate) fn take_requests(&mut self, running: &mut Running, spec: &MemorySpec, end: Cycle) {
        let busy = running.acting.len();
        self.for_each_cluster(running, spec, busy, |cluster, sms| cluster.send(sms, end, spec));
        let MemorySide { partitions, clusters, next, .. } = self;
        for cluster in clusters {
            for (partition, request) in &cluster.passed {
                next.no_later(partition.index(), request.at);
                partitions[partition.index()].take_request(*request);
            }
            cluster.passed.clear();
        }
    }

    /// The partitions advance to `end`. All requests must be known that arrive until then.
    pub(crate) fn advance(&mut self, spec: &MemorySpec, end: Cycle) {
        let MemorySide { partitions, next, acting, reached, .. } = self;
        let twins = twins(partitions, next, spec);
        let mut due: Vec<(usize, Twins<'_>)> =
            twins.enumerate().filter(|(_, twins)| twins.next() < end).collect();
        acting.clear();
        acting.extend(due.iter().map(|(number, _)| *number));
        let advance = |(_, twins): &mut (usize, Twins<'_>)| twins.advance(end, spec);
        if !parallel::is_worth_it(due.len()) {
            due.iter_mut().for_each(advance);
        } else if due.len() >= TWINS_PER_THREAD * parallel::threads() {
            parallel::for_each(&mut due, advance);
        } else {
            advance_one_by_one(&mut due, end, spec);
        }
        *reached = end.max(*reached);
    }

    /// What partitions have sent and leaves before `end` passes the ports, each cluster alone, and is on its way to SMs.
    /// The last arrival of a reply.
    pub(crate) fn give_replies(&mut self, running: &mut Running, spec: &MemorySpec, end: Cycle) -> Cycle {
        let MemorySide { partitions, clusters, acting, .. } = self;
        let both = acting.iter().flat_map(|&number| {
            let one = PartitionId::from_index(number);
            std::iter::once(one).chain(spec.map.twin(one))
        });
        for partition in both {
            let port = &mut partitions[partition.index()];
            for reply in port.sent.replies.drain(..) {
                clusters[spec.crossbar.cluster(reply.sm)].take_reply(reply);
            }
            for credit in port.sent.credits.drain(..) {
                clusters[spec.crossbar.cluster(credit.sm)].take_credit(credit);
            }
        }
        let halves = if spec.map.twin(PartitionId(0)).is_some() { 2 } else { 1 };
        let busy = halves * acting.len();
        self.for_each_cluster(running, spec, busy, |cluster, sms| {
            cluster.receive(sms, end, spec);
            cluster.receive_credits(sms, spec);
        });
        self.clusters.iter().map(|cluster| cluster.last_reply).max().unwrap_or_default()
    }

    /// Each cluster with its SMs, of which so many units have something for the others.
    fn for_each_cluster(
        &mut self,
        running: &mut Running,
        spec: &MemorySpec,
        busy: usize,
        act: impl Fn(&mut Cluster, &mut ClusterSms<'_>) + Sync + Send,
    ) {
        let of_clusters = clusters_of(running, spec.crossbar.clusters());
        let mut each: Vec<(&mut Cluster, ClusterSms<'_>)> =
            self.clusters.iter_mut().zip(of_clusters).collect();
        let act = |(cluster, sms): &mut (&mut Cluster, ClusterSms<'_>)| act(cluster, sms);
        if parallel::is_worth_it(busy / UNITS_PER_CLUSTER) {
            parallel::for_each(&mut each, act);
        } else {
            each.iter_mut().for_each(act);
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

/// The partitions by twos where L2 has two halves, else one by one.
fn twins<'a>(
    partitions: &'a mut [PartitionPort],
    next: &'a mut NextEvents,
    spec: &MemorySpec,
) -> impl Iterator<Item = Twins<'a>> {
    let halves = spec.map.twin(PartitionId(0)).map(TypedId::index);
    let (one, other) = partitions.split_at_mut(halves.unwrap_or(spec.partitions));
    let (next_one, next_other) = next.as_mut_slice().split_at_mut(one.len());
    let members = |(port, next)| Member { port, next };
    let mut others = other.iter_mut().zip(next_other).map(members);
    one.iter_mut().zip(next_one).map(move |one| Twins { one: members(one), other: others.next() })
}

/// The same as each of them alone to `end`, on more threads: all partitions advance as far as no message of another can come.
fn advance_one_by_one(due: &mut [(usize, Twins<'_>)], end: Cycle, spec: &MemorySpec) {
    loop {
        let first = due.iter().map(|(_, twins)| twins.next()).min().unwrap_or(Cycle::NEVER);
        if first >= end {
            return;
        }
        let until = end.min(first + spec.link);
        let both = due.iter_mut().flat_map(|(_, twins)| twins.members());
        let mut members: Vec<&mut Member<'_>> = both.filter(|member| *member.next < until).collect();
        parallel::for_each(&mut members, |member| member.advance(until, spec));
        due.iter_mut().for_each(|(_, twins)| twins.exchange());
    }
}
