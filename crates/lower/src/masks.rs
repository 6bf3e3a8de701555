//! Masks: what clears only bits that are clear already does nothing, and of two masks one after the other one is enough.

use crate::code::{Code, DefinitionCounts};
use crate::fold::become_move;
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Resource, Selector, SourceModifier};

/// What is known of a register that is written once.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The bits that may be set.
    bits: u32,
    /// What it is a part of: a register that is written once, and the mask.
    part: Option<(Register, u32)>,
}

/// Takes out masks, in an order in which a value comes before its readers.
pub(crate) fn masks(code: &mut Code) {
    let counts = code.definition_counts();
    let mut known: FxHashMap<Register, Known> = FxHashMap::default();
    for block in Graph::new(code).dominance_order() {
        for instruction in &mut code.blocks[block].instructions {
            simplify(instruction, &known);
            if let Some((to, about)) = written(instruction, &known, &counts) {
                known.insert(to, about);
            }
        }
    }
}

/// A mask of a mask is one of both; one that clears nothing is a copy.
fn simplify(instruction: &mut Instruction, known: &FxHashMap<Register, Known>) {
    let Some((at, register, mask)) = masked(instruction) else { return };
    let Some(about) = known.get(&register) else { return };
    if about.bits & !mask == 0 {
        return become_move(instruction, Operand::register(register));
    }
    if let Some((whole, other)) = about.part {
        let immediate = 3 - at;
        instruction.operands[at] = Operand::register(whole);
        instruction.operands[immediate] = Operand::Immediate(mask & other);
    }
}

/// Where a value stands that an instruction masks and does nothing else with, its register, and the mask.
fn masked(instruction: &Instruction) -> Option<(usize, Register, u32)> {
    if instruction.opcode != Opcode::Lop3 {
        return None;
    }
    let [Operand::Register { .. }, a, b, Operand::ZERO, Operand::Immediate(0xc0), Operand::FALSE] =
        instruction.operands[..]
    else {
        return None;
    };
    match (a, b) {
        (value, Operand::Immediate(mask)) => Some((1, whole(&value)?, mask)),
        (Operand::Immediate(mask), value) => Some((2, whole(&value)?, mask)),
        _ => None,
    }
}

/// A register of which all bits are read as they are.
fn whole(operand: &Operand) -> Option<Register> {
    match *operand {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            Some(register)
        }
        _ => None,
    }
}

/// The register that an instruction writes, and what is known of it.
fn written(
    instruction: &Instruction,
    known: &FxHashMap<Register, Known>,
    counts: &DefinitionCounts,
) -> Option<(Register, Known)> {
    let is_single = |register: Register| counts.is_single(Resource::Registers(register, 1));
    let to = instruction.operands.first().and_then(Operand::as_register).filter(|&to| is_single(to))?;
    if !instruction.guard.is_always() {
        return None;
    }
    let bits_of = |operand: &Operand| match *operand {
        Operand::Immediate(bits) => bits,
        ref value => match whole(value) {
            Some(Register::ZERO) => 0,
            Some(register) => known.get(&register).map_or(u32::MAX, |about| about.bits),
            None => u32::MAX,
        },
    };
    let operands = &instruction.operands;
    let part = masked(instruction)
        .filter(|&(_, of, _)| is_single(of) && of != Register::ZERO)
        .map(|(_, of, mask)| (of, mask));
    let bits = match instruction.opcode {
        Opcode::Ldg | Opcode::Ld | Opcode::Lds | Opcode::Ldl if instruction.has(Modifier::U8) => 0xff,
        Opcode::Ldg | Opcode::Ld | Opcode::Lds | Opcode::Ldl if instruction.has(Modifier::U16) => 0xffff,
        Opcode::Mov => bits_of(&operands[1]),
        Opcode::Sel => bits_of(&operands[1]) | bits_of(&operands[2]),
        Opcode::Lop3 => {
            let (_, _, mask) = masked(instruction)?;
            mask & part.map_or(u32::MAX, |(of, _)| bits_of(&Operand::register(of)))
        }
        Opcode::Shf => shifted(instruction, bits_of)?,
        _ => return None,
    };
    (bits != u32::MAX || part.is_some()).then_some((to, Known { bits, part }))
}

/// The bits that a shift to the right of one word may leave.
fn shifted(instruction: &Instruction, bits_of: impl Fn(&Operand) -> u32) -> Option<u32> {
    let [_, Operand::ZERO, Operand::Immediate(places @ 0..32), value] = instruction.operands[..] else {
        return None;
    };
    let right = [Modifier::R, Modifier::U32, Modifier::Hi].into_iter().all(|it| instruction.has(it));
    right.then(|| bits_of(&value) >> places)
}
