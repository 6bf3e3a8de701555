//! The progress bars of long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
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
