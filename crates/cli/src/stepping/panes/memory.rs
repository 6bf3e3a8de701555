//! Queues and caches: load/store unit, L1, and one memory partition.

use super::Content;
use crate::stepping::app::App;
use ratatui::text::Line;
use warplab_run::stepper::{CacheView, ChannelView, LineView, LsuView, PartitionView, QueuedView, SliceView};

/// DRAM accesses that are listed of each queue.
const LISTED: usize = 4;

pub(super) fn content(app: &App) -> Content {
    let mut lines = Vec::new();
    if let Some(sm) = &app.view.sm {
        lines.extend(lsu(&sm.lsu));
    }
    if let Some((number, partition)) = app.options.partition.zip(app.view.partition.as_ref()) {
        lines.extend(of_partition(number.0, partition));
    }
    let lines = lines.into_iter().map(Line::from).collect();
    Content { title: "Queues and caches".to_owned(), lines, followed: None }
}

fn lsu(lsu: &LsuView) -> Vec<String> {
    let mut lines = Vec::new();
    let named = |queue: &[QueuedView]| {
        let named: Vec<String> =
            queue.iter().map(|one| format!("slot {} {}", one.slot.0, one.kind)).collect();
        named.join(", ")
    };
    for (number, queue) in lsu.queues.iter().enumerate() {
        let (waiting, entries) = (queue.len(), lsu.queue_entries);
        lines.push(format!("LSU queue {number}: {waiting} of {entries}  {}", named(queue)));
    }
    if !lsu.for_tags.is_empty() {
        lines.push(format!("waiting for the tags: {}", named(&lsu.for_tags)));
    }
    if let Some(since) = lsu.blocked_since {
        lines.push(format!("the LSU has waited for an MSHR since cycle {since}"));
    }
    lines.push(format!("loads under way: {}", lsu.loads.len()));
    lines.push(format!("L1 MSHRs: {} of {}", lsu.mshrs.len(), lsu.mshr_entries));
    lines.extend(lsu.mshrs.iter().map(|mshr| {
        let slots: Vec<String> = mshr.waiting.iter().map(|slot| slot.0.to_string()).collect();
        format!("  {} sectors {} for slots {}", mshr.line, sectors(mshr.requested.0), slots.join(", "))
    }));
    lines.extend(cache("L1", &lsu.l1));
    lines
}

fn of_partition(number: u16, partition: &PartitionView) -> Vec<String> {
    let mut lines = vec![format!("memory partition {number}")];
    for (number, slice) in partition.slices.iter().enumerate() {
        lines.extend(of_slice(number, slice));
    }
    for (number, channel) in partition.channels.iter().enumerate() {
        lines.extend(of_channel(number, channel));
    }
    lines.push(format!("sectors on their way from DRAM: {}", partition.sectors_coming));
    lines
}

fn of_slice(number: usize, slice: &SliceView) -> Vec<String> {
    let blocked = if slice.blocked { ", blocked" } else { "" };
    let mut lines = vec![format!(
        "L2 slice {number}: {} requests wait{blocked}, {} lines under way",
        slice.queue.len(),
        slice.mshrs.len()
    )];
    lines.extend(slice.mshrs.iter().map(|mshr| {
        format!("  {} sectors {}, {} requests wait", mshr.line, sectors(mshr.pending.0), mshr.waiting)
    }));
    lines.extend(cache("L2 slice", &slice.cache));
    lines
}

fn of_channel(number: usize, channel: &ChannelView) -> Vec<String> {
    let open = channel.open_rows.iter().flatten().count();
    let way = if channel.writing { "writes" } else { "reads" };
    let mut lines = vec![format!(
        "DRAM channel {number} {way}: {} reads and {} writes wait, {open} of {} rows open",
        channel.reads.len(),
        channel.writes.len(),
        channel.open_rows.len()
    )];
    let queues = [("read", &channel.reads), ("write", &channel.writes)];
    lines.extend(queues.into_iter().flat_map(|(what, queue)| {
        queue.iter().take(LISTED).map(move |access| {
            format!("  {what} bank {} row {} sectors {}", access.bank, access.row, sectors(access.sectors.0))
        })
    }));
    lines
}

fn cache(name: &str, cache: &CacheView) -> Vec<String> {
    let lines = cache.sets * cache.ways;
    let mut text = vec![format!("{name}: {} of {lines} lines, {} sets", cache.lines, cache.sets)];
    text.extend(cache.occupied.iter().map(|set| {
        let lines: Vec<String> = set.lines.iter().map(line).collect();
        format!("  set {}: {}", set.set, lines.join("  "))
    }));
    text
}

fn line(line: &LineView) -> String {
    let dirty = if line.dirty.is_empty() { "" } else { " dirty" };
    format!("{} {}{dirty}", line.line, sectors(line.valid.0))
}

/// The sectors of a line as marks, sector 0 first.
fn sectors(mask: u8) -> String {
    (0..4).map(|sector| if mask >> sector & 1 != 0 { '#' } else { '.' }).collect()
}
