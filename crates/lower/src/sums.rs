//! What is added only where a predicate holds: a guarded sum, as ptxas has it, in the place of a choice between a number and zero
//! and a sum of it.

use crate::code::{Code, DefinitionCounts, insert};
use rustc_hash::FxHashMap;
use warplab_program::{
    Guard, Instruction, Opcode, Operand, Register, Resource, Role, Selector, SourceModifier,
};

/// A choice: where it stands, when it is not zero, and the number then.
#[derive(Clone, Copy)]
struct Choice {
    at: usize,
    guard: Guard,
    number: u32,
}

/// Guards sums of choices that nobody else reads, where the other term is read for the last time.
pub(crate) fn guard(code: &mut Code) {
    let counts = code.definition_counts();
    let mut uses: FxHashMap<Register, u32> = FxHashMap::default();
    for access in code.instructions().flat_map(Instruction::accesses) {
        if let (Role::Read, Resource::Registers(first, count)) = (access.role, access.resource) {
            (0..count).for_each(|it| *uses.entry(first.offset(it)).or_insert(0) += 1);
        }
    }
    for block in &mut code.blocks {
        let mut choices: FxHashMap<Register, Choice> = FxHashMap::default();
        let mut guarded: Vec<(usize, usize, Guard, Register, u32)> = Vec::new();
        for (at, instruction) in block.instructions.iter().enumerate() {
            if let Some((register, choice)) = choice(instruction, at, &counts) {
                choices.insert(register, choice);
                continue;
            }
            let Some((to, terms)) = sum(instruction) else { continue };
            let found =
                [(terms[0], terms[1]), (terms[1], terms[0])].into_iter().find_map(|(number, other)| {
                    let choice = *choices.get(&number).filter(|_| uses.get(&number) == Some(&1))?;
                    (to == other || uses.get(&other) == Some(&1)).then_some((choice, other))
                });
            if let Some((choice, other)) = found {
                guarded.push((choice.at, at, choice.guard, other, choice.number));
            }
        }
        rewrite(&mut block.instructions, &guarded);
    }
}

fn rewrite(instructions: &mut Vec<Instruction>, guarded: &[(usize, usize, Guard, Register, u32)]) {
    let mut added: Vec<(usize, Instruction)> = Vec::new();
    for &(_, at, guard, other, number) in guarded {
        let sum = &mut instructions[at];
        let to = sum.operands[0];
        if to != Operand::register(other) {
            let start = Instruction::new(Opcode::Mov, [], [to, Operand::register(other)]);
            added.push((at, start.with_origin(sum.origin)));
        }
        let operands = [to, to, Operand::Immediate(number), Operand::ZERO];
        *sum = Instruction { guard, ..Instruction::new(Opcode::Iadd3, [], operands).with_origin(sum.origin) };
    }
    // What stands at the place of a choice goes first, as the places of sums move with what is put in front of them.
    let mut gone: Vec<usize> = guarded.iter().map(|it| it.0).collect();
    gone.sort_unstable();
    added.iter_mut().for_each(|(at, _)| *at -= gone.partition_point(|it| it < at));
    let mut index = 0;
    instructions.retain(|_| {
        index += 1;
        gone.binary_search(&(index - 1)).is_err()
    });
    insert(instructions, added);
}

/// A choice between zero and a number, of which a predicate decides that is the same wherever it is read.
fn choice(instruction: &Instruction, at: usize, counts: &DefinitionCounts) -> Option<(Register, Choice)> {
    let [Operand::Register { register, .. }, first, second, Operand::Predicate { predicate, negate }] =
        *instruction.operands.as_slice()
    else {
        return None;
    };
    let fixed = counts.is_single(Resource::Registers(register, 1))
        && counts.is_single(Resource::Predicate(predicate));
    if instruction.opcode != Opcode::Sel || !instruction.guard.is_always() || !fixed {
        return None;
    }
    let (number, negate) = match (first, second) {
        (Operand::ZERO, Operand::Immediate(number)) => (number, !negate),
        (Operand::Immediate(number), Operand::ZERO) => (number, negate),
        _ => return None,
    };
    let guard = Guard::Predicate { predicate, negate };
    Some((register, Choice { at, guard, number }))
}

/// A sum of two registers, without carries.
fn sum(instruction: &Instruction) -> Option<(Register, [Register; 2])> {
    let plain = |operand: &Operand| match *operand {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            Some(register)
        }
        _ => None,
    };
    let [to, first, second, Operand::ZERO] = instruction.operands.as_slice() else { return None };
    let is_sum = instruction.opcode == Opcode::Iadd3
        && instruction.modifiers.as_slice().is_empty()
        && instruction.guard.is_always();
    is_sum.then_some((plain(to)?, [plain(first)?, plain(second)?]))
}
