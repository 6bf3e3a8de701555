//! Messages between SMs and partitions, handed over at the boundaries of epochs in an order that does not depend on
//! threads.

use crate::memory_side::MemorySpec;
use serde::{Deserialize, Serialize};
use warplab_memory::{Crossbar, CrossbarSpec, Reply, Request};
use warplab_trace::CrossbarCounters;
use warplab_units::{Cycle, PartitionId, SmId};

/// The crossbar and what is on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exchange {
    crossbar: Crossbar,
    requests: Vec<Request>,
    replies: Vec<Reply>,
}

impl Exchange {
    pub(crate) fn new(spec: &CrossbarSpec) -> Exchange {
        Exchange { crossbar: Crossbar::new(spec), requests: Vec::new(), replies: Vec::new() }
    }

    /// Takes requests that left SMs in this epoch (in order of SMs, each one's own in order) and hands over those that
    /// arrive before `until`.
    pub(crate) fn requests(
        &mut self,
        spec: &MemorySpec,
        mut sent: Vec<Request>,
        until: Cycle,
        mut deliver: impl FnMut(PartitionId, Request),
    ) {
        sent.sort_by_key(|request| (request.at, request.sm));
        for request in &mut sent {
            let arrival =
                self.crossbar.request_arrival(&spec.crossbar, request.sm, request.at, request.bytes);
            request.at = arrival;
        }
        self.requests.append(&mut sent);
        self.requests.sort_by_key(|request| (request.at, request.sm));
        let due = self.requests.partition_point(|request| request.at < until);
        for request in self.requests.drain(..due) {
            deliver(spec.map.partition(request.line), request);
        }
    }

    /// Takes replies that left partitions in this epoch (in order of partitions) and hands over those that arrive
    /// before `until`.
    pub(crate) fn replies(
        &mut self,
        spec: &MemorySpec,
        mut sent: Vec<Reply>,
        until: Cycle,
        mut deliver: impl FnMut(SmId, Reply),
    ) {
        sent.sort_by_key(|reply| (reply.at, reply.sm));
        for reply in &mut sent {
            reply.at = self.crossbar.reply_arrival(&spec.crossbar, reply.sm, reply.at, reply.bytes);
        }
        self.replies.append(&mut sent);
        self.replies.sort_by_key(|reply| (reply.at, reply.sm));
        let due = self.replies.partition_point(|reply| reply.at < until);
        for reply in self.replies.drain(..due) {
            deliver(reply.sm, reply);
        }
    }

    /// What has been counted on the crossbar.
    pub(crate) fn counters(&self) -> &CrossbarCounters {
        self.crossbar.counters()
    }

    /// What has been counted on the crossbar; counting starts anew.
    pub(crate) fn take_counters(&mut self) -> CrossbarCounters {
        self.crossbar.take_counters()
    }

    /// The first arrival of what is on the way, or never.
    pub(crate) fn next_arrival(&self) -> Cycle {
        let request = self.requests.first().map_or(Cycle::NEVER, |request| request.at);
        let reply = self.replies.first().map_or(Cycle::NEVER, |reply| reply.at);
        request.min(reply)
    }

    /// Whether nothing is on the way.
    pub(crate) fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.replies.is_empty()
    }
}
