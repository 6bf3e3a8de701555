//! Screens and keys of `warplab step`, on a terminal that is not there.

use super::app::{Action, App, Pane};
use super::draw::draw;
use crate::arguments::{Arguments, Command};
use crate::commands::step;
use crate::job;
use crate::terminal::Terminal as Output;
use clap::Parser;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use warplab_units::{SmId, WarpSlot};

/// A screen of the toy machine with four blocks of y = 2 x + y.
struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(width: u16, height: u16) -> Screen {
        let launch = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/launches/saxpy.ron");
        let words = ["warplab", "step", launch, "--gpu", "toy", "--grid", "4", "--isa", "ptx"];
        let arguments = Arguments::try_parse_from(words).unwrap();
        let Command::Step(arguments) = arguments.command else { panic!("another command") };
        let job = job::load(&arguments.asked(), &mut Output::new()).unwrap();
        let app = step::app(&job, SmId(0)).unwrap();
        let mut screen = Screen { app, terminal: Terminal::new(TestBackend::new(width, height)).unwrap() };
        screen.draw();
        screen
    }

    fn draw(&mut self) {
        self.terminal.draw(|frame| draw(&mut self.app, frame)).unwrap();
    }

    /// Presses keys one after another, a character each.
    fn type_keys(&mut self, keys: &str) {
        keys.chars().for_each(|key| self.press(KeyCode::Char(key)));
    }

    fn press(&mut self, key: KeyCode) {
        let action = self.app.key(KeyEvent::new(key, KeyModifiers::NONE));
        self.obey(action);
    }

    fn obey(&mut self, action: Option<Action>) {
        if let Some(Action::Run(goal)) = action {
            self.app.run(goal, &mut |_| true);
        }
        self.draw();
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        let action = self.app.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
        self.obey(action);
    }

    /// The lines of the screen without the space at their ends.
    fn lines(&self) -> Vec<String> {
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let row = |cells: &[ratatui::buffer::Cell]| -> String {
            cells.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()
        };
        buffer.content().chunks(width).map(row).collect()
    }

    /// The whole screen but its last line, which says what was done last.
    fn without_message(&self) -> Vec<String> {
        let mut lines = self.lines();
        lines.pop();
        lines
    }

    fn has(&self, text: &str) -> bool {
        self.lines().iter().any(|line| line.contains(text))
    }
}

/// The screen is the one of a file.
fn check(screen: &Screen, name: &str) {
    let path = format!("{}/src/stepping/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let mut text = screen.lines().join("\n");
    text.push('\n');
    if std::env::var_os("WARPLAB_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{path}; WARPLAB_BLESS=1 writes it anew");
}

#[test]
fn all_panes_are_on_a_wide_screen() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("g300");
    screen.press(KeyCode::Enter);
    check(&screen, "wide");
}

#[test]
fn a_narrow_screen_has_the_slots_and_the_pane_with_the_focus() {
    let mut screen = Screen::new(60, 24);
    screen.type_keys("g300");
    screen.press(KeyCode::Enter);
    [KeyCode::Tab, KeyCode::Tab].into_iter().for_each(|key| screen.press(key));
    check(&screen, "narrow");
}

#[test]
fn a_hundred_steps_back_give_the_first_screen() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("]]");
    let before = screen.without_message();
    (0..100).for_each(|_| screen.press(KeyCode::Right));
    assert_ne!(screen.without_message(), before);
    (0..100).for_each(|_| screen.press(KeyCode::Left));
    assert_eq!(screen.without_message(), before);
}

#[test]
fn a_screen_of_any_size_is_drawn() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("]]");
    for (width, height) in [(1, 1), (39, 10), (40, 9), (40, 10), (99, 23), (100, 24), (300, 100)] {
        screen.terminal.backend_mut().resize(width, height);
        screen.terminal.autoresize().unwrap();
        screen.draw();
        assert_eq!(screen.lines().len(), usize::from(height));
    }
    screen.terminal.backend_mut().resize(60, 9);
    screen.terminal.autoresize().unwrap();
    screen.draw();
    assert!(screen.has("The terminal is too small: make it at least 40 x 10."));
}

#[test]
fn help_is_shown_until_a_key_is_pressed() {
    let mut screen = Screen::new(100, 30);
    screen.type_keys("?");
    assert!(screen.has("to the next change of the chosen slot's state"));
    screen.type_keys("x");
    assert!(!screen.has("to the next change of the chosen slot's state"));
}

#[test]
fn a_click_chooses_a_slot_and_the_wheel_the_next_ones() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("g300");
    screen.press(KeyCode::Enter);
    let row = screen.lines().iter().position(|line| line.contains("│   1 "));
    let row = row.and_then(|row| u16::try_from(row).ok()).unwrap();
    screen.mouse(MouseEventKind::Down(MouseButton::Left), 8, row);
    assert_eq!(screen.app.slot, WarpSlot(1));
    screen.mouse(MouseEventKind::ScrollDown, 8, row);
    assert_eq!(screen.app.slot, WarpSlot(4));
}

#[test]
fn enter_goes_to_the_next_issue_of_the_chosen_line() {
    let mut screen = Screen::new(120, 40);
    screen.press(KeyCode::Enter);
    assert!(screen.has("choose a line of the code first"));
    screen.press(KeyCode::Tab);
    assert_eq!(screen.app.focus, Pane::Code);
    let line =
        screen.app.texts.own.as_ref().unwrap().iter().position(|line| line.contains("ld.global")).unwrap();
    (0..line).for_each(|_| screen.press(KeyCode::Down));
    screen.press(KeyCode::Enter);
    let slots = &screen.app.view.sm.as_ref().unwrap().slots;
    let warps = slots.iter().filter_map(|slot| slot.warp.as_ref());
    let issued = warps.filter(|warp| warp.state == "selected").map(|warp| screen.app.line_of(warp.pc));
    assert!(issued.collect::<Vec<_>>().contains(&Some(line)));
}

#[test]
fn the_next_change_of_a_slot_and_the_end_are_found() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("s");
    assert!(screen.has("cycles forwards"));
    screen.press(KeyCode::End);
    assert!(screen.has("every launch has ended"));
    screen.press(KeyCode::Home);
    assert!(screen.has("saxpy, cycle 0 "));
}

#[test]
fn what_does_not_exist_is_said_and_not_shown() {
    let mut screen = Screen::new(120, 40);
    screen.type_keys("m99");
    screen.press(KeyCode::Enter);
    assert!(screen.has("there is no multiprocessor 99: they go from 0 to "));
    assert_eq!(screen.app.options.sm, SmId(0));
    screen.type_keys("d9999");
    screen.press(KeyCode::Enter);
    assert!(screen.has("there is no memory partition 9999"));
    screen.type_keys("g");
    screen.press(KeyCode::Esc);
    assert!(!screen.has("go to cycle"));
}

#[test]
fn q_and_control_c_quit() {
    let mut screen = Screen::new(120, 40);
    let quits = |screen: &mut Screen, code, modifiers| {
        screen.app.key(KeyEvent::new(code, modifiers)) == Some(Action::Quit)
    };
    assert!(quits(&mut screen, KeyCode::Char('q'), KeyModifiers::NONE));
    assert!(quits(&mut screen, KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert!(!quits(&mut screen, KeyCode::Char('x'), KeyModifiers::NONE));
}
