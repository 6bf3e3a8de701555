//! Everything that the page shows.

use crate::Shown;
use crate::code::CodeDocument;
use crate::occupancy::OccupancyDocument;
use crate::queues::QueueDocument;
use crate::sections::{Change, SectionDocument};
use crate::timeline::TimelineDocument;
use serde::Serialize;
use warplab_metrics::{LaunchInfo, MemoryChart, Roofline, memory_chart, rooflines};
use warplab_trace::WarpState;

/// Raised when a key changes its meaning or goes.
pub const VERSION: u32 = 1;

/// Everything that the page shows.
#[derive(Debug, Serialize)]
pub struct PageDocument<'a> {
    format: &'static str,
    version: u32,
    simulator: &'a str,
    /// The states of a warp; the other parts name them by their place here.
    states: Vec<StateDocument>,
    launches: Vec<LaunchDocument<'a>>,
}

/// A state of a warp.
#[derive(Debug, Serialize)]
struct StateDocument {
    name: &'static str,
    label: &'static str,
    letter: char,
    colour: &'static str,
    metric: &'static str,
    description: &'static str,
    /// Its place among the states of a report.
    row: usize,
}

/// The machine.
#[derive(Debug, Serialize)]
struct DeviceDocument<'a> {
    name: &'a str,
    architecture: &'a str,
    multiprocessors: u32,
    schedulers: u32,
    warp_slots: u32,
    warp_lanes: u32,
    sm_mhz: f64,
}

/// One launch.
#[derive(Debug, Serialize)]
struct LaunchDocument<'a> {
    device: DeviceDocument<'a>,
    launch: &'a LaunchInfo,
    sections: Vec<SectionDocument<'a>>,
    /// The proposals, the most promising first.
    changes: Vec<Change>,
    /// Warp-cycles in each state.
    states: Vec<u64>,
    memory: MemoryChart,
    rooflines: Vec<Roofline>,
    occupancy: OccupancyDocument<'a>,
    queues: Vec<QueueDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodeDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<TimelineDocument>,
}

/// The document of some launches.
#[must_use]
pub fn page_document<'a>(simulator: &'a str, launches: &[Shown<'a>]) -> PageDocument<'a> {
    PageDocument {
        format: "warplab-page",
        version: VERSION,
        simulator,
        states: states(),
        launches: launches.iter().map(launch).collect(),
    }
}

fn states() -> Vec<StateDocument> {
    let row = |state: WarpState| WarpState::IN_REPORT_ORDER.iter().position(|other| *other == state);
    let state = |state: WarpState| StateDocument {
        name: state.name(),
        label: state.label().strip_prefix("Stall ").unwrap_or(state.label()),
        letter: state.letter(),
        colour: state.colour(),
        metric: state.metric(),
        description: state.description(),
        row: row(state).unwrap_or(0),
    };
    WarpState::all().map(state).collect()
}

fn launch<'a>(shown: &Shown<'a>) -> LaunchDocument<'a> {
    let context = shown.context;
    LaunchDocument {
        device: device(shown),
        launch: context.launch,
        sections: shown.sections.iter().map(SectionDocument::of).collect(),
        changes: Change::ranked(&context, shown.sections),
        states: WarpState::all().map(|state| warp_cycles(shown, state)).collect(),
        memory: memory_chart(&context),
        rooflines: rooflines(&context),
        occupancy: OccupancyDocument::of(&context),
        queues: QueueDocument::all(context.counters),
        code: shown.code.map(CodeDocument::of),
        timeline: shown
            .record
            .map(|record| TimelineDocument::of(record, context.config.limits.sub_partitions)),
    }
}

fn device<'a>(shown: &Shown<'a>) -> DeviceDocument<'a> {
    let config = shown.context.config;
    DeviceDocument {
        name: &config.name,
        architecture: &config.architecture,
        multiprocessors: config.limits.multiprocessors,
        schedulers: config.limits.sub_partitions,
        warp_slots: config.limits.warps,
        warp_lanes: config.limits.warp_lanes,
        sm_mhz: config.clocks.sm_mhz,
    }
}

fn warp_cycles(shown: &Shown<'_>, state: WarpState) -> u64 {
    shown.context.counters.sm.schedulers.iter().map(|scheduler| scheduler.states[state.index()]).sum()
}
