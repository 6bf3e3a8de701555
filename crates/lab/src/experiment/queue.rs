//! Points at which a number of things go round through a queue: a port and the way behind it.

use super::{Measured, number};
use crate::queueing::{Server, sweep};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use warplab_run::Fault;

/// What can be named in columns. Times are in cycles.
pub(super) const METRICS: [&str; 5] =
    ["queue.throughput", "queue.mean_latency", "queue.in_flight", "queue.completed", "queue.cycles"];

/// A queue and how many go round through it.
#[derive(Clone, Debug)]
pub(super) struct QueueJob {
    server: Server,
    in_flight: NonZeroU32,
}

pub(super) fn prepare(settings: &BTreeMap<String, String>) -> Result<QueueJob, Fault> {
    let of = |name: &str, default: NonZeroU32| {
        settings.get(name).map_or(Ok(default), |text| number::<NonZeroU32>(name, text))
    };
    let needed = |name: &str| {
        let text = settings.get(name).ok_or_else(|| Fault::input(format!("a queue needs '{name}'")))?;
        number::<NonZeroU32>(name, text)
    };
    let server = Server {
        units_per_cycle: of("units_per_cycle", NonZeroU32::MIN)?,
        units: of("units", NonZeroU32::MIN)?,
        latency: needed("latency")?,
    };
    let in_flight = needed("in_flight")?;
    match crate::queueing::rounds(&[server], in_flight) {
        Some(rounds) if rounds <= MOST_ROUNDS => Ok(QueueJob { server, in_flight }),
        _ => Err(Fault::input(format!(
            "in_flight: {in_flight} things in a queue with a latency of {} cycles would go round more than {MOST_ROUNDS} \
             times before the watch ends, which is the limit",
            server.latency
        ))),
    }
}

/// Rounds that are simulated at most: seconds.
const MOST_ROUNDS: u64 = 100_000_000;

pub(super) fn run(job: &QueueJob) -> Measured {
    let points = sweep(&[job.server], [job.in_flight]);
    let values = points.iter().flat_map(|point| {
        let rounds = &point.rounds;
        let mean_latency = rounds.total_latency as f64 / rounds.departures.max(1) as f64;
        let numbers = [
            point.throughput(),
            mean_latency,
            f64::from(point.in_flight),
            point.completed as f64,
            point.cycles as f64,
        ];
        METRICS.into_iter().map(str::to_owned).zip(numbers)
    });
    Measured { values: values.collect(), ..Measured::default() }
}

#[cfg(test)]
mod tests {
    use super::{prepare, run};
    use std::collections::BTreeMap;

    fn settings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn a_pipe_of_24_cycles_passes_8_a_cycle_with_192_in_flight() {
        let settings = settings(&[("in_flight", "192"), ("units_per_cycle", "8"), ("latency", "24")]);
        let found = run(&prepare(&settings).unwrap()).values;
        assert_eq!((found["queue.throughput"], found["queue.mean_latency"]), (8.0, 24.0));
    }

    #[test]
    fn a_queue_that_would_go_round_for_hours_is_refused() {
        let of = |in_flight: &str, latency: &str| {
            prepare(&settings(&[("in_flight", in_flight), ("latency", latency)])).map(|_| ())
        };
        assert_eq!(
            of("4294967295", "24").unwrap_err().to_string(),
            "in_flight: 4294967295 things in a queue with a latency of 24 cycles would go round more than 100000000 \
             times before the watch ends, which is the limit"
        );
        assert!(of("4294967295", "4294967295").is_err());
        assert!(of("1000", "1000").is_ok());
    }

    #[test]
    fn a_queue_without_a_latency_is_refused() {
        let fault = prepare(&settings(&[("in_flight", "1")])).unwrap_err();
        assert_eq!(fault.to_string(), "a queue needs 'latency'");
    }
}
