//! The memory system as a chart: units, and what flowed between them.

use crate::context::Context;
use crate::peaks::{self, Over, cluster_bytes};
use serde::Serialize;
use warplab_units::SECTOR_BYTES;

/// What one arrow of the chart carried.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Flow {
    /// The unit that sends.
    pub from: &'static str,
    /// The unit that receives.
    pub to: &'static str,
    /// What is sent.
    pub what: &'static str,
    /// Instructions or requests, where they are counted.
    pub requests: Option<u64>,
    /// Sectors, or passes of shared memory.
    pub sectors: Option<u64>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// The share of the bandwidth of this way, in per cent.
    pub bandwidth: Option<f64>,
}

/// A unit of the chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unit {
    /// Its name in flows.
    pub name: &'static str,
    /// Its name on the chart.
    pub label: &'static str,
    /// How busy it was, in per cent.
    pub busy: Option<f64>,
    /// The id of the metric that says so, where there is one.
    pub busy_metric: Option<&'static str>,
    /// The id of the metric of its hit rate.
    pub hit_rate_metric: Option<&'static str>,
    /// How many equal parts it has on the chip.
    pub parts: u64,
}

/// The whole chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryChart {
    /// The units from the multiprocessor down.
    pub units: Vec<Unit>,
    /// What flowed.
    pub flows: Vec<Flow>,
}

/// What moved between the parts of the memory system.
#[must_use]
pub fn memory_chart(context: &Context<'_>) -> MemoryChart {
    let mut chart = MemoryChart { units: units(context), flows: flows(context) };
    if let Some(peak) = peaks::fabric_bytes_per_cycle(context) {
        chart.units.extend([("l2_near", "L2 Near Half"), ("l2_far", "L2 Far Half")].map(Unit::part));
        chart.flows.extend(between_halves(context, peak));
    }
    chart
}

impl Unit {
    /// A unit of which nothing is measured apart.
    fn part((name, label): (&'static str, &'static str)) -> Unit {
        Unit { name, label, busy: None, busy_metric: None, hit_rate_metric: None, parts: 1 }
    }
}

fn units(context: &Context<'_>) -> Vec<Unit> {
    let counters = context.counters;
    let shared_cycles =
        peaks::shared_wavefronts(context) * u64::from(context.config.multiprocessor.shared.pass_interval);
    let unit = |name, label, parts| Unit { parts, ..Unit::part((name, label)) };
    vec![
        Unit {
            busy: Some(peaks::compute(context, Over::Elapsed)),
            busy_metric: Some("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            ..unit("sm", "SM", counters.multiprocessors)
        },
        Unit {
            busy: Some(share(shared_cycles as f64, context.elapsed() * context.multiprocessors())),
            ..unit("shared", "Shared Memory", counters.multiprocessors)
        },
        Unit {
            busy: Some(peaks::level_one(context, Over::Active)),
            busy_metric: Some("l1tex__throughput.avg.pct_of_peak_sustained_active"),
            hit_rate_metric: Some("l1tex__t_sector_hit_rate.pct"),
            ..unit("l1", "L1/TEX Cache", counters.multiprocessors)
        },
        Unit {
            busy: Some(peaks::level_two(context)),
            busy_metric: Some("lts__throughput.avg.pct_of_peak_sustained_elapsed"),
            hit_rate_metric: Some("lts__t_sector_hit_rate.pct"),
            ..unit("l2", "L2 Cache", u64::from(context.config.l2.halves))
        },
        Unit {
            busy: Some(peaks::dram(context)),
            busy_metric: Some("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            hit_rate_metric: Some("warplab__dram_row_hit_rate.pct"),
            ..unit("dram", "Device Memory", counters.partitions)
        },
    ]
}

fn flows(context: &Context<'_>) -> Vec<Flow> {
    let (l1, shared) = (&context.counters.sm.l1, &context.counters.sm.shared);
    let dram = &context.counters.memory.dram;
    let ways = Ways::of(context);
    let sectors = |from, to, what, requests, count, peak| Flow {
        requests,
        ..Flow::of_sectors(context, (from, to), what, count, peak)
    };
    let interval = u64::from(context.config.multiprocessor.shared.pass_interval);
    let passes = |from, to, what, requests, passes: u64| Flow {
        from,
        to,
        what,
        requests: Some(requests),
        sectors: Some(passes),
        bandwidth: Some(share((passes * interval) as f64, context.elapsed() * context.multiprocessors())),
        ..Flow::default()
    };
    let device = |from, to, what, bytes| Flow {
        from,
        to,
        what,
        sectors: Some(bytes / SECTOR_BYTES),
        bytes: Some(bytes),
        bandwidth: Some(share(bytes as f64, context.config.dram_bytes_per_second() * context.seconds())),
        ..Flow::default()
    };
    let atomics = l1.global_atomic_requests + l1.global_reduction_requests;
    let atomic_sectors = l1.global_atomic_sectors + l1.global_reduction_sectors;
    let (read, written) = peaks::exchanged_with_sms(&context.counters.memory.l2);
    let level_one = ways.level_one;
    vec![
        sectors("l1", "sm", "global loads", Some(l1.global_load_requests), l1.global_load_sectors, level_one),
        sectors(
            "sm",
            "l1",
            "global stores",
            Some(l1.global_store_requests),
            l1.global_store_sectors,
            level_one,
        ),
        sectors("sm", "l1", "global atomics", Some(atomics), atomic_sectors, level_one),
        sectors("l1", "sm", "local loads", Some(l1.local_load_requests), l1.local_load_sectors, level_one),
        sectors("sm", "l1", "local stores", Some(l1.local_store_requests), l1.local_store_sectors, level_one),
        passes("shared", "sm", "shared loads", shared.load_requests, shared.load_wavefronts),
        passes("sm", "shared", "shared stores", shared.store_requests, shared.store_wavefronts),
        passes("sm", "shared", "shared atomics", shared.atomic_requests, shared.atomic_wavefronts),
        sectors("l2", "l1", "reads", None, read, ways.receive),
        sectors("l1", "l2", "writes and atomics", None, written, ways.send),
        device("dram", "l2", "reads", dram.read_bytes),
        device("l2", "dram", "writes", dram.written_bytes),
    ]
}

impl Flow {
    /// Sectors on a way that carries at most `peak` bytes per cycle.
    fn of_sectors(
        context: &Context<'_>,
        (from, to): (&'static str, &'static str),
        what: &'static str,
        sectors: u64,
        peak: f64,
    ) -> Flow {
        let bytes = sectors * SECTOR_BYTES;
        let bandwidth = Some(share(bytes as f64, peak * context.elapsed()));
        Flow { from, to, what, requests: None, sectors: Some(sectors), bytes: Some(bytes), bandwidth }
    }
}

/// What the half that multiprocessors ask and the one where a line is at home send each other.
fn between_halves(context: &Context<'_>, peak: f64) -> [Flow; 2] {
    let l2 = &context.counters.memory.l2;
    let (near, far) = ("l2_near", "l2_far");
    let read = l2.far_read_sectors + l2.far_atomic_sectors;
    let written = l2.far_write_sectors + l2.far_atomic_sectors + l2.far_reduction_sectors;
    [
        Flow::of_sectors(context, (near, far), "writes and atomics", written, peak),
        Flow::of_sectors(context, (far, near), "reads", read, peak),
    ]
}

/// What the ways between the units can carry, in bytes per cycle of the whole chip.
struct Ways {
    level_one: f64,
    receive: f64,
    send: f64,
}

impl Ways {
    fn of(context: &Context<'_>) -> Ways {
        let (sms, crossbar) = (context.multiprocessors(), &context.config.crossbar);
        Ways {
            level_one: sms * f64::from(context.config.multiprocessor.l1.bytes_per_cycle),
            receive: cluster_bytes(context, crossbar.sm_receive_bytes, crossbar.cluster_receive_bytes),
            send: cluster_bytes(context, crossbar.sm_send_bytes, crossbar.cluster_send_bytes),
        }
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{MemoryChart, memory_chart};
    use crate::context::Context;
    use crate::evaluate;
    use crate::test_launch::{config, counters, fit, launch, with};
    use crate::value::Value;
    use warplab_trace::LaunchCounters;

    fn chart() -> MemoryChart {
        with(&counters(), &launch(), memory_chart)
    }

    #[test]
    fn an_arrow_carries_32_bytes_a_sector() {
        let chart = chart();
        let loads = chart.flows.iter().find(|flow| flow.what == "global loads").unwrap();
        assert_eq!(
            (loads.requests, loads.sectors, loads.bytes),
            (Some(8_000), Some(32_000), Some(1_024_000))
        );
    }

    /// Some of what multiprocessors ask is at home in the other half, which counts it again.
    fn far(counters: &mut LaunchCounters) {
        let l2 = &mut counters.memory.l2;
        (l2.read_sectors, l2.far_read_sectors) = (34_000, 10_000);
        (l2.write_sectors, l2.far_write_sectors) = (12_000, 4_000);
        (l2.atomic_sectors, l2.far_atomic_sectors) = (3_000, 1_000);
        (l2.reduction_sectors, l2.far_reduction_sectors) = (700, 200);
    }

    fn carried(chart: &MemoryChart, from: &str, to: &str) -> (u64, f64) {
        let flow = chart.flows.iter().find(|flow| flow.from == from && flow.to == to).unwrap();
        (flow.sectors.unwrap(), flow.bandwidth.unwrap())
    }

    #[test]
    fn what_the_other_half_of_level_two_was_asked_counts_once_between_the_levels() {
        let mut counters = counters();
        far(&mut counters);
        let chart = with(&counters, &launch(), memory_chart);
        assert_eq!(carried(&chart, "l2", "l1").0, 24_000 + 2_000);
        assert_eq!(carried(&chart, "l1", "l2").0, 8_000 + 2_000 + 500);
    }

    #[test]
    fn the_halves_of_level_two_share_a_link_of_17_bytes_a_slice_and_cycle() {
        let mut counters = counters();
        far(&mut counters);
        let chart = with(&counters, &launch(), memory_chart);
        let peak = 96.0 * 17.0 * (config().clocks.l2_mhz / config().clocks.sm_mhz) * 1_000.0;
        let of_peak = |sectors: u64| (sectors, 100.0 * (sectors * 32) as f64 / peak);
        assert_eq!(carried(&chart, "l2_far", "l2_near"), of_peak(11_000));
        assert_eq!(carried(&chart, "l2_near", "l2_far"), of_peak(5_200));
    }

    #[test]
    fn a_machine_with_one_level_two_has_no_halves() {
        let mut config = config();
        config.l2.halves = 1;
        let (counters, launch, occupancy) = (counters(), launch(), fit(&config));
        let context =
            Context { counters: &counters, config: &config, occupancy: &occupancy, launch: &launch };
        let chart = memory_chart(&context);
        let names: Vec<_> = chart.units.iter().map(|unit| unit.name).collect();
        assert_eq!(names, ["sm", "shared", "l1", "l2", "dram"]);
        assert!(chart.flows.iter().all(|flow| names.contains(&flow.from) && names.contains(&flow.to)));
    }

    #[test]
    fn a_unit_is_as_busy_as_its_metric_says() {
        let sections = with(&counters(), &launch(), evaluate);
        let rows: Vec<_> = sections.iter().flat_map(|section| &section.rows).collect();
        for unit in chart().units {
            let Some(id) = unit.busy_metric else { continue };
            let row = rows.iter().find(|row| row.metric.id == id).unwrap();
            assert_eq!(row.value, Value::Real(unit.busy.unwrap()), "{id}");
        }
    }
}
