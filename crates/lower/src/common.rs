//! What was computed before is not computed again.

use crate::code::{Code, DefinitionCounts, Groups, has_effect, is_ordered_load};
use crate::schedule::{Kind, is_exchange};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use warplab_program::{
    Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role, UniformRegister,
};

/// Replaces what was computed before, from the same sources, by the earlier result; along the dominator tree for
/// values written once.
pub(crate) fn common_subexpressions(code: &mut Code) {
    let counts = code.definition_counts();
    let dominators = crate::graph::Graph::new(code);
    let groups = code.groups();
    let uniform_groups = code.uniform_groups();
    let mut replacements: FxHashMap<Resource2, Resource2> = FxHashMap::default();
    // What was computed, by where its block stands on the walk round the tree of dominators: ranges that are apart.
    let mut seen: FxHashMap<Key, BTreeMap<usize, (usize, Instruction)>> = FxHashMap::default();
    let mut pairs = Pairs::default();
    // What was loaded in the block and not written since.
    let mut loaded: FxHashMap<Key, Instruction> = FxHashMap::default();
    for block in dominators.dominance_order() {
        pairs.half = None;
        loaded.clear();
        for instruction in &mut code.blocks[block].instructions {
            rename(instruction, &replacements);
            if let Some((pair, sources)) = pairs.complete(instruction, &groups, &counts) {
                let range = dominators.dominance_range(block);
                let list = pairs.seen.entry(sources).or_default();
                match list.range(..=range.start).next_back() {
                    Some((_, &(end, earlier))) if range.start < end => {
                        for part in 0..2 {
                            let (from, to) = (pair.offset(part), earlier.offset(part));
                            replacements.insert(Resource2::Register(from), Resource2::Register(to));
                        }
                    }
                    _ => _ = list.insert(range.start, (range.end, pair)),
                }
            }
            let kind = Kind::of(instruction);
            if matches!(kind, Kind::Store | Kind::Fence) && !is_exchange(instruction) {
                loaded.clear();
            }
            if !is_pure(instruction, &counts) || !writes_whole_groups(instruction, &groups, &uniform_groups) {
                continue;
            }
            if kind == Kind::Load {
                match loaded.entry(key_of(instruction)) {
                    Entry::Occupied(earlier) => record(instruction, earlier.get(), &mut replacements),
                    Entry::Vacant(place) => _ = place.insert(instruction.clone()),
                }
                continue;
            }
            let range = dominators.dominance_range(block);
            let list = seen.entry(key_of(instruction)).or_default();
            match list.range(..=range.start).next_back() {
                // Lanes may have gone apart where another block begins.
                Some((at, _)) if instruction.opcode == Opcode::R2ur && *at != range.start => {
                    list.insert(range.start, (range.end, instruction.clone()));
                }
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

/// Pairs of registers that two moves fill, as those that a value is extended in.
#[derive(Default)]
struct Pairs {
    /// The last move, if it fills one half of a pair.
    half: Option<(Register, Operand)>,
    /// The pairs so far, by their sources, as `seen` has instructions.
    seen: FxHashMap<[Operand; 2], BTreeMap<usize, (usize, Register)>>,
}

impl Pairs {
    /// The pair that an instruction completes, and the sources of its halves: one a register that never changes, the other the same
    /// or zero.
    fn complete(
        &mut self,
        instruction: &Instruction,
        groups: &Groups,
        counts: &DefinitionCounts,
    ) -> Option<(Register, [Operand; 2])> {
        let before = self.half.take();
        if instruction.opcode != Opcode::Mov || !instruction.guard.is_always() {
            return None;
        }
        let single = |register: Register| counts.is_single(Resource::Registers(register, 1));
        let to = instruction.operands[0].as_register().filter(|&to| single(to))?;
        let from = instruction.operands[1];
        let fixed = from.as_register().is_some_and(|from| from == Register::ZERO || single(from));
        if !fixed {
            return None;
        }
        let pair = before.and_then(|(half, other)| {
            let (low, sources) = if half.0 < to.0 { (half, [other, from]) } else { (to, [from, other]) };
            let is_pair = low.offset(1).0 == half.0.max(to.0) && groups.is_whole(low, 2);
            (is_pair && sources != [Operand::ZERO; 2]).then_some((low, sources))
        });
        if pair.is_none() {
            self.half = Some((to, from));
        }
        pair
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
fn writes_whole_groups(instruction: &Instruction, groups: &Groups, uniform_groups: &Groups) -> bool {
    instruction.accesses().iter().all(|access| match (access.role, access.resource) {
        (Role::Write, Resource::Registers(register, count)) => groups.is_whole(register, count),
        (Role::Write, Resource::Uniforms(register, count)) if register.is_virtual() => {
            uniform_groups.is_whole_uniform(register, count)
        }
        _ => true,
    })
}

fn is_pure(instruction: &Instruction, counts: &DefinitionCounts) -> bool {
    let moves = matches!(instruction.opcode, Opcode::Mov)
        && !matches!(instruction.operands[1], Operand::Immediate(_));
    let loads = matches!(instruction.opcode, Opcode::Ldg | Opcode::Lds) && !is_ordered_load(instruction);
    if !loads && (has_effect(instruction) || instruction.opcode.accesses_memory())
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
