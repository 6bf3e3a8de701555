//! Bits that nobody looks at: products of TF32 matrices ignore the lowest 13 bits of what they multiply.

use crate::code::Code;
use crate::fold;
use rustc_hash::FxHashSet;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Resource, Role};

/// The bits of a word that TF32 has.
const TF32: u32 = 0xffff_e000;

/// Where the places of the matrices that are multiplied begin among the operands of a product.
const MATRICES: std::ops::RangeInclusive<usize> = 1..=2;

/// Leaves bits as they are that are cleared for products only, which ignore them.
pub(crate) fn leave(code: &mut Code) {
    if !code.instructions().any(is_product) {
        return;
    }
    let seen = looked_at(code);
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Some((to, value)) = cleared(instruction)
            && !seen.contains(&to)
        {
            fold::become_move(instruction, value);
        }
    }
}

fn is_product(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Hmma | Opcode::Hgmma) && instruction.has(Modifier::Tf32)
}

/// What an instruction that clears the lowest bits of a word reads, and where it writes.
fn cleared(instruction: &Instruction) -> Option<(Register, Operand)> {
    let operands = instruction.operands.as_slice();
    let &[to, value, Operand::Immediate(TF32), Operand::ZERO, Operand::Immediate(0xc0), Operand::FALSE] =
        operands.get(operands.len().checked_sub(6)?..)?
    else {
        return None;
    };
    let is_plain = instruction.opcode == Opcode::Lop3 && operands.len() <= 7;
    Some((to.as_register().filter(|register| is_plain && *register != Register::ZERO)?, value))
}

/// The registers of which somebody may look at every bit.
fn looked_at(code: &Code) -> FxHashSet<Register> {
    let mut seen: FxHashSet<Register> = FxHashSet::default();
    // A copy is looked at where the original is of no use otherwise: until nothing changes.
    loop {
        let before = seen.len();
        for instruction in code.instructions() {
            if copies_to(instruction).is_some_and(|to| !seen.contains(&to)) {
                continue;
            }
            for (first, count) in read_in_full(instruction) {
                seen.extend((0..count).map(|it| first.offset(it)));
            }
        }
        if seen.len() == before {
            return seen;
        }
    }
}

/// Where an instruction that copies a register writes.
fn copies_to(instruction: &Instruction) -> Option<Register> {
    match instruction.operands[..] {
        [Operand::Register { register: to, .. }, Operand::Register { .. }]
            if instruction.opcode == Opcode::Mov =>
        {
            Some(to)
        }
        _ => None,
    }
}

/// The registers that an instruction reads, but for matrices that it multiplies.
fn read_in_full(instruction: &Instruction) -> Vec<(Register, u32)> {
    let product = is_product(instruction);
    let matrices: Vec<Register> = MATRICES
        .filter(|_| product)
        .filter_map(|at| instruction.operands.get(at).and_then(Operand::as_register))
        .collect();
    let of = |resource| match resource {
        Resource::Registers(first, count) => Some((first, count)),
        _ => None,
    };
    let accesses = instruction.accesses();
    let read = accesses.iter().filter(|access| access.role == Role::Read);
    read.filter_map(|access| of(access.resource)).filter(|(first, _)| !matrices.contains(first)).collect()
}

#[cfg(test)]
mod tests {
    use super::leave;
    use crate::code::{Block, Code};
    use warplab_program::{Instruction, Modifier, Opcode, Operand, Register};

    fn register(number: u32) -> Operand {
        Operand::register(Register(number))
    }

    fn first_of(rest: &[Instruction]) -> Opcode {
        let table = Operand::Immediate(0xc0);
        let operands =
            [register(4), register(9), Operand::Immediate(0xffff_e000), Operand::ZERO, table, Operand::FALSE];
        let mut instructions = vec![Instruction::new(Opcode::Lop3, [Modifier::Lut], operands)];
        instructions.extend_from_slice(rest);
        let mut code = Code::default();
        code.blocks.push(Block { instructions, ..Block::default() });
        leave(&mut code);
        code.blocks[0].instructions[0].opcode
    }

    #[test]
    fn bits_are_cleared_only_where_more_than_a_product_reads_them() {
        let operands = [register(20), register(12), register(16), register(20)];
        let product =
            Instruction::new(Opcode::Hmma, [Modifier::M16n8k8, Modifier::F32, Modifier::Tf32], operands);
        let copy = |to| Instruction::new(Opcode::Mov, [], [register(to), register(4)]);
        assert_eq!(first_of(&[copy(12), product.clone()]), Opcode::Mov);
        assert_eq!(first_of(&[copy(12), product.clone(), copy(20)]), Opcode::Lop3);
        assert_eq!(first_of(&[copy(12)]), Opcode::Lop3);
    }
}
