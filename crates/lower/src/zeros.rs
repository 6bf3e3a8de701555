//! Zeros side by side: an even register and the next one are cleared by one instruction.

use crate::code::Code;
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Opcode, Operand, Register, Resource, Role, SpecialRegister};

/// Makes one instruction of two that clear the registers of a pair, where the first stands.
pub(crate) fn join(code: &mut Code) {
    for block in &mut code.blocks {
        // Registers that have been cleared, while nobody has touched their neighbours since.
        let mut cleared: FxHashMap<Register, usize> = FxHashMap::default();
        let mut taken: Vec<usize> = Vec::new();
        for at in 0..block.instructions.len() {
            let Some(register) = cleared_by(&block.instructions[at]) else {
                forget(&block.instructions[at], &mut cleared);
                continue;
            };
            let Some(first) = cleared.remove(&neighbour(register)) else {
                forget(&block.instructions[at], &mut cleared);
                cleared.insert(register, at);
                continue;
            };
            let even = Operand::register(Register(register.0 & !1));
            let origin = block.instructions[first].origin;
            let operands = [even, Operand::Special(SpecialRegister::Zero)];
            block.instructions[first] = Instruction::new(Opcode::Cs2r, [], operands).with_origin(origin);
            taken.push(at);
        }
        let mut at = 0;
        block.instructions.retain(|_| {
            at += 1;
            taken.binary_search(&(at - 1)).is_err()
        });
    }
}

fn neighbour(register: Register) -> Register {
    Register(register.0 ^ 1)
}

/// The register that an instruction clears, if that is all it does.
fn cleared_by(instruction: &Instruction) -> Option<Register> {
    let [Operand::Register { register, .. }, Operand::ZERO] = instruction.operands[..] else { return None };
    let plain = instruction.opcode == Opcode::Mov && instruction.guard.is_always();
    (plain && register != Register::ZERO).then_some(register)
}

/// What an instruction touches can no more be cleared before it.
fn forget(instruction: &Instruction, cleared: &mut FxHashMap<Register, usize>) {
    if matches!(instruction.opcode, Opcode::Call | Opcode::Warpgroup) {
        return cleared.clear();
    }
    for access in instruction.accesses() {
        let Resource::Registers(first, count) = access.resource else { continue };
        for register in (0..count).map(|it| first.offset(it)) {
            cleared.remove(&neighbour(register));
            if access.role == Role::Write {
                cleared.remove(&register);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join;
    use crate::code::{Block, Code};
    use warplab_program::{Instruction, Opcode, Operand, Register};

    fn register(number: u32) -> Operand {
        Operand::register(Register(number))
    }

    fn clear(number: u32) -> Instruction {
        Instruction::new(Opcode::Mov, [], [register(number), Operand::ZERO])
    }

    fn copy(to: u32, from: u32) -> Instruction {
        Instruction::new(Opcode::Mov, [], [register(to), register(from)])
    }

    /// The instructions afterwards: what each does, and to which register.
    fn joined(instructions: &[Instruction]) -> Vec<(Opcode, Option<Register>)> {
        let mut code = Code::default();
        code.blocks.push(Block { instructions: instructions.to_vec(), ..Block::default() });
        join(&mut code);
        code.blocks[0].instructions.iter().map(|it| (it.opcode, it.operands[0].as_register())).collect()
    }

    #[test]
    fn two_registers_of_a_pair_are_cleared_by_one_instruction() {
        let pair = [(Opcode::Cs2r, Some(Register(6))), (Opcode::Mov, Some(Register(2)))];
        assert_eq!(joined(&[clear(7), copy(2, 3), clear(6)]), pair);
        assert_eq!(joined(&[clear(7), clear(8)]).len(), 2);
    }

    #[test]
    fn a_register_that_is_read_or_written_between_is_cleared_where_it_was() {
        assert_eq!(joined(&[clear(7), copy(2, 6), clear(6)]).len(), 3);
        assert_eq!(joined(&[clear(7), copy(6, 2), clear(6)]).len(), 3);
        assert_eq!(joined(&[clear(7), copy(7, 2), clear(6)]).len(), 3);
    }
}
