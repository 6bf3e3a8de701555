//! Little's law as a simulation: some things go round through ports in a row, built of the port of the crossbar.
//!
//! An escalator passes a person a step and carries every person for twenty steps; a pipe takes eight operations per cycle
//! and gives each result 24 cycles later; a memory passes so many bytes per cycle and answers after its latency. With few
//! in flight the latency bounds the throughput, with many the port does.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;
use warplab_memory::{Bandwidth, Port};
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// A port and the way behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// What the port passes per cycle: steps, operations, bytes.
    pub units_per_cycle: NonZeroU32,
    /// What one thing takes of that.
    pub units: NonZeroU32,
    /// Cycles from the port to the end of the way.
    pub latency: NonZeroU32,
}

/// What so many in flight gave, in the steady state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePoint {
    /// How many go round.
    pub in_flight: u32,
    /// Rounds that ended in these cycles.
    pub completed: u64,
    /// The cycles that were watched.
    pub cycles: u64,
    /// The rounds that ended in these cycles.
    pub rounds: QueueCounters,
}

impl QueuePoint {
    /// Rounds per cycle.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        self.completed as f64 / self.cycles as f64
    }
}

/// Lets things go round through the servers, one number of things after another: a point each. Exact where every port
/// passes a whole number of things per cycle, or takes a whole number of cycles for one.
#[must_use]
pub fn sweep(servers: &[Server], in_flight: impl IntoIterator<Item = NonZeroU32>) -> Vec<QueuePoint> {
    in_flight.into_iter().map(|count| circulate(servers, count)).collect()
}

/// Rounds of everything that pass before the watch begins: the first wave has spread by then.
const FIRST_ROUNDS: u64 = 4;

/// The most rounds that everything together makes before the watch ends; none where they cannot be counted.
#[must_use]
pub fn rounds(servers: &[Server], in_flight: NonZeroU32) -> Option<u64> {
    let round = servers.iter().map(alone).try_fold(0, u64::checked_add)?.max(1);
    let turns =
        servers.iter().map(|server| u64::from(server.units.get()) * u64::from(in_flight.get())).max()?;
    let cycles = round.checked_mul(turns)?.checked_mul(FIRST_ROUNDS + 1)?;
    // Nothing passes more often than the narrowest port lets it.
    let passed = |server: &Server| {
        let units = cycles.saturating_mul(u64::from(server.units_per_cycle.get()));
        units / u64::from(server.units.get()) + u64::from(in_flight.get())
    };
    let alone = (cycles / round).checked_mul(u64::from(in_flight.get()))?;
    Some(servers.iter().map(passed).fold(alone, u64::min).max(u64::from(in_flight.get())))
}

fn circulate(servers: &[Server], in_flight: NonZeroU32) -> QueuePoint {
    let period = period(servers, in_flight);
    let from = period * FIRST_ROUNDS;
    let until = from + period;
    let mut ports = vec![Port::default(); servers.len()];
    // Whoever comes first to a server is served first; equals in the order of their numbers.
    let mut arrivals: BinaryHeap<Reverse<(Cycle, usize, u32)>> =
        (0..in_flight.get()).map(|thing| Reverse((Cycle(0), 0, thing))).collect();
    let mut started = vec![Cycle(0); in_flight.get() as usize];
    let mut rounds = QueueCounters::default();
    while let Some(Reverse((now, place, thing))) = arrivals.pop() {
        if now.0 >= until {
            break;
        }
        if place == 0 {
            let since = std::mem::replace(&mut started[thing as usize], now);
            if now.0 >= from {
                rounds.passes(since.0, now.0);
            }
        }
        let Some(server) = servers.get(place) else { break };
        let end = ports[place].pass(
            Bandwidth::bytes_per_cycle(server.units_per_cycle.get()),
            now,
            server.units.get(),
        ) + u64::from(server.latency.get());
        arrivals.push(Reverse((end, (place + 1) % servers.len(), thing)));
    }
    QueuePoint { in_flight: in_flight.get(), completed: rounds.departures, cycles: until - from, rounds }
}

/// Cycles after which the same happens again: whole rounds when nobody waits, and turns of everybody through the
/// slowest port when somebody does.
fn period(servers: &[Server], in_flight: NonZeroU32) -> u64 {
    let round: u64 = servers.iter().map(alone).sum();
    let turn = |server: &Server| u64::from(server.units.get()) * u64::from(in_flight.get());
    let turns = servers.iter().map(turn).max().unwrap_or(1);
    round.max(1) * turns
}

/// Cycles through a server that nobody else uses.
fn alone(server: &Server) -> u64 {
    u64::from(server.units.get().div_ceil(server.units_per_cycle.get()) - 1) + u64::from(server.latency.get())
}

#[cfg(test)]
mod tests {
    use super::{QueuePoint, Server, sweep};
    use std::num::NonZeroU32;

    fn number(value: u32) -> NonZeroU32 {
        NonZeroU32::new(value).unwrap()
    }

    fn server(units_per_cycle: u32, units: u32, latency: u32) -> Server {
        Server { units_per_cycle: number(units_per_cycle), units: number(units), latency: number(latency) }
    }

    fn points(servers: &[Server], in_flight: impl Iterator<Item = u32>) -> Vec<QueuePoint> {
        sweep(servers, in_flight.map(number))
    }

    /// An escalator of twenty steps; a cycle is a step of two seconds.
    fn escalator() -> Vec<QueuePoint> {
        points(&[server(1, 1, 20)], 1..=40)
    }

    /// Persons in a thousand seconds.
    fn persons(point: &QueuePoint) -> u64 {
        assert_eq!(point.completed * 1000 % (point.cycles * 2), 0, "{point:?}");
        point.completed * 1000 / (point.cycles * 2)
    }

    #[test]
    fn one_person_alone_on_the_escalator_is_a_fortieth_of_a_person_a_second() {
        assert_eq!(persons(&escalator()[0]), 25);
    }

    #[test]
    fn the_escalator_carries_more_with_every_person_up_to_twenty() {
        let carried: Vec<u64> = escalator().iter().map(persons).collect();
        let expected: Vec<u64> = (1..=40).map(|people: u64| 25 * people.min(20)).collect();
        assert_eq!(carried, expected);
    }

    #[test]
    fn a_pipe_of_24_cycles_and_8_operations_a_cycle_is_full_with_192() {
        let counts = (1..=32).chain([96, 160]).chain(184..=200).chain([256]);
        for point in points(&[server(8, 1, 24)], counts) {
            let in_flight = u64::from(point.in_flight);
            assert_eq!(point.completed == 8 * point.cycles, in_flight >= 192, "{in_flight}");
            assert_eq!(point.completed * 24, in_flight.min(192) * point.cycles, "{in_flight}");
        }
    }

    #[test]
    fn the_latencies_of_all_rounds_sum_to_everybody_all_the_time() {
        for point in escalator().iter().chain(&points(&[server(8, 1, 24), server(1, 2, 7)], 1..=64)) {
            let all = u64::from(point.in_flight) * point.cycles;
            assert_eq!(point.rounds.total_latency, all, "{}", point.in_flight);
        }
    }

    #[test]
    fn the_slowest_of_several_ports_bounds_the_throughput() {
        let point = &points(&[server(8, 1, 10), server(2, 1, 10)], std::iter::once(100))[0];
        assert_eq!(point.completed, 2 * point.cycles);
    }
}
