//! Loads go ahead of an `if` in front of them, because they come whichever way it goes: those of all iterations of an unrolled
//! loop are under way together, whatever each does with what it loaded. So does ptxas.

use crate::code::Code;
use crate::graph::Graph;
use crate::liveness::{Marks, Numbering};
use crate::schedule::{Kind, conflict};
use warplab_program::{Instruction, Opcode, Resource, Role};

/// So many words are loaded ahead into one block: they all need registers at once.
const MOST_WORDS: u32 = 16;

/// Instructions that form an address, at most.
const MOST_FOR_AN_ADDRESS: usize = 8;

/// Moves loads up to blocks that never run without theirs.
pub(crate) fn ahead(code: &mut Code) {
    let graph = Graph::new(code);
    let numbering = Numbering::new(code);
    let counts = code.definition_counts();
    let is_single = |resource: Resource| counts.is_single(resource);
    for block in (1..code.blocks.len()).rev() {
        let Some((before, side)) = branch_and_side(&graph, block) else { continue };
        let mut way = Way::new(code, &numbering, before, side);
        let words = loaded_words(&code.blocks[before].instructions);
        let instructions = std::mem::take(&mut code.blocks[block].instructions);
        let moves = moves(&instructions, &mut way, words, &is_single);
        let (mut kept, mut moved) = (Vec::new(), Vec::new());
        for (instruction, moves) in instructions.into_iter().zip(moves) {
            if moves { moved.push(instruction) } else { kept.push(instruction) }
        }
        for load in moved.iter_mut().filter(|it| is_load(it)) {
            load.origin.note = "ahead of the branch in front of it";
        }
        code.blocks[block].instructions = kept;
        let target = &mut code.blocks[before].instructions;
        let end = target.len() - usize::from(target.last().is_some_and(crate::code::ends_block));
        target.splice(end..end, moved);
    }
}

/// Which instructions of a block move, where so many words are loaded by now.
fn moves(
    instructions: &[Instruction],
    way: &mut Way<'_>,
    mut words: u32,
    is_single: &impl Fn(Resource) -> bool,
) -> Vec<bool> {
    let mut moves = vec![false; instructions.len()];
    for (at, instruction) in instructions.iter().enumerate() {
        let fits = is_load(instruction) && words + instruction.data_registers() <= MOST_WORDS;
        let chosen = if fits { way.with_its_address(instructions, &moves, at, is_single) } else { None };
        if let Some(chosen) = chosen {
            words += instruction.data_registers();
            chosen.into_iter().for_each(|it| moves[it] = true);
        }
        way.pass(instruction, moves[at]);
    }
    moves
}

/// The two blocks in front of one: a branch, and the side that it may pass over, in the same loop.
fn branch_and_side(graph: &Graph, block: usize) -> Option<(usize, usize)> {
    let before = graph.dominator[block]?;
    let side = match graph.predecessors[block][..] {
        [one, other] if one == before => other,
        [other, one] if one == before => other,
        _ => return None,
    };
    let is_side = graph.predecessors[side] == [before] && graph.successors[side] == [block];
    let same_loop = [before, side].iter().all(|&it| graph.loop_of[it] == graph.loop_of[block]);
    (is_side && same_loop).then_some((before, side))
}

fn is_load(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Ldg | Opcode::Lds)
        && instruction.guard.is_always()
        && matches!(Kind::of(instruction), Kind::Load | Kind::ConstantLoad)
}

/// Words that are loaded ahead into a block by now.
fn loaded_words(instructions: &[Instruction]) -> u32 {
    instructions.iter().filter(|it| is_load(it)).map(Instruction::data_registers).sum()
}

/// What lies between the end of a block and an instruction of a later one.
struct Way<'a> {
    numbering: &'a Numbering,
    /// Accesses to memory and what orders them.
    accesses: Vec<Instruction>,
    /// What is written.
    written: Marks,
    /// What is read and not written before: a value of the last iteration, if what moves writes it.
    read: Marks,
}

impl<'a> Way<'a> {
    fn new(code: &Code, numbering: &'a Numbering, before: usize, side: usize) -> Way<'a> {
        let [written, read] = [(); 2].map(|()| Marks::new(numbering.total));
        let mut way = Way { numbering, accesses: Vec::new(), written, read };
        let branch = code.blocks[before].instructions.last().filter(|it| crate::code::ends_block(it));
        for instruction in branch.into_iter().chain(&code.blocks[side].instructions) {
            way.pass(instruction, false);
        }
        way
    }

    /// Goes past an instruction, which stays where it is or moves itself.
    fn pass(&mut self, instruction: &Instruction, moves: bool) {
        if moves {
            return;
        }
        if Kind::of(instruction) != Kind::Free && instruction.opcode != Opcode::Bra {
            self.accesses.push(instruction.clone());
        }
        let accesses = instruction.accesses();
        for access in accesses.iter().filter(|access| access.role == Role::Read) {
            for number in self.numbering.of(access.resource).filter(|&it| !self.written.contains(it)) {
                self.read.insert(number);
            }
        }
        for access in accesses.iter().filter(|access| access.role == Role::Write) {
            for number in self.numbering.of(access.resource) {
                self.written.insert(number);
            }
        }
    }

    /// A load and what forms its address, if they can all move.
    fn with_its_address(
        &self,
        instructions: &[Instruction],
        moves: &[bool],
        load: usize,
        is_single: &impl Fn(Resource) -> bool,
    ) -> Option<Vec<usize>> {
        if self.accesses.iter().any(|first| conflict(first, &instructions[load])) {
            return None;
        }
        let mut chosen = vec![load];
        let mut next = 0;
        while let Some(&at) = chosen.get(next) {
            next += 1;
            for access in instructions[at].accesses() {
                if access.role == Role::Write {
                    let is_old = |number: usize| self.read.contains(number);
                    if !is_single(access.resource) || self.numbering.of(access.resource).any(is_old) {
                        return None;
                    }
                    continue;
                }
                for number in self.numbering.of(access.resource) {
                    if !self.written.contains(number) {
                        continue;
                    }
                    let maker = made_by(instructions, moves, at, number, self.numbering)?;
                    if !forms_addresses(&instructions[maker]) || chosen.len() > MOST_FOR_AN_ADDRESS {
                        return None;
                    }
                    if !chosen.contains(&maker) {
                        chosen.push(maker);
                    }
                }
            }
        }
        Some(chosen)
    }
}

/// Which instruction in front of another writes a value, of those that stay.
fn made_by(
    instructions: &[Instruction],
    moves: &[bool],
    at: usize,
    value: usize,
    numbering: &Numbering,
) -> Option<usize> {
    (0..at).rev().filter(|&it| !moves[it]).find(|&it| {
        let accesses = instructions[it].accesses();
        let mut writes = accesses.iter().filter(|access| access.role == Role::Write);
        writes.any(|access| numbering.of(access.resource).any(|number| number == value))
    })
}

/// Whether an instruction only computes, and for an address.
fn forms_addresses(instruction: &Instruction) -> bool {
    use Opcode::*;
    instruction.guard.is_always() && matches!(instruction.opcode, Iadd3 | Imad | Lea | Shf | Lop3 | Mov | Ldc)
}
