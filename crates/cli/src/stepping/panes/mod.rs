//! The panes: what stands in each, as lines.

mod code;
mod memory;
mod registers;
pub(super) mod slots;
mod warp;

use super::app::{App, Pane};
use ratatui::text::Line;
use warplab_run::stepper::LaneRows;

/// What stands in a pane.
pub(super) struct Content {
    pub(super) title: String,
    pub(super) lines: Vec<Line<'static>>,
    /// The line that must be seen, if any: the chosen one.
    pub(super) followed: Option<usize>,
}

/// The content of a pane of so many columns.
pub(super) fn content(app: &App, pane: Pane, width: u16) -> Content {
    match pane {
        Pane::Slots => slots::content(app),
        Pane::Code => code::content(app),
        Pane::Warp => warp::content(app),
        Pane::Registers => registers::content(app, width),
        Pane::Memory => memory::content(app),
    }
}

/// Lanes as hexadecimal words, the upper row first where any of its lanes is there.
fn lanes(rows: LaneRows) -> String {
    if rows[1] == 0 { format!("{:08x}", rows[0]) } else { format!("{:08x}{:08x}", rows[1], rows[0]) }
}
