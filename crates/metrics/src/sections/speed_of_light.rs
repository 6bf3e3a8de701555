//! How close the kernel came to what the machine can do.

use crate::metric::{Metric, Section};
use crate::peaks::{self, Over};
use crate::value::Unit::{Count, Hertz, Nanoseconds, Percent};
use crate::value::Value;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "speed-of-light",
    title: "GPU Speed Of Light Throughput",
    description: "How much of the peak rate of the multiprocessors and of the memory system the kernel reached. Each \
                  row is the busiest of several units; 100 % cannot be passed.",
    metrics: METRICS,
};

const METRICS: &[Metric] = &[
    Metric::shown(
        "dram__cycles_elapsed.avg.per_second",
        "DRAM Frequency",
        Hertz,
        "clocks.dram_mhz of the machine",
        "The command clock of DRAM.",
        |c| Value::Real(c.config.clocks.dram_mhz * 1e6),
    ),
    Metric::shown(
        "sm__cycles_elapsed.avg.per_second",
        "SM Frequency",
        Hertz,
        "clocks.sm_mhz of the machine",
        "The clock of the multiprocessors: the unit of every cycle in this report.",
        |c| Value::Real(c.config.clocks.sm_mhz * 1e6),
    ),
    Metric::shown(
        "sm__cycles_elapsed.max",
        "Elapsed Cycles",
        Count("cycle"),
        "cycles from the start of the kernel to its end",
        "How long the kernel took, start and end of the launch included.",
        |c| c.counters.elapsed_cycles.into(),
    ),
    Metric::shown(
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "Memory Throughput",
        Percent,
        "the largest of level one, level two, crossbar and DRAM throughput over elapsed cycles",
        "How busy the busiest part of the memory system was. Under 60 % together with Compute (SM) Throughput means \
         that latency, not throughput, holds the kernel back; 80 % and over means that a part is saturated.",
        |c| Value::Real(peaks::memory(c)),
    ),
    Metric::shown(
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "DRAM Throughput",
        Percent,
        "bytes read and written / (peak bandwidth x duration)",
        "The share of the peak bandwidth of DRAM.",
        |c| Value::Real(peaks::dram(c)),
    ),
    Metric::raw(
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "DRAM Throughput (dram)",
        Percent,
        "bytes read and written / (peak bandwidth x duration)",
        "The same number under the name of the DRAM unit.",
        |c| Value::Real(peaks::dram(c)),
    ),
    Metric::shown(
        "gpu__time_duration.sum",
        "Duration",
        Nanoseconds,
        "elapsed cycles / SM frequency",
        "How long the kernel took.",
        |c| Value::Real(c.seconds() * 1e9),
    ),
    Metric::shown(
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
        "L1/TEX Cache Throughput",
        Percent,
        "the larger of tag cycles and data cycles (shared memory included) / active cycles",
        "How busy level one and shared memory were while their multiprocessor held a block.",
        |c| Value::Real(peaks::level_one(c, Over::Active)),
    ),
    Metric::shown(
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        "L2 Cache Throughput",
        Percent,
        "cycles in which slices delivered or took data / (slices x elapsed cycles)",
        "How busy the slices of level two were.",
        |c| Value::Real(peaks::level_two(c)),
    ),
    Metric::shown(
        "sm__cycles_active.avg",
        "SM Active Cycles",
        Count("cycle"),
        "cycles with a resident block, mean of all multiprocessors",
        "How long a multiprocessor held work. Far below Elapsed Cycles: the launch is short, the grid is small, or \
         the multiprocessors did not end together.",
        |c| Value::ratio(c.sm_active(), c.multiprocessors()),
    ),
    Metric::shown(
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "Compute (SM) Throughput",
        Percent,
        "the larger of issue slots used and the busiest pipe, over elapsed cycles",
        "How busy the multiprocessors were with issuing and computing.",
        |c| Value::Real(peaks::compute(c, Over::Elapsed)),
    ),
];
