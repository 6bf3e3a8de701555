//! The loops in which threads wait for what others do.

use crate::code::{Code, is_ordered_load};
use crate::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Resource, Role};

/// The loops in which threads wait for what others do: that take a lock (swap in a value for a fixed one, or any) or
/// look at memory that others change.
pub(crate) fn loops(code: &Code, graph: &Graph) -> Vec<bool> {
    let mut waiting = vec![false; graph.loops.len()];
    let mut written: Option<FxHashMap<Register, Vec<usize>>> = None;
    for (block, it) in code.blocks.iter().enumerate().filter(|(block, _)| graph.loop_of[*block].is_some()) {
        for instruction in &it.instructions {
            let expected = match waits(instruction) {
                Waits::No => continue,
                Waits::Yes => None,
                Waits::ForAWord if is_search(code, graph, block, instruction) => continue,
                Waits::ForFixed(_) if ends_whatever_is_found(code, graph, block, instruction) => continue,
                Waits::ForFixed(expected) => Some(expected),
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

/// Whether each turn of the loop that a load is in reads at another address, whatever it has found: a search, as in a table.
/// A turn that may go round without doing so looks at the same word again, and waits for it.
fn is_search(code: &Code, graph: &Graph, block: usize, load: &Instruction) -> bool {
    let Some(it) = graph.loop_of[block].map(|it| Turn::new(code, graph, it)) else { return false };
    let found = closure(&it.instructions, units(load, Role::Write).collect(), [Role::Read, Role::Write]);
    let origins = closure(&it.instructions, address_units(load).collect(), [Role::Write, Role::Read]);
    // What each turn makes of what it was the turn before.
    let steps = |instruction: &Instruction| {
        let read = units(instruction, Role::Read).collect();
        let before = closure(&it.instructions, read, [Role::Write, Role::Read]);
        instruction.guard.is_always()
            && units(instruction, Role::Write).any(|unit| origins.contains(&unit) && before.contains(&unit))
    };
    origins.is_disjoint(&found)
        && it.blocks.iter().any(|&at| it.is_in_each(at) && code.blocks[at].instructions.iter().any(steps))
}

/// Whether the loop that a swap is in ends after the same number of turns whatever it has found: nobody goes round until another lane
/// has given something back.
fn ends_whatever_is_found(code: &Code, graph: &Graph, block: usize, swap: &Instruction) -> bool {
    let Some(it) = graph.loop_of[block].map(|it| Turn::new(code, graph, it)) else { return false };
    let found = closure(&it.instructions, units(swap, Role::Write).collect(), [Role::Read, Role::Write]);
    it.blocks.iter().all(|&at| {
        let leaves = graph.successors[at].iter().any(|next| !it.blocks.contains(next));
        let Some(end) = code.blocks[at].instructions.last().filter(|_| leaves) else { return true };
        let origins = closure(&it.instructions, units(end, Role::Read).collect(), [Role::Write, Role::Read]);
        let decides =
            |instruction: &Instruction| units(instruction, Role::Write).any(|unit| origins.contains(&unit));
        // What only some turns write may depend on what was found.
        let is_apart = |&other: &usize| {
            let mut deciding = code.blocks[other].instructions.iter().filter(|it| decides(it));
            deciding.all(|instruction| instruction.guard.is_always() && it.is_in_each(other))
        };
        origins.is_disjoint(&found) && it.blocks.iter().all(is_apart)
    })
}

/// What a turn of a loop may go through.
pub(super) struct Turn<'a> {
    graph: &'a Graph,
    number: usize,
    pub(super) blocks: Vec<usize>,
    pub(super) instructions: Vec<&'a Instruction>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(code: &'a Code, graph: &'a Graph, number: usize) -> Turn<'a> {
        let blocks: Vec<usize> = (0..code.blocks.len()).filter(|&at| graph.in_loop(number, at)).collect();
        let instructions = blocks.iter().flat_map(|&at| &code.blocks[at].instructions).collect();
        Turn { graph, number, blocks, instructions }
    }

    /// Whether each turn goes through a block.
    fn is_in_each(&self, block: usize) -> bool {
        self.latches().all(|latch| self.graph.dominates(block, latch))
    }

    /// The blocks at whose end a turn may begin anew.
    pub(super) fn latches(&self) -> impl Iterator<Item = usize> {
        let header = self.graph.loops[self.number].header;
        self.graph.predecessors[header].iter().copied().filter(|&at| self.contains(at))
    }

    pub(super) fn contains(&self, block: usize) -> bool {
        self.graph.in_loop(self.number, block)
    }
}

/// These values and all that instructions give (the second role) of which some other one is among them (the first).
pub(super) fn closure(
    instructions: &[&Instruction],
    mut known: FxHashSet<Resource>,
    [from, to]: [Role; 2],
) -> FxHashSet<Resource> {
    loop {
        let before = known.len();
        for instruction in instructions {
            if units(instruction, from).any(|unit| known.contains(&unit)) {
                known.extend(units(instruction, to));
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The registers of an access's address.
fn address_units(access: &Instruction) -> impl Iterator<Item = Resource> {
    let of_address = |resource: &Resource| {
        access.operands.iter().any(|operand| match operand {
            Operand::Address(address) => {
                let words = if address.wide { 2 } else { 1 };
                let base = address.base.iter();
                base.flat_map(|base| (0..words).map(|it| base.offset(it)))
                    .any(|register| *resource == Resource::Registers(register, 1))
            }
            _ => false,
        })
    };
    units(access, Role::Read).filter(of_address).collect::<Vec<_>>().into_iter()
}

/// The registers and predicates that an instruction reads or writes, one by one.
pub(super) fn units(instruction: &Instruction, role: Role) -> impl Iterator<Item = Resource> {
    let accesses: Vec<Resource> =
        instruction.accesses().iter().filter(|it| it.role == role).map(|it| it.resource).collect();
    accesses.into_iter().flat_map(|resource| match resource {
        Resource::Registers(first, count) => {
            (0..count).map(|part| Resource::Registers(first.offset(part), 1)).collect::<Vec<_>>()
        }
        other => vec![other],
    })
}
