//! Constants, and what is shifted from them, go to uniform registers where everything that reads them takes such: they are
//! the same for all lanes, and the registers of the lanes are free for more loads.

use crate::code::Code;
use crate::legal;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{
    ConstantIndex, Instruction, LatencyClass, Modifier, Opcode, Operand, Register, Resource, Role, Selector,
    SourceModifier, Target, UniformRegister,
};

/// Words that are moved at most: uniform registers are never spilled.
const MOST_WORDS: usize = 32;

/// The registers that are moved, by where their group begins, with the words of it.
type Moved = FxHashMap<Register, u32>;

/// Whether a machine has a path of its own for uniform registers, which is quick.
pub(crate) fn is_quick(target: &Target) -> bool {
    let cycles = |class| target.latencies.cycles(class);
    cycles(LatencyClass::UniformMove) < cycles(LatencyClass::Alu)
}

/// Moves what can be moved.
pub(crate) fn uniform(code: &mut Code) {
    let mut moved = candidates(code);
    while let Some(bad) = obstacle(code, &moved) {
        bad.iter().for_each(|register| _ = moved.remove(register));
    }
    if moved.is_empty() {
        return;
    }
    let mut order: Vec<(Register, u32)> = moved.into_iter().collect();
    order.sort_unstable();
    let mut names: FxHashMap<Register, UniformRegister> = FxHashMap::default();
    for (register, words) in order {
        let to = code.uniform(words);
        (0..words).for_each(|it| _ = names.insert(register.offset(it), to.offset(it)));
    }
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Some(new) = with_names(instruction, &names) {
            *instruction = new;
        }
    }
}

/// Values that are constants or shifted from such; a shift only with what it shifts.
fn candidates(code: &Code) -> Moved {
    let counts = code.definition_counts();
    let mut moved = Moved::default();
    let mut words_moved = 0;
    for instruction in code.instructions() {
        let Some(to) = instruction.operands.first().and_then(Operand::as_register) else { continue };
        let words = match (instruction.opcode, instruction.modifiers.as_slice()) {
            (Opcode::Ldc, []) => 1,
            (Opcode::Ldc, [Modifier::B64]) => 2,
            (Opcode::Shf, _) if shifts_moved(instruction, &moved) => 1,
            _ => continue,
        };
        let is_plain = !matches!(instruction.operands.get(1), Some(Operand::Constant(constant))
            if constant.index != ConstantIndex::None);
        // Half of a pair may be moved by itself, as long as nobody reads the pair.
        let is_whole = to.is_virtual()
            && (words == 1 || code.group(to) == (to, words))
            && counts.is_single(Resource::Registers(to, words));
        if is_plain && is_whole && instruction.guard.is_always() && words_moved < MOST_WORDS {
            moved.insert(to, words);
            words_moved += words as usize;
        }
    }
    moved
}

/// Whether a shift has nothing but moved values and constants as sources.
fn shifts_moved(instruction: &Instruction, moved: &Moved) -> bool {
    instruction.operands[1..].iter().all(|operand| match *operand {
        Operand::ZERO | Operand::Immediate(_) => true,
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            base(register, moved).is_some()
        }
        _ => false,
    })
}

/// The moved group that a register belongs to.
fn base(register: Register, moved: &Moved) -> Option<Register> {
    let below = Register(register.0.wrapping_sub(1));
    if moved.contains_key(&register) {
        return Some(register);
    }
    (moved.get(&below) == Some(&2)).then_some(below)
}

/// Values that cannot be moved, because something that reads them does not take them so.
fn obstacle(code: &Code, moved: &Moved) -> Option<Vec<Register>> {
    for instruction in code.instructions() {
        let mut read: Vec<Register> = Vec::new();
        let mut wide = false;
        for access in instruction.accesses().iter().filter(|it| it.role == Role::Read) {
            if let Resource::Registers(first, count) = access.resource {
                let found: FxHashSet<Register> =
                    (0..count).filter_map(|it| base(first.offset(it), moved)).collect();
                wide |= count > 1 && !found.is_empty();
                read.extend(found);
            }
        }
        let to = instruction.operands.first().and_then(Operand::as_register);
        let is_moved = to.is_some_and(|to| moved.contains_key(&to));
        if is_moved && instruction.opcode == Opcode::Shf && !shifts_moved(instruction, moved) {
            return to.map(|to| vec![to]);
        }
        if read.is_empty() || is_moved {
            continue;
        }
        let fits = !wide && takes_uniform(instruction.opcode) && {
            let words = |register: Register| moved.get(&register).copied().unwrap_or(0);
            let names = read.iter().flat_map(|&it| (0..words(it)).map(move |word| it.offset(word)));
            with_names(
                instruction,
                &names.map(|it| (it, UniformRegister(UniformRegister::FIRST_VIRTUAL))).collect(),
            )
            .is_some()
        };
        if !fits {
            return Some(read);
        }
    }
    None
}

/// Whether instructions of the lanes take a uniform register.
pub(crate) fn takes_uniform(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Iadd3 | Imad | Isetp | Lop3 | Lea | Vimnmx | Ffma | Fadd | Fmul | I2f | I2fp)
}

/// An instruction with uniform registers in the place of others; none if it reads none of them or there is no such form.
fn with_names(
    instruction: &Instruction,
    names: &FxHashMap<Register, UniformRegister>,
) -> Option<Instruction> {
    let to = instruction.operands.first().and_then(Operand::as_register);
    let result = to.and_then(|to| names.get(&to));
    let mut new = instruction.clone();
    let mut changed = false;
    for operand in &mut new.operands {
        if let Operand::Register { register, modifier, selector, .. } = *operand
            && let Some(&name) = names.get(&register)
        {
            *operand = Operand::Uniform { register: name, modifier, selector };
            changed = true;
        }
    }
    if let Some(&name) = result {
        new.opcode = if new.opcode == Opcode::Ldc { Opcode::Uldc } else { Opcode::Ushf };
        new.operands[0] = Operand::uniform(name);
        for operand in new.operands.iter_mut().skip(1).filter(|it| **it == Operand::ZERO) {
            *operand = Operand::uniform(UniformRegister::ZERO);
        }
        return Some(new);
    }
    (changed && legal::make_legal_by_swapping(&mut new)).then_some(new)
}
