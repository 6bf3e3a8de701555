//! Which operands an instruction may have: at most one that is no register, in a place that takes it.

use crate::code::Code;
use warplab_program::{Guard, Instruction, Modifier, Opcode, Operand, Register, Selector, SourceModifier};

/// The value that an immediate has under a source modifier; none if the instruction cannot have it.
pub(crate) fn modified_immediate(opcode: Opcode, bits: u32, modifier: SourceModifier) -> Option<Operand> {
    if modifier.is_none() {
        return Some(Operand::Immediate(bits));
    }
    let float = opcode.takes_floats();
    let mut bits = bits;
    if modifier.absolute {
        bits = if float { bits & 0x7fff_ffff } else { return None };
    }
    if modifier.invert {
        bits = !bits;
    }
    if modifier.negate {
        bits = if float { bits ^ 0x8000_0000 } else { bits.wrapping_neg() };
    }
    Some(Operand::Immediate(bits))
}

/// Whether a source must be a register.
pub(crate) fn needs_register(instruction: &Instruction, index: usize) -> bool {
    !sources(instruction).iter().any(|&(at, free)| at == index && free)
}

/// The source operands that are values, and whether each may be something else than a register.
fn sources(instruction: &Instruction) -> Vec<(usize, bool)> {
    use Opcode::*;
    let written = instruction.written_operands();
    let values: Vec<usize> = (0..instruction.operands.len())
        .filter(|&index| {
            written >> index & 1 == 0
                && matches!(
                    instruction.operands[index],
                    Operand::Register { .. }
                        | Operand::Immediate(_)
                        | Operand::Uniform { .. }
                        | Operand::Constant(_)
                )
        })
        .collect();
    let free = |place: usize| match instruction.opcode {
        Ffma | Imad | Dfma | Prmt | Shf | Idp | Viaddmnmx => place == 1 || place == 2,
        Dadd | Dsetp => place == 1,
        Iadd3 | Lop3 | Lea | Isetp | Fsetp | Fadd | Fmul | Dmul | Vimnmx | Fmnmx | Sel | Fsel | Vabsdiff
        | Sgxt | Bmsk | F2fp | Imnmx => place == 1,
        Mov | Iabs | Popc | Flo | Brev | I2f | I2fp | F2i | F2f | Frnd | Mufu | S2r => place == 0,
        Shfl => place == 1 || place == 2,
        Bar | Warpsync | Nanosleep | Ldc | Uldc | Umov | Ulea | Uiadd3 | Uimad | Ushf | Ulop3 | Redux => true,
        _ => false,
    };
    values.into_iter().enumerate().map(|(place, index)| (index, free(place))).collect()
}

/// The last operand of some instructions is a number that belongs to the opcode.
fn is_part_of_opcode(instruction: &Instruction, index: usize) -> bool {
    match instruction.opcode {
        Opcode::Lop3 | Opcode::Ulop3 => index + 2 == instruction.operands.len(),
        Opcode::Lea | Opcode::Ulea => {
            index + 1 == instruction.operands.len()
                || matches!(instruction.operands.last(), Some(Operand::Predicate { .. }))
                    && index + 2 == instruction.operands.len()
        }
        Opcode::Plop3 | Opcode::Usetmaxreg => true,
        // Of a sparse matrix, which lanes hold its metadata.
        Opcode::Hmma | Opcode::Imma => index == 5,
        _ => false,
    }
}

fn is_foreign(operand: &Operand) -> bool {
    matches!(operand, Operand::Immediate(_) | Operand::Uniform { .. } | Operand::Constant(_))
}

/// Whether the machine has the instruction with these operands.
pub(crate) fn is_legal(instruction: &Instruction) -> bool {
    illegal(instruction).is_none()
}

/// The first operand that cannot stay.
fn illegal(instruction: &Instruction) -> Option<usize> {
    use Opcode::{Bar, Shfl, Uiadd3, Uimad, Ulea, Ulop3, Ushf};
    let shuffle = matches!(instruction.opcode, Shfl | Bar | Ulea | Uiadd3 | Uimad | Ushf | Ulop3);
    // All of it is in registers of the warp.
    if instruction.opcode.copies_in_bulk() {
        return None;
    }
    let mut foreign = 0;
    for (index, free) in sources(instruction) {
        let operand = &instruction.operands[index];
        if !is_foreign(operand) || is_part_of_opcode(instruction, index) {
            continue;
        }
        // Two immediates, which are set where they may stand only.
        if instruction.opcode.takes_halves() && matches!(operand, Operand::Immediate(_)) {
            continue;
        }
        foreign += 1;
        let uniform_shuffle = instruction.opcode == Shfl && matches!(operand, Operand::Uniform { .. });
        if !free || (foreign > 1 && !shuffle) || uniform_shuffle {
            return Some(index);
        }
    }
    None
}

/// Exchanges the factors or terms where that makes an instruction legal.
pub(crate) fn make_legal_by_swapping(instruction: &mut Instruction) -> bool {
    use Opcode::*;
    if is_legal(instruction) {
        return true;
    }
    let places: Vec<usize> = sources(instruction)
        .into_iter()
        .map(|(index, _)| index)
        .filter(|&index| !is_part_of_opcode(instruction, index))
        .collect();
    if places.len() < 2 {
        return false;
    }
    let pairs: &[(usize, usize)] = match instruction.opcode {
        Iadd3 => &[(0, 1), (1, 2)],
        Imad | Ffma | Fadd | Fmul | Vimnmx | Fmnmx | Dadd | Dmul | Dfma | Imnmx => &[(0, 1)],
        Lop3 => &[(0, 1), (1, 2)],
        Isetp | Fsetp => &[(0, 1)],
        Sel | Fsel => &[(0, 1)],
        _ => &[],
    };
    for &(a, b) in pairs {
        let (Some(&a_at), Some(&b_at)) = (places.get(a), places.get(b)) else { continue };
        let before = instruction.clone();
        instruction.operands.swap(a_at, b_at);
        match instruction.opcode {
            Isetp | Fsetp => swap_comparison(instruction),
            Lop3 => swap_table(instruction, a, b),
            Sel | Fsel => swap_choice(instruction),
            _ => {}
        }
        if is_legal(instruction) {
            return true;
        }
        *instruction = before;
    }
    false
}

fn swap_choice(instruction: &mut Instruction) {
    if let Some(Operand::Predicate { negate, .. }) = instruction.operands.last_mut() {
        *negate = !*negate;
    }
}

fn swap_comparison(instruction: &mut Instruction) {
    use Modifier as M;
    let modifiers: Vec<M> = instruction
        .modifiers
        .as_slice()
        .iter()
        .map(|modifier| match modifier {
            M::Lt => M::Gt,
            M::Gt => M::Lt,
            M::Le => M::Ge,
            M::Ge => M::Le,
            M::Ltu => M::Gtu,
            M::Gtu => M::Ltu,
            M::Leu => M::Geu,
            M::Geu => M::Leu,
            other => *other,
        })
        .collect();
    instruction.modifiers = modifiers.as_slice().into();
}

/// The truth table with two of its columns exchanged.
fn swap_table(instruction: &mut Instruction, a: usize, b: usize) {
    let at = instruction.operands.len() - 2;
    let Operand::Immediate(table) = instruction.operands[at] else { return };
    let mut swapped = 0;
    for row in 0..8u32 {
        let (bit_a, bit_b) = (2 - a, 2 - b);
        let (x, y) = (row >> bit_a & 1, row >> bit_b & 1);
        let other = row & !(1 << bit_a | 1 << bit_b) | y << bit_a | x << bit_b;
        swapped |= (table >> row & 1) << other;
    }
    instruction.operands[at] = Operand::Immediate(swapped);
}

/// Makes every instruction legal: operands that cannot stay go through a register.
pub(crate) fn legalise(code: &mut Code) {
    for index in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[index].instructions);
        let mut new = Vec::with_capacity(old.len());
        // A constant that several instructions of the block need is set once.
        let mut constants: rustc_hash::FxHashMap<(u32, bool), Register> = rustc_hash::FxHashMap::default();
        for mut instruction in old {
            // The constant of a call is the number of a function, that of a wait how many groups may be under way.
            if matches!(instruction.opcode, Opcode::Call | Opcode::Depbar | Opcode::Warpgroup)
                || instruction.is_warpgroup_product()
            {
                new.push(instruction);
                continue;
            }
            normalise(&mut instruction);
            while !make_legal_by_swapping(&mut instruction) {
                let Some(at) = illegal(&instruction) else { break };
                let wide = instruction.register_count(at) == 2;
                if let Operand::Immediate(bits) = instruction.operands[at]
                    && let Some(&register) = constants.get(&(bits, wide))
                {
                    instruction.operands[at] = Operand::register(register);
                    continue;
                }
                let register = code.register(if wide { 2 } else { 1 });
                let operand = instruction.operands[at];
                let operand = without_modifier(operand);
                if let Operand::Immediate(bits) = operand {
                    constants.insert((bits, wide), register);
                }
                let (upper, lower) = if wide { (operand, Operand::ZERO) } else { (Operand::ZERO, operand) };
                let halves = if wide { vec![(0, lower), (1, upper)] } else { vec![(0, lower)] };
                for (part, value) in halves {
                    let mut copy =
                        Instruction::new(Opcode::Mov, [], [Operand::register(register.offset(part)), value]);
                    copy.origin = instruction.origin;
                    copy.guard = Guard::ALWAYS;
                    new.push(copy);
                }
                let modifier = match instruction.operands[at] {
                    Operand::Uniform { modifier, .. } => modifier,
                    _ => SourceModifier::NONE,
                };
                instruction.operands[at] = Operand::modified(register, modifier);
            }
            new.push(instruction);
        }
        code.blocks[index].instructions = new;
    }
}

fn without_modifier(operand: Operand) -> Operand {
    match operand {
        Operand::Uniform { register, .. } => Operand::uniform(register),
        other => other,
    }
}

/// Forms that the machine has not: a zero immediate is `RZ`, a sum's register goes first.
fn normalise(instruction: &mut Instruction) {
    let written = instruction.written_operands();
    for index in 0..instruction.operands.len() {
        if instruction.operands[index] == Operand::Immediate(0)
            && written >> index & 1 == 0
            && !is_part_of_opcode(instruction, index)
            && !matches!(instruction.opcode, Opcode::Bar | Opcode::Shfl | Opcode::Prmt | Opcode::Mov)
        {
            instruction.operands[index] = Operand::register(Register::ZERO);
        }
    }
    if let (Opcode::Mov, Some(Operand::Immediate(0))) = (instruction.opcode, instruction.operands.get(1)) {
        instruction.operands[1] = Operand::ZERO;
    }
    // A move cannot negate.
    if let (Opcode::Mov, Some(Operand::Register { modifier, selector: Selector::Whole, .. })) =
        (instruction.opcode, instruction.operands.get(1).copied())
        && !modifier.is_none()
    {
        instruction.opcode = Opcode::Iadd3;
        instruction.operands.push(Operand::ZERO);
        instruction.operands.push(Operand::ZERO);
    }
}
