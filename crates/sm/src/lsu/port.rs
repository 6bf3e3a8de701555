//! The port of an SM to the crossbar: requests leave at a number of bytes per cycle. A store right behind another one, of the same
//! warp or another, joins it where both write to one line (measured: traces/h200/merge/near.txt, across.txt).

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_memory::Request;
use warplab_trace::QueueCounters;
use warplab_units::{Address, Cycle};

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

/// A request of a store that others may join until it begins to leave.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Joinable {
    /// Its number among all requests.
    number: u64,
    start: Cycle,
}

/// The send port: requests that have left and have not been taken by the crossbar, in order of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SendPort {
    /// Bytes that could have left before the port is free.
    free: u64,
    /// Likewise, if stores left without waiting for their data: the LSU stops by that.
    due: u64,
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
            due: 0,
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
    /// A request leaves that is ready at `request.at`, or could be at `due`, and takes so many bytes of the port: its last byte
    /// has left at the time that it is given. When it begins to leave.
    pub(crate) fn send(&mut self, mut request: Request, due: Cycle, bytes: u32, spec: &PortSpec) -> Cycle {
        let ready = request.at;
        let start = self.free.max(ready.0 * spec.bytes_per_cycle);
        self.free = start + u64::from(bytes);
        self.due = self.due.max(due.0 * spec.bytes_per_cycle) + u64::from(bytes);
        request.at = Cycle(self.free.div_ceil(spec.bytes_per_cycle));
        self.counters.passes(ready.0, request.at.0);
        let is_due =
            if self.due == self.free { request.at } else { Cycle(self.due.div_ceil(spec.bytes_per_cycle)) };
        self.last.push_back(is_due);
        if self.last.len() > spec.queue {
            self.room_at = self.last.pop_front().unwrap_or(self.room_at);
        }
        self.sent.push(request);
        Cycle(start / spec.bytes_per_cycle)
    }

    /// The request that was sent last is of a store and begins to leave at a cycle: others may join it until then.
    pub(crate) fn note_store(&mut self, start: Cycle, spec: &PortSpec) {
        if self.stores.len() >= spec.joinable {
            self.stores.pop_front();
        }
        if spec.joinable != 0 {
            let number = self.first + self.sent.len() as u64 - 1;
            self.stores.push_back(Joinable { number, start });
        }
    }

    /// Whether one of the last requests of stores begins to leave after a cycle.
    pub(crate) fn has_joinable(&self, after: Cycle) -> bool {
        self.waiting(after, usize::MAX).next().is_some()
    }

    /// The place of the one that writes a line, among so many of these.
    pub(crate) fn joinable(&self, after: Cycle, line: Address, last: usize) -> Option<usize> {
        let mut places = self.waiting(after, last).map(|store| (store.number - self.first) as usize);
        places.find(|&place| self.sent[place].line == line)
    }

    /// Of so many of the last requests of stores, those that begin to leave after a cycle.
    fn waiting(&self, after: Cycle, last: usize) -> impl Iterator<Item = &Joinable> {
        self.stores.iter().rev().take(last).take_while(move |store| store.start > after)
    }

    /// A request takes so many more bytes of the port: what waits behind it leaves later.
    pub(crate) fn grow(&mut self, place: usize, bytes: u32, spec: &PortSpec) {
        let more = u64::from(bytes).div_ceil(spec.bytes_per_cycle);
        let number = self.first + place as u64;
        self.sent[place..].iter_mut().for_each(|request| request.at += more);
        self.stores.iter_mut().filter(|store| store.number > number).for_each(|store| store.start += more);
        self.free += u64::from(bytes);
        self.due += u64::from(bytes);
    }

    /// The request of a store at a place begins to leave at a cycle at the earliest: those that leave before it then pass it, and
    /// what comes from now on waits behind it. What it takes of the port stays where it was. When it begins to leave.
    pub(crate) fn put_back(&mut self, place: usize, start: Cycle, spec: &PortSpec) -> Cycle {
        let (mut place, number) = (place, self.first + place as u64);
        let found = self.stores.iter().position(|store| store.number == number);
        let Some(mut index) = found else { return start };
        let wait = start.0.saturating_sub(self.stores[index].start.0);
        self.stores[index].start += wait;
        let start = self.stores[index].start;
        self.sent[place].at += wait;
        self.free = self.free.max(self.sent[place].at.0 * spec.bytes_per_cycle);
        while place + 1 < self.sent.len() && self.sent[place + 1].at < self.sent[place].at {
            self.sent.swap(place, place + 1);
            place += 1;
            self.stores[index].number += 1;
            if index + 1 < self.stores.len() && self.stores[index + 1].number == self.stores[index].number {
                self.stores[index + 1].number -= 1;
                self.stores.swap(index, index + 1);
                index += 1;
            }
        }
        start
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
        requests
            .iter()
            .for_each(|&(bytes, ready)| _ = port.send(request(bytes, ready), Cycle(ready), bytes, &SPEC));
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
            port.send(request(320, 100), Cycle(100), 320, &SPEC);
        }
        assert_eq!(port.back_pressure(Cycle(100)), Some(Cycle(110)));
        assert_eq!(port.back_pressure(Cycle(110)), None);
        port.send(request(320, 200), Cycle(200), 320, &SPEC);
        assert_eq!(port.back_pressure(Cycle(200)), None);
    }

    #[test]
    fn time_in_the_port_is_counted_from_ready_to_departure() {
        let mut port = SendPort::default();
        port.send(request(64, 10), Cycle(10), 64, &SPEC);
        port.send(request(64, 10), Cycle(10), 64, &SPEC);
        assert_eq!((port.counters.arrivals, port.counters.total_latency), (2, 2 + 4));
    }
}
