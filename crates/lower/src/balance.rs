//! Moves and sums go to the multiply-add pipe where the integer pipe has as much to do, on machines whose half pipes take
//! both at the same time, as ptxas does it: `IMAD.MOV.U32`, `IMAD.IADD`, `IMAD.X`, `IMAD.SHL.U32` and `VIADD` for `MOV`, `IADD3` and
//! `SHF.L.U32`.

use warplab_program::operand::SourceModifier;
use warplab_program::{Instruction, Modifier, Modifiers, Opcode, Operand, Pipe, Selector};

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
    use Modifier as M;
    const ONE: Operand = Operand::Immediate(1);
    const ZERO: Operand = Operand::ZERO;
    let operands = instruction.operands.as_slice();
    let modifiers = instruction.modifiers.as_slice();
    let (modifiers, operands): (&[Modifier], Vec<Operand>) = match (instruction.opcode, modifiers, operands) {
        (Opcode::Mov, [], &[to, from]) if is_register(from) || is_immediate(from) => {
            (&[M::Mov, M::U32], vec![to, ZERO, ZERO, from])
        }
        (Opcode::Mov, [], &[to, from @ Operand::Uniform { .. }]) => (&[M::U32], vec![to, ZERO, ZERO, from]),
        (Opcode::Iadd3, [], &[to, first, number @ Operand::Immediate(_), ZERO]) if is_register(first) => {
            return Some(like(instruction, Opcode::Viadd, &[], vec![to, first, number]));
        }
        (Opcode::Iadd3, [], &[to, negative, ZERO, ZERO]) if is_negative(negative) => {
            (&[M::Mov], vec![to, ZERO, ZERO, negative])
        }
        (Opcode::Iadd3, [], &[to, first, second, ZERO]) if is_register(first) && is_term(second) => {
            (&[M::Iadd], vec![to, first, ONE, second])
        }
        (Opcode::Iadd3, [], &[to, first, second, ZERO]) if is_negative(first) && is_register(second) => {
            (&[M::Iadd], vec![to, second, ONE, first])
        }
        (Opcode::Iadd3, [M::X], &[to, first, second, ZERO, carry, Operand::FALSE])
            if is_register(first) && is_upper(second) =>
        {
            (&[M::X], vec![to, first, ONE, second, carry])
        }
        (Opcode::Iadd3, [M::X], &[to, one, ZERO, ZERO, carry, Operand::FALSE])
        | (Opcode::Iadd3, [M::X], &[to, ZERO, one, ZERO, carry, Operand::FALSE])
            if is_upper(one) =>
        {
            (&[M::X], vec![to, ZERO, ZERO, one, carry])
        }
        (Opcode::Shf, [M::L, M::U32], &[to, value, Operand::Immediate(places), ZERO])
            if is_register(value) && places < LEAST_BY_SHIFT =>
        {
            let factor = Operand::Immediate(1 << places);
            let shift: &[Modifier] = if places == 16 { &[M::U32] } else { &[M::Shl, M::U32] };
            (shift, vec![to, value, factor, ZERO])
        }
        _ => return None,
    };
    Some(like(instruction, Opcode::Imad, modifiers, operands))
}

/// Shifts by so many places and more stay shifts.
const LEAST_BY_SHIFT: u32 = 31;

/// Another instruction in the same place.
fn like(
    instruction: &Instruction,
    opcode: Opcode,
    modifiers: &[Modifier],
    operands: Vec<Operand>,
) -> Instruction {
    let mut other = Instruction::new(opcode, Modifiers::from(modifiers), operands);
    (other.guard, other.control, other.origin) = (instruction.guard, instruction.control, instruction.origin);
    other
}

/// Whether an operand is a register as it is.
fn is_register(operand: Operand) -> bool {
    is_real(operand, SourceModifier::NONE)
}

/// Whether an operand is what a register has less than zero.
fn is_negative(operand: Operand) -> bool {
    is_real(operand, SourceModifier::NEGATE)
}

/// Whether an operand can be added to a register.
fn is_term(operand: Operand) -> bool {
    is_register(operand) || is_negative(operand)
}

/// Whether an operand can be the upper half of what is added: a register or its complement.
fn is_upper(operand: Operand) -> bool {
    is_register(operand) || is_real(operand, SourceModifier { invert: true, ..SourceModifier::NONE })
}

fn is_real(operand: Operand, wanted: SourceModifier) -> bool {
    matches!(operand, Operand::Register { register, modifier, selector: Selector::Whole, .. }
        if !register.is_fixed() && modifier == wanted)
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
            "SHF.L.U32 R0, R1, 0x1f, RZ",
            "MOV R0, c[0x0][0x10]",
        ];
        assert_eq!(opcodes(&lines), ["IADD3", "IADD3", "SHF.L.U32", "MOV"]);
    }

    #[test]
    fn negatives_carries_and_shifts_go_there_too() {
        for (line, other) in [
            ("IADD3 R0, -R1, RZ, RZ", "IMAD.MOV"),
            ("IADD3 R0, R1, -R2, RZ", "IMAD.IADD"),
            ("IADD3.X R0, R1, ~R2, RZ, P0, !PT", "IMAD.X"),
            ("SHF.L.U32 R0, R1, 0x4, RZ", "IMAD.SHL.U32"),
            ("MOV R0, UR4", "IMAD.U32"),
        ] {
            assert_eq!(opcodes(&[line]), [other]);
        }
    }
}
