//! Operands that keep their register for the next instruction, on machines whose register file has few ports: of two
//! instructions of a block that read one register with the same operand, the first keeps it, unless an instruction between
//! them reads another register of the bank with that operand.

use warplab_program::{Instruction, Operand, Register, Resource, Role, Selector};

/// Source operands that can keep a register.
pub(crate) const OPERANDS: usize = 3;

/// Marks the operands of a block's instructions that keep their registers.
pub(crate) fn reuse(instructions: &mut [Instruction], banks: u32) {
    // The last reader with each operand of each bank: the instruction, and its register if that is still the same.
    let mut last = [[None::<(usize, Register)>; 2]; OPERANDS];
    for index in 0..instructions.len() {
        for (operand, place) in sources(&instructions[index]).into_iter().enumerate() {
            let Some((place, register)) = place else { continue };
            let bank = (register.0 % banks) as usize;
            let before = last[operand][bank].replace((index, register));
            if let Some((reader, kept)) = before
                && kept == register
                && let Some((place, _)) = sources(&instructions[reader])[operand]
                && let Operand::Register { reuse, .. } = &mut instructions[reader].operands[place]
            {
                *reuse = true;
            }
            // A wider operand, or an address, reads its bank but keeps nothing.
            if !matches!(
                instructions[index].operands[place],
                Operand::Register { selector: Selector::Whole, .. }
            ) {
                last[operand][bank] = None;
            }
        }
        for access in instructions[index].accesses().iter().filter(|access| access.role == Role::Write) {
            if let Resource::Registers(first, count) = access.resource {
                let written = first.0..first.0 + count;
                last.iter_mut()
                    .flatten()
                    .filter(|last| last.is_some_and(|(_, register)| written.contains(&register.0)))
                    .for_each(|last| *last = None);
            }
        }
    }
}

/// The register that each source operand reads first, and which operand of the instruction it is.
pub(crate) fn sources(instruction: &Instruction) -> [Option<(usize, Register)>; OPERANDS] {
    let mut found = [None; OPERANDS];
    for (source, index) in found.iter_mut().zip(instruction.source_operands()) {
        let register = match &instruction.operands[index] {
            Operand::Register { register, .. } => Some(*register),
            Operand::Address(address) => address.base,
            _ => None,
        };
        *source = register.filter(|register| !register.is_fixed()).map(|register| (index, register));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::reuse;
    use warplab_program::Instruction;
    use warplab_program::listing::instruction_text;

    fn marked(lines: &str) -> Vec<String> {
        let source = warplab_diagnostics::Source::new("code", format!(".kernel k\n{lines}\n"));
        let (program, faults) = warplab_program::listing::read(&source);
        assert!(faults.is_empty(), "{faults:?}");
        let mut instructions: Vec<Instruction> = program.kernels[0].instructions.clone();
        reuse(&mut instructions, 2);
        instructions.iter().map(instruction_text).collect()
    }

    #[test]
    fn the_first_of_two_readers_keeps_the_register() {
        assert_eq!(
            marked("FFMA R10, R2, R4, R10\nFFMA R11, R2, R6, R11"),
            ["FFMA R10, R2.reuse, R4, R10", "FFMA R11, R2, R6, R11"]
        );
    }

    #[test]
    fn another_register_of_the_bank_comes_between_and_one_of_the_other_bank_does_not() {
        assert_eq!(marked("FADD R10, R2, 1\nFADD R11, R4, 1\nFADD R12, R2, 1")[0], "FADD R10, R2, 1");
        assert_eq!(marked("FADD R10, R2, 1\nFADD R11, R3, 1\nFADD R12, R2, 1")[0], "FADD R10, R2.reuse, 1");
    }

    #[test]
    fn a_register_that_is_written_is_read_again() {
        assert_eq!(marked("FADD R2, R2, 1\nFADD R2, R2, 1")[0], "FADD R2, R2, 1");
    }

    #[test]
    fn another_operand_does_not_see_what_was_kept() {
        assert_eq!(marked("FFMA R10, R2, R4, R10\nFFMA R11, R6, R2, R11")[0], "FFMA R10, R2, R4, R10");
    }
}
