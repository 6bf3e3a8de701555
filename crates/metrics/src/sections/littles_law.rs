//! Arrivals, latencies and numbers in flight of every queue.

use crate::context::Context;
use crate::metric::{Metric, Section};
use crate::value::Unit::{Count, None};
use crate::value::Value;
use warplab_trace::QueueCounters;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "littles-law",
    title: "Little's Law",
    description: "For every queue the mean number in flight is the arrival rate times the mean latency. To reach a rate, \
                  that many must be in flight: more warps, or more independent accesses per thread.",
    metrics: METRICS,
};

fn loads<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.sm.loads
}

fn memory_queue<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.sm.memory_queue
}

fn l1_misses<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.sm.l1_misses
}

fn send_port<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.sm.send_port
}

fn crossbar_requests<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.crossbar.requests
}

fn crossbar_replies<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.crossbar.replies
}

fn l2_requests<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.memory.l2_requests
}

fn dram_requests<'a>(context: &Context<'a>) -> &'a QueueCounters {
    &context.counters.memory.dram_requests
}

macro_rules! queues {
    ($($id:literal, $label:literal, $what:literal, $queue:ident;)*) => {
        &[$(
            Metric::shown(
                concat!("warplab__queue_", $id, "_arrivals.sum"),
                concat!($label, " Arrivals"),
                None,
                concat!("all ", $what),
                concat!("How many ", $what, " there were."),
                |c| $queue(c).arrivals.into(),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_arrivals.sum.per_cycle_elapsed"),
                concat!($label, " Arrival Rate"),
                Count("1/cycle"),
                concat!($what, " / elapsed cycles"),
                concat!("Rate of ", $what, ", for the whole chip."),
                |c| Value::ratio($queue(c).arrivals as f64, c.elapsed()),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_latency.avg"),
                concat!($label, " Mean Latency"),
                Count("cycle"),
                "time inside, summed / departures",
                concat!("Mean time of ", $what, "."),
                |c| Value::Real(Context::mean_latency($queue(c))),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_latency.p50"),
                concat!($label, " Latency p50"),
                Count("cycle"),
                "half of the latencies are at most this (two significant digits)",
                concat!("The latency that half of ", $what, " stay under."),
                |c| $queue(c).percentiles()[0].into(),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_latency.p99"),
                concat!($label, " Latency p99"),
                Count("cycle"),
                "99 % of the latencies are at most this (two significant digits)",
                concat!("The latency that 99 % of ", $what, " stay under."),
                |c| $queue(c).percentiles()[1].into(),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_latency.max"),
                concat!($label, " Latency Max"),
                Count("cycle"),
                "the largest latency",
                concat!("The longest time of ", $what, "."),
                |c| $queue(c).longest.into(),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_in_flight.avg"),
                concat!($label, " Mean In Flight"),
                None,
                "how many were inside, summed over cycles / elapsed cycles",
                concat!("Mean number of ", $what, " at a time, for the whole chip."),
                |c| Value::ratio($queue(c).occupancy_cycles() as f64, c.elapsed()),
            ),
            Metric::shown(
                concat!("warplab__queue_", $id, "_littles_law.product"),
                concat!($label, " Rate x Latency"),
                None,
                "arrival rate x mean latency",
                "Little's law: equal to the mean in flight once everything that entered has left.",
                |c| {
                    let queue = $queue(c);
                    Value::ratio(queue.arrivals as f64 * Context::mean_latency(queue), c.elapsed())
                },
            ),
        )*]
    };
}

const METRICS: &[Metric] = queues! {
    "loads", "Loads", "loads and atomics with a result, on global or local memory, between issue and data", loads;
    "memory", "Memory Queue", "memory instructions between issue and level one", memory_queue;
    "l1_misses", "L1 Misses", "lines under way between level one and level two", l1_misses;
    "send_port", "SM Port", "requests that wait for the port of their multiprocessor and pass it", send_port;
    "requests", "Crossbar Requests", "requests between their multiprocessor and level two", crossbar_requests;
    "l2", "L2", "requests between their arrival at level two and the departure of their reply", l2_requests;
    "dram", "DRAM", "reads between their arrival at DRAM and their data", dram_requests;
    "replies", "Crossbar Replies", "replies between level two and their multiprocessor", crossbar_replies;
};
