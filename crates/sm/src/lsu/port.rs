//! The port of an SM to the crossbar: requests leave at a number of bytes per cycle. A store that a warp issues right behind another
//! one joins it where both write to one line (measured: traces/h200/merge/near.txt).

use super::coalesce::{LineAccess, sectors_of_words};
use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_memory::{Request, RequestKind};
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// The numbers of the send port.
#[derive(Clone, Debug)]
pub(crate) struct PortSpec {
    /// Bytes per cycle.
    pub(crate) bytes_per_cycle: u64,
    /// Requests that may wait before the LSU stops.
    pub(crate) queue: usize,
    /// How many of the last requests a store may join.
    pub(crate) joinable: usize,
}

/// Requests that a store may join at most.
const MOST_JOINABLE: usize = 32;

/// Places of requests in the port.
pub(crate) type Places = ArrayVec<usize, MOST_JOINABLE>;

/// The warp that a store is of: its slot and generation.
pub(crate) type Writer = (u8, u32);

/// What is known of a request in the port.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Departure {
    /// When it begins to leave.
    start: Cycle,
    /// Whose store it is.
    writer: Option<Writer>,
}

/// The send port: requests that have left and have not been taken by the crossbar, in order of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SendPort {
    /// Bytes that could have left before the port is free.
    free: u64,
    /// When the last requests leave, as many as may wait.
    last: VecDeque<Cycle>,
    /// When the one before these leaves.
    room_at: Cycle,
    pub(crate) sent: Vec<Request>,
    /// Of each of them.
    departures: Vec<Departure>,
    /// When the first one begins to leave that the crossbar was not given, as stores may join it.
    pub(crate) kept_until: Cycle,
    pub(crate) counters: QueueCounters,
}

impl Default for SendPort {
    fn default() -> SendPort {
        SendPort {
            free: 0,
            last: VecDeque::new(),
            room_at: Cycle(0),
            sent: Vec::new(),
            departures: Vec::new(),
            kept_until: Cycle::NEVER,
            counters: QueueCounters::default(),
        }
    }
}

impl SendPort {
    /// A request leaves, perhaps of a store, that is ready at `request.at` and takes so many bytes of the port: its last byte has
    /// left at the time that it is given.
    pub(crate) fn send(&mut self, mut request: Request, writer: Option<Writer>, bytes: u32, spec: &PortSpec) {
        let ready = request.at;
        let start = self.free.max(ready.0 * spec.bytes_per_cycle);
        self.free = start + u64::from(bytes);
        request.at = Cycle(self.free.div_ceil(spec.bytes_per_cycle));
        self.counters.passes(ready.0, request.at.0);
        self.last.push_back(request.at);
        if self.last.len() > spec.queue {
            self.room_at = self.last.pop_front().unwrap_or(self.room_at);
        }
        self.sent.push(request);
        let writer = writer.filter(|_| spec.joinable != 0);
        self.departures.push(Departure { start: Cycle(start / spec.bytes_per_cycle), writer });
    }

    /// The places of the stores of a warp, of the last requests, that begin to leave after a cycle.
    pub(crate) fn joinable(&self, writer: Writer, after: Cycle, spec: &PortSpec) -> Places {
        let first = self.sent.len().saturating_sub(spec.joinable.min(MOST_JOINABLE));
        let is_joinable = |departure: &Departure| departure.writer == Some(writer) && departure.start > after;
        (first..self.sent.len()).filter(|&place| is_joinable(&self.departures[place])).collect()
    }

    /// What the request at a place writes together with another store to its line.
    pub(crate) fn joined(&self, place: usize, access: &LineAccess) -> LineAccess {
        let Request { sectors, kind, .. } = self.sent[place];
        let RequestKind::Write { full, words } = kind else { return *access };
        let words = words | access.words;
        let full = full | access.full | sectors_of_words(words).1;
        LineAccess { sectors: sectors | access.sectors, full, words, ..*access }
    }

    /// A request takes so many more bytes of the port: what waits behind it leaves later.
    pub(crate) fn grow(&mut self, place: usize, bytes: u32, spec: &PortSpec) {
        let mut more = u64::from(bytes).div_ceil(spec.bytes_per_cycle);
        self.sent[place].at += more;
        for place in place + 1..self.sent.len() {
            let start = &mut self.departures[place].start;
            more = more.min(self.sent[place - 1].at.since(*start));
            *start += more;
            self.sent[place].at += more;
        }
        let last = self.sent.last().map_or(0, |request| request.at.0);
        self.free = self.free.max(last * spec.bytes_per_cycle);
    }

    /// Takes the requests, in order of time, up to the first that a store may still join after `end`.
    pub(crate) fn take(&mut self, end: Cycle, requests: &mut Vec<Request>) {
        let first = self.sent.len().saturating_sub(MOST_JOINABLE);
        let stays = |departure: &Departure| departure.writer.is_some() && departure.start > end;
        let kept = (first..self.sent.len()).find(|&place| stays(&self.departures[place]));
        let taken = kept.unwrap_or(self.sent.len());
        requests.extend(self.sent.drain(..taken));
        self.departures.drain(..taken);
        self.kept_until = self.departures.first().map_or(Cycle::NEVER, |departure| departure.start);
    }

    /// When everything that was given to the port has left.
    pub(crate) fn free_at(&self, spec: &PortSpec) -> Cycle {
        Cycle(self.free.div_ceil(spec.bytes_per_cycle))
    }

    /// When the LSU may go on, if so much waits that it must stop.
    pub(crate) fn back_pressure(&self, now: Cycle) -> Option<Cycle> {
        (self.room_at > now).then_some(self.room_at)
    }
}

#[cfg(test)]
mod tests {
    use super::{PortSpec, SendPort};
    use warplab_memory::{Request, RequestKind};
    use warplab_units::{Address, Cycle, SectorMask, SmId};

    const SPEC: PortSpec = PortSpec { bytes_per_cycle: 32, queue: 2, joinable: 4 };

    fn request(bytes: u32, ready: u64) -> Request {
        Request {
            sm: SmId(0),
            token: 0,
            line: Address(0),
            local_line: 0,
            home: 0,
            sectors: SectorMask::ALL,
            kind: RequestKind::Read,
            bytes,
            at: Cycle(ready),
        }
    }

    fn departures(requests: &[(u32, u64)]) -> Vec<u64> {
        let mut port = SendPort::default();
        requests.iter().for_each(|&(bytes, ready)| port.send(request(bytes, ready), None, bytes, &SPEC));
        port.sent.iter().map(|request| request.at.0).collect()
    }

    #[test]
    fn a_short_request_has_left_one_cycle_after_it_was_ready() {
        assert_eq!(departures(&[(8, 100)]), [101]);
    }

    #[test]
    fn short_requests_share_a_cycle_and_long_ones_take_several() {
        assert_eq!(
            departures(&[(8, 100), (8, 100), (8, 100), (8, 100), (8, 100)]),
            [101, 101, 101, 101, 102]
        );
        assert_eq!(departures(&[(136, 100), (136, 100)]), [105, 109]);
    }

    #[test]
    fn an_idle_port_does_not_save_up_bytes() {
        assert_eq!(departures(&[(136, 0), (136, 100)]), [5, 105]);
    }

    #[test]
    fn the_unit_stops_until_no_more_requests_wait_than_the_queue_holds() {
        let mut port = SendPort::default();
        for _ in 0..3 {
            port.send(request(320, 100), None, 320, &SPEC);
        }
        assert_eq!(port.back_pressure(Cycle(100)), Some(Cycle(110)));
        assert_eq!(port.back_pressure(Cycle(110)), None);
        port.send(request(320, 200), None, 320, &SPEC);
        assert_eq!(port.back_pressure(Cycle(200)), None);
    }

    #[test]
    fn time_in_the_port_is_counted_from_ready_to_departure() {
        let mut port = SendPort::default();
        port.send(request(64, 10), None, 64, &SPEC);
        port.send(request(64, 10), None, 64, &SPEC);
        assert_eq!((port.counters.arrivals, port.counters.total_latency), (2, 2 + 4));
    }
}
