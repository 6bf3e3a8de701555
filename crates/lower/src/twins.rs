//! A copy of a value that lives on is the value itself: what it was copied from is written to its place in the first place.
//!
//! The index that `cvt.s64.s32` extends is the lower half of the pair, as ptxas has it, and takes no register beside it.

use crate::code::{Code, DefinitionCounts, copied, is_no_op, map_registers};
use crate::liveness::{Liveness, step_backward};
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Register, Resource, Role};

/// Has what is written once and copied written where its copy is, if that holds nothing else meanwhile.
pub(crate) fn join(code: &mut Code) {
    let counts = code.definition_counts();
    let mut names: FxHashMap<Register, Register> = FxHashMap::default();
    let mut copies: FxHashMap<Register, Register> = FxHashMap::default();
    for instruction in code.instructions() {
        if let Some((to, from)) = twins(code, instruction, &counts)
            && !names.contains_key(&from)
            && !names.contains_key(&to)
            && !copies.contains_key(&from)
        {
            names.insert(from, to);
            copies.insert(to, from);
        }
    }
    if names.is_empty() {
        return;
    }
    held_meanwhile(code, &names).iter().for_each(|from| _ = names.remove(from));
    for block in &mut code.blocks {
        for instruction in &mut block.instructions {
            let name = |it: Register| names.get(&it).copied().unwrap_or(it);
            map_registers(instruction, name, |it| it, |it| it);
        }
        block.instructions.retain(|it| !is_no_op(it));
    }
}

/// What a move copies to where, if both are written there only and what is copied is in no group.
fn twins(code: &Code, instruction: &Instruction, counts: &DefinitionCounts) -> Option<(Register, Register)> {
    let (to, from) = copied(instruction)?;
    let is_single = |it: Register| it.is_virtual() && counts.is_single(Resource::Registers(it, 1));
    let may = instruction.guard.is_always() && is_single(to) && is_single(from) && to != from;
    (may && code.group(from).1 == 1).then_some((to, from))
}

/// What is written while its copy holds what it was before.
fn held_meanwhile(code: &Code, names: &FxHashMap<Register, Register>) -> Vec<Register> {
    let live = Liveness::new(code);
    let numbering = &live.numbering;
    let mut found = Vec::new();
    let mut alive = vec![false; numbering.total];
    for (index, block) in code.blocks.iter().enumerate() {
        alive.fill(false);
        live.live_out[index].iter().for_each(|number| alive[number] = true);
        for instruction in block.instructions.iter().rev() {
            for access in instruction.accesses().iter().filter(|it| it.role == Role::Write) {
                if let Resource::Registers(from, 1) = access.resource
                    && let Some(to) = names.get(&from)
                    && numbering.register(*to).is_some_and(|number| alive[number])
                {
                    found.push(from);
                }
            }
            step_backward(numbering, &live.single, instruction, |number, role| {
                alive[number] = role == Role::Read;
            });
        }
    }
    found
}
