//! The registers of the chosen lane.

use super::Content;
use crate::stepping::app::App;
use ratatui::text::Line;
use warplab_run::stepper::LaneView;

/// Columns of one register.
const COLUMNS: usize = 15;

pub(super) fn content(app: &App, width: u16) -> Content {
    let mut title = format!("Registers of lane {}", app.lane);
    let Some(lane) = &app.view.lane else {
        return Content { title, lines: vec![Line::from("no warp is in this slot")], followed: None };
    };
    let [x, y, z] = lane.thread;
    title.push_str(&format!(", thread ({x}, {y}, {z})"));
    let in_line = (usize::from(width) / COLUMNS).max(1);
    Content { title, lines: lines(lane, in_line).into_iter().map(Line::from).collect(), followed: None }
}

fn lines(lane: &LaneView, in_line: usize) -> Vec<String> {
    let named = |letter: &'static str| {
        move |(number, value): (usize, &u32)| {
            let name = format!("{letter}{number}");
            format!("{name:>4} {value:08x}  ")
        }
    };
    let registers: Vec<String> = lane.registers.iter().enumerate().map(named("R")).collect();
    // Scalar registers that nobody has written say nothing.
    let used = lane.uniforms.iter().rposition(|value| *value != 0).map_or(0, |last| last + 1);
    let uniforms: Vec<String> = lane.uniforms[..used].iter().enumerate().map(named("UR")).collect();
    let predicates = lane.predicates.iter().enumerate();
    let predicates: Vec<String> =
        predicates.map(|(number, holds)| format!("P{number} {}", u8::from(*holds))).collect();
    let mut lines: Vec<String> = registers.chunks(in_line).map(<[String]>::concat).collect();
    lines.push(format!("  {}", predicates.join("  ")));
    lines.extend(uniforms.chunks(in_line).map(<[String]>::concat));
    lines
}
