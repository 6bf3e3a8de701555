//! Messages between SMs and partitions, handed over at the boundaries of epochs in an order that does not depend on
//! threads: each cluster of SMs passes its own requests and replies through its ports.

use crate::memory_side::MemorySpec;
use crate::order::{Sorter, Timed};
use crate::running::{Running, SmPort};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warplab_memory::{ClusterPorts, Credit, Reply, Request};
use warplab_units::{Cycle, PartitionId, TypedId};

/// By SM: the requests of one SM stay in order.
impl Timed for Request {
    #[inline]
    fn at(&self) -> Cycle {
        self.at
    }

    #[inline]
    fn rank(&self) -> u64 {
        u64::from(self.sm.0)
    }
}

/// By SM, then by token: no two replies to an SM have one token at one time.
impl Timed for Reply {
    #[inline]
    fn at(&self) -> Cycle {
        self.at
    }

    #[inline]
    fn rank(&self) -> u64 {
        u64::from(self.sm.0) << u32::BITS | u64::from(self.token)
    }
}

/// The SMs of one cluster.
pub(crate) struct ClusterSms<'a> {
    /// The number of the first SM.
    first: usize,
    sms: &'a mut [Option<SmPort>],
    /// The next event of each.
    next: &'a mut [Cycle],
    /// Those that act in this epoch, by their numbers on the device.
    acting: &'a [usize],
}

/// The SMs of a launch by cluster.
pub(crate) fn clusters_of<'a>(
    running: &'a mut Running,
    clusters: &'a [Range<usize>],
) -> impl Iterator<Item = ClusterSms<'a>> {
    let Running { sms, next, acting, .. } = running;
    let (mut sms, mut next) = (&mut sms[..], next.as_mut_slice());
    let mut later: &[usize] = acting;
    clusters.iter().map(move |cluster| {
        let (own, rest) = later.split_at(later.partition_point(|&sm| sm < cluster.end));
        later = rest;
        ClusterSms {
            first: cluster.start,
            sms: split_off_front(&mut sms, cluster.len()),
            next: split_off_front(&mut next, cluster.len()),
            acting: own,
        }
    })
}

/// Takes the first elements of a slice.
fn split_off_front<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    front
}

/// One cluster of SMs at the crossbar.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) ports: ClusterPorts,
    /// The last arrival of a reply.
    pub(crate) last_reply: Cycle,
    /// What leaves its SM or partition after the present epoch, as it came: it passes the ports in its own epoch, so that
    /// the length of an epoch changes nothing.
    requests: Vec<Request>,
    replies: Vec<Reply>,
    /// When the first of the requests and the first of the replies leaves.
    departures: [Cycle; 2],
    /// The requests that have passed the port in this epoch, each with its arrival and where it goes.
    #[serde(skip)]
    pub(crate) passed: Vec<(PartitionId, Request)>,
    /// The requests of its SMs that have been taken in this epoch.
    #[serde(skip)]
    credits: Vec<Credit>,
    #[serde(skip)]
    sorter: Sorter,
}

impl Cluster {
    /// A cluster of so many SMs whose ports are free.
    pub(crate) fn new(sms: usize) -> Cluster {
        Cluster {
            ports: ClusterPorts::new(sms),
            last_reply: Cycle(0),
            requests: Vec::new(),
            replies: Vec::new(),
            departures: [Cycle::NEVER; 2],
            passed: Vec::new(),
            credits: Vec::new(),
            sorter: Sorter::default(),
        }
    }

    /// When the first request leaves that has not passed the port.
    pub(crate) fn next_request(&self) -> Cycle {
        self.departures[0]
    }

    /// When the first reply leaves that has not passed the ports.
    pub(crate) fn next_reply(&self) -> Cycle {
        self.departures[1]
    }

    /// Whether every message has passed the ports.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.requests.is_empty() && self.replies.is_empty()
    }

    /// A partition has sent a reply to one of its SMs.
    pub(crate) fn take_reply(&mut self, reply: Reply) {
        self.replies.push(reply);
    }

    /// A partition has taken a request of one of its SMs.
    pub(crate) fn take_credit(&mut self, credit: Credit) {
        self.credits.push(credit);
    }

    /// What its SMs have sent and leaves before `end` passes the port.
    pub(crate) fn send(&mut self, sms: &mut ClusterSms<'_>, end: Cycle, spec: &MemorySpec) {
        let requests = &mut self.requests;
        for sm in sms.acting.iter().map(|sm| sm - sms.first) {
            if let Some(port) = &mut sms.sms[sm] {
                port.sm.take_requests(end, requests);
                sms.next[sm] = sms.next[sm].min(port.sm.kept_until());
            }
        }
        let (ports, passed) = (&mut self.ports, &mut self.passed);
        let (_, later) = self.sorter.take_before(requests, end, |request| {
            let at = ports.request_arrival(&spec.crossbar, request.sm, request.at, request.bytes);
            passed.push(spec.map.route(Request { at, ..request }));
        });
        self.departures[0] = later;
    }

    /// What partitions have sent to its SMs and leaves before `end` passes the ports.
    pub(crate) fn receive(&mut self, sms: &mut ClusterSms<'_>, end: Cycle, spec: &MemorySpec) {
        let Cluster { ports, last_reply, .. } = self;
        let (_, later) = self.sorter.take_before(&mut self.replies, end, |mut reply| {
            reply.at = ports.reply_arrival(&spec.crossbar, &reply);
            *last_reply = reply.at.max(*last_reply);
            let sm = reply.sm.index() - sms.first;
            if let Some(port) = &mut sms.sms[sm] {
                sms.next[sm] = sms.next[sm].min(reply.at);
                port.sm.deliver(reply);
            }
        });
        self.departures[1] = later;
    }

    /// What partitions have taken of its SMs' requests: the SMs know it when a message has come back.
    pub(crate) fn receive_credits(&mut self, sms: &mut ClusterSms<'_>, spec: &MemorySpec) {
        for &Credit { sm, flits, at } in &self.credits {
            let at = at + spec.crossbar.back(sm);
            let sm = sm.index() - sms.first;
            if let Some(port) = &mut sms.sms[sm] {
                port.sm.give_back(flits, at);
                sms.next[sm] = sms.next[sm].min(port.sm.next_credit());
            }
        }
        self.credits.clear();
    }
}
