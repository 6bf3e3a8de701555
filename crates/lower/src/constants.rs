//! What is loaded from constant memory becomes an operand of the instructions that use it, where all of them can have it.

use crate::code::{Code, DefinitionCounts};
use crate::legal;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    ConstantIndex, ConstantOperand, Instruction, Modifier, Opcode, Operand, Register, Resource, Role,
    Selector,
};

/// The bank of parameters and launch constants, which are read often: they stay in registers.
const PARAMETERS: u8 = 0;

/// The constants that are loaded, by the register that they are loaded into, and how many words each has.
type Loaded = FxHashMap<Register, (u32, ConstantOperand)>;

/// Makes operands of loaded constants.
pub(crate) fn constants(code: &mut Code) {
    let counts = code.definition_counts();
    let mut found: Loaded = code.instructions().filter_map(|it| loaded(it, &counts)).collect();
    if found.is_empty() {
        return;
    }
    let refused: FxHashSet<Register> = code.instructions().flat_map(|it| refused(it, &found)).collect();
    found.retain(|register, _| !refused.contains(register));
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Some((_, new)) = replaced(instruction, &found) {
            *instruction = new;
        }
    }
}

/// The register that an instruction loads a constant into, the number of words and the constant.
fn loaded(
    instruction: &Instruction,
    counts: &DefinitionCounts,
) -> Option<(Register, (u32, ConstantOperand))> {
    let words = match instruction.modifiers.as_slice() {
        [] => 1,
        [Modifier::B64] => 2,
        _ => return None,
    };
    let (to, constant) = match instruction.operands.as_slice() {
        &[Operand::Register { register, .. }, Operand::Constant(constant)] => (register, constant),
        _ => return None,
    };
    let is_plain = instruction.opcode == Opcode::Ldc
        && instruction.guard.is_always()
        && constant.index == ConstantIndex::None
        && constant.bank != PARAMETERS
        && counts.is_single(Resource::Registers(to, words));
    is_plain.then_some((to, (words, constant)))
}

/// The constants that an instruction reads otherwise than as the operand that it can have.
fn refused(instruction: &Instruction, found: &Loaded) -> Vec<Register> {
    let mut read: Vec<Register> = Vec::new();
    for access in instruction.accesses().iter().filter(|it| it.role == Role::Read) {
        if let Resource::Registers(first, count) = access.resource {
            // Of a pair either half may be named.
            let parts = (0..count).map(|it| first.offset(it).0).chain([first.0.wrapping_sub(1)]);
            let holds = |at: &u32| found.get(&Register(*at)).is_some_and(|it| at + it.0 > first.0);
            read.extend(parts.filter(holds).map(Register));
        }
    }
    if let (false, Some((operand, _))) = (read.is_empty(), replaced(instruction, found))
        && let Some(at) = read.iter().position(|it| *it == operand)
    {
        read.swap_remove(at);
    }
    read
}

/// The first constant that an instruction reads, and the instruction with it as an operand, if it can have it.
fn replaced(instruction: &Instruction, found: &Loaded) -> Option<(Register, Instruction)> {
    if !takes_constants(instruction.opcode) {
        return None;
    }
    let written = instruction.written_operands();
    let mut read = (0..instruction.operands.len()).filter(|index| written >> index & 1 == 0);
    read.find_map(|index| {
        let Operand::Register { register, modifier, selector: Selector::Whole, .. } =
            instruction.operands[index]
        else {
            return None;
        };
        let &(words, constant) = found.get(&register)?;
        let mut new = instruction.clone();
        new.operands[index] = Operand::Constant(ConstantOperand { modifier, ..constant });
        let fits = instruction.register_count(index) == words && legal::make_legal_by_swapping(&mut new);
        fits.then_some((register, new))
    })
}

/// Whether an instruction has a form with a constant among its sources.
fn takes_constants(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Ffma | Fadd | Fmul | Fmnmx | Fsetp | Dfma | Dadd | Dmul | Imad | Iadd3 | Isetp | Lop3 | Vimnmx
    )
}
