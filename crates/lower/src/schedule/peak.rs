//! How many registers a block needs as it was written.

use crate::code::Code;
use crate::liveness::{Liveness, Marks, step_backward};
use warplab_program::Role;

/// The most registers that a block keeps alive in the order in which it was written.
pub(super) fn written_peak(code: &Code, live: &Liveness, block: usize) -> usize {
    let is_register = |number: &usize| live.numbering.kind(*number) == 0;
    let mut alive = Marks::new(live.numbering.total);
    let mut count = 0;
    for number in live.live_out[block].iter().filter(is_register) {
        count += usize::from(alive.insert(number));
    }
    let mut peak = count;
    for instruction in code.blocks[block].instructions.iter().rev() {
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
        peak = peak.max(count);
    }
    peak
}
