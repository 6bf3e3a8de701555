//! What columns can say of a record: when instructions issued, and with how many lanes.

use std::collections::BTreeMap;
use std::fmt::Write;
use warplab_gpu::Timeline;
use warplab_program::listing::instruction_text;
use warplab_program::{Instruction, Kernel, Opcode};
use warplab_report::{TimelineIssue, WarpRecord};

/// Metrics of the record, each followed by an opcode.
pub(super) const METRICS: [&str; 6] =
    ["issue.first.", "issue.last.", "issue.count.", "issue.cycles.", "issue.partial.", "issue.lanes."];

/// One issue of an instruction that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watch {
    /// The instruction.
    pub(super) opcode: Opcode,
    /// Which of its issues by the first warp, from 1.
    pub(super) number: usize,
}

/// The values of the record: the first and last cycle in which each opcode issued, how often it did, in how many cycles, how
/// often not with all of `lanes` lanes, and the lanes of all its issues together.
pub(super) fn values(timeline: &Timeline, kernel: &Kernel, lanes: u32) -> BTreeMap<String, f64> {
    let mut values: BTreeMap<String, f64> = BTreeMap::new();
    for &(cycle, _, pc, mask) in &timeline.issues {
        let Some(instruction) = kernel.instructions.get(pc as usize) else { continue };
        let name = instruction.opcode.name();
        let cycle = cycle.0 as f64;
        let first = values.entry(format!("issue.first.{name}")).or_insert(cycle);
        *first = first.min(cycle);
        let last = values.entry(format!("issue.last.{name}")).or_insert(-1.0);
        // Issues come in the order of time.
        let later = f64::from(u8::from(cycle > *last));
        *last = last.max(cycle);
        *values.entry(format!("issue.cycles.{name}")).or_default() += later;
        *values.entry(format!("issue.count.{name}")).or_default() += 1.0;
        *values.entry(format!("issue.lanes.{name}")).or_default() += f64::from(mask.count());
        let partial = f64::from(u8::from(mask.count() < lanes));
        *values.entry(format!("issue.partial.{name}")).or_default() += partial;
    }
    values
}

/// The cycle and the lanes of a watched issue; nothing if it never came.
pub(super) fn watched(timeline: &Timeline, kernel: &Kernel, watch: &Watch) -> BTreeMap<String, f64> {
    let Some(first_warp) = timeline.warps.first().map(|warp| warp.slot) else { return BTreeMap::new() };
    let is_it = |pc: u32| {
        kernel.instructions.get(pc as usize).is_some_and(|instruction| instruction.opcode == watch.opcode)
    };
    let mut issues = timeline.issues.iter().filter(|&&(_, slot, pc, _)| slot == first_warp && is_it(pc));
    let found = issues.nth(watch.number.saturating_sub(1));
    let values = found.map(|&(cycle, _, _, mask)| {
        [("watch.cycle".to_owned(), cycle.0 as f64), ("watch.lanes".to_owned(), f64::from(mask.count()))]
    });
    values.into_iter().flatten().collect()
}

/// The instructions of the first warp with their cycles, counted from the first load.
pub(super) fn schedule(timeline: &Timeline, kernel: &Kernel) -> String {
    let Some(first_warp) = timeline.warps.first().map(|warp| warp.slot) else { return String::new() };
    let is_load = |instruction: &Instruction| instruction.opcode == Opcode::Ldg;
    let issues: Vec<(u64, &Instruction, u32)> = timeline
        .issues
        .iter()
        .filter(|&&(_, slot, _, _)| slot == first_warp)
        .filter_map(|&(cycle, _, pc, mask)| {
            Some((cycle.0, kernel.instructions.get(pc as usize)?, mask.count()))
        })
        .skip_while(|(_, instruction, _)| kernel.instructions.iter().any(is_load) && !is_load(instruction))
        .collect();
    let start = issues.first().map_or(0, |issue| issue.0);
    let mut text = String::new();
    for (cycle, instruction, lanes) in issues {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>6}  {:>2} lanes  {}", cycle - start, lanes, instruction_text(instruction));
    }
    text
}

/// The states of the warps and the opcodes that issued, for a figure.
#[must_use]
pub fn warp_record(timeline: &Timeline, kernel: &Kernel, schedulers: u32) -> WarpRecord {
    let issues = timeline.issues.iter().filter_map(|&(cycle, slot, pc, _)| {
        let instruction = kernel.instructions.get(pc as usize)?;
        Some(TimelineIssue { cycle: cycle.0, slot: slot.0, opcode: instruction.opcode.name().to_owned() })
    });
    WarpRecord {
        schedulers: u8::try_from(schedulers).unwrap_or(1),
        intervals: timeline.intervals.clone(),
        issues: issues.collect(),
    }
}
