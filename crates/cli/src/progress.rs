//! The progress bars of long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use warplab_gpu::Progress;
use warplab_metrics::integer_text;

/// Time between two changes of the bar.
const PERIOD: Duration = Duration::from_millis(100);

/// A bar on standard error, or nothing.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    /// Blocks of the launches before each.
    blocks_before: Vec<u64>,
    started: Instant,
    drawn: Instant,
}

impl Bar {
    /// A bar for launches of so many blocks each, if one is wanted.
    pub(crate) fn new(blocks: &[u64], wanted: bool) -> Bar {
        let blocks_before = (0..blocks.len()).map(|launch| blocks[..launch].iter().sum()).collect();
        let all = blocks.iter().sum();
        let bar = wanted.then(|| {
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
            let template = "{bar:30} {human_pos}/{human_len} blocks, {msg}, {eta} left";
            // The template is a constant that is tested.
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        let now = Instant::now();
        Bar { bar, blocks_before, started: now, drawn: now }
    }

    /// Shows how far the run is.
    pub(crate) fn show(&mut self, progress: Progress) {
        let Some(bar) = &self.bar else { return };
        if self.drawn.elapsed() < PERIOD {
            return;
        }
        self.drawn = Instant::now();
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let rate = progress.instructions as f64 / seconds / 1e6;
        let before = self.blocks_before.get(progress.launch).copied().unwrap_or(0);
        bar.set_position(before + progress.blocks_dispatched);
        bar.set_message(format!("{} cycles, {rate:.1} M warp instructions/s", integer_text(progress.cycle)));
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar of many cases on standard error, or nothing. It advances by the weight of a case.
pub(crate) struct CaseBar {
    bar: Option<ProgressBar>,
    cases: usize,
    ended: AtomicUsize,
}

impl CaseBar {
    /// A bar for so many cases that weigh so much together, if one is wanted.
    pub(crate) fn new(cases: usize, weight: u64, wanted: bool) -> CaseBar {
        let bar = wanted.then(|| {
            let bar = ProgressBar::with_draw_target(Some(weight), ProgressDrawTarget::stderr());
            let template = "{bar:30} {percent} %, {msg}, {eta} left";
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.set_message(format!("0/{cases} cases"));
            bar
        });
        CaseBar { bar, cases, ended: AtomicUsize::new(0) }
    }

    /// A case has ended.
    pub(crate) fn finished(&self, name: &str, weight: u64) {
        let Some(bar) = &self.bar else { return };
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        bar.set_message(format!("{ended}/{} cases, {name}", self.cases));
        bar.inc(weight);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Time between two lines on finished points where nobody watches.
const RARELY: Duration = Duration::from_secs(30);

/// Lines on finished points: each on a terminal, one now and then elsewhere.
pub(crate) struct PointNotes {
    /// The time from one line to the next; none where no line is wanted.
    period: Option<Duration>,
    state: Mutex<PointState>,
}

struct PointState {
    points: usize,
    cost: u64,
    points_ended: usize,
    cost_ended: u64,
    started: Instant,
    written: Instant,
}

impl PointNotes {
    /// No point is expected yet.
    pub(crate) fn new(quiet: bool, watched: bool) -> PointNotes {
        let period = if watched { Duration::ZERO } else { RARELY };
        let now = Instant::now();
        let state =
            PointState { points: 0, cost: 0, points_ended: 0, cost_ended: 0, started: now, written: now };
        PointNotes { period: (!quiet).then_some(period), state: Mutex::new(state) }
    }

    /// So many points more will be worked out.
    pub(crate) fn expect(&self, points: usize, cost: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.points += points;
        state.cost += cost;
    }

    /// A point has ended; the line that says so, if it is time for one.
    pub(crate) fn finished(&self, name: &str, cost: u64) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.points_ended += 1;
        state.cost_ended += cost;
        if self.period.is_none_or(|period| state.written.elapsed() < period) {
            return None;
        }
        state.written = Instant::now();
        Some(state.line(name, state.started.elapsed()))
    }
}

impl PointState {
    fn line(&self, name: &str, elapsed: Duration) -> String {
        let left = self.cost.saturating_sub(self.cost_ended) as f64 / self.cost_ended.max(1) as f64;
        let left = duration_text(elapsed.mul_f64(left.min(1e6)).as_secs());
        format!("{} of {} points, about {left} left; done: {name}", self.points_ended, self.points)
    }
}

/// A time to the second, minute or hour: `40 s`, `12 min`, `3 h`.
pub(crate) fn duration_text(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h", (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::{PointNotes, duration_text};
    use std::time::Duration;

    #[test]
    fn the_time_left_is_that_of_the_work_left() {
        let notes = PointNotes::new(false, true);
        notes.expect(3, 400);
        assert!(notes.finished("a", 100).is_some());
        let state = notes.state.lock().unwrap();
        assert_eq!(state.line("a", Duration::from_secs(10)), "1 of 3 points, about 30 s left; done: a");
    }

    #[test]
    fn lines_are_rare_where_nobody_watches_and_absent_where_none_is_wanted() {
        assert_eq!(PointNotes::new(false, false).finished("a", 1), None);
        assert_eq!(PointNotes::new(true, true).finished("a", 1), None);
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!([119, 120, 7199, 7200].map(duration_text), ["119 s", "2 min", "120 min", "2 h"]);
    }
}
