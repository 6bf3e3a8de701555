//! The code, with the warps that are at each line.

use super::Content;
use crate::stepping::app::{App, Form};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use warplab_trace::WarpState;

/// What the warps of the multiprocessor do at a line.
#[derive(Clone, Copy, Default)]
struct Warps {
    /// Warps whose next instruction, or the one that they issued, is of the line.
    here: u32,
    /// Whether one of them issued it in this cycle.
    issues: bool,
    /// Whether the chosen warp is one of them.
    chosen: bool,
}

pub(super) fn content(app: &App) -> Content {
    let warps = warps(app);
    let empty = Vec::new();
    let texts: Vec<String> = match app.form {
        Form::Machine => app
            .code
            .instructions
            .iter()
            .map(|instruction| format!("{:#06x}  {}", instruction.address, instruction.text))
            .collect(),
        Form::Own => numbered(app.texts.own.as_ref().unwrap_or(&empty)),
        Form::Source(file) => {
            let text = app.texts.files.get(usize::from(file)).and_then(Option::as_ref);
            numbered(text.unwrap_or(&empty))
        }
    };
    let count = texts.len();
    let lines = texts.into_iter().enumerate().map(|(number, text)| {
        let here = warps.get(number).copied().unwrap_or_default();
        line(&text, here, app.cursor == Some(number))
    });
    Content { title: title(app), lines: lines.collect(), followed: (count > 0).then(|| app.here()) }
}

fn title(app: &App) -> String {
    let what = match app.form {
        Form::Machine => "machine code".to_owned(),
        Form::Own => "text that was read".to_owned(),
        Form::Source(file) => app.code.files.get(usize::from(file)).cloned().unwrap_or_default(),
    };
    format!("{}: {what}", app.code.kernel)
}

fn numbered(text: &[String]) -> Vec<String> {
    text.iter().enumerate().map(|(number, line)| format!("{:>4}  {line}", number + 1)).collect()
}

/// For each line what the warps do there.
fn warps(app: &App) -> Vec<Warps> {
    let mut lines: Vec<Warps> = Vec::new();
    let slots = app.view.sm.iter().flat_map(|sm| &sm.slots);
    for (slot, warp) in slots.filter_map(|slot| Some((slot.slot, slot.warp.as_ref()?))) {
        let Some(line) = app.line_of(warp.pc) else { continue };
        if lines.len() <= line {
            lines.resize(line + 1, Warps::default());
        }
        lines[line].here += 1;
        lines[line].issues |= warp.state == WarpState::Selected.name();
        lines[line].chosen |= slot == app.slot;
    }
    lines
}

fn line(text: &str, warps: Warps, cursor: bool) -> Line<'static> {
    let here = if warps.here == 0 { String::new() } else { warps.here.to_string() };
    let mark = match (warps.chosen, warps.issues) {
        (true, true) => ">*",
        (true, false) => "> ",
        (false, true) => " *",
        (false, false) => "  ",
    };
    let text = format!("{here:>3}{mark} {}", text.replace('\t', "    "));
    let style = match (cursor, warps.chosen) {
        (true, _) => Style::new().add_modifier(Modifier::REVERSED),
        (false, true) => Style::new().add_modifier(Modifier::BOLD),
        (false, false) => Style::new(),
    };
    Line::styled(text, style)
}
