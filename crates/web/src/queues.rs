//! Queues with the latencies of what went through them.

use serde::Serialize;
use warplab_trace::{LaunchCounters, QueueCounters};

/// Latencies twice as long are so many classes further.
const CLASSES_PER_DOUBLING: f64 = 3.0;

/// One queue: its numbers are the metrics `warplab__queue_ID_...`.
#[derive(Debug, Serialize)]
pub(crate) struct QueueDocument {
    id: &'static str,
    label: &'static str,
    classes: Vec<LatencyClass>,
}

/// How many latencies were at least `from` and less than `to` cycles.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct LatencyClass {
    from: u64,
    to: u64,
    count: u64,
}

/// As the section names them, in the order of [`LaunchCounters::queues`].
const QUEUES: [(&str, &str); 8] = [
    ("loads", "Loads"),
    ("memory", "Memory Queue"),
    ("l1_misses", "L1 Misses"),
    ("send_port", "SM Port"),
    ("requests", "Crossbar Requests"),
    ("l2", "L2"),
    ("dram", "DRAM"),
    ("replies", "Crossbar Replies"),
];

impl QueueDocument {
    pub(crate) fn all(counters: &LaunchCounters) -> Vec<QueueDocument> {
        let queues = QUEUES.into_iter().zip(counters.queues());
        queues.map(|((id, label), (_, queue))| QueueDocument { id, label, classes: classes(queue) }).collect()
    }
}

/// The latencies in classes whose widths grow with the latency.
fn classes(queue: &QueueCounters) -> Vec<LatencyClass> {
    let mut classes: Vec<LatencyClass> = Vec::new();
    for (latency, count) in queue.latencies() {
        match classes.last_mut() {
            Some(last) if latency < last.to => last.count += count,
            _ => {
                let (from, to) = class(latency);
                classes.push(LatencyClass { from, to, count });
            }
        }
    }
    classes
}

/// The class of a latency.
fn class(latency: u64) -> (u64, u64) {
    let number = ((latency.max(1) as f64).log2() * CLASSES_PER_DOUBLING + 1e-9).floor();
    let edge = |number: f64| warplab_metrics::whole_number((number / CLASSES_PER_DOUBLING).exp2().ceil());
    let (from, to) = (edge(number).min(latency), edge(number + 1.0));
    (if latency == 0 { 0 } else { from }, to.max(latency + 1))
}

#[cfg(test)]
mod tests {
    use super::{LatencyClass, class, classes};
    use warplab_trace::QueueCounters;

    #[test]
    fn every_latency_is_inside_its_class() {
        for latency in 0..5_000 {
            let (from, to) = class(latency);
            assert!((from..to).contains(&latency), "{latency}: {from}..{to}");
        }
    }

    #[test]
    fn latencies_that_are_alike_are_counted_together() {
        let mut queue = QueueCounters::default();
        for latency in [500, 501, 502, 2_000] {
            queue.passes(0, latency);
        }
        let found = classes(&queue);
        let counts: Vec<u64> = found.iter().map(|class| class.count).collect();
        assert_eq!(counts, [3, 1]);
        assert_eq!(found[0], LatencyClass { from: 407, to: 512, count: 3 });
    }
}
