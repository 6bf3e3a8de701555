//! The port of an SM to the crossbar: requests leave at a number of bytes per cycle. A store that a warp issues right behind another
//! one joins it where both write to one line (measured: traces/h200/merge/near.txt).

use super::coalesce::LineAccess;
use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_memory::{Request, RequestKind};
use warplab_trace::QueueCounters;
use warplab_units::{Cycle, SectorMask};

/// The numbers of the send port.
#[derive(Clone, Debug)]
pub(crate) struct PortSpec {
    /// Bytes per cycle.
    pub(crate) bytes_per_cycle: u64,
    /// Requests that may wait before the LSU stops.
    pub(crate) queue: usize,
    /// How many of the last requests of stores others may join.
    pub(crate) joinable: usize,
}

/// Requests of stores that a store may join at most.
const MOST_JOINABLE: usize = 32;

/// Places of requests in the port.
pub(crate) type Places = ArrayVec<usize, MOST_JOINABLE>;

/// The warp that a store is of: its slot and generation.
pub(crate) type Writer = (u8, u32);

/// A request of a store that others may join until it begins to leave.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Joinable {
    /// Its number among all requests.
    number: u64,
    start: Cycle,
    writer: Writer,
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
    /// The number of the first of these.
    first: u64,
    /// The last ones of stores, in order.
    stores: VecDeque<Joinable>,
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
            first: 0,
            stores: VecDeque::new(),
            kept_until: Cycle::NEVER,
            counters: QueueCounters::default(),
        }
    }
}

impl SendPort {
    /// A request leaves that is ready at `request.at` and takes so many bytes of the port: its last byte has left at the
    /// time that it is given. When it begins to leave.
    pub(crate) fn send(&mut self, mut request: Request, bytes: u32, spec: &PortSpec) -> Cycle {
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
        Cycle(start / spec.bytes_per_cycle)
    }

    /// The request that was sent last is of a store and begins to leave at a cycle: others of its warp may join it until then.
    pub(crate) fn note_store(&mut self, writer: Writer, start: Cycle, spec: &PortSpec) {
        if self.stores.len() >= spec.joinable {
            self.stores.pop_front();
        }
        if spec.joinable != 0 {
            let number = self.first + self.sent.len() as u64 - 1;
            self.stores.push_back(Joinable { number, start, writer });
        }
    }

    /// The places of the last requests of stores of a warp that begin to leave after a cycle.
    pub(crate) fn joinable(&self, writer: Writer, after: Cycle) -> Places {
        let waiting = self.stores.iter().rev().take_while(|store| store.start > after);
        let mine = waiting.filter(|store| store.writer == writer);
        mine.take(MOST_JOINABLE).map(|store| (store.number - self.first) as usize).collect()
    }

    /// What the request at a place writes together with another store to its line.
    pub(crate) fn joined(&self, place: usize, access: &LineAccess) -> LineAccess {
        let Request { sectors, kind, .. } = self.sent[place];
        let RequestKind::Write { full, words } = kind else { return *access };
        let words = words | access.words;
        let full = full | access.full | SectorMask::filled_by(words);
        LineAccess { sectors: sectors | access.sectors, full, words, ..*access }
    }

    /// A request takes so many more bytes of the port: what waits behind it leaves later.
    pub(crate) fn grow(&mut self, place: usize, bytes: u32, spec: &PortSpec) {
        let more = u64::from(bytes).div_ceil(spec.bytes_per_cycle);
        let number = self.first + place as u64;
        self.sent[place..].iter_mut().for_each(|request| request.at += more);
        self.stores.iter_mut().filter(|store| store.number > number).for_each(|store| store.start += more);
        self.free += u64::from(bytes);
    }

    /// Takes the requests, in order of time, up to the first that a store may still join after `end`.
    pub(crate) fn take(&mut self, end: Cycle, requests: &mut Vec<Request>) {
        while self.stores.pop_front_if(|store| store.start <= end).is_some() {}
        let kept = self.stores.front().map(|store| (store.number - self.first) as usize);
        let taken = kept.unwrap_or(self.sent.len());
        if taken == self.sent.len() {
            requests.append(&mut self.sent);
        } else {
            requests.extend(self.sent.drain(..taken));
        }
        self.first += taken as u64;
        self.kept_until = self.stores.front().map_or(Cycle::NEVER, |store| store.start);
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
        requests.iter().for_each(|&(bytes, ready)| _ = port.send(request(bytes, ready), bytes, &SPEC));
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
            port.send(request(320, 100), 320, &SPEC);
        }
        assert_eq!(port.back_pressure(Cycle(100)), Some(Cycle(110)));
        assert_eq!(port.back_pressure(Cycle(110)), None);
        port.send(request(320, 200), 320, &SPEC);
        assert_eq!(port.back_pressure(Cycle(200)), None);
    }

    #[test]
    fn time_in_the_port_is_counted_from_ready_to_departure() {
        let mut port = SendPort::default();
        port.send(request(64, 10), 64, &SPEC);
        port.send(request(64, 10), 64, &SPEC);
        assert_eq!((port.counters.arrivals, port.counters.total_latency), (2, 2 + 4));
    }
}
