//! What is needed to check Little's law on a queue: arrivals, time inside, and how many were inside.

use hdrhistogram::Histogram;
use std::ops::AddAssign;

/// The largest latency that the histogram tells apart.
const LARGEST: u64 = 1 << 32;

/// Everything that entered and left one queue (or equal queues together).
#[derive(Clone, Debug, Default)]
pub struct QueueCounters {
    /// How many entered.
    pub arrivals: u64,
    /// How many left.
    pub departures: u64,
    /// Time inside, summed over those that left.
    pub total_latency: u64,
    latencies: Option<Box<Histogram<u64>>>,
}

impl PartialEq for QueueCounters {
    fn eq(&self, other: &Self) -> bool {
        (self.arrivals, self.departures, self.total_latency)
            == (other.arrivals, other.departures, other.total_latency)
            && self.percentiles() == other.percentiles()
    }
}

impl Eq for QueueCounters {}

impl QueueCounters {
    /// Something that entered left after `latency`.
    pub fn passed(&mut self, latency: u64) {
        self.arrivals += 1;
        self.departures += 1;
        self.total_latency += latency;
        let histogram = self.latencies.get_or_insert_with(new_histogram);
        // It resizes itself, so that recording cannot fail.
        let _ = histogram.record(latency.min(LARGEST));
    }

    /// The latencies below which half, 99 % and all of those that left lie.
    #[must_use]
    pub fn percentiles(&self) -> [u64; 3] {
        match &self.latencies {
            Some(histogram) => {
                [histogram.value_at_quantile(0.5), histogram.value_at_quantile(0.99), histogram.max()]
            }
            None => [0; 3],
        }
    }
}

fn new_histogram() -> Box<Histogram<u64>> {
    // Two significant digits: bounds that are always valid.
    Box::new(Histogram::new(2).expect("two significant digits are allowed"))
}

impl AddAssign<&QueueCounters> for QueueCounters {
    fn add_assign(&mut self, other: &QueueCounters) {
        self.arrivals += other.arrivals;
        self.departures += other.departures;
        self.total_latency += other.total_latency;
        if let Some(theirs) = &other.latencies {
            let mine = self.latencies.get_or_insert_with(new_histogram);
            // Both resize themselves, so that adding cannot fail.
            let _ = mine.add(theirs.as_ref());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::QueueCounters;

    #[test]
    fn queues_of_equal_units_add_up() {
        let mut one = QueueCounters::default();
        one.passed(10);
        let mut other = QueueCounters::default();
        other.passed(30);
        other.passed(50);
        one += &other;
        assert_eq!((one.arrivals, one.total_latency, one.percentiles()), (3, 90, [30, 50, 50]));
    }

    #[test]
    fn latencies_far_apart_are_told_apart() {
        let mut queue = QueueCounters::default();
        for latency in [1, 500, 500, 70_000] {
            queue.passed(latency);
        }
        let [median, _, most] = queue.percentiles();
        assert!((500..=503).contains(&median), "{median}");
        assert!((70_000..=70_656).contains(&most), "{most}");
    }
}
