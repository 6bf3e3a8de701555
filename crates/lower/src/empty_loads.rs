//! In front of the first copy to shared memory of a block, and of the first behind an access to shared memory or a barrier,
//! stand three loads of shared memory that no lane does, as ptxas writes them: nothing depends on them, but they issue.

use crate::code::Code;
use warplab_program::{Guard, Instruction, Opcode, Operand, Register};

const COUNT: usize = 3;

/// Puts them in.
pub(crate) fn add(code: &mut Code) {
    for block in &mut code.blocks {
        if block.instructions.iter().all(|it| it.opcode != Opcode::Ldgsts) {
            continue;
        }
        let mut stands = false;
        let mut added = Vec::with_capacity(block.instructions.len() + COUNT);
        for instruction in block.instructions.drain(..) {
            if instruction.opcode == Opcode::Ldgsts && !stands {
                added.extend(std::iter::repeat_n(empty_load(&instruction), COUNT));
            }
            stands = match instruction.opcode {
                Opcode::Ldgsts => true,
                Opcode::Lds | Opcode::Ldsm | Opcode::Sts | Opcode::Stsm | Opcode::Atoms | Opcode::Bar => {
                    false
                }
                _ => stands,
            };
            added.push(instruction);
        }
        block.instructions = added;
    }
}

fn empty_load(before: &Instruction) -> Instruction {
    let operands = [Operand::register(Register::ZERO), Operand::address32(Some(Register::ZERO), 0)];
    Instruction::new(Opcode::Lds, [], operands).guarded(Guard::NEVER).with_origin(before.origin)
}
