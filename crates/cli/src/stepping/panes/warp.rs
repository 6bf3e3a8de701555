//! The chosen warp: wait counters and divergence.

use super::{Content, lanes};
use crate::stepping::app::App;
use ratatui::text::Line;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_run::stepper::{LaneRows, PathView, WaitCounterView, WarpView};

pub(super) fn content(app: &App) -> Content {
    let title = format!("Warp in slot {}", app.slot.0);
    let lines = app.chosen().map_or(vec![Line::from("no warp is in this slot")], lines_of);
    Content { title, lines, followed: None }
}

fn lines_of(warp: &WarpView) -> Vec<Line<'static>> {
    let [x, y, z] = warp.coordinates;
    let mut lines = vec![
        format!("block {} ({x}, {y}, {z}), warp {}: {}", warp.block, warp.warp, warp.state),
        format!("wait counters  {}", warp.counters.each_ref().map(counter).join("  ")),
        format!("stores unsent {}, unacknowledged {}", warp.unsent, warp.unacknowledged),
        format!("live lanes {}", lanes(warp.live)),
    ];
    lines.extend(warp.paths.iter().map(path));
    lines.into_iter().map(Line::from).collect()
}

/// How many operations a counter counts: `g` of global or local memory, `!` when the next instruction waits for it.
fn counter(counter: &WaitCounterView) -> String {
    let long = if counter.long { "g" } else { "" };
    let waits = if counter.waited_for { "!" } else { "" };
    format!("{}{long}{waits}", counter.count)
}

fn path(path: &PathView) -> String {
    let mark = if path.current { '>' } else { ' ' };
    let address = u64::from(path.pc) * INSTRUCTION_BYTES;
    format!("{mark}{address:#06x} {} {}", picture(path.lanes), path.status)
}

/// Lanes as a row of marks, lane 0 first.
fn picture(rows: LaneRows) -> String {
    let count = if rows[1] == 0 { 1 } else { 2 };
    let row = |row: u32| (0..32).map(move |lane| if row >> lane & 1 != 0 { '#' } else { '.' });
    rows.into_iter().take(count).flat_map(row).collect()
}
