//! The screen: a line that says where one is, the panes, and a line with the keys.

use super::app::{App, Pane};
use super::panes::{self, Content};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};
use warplab_metrics::integer_text;

/// The smallest screen on which anything is drawn.
const SMALLEST: (u16, u16) = (40, 10);
/// From this width on all panes are beside each other.
const WIDE: u16 = 100;
/// From this height on, too.
const HIGH: u16 = 24;

const KEYS: &str = "← → cycle  , . 10  [ ] 100  s slot's next change  a any  Enter to line  g cycle  End  Tab pane  \
                    ? help  q quit";

const HELP: &str = "\
 → l Space   a cycle forwards        ← h   a cycle backwards
 . Shift-→   10 cycles forwards      ,     10 backwards
 ]           100 forwards            [     100 backwards
 s           to the next change of the chosen slot's state
 a           to the next change of any slot's state
 Enter       to the next issue of the chosen line of the code
 g           to a cycle              Home  to the first cycle
 End         to the end of the last launch (any key stops)

 Tab         the next pane           Shift-Tab  the one before
 ↑ ↓ k j     choose a slot or a line, or scroll; PgUp PgDn by 10
 f Esc       the code follows the chosen warp again
 t           machine code, the text that was read, CUDA lines
 < >         the lane whose registers are shown
 m           another multiprocessor  d     another memory partition
 mouse       click chooses a slot or a line, the wheel scrolls

 q           quit                    any key closes this help
 A cycle shows what happens in it, and the state at its end.";

/// Draws everything.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    app.areas.clear();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("The terminal is too small: make it at least {} x {}.", SMALLEST.0, SMALLEST.1);
        return frame.render_widget(Paragraph::new(text), area);
    }
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)]).areas(area);
    let strong = Style::new().add_modifier(Modifier::REVERSED);
    frame.render_widget(Paragraph::new(place(app)).style(strong), top);
    for (pane, area) in layout(app, middle) {
        draw_pane(app, pane, area, frame);
    }
    let line = match &app.prompt {
        Some(prompt) => prompt.text(),
        None if app.message.is_empty() => KEYS.to_owned(),
        None => app.message.lines().next().unwrap_or_default().to_owned(),
    };
    frame.render_widget(Paragraph::new(line), bottom);
    if app.help {
        help(frame);
    }
}

/// Says how far a long run is, in the last line.
pub(super) fn running(frame: &mut Frame<'_>, cycle: u64) {
    let area = frame.area();
    let bottom = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
    let text = format!("running: cycle {}; any key stops", integer_text(cycle));
    frame.render_widget(Clear, bottom);
    frame.render_widget(Paragraph::new(text), bottom);
}

/// Where one is: machine, launch, cycle.
fn place(app: &App) -> String {
    let view = &app.view;
    let cycle = integer_text(view.cycle);
    let sm = app.options.sm.0;
    let launch = match &view.launch {
        Some(launch) if app.launches > 1 => format!(
            "{} ({} of {}), cycle {cycle} ({} of the launch)",
            launch.kernel,
            launch.number + 1,
            app.launches,
            integer_text(launch.cycle)
        ),
        Some(launch) => format!("{}, cycle {cycle}", launch.kernel),
        None if view.ended => format!("cycle {cycle}: every launch has ended"),
        None => format!("cycle {cycle}: between two launches"),
    };
    let fault = if view.fault.is_some() { ", FAILED" } else { "" };
    format!(" {} | {launch}{fault} | SM {sm}", app.machine)
}

/// Where each pane goes: all of them where there is room, else slots and the one that has the focus.
fn layout(app: &App, area: Rect) -> Vec<(Pane, Rect)> {
    use Constraint::{Fill, Length};
    if area.width < WIDE || area.height + 2 < HIGH {
        let other = if app.focus == Pane::Slots { Pane::Code } else { app.focus };
        let [top, bottom] = Layout::vertical([Fill(1), Fill(1)]).areas(area);
        return vec![(Pane::Slots, top), (other, bottom)];
    }
    let [left, right] = Layout::horizontal([Fill(1), Fill(1)]).areas(area);
    let [slots, warp, registers] = Layout::vertical([Fill(5), Length(11), Fill(3)]).areas(left);
    let [code, memory] = Layout::vertical([Fill(1), Fill(1)]).areas(right);
    vec![
        (Pane::Slots, slots),
        (Pane::Warp, warp),
        (Pane::Registers, registers),
        (Pane::Code, code),
        (Pane::Memory, memory),
    ]
}

fn draw_pane(app: &mut App, pane: Pane, area: Rect, frame: &mut Frame<'_>) {
    let Content { title, lines, followed } = panes::content(app, pane, area.width.saturating_sub(2));
    let focused = app.focus == pane;
    let title = if focused { format!("[ {title} ]") } else { format!(" {title} ") };
    let style = if focused { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    frame.render_widget(Block::bordered().title(title).border_style(style), area);
    let inner = area.inner(Margin::new(1, 1));
    let first = first_line(app, pane, followed, lines.len(), usize::from(inner.height));
    let shown: Vec<Line<'_>> = lines.into_iter().skip(first).take(usize::from(inner.height)).collect();
    frame.render_widget(Paragraph::new(shown), inner);
    app.areas.push((pane, inner, first));
}

/// The first line that is shown: what is followed stays in the middle, the rest is scrolled.
fn first_line(app: &mut App, pane: Pane, followed: Option<usize>, lines: usize, height: usize) -> usize {
    let last = lines.saturating_sub(height);
    let scroll = &mut app.scroll[pane as usize];
    *scroll = (*scroll).min(last);
    followed.map_or(*scroll, |line| line.saturating_sub(height / 2).min(last))
}

fn help(frame: &mut Frame<'_>) {
    let area = frame.area();
    let height = u16::try_from(HELP.lines().count()).unwrap_or(u16::MAX).saturating_add(2);
    let (width, height) = (area.width.min(72), area.height.min(height));
    let (x, y) = ((area.width - width) / 2, (area.height - height) / 2);
    let place = Rect { x, y, width, height };
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(HELP).block(Block::bordered().title(" Keys ")), place);
}
