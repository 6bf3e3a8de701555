//! What warps do, as a picture: a lane of issues for each scheduler, and under it its warps, a colour a state, with the
//! letters of the instructions that issue.

use crate::timeline::TimelineOptions;
use crate::tracks::{Lane, Panel, TrackBox, Tracks, tracks_svg};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warplab_metrics::integer_text;
use warplab_trace::{StateInterval, WarpState};

/// An instruction that issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineIssue {
    /// When.
    pub cycle: u64,
    /// The slot of its warp.
    pub slot: u8,
    /// Its opcode.
    pub opcode: String,
}

/// What the warps of one multiprocessor did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpRecord {
    /// The schedulers of the multiprocessor; a warp belongs to that of its slot's remainder.
    pub schedulers: u8,
    /// The states of the warps.
    pub intervals: Vec<StateInterval>,
    /// The instructions that issued.
    pub issues: Vec<TimelineIssue>,
}

/// A panel of a timeline: a head and what is shown under it, from a cycle that counts as the first.
#[derive(Clone, Debug)]
pub struct TimelinePanel<'a> {
    /// Its head; empty for the only one.
    pub title: String,
    /// What happened.
    pub record: &'a WarpRecord,
    /// The cycles that are shown.
    pub cycles: Range<u64>,
    /// The cycle that is written as 0.
    pub origin: u64,
}

impl WarpRecord {
    /// From the first cycle of a state to the end of the last.
    #[must_use]
    pub fn cycles(&self) -> Range<u64> {
        let first = self.intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
        first..self.intervals.iter().map(|interval| interval.to.0).max().unwrap_or(first)
    }
}

/// The states of the warps of one multiprocessor as an SVG document.
#[must_use]
pub fn timeline_svg(record: &WarpRecord, title: &str, options: &TimelineOptions) -> String {
    let (all, wanted) = (record.cycles(), options.cycles.clone());
    let cycles = wanted.map_or(all.clone(), |wanted| wanted.start.max(all.start)..wanted.end.min(all.end));
    let panel = TimelinePanel { title: String::new(), record, cycles, origin: 0 };
    timelines_svg(&[panel], title, options.fold)
}

/// Several records at one scale of time.
#[must_use]
pub fn timelines_svg(panels: &[TimelinePanel<'_>], title: &str, fold: usize) -> String {
    tracks_svg(&tracks(panels, title, fold))
}

fn tracks(panels: &[TimelinePanel<'_>], title: &str, fold: usize) -> Tracks {
    let opcodes: BTreeSet<&str> = panels.iter().flat_map(shown_issues).map(|it| it.opcode.as_str()).collect();
    let letters = letters(&opcodes);
    let states: BTreeSet<usize> =
        panels.iter().flat_map(shown_intervals).map(|interval| interval.state.index()).collect();
    let colours = WarpState::all().filter(|state| states.contains(&state.index()));
    let colours = colours.map(|state| (state.colour(), state_name(state)));
    Tracks {
        title: title.to_owned(),
        unit: "cycles".to_owned(),
        panels: panels.iter().map(|panel| self::panel(panel, &letters, most_at_once(panels))).collect(),
        colours: colours.collect(),
        letters: letters.iter().map(|(letter, name)| (*letter, (*name).to_owned())).collect(),
        fold: Some(fold as u64),
    }
}

fn shown_intervals<'a>(panel: &'a TimelinePanel<'_>) -> impl Iterator<Item = &'a StateInterval> {
    let cycles = &panel.cycles;
    panel.record.intervals.iter().filter(|it| it.to.0 > cycles.start && it.from.0 < cycles.end)
}

fn shown_issues<'a>(panel: &'a TimelinePanel<'_>) -> impl Iterator<Item = &'a TimelineIssue> {
    panel.record.issues.iter().filter(|issue| panel.cycles.contains(&issue.cycle))
}

fn state_name(state: WarpState) -> String {
    let label = state.label();
    label.strip_prefix("Stall ").unwrap_or(label).to_lowercase()
}

/// The letter of each opcode: short names choose first, the first of their own that is free, or else of the alphabet.
fn letters<'a>(opcodes: &BTreeSet<&'a str>) -> Vec<(char, &'a str)> {
    let mut names: Vec<&str> = opcodes.iter().copied().collect();
    names.sort_by_key(|name| name.len());
    let mut letters: Vec<(char, &str)> = Vec::new();
    for name in names {
        let own = name.chars().filter(char::is_ascii_alphabetic);
        let free = |letter: &char| letters.iter().all(|(taken, _)| taken != letter);
        let letter = own.chain('A'..='Z').chain('a'..='z').find(free).unwrap_or('?');
        letters.push((letter, name));
    }
    letters
}

fn letter(letters: &[(char, &str)], opcode: &str) -> Option<char> {
    letters.iter().find(|(_, name)| *name == opcode).map(|(letter, _)| *letter)
}

/// How many instructions a scheduler issues in a cycle at most: one but where they are packed.
fn most_at_once(panels: &[TimelinePanel<'_>]) -> usize {
    let most = |panel| {
        let mut count: BTreeMap<(u64, u8), usize> = BTreeMap::new();
        for issue in shown_issues(panel) {
            *count.entry((issue.cycle, issue.slot % panel.record.schedulers.max(1))).or_default() += 1;
        }
        count.into_values().max().unwrap_or(1)
    };
    panels.iter().map(most).max().unwrap_or(1)
}

fn panel(panel: &TimelinePanel<'_>, letters: &[(char, &str)], at_once: usize) -> Panel {
    let schedulers = panel.record.schedulers.max(1);
    let slots: BTreeSet<u8> = shown_intervals(panel).map(|interval| interval.slot.0).collect();
    let mut lanes = Vec::new();
    for scheduler in 0..schedulers {
        let own: Vec<u8> = slots.iter().copied().filter(|slot| slot % schedulers == scheduler).collect();
        if !own.is_empty() {
            lanes.extend(issue_lanes(panel, letters, (scheduler, schedulers), at_once));
            lanes.extend(own.into_iter().map(|slot| warp_lane(panel, letters, slot)));
        }
    }
    Panel { title: panel.title.clone(), lanes }
}

/// What a scheduler issued: a lane, and one more for each instruction that may issue in the same cycle.
fn issue_lanes(
    panel: &TimelinePanel<'_>,
    letters: &[(char, &str)],
    (scheduler, schedulers): (u8, u8),
    at_once: usize,
) -> Vec<Lane> {
    let name = if schedulers == 1 { "issue".to_owned() } else { format!("scheduler {scheduler}") };
    let mut lanes = vec![Lane { name, heads: true, boxes: Vec::new() }];
    lanes.extend((2..=at_once).map(|number| Lane {
        name: format!("{number}."),
        heads: true,
        boxes: Vec::new(),
    }));
    let mut taken: BTreeMap<u64, usize> = BTreeMap::new();
    for issue in shown_issues(panel).filter(|issue| issue.slot % schedulers == scheduler) {
        let cycle = issue.cycle.saturating_sub(panel.origin);
        let lane = taken.entry(cycle).or_default();
        lanes[*lane].boxes.push(TrackBox {
            from: cycle,
            to: cycle + 1,
            colour: WarpState::Selected.colour(),
            letter: letter(letters, &issue.opcode),
            says: format!("cycle {}: {} of warp {}", integer_text(cycle), issue.opcode, issue.slot),
        });
        *lane += 1;
    }
    lanes
}

/// The states of a warp. Selected ones are a box for each cycle, others as long as they last.
fn warp_lane(panel: &TimelinePanel<'_>, letters: &[(char, &str)], slot: u8) -> Lane {
    let mut issued: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for issue in shown_issues(panel).filter(|issue| issue.slot == slot) {
        issued.entry(issue.cycle).or_default().push(&issue.opcode);
    }
    let mut stretches: Vec<(WarpState, u64, u64)> = Vec::new();
    for interval in shown_intervals(panel).filter(|interval| interval.slot.0 == slot) {
        let from = interval.from.0.max(panel.cycles.start);
        let to = interval.to.0.min(panel.cycles.end);
        match stretches.last_mut() {
            _ if interval.state == WarpState::Selected => {
                // Instructions that issue together are selected together.
                let after = stretches.last().map_or(from, |&(_, _, end)| end.max(from));
                stretches.extend((after..to).map(|cycle| (interval.state, cycle, cycle + 1)));
            }
            Some((state, _, end)) if *state == interval.state && *end == from => *end = to,
            _ => stretches.push((interval.state, from, to)),
        }
    }
    let boxes = stretches.into_iter().map(|(state, from, to)| {
        let opcodes = issued.get(&from).filter(|_| state == WarpState::Selected);
        state_box(state, (from, to), panel.origin, opcodes.map_or(&[], Vec::as_slice), letters)
    });
    Lane { name: format!("warp {slot}"), heads: false, boxes: boxes.collect() }
}

fn state_box(
    state: WarpState,
    (from, to): (u64, u64),
    origin: u64,
    opcodes: &[&str],
    letters: &[(char, &str)],
) -> TrackBox {
    let (from, to) = (from.saturating_sub(origin), to.saturating_sub(origin));
    let when = match to - from {
        1 => format!("cycle {}", integer_text(from)),
        cycles => {
            let last = integer_text(to - 1);
            format!("cycles {} to {last}, {} cycles", integer_text(from), integer_text(cycles))
        }
    };
    let mut what = vec![state_name(state)];
    for same in opcodes.chunk_by(|a, b| a == b) {
        what.push(if same.len() == 1 { same[0].to_owned() } else { format!("{} {}", same.len(), same[0]) });
    }
    let what = what.join(", ");
    // Of different instructions no letter stands for all.
    let only = opcodes.first().filter(|first| opcodes.iter().all(|opcode| opcode == *first));
    let letter = only.and_then(|opcode| letter(letters, opcode));
    TrackBox { from, to, colour: state.colour(), letter, says: format!("{when}: {what}") }
}

#[cfg(test)]
mod tests;
