//! Takes out the moves that selection left over.

use crate::code::{Code, Groups};
use crate::halves;
use crate::legal;
use rustc_hash::FxHashMap;
use warplab_program::{
    AddressOperand, Guard, Instruction, Opcode, Operand, Pipe, Predicate, Register, Resource, Role, Selector,
    SourceModifier,
};

/// What a register is known to hold.
#[derive(Clone, Copy, Debug)]
struct Copy {
    value: Operand,
}

/// Replaces reads of moved values by what was moved: over the whole kernel for registers written once, inside a
/// block for others.
pub(crate) fn copies(code: &mut Code) {
    let counts = code.definition_counts();
    let once = |register: Register| counts.is_single(Resource::Registers(register, 1));
    let mut global: FxHashMap<Register, Copy> = FxHashMap::default();
    for instruction in code.instructions() {
        if let Some((to, value)) = moved(instruction)
            && once(to)
            && instruction.guard.is_always()
            && match value {
                Operand::Register { register, .. } => register.is_fixed() || once(register),
                Operand::Uniform { register, .. } => counts.is_single(Resource::Uniforms(register, 1)),
                _ => true,
            }
        {
            global.insert(to, Copy { value });
        }
    }
    let predicates = predicate_copies(code);
    let groups = code.groups();
    for block in &mut code.blocks {
        let mut local: FxHashMap<Register, Copy> = FxHashMap::default();
        // Which registers may be copies of a register.
        let mut copied_to: FxHashMap<Register, Vec<Register>> = FxHashMap::default();
        let mut fragments: Fragments = FxHashMap::default();
        for instruction in &mut block.instructions {
            replace_predicates(instruction, &predicates);
            for _ in 0..4 {
                if !replace(instruction, &groups, &local, &global) {
                    break;
                }
            }
            take_known_fragments(instruction, &mut fragments, |register| {
                local.get(&register).or_else(|| global.get(&register)).map(|copy| copy.value)
            });
            for access in instruction.accesses() {
                if let (Role::Write, Resource::Registers(first, count)) = (access.role, access.resource) {
                    for register in (0..count).map(|index| first.offset(index)) {
                        local.remove(&register);
                        for copy in copied_to.remove(&register).unwrap_or_default() {
                            if local.get(&copy).is_some_and(|it| it.value.as_register() == Some(register)) {
                                local.remove(&copy);
                            }
                        }
                    }
                }
            }
            if let Some((to, value)) = moved(instruction)
                && instruction.guard.is_always()
                && value.as_register() != Some(to)
                && to.is_virtual()
                && value.as_register().is_none_or(|from| from.is_virtual() || from.is_fixed())
                && !matches!(value, Operand::Uniform { .. })
            {
                if let Some(from) = value.as_register() {
                    copied_to.entry(from).or_default().push(to);
                }
                local.insert(to, Copy { value });
            }
        }
    }
}

/// The result and source of a plain move.
fn moved(instruction: &Instruction) -> Option<(Register, Operand)> {
    if instruction.opcode != Opcode::Mov || instruction.operands.len() != 2 {
        return None;
    }
    let to = instruction.operands[0].as_register()?;
    match instruction.operands[1] {
        value @ (Operand::Register { modifier: SourceModifier::NONE, selector: Selector::Whole, .. }
        | Operand::Immediate(_)
        | Operand::Uniform { modifier: SourceModifier::NONE, selector: Selector::Whole, .. }) => {
            Some((to, value))
        }
        _ => None,
    }
}

/// Replaces sources that are copies, where the instruction may have what they are copies of.
fn replace(
    instruction: &mut Instruction,
    groups: &Groups,
    local: &FxHashMap<Register, Copy>,
    global: &FxHashMap<Register, Copy>,
) -> bool {
    let written = instruction.written_operands();
    let look = |register: &Register| local.get(register).or_else(|| global.get(register)).copied();
    let mut changed = false;
    for index in 0..instruction.operands.len() {
        if written >> index & 1 != 0 {
            continue;
        }
        match instruction.operands[index] {
            Operand::Register { register, modifier, selector, reuse } => {
                if instruction.register_count(index) != 1 {
                    changed |= replace_group(instruction, index, groups, local, global);
                    continue;
                }
                let Some(copy) = look(&register) else { continue };
                if let Operand::Immediate(bits) = copy.value
                    && instruction.opcode.takes_halves()
                {
                    changed |= halves::read_constant(instruction, index, bits);
                    continue;
                }
                let new = match copy.value {
                    Operand::Register { register, .. } => {
                        if register.is_fixed()
                            && legal::needs_register(instruction, index)
                            && selector != Selector::Whole
                        {
                            continue;
                        }
                        Some(Operand::Register { register, modifier, selector, reuse })
                    }
                    Operand::Immediate(bits) if selector == Selector::Whole => {
                        legal::modified_immediate(instruction.opcode, bits, modifier)
                    }
                    Operand::Uniform { register, .. } => {
                        Some(Operand::Uniform { register, modifier, selector })
                    }
                    _ => None,
                };
                let Some(new) = new else { continue };
                let old = std::mem::replace(&mut instruction.operands[index], new);
                if legal::is_legal(instruction) || legal::make_legal_by_swapping(instruction) {
                    changed = true;
                } else {
                    instruction.operands[index] = old;
                }
            }
            Operand::Address(address) => {
                if let Some(base) = address.base
                    && !address.wide
                    && let Some(copy) = look(&base)
                {
                    let new = match copy.value {
                        Operand::Register { register, .. } => {
                            AddressOperand { base: Some(register).filter(|it| !it.is_fixed()), ..address }
                        }
                        Operand::Immediate(bits) if address.scale <= 1 => {
                            let offset = address.offset.wrapping_add(bits.cast_signed());
                            AddressOperand { base: None, offset, ..address }
                        }
                        Operand::Uniform { register, .. } if address.uniform.is_none() => {
                            AddressOperand { base: None, uniform: Some(register), ..address }
                        }
                        _ => continue,
                    };
                    instruction.operands[index] = Operand::Address(new);
                    changed = true;
                } else if let Some(base) = address.base
                    && address.wide
                    && let Some(base) = group_behind(base, 2, groups, &look)
                {
                    instruction.operands[index] =
                        Operand::Address(AddressOperand { base: Some(base), ..address });
                    changed = true;
                }
            }
            _ => {}
        }
    }
    changed
}

/// The registers of a group that so many are copies of, one by one.
fn group_behind(
    first: Register,
    count: u32,
    groups: &Groups,
    look: &impl Fn(&Register) -> Option<Copy>,
) -> Option<Register> {
    let behind = look(&first)?.value.as_register().filter(|behind| behind.is_virtual())?;
    let follows = |index| {
        look(&first.offset(index)).is_some_and(|copy| copy.value.as_register() == Some(behind.offset(index)))
    };
    ((1..count).all(follows) && groups.is_part(behind, count)).then_some(behind)
}

/// A group of copies is read as the group behind it.
fn replace_group(
    instruction: &mut Instruction,
    index: usize,
    groups: &Groups,
    local: &FxHashMap<Register, Copy>,
    global: &FxHashMap<Register, Copy>,
) -> bool {
    let look = |register: &Register| local.get(register).or_else(|| global.get(register)).copied();
    let Operand::Register { register, modifier, selector, reuse } = instruction.operands[index] else {
        return false;
    };
    let count = instruction.register_count(index);
    if count > 1
        && let Some(behind) = group_behind(register, count, groups, &look)
    {
        instruction.operands[index] = Operand::Register { register: behind, modifier, selector, reuse };
        return true;
    }
    false
}

/// The groups that hold the factors of products of matrices, by what was moved to them.
type Fragments = FxHashMap<Vec<Operand>, Register>;

/// A factor of a product of matrices that was put together before is taken from there, if it is still there: `value` says what was
/// moved to a register.
fn take_known_fragments(
    instruction: &mut Instruction,
    fragments: &mut Fragments,
    value: impl Fn(Register) -> Option<Operand>,
) {
    if instruction.opcode.info().pipe != Pipe::Tensor {
        return;
    }
    let values = |first: Register, count| {
        (0..count).map(|index| value(first.offset(index))).collect::<Option<Vec<_>>>()
    };
    for index in [1, 2] {
        let count = instruction.register_count(index);
        let Some(&Operand::Register { register, modifier, selector, reuse }) =
            instruction.operands.get(index)
        else {
            continue;
        };
        let Some(moved) = values(register, count).filter(|_| count > 1) else { continue };
        match fragments.get(&moved) {
            Some(&known) if values(known, count).as_ref() == Some(&moved) => {
                instruction.operands[index] =
                    Operand::Register { register: known, modifier, selector, reuse };
            }
            _ => _ = fragments.insert(moved, register),
        }
    }
}

/// Predicates that are written once, as a copy of another written once.
fn predicate_copies(code: &Code) -> FxHashMap<Predicate, Operand> {
    let counts = code.definition_counts();
    let mut copies = FxHashMap::default();
    for instruction in code.instructions() {
        if instruction.opcode != Opcode::Plop3 || !instruction.guard.is_always() {
            continue;
        }
        let operands = &instruction.operands;
        let is_copy = operands.len() == 7
            && operands[1] == Operand::TRUE
            && operands[3] == Operand::TRUE
            && operands[4] == Operand::TRUE
            && operands[5] == Operand::Immediate(0x80);
        if let (
            true,
            Operand::Predicate { predicate: to, .. },
            value @ Operand::Predicate { predicate: from, .. },
        ) = (is_copy, operands[0], operands[2])
            && counts.is_single(Resource::Predicate(to))
            && (from.is_fixed() || counts.is_single(Resource::Predicate(from)))
        {
            copies.insert(to, value);
        }
    }
    copies
}

fn replace_predicates(instruction: &mut Instruction, copies: &FxHashMap<Predicate, Operand>) {
    if copies.is_empty() {
        return;
    }
    let resolve = |predicate: Predicate, negate: bool| {
        let (mut predicate, mut negate) = (predicate, negate);
        for _ in 0..8 {
            let Some(&Operand::Predicate { predicate: next, negate: flips }) = copies.get(&predicate) else {
                break;
            };
            predicate = next;
            negate ^= flips;
        }
        (predicate, negate)
    };
    if let Guard::Predicate { predicate, negate } = instruction.guard {
        let (predicate, negate) = resolve(predicate, negate);
        instruction.guard = Guard::Predicate { predicate, negate };
    }
    let written = instruction.written_operands();
    for (index, operand) in instruction.operands.iter_mut().enumerate() {
        if let Operand::Predicate { predicate, negate } = *operand
            && written >> index & 1 == 0
        {
            let (predicate, negate) = resolve(predicate, negate);
            *operand = Operand::Predicate { predicate, negate };
        }
    }
}
