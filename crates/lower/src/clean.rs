//! Takes out what selection left over: moves, and what was computed before.

use crate::code::{Code, Groups, has_effect};
use crate::legal;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use warplab_program::{
    AddressOperand, Guard, Instruction, Modifier, Opcode, Operand, Pipe, Predicate, Register, Resource, Role,
    Selector, SourceModifier, UniformRegister,
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

/// Replaces what was computed before, from the same sources, by the earlier result; along the dominator tree for
/// values written once.
pub(crate) fn common_subexpressions(code: &mut Code) {
    let counts = code.definition_counts();
    let dominators = crate::graph::Graph::new(code);
    let groups = code.groups();
    let mut replacements: FxHashMap<Resource2, Resource2> = FxHashMap::default();
    // What was computed, by where its block stands on the walk round the tree of dominators: ranges that are apart.
    let mut seen: FxHashMap<Key, BTreeMap<usize, (usize, Instruction)>> = FxHashMap::default();
    for block in dominators.dominance_order() {
        for instruction in &mut code.blocks[block].instructions {
            rename(instruction, &replacements);
            if !is_pure(instruction, &counts) || !writes_whole_groups(instruction, &groups) {
                continue;
            }
            let range = dominators.dominance_range(block);
            let list = seen.entry(key_of(instruction)).or_default();
            match list.range(..=range.start).next_back() {
                Some((_, (end, earlier))) if range.start < *end => {
                    record(instruction, earlier, &mut replacements);
                }
                _ => _ = list.insert(range.start, (range.end, instruction.clone())),
            }
        }
    }
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        rename(instruction, &replacements);
    }
}

/// A register or predicate that is replaced by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Resource2 {
    Register(Register),
    Predicate(Predicate),
    Uniform(UniformRegister),
}

/// Whether no result is a part of a wider value, which must stay where it is.
fn writes_whole_groups(instruction: &Instruction, groups: &Groups) -> bool {
    instruction.accesses().iter().all(|access| match (access.role, access.resource) {
        (Role::Write, Resource::Registers(register, count)) => groups.is_whole(register, count),
        _ => true,
    })
}

fn is_pure(instruction: &Instruction, counts: &crate::code::DefinitionCounts) -> bool {
    let moves = matches!(instruction.opcode, Opcode::Mov)
        && !matches!(instruction.operands[1], Operand::Immediate(_));
    if has_effect(instruction)
        || instruction.opcode.accesses_memory()
        || !instruction.guard.is_always()
        || moves
    {
        return false;
    }
    instruction.accesses().iter().all(|access| counts.is_single(access.resource))
}

/// What two instructions that compute the same have in common.
type Key = (Opcode, Vec<Modifier>, Vec<Operand>);

fn key_of(instruction: &Instruction) -> Key {
    let mut clone = instruction.clone();
    let written = clone.written_operands();
    for (index, operand) in clone.operands.iter_mut().enumerate() {
        if written >> index & 1 == 0 {
            continue;
        }
        // Only which results are wanted at all counts.
        *operand = match *operand {
            Operand::Register { register, .. } if !register.is_fixed() => Operand::register(Register(300)),
            Operand::Predicate { predicate, .. } if !predicate.is_fixed() => {
                Operand::predicate(Predicate(30))
            }
            Operand::Uniform { register, .. } if !register.is_fixed() => {
                Operand::uniform(UniformRegister(70))
            }
            other => other,
        };
    }
    (clone.opcode, clone.modifiers.as_slice().to_vec(), clone.operands.to_vec())
}

fn record(later: &Instruction, earlier: &Instruction, replacements: &mut FxHashMap<Resource2, Resource2>) {
    let written = later.written_operands();
    for index in 0..later.operands.len() {
        if written >> index & 1 == 0 {
            continue;
        }
        match (later.operands[index], earlier.operands[index]) {
            (Operand::Register { register: from, .. }, Operand::Register { register: to, .. }) => {
                for part in 0..later.register_count(index) {
                    replacements
                        .insert(Resource2::Register(from.offset(part)), Resource2::Register(to.offset(part)));
                }
            }
            (Operand::Predicate { predicate: from, .. }, Operand::Predicate { predicate: to, .. })
                if !from.is_fixed() =>
            {
                replacements.insert(Resource2::Predicate(from), Resource2::Predicate(to));
            }
            (Operand::Uniform { register: from, .. }, Operand::Uniform { register: to, .. }) => {
                for part in 0..later.register_count(index) {
                    replacements
                        .insert(Resource2::Uniform(from.offset(part)), Resource2::Uniform(to.offset(part)));
                }
            }
            _ => {}
        }
    }
}

fn rename(instruction: &mut Instruction, replacements: &FxHashMap<Resource2, Resource2>) {
    if replacements.is_empty() {
        return;
    }
    let written = instruction.written_operands();
    let results: Vec<(usize, Operand)> = (0..instruction.operands.len())
        .filter(|index| written >> index & 1 != 0)
        .map(|index| (index, instruction.operands[index]))
        .collect();
    crate::code::map_registers(
        instruction,
        |register| match replacements.get(&Resource2::Register(register)) {
            Some(Resource2::Register(new)) => *new,
            _ => register,
        },
        |predicate| match replacements.get(&Resource2::Predicate(predicate)) {
            Some(Resource2::Predicate(new)) => *new,
            _ => predicate,
        },
        |register| match replacements.get(&Resource2::Uniform(register)) {
            Some(Resource2::Uniform(new)) => *new,
            _ => register,
        },
    );
    for (index, operand) in results {
        instruction.operands[index] = operand;
    }
}

/// Small things that fold: additions of zero, choices between equal values.
pub(crate) fn fold(code: &mut Code) {
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        fold_one(instruction);
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

fn become_move(instruction: &mut Instruction, value: Operand) {
    instruction.opcode = Opcode::Mov;
    instruction.modifiers = <&[Modifier]>::into(&[]);
    let to = instruction.operands[0];
    instruction.operands = [to, value].into_iter().collect();
}
