//! A launch as JSON with stable keys.

use crate::header::Header;
use crate::printed::PrintedOutput;
use serde::Serialize;
use std::collections::BTreeMap;
use warplab_metrics::{LaunchInfo, SectionValues, Value};
use warplab_trace::{LaunchCounters, QueueCounters};

/// Raised when a key changes its meaning or goes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    device: DeviceJson<'a>,
    #[serde(flatten)]
    report: LaunchReportJson<'a>,
    #[serde(skip_serializing_if = "PrintedOutput::is_empty")]
    printed: &'a PrintedOutput,
}

/// Several launches: what each gave, and the counters of all together.
#[derive(Serialize)]
struct SequenceDocument<'a> {
    schema_version: u32,
    device: DeviceJson<'a>,
    launches: Vec<LaunchReportJson<'a>>,
    total: TotalJson,
    #[serde(skip_serializing_if = "PrintedOutput::is_empty")]
    printed: &'a PrintedOutput,
}

#[derive(Serialize)]
struct TotalJson {
    counters: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct LaunchReportJson<'a> {
    launch: &'a LaunchInfo,
    sections: Vec<SectionJson<'a>>,
    metrics: BTreeMap<&'a str, MetricJson<'a>>,
    counters: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct DeviceJson<'a> {
    name: &'a str,
    architecture: &'a str,
}

#[derive(Serialize)]
struct SectionJson<'a> {
    name: &'a str,
    title: &'a str,
    metrics: Vec<&'a str>,
    verdicts: Vec<VerdictJson<'a>>,
}

#[derive(Serialize)]
struct VerdictJson<'a> {
    kind: &'a str,
    rule: &'a str,
    text: &'a str,
    metrics: &'a [&'static str],
}

#[derive(Serialize)]
struct MetricJson<'a> {
    label: &'a str,
    unit: &'a str,
    value: serde_json::Value,
}

/// What one launch gave.
#[derive(Clone, Copy, Debug)]
pub struct LaunchReport<'a> {
    /// The launch and the machine.
    pub header: &'a Header,
    /// Its metrics and verdicts.
    pub sections: &'a [SectionValues],
    /// The bare counters.
    pub counters: &'a LaunchCounters,
}

/// A launch as JSON: header, sections with verdicts, every metric in base units by id, the bare counters, and what the
/// threads printed, if they did.
#[must_use]
pub fn json(report: LaunchReport<'_>, printed: &PrintedOutput) -> String {
    text(&Document {
        schema_version: SCHEMA_VERSION,
        device: device_json(report.header),
        report: launch_report_json(report),
        printed,
    })
}

/// Several launches as JSON: each as in [`json`], and the counters of all together.
#[must_use]
pub fn sequence_json(
    launches: &[LaunchReport<'_>],
    total: &LaunchCounters,
    printed: &PrintedOutput,
) -> String {
    let Some(first) = launches.first() else { return String::new() };
    text(&SequenceDocument {
        schema_version: SCHEMA_VERSION,
        device: device_json(first.header),
        launches: launches.iter().copied().map(launch_report_json).collect(),
        total: TotalJson { counters: counters_json(total) },
        printed,
    })
}

fn text(document: &impl Serialize) -> String {
    // These types have nothing that JSON cannot hold.
    serde_json::to_string_pretty(document).map(|text| text + "\n").unwrap_or_default()
}

fn device_json(header: &Header) -> DeviceJson<'_> {
    DeviceJson { name: &header.device.name, architecture: &header.device.architecture }
}

fn launch_report_json(report: LaunchReport<'_>) -> LaunchReportJson<'_> {
    LaunchReportJson {
        launch: &report.header.launch,
        sections: report.sections.iter().map(section_json).collect(),
        metrics: report.sections.iter().flat_map(|section| &section.rows).map(metric_json).collect(),
        counters: counters_json(report.counters),
    }
}

fn section_json(values: &SectionValues) -> SectionJson<'_> {
    let verdicts = values.verdicts.iter().map(|verdict| VerdictJson {
        kind: verdict.kind.mark(),
        rule: verdict.rule,
        text: &verdict.text,
        metrics: &verdict.based_on,
    });
    SectionJson {
        name: values.section.name,
        title: values.section.title,
        metrics: values.rows.iter().map(|row| row.metric.id).collect(),
        verdicts: verdicts.collect(),
    }
}

fn metric_json(row: &warplab_metrics::MetricRow) -> (&str, MetricJson<'_>) {
    let value = match &row.value {
        Value::Integer(count) => (*count).into(),
        Value::Real(real) => (*real).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Absent => serde_json::Value::Null,
    };
    (row.metric.id, MetricJson { label: row.metric.label, unit: row.metric.unit.name(), value })
}

/// The counters by name, those of all units of a kind summed.
fn counters_json(counters: &LaunchCounters) -> BTreeMap<String, u64> {
    let sm = &counters.sm;
    let memory = &counters.memory;
    let groups = [
        ("l1", sm.l1.named()),
        ("shared", sm.shared.named()),
        ("l2", memory.l2.named()),
        ("dram", memory.dram.named()),
    ];
    let mut all: BTreeMap<String, u64> = groups
        .into_iter()
        .flat_map(|(group, named)| {
            named.into_iter().map(move |(name, count)| (format!("{group}.{name}"), count))
        })
        .collect();
    let single = [
        ("elapsed_cycles", counters.elapsed_cycles),
        ("first_issue", counters.first_issue),
        ("last_issue", counters.last_issue),
        ("multiprocessors", counters.multiprocessors),
        ("active_multiprocessors", counters.active_multiprocessors),
        ("partitions", counters.partitions),
        ("ticks_per_cycle", counters.ticks_per_cycle),
        ("sm.active_cycles", sm.active_cycles),
        ("sm.blocks", sm.blocks),
        ("sm.warps", sm.warps),
        ("instructions.warp", sm.instructions.warp),
        ("instructions.thread", sm.instructions.thread),
        ("instructions.branches", sm.instructions.branches),
        ("instructions.divergent_branches", sm.instructions.divergent_branches),
    ];
    all.extend(single.map(|(name, count)| (name.to_owned(), count)));
    for (name, queue) in counters.queues() {
        all.extend(queue_json(name, queue));
    }
    all
}

fn queue_json(name: &str, queue: &QueueCounters) -> [(String, u64); 5] {
    [
        ("arrivals", queue.arrivals),
        ("departures", queue.departures),
        ("total_latency", queue.total_latency),
        ("longest_latency", queue.longest),
        ("occupancy_cycles", queue.occupancy_cycles()),
    ]
    .map(|(field, count)| (format!("queue.{name}.{field}"), count))
}
