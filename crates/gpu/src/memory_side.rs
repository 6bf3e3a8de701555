//! The memory partitions of the chip, and what is on the way between them and the SMs.

use crate::exchange::Exchange;
use crate::parallel;
use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_memory::{AddressMap, CrossbarSpec, Partition, PartitionSpec, Reply, Request};
use warplab_trace::{CrossbarCounters, PartitionCounters};
use warplab_units::{Cycle, PartitionId, SmId, TypedId};

/// The immutable description of the memory side.
#[derive(Clone, Debug)]
pub(crate) struct MemorySpec {
    pub(crate) partition: PartitionSpec,
    pub(crate) crossbar: CrossbarSpec,
    pub(crate) map: AddressMap,
    partitions: usize,
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

/// A partition with its next event and the replies of the current epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PartitionPort {
    partition: Partition,
    /// Known after every epoch and every message.
    next: Cycle,
    replies: Vec<Reply>,
}

impl PartitionPort {
    fn new(spec: &MemorySpec, id: PartitionId) -> PartitionPort {
        let partition = Partition::new(&spec.partition, id);
        PartitionPort { partition, next: Cycle::NEVER, replies: Vec::new() }
    }

    fn advance(&mut self, end: Cycle, spec: &PartitionSpec) {
        self.partition.advance(spec, end, &mut self.replies);
        self.next = self.partition.next_event().unwrap_or(Cycle::NEVER);
    }

    fn push(&mut self, request: Request, spec: &PartitionSpec) {
        self.next = self.next.min(request.at);
        self.partition.push(spec, request);
    }
}

/// All partitions and the crossbar: what stays warm from one launch to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemorySide {
    partitions: Vec<PartitionPort>,
    exchange: Exchange,
}

impl MemorySide {
    /// An idle memory side with cold caches.
    pub(crate) fn new(spec: &MemorySpec) -> MemorySide {
        let ids = (0..spec.partitions).map(PartitionId::from_index);
        MemorySide {
            partitions: ids.map(|id| PartitionPort::new(spec, id)).collect(),
            exchange: Exchange::new(&spec.crossbar),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// The next cycle in which a partition does something or a message arrives.
    pub(crate) fn next_event(&self) -> Cycle {
        let partitions = self.partitions.iter().map(|port| port.next);
        partitions.chain([self.exchange.next_arrival()]).min().unwrap_or(Cycle::NEVER)
    }

    /// Whether no message is on the way.
    pub(crate) fn is_quiet(&self) -> bool {
        self.exchange.is_idle()
    }

    /// All partitions, each alone, up to `end`.
    pub(crate) fn advance(&mut self, end: Cycle, spec: &MemorySpec) {
        let mut busy: Vec<&mut PartitionPort> =
            self.partitions.iter_mut().filter(|port| port.next < end).collect();
        parallel::for_each(&mut busy, |port| port.advance(end, &spec.partition));
    }

    /// Takes the requests that left SMs in this epoch (in order of SMs, each one's own in order) and hands over those
    /// that arrive before `until`.
    pub(crate) fn requests(&mut self, sent: Vec<Request>, until: Cycle, spec: &MemorySpec) {
        let partitions = &mut self.partitions;
        self.exchange.requests(spec, sent, until, |partition, request| {
            partitions[partition.index()].push(request, &spec.partition);
        });
    }

    /// Takes the replies that left partitions in this epoch and delivers those that arrive before `until`.
    pub(crate) fn replies(&mut self, until: Cycle, spec: &MemorySpec, deliver: impl FnMut(SmId, Reply)) {
        let mut sent = Vec::new();
        for port in &mut self.partitions {
            sent.append(&mut port.replies);
        }
        self.exchange.replies(spec, sent, until, deliver);
    }

    /// What has been counted since the counters were last taken.
    pub(crate) fn counters(&self) -> (CrossbarCounters, PartitionCounters) {
        let mut all = PartitionCounters::default();
        self.partitions.iter().for_each(|port| all += &port.partition.counters());
        (self.exchange.counters().clone(), all)
    }

    /// What has been counted; counting starts anew.
    pub(crate) fn take_counters(&mut self) -> (CrossbarCounters, PartitionCounters) {
        let mut all = PartitionCounters::default();
        self.partitions.iter_mut().for_each(|port| all += &port.partition.take_counters());
        (self.exchange.take_counters(), all)
    }
}
