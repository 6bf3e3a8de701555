//! The figures of an experiment as SVG: its plots, and what happened when at its points.

use super::charts::chart;
use super::dram::Burst;
use super::report::ExperimentReport;
use std::collections::BTreeSet;
use std::ops::Range;
use warplab_config::experiment::Shown;
use warplab_metrics::integer_text;
use warplab_report::{
    Lane, Panel, TimelinePanel, TrackBox, Tracks, WarpRecord, chart_svg, timelines_svg, tracks_svg,
};

/// At least so many cycles without a change are folded.
const FOLD: usize = 12;
/// Colours of bursts: a bank's work, and its data on the bus.
const WORK: &str = "#9ecae9";
const DATA: &str = "#d55e00";

/// Every figure of a report, in order: plots, timelines, bursts.
#[must_use]
pub fn figures(report: &ExperimentReport) -> Vec<String> {
    let mut figures: Vec<String> =
        report.experiment.plots.iter().map(|plot| chart_svg(&chart(report, plot))).collect();
    for shown in &report.experiment.show {
        figures.extend(match shown {
            Shown::Schedule => timelines(report, from_first_load),
            Shown::Timeline => timelines(report, whole),
            Shown::Bursts => Some(tracks_svg(&bursts(report))),
            Shown::Steps => None,
        });
    }
    figures
}

/// The timelines of all points at one scale.
fn timelines(
    report: &ExperimentReport,
    panel: fn(&WarpRecord) -> (WarpRecord, Range<u64>),
) -> Option<String> {
    let records = report.records.iter().zip(&report.labels);
    let shown: Vec<(&str, WarpRecord, Range<u64>)> = records
        .filter_map(|(record, label)| {
            let (record, cycles) = panel(record.warps.as_ref()?);
            Some((label.as_str(), record, cycles))
        })
        .collect();
    let panels: Vec<TimelinePanel<'_>> = shown
        .iter()
        .map(|(label, record, cycles)| TimelinePanel {
            title: (*label).to_owned(),
            record,
            cycles: cycles.clone(),
            origin: cycles.start,
        })
        .collect();
    (!panels.is_empty()).then(|| timelines_svg(&panels, &report.experiment.title, FOLD))
}

/// All warps from the first cycle on.
fn whole(record: &WarpRecord) -> (WarpRecord, Range<u64>) {
    (record.clone(), record.cycles())
}

/// The first warp, from its first load to its last instruction; cycles are counted from that load.
fn from_first_load(record: &WarpRecord) -> (WarpRecord, Range<u64>) {
    let first_warp = record.issues.first().map_or(0, |issue| issue.slot);
    let mut issues: Vec<_> = record.issues.iter().filter(|it| it.slot == first_warp).cloned().collect();
    let load = issues.iter().find(|issue| issue.opcode == "LDG").or(issues.first());
    let origin = load.map_or(0, |issue| issue.cycle);
    issues.retain(|issue| issue.cycle >= origin);
    let end = issues.last().map_or(origin, |issue| issue.cycle + 1);
    let inside = record.intervals.iter().filter(|it| it.slot.0 == first_warp && it.from.0 < end);
    (WarpRecord { schedulers: record.schedulers, intervals: inside.copied().collect(), issues }, origin..end)
}

/// A panel of banks for each point, with the bus below.
fn bursts(report: &ExperimentReport) -> Tracks {
    let points = report.records.iter().zip(&report.labels);
    Tracks {
        title: report.experiment.title.clone(),
        unit: "command clocks".to_owned(),
        panels: points.map(|(record, label)| banks(label, &record.bursts)).collect(),
        colours: vec![(WORK, "the bank works for a burst".to_owned()), (DATA, "data on the bus".to_owned())],
        letters: Vec::new(),
        fold: None,
    }
}

fn banks(label: &str, bursts: &[Burst]) -> Panel {
    let banks: BTreeSet<usize> = bursts.iter().map(|burst| burst.bank).collect();
    let mut lanes: Vec<Lane> = banks
        .into_iter()
        .map(|bank| {
            let own = bursts.iter().filter(|burst| burst.bank == bank);
            let boxes = own.flat_map(|burst| [work(burst), data(burst)]);
            Lane { name: format!("bank {bank}"), heads: false, boxes: boxes.collect() }
        })
        .collect();
    lanes.push(Lane { name: "bus".to_owned(), heads: true, boxes: bursts.iter().map(data).collect() });
    Panel { title: label.to_owned(), lanes }
}

fn work(burst: &Burst) -> TrackBox {
    clocks(burst, (burst.from, burst.data), WORK, "works for a burst")
}

fn data(burst: &Burst) -> TrackBox {
    clocks(burst, (burst.data, burst.end), DATA, "data on the bus")
}

fn clocks(burst: &Burst, (from, to): (u64, u64), colour: &'static str, what: &str) -> TrackBox {
    let says = format!("bank {}, clocks {} to {}: {what}", burst.bank, integer_text(from), integer_text(to));
    TrackBox { from, to, colour, letter: None, says }
}
