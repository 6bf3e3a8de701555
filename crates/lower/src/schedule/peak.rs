//! How many registers a block needs as it was written.

use crate::code::Code;
use crate::liveness::{Liveness, Marks, step_backward};
use warplab_program::Role;

/// The most registers that a block keeps alive in the order in which it was written.
pub(super) fn written_peak(code: &Code, live: &Liveness, block: usize) -> usize {
    let left = live.live_out[block].iter().filter(|&number| live.numbering.kind(number) == 0).count();
    peak(code, live, block).map_or(left, |(most, _)| left.max(most))
}

/// The most registers that are alive in front of an instruction of a block, and of which.
pub(crate) fn peak(code: &Code, live: &Liveness, block: usize) -> Option<(usize, usize)> {
    let is_register = |number: &usize| live.numbering.kind(*number) == 0;
    let mut alive = Marks::new(live.numbering.total);
    let mut count = live.live_out[block].iter().filter(is_register).filter(|it| alive.insert(*it)).count();
    let mut most: Option<(usize, usize)> = None;
    for (at, instruction) in code.blocks[block].instructions.iter().enumerate().rev() {
        step_backward(&live.numbering, &live.single, instruction, |number, role| {
            if !is_register(&number) {
                return;
            }
            if role == Role::Read {
                count += usize::from(alive.insert(number));
            } else if alive.contains(number) {
                alive.remove(number);
                count -= 1;
            }
        });
        if most.is_none_or(|(most, _)| count > most) {
            most = Some((count, at));
        }
    }
    most
}
