//! Moves and sums go to the multiply-add pipe where the integer pipe has as much to do, on machines whose half pipes take
//! both at the same time, as ptxas does it: `IMAD.MOV.U32`, `IMAD.IADD` and `VIADD` for `MOV` and `IADD3`.

use warplab_program::operand::SourceModifier;
use warplab_program::{Instruction, Modifier, Modifiers, Opcode, Operand, Pipe};

/// Cycles of a pipe for an instruction that takes one of its halves.
const HALF: u64 = 2;

/// Gives the instructions of a block to the two pipes.
pub(crate) fn balance(instructions: &mut [Instruction]) {
    let (mut integer, mut multiply) = (0, 0);
    for instruction in instructions {
        if integer >= multiply
            && let Some(other) = on_multiply_add(instruction)
        {
            *instruction = other;
        }
        match instruction.opcode.info().pipe {
            Pipe::Alu => integer += HALF,
            Pipe::FmaHeavy | Pipe::Fp16 => multiply += HALF,
            Pipe::Fma => multiply += HALF / 2,
            _ => {}
        }
    }
}

/// The same on the multiply-add pipe, where it has an instruction for it.
fn on_multiply_add(instruction: &Instruction) -> Option<Instruction> {
    let operands = instruction.operands.as_slice();
    let plain = instruction.modifiers.as_slice().is_empty();
    let (opcode, modifiers, operands): (_, &[Modifier], Vec<Operand>) = match (instruction.opcode, operands) {
        (Opcode::Mov, &[to, from]) if plain && (is_register(from) || is_immediate(from)) => {
            (Opcode::Imad, &[Modifier::Mov, Modifier::U32], vec![to, Operand::ZERO, Operand::ZERO, from])
        }
        (Opcode::Iadd3, &[to, first, second, Operand::ZERO]) if plain && is_register(first) => match second {
            Operand::Immediate(_) => (Opcode::Viadd, &[], vec![to, first, second]),
            _ if is_register(second) => {
                (Opcode::Imad, &[Modifier::Iadd], vec![to, first, Operand::Immediate(1), second])
            }
            _ => return None,
        },
        _ => return None,
    };
    let mut other = Instruction::new(opcode, Modifiers::from(modifiers), operands);
    (other.guard, other.control, other.origin) = (instruction.guard, instruction.control, instruction.origin);
    Some(other)
}

/// Whether an operand is a register as it is.
fn is_register(operand: Operand) -> bool {
    matches!(operand, Operand::Register { register, modifier: SourceModifier::NONE, .. } if !register.is_fixed())
}

fn is_immediate(operand: Operand) -> bool {
    matches!(operand, Operand::Immediate(_))
}

#[cfg(test)]
mod tests {
    use super::balance;
    use warplab_diagnostics::Source;
    use warplab_program::listing::read;

    /// The opcodes of these lines afterwards.
    fn opcodes(lines: &[&str]) -> Vec<String> {
        let text = format!(".kernel k\n{}\n", lines.join("\n"));
        let (mut program, faults) = read(&Source::new("code", text));
        assert!(faults.is_empty(), "{faults:?}");
        let instructions = &mut program.kernels[0].instructions;
        balance(instructions);
        instructions.iter().map(|it| format!("{}{}", it.opcode, it.modifiers)).collect()
    }

    #[test]
    fn sums_and_moves_alternate_between_the_pipes() {
        let lines = ["IADD3 R0, R1, 0x1, RZ", "IADD3 R2, R3, R4, RZ", "MOV R5, R6", "MOV R7, 0x3"];
        assert_eq!(opcodes(&lines), ["VIADD", "IADD3", "IMAD.MOV.U32", "MOV"]);
        assert_eq!(opcodes(&["LOP3.LUT R0, R1, R2, RZ, 0xc0, !PT", lines[1]])[1], "IMAD.IADD");
    }

    #[test]
    fn beside_multiplications_they_stay_on_the_integer_pipe() {
        let lines = ["IMAD R0, R1, R2, R3", "IADD3 R4, R5, 0x1, RZ", "FFMA R6, R7, R8, R9", "MOV R1, R2"];
        assert_eq!(opcodes(&lines), ["IMAD", "IADD3", "FFMA", "MOV"]);
    }

    #[test]
    fn what_the_other_pipe_cannot_do_stays() {
        let lines = [
            "IADD3 R0, R1, R2, R3",
            "IADD3 R0, P0, R1, R2, RZ",
            "IADD3 R0, -R1, RZ, RZ",
            "MOV R0, c[0x0][0x10]",
        ];
        assert_eq!(opcodes(&lines), ["IADD3", "IADD3", "IADD3", "MOV"]);
    }
}
