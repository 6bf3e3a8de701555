//! What is read from constant memory is read again in each part of a kernel that needs it, as ptxas does it, and not kept in
//! registers in between: both sides of a branch read a parameter, and what only a side of a loop needs stays there.

use crate::code::{Code, DefinitionCounts, map_registers};
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use warplab_program::{ConstantIndex, Instruction, Opcode, Operand, Register, Resource, Role};

/// The bank of the addresses of variables: who needs one often runs seldom.
const ADDRESSES: u8 = 4;

/// Reads constants anew where they are needed.
pub(crate) fn reread_constants(code: &mut Code) {
    let graph = Graph::new(code);
    let counts = code.definition_counts();
    let readers = readers(code);
    let mut wanted: Vec<(usize, Instruction)> = Vec::new();
    let mut names: FxHashMap<(usize, Register), Register> = FxHashMap::default();
    let mut gone: BTreeSet<Register> = BTreeSet::new();
    for (block, instruction) in loads(code, &counts) {
        let Some((first, bank)) = loaded(&instruction) else { continue };
        let Some(blocks) = readers.get(&first) else { continue };
        let homes: Vec<(usize, usize)> =
            blocks.iter().map(|&reader| (reader, home(&graph, reader, bank == ADDRESSES))).collect();
        let places = places(&graph, homes.iter().map(|&(_, home)| home).collect());
        let stays = places.iter().all(|&place| place == block) || places.len() == 1 && bank != ADDRESSES;
        if stays {
            continue;
        }
        let (_, count) = code.group(first);
        gone.insert(first);
        for &place in &places {
            let to = code.register(count);
            for &(reader, _) in homes.iter().filter(|&&(_, home)| graph.dominates(place, home)) {
                names.insert((reader, first), to);
            }
            let mut again = instruction.clone();
            again.operands[0] = Operand::register(to);
            wanted.push((place, again));
        }
    }
    rename(code, &names, &gone);
    for (place, instruction) in wanted {
        code.blocks[place].instructions.insert(0, instruction);
    }
}

/// The loads of constants whose results nobody else writes, with their blocks.
fn loads(code: &Code, counts: &DefinitionCounts) -> Vec<(usize, Instruction)> {
    let mut loads = Vec::new();
    for (index, block) in code.blocks.iter().enumerate() {
        for instruction in block.instructions.iter().filter(|it| it.guard.is_always()) {
            if let Some((first, _)) = loaded(instruction)
                && code.group(first).0 == first
                && counts.is_single(Resource::Registers(first, code.group(first).1))
            {
                loads.push((index, instruction.clone()));
            }
        }
    }
    loads
}

/// The first register that a load of a constant at a fixed place writes, and the bank.
fn loaded(instruction: &Instruction) -> Option<(Register, u8)> {
    match instruction.operands.as_slice() {
        [Operand::Register { register, .. }, Operand::Constant(constant)]
            if instruction.opcode == Opcode::Ldc
                && constant.index == ConstantIndex::None
                && register.is_virtual() =>
        {
            Some((*register, constant.bank))
        }
        _ => None,
    }
}

/// The blocks that read each group of registers, in order.
fn readers(code: &Code) -> FxHashMap<Register, BTreeSet<usize>> {
    let mut readers: FxHashMap<Register, BTreeSet<usize>> = FxHashMap::default();
    for (index, block) in code.blocks.iter().enumerate() {
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            if let (Role::Read, Resource::Registers(register, _)) = (access.role, access.resource) {
                readers.entry(code.group(register).0).or_default().insert(index);
            }
        }
    }
    readers
}

/// Where a block reads a constant: in front of the loops that it is in; if `seldom`, only of those that always come by.
fn home(graph: &Graph, block: usize, seldom: bool) -> usize {
    let mut at = block;
    while let Some(it) = graph.loop_of[at] {
        let header = graph.loops[it].header;
        let mut latches = graph.predecessors[header].iter().filter(|&&latch| graph.in_loop(it, latch));
        if seldom && !latches.all(|&latch| graph.dominates(at, latch)) {
            break;
        }
        let Some(before) = graph.dominator[header] else { break };
        at = before;
    }
    at
}

/// The blocks of some that no other of them dominates.
fn places(graph: &Graph, homes: BTreeSet<usize>) -> BTreeSet<usize> {
    let is_first = |home: &usize| !homes.iter().any(|other| other != home && graph.dominates(*other, *home));
    homes.iter().copied().filter(is_first).collect()
}

/// Gives what each block reads its new name and takes the old loads out.
fn rename(code: &mut Code, names: &FxHashMap<(usize, Register), Register>, gone: &BTreeSet<Register>) {
    if gone.is_empty() {
        return;
    }
    let mut groups: BTreeMap<Register, (Register, u32)> = BTreeMap::new();
    for &first in gone {
        let count = code.group(first).1;
        groups.extend((0..count).map(|part| (Register(first.0 + part), (first, part))));
    }
    for (index, block) in code.blocks.iter_mut().enumerate() {
        block.instructions.retain(|it| loaded(it).is_none_or(|(first, _)| !gone.contains(&first)));
        let new = |register: Register| {
            let Some(&(first, part)) = groups.get(&register) else { return register };
            names.get(&(index, first)).map_or(register, |to| Register(to.0 + part))
        };
        for instruction in &mut block.instructions {
            map_registers(instruction, new, |it| it, |it| it);
        }
    }
}
