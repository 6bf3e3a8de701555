//! What folds: sums and products with zero or of constants, shifts by nothing, choices between equal values.

use crate::code::Code;
use crate::graph::Graph;
use crate::halves;
use rustc_hash::FxHashSet;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Resource, Selector, SourceModifier};

/// Which operand of a product is added to it.
const ADDED_MATRIX: usize = 3;

/// Folds what it can, in an order in which a value comes before its readers.
pub(crate) fn fold(code: &mut Code) {
    let counts = code.definition_counts();
    let mut zeros: FxHashSet<Register> = FxHashSet::default();
    for block in Graph::new(code).dominance_order() {
        for instruction in &mut code.blocks[block].instructions {
            read_zeros(instruction, &zeros);
            fold_one(instruction);
            if let [Operand::Register { register, .. }, Operand::ZERO | Operand::Immediate(0)] =
                instruction.operands[..]
                && instruction.opcode == Opcode::Mov
                && instruction.guard.is_always()
                && counts.is_single(Resource::Registers(register, 1))
            {
                zeros.insert(register);
            }
        }
    }
}

/// Reads zero where a register holds nothing else, in instructions that fold then and in products to which a matrix of zeros is added.
/// What is negated stays: a sum with nothing taken off carries, as nothing is borrowed.
fn read_zeros(instruction: &mut Instruction, zeros: &FxHashSet<Register>) {
    if zeros.is_empty() {
        return;
    }
    if matches!(instruction.opcode, Opcode::Hmma | Opcode::Imma | Opcode::Dmma) {
        return add_no_matrix(instruction, zeros);
    }
    if !matches!(instruction.opcode, Opcode::Iadd3 | Opcode::Imad | Opcode::Lop3 | Opcode::Shf) {
        return;
    }
    let written = instruction.written_operands();
    for index in 0..instruction.operands.len() {
        if let Operand::Register {
            register, selector: Selector::Whole, modifier: SourceModifier::NONE, ..
        } = instruction.operands[index]
            && written >> index & 1 == 0
            && instruction.register_count(index) == 1
            && zeros.contains(&register)
        {
            instruction.operands[index] = Operand::ZERO;
        }
    }
}

/// A product alone, where all that is added are zeros.
fn add_no_matrix(product: &mut Instruction, zeros: &FxHashSet<Register>) {
    let count = product.register_count(ADDED_MATRIX);
    if let Some(first) = product.operands.get(ADDED_MATRIX).and_then(Operand::as_register)
        && (0..count).all(|it| zeros.contains(&first.offset(it)))
    {
        product.operands[ADDED_MATRIX] = Operand::ZERO;
    }
}

fn fold_one(instruction: &mut Instruction) {
    let zero = |operand: &Operand| *operand == Operand::ZERO || *operand == Operand::Immediate(0);
    for operand in instruction.operands.iter_mut().skip(1) {
        if *operand == Operand::Immediate(0)
            && matches!(instruction.opcode, Opcode::Iadd3 | Opcode::Imad | Opcode::Isetp)
        {
            *operand = Operand::ZERO;
        }
    }
    let plain = instruction.modifiers.as_slice().is_empty();
    let operands = &instruction.operands;
    if instruction.opcode == Opcode::Iadd3 && plain && operands.len() == 4 {
        let rest: Vec<Operand> = operands[1..].iter().copied().filter(|operand| !zero(operand)).collect();
        let constants: u32 = rest
            .iter()
            .filter_map(|operand| match operand {
                Operand::Immediate(bits) => Some(*bits),
                _ => None,
            })
            .fold(0, u32::wrapping_add);
        let registers: Vec<Operand> =
            rest.iter().copied().filter(|operand| !matches!(operand, Operand::Immediate(_))).collect();
        if registers.is_empty() {
            become_move(instruction, crate::select::immediate(constants));
        } else if constants == 0 && registers.len() == 1 && is_plain(&registers[0]) {
            become_move(instruction, registers[0]);
        }
        return;
    }
    if instruction.opcode == Opcode::Imad && plain && operands.len() == 4 {
        if zero(&operands[1]) || zero(&operands[2]) {
            let value = operands[3];
            if is_plain(&value) {
                become_move(instruction, value);
            }
        } else if let (Operand::Immediate(a), Operand::Immediate(b), true) =
            (operands[1], operands[2], zero(&operands[3]))
        {
            become_move(instruction, crate::select::immediate(a.wrapping_mul(b)));
        }
        return;
    }
    // A shift by nothing gives one of the words that it shifts.
    if instruction.opcode == Opcode::Shf && operands.len() == 4 && zero(&operands[2]) {
        let value = if instruction.has(Modifier::Hi) { operands[3] } else { operands[1] };
        if is_plain(&value) {
            become_move(instruction, value);
        }
        return;
    }
    if let Some(constant) = halves::packed_constant(instruction) {
        return become_move(instruction, crate::select::immediate(constant));
    }
    if instruction.opcode == Opcode::Sel && operands[1] == operands[2] && is_plain(&operands[1]) {
        let value = operands[1];
        become_move(instruction, value);
    }
}

fn is_plain(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Register { modifier: SourceModifier::NONE, selector: Selector::Whole, .. }
            | Operand::Immediate(_)
    )
}

pub(crate) fn become_move(instruction: &mut Instruction, value: Operand) {
    instruction.opcode = Opcode::Mov;
    instruction.modifiers = <&[Modifier]>::into(&[]);
    let to = instruction.operands[0];
    instruction.operands = [to, value].into_iter().collect();
}
