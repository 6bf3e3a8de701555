//! `warplab step`: a launch in the terminal, cycle by cycle, forwards and backwards.

mod app;
mod draw;
mod panes;
mod prompt;
#[cfg(test)]
mod tests;

use crate::failure::Failure;
use app::Action;
pub(crate) use app::{App, Texts};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind,
};
use ratatui::crossterm::execute;
use std::io::{self, stdout};
use std::time::{Duration, Instant};
use warplab_run::stepper::Goal;

/// Time between two looks at the keyboard while a long run goes on.
const PERIOD: Duration = Duration::from_millis(100);

/// Shows an application in the terminal until the user quits.
pub(crate) fn run(app: &mut App) -> Result<(), Failure> {
    let shown = ratatui::try_init().and_then(|mut terminal| {
        // A terminal without a mouse is as good.
        let _ = execute!(stdout(), EnableMouseCapture);
        let result = follow(app, &mut terminal);
        let _ = execute!(stdout(), DisableMouseCapture);
        let restored = ratatui::try_restore();
        result.and(restored)
    });
    shown.map_err(|error| Failure::input(format!("the terminal cannot be used: {error}")))
}

/// Draws and obeys.
fn follow(app: &mut App, terminal: &mut DefaultTerminal) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw::draw(app, frame))?;
        let action = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => app.key(key),
            Event::Mouse(mouse) => app.mouse(mouse),
            _ => None,
        };
        match action {
            Some(Action::Quit) => return Ok(()),
            Some(Action::Run(goal)) => run_to(app, goal, terminal)?,
            None => {}
        }
    }
}

/// Goes to a goal; any key stops it.
fn run_to(app: &mut App, goal: Goal, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let mut looked = Instant::now();
    let mut failed = None;
    app.run(goal, &mut |cycle| {
        if looked.elapsed() < PERIOD {
            return true;
        }
        looked = Instant::now();
        match interrupted(terminal, cycle.0) {
            Ok(interrupted) => !interrupted,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Says how far a run is; whether the user wants it to stop.
fn interrupted(terminal: &mut DefaultTerminal, cycle: u64) -> io::Result<bool> {
    terminal.draw(|frame| draw::running(frame, cycle))?;
    while event::poll(Duration::ZERO)? {
        if let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
            && key.code != KeyCode::Null
        {
            return Ok(true);
        }
    }
    Ok(false)
}
