//! The link of a slice to the one of the same number in the other half.

use serde::{Deserialize, Serialize};
use warplab_config::{GpuConfig, Ticks};
use warplab_units::Cycle;

/// How long messages to the other half take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkSpec {
    latency: u64,
    /// Time of 1,024 bytes.
    kib: Ticks,
    header_bytes: u32,
    /// The time of the bytes that may wait.
    queue: Option<Ticks>,
}

impl LinkSpec {
    pub(crate) fn new(config: &GpuConfig) -> LinkSpec {
        let l2 = &config.l2;
        let kib = Ticks(config.l2_cycle().0 * 1024 / u64::from(l2.link_bytes.max(1)));
        LinkSpec {
            latency: u64::from(l2.link_latency),
            kib,
            header_bytes: config.crossbar.header_bytes,
            queue: l2.link_queue_bytes.map(|bytes| Ticks(kib.0 * u64::from(bytes) / 1024)),
        }
    }

    /// Cycles that a message is on its way once it has left.
    pub(crate) fn latency(&self) -> u64 {
        self.latency
    }

    fn time(&self, data_bytes: u32) -> Ticks {
        Ticks(self.kib.0 * u64::from(self.header_bytes + data_bytes) / 1024)
    }
}

/// The sending side of a link: one message after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    free_at: Ticks,
}

impl Link {
    /// A message that its slice decides to send at `at` and that is ready so long after that: when it arrives. Messages take
    /// their places in the order in which they are decided, so that a short one does not wait for one that is ready later.
    pub(crate) fn send(&mut self, spec: &LinkSpec, (at, after): (Ticks, Ticks), data_bytes: u32) -> Cycle {
        self.free_at = self.free_at.max(at) + spec.time(data_bytes);
        (self.free_at + after).to_cycle() + spec.latency
    }

    /// From when on its slice takes in more, if what it takes in comes so much later to the link: when few enough bytes wait.
    pub(crate) fn has_room_at(&self, spec: &LinkSpec, later: Ticks) -> Ticks {
        spec.queue.map_or(Ticks(0), |queue| Ticks(self.free_at.0.saturating_sub(queue.0 + later.0)))
    }

    /// When everything has been sent.
    pub(crate) fn free_at(&self) -> Ticks {
        self.free_at
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, LinkSpec};
    use warplab_config::Ticks;

    /// Ten cycles, 16 bytes per cycle.
    fn spec() -> LinkSpec {
        LinkSpec {
            latency: 10,
            kib: Ticks::of_cycles(64),
            header_bytes: 8,
            queue: Some(Ticks::of_cycles(20)),
        }
    }

    /// When a message of 120 bytes arrives that is decided at one cycle and ready so many later.
    fn send(link: &mut Link, at: u64, after: u64) -> u64 {
        link.send(&spec(), (Ticks::of_cycles(at), Ticks::of_cycles(after)), 120).0
    }

    #[test]
    fn a_message_takes_the_time_of_its_bytes_and_the_latency() {
        assert_eq!(send(&mut Link::default(), 100, 0), 100 + 8 + 10);
    }

    #[test]
    fn a_message_waits_for_the_one_before() {
        let mut link = Link::default();
        assert_eq!([(); 2].map(|()| send(&mut link, 100, 0)), [108 + 10, 116 + 10]);
    }

    #[test]
    fn a_slice_takes_in_more_when_few_enough_bytes_wait() {
        let mut link = Link::default();
        assert_eq!(
            [(); 3].map(|()| {
                send(&mut link, 100, 0);
                link.has_room_at(&spec(), Ticks::of_cycles(10))
            }),
            [78, 86, 94].map(Ticks::of_cycles)
        );
    }

    #[test]
    fn a_message_passes_one_that_is_ready_later() {
        let mut link = Link::default();
        assert_eq!([(100, 50), (101, 0)].map(|(at, after)| send(&mut link, at, after)), [158 + 10, 116 + 10]);
    }
}
