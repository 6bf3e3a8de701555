//! A copy of a value that lives on is the value itself: what it was copied from is written to its place in the first place.
//!
//! The index that `cvt.s64.s32` extends is the lower half of the pair, as ptxas has it, and takes no register beside it.
//!
//! Nothing is read before it is written (`select/undefined.rs`): where a register is written by one instruction only, all that reads it
//! comes behind, and so nobody still needs a copy when what it is a copy of is written again.

use crate::code::{Code, DefinitionCounts, copied, is_no_op, map_registers};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{Instruction, Register, Resource};

/// Has what one instruction writes and another copies written where its copy is.
pub(crate) fn join(code: &mut Code) {
    let counts = code.definition_counts();
    let mut names: FxHashMap<Register, Register> = FxHashMap::default();
    let mut copies: FxHashSet<Register> = FxHashSet::default();
    for instruction in code.instructions() {
        if let Some((to, from)) = twins(code, instruction, &counts)
            && !names.contains_key(&from)
            && !names.contains_key(&to)
            && !copies.contains(&from)
        {
            names.insert(from, to);
            copies.insert(to);
        }
    }
    if names.is_empty() {
        return;
    }
    for block in &mut code.blocks {
        for instruction in &mut block.instructions {
            let name = |it: Register| names.get(&it).copied().unwrap_or(it);
            map_registers(instruction, name, |it| it, |it| it);
        }
        block.instructions.retain(|it| !is_no_op(it));
    }
}

/// What a move writes and copies, if both are written by one instruction each and what is copied is in no group.
fn twins(code: &Code, instruction: &Instruction, counts: &DefinitionCounts) -> Option<(Register, Register)> {
    let (to, from) = copied(instruction)?;
    let is_single = |it: Register| it.is_virtual() && counts.is_single(Resource::Registers(it, 1));
    let may = instruction.guard.is_always() && is_single(to) && is_single(from) && to != from;
    (may && code.group(from).1 == 1).then_some((to, from))
}
