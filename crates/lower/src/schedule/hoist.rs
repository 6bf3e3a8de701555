//! Orders for few registers: what needs the fewest, and loads as far up in it as the registers suffice.

use super::{MANY_PREDICATES, Run, Short};
use warplab_program::TargetChoices;

/// Runs of more instructions stay in the order for few registers as it is.
const MOST_HOISTED: usize = 2048;

/// What comes later than after so many cycles is worth to be asked for early.
const SLOW: u32 = 12;

/// The fewest places by which it is worth to move a load.
const SHORTEST_MOVE: usize = 2;

impl Run {
    /// The quickest order found that keeps at most so many registers alive; where none does, the one that keeps the fewest. Beside it
    /// how many it keeps alive, or those that it may.
    pub(super) fn within(&self, choices: &TargetChoices, registers: usize) -> (Vec<usize>, usize) {
        let mut orders = Vec::new();
        for less in [0, 8] {
            let comfortable = registers.saturating_sub(less);
            orders.extend(
                [Short::Fewest, Short::AsWritten].map(|short| self.sequence(choices, comfortable, short)),
            );
        }
        for short in [Short::Fewest, Short::AsWritten] {
            let (mut order, peak) = self.sequence(choices, 0, short);
            if order.len() <= MOST_HOISTED {
                let predicates = self.peaks(&order)[1].max(MANY_PREDICATES);
                self.hoist(&mut order, [registers.max(peak), predicates]);
            }
            orders.push((order, peak.max(registers)));
        }
        let key = |(order, peak): &(Vec<usize>, usize)| (*peak.max(&registers), self.cycles(order));
        orders.into_iter().min_by_key(key).unwrap_or_default()
    }

    /// The cycles that one warp takes alone.
    pub(super) fn cycles(&self, order: &[usize]) -> u64 {
        let mut earliest = vec![0u64; order.len()];
        let mut time = 0;
        let mut end = 0;
        for &index in order {
            time = earliest[index].max(time) + 1;
            for &(next, cycles) in &self.after[index] {
                let ready = &mut earliest[next as usize];
                *ready = (*ready).max(time - 1 + u64::from(cycles));
            }
            end = end.max(time);
        }
        end
    }

    /// Moves loads, and what they depend on, up behind the loads before them, or as far as registers and predicates suffice.
    fn hoist(&self, order: &mut Vec<usize>, most: [usize; 2]) {
        let mut first = 0;
        for at in 0..order.len() {
            if !self.is_slow(order[at]) {
                continue;
            }
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
            first = order.iter().position(|&index| index == load).map_or(at, |place| place + 1);
        }
    }

    /// Whether what an instruction writes comes late.
    fn is_slow(&self, index: usize) -> bool {
        self.after[index].iter().any(|&(_, cycles)| cycles > SLOW)
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
    fn peaks(&self, order: &[usize]) -> [usize; 3] {
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
