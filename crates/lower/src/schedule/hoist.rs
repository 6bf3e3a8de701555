//! Orders for few registers: what needs the fewest, and loads as far up in it as the registers suffice.

use super::{MANY_PREDICATES, Run, Short};
use crate::turns::Turns;
use warplab_program::TargetChoices;

/// Runs of more instructions stay in the order for few registers as it is.
const MOST_HOISTED: usize = 2048;

/// What comes later than after so many cycles is worth to be asked for early.
const SLOW: u32 = 12;

/// What is done on the SM takes so many cycles at most.
const ON_THE_SM: u32 = 64;

/// The fewest places by which it is worth to move a load.
const SHORTEST_MOVE: usize = 2;

/// Orders are tried that become sparing so many registers earlier.
const FEWER: [usize; 5] = [0, 1, 2, 4, 8];

impl Run {
    /// The quickest order found that keeps at most so many registers alive; where none does, the one that keeps the fewest. Beside it
    /// how many it keeps alive, or those that it may.
    pub(super) fn within(&self, choices: &TargetChoices, registers: usize) -> (Vec<usize>, usize) {
        let mut orders: Vec<(Vec<usize>, usize)> = Vec::new();
        for less in FEWER {
            for short in [Short::Fewest, Short::AsWritten] {
                let (order, peak) = self.sequence(choices, registers.saturating_sub(less), short);
                if orders.iter().all(|(other, _)| *other != order) {
                    orders.push((order, peak));
                }
            }
        }
        // Those that fit, with what is loaded still further up.
        for at in 0..orders.len() {
            let (mut order, peak) = orders[at].clone();
            if peak <= registers && order.len() <= MOST_HOISTED {
                let predicates = self.peaks(&order)[1].max(MANY_PREDICATES);
                self.hoist(&mut order, [registers, predicates], 1);
                orders.push((order, peak));
            }
        }
        for short in [Short::Fewest, Short::AsWritten] {
            let (mut order, peak) = self.sequence(choices, 0, short);
            if order.len() <= MOST_HOISTED {
                let predicates = self.peaks(&order)[1].max(MANY_PREDICATES);
                self.hoist(&mut order, [registers.max(peak), predicates], 1);
            }
            orders.push((order, peak.max(registers)));
        }
        let key = |(order, peak): &(Vec<usize>, usize)| (*peak.max(&registers), self.cycles(choices, order));
        let best = orders.into_iter().min_by_key(key).unwrap_or_default();
        let cycles = self.cycles(choices, &best.0);
        self.much_quicker_as_written(choices, registers, cycles)
            .filter(|other| other.1 <= best.1.max(registers))
            .unwrap_or(best)
    }

    /// The order as written, with loads as far up as so many registers suffice, where it takes half of so many cycles or less; and how
    /// many registers it keeps alive, or those that it may.
    pub(super) fn much_quicker_as_written(
        &self,
        choices: &TargetChoices,
        registers: usize,
        cycles: u64,
    ) -> Option<(Vec<usize>, usize)> {
        let least = self.height.iter().copied().max().unwrap_or(0).max(self.instructions.len() as u64);
        if cycles < 2 * least || self.instructions.len() > MOST_HOISTED {
            return None;
        }
        let mut order: Vec<usize> = (0..self.instructions.len()).collect();
        let peaks = self.peaks(&order);
        self.hoist(&mut order, [registers.max(peaks[0]), peaks[1].max(MANY_PREDICATES)], 2);
        (2 * self.cycles(choices, &order) <= cycles).then_some((order, registers.max(peaks[0])))
    }

    /// The cycles that one warp takes alone.
    pub(super) fn cycles(&self, choices: &TargetChoices, order: &[usize]) -> u64 {
        let mut earliest = vec![0u64; order.len()];
        let mut turns = Turns::default();
        let mut time = 0;
        let mut end = 0;
        for &index in order {
            let ready = turns.ready(self.units[index], earliest[index], choices);
            time = ready.max(time) + 1;
            turns.take(self.units[index], time - 1);
            for &(next, cycles) in &self.after[index] {
                let ready = &mut earliest[next as usize];
                *ready = (*ready).max(time - 1 + u64::from(cycles));
            }
            end = end.max(time);
        }
        end
    }

    /// Moves loads, and what they depend on, up behind the loads before them, or as far as registers and predicates suffice. Of two
    /// kinds what is done on the SM and what comes from beyond it go up behind their own kind.
    fn hoist(&self, order: &mut Vec<usize>, most: [usize; 2], kinds: usize) {
        let mut firsts = vec![0; kinds];
        for at in 0..order.len() {
            let wait = self.longest_wait(order[at]);
            if wait <= SLOW {
                continue;
            }
            let kind = usize::from(wait > ON_THE_SM).min(kinds - 1);
            let first = firsts[kind];
            let fits = |begin: usize| {
                let moved = self.moved(order, begin, at);
                let peaks = self.peaks(&moved);
                (peaks[0] <= most[0] && peaks[1] <= most[1]).then_some(moved)
            };
            // The place furthest up that fits, by halves.
            let mut best = fits(first);
            let (mut low, mut high) = if best.is_some() { (at, at) } else { (first + 1, at) };
            while high >= low + SHORTEST_MOVE {
                let begin = low.midpoint(high);
                match fits(begin) {
                    Some(moved) => (best, high) = (Some(moved), begin),
                    None => low = begin + 1,
                }
            }
            let load = order[at];
            if let Some(moved) = best {
                *order = moved;
            }
            firsts[kind] = order.iter().position(|&index| index == load).map_or(at, |place| place + 1);
        }
    }

    /// Cycles until the last that waits for an instruction may issue.
    fn longest_wait(&self, index: usize) -> u32 {
        self.after[index].iter().map(|&(_, cycles)| cycles).max().unwrap_or(0)
    }

    /// The order in which what stands at a place, and all behind `begin` that it needs, stands in front of the rest there.
    fn moved(&self, order: &[usize], begin: usize, at: usize) -> Vec<usize> {
        let mut needed = vec![false; self.instructions.len()];
        needed[order[at]] = true;
        for &index in order[begin..=at].iter().rev() {
            if needed[index] {
                self.before[index].iter().for_each(|&(earlier, _)| needed[earlier as usize] = true);
            }
        }
        let (up, down): (Vec<usize>, Vec<usize>) =
            order[begin..=at].iter().partition(|index| needed[**index]);
        [&order[..begin], &up, &down, &order[at + 1..]].concat()
    }

    /// The most registers, predicates and uniform registers that an order keeps alive.
    pub(super) fn peaks(&self, order: &[usize]) -> [usize; 3] {
        let mut pressure = self.pressure.clone();
        let mut peaks = [pressure.live, pressure.live_predicates, pressure.live_uniforms];
        for &index in order {
            pressure.take(self, index);
            let now = [pressure.live, pressure.live_predicates, pressure.live_uniforms];
            peaks.iter_mut().zip(now).for_each(|(peak, now)| *peak = (*peak).max(now));
        }
        peaks
    }
}
