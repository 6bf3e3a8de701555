//! A stall count has room for 15 cycles: an instruction that reads a product of matrices comes two behind it at least.

use crate::code::Code;
use warplab_program::{Instruction, Opcode, Resource, Role};

/// Puts a `NOP` between a product of matrices and the next instruction, if that one reads it, or if it stands in another block.
pub(crate) fn part(code: &mut Code) {
    for block in &mut code.blocks {
        let mut at = 1;
        while at < block.instructions.len() {
            let [product, reader] = &block.instructions[at - 1..=at] else { return };
            if is_product(product) && reads_of(reader, product) {
                let nop = nop(reader);
                block.instructions.insert(at, nop);
            }
            at += 1;
        }
        if let Some(product) = block.instructions.last().filter(|last| is_product(last)) {
            block.instructions.push(nop(product));
        }
    }
}

fn nop(beside: &Instruction) -> Instruction {
    Instruction::new(Opcode::Nop, [], []).with_origin(beside.origin)
}

fn is_product(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Hmma | Opcode::Imma | Opcode::Dmma)
}

/// Whether an instruction reads a register that another one writes.
fn reads_of(reader: &Instruction, writer: &Instruction) -> bool {
    let registers = |instruction: &Instruction, role: Role| {
        let accesses: Vec<_> =
            instruction.accesses().into_iter().filter(|access| access.role == role).collect();
        accesses.into_iter().filter_map(|access| match access.resource {
            Resource::Registers(first, count) => Some(first.0..first.0 + count),
            _ => None,
        })
    };
    registers(reader, Role::Read).any(|read| {
        registers(writer, Role::Write).any(|written| read.start < written.end && written.start < read.end)
    })
}

#[cfg(test)]
mod tests {
    use super::part;
    use crate::code::Code;
    use warplab_program::{Instruction, Modifier, Opcode, Operand, Register};

    #[test]
    fn what_stores_a_product_at_once_comes_after_a_nop() {
        let register = |number: u32| Operand::register(Register(number));
        let product = |to: u32| {
            let operands = [register(to), register(20), register(24), register(to)];
            Instruction::new(Opcode::Hmma, [Modifier::M16n8k16, Modifier::F32], operands)
        };
        let moves = |from: u32| Instruction::new(Opcode::Mov, [], [register(40), register(from)]);
        let mut code = Code::default();
        code.blocks.push(Default::default());
        code.blocks[0].instructions = vec![product(0), product(4), moves(1), product(8), moves(9)];
        part(&mut code);
        let opcodes: Vec<Opcode> = code.blocks[0].instructions.iter().map(|it| it.opcode).collect();
        let expected = [Opcode::Hmma, Opcode::Hmma, Opcode::Mov, Opcode::Hmma, Opcode::Nop, Opcode::Mov];
        assert_eq!(opcodes, expected);
    }

    #[test]
    fn a_product_at_the_end_of_a_block_has_a_nop_behind_it() {
        let registers = [0, 20, 24, 0].map(|number| Operand::register(Register(number)));
        let mut code = Code::default();
        code.blocks.push(Default::default());
        let product = Instruction::new(Opcode::Hmma, [Modifier::M16n8k16, Modifier::F32], registers);
        code.blocks[0].instructions = vec![product];
        part(&mut code);
        let opcodes: Vec<Opcode> = code.blocks[0].instructions.iter().map(|it| it.opcode).collect();
        assert_eq!(opcodes, [Opcode::Hmma, Opcode::Nop]);
    }
}
