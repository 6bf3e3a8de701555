//! Takes out what nobody reads.

use crate::code::{Code, has_effect};
use crate::liveness::{Liveness, Marks, Numbering, step_backward};
use rustc_hash::FxHashSet;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Resource, Role};

/// Removes instructions whose results nobody reads.
pub(crate) fn dead_code(code: &mut Code) {
    remove_unread(code);
    loop {
        let live = Liveness::new(code);
        let mut needed = Marks::new(live.numbering.total);
        let mut removed = false;
        for (index, block) in code.blocks.iter_mut().enumerate() {
            needed.clear();
            live.live_out[index].iter().for_each(|number| _ = needed.insert(number));
            let mut kept: Vec<Instruction> = Vec::with_capacity(block.instructions.len());
            for mut instruction in std::mem::take(&mut block.instructions).into_iter().rev() {
                if is_dead(&instruction, &live.numbering, |number| needed.contains(number)) {
                    removed = true;
                    continue;
                }
                without_unread_predicate(&mut instruction, &live.numbering, |number| needed.contains(number));
                without_unread_half(&mut instruction, &live.numbering, |number| needed.contains(number));
                step_backward(&live.numbering, &live.single, &instruction, |number, role| match role {
                    Role::Write => needed.remove(number),
                    Role::Read => _ = needed.insert(number),
                });
                kept.push(instruction);
            }
            kept.reverse();
            block.instructions = kept;
        }
        if !removed {
            return;
        }
    }
}

/// Removes what makes values that are read nowhere at all, and then what only these have read: chains through many
/// blocks go at once.
fn remove_unread(code: &mut Code) {
    let numbering = Numbering::new(code);
    let mut readers = vec![0u32; numbering.total];
    let mut writers: Vec<Vec<(usize, usize)>> = vec![Vec::new(); numbering.total];
    for (block, at, instruction) in code.places() {
        for access in instruction.accesses() {
            numbering.of(access.resource).for_each(|number| match access.role {
                Role::Read => readers[number] += 1,
                Role::Write => writers[number].push((block, at)),
            });
        }
    }
    let is_unread =
        |instruction: &Instruction, readers: &[u32]| is_dead(instruction, &numbering, |it| readers[it] > 0);
    let mut pending: Vec<(usize, usize)> = code
        .places()
        .filter(|(.., instruction)| is_unread(instruction, &readers))
        .map(|(block, at, _)| (block, at))
        .collect();
    let mut gone: FxHashSet<(usize, usize)> = FxHashSet::default();
    while let Some((block, at)) = pending.pop() {
        let instruction = &code.blocks[block].instructions[at];
        if gone.contains(&(block, at)) || !is_unread(instruction, &readers) {
            continue;
        }
        gone.insert((block, at));
        for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
            for number in numbering.of(access.resource) {
                readers[number] -= 1;
                if readers[number] == 0 {
                    pending.extend(&writers[number]);
                }
            }
        }
    }
    for (block, it) in code.blocks.iter_mut().enumerate() {
        let mut at = 0;
        it.instructions.retain(|_| {
            at += 1;
            !gone.contains(&(block, at - 1))
        });
    }
}

/// An exchange says in a predicate whether its lane was there, and a sum whether it carries: nobody waits for that where nobody
/// reads it.
fn without_unread_predicate(
    instruction: &mut Instruction,
    numbering: &Numbering,
    needed: impl Fn(usize) -> bool,
) {
    if instruction.opcode == Opcode::Shfl
        && let Operand::Predicate { predicate, .. } = instruction.operands[0]
        && !numbering.of(Resource::Predicate(predicate)).any(&needed)
    {
        instruction.operands[0] = Operand::TRUE;
    }
    if instruction.opcode == Opcode::Iadd3
        && !instruction.has(Modifier::X)
        && instruction.operands.len() == 5
        && let Operand::Predicate { predicate, .. } = instruction.operands[1]
        && !numbering.of(Resource::Predicate(predicate)).any(needed)
    {
        instruction.operands.remove(1);
    }
}

/// Of a product of 64 bits of which only one half is read, only that is computed.
fn without_unread_half(instruction: &mut Instruction, numbering: &Numbering, needed: impl Fn(usize) -> bool) {
    let &[Operand::Register { register: to, .. }, a, b, c] = instruction.operands.as_slice() else { return };
    if instruction.opcode != Opcode::Imad || !instruction.has(Modifier::Wide) || !to.is_virtual() {
        return;
    }
    let is_needed = |half: u32| numbering.of(Resource::Registers(to.offset(half), 1)).any(&needed);
    match (is_needed(0), is_needed(1)) {
        (true, false) => {
            instruction.modifiers = <&[Modifier]>::into(&[]);
        }
        (false, true) => {
            let signed = !instruction.has(Modifier::U32);
            let modifiers: &[Modifier] =
                if signed { &[Modifier::Hi] } else { &[Modifier::Hi, Modifier::U32] };
            instruction.modifiers = modifiers.into();
            instruction.operands = [Operand::register(to.offset(1)), a, b, c].into_iter().collect();
        }
        _ => {}
    }
}

fn is_dead(instruction: &Instruction, numbering: &Numbering, needed: impl Fn(usize) -> bool) -> bool {
    if has_effect(instruction) {
        return false;
    }
    let accesses = instruction.accesses();
    let mut writes = accesses.iter().filter(|access| access.role == Role::Write);
    writes.all(|access| match access.resource {
        Resource::Registers(register, _) if !register.is_virtual() => false,
        Resource::Uniforms(register, _) if register == crate::code::DESCRIPTOR => false,
        Resource::AllPredicates | Resource::AllUniformPredicates | Resource::Barrier(_) => false,
        resource => !numbering.of(resource).any(&needed),
    })
}
