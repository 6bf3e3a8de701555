//! The loops in which threads wait for what others do.

use crate::code::{Code, is_ordered_load};
use crate::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{Instruction, Modifier, Opcode, Register, Resource, Role};

/// The loops in which threads wait for what others do: that take a lock (swap in a value for a fixed one, or any) or
/// look at memory that others change.
pub(super) fn loops(code: &Code, graph: &Graph) -> Vec<bool> {
    let mut waiting = vec![false; graph.loops.len()];
    let mut written: Option<FxHashMap<Register, Vec<usize>>> = None;
    for (block, it) in code.blocks.iter().enumerate().filter(|(block, _)| graph.loop_of[*block].is_some()) {
        for instruction in &it.instructions {
            let expected = match waits(instruction) {
                Waits::No => continue,
                Waits::Yes => None,
                Waits::ForFixed(expected) => Some(expected),
                Waits::ForAWord if reads_another_word_each_time(code, graph, block, instruction) => continue,
                Waits::ForAWord => None,
            };
            let writes = match expected {
                Some(register) if register.is_virtual() => {
                    let written = written.get_or_insert_with(|| writes(code));
                    written.get(&register).map_or(&[][..], Vec::as_slice)
                }
                _ => &[],
            };
            let around = std::iter::successors(graph.loop_of[block], |&it| graph.loops[it].around);
            for it in around {
                waiting[it] |= !writes.iter().any(|&at| graph.in_loop(it, at));
            }
        }
    }
    waiting
}

/// Whether a loop round an instruction waits.
enum Waits {
    No,
    Yes,
    /// If the loop does not write this register.
    ForFixed(Register),
    /// If it looks at the same word again and again.
    ForAWord,
}

fn waits(instruction: &Instruction) -> Waits {
    match instruction.opcode {
        Opcode::Atom | Opcode::Atomg | Opcode::Atoms if instruction.has(Modifier::Exch) => Waits::Yes,
        Opcode::Atom | Opcode::Atomg | Opcode::Atoms if instruction.has(Modifier::Cas) => {
            let expected = instruction.operands.len().checked_sub(2).map(|at| instruction.operands[at]);
            expected.and_then(|operand| operand.as_register()).map_or(Waits::No, Waits::ForFixed)
        }
        Opcode::Ldg | Opcode::Ld | Opcode::Lds if is_ordered_load(instruction) => Waits::ForAWord,
        Opcode::Syncs if instruction.has(Modifier::Phasechk) => Waits::Yes,
        _ => Waits::No,
    }
}

/// The blocks that write each register.
fn writes(code: &Code) -> FxHashMap<Register, Vec<usize>> {
    let mut written: FxHashMap<Register, Vec<usize>> = FxHashMap::default();
    for (block, it) in code.blocks.iter().enumerate() {
        for access in it.instructions.iter().flat_map(Instruction::accesses) {
            if let (Role::Write, Resource::Registers(first, count)) = (access.role, access.resource) {
                (0..count).for_each(|part| written.entry(first.offset(part)).or_default().push(block));
            }
        }
    }
    written
}

/// Whether each turn of the loop that a load is in gives it another address, whatever it has read: a search, as in a table. A turn that
/// may go round without doing so looks at the same word again, and waits for it.
fn reads_another_word_each_time(code: &Code, graph: &Graph, block: usize, load: &Instruction) -> bool {
    let Some(it) = graph.loop_of[block] else { return false };
    let blocks = || (0..code.blocks.len()).filter(|&at| graph.in_loop(it, at));
    let instructions = || blocks().flat_map(|at| &code.blocks[at].instructions);
    // What comes of the value that it has read.
    let mut known: FxHashSet<Resource> = units(load, Role::Write).collect();
    loop {
        let before = known.len();
        for instruction in instructions() {
            if units(instruction, Role::Read).any(|unit| known.contains(&unit)) {
                known.extend(units(instruction, Role::Write));
            }
        }
        if known.len() == before {
            break;
        }
    }
    let address: FxHashSet<Resource> = units(load, Role::Read).collect();
    let header = graph.loops[it].header;
    let latches = || graph.predecessors[header].iter().filter(|&&at| graph.in_loop(it, at));
    let is_in_each_turn = |at: usize| latches().all(|&latch| graph.dominates(at, latch));
    let steps = |instruction: &Instruction| {
        instruction.guard.is_always() && units(instruction, Role::Write).any(|unit| address.contains(&unit))
    };
    address.is_disjoint(&known)
        && blocks().any(|at| is_in_each_turn(at) && code.blocks[at].instructions.iter().any(steps))
}

/// The registers and predicates that an instruction reads or writes, one by one.
fn units(instruction: &Instruction, role: Role) -> impl Iterator<Item = Resource> {
    let accesses: Vec<Resource> =
        instruction.accesses().iter().filter(|it| it.role == role).map(|it| it.resource).collect();
    accesses.into_iter().flat_map(|resource| match resource {
        Resource::Registers(first, count) => {
            (0..count).map(|part| Resource::Registers(first.offset(part), 1)).collect::<Vec<_>>()
        }
        other => vec![other],
    })
}
