//! Schedulers and their warp slots.

use super::{Content, lanes};
use crate::stepping::app::App;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::str::FromStr;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_run::stepper::{SchedulerView, SlotView, SmView, View, WarpView};

pub(super) fn content(app: &App) -> Content {
    let rows = rows(&app.view);
    let followed = rows.iter().position(|row| matches!(row, Row::Slot(slot) if slot.slot == app.slot));
    let lines = rows.iter().map(|row| match row {
        Row::Scheduler(number, scheduler) => heading(*number, scheduler),
        Row::Slot(slot) => line(slot, slot.slot == app.slot),
    });
    let mut lines: Vec<Line<'static>> = lines.collect();
    if lines.is_empty() {
        lines.push(Line::from("no block has come to this multiprocessor"));
    }
    Content { title: "Schedulers and warp slots".to_owned(), lines, followed }
}

/// A line of the pane.
enum Row<'a> {
    Scheduler(usize, &'a SchedulerView),
    Slot(&'a SlotView),
}

/// The slot of a line of the pane.
pub(in crate::stepping) fn slot_of_row(view: &View, row: usize) -> Option<usize> {
    match rows(view).get(row)? {
        Row::Scheduler(..) => None,
        Row::Slot(slot) => Some(usize::from(slot.slot.0)),
    }
}

/// Each scheduler with its slots below it.
fn rows(view: &View) -> Vec<Row<'_>> {
    let Some(SmView { schedulers, slots, .. }) = &view.sm else { return Vec::new() };
    let of = |number: usize| slots.iter().filter(move |slot| slot.scheduler == number).map(Row::Slot);
    let schedulers = schedulers.iter().enumerate();
    schedulers.flat_map(|(number, one)| [Row::Scheduler(number, one)].into_iter().chain(of(number))).collect()
}

fn heading(number: usize, scheduler: &SchedulerView) -> Line<'static> {
    let selected: Vec<String> = scheduler.selected.iter().map(|slot| format!("slot {}", slot.0)).collect();
    let issues = match selected.as_slice() {
        [] if scheduler.active == 0 => "idle".to_owned(),
        [] => "issue slot unused".to_owned(),
        slots => format!("issues {}", slots.join(", ")),
    };
    let SchedulerView { active, eligible, .. } = scheduler;
    let text = format!("scheduler {number}: {active} active, {eligible} eligible, {issues}");
    Line::styled(text, Style::new().add_modifier(Modifier::UNDERLINED))
}

fn line(slot: &SlotView, chosen: bool) -> Line<'static> {
    let mark = if chosen { '>' } else { ' ' };
    let number = Span::from(format!("{mark}{:>3} ", slot.slot.0));
    let line = match &slot.warp {
        None => Line::from(vec![number, Span::from("-")]),
        Some(warp) => Line::from(vec![number, state(warp), Span::from(rest(warp))]),
    };
    if chosen { line.patch_style(Style::new().add_modifier(Modifier::BOLD)) } else { line }
}

/// The letter and the name of the state: readable without its colour.
fn state(warp: &WarpView) -> Span<'static> {
    let colour = Color::from_str(warp.colour).unwrap_or(Color::Reset);
    Span::styled(format!("{} {:<19}", warp.letter, warp.state), Style::new().fg(colour))
}

fn rest(warp: &WarpView) -> String {
    let address = u64::from(warp.pc) * INSTRUCTION_BYTES;
    let waited = if warp.waited == 0 { String::new() } else { format!("since {}", warp.waited) };
    format!("{address:#06x} {} {:<10} block {} warp {}", lanes(warp.lanes), waited, warp.block, warp.warp)
}
