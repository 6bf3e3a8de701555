//! Two words that lie side by side in constant memory and are loaded in one block become one load, as parameters and the
//! sizes of the grid often are.

use crate::code::{Code, DefinitionCounts, map_registers};
use rustc_hash::FxHashMap;
use warplab_program::{
    ConstantIndex, ConstantOperand, Instruction, Modifier, Opcode, Operand, Register, Resource,
};

/// Joins the loads of every block.
pub(crate) fn join_constants(code: &mut Code) {
    let counts = code.definition_counts();
    let mut names: FxHashMap<Register, Register> = FxHashMap::default();
    for block in 0..code.blocks.len() {
        let mut words: FxHashMap<(u8, i32), (usize, Register)> = FxHashMap::default();
        for (at, instruction) in code.blocks[block].instructions.iter().enumerate() {
            if let Some((constant, register)) = word(instruction, &counts)
                && code.group(register) == (register, 1)
            {
                words.entry((constant.bank, constant.offset)).or_insert((at, register));
            }
        }
        let mut lower: Vec<((u8, i32), (usize, Register))> =
            words.iter().filter(|((_, offset), _)| offset % 8 == 0).map(|(&key, &it)| (key, it)).collect();
        lower.sort_unstable_by_key(|it| it.1.0);
        let mut gone = Vec::new();
        for ((bank, offset), (at, low)) in lower {
            let Some(&(other, high)) = words.get(&(bank, offset + 4)) else { continue };
            let pair = code.register(2);
            names.insert(low, pair);
            names.insert(high, pair.offset(1));
            let (first, second) = (at.min(other), at.max(other));
            let old = &code.blocks[block].instructions[first];
            let operands = [Operand::register(pair), Operand::constant(bank, offset)];
            let wide = Instruction::new(Opcode::Ldc, [Modifier::B64], operands).with_origin(old.origin);
            code.blocks[block].instructions[first] = wide;
            gone.push(second);
        }
        gone.sort_unstable();
        for at in gone.into_iter().rev() {
            code.blocks[block].instructions.remove(at);
        }
    }
    if names.is_empty() {
        return;
    }
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        map_registers(instruction, |it| names.get(&it).copied().unwrap_or(it), |it| it, |it| it);
    }
}

/// The word of constant memory that an instruction loads into a register of its own.
fn word(instruction: &Instruction, counts: &DefinitionCounts) -> Option<(ConstantOperand, Register)> {
    let &[Operand::Register { register, .. }, Operand::Constant(constant)] = instruction.operands.as_slice()
    else {
        return None;
    };
    let is_plain = instruction.opcode == Opcode::Ldc
        && instruction.modifiers.as_slice().is_empty()
        && instruction.guard.is_always()
        && constant.index == ConstantIndex::None
        && counts.is_single(Resource::Registers(register, 1));
    is_plain.then_some((constant, register))
}
