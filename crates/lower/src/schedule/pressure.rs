//! How many registers, predicates and uniform registers are alive while an order is made.

use super::Run;

/// Which values are alive while the order is made.
#[derive(Clone)]
pub(super) struct Pressure {
    pub(super) live: usize,
    pub(super) live_predicates: usize,
    pub(super) live_uniforms: usize,
    pub(super) is_live: Vec<bool>,
    pub(super) keep: Vec<bool>,
    pub(super) remaining: Vec<u32>,
}

impl Pressure {
    /// The most registers that the order as written keeps alive.
    pub(super) fn peak(mut self, run: &Run) -> usize {
        let mut peak = self.live;
        for index in 0..run.instructions.len() {
            self.take(run, index);
            peak = peak.max(self.live);
        }
        peak
    }

    /// How many more registers of a kind are alive after an instruction.
    pub(super) fn growth(&self, run: &Run, index: usize, kind: usize) -> i64 {
        let mut growth = 0;
        for &number in &run.versions.writes[index] {
            let number = number as usize;
            if run.versions.kinds[number] == kind && !self.is_live[number] {
                growth += 1;
            }
        }
        for &number in &run.versions.reads[index] {
            let number = number as usize;
            if run.versions.kinds[number] == kind && self.remaining[number] == 1 && !self.keep[number] {
                growth -= 1;
            }
        }
        growth
    }

    pub(super) fn take(&mut self, run: &Run, index: usize) {
        for &number in &run.versions.reads[index] {
            let number = number as usize;
            self.remaining[number] -= 1;
            if self.remaining[number] == 0 && !self.keep[number] && self.is_live[number] {
                self.is_live[number] = false;
                let live = self.live_of(run.versions.kinds[number]);
                *live = live.saturating_sub(1);
            }
        }
        for &number in &run.versions.writes[index] {
            let number = number as usize;
            if !self.is_live[number] && (self.remaining[number] > 0 || self.keep[number]) {
                self.is_live[number] = true;
                *self.live_of(run.versions.kinds[number]) += 1;
            }
        }
    }

    /// How many of a kind are alive.
    fn live_of(&mut self, kind: usize) -> &mut usize {
        match kind {
            0 => &mut self.live,
            1 => &mut self.live_predicates,
            _ => &mut self.live_uniforms,
        }
    }
}
