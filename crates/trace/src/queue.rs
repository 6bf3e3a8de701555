//! What is needed to check Little's law on a queue: arrivals, departures, time inside, and how many were inside.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::AddAssign;

/// The largest latency that is told from larger ones.
const LARGEST: u64 = 1 << 32;
/// Latencies below this have a class each; then half as many classes lie between each power of two and the next.
const SINGLE: u64 = 256;
/// Classes that come into being together.
const CLASSES_AT_ONCE: usize = 128;

/// Everything that entered and left one queue (or equal queues together). Moments and latencies are cycles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QueueCounters {
    /// How many entered.
    pub arrivals: u64,
    /// How many left.
    pub departures: u64,
    /// Time inside, summed over those that left.
    pub total_latency: u64,
    /// The longest time inside.
    pub longest: u64,
    /// The moments of arrivals and of departures, summed (modulo 2^64): their difference is the occupancy summed over
    /// cycles, counted without knowing who stayed how long.
    arrival_moments: u64,
    departure_moments: u64,
    latencies: Latencies,
}

/// How often latencies of each class occurred, up to the longest; the classes are those of the histogram.
#[derive(Clone, Debug)]
struct Latencies {
    counts: Vec<u64>,
    /// The classes of the last ones, which are not counted yet, and how many these are: counting many at once costs the host
    /// less than one now and one then, when it has not had the counts for long.
    last: [u16; COUNTED_AT_ONCE],
    uncounted: usize,
}

/// Latencies that are counted at once.
const COUNTED_AT_ONCE: usize = 64;

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies { counts: Vec::new(), last: [0; COUNTED_AT_ONCE], uncounted: 0 }
    }
}

impl Latencies {
    #[inline]
    fn record(&mut self, latency: u64) {
        self.last[self.uncounted % COUNTED_AT_ONCE] = class_of(latency.min(LARGEST)) as u16;
        self.uncounted += 1;
        if self.uncounted == COUNTED_AT_ONCE {
            self.count_last();
        }
    }

    #[inline(never)]
    fn count_last(&mut self) {
        let longest = self.last.iter().fold(0, |longest, &class| longest.max(class));
        self.make_room(usize::from(longest));
        let counts = &mut self.counts[..];
        self.last.iter().for_each(|&class| counts[usize::from(class)] += 1);
        self.uncounted = 0;
    }

    /// The classes that are not counted yet.
    fn uncounted(&self) -> &[u16] {
        &self.last[..self.uncounted]
    }

    fn count(&mut self, class: usize, count: u64) {
        self.make_room(class);
        self.counts[class] += count;
    }

    /// Room for latencies of a class and all below.
    #[inline]
    fn make_room(&mut self, class: usize) {
        if class >= self.counts.len() {
            self.counts.resize((class + 1).next_multiple_of(CLASSES_AT_ONCE), 0);
        }
    }

    /// All of them as one histogram.
    fn histogram(&self) -> Option<Box<Histogram<u64>>> {
        if self.counts.is_empty() && self.uncounted == 0 {
            return None;
        }
        // Two significant digits: bounds that are always valid.
        let mut all = Box::new(Histogram::new(2).expect("two significant digits are allowed"));
        let last = self.uncounted().iter().map(|&class| (usize::from(class), 1));
        let counted = self.counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
        for (class, count) in counted.chain(last) {
            // It resizes itself, so that recording cannot fail.
            let _ = all.record_n(least_of(class), count);
        }
        Some(all)
    }
}

/// The class of a latency.
#[inline]
fn class_of(latency: u64) -> usize {
    if latency < SINGLE {
        return latency as usize;
    }
    let doublings = (latency | (SINGLE - 1)).ilog2() - (SINGLE - 1).ilog2();
    (u64::from(doublings) * (SINGLE / 2) + (latency >> doublings)) as usize
}

/// The least latency of a class.
fn least_of(class: usize) -> u64 {
    let class = class as u64;
    let doublings = (class / (SINGLE / 2)).saturating_sub(1);
    (class - doublings * (SINGLE / 2)) << doublings
}

impl PartialEq for QueueCounters {
    fn eq(&self, other: &Self) -> bool {
        let sums = |queue: &QueueCounters| {
            (queue.arrivals, queue.departures, queue.total_latency, queue.longest, queue.occupancy_cycles())
        };
        sums(self) == sums(other) && self.percentiles() == other.percentiles()
    }
}

impl Eq for QueueCounters {}

impl QueueCounters {
    /// Something enters.
    #[inline]
    pub fn enters(&mut self, at: u64) {
        self.arrivals += 1;
        self.arrival_moments = self.arrival_moments.wrapping_add(at);
    }

    /// So many enter at once.
    #[inline]
    pub fn enter_together(&mut self, at: u64, count: u64) {
        self.arrivals += count;
        self.arrival_moments = self.arrival_moments.wrapping_add(at.wrapping_mul(count));
    }

    /// Something leaves that entered at `since`.
    #[inline(always)]
    pub fn leaves(&mut self, at: u64, since: u64) {
        let latency = at - since;
        self.departures += 1;
        self.departure_moments = self.departure_moments.wrapping_add(at);
        self.total_latency += latency;
        self.longest = self.longest.max(latency);
        self.latencies.record(latency);
    }

    /// Something passes whose way is known as soon as it enters.
    #[inline]
    pub fn passes(&mut self, from: u64, to: u64) {
        self.enters(from);
        self.leaves(to, from);
    }

    /// Takes the counts of those that have left; those still inside are counted with what follows.
    #[must_use]
    pub fn take(&mut self) -> QueueCounters {
        // Of those that left, departures minus arrivals are the latencies: the rest of the arrivals is of those inside.
        let left = self.departure_moments.wrapping_sub(self.total_latency);
        let remaining = QueueCounters {
            arrivals: self.arrivals - self.departures,
            arrival_moments: self.arrival_moments.wrapping_sub(left),
            ..QueueCounters::default()
        };
        let taken = std::mem::replace(self, remaining);
        QueueCounters { arrivals: taken.departures, arrival_moments: left, ..taken }
    }

    /// Those that are inside are counted up to `now`: [`QueueCounters::occupancy_cycles`] is what it is so far, and more
    /// than the sum of the latencies of those that have left.
    pub fn count_inside(&mut self, now: u64) {
        let inside = self.arrivals - self.departures;
        let stood = self.departure_moments.wrapping_add(now.wrapping_mul(inside));
        // What is known to enter later has not been inside yet.
        let so_far = i64::try_from(stood.wrapping_sub(self.arrival_moments)).unwrap_or(0);
        self.departure_moments = self.arrival_moments.wrapping_add(so_far as u64);
    }

    /// How many were inside, summed over cycles, once everything that entered has left. By Little's law this is the sum
    /// of latencies.
    #[must_use]
    pub fn occupancy_cycles(&self) -> u64 {
        self.departure_moments.wrapping_sub(self.arrival_moments)
    }

    /// How often each latency occurred, to two significant digits: the largest latency of each class and its count, in
    /// order.
    #[must_use]
    pub fn latencies(&self) -> Vec<(u64, u64)> {
        let classes = |histogram: Box<Histogram<u64>>| {
            let values = histogram.iter_recorded();
            values.map(|value| (value.value_iterated_to(), value.count_at_value())).collect()
        };
        self.latencies.histogram().map_or_else(Vec::new, classes)
    }

    /// The latencies that half and 99 % of those that left do not exceed, to two significant digits.
    #[must_use]
    pub fn percentiles(&self) -> [u64; 2] {
        match self.latencies.histogram() {
            Some(histogram) => [0.5, 0.99].map(|share| histogram.value_at_quantile(share).min(self.longest)),
            None => [0; 2],
        }
    }
}

/// In a checkpoint: every latency that the histogram tells apart with its count.
impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let recorded = self.histogram().map(|histogram| {
            let values = histogram.iter_recorded();
            values.map(|value| (value.value_iterated_to(), value.count_at_value())).collect::<Vec<_>>()
        });
        recorded.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Latencies, D::Error> {
        let recorded = Option::<Vec<(u64, u64)>>::deserialize(deserializer)?;
        let mut latencies = Latencies::default();
        for (latency, count) in recorded.into_iter().flatten() {
            latencies.count(class_of(latency.min(LARGEST)), count);
        }
        Ok(latencies)
    }
}

impl AddAssign<&Latencies> for Latencies {
    fn add_assign(&mut self, other: &Latencies) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, other)| *own += other);
        other.uncounted().iter().for_each(|&class| self.count(usize::from(class), 1));
    }
}

impl AddAssign<&QueueCounters> for QueueCounters {
    fn add_assign(&mut self, other: &QueueCounters) {
        self.arrivals += other.arrivals;
        self.departures += other.departures;
        self.total_latency += other.total_latency;
        self.longest = self.longest.max(other.longest);
        self.arrival_moments = self.arrival_moments.wrapping_add(other.arrival_moments);
        self.departure_moments = self.departure_moments.wrapping_add(other.departure_moments);
        self.latencies += &other.latencies;
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, QueueCounters, class_of, least_of};
    use hdrhistogram::Histogram;

    fn queue(visits: &[(u64, u64)]) -> QueueCounters {
        let mut queue = QueueCounters::default();
        for &(from, to) in visits {
            queue.passes(from, to);
        }
        queue
    }

    #[test]
    fn queues_of_equal_units_add_up() {
        let mut one = queue(&[(5, 15)]);
        one += &queue(&[(0, 30), (10, 60)]);
        assert_eq!((one.arrivals, one.total_latency, one.longest), (3, 90, 50));
        assert_eq!(one.percentiles(), [30, 50]);
    }

    #[test]
    fn the_occupancy_summed_over_cycles_is_the_sum_of_latencies() {
        // One inside from 0 to 2 and from 5 to 8, two from 2 to 5: 2 + 3 + 6.
        assert_eq!(queue(&[(0, 5), (2, 8)]).occupancy_cycles(), 11);
    }

    #[test]
    fn what_is_inside_when_the_counters_are_taken_is_counted_with_what_follows() {
        let mut queue = queue(&[(0, 30)]);
        queue.enters(10);
        let taken = queue.take();
        assert_eq!((taken.arrivals, taken.departures, taken.occupancy_cycles()), (1, 1, 30));
        queue.leaves(50, 10);
        assert_eq!(
            (queue.arrivals, queue.departures, queue.occupancy_cycles(), queue.total_latency),
            (1, 1, 40, 40)
        );
    }

    #[test]
    fn what_is_inside_counts_up_to_now() {
        let mut queue = queue(&[(0, 30)]);
        queue.enters(10);
        queue.count_inside(50);
        assert_eq!((queue.occupancy_cycles(), queue.total_latency), (30 + 40, 30));
        let mut later = QueueCounters::default();
        later.enters(60);
        later.count_inside(50);
        assert_eq!(later.occupancy_cycles(), 0);
    }

    #[test]
    fn many_that_enter_at_once_are_as_one_after_the_other() {
        let [mut together, mut each] = [0; 2].map(|_| QueueCounters::default());
        together.enter_together(7, 3);
        (0..3).for_each(|_| each.enters(7));
        for queue in [&mut together, &mut each] {
            (0..3).for_each(|_| queue.leaves(20, 7));
        }
        assert_eq!((together.arrivals, together.occupancy_cycles()), (3, 39));
        assert_eq!(together, each);
    }

    #[test]
    fn what_leaves_with_a_wrong_moment_of_arrival_breaks_the_law() {
        let mut queue = QueueCounters::default();
        queue.enters(10);
        queue.leaves(20, 11);
        assert_eq!((queue.occupancy_cycles(), queue.total_latency), (10, 9));
    }

    #[test]
    fn classes_are_those_of_a_histogram_of_two_significant_digits() {
        let mut histogram = Histogram::<u64>::new(2).unwrap();
        histogram.record(LARGEST).unwrap();
        for latency in (0..10_000).chain((14..=32).flat_map(|bits| [(1 << bits) - 1, 1 << bits])) {
            assert_eq!(least_of(class_of(latency)), histogram.lowest_equivalent(latency), "{latency}");
        }
    }

    #[test]
    fn every_latency_is_in_one_class() {
        let queue = queue(&[(0, 1), (0, 500), (10, 510), (0, 70_000)]);
        let counts: Vec<u64> = queue.latencies().into_iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [1, 2, 1]);
    }

    #[test]
    fn latencies_far_apart_are_told_apart() {
        let queue = queue(&[(0, 1), (0, 500), (0, 500), (0, 70_000)]);
        let [median, _] = queue.percentiles();
        assert!((500..=503).contains(&median), "{median}");
        assert_eq!(queue.longest, 70_000);
    }
}
