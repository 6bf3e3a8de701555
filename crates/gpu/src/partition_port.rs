//! A memory partition with what comes to it and what it has sent. The two of one number in the halves of L2 speak with each
//! other, over a link that is shorter than an epoch: they advance together, a message's time after the other.

use crate::memory_side::MemorySpec;
use crate::order::{Sorter, Stream, Timed};
use serde::{Deserialize, Serialize};
use warplab_memory::{HalfContent, HalfMessage, Partition, PartitionOutput, Request};
use warplab_units::{Cycle, PartitionId};

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
    pub(crate) partition: Partition,
    /// Requests that arrive after the last epoch, as they were sent.
    coming: Vec<Request>,
    /// Messages of the other half that arrive after the last epoch: its requests, and data and invalidations. Those of one
    /// kind mostly come in order.
    far_requests: Stream<HalfMessage>,
    far_data: Stream<HalfMessage>,
    #[serde(skip)]
    pub(crate) sent: PartitionOutput,
    #[serde(skip)]
    sorter: Sorter,
}

impl PartitionPort {
    pub(crate) fn new(spec: &MemorySpec, id: PartitionId) -> PartitionPort {
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
    pub(crate) fn is_quiet(&self) -> bool {
        self.coming.is_empty() && self.far_requests.is_empty() && self.far_data.is_empty()
    }

    /// A request is on its way here.
    pub(crate) fn take_request(&mut self, request: Request) {
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

/// A partition with its next event.
pub(crate) struct Member<'a> {
    pub(crate) port: &'a mut PartitionPort,
    pub(crate) next: &'a mut Cycle,
}

impl Member<'_> {
    /// Advances alone if there is anything to do before `end`.
    pub(crate) fn advance(&mut self, end: Cycle, spec: &MemorySpec) {
        if *self.next < end {
            *self.next = self.port.advance(end, spec);
        }
    }

    /// What it has sent to the other half is on its way there.
    fn hand_over(&mut self, other: &mut Member<'_>) {
        for message in self.port.sent.to_other_half.drain(..) {
            *other.next = message.at.min(*other.next);
            other.port.take_message(message);
        }
    }
}

/// The partitions that speak with nobody but each other and the SMs: one, or one of each half of L2.
pub(crate) struct Twins<'a> {
    pub(crate) one: Member<'a>,
    pub(crate) other: Option<Member<'a>>,
}

impl<'a> Twins<'a> {
    /// One and the other.
    pub(crate) fn members(&mut self) -> impl Iterator<Item = &mut Member<'a>> {
        std::iter::once(&mut self.one).chain(self.other.as_mut())
    }

    /// What they have sent to each other is on its way.
    pub(crate) fn exchange(&mut self) {
        if let Some(other) = &mut self.other {
            self.one.hand_over(other);
            other.hand_over(&mut self.one);
        }
    }

    /// When the first of them does something.
    pub(crate) fn next(&self) -> Cycle {
        let other = self.other.as_ref().map_or(Cycle::NEVER, |other| *other.next);
        other.min(*self.one.next)
    }

    /// Both advance to `end`: as far as a message of one cannot come to the other yet, then on.
    pub(crate) fn advance(&mut self, end: Cycle, spec: &MemorySpec) {
        loop {
            let first = self.next();
            if first >= end {
                return;
            }
            let until = end.min(first + spec.link);
            self.members().for_each(|member| member.advance(until, spec));
            self.exchange();
        }
    }
}
