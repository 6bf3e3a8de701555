//! What was read of a table in constant memory is not read again, as long as the place in it is the same: a pointer that a loop moves
//! stays where it is for all that a turn reads.

use crate::code::{Code, map_registers};
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Resource, Role};

/// So many earlier loads of the same place are looked at for each: a pointer that moves all the time makes many.
const MOST_EARLIER: usize = 8;

/// A place in the code: a block and an instruction of it.
type Place = (usize, usize);

/// What is read: the kind of the load and its place in constant memory.
type Source = (Vec<Modifier>, Vec<Operand>);

/// Puts the earlier result in the place of the later one.
pub(crate) fn reuse(code: &mut Code) {
    let mut renamed: FxHashMap<Register, Register> = FxHashMap::default();
    let mut read: FxHashMap<Source, Vec<(Place, Register)>> = FxHashMap::default();
    let graph = Graph::new(code);
    let (counts, groups) = (code.definition_counts(), code.groups());
    let mut written: Option<FxHashMap<Register, Vec<Place>>> = None;
    for block in graph.dominance_order() {
        for (at, instruction) in code.blocks[block].instructions.iter().enumerate() {
            let Some((to, source)) = load(instruction) else { continue };
            let words = instruction.register_count(0);
            let is_once = groups.is_whole(to, words) && counts.is_single(Resource::Registers(to, words));
            if !instruction.guard.is_always() || !is_once {
                continue;
            }
            let written = written.get_or_insert_with(|| definitions(code));
            let moves: Vec<Place> =
                sources(instruction).filter_map(|it| written.get(&it)).flatten().copied().collect();
            let earlier = read.entry(source).or_default();
            let mut near = earlier.iter().rev().take(MOST_EARLIER);
            let found = near.find(|(from, _)| is_unmoved(&graph, &moves, *from, (block, at)));
            match found {
                Some(&(_, first)) => {
                    (0..words).for_each(|word| _ = renamed.insert(to.offset(word), first.offset(word)));
                }
                None => earlier.push(((block, at), to)),
            }
        }
    }
    if renamed.is_empty() {
        return;
    }
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if load(instruction).is_some_and(|(to, _)| renamed.contains_key(&to)) {
            continue;
        }
        map_registers(instruction, |it| renamed.get(&it).copied().unwrap_or(it), |it| it, |it| it);
    }
}

/// What a load from a table gives, and what it reads.
fn load(instruction: &Instruction) -> Option<(Register, Source)> {
    let to = instruction.operands.first()?.as_register()?;
    let is_load = instruction.opcode == Opcode::Ldc && sources(instruction).next().is_some();
    let source = || (instruction.modifiers.as_slice().to_vec(), instruction.operands[1..].to_vec());
    is_load.then(|| (to, source()))
}

/// The registers that an instruction reads.
fn sources(instruction: &Instruction) -> impl Iterator<Item = Register> {
    let accesses = instruction.accesses();
    let read: Vec<Register> = accesses
        .iter()
        .filter(|access| access.role == Role::Read)
        .filter_map(|access| match access.resource {
            Resource::Registers(first, count) => Some((0..count).map(move |it| first.offset(it))),
            _ => None,
        })
        .flatten()
        .collect();
    read.into_iter()
}

/// Where each register is written.
fn definitions(code: &Code) -> FxHashMap<Register, Vec<Place>> {
    let mut written: FxHashMap<Register, Vec<Place>> = FxHashMap::default();
    for (block, it) in code.blocks.iter().enumerate() {
        for (at, instruction) in it.instructions.iter().enumerate() {
            for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                if let Resource::Registers(first, count) = access.resource {
                    (0..count)
                        .for_each(|word| written.entry(first.offset(word)).or_default().push((block, at)));
                }
            }
        }
    }
    written
}

/// Whether each way to `to` has come through `from`, and through none of the moves since.
fn is_unmoved(graph: &Graph, moves: &[Place], from: Place, to: Place) -> bool {
    let comes_after = from.0 == to.0 && from.1 < to.1 || from.0 != to.0 && graph.dominates(from.0, to.0);
    comes_after
        && !moves.iter().any(|&(block, at)| match (block == from.0, block == to.0) {
            (true, true) => from.1 < at && at < to.1,
            (true, false) => from.1 < at,
            (false, true) => at < to.1 || reaches(graph, block, to.0, from.0),
            (false, false) => graph.dominates(from.0, block) && reaches(graph, block, to.0, from.0),
        })
}

/// Whether a way leads from behind one block to another and not through a third.
fn reaches(graph: &Graph, from: usize, to: usize, around: usize) -> bool {
    let mut seen = vec![false; graph.successors.len()];
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        for &next in &graph.successors[block] {
            if next == to {
                return true;
            }
            if next != around && !std::mem::replace(&mut seen[next], true) {
                open.push(next);
            }
        }
    }
    false
}
