//! The port of an SM to the crossbar: requests leave at a number of bytes per cycle.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_memory::Request;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// The numbers of the send port.
#[derive(Clone, Debug)]
pub(crate) struct PortSpec {
    /// Bytes per cycle.
    pub(crate) bytes_per_cycle: u64,
    /// Requests that may wait before the LSU stops.
    pub(crate) queue: usize,
}

/// The send port: requests that have left and have not been taken by the crossbar, in order of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SendPort {
    /// Bytes that could have left before the port is free.
    free: u64,
    /// When the last requests leave, as many as may wait.
    last: VecDeque<Cycle>,
    /// When the one before these leaves.
    room_at: Cycle,
    pub(crate) sent: Vec<Request>,
    pub(crate) counters: QueueCounters,
}

impl SendPort {
    /// A request leaves that is ready at `request.at` and takes so many bytes of the port: its last byte has left at the
    /// time that it is given.
    pub(crate) fn send(&mut self, mut request: Request, bytes: u32, spec: &PortSpec) {
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

    const SPEC: PortSpec = PortSpec { bytes_per_cycle: 32, queue: 2 };

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
        requests.iter().for_each(|&(bytes, ready)| port.send(request(bytes, ready), bytes, &SPEC));
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
