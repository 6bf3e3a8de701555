//! What the user sees and has chosen, and what keys and the mouse do.

use super::prompt::{Prompt, Question};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use warplab_config::GpuConfig;
use warplab_metrics::integer_text;
use warplab_run::stepper::{CodeView, Goal, Line, Stepper, Stop, View, ViewOptions, WarpView};
use warplab_units::{Cycle, PartitionId, SmId, TypedId, WarpSlot};

/// The texts that a program comes from, as lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The text that was read (PTX or a listing).
    pub(crate) own: Option<Vec<String>>,
    /// The files of the high-level source, where they are at hand.
    pub(crate) files: Vec<Option<Vec<String>>>,
}

/// What the event loop has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// To go somewhere.
    Run(Goal),
    /// To end.
    Quit,
}

/// A part of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    /// Schedulers and warp slots.
    Slots,
    /// The code.
    Code,
    /// Wait counters and paths of the chosen warp.
    Warp,
    /// Registers of the chosen lane.
    Registers,
    /// Queues and caches.
    Memory,
}

impl Pane {
    /// All, in the order of the tabulator key.
    pub(super) const ALL: [Pane; 5] = [Pane::Slots, Pane::Code, Pane::Warp, Pane::Registers, Pane::Memory];
}

/// Which form of the code is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Machine instructions.
    Machine,
    /// The text that was read.
    Own,
    /// A file of the high-level source.
    Source(u16),
}

/// What the user sees and has chosen.
pub(crate) struct App {
    stepper: Stepper,
    pub(super) machine: String,
    pub(super) launches: usize,
    /// Lanes of a warp.
    lanes: usize,
    pub(super) texts: Texts,
    /// The code of the present launch's kernel.
    pub(super) code: CodeView,
    code_of: usize,
    pub(super) view: View,
    pub(super) options: ViewOptions,
    pub(super) slot: WarpSlot,
    pub(super) lane: usize,
    pub(super) focus: Pane,
    pub(super) form: Form,
    /// The line of the code that is chosen, from 0; none follows the chosen warp.
    pub(super) cursor: Option<usize>,
    /// The first line that is shown of each pane that does not follow anything.
    pub(super) scroll: [usize; Pane::ALL.len()],
    pub(super) prompt: Option<Prompt>,
    pub(super) help: bool,
    pub(super) message: String,
    /// Where each pane was drawn, with the first line that it showed.
    pub(super) areas: Vec<(Pane, Rect, usize)>,
}

impl App {
    /// At the cycle where the stepper stands.
    pub(crate) fn new(stepper: Stepper, machine: &GpuConfig, launches: usize, texts: Texts, sm: SmId) -> App {
        let options = ViewOptions { sm, partition: Some(PartitionId(0)), ..ViewOptions::default() };
        let code = stepper.code(0).unwrap_or_else(empty_code);
        let view = stepper.view(&options);
        let form = if texts.own.is_some() { Form::Own } else { Form::Machine };
        App {
            view,
            stepper,
            machine: machine.name.clone(),
            launches,
            lanes: machine.limits.warp_lanes as usize,
            texts,
            code,
            code_of: 0,
            options,
            slot: WarpSlot(0),
            lane: 0,
            focus: Pane::Slots,
            form,
            cursor: None,
            scroll: [0; Pane::ALL.len()],
            prompt: None,
            help: false,
            message: String::new(),
            areas: Vec::new(),
        }
    }

    /// Goes to a cycle without asking anybody.
    pub(crate) fn go_to(&mut self, cycle: u64) {
        self.run(Goal::Cycle(Cycle(cycle)), &mut |_| true);
    }

    /// Goes to a goal, and says so where it is not reached.
    pub(super) fn run(&mut self, goal: Goal, go_on: &mut dyn FnMut(Cycle) -> bool) {
        let before = self.stepper.cycle();
        let stop = self.stepper.run(goal, go_on);
        self.look();
        self.message = match stop {
            Stop::Reached if self.stepper.cycle() == before => String::new(),
            Stop::Reached => moved(before, self.stepper.cycle()),
            Stop::Ended => "every launch has ended".to_owned(),
            Stop::Failed => self.view.fault.clone().unwrap_or_default(),
            Stop::Interrupted => "stopped".to_owned(),
        };
    }

    /// Takes what is shown from the stepper.
    fn look(&mut self) {
        self.options.lane = Some((self.slot, self.lane));
        self.view = self.stepper.view(&self.options);
        let launch = self.view.launch.as_ref().map(|launch| launch.number);
        if let Some(number) = launch.filter(|number| *number != self.code_of)
            && let Some(code) = self.stepper.code(number)
        {
            (self.code, self.code_of, self.cursor) = (code, number, None);
        }
    }

    /// A key is pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Option<Action> {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Some(Action::Quit);
        }
        if self.help {
            self.help = false;
            return None;
        }
        if let Some(prompt) = self.prompt.take() {
            return self.typed(prompt, key.code);
        }
        let far = key.modifiers.contains(KeyModifiers::SHIFT);
        let cycles = if far { 10 } else { 1 };
        match key.code {
            KeyCode::Char('q') => return Some(Action::Quit),
            KeyCode::Char('?') => self.help = true,
            KeyCode::Right | KeyCode::Char(' ' | 'l') => return self.forwards(cycles),
            KeyCode::Left | KeyCode::Char('h') => return self.backwards(cycles),
            KeyCode::Char('.' | 'L') => return self.forwards(10),
            KeyCode::Char(',' | 'H') => return self.backwards(10),
            KeyCode::Char(']') => return self.forwards(100),
            KeyCode::Char('[') => return self.backwards(100),
            KeyCode::Home => return Some(Action::Run(Goal::Cycle(Cycle(0)))),
            KeyCode::End => return Some(Action::Run(Goal::End)),
            KeyCode::Char('s') => return self.state_change(Some(self.slot)),
            KeyCode::Char('a') => return self.state_change(None),
            KeyCode::Enter => return self.line_goal(),
            KeyCode::Char('g') => self.prompt = Some(Prompt::new(Question::Cycle)),
            KeyCode::Char('m') => self.prompt = Some(Prompt::new(Question::Multiprocessor)),
            KeyCode::Char('d') => self.prompt = Some(Prompt::new(Question::Partition)),
            KeyCode::Tab => self.next_pane(1),
            KeyCode::BackTab => self.next_pane(Pane::ALL.len() - 1),
            KeyCode::Down | KeyCode::Char('j') => self.down(1),
            KeyCode::Up | KeyCode::Char('k') => self.up(1),
            KeyCode::PageDown => self.down(10),
            KeyCode::PageUp => self.up(10),
            KeyCode::Char('>') => self.choose_lane(self.lane + 1),
            KeyCode::Char('<') => self.choose_lane(self.lane.saturating_sub(1)),
            KeyCode::Char('t') => self.next_form(),
            KeyCode::Char('f') | KeyCode::Esc => self.cursor = None,
            _ => {}
        }
        None
    }

    /// The mouse is pressed or its wheel turned.
    pub(crate) fn mouse(&mut self, mouse: MouseEvent) -> Option<Action> {
        let position = Position::new(mouse.column, mouse.row);
        let &(pane, area, first) = self.areas.iter().find(|(_, area, _)| area.contains(position))?;
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.focus = pane;
                let line = first + usize::from(mouse.row.saturating_sub(area.y));
                match pane {
                    Pane::Slots => self.choose_row(line),
                    Pane::Code => self.cursor = (line < self.code_lines()).then_some(line),
                    _ => {}
                }
            }
            MouseEventKind::ScrollDown => {
                self.focus = pane;
                self.down(3);
            }
            MouseEventKind::ScrollUp => {
                self.focus = pane;
                self.up(3);
            }
            _ => {}
        }
        None
    }

    fn typed(&mut self, mut prompt: Prompt, key: KeyCode) -> Option<Action> {
        match key {
            KeyCode::Esc => return None,
            KeyCode::Enter => return self.answered(&prompt),
            KeyCode::Backspace => _ = prompt.typed.pop(),
            KeyCode::Char(character) => prompt.push(character),
            _ => {}
        }
        self.prompt = Some(prompt);
        None
    }

    fn answered(&mut self, prompt: &Prompt) -> Option<Action> {
        let answer = prompt.answer()?;
        match prompt.question {
            Question::Cycle => return Some(Action::Run(Goal::Cycle(Cycle(answer)))),
            Question::Multiprocessor => match number(answer, self.stepper.multiprocessors()) {
                Some(sm) => self.options.sm = SmId::from_index(sm),
                None => self.message = none_such("multiprocessor", answer, self.stepper.multiprocessors()),
            },
            Question::Partition => match number(answer, self.stepper.partitions()) {
                Some(partition) => self.options.partition = Some(PartitionId::from_index(partition)),
                None => self.message = none_such("memory partition", answer, self.stepper.partitions()),
            },
        }
        self.look();
        None
    }

    fn forwards(&self, cycles: u64) -> Option<Action> {
        Some(Action::Run(Goal::Cycle(self.stepper.cycle() + cycles)))
    }

    fn backwards(&self, cycles: u64) -> Option<Action> {
        Some(Action::Run(Goal::Cycle(Cycle(self.stepper.cycle().0.saturating_sub(cycles)))))
    }

    fn state_change(&self, slot: Option<WarpSlot>) -> Option<Action> {
        Some(Action::Run(Goal::StateChange { sm: self.options.sm, slot }))
    }

    /// To the line under the cursor.
    fn line_goal(&mut self) -> Option<Action> {
        let Some(cursor) = self.cursor else {
            self.message = "choose a line of the code first: Tab, then the arrow keys".to_owned();
            return None;
        };
        let number = u32::try_from(cursor).ok()?;
        let line = match self.form {
            Form::Machine => Line::Instruction(number),
            Form::Own => Line::Own(number + 1),
            Form::Source(file) => Line::Source { file, line: number + 1 },
        };
        Some(Action::Run(Goal::Line { sm: self.options.sm, line }))
    }

    fn next_pane(&mut self, by: usize) {
        let here = Pane::ALL.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        self.focus = Pane::ALL[(here + by) % Pane::ALL.len()];
    }

    /// The forms in which the code is at hand.
    fn forms(&self) -> Vec<Form> {
        let files = self.texts.files.iter().enumerate().filter(|(_, text)| text.is_some());
        let files = files.filter_map(|(file, _)| u16::try_from(file).ok()).map(Form::Source);
        let own = self.texts.own.is_some().then_some(Form::Own);
        [Form::Machine].into_iter().chain(own).chain(files).collect()
    }

    fn next_form(&mut self) {
        let forms = self.forms();
        let here = forms.iter().position(|form| *form == self.form).unwrap_or(0);
        (self.form, self.cursor) = (forms[(here + 1) % forms.len()], None);
    }

    /// Lines of the code in the form that is shown.
    fn code_lines(&self) -> usize {
        match self.form {
            Form::Machine => self.code.instructions.len(),
            Form::Own => self.texts.own.as_ref().map_or(0, Vec::len),
            Form::Source(file) => {
                self.texts.files.get(usize::from(file)).and_then(Option::as_ref).map_or(0, Vec::len)
            }
        }
    }

    fn down(&mut self, lines: usize) {
        match self.focus {
            Pane::Slots => self.choose_slot(usize::from(self.slot.0) + lines),
            Pane::Code => {
                let last = self.code_lines().saturating_sub(1);
                self.cursor = Some((self.here() + lines).min(last));
            }
            pane => self.scroll[pane as usize] += lines,
        }
    }

    fn up(&mut self, lines: usize) {
        match self.focus {
            Pane::Slots => self.choose_slot(usize::from(self.slot.0).saturating_sub(lines)),
            Pane::Code => self.cursor = Some(self.here().saturating_sub(lines)),
            pane => {
                let scroll = &mut self.scroll[pane as usize];
                *scroll = scroll.saturating_sub(lines);
            }
        }
    }

    /// The line of the code that is chosen, or else the one where the chosen warp is.
    pub(super) fn here(&self) -> usize {
        self.cursor.or_else(|| self.line_of(self.chosen()?.pc)).unwrap_or(0)
    }

    /// The line of an instruction in the form that is shown, from 0.
    pub(super) fn line_of(&self, pc: u32) -> Option<usize> {
        let instruction = self.code.instructions.get(pc as usize)?;
        let line = match self.form {
            Form::Machine => return Some(pc as usize),
            Form::Own => instruction.line,
            Form::Source(file) => instruction.source.filter(|source| source.0 == usize::from(file))?.1,
        };
        (line as usize).checked_sub(1)
    }

    /// The warp in the chosen slot.
    pub(super) fn chosen(&self) -> Option<&WarpView> {
        let slots = &self.view.sm.as_ref()?.slots;
        slots.iter().find(|slot| slot.slot == self.slot)?.warp.as_ref()
    }

    /// Chooses a slot that has been used.
    fn choose_slot(&mut self, slot: usize) {
        let slots = self.view.sm.as_ref().map_or(0, |sm| sm.slots.len());
        let last = slots.saturating_sub(1);
        self.slot = WarpSlot::from_index(slot.min(last));
        self.look();
    }

    /// Chooses the slot of a line of the list of slots.
    fn choose_row(&mut self, row: usize) {
        if let Some(slot) = super::panes::slots::slot_of_row(&self.view, row) {
            self.choose_slot(slot);
        }
    }

    fn choose_lane(&mut self, lane: usize) {
        self.lane = lane.min(self.lanes - 1);
        self.look();
    }
}

fn empty_code() -> CodeView {
    CodeView { kernel: String::new(), instructions: Vec::new(), files: Vec::new() }
}

fn number(answer: u64, count: usize) -> Option<usize> {
    usize::try_from(answer).ok().filter(|number| *number < count)
}

fn none_such(what: &str, answer: u64, count: usize) -> String {
    format!("there is no {what} {answer}: they go from 0 to {}", count.saturating_sub(1))
}

fn moved(before: Cycle, now: Cycle) -> String {
    let cycles = before.0.abs_diff(now.0);
    let noun = if cycles == 1 { "cycle" } else { "cycles" };
    let way = if now > before { "forwards" } else { "backwards" };
    format!("{} {noun} {way}", integer_text(cycles))
}
