//! Loads go behind a branch to the side that needs them, where the other does not: lanes that go the other way load nothing. So does
//! ptxas. Short sums and the like go with what they are computed of, unless more would live instead.

use crate::code::{Code, DefinitionCounts, ends_block};
use crate::graph::Graph;
use crate::liveness::{Liveness, Numbering, Values};
use crate::schedule::{Kind, conflict, same_window};
use rustc_hash::FxHashSet;
use warplab_program::{ConstantIndex, Instruction, Opcode, Operand, Role};

/// Moves what only one side of a branch needs to the beginning of that side, also on behind further branches.
pub(crate) fn behind(code: &mut Code) {
    let graph = Graph::new(code);
    let live = Liveness::new(code);
    let counts = code.definition_counts();
    let ways = Ways { numbering: live.numbering, counts: &counts };
    for block in graph.dominance_order() {
        behind_exits(&ways, &mut code.blocks[block].instructions);
        let successors = &graph.successors[block];
        if successors.len() < 2 {
            continue;
        }
        let mut needed: Vec<Needs<'_>> = successors.iter().map(|&it| Needs::new(&live.live_in[it])).collect();
        for (number, &side) in successors.iter().enumerate() {
            if graph.predecessors[side] == [block] && graph.loop_of[side] == graph.loop_of[block] {
                let moved = ways.take(&mut code.blocks[block].instructions, &mut needed, Some(number));
                code.blocks[side].instructions.splice(..0, moved);
            }
        }
    }
}

/// What a block needs when it begins.
#[derive(Clone)]
struct Needs<'a> {
    before: &'a Values,
    added: FxHashSet<usize>,
    removed: FxHashSet<usize>,
}

impl<'a> Needs<'a> {
    fn new(before: &'a Values) -> Needs<'a> {
        Needs { before, added: FxHashSet::default(), removed: FxHashSet::default() }
    }

    fn contains(&self, number: usize) -> bool {
        self.added.contains(&number) || self.before.contains(number) && !self.removed.contains(&number)
    }

    /// It begins with one more instruction.
    fn begins_with(&mut self, reads: &[usize], writes: &[usize]) {
        for number in writes {
            self.added.remove(number);
        }
        self.removed.extend(writes);
        self.added.extend(reads);
    }
}

/// Moves loads behind the exits of a block where some lanes end.
fn behind_exits(ways: &Ways<'_>, instructions: &mut Vec<Instruction>) {
    let is_exit = |it: &Instruction| it.opcode == Opcode::Exit && !ends_block(it);
    let mut from = 0;
    while let Some(exit) = instructions[from..].iter().position(is_exit) {
        let after = instructions.split_off(from + exit + 1);
        let moved = ways.take(instructions, &mut [], None);
        from = instructions.len();
        instructions.extend(moved.into_iter().chain(after));
    }
}

/// What tells whether an instruction can move.
struct Ways<'a> {
    numbering: Numbering,
    counts: &'a DefinitionCounts,
}

impl Ways<'_> {
    /// Takes out what can go behind the last of some instructions: to a side, where `needed` says what each side needs, or behind an
    /// exit. The side needs what the moved instructions read from then on.
    fn take(
        &self,
        instructions: &mut Vec<Instruction>,
        needed: &mut [Needs<'_>],
        side: Option<usize>,
    ) -> Vec<Instruction> {
        let [mut read, mut written] = [(); 2].map(|()| FxHashSet::default());
        let mut moves = vec![false; instructions.len()];
        let mut accesses: Vec<&Instruction> = Vec::new();
        // As if all moved that can.
        let mut then = side.map(|it| needed[it].clone());
        for (at, instruction) in instructions.iter().enumerate().rev() {
            let is_last = at + 1 == instructions.len();
            let is_free = |number: usize| {
                let mut others = needed.iter().enumerate().filter(|&(it, _)| Some(it) != side);
                !read.contains(&number) && !others.any(|(_, needs)| needs.contains(number))
            };
            let [reads, writes] = [Role::Read, Role::Write].map(|role| self.numbers(instruction, role));
            moves[at] = !is_last
                && self.is_movable(instruction, side.is_some())
                && writes.iter().all(|&number| is_free(number))
                && !reads.iter().any(|number| written.contains(number))
                && (is_load(instruction) || then.as_ref().is_none_or(|then| spares(&reads, &writes, then)))
                && !accesses.iter().any(|later| stays_in_front(instruction, later));
            if moves[at] {
                then.iter_mut().for_each(|then| then.begins_with(&reads, &writes));
                continue;
            }
            read.extend(reads);
            written.extend(writes);
            if Kind::of(instruction) != Kind::Free && !is_last {
                accesses.push(instruction);
            }
        }
        // What no load leads to stays.
        let mut loaded = FxHashSet::default();
        for (at, instruction) in instructions.iter().enumerate() {
            let of_load = || self.numbers(instruction, Role::Read).iter().any(|it| loaded.contains(it));
            moves[at] &= is_load(instruction) || of_load();
            if moves[at] {
                loaded.extend(self.numbers(instruction, Role::Write));
            }
        }
        if !moves.contains(&true) {
            return Vec::new();
        }
        let (mut kept, mut moved) = (Vec::new(), Vec::new());
        for (mut instruction, moves) in std::mem::take(instructions).into_iter().zip(moves) {
            if moves {
                instruction.origin.note = "behind the branch whose other side does not need it";
            }
            if moves { moved.push(instruction) } else { kept.push(instruction) }
        }
        *instructions = kept;
        if let Some(side) = side {
            for instruction in moved.iter().rev() {
                let [reads, writes] = [Role::Read, Role::Write].map(|role| self.numbers(instruction, role));
                needed[side].begins_with(&reads, &writes);
            }
        }
        moved
    }

    /// Whether it is a load, or short and for a side, and nothing else writes what it writes.
    fn is_movable(&self, instruction: &Instruction, to_side: bool) -> bool {
        let accesses = instruction.accesses();
        let mut results = accesses.iter().filter(|it| it.role == Role::Write).peekable();
        instruction.guard.is_always()
            && (is_load(instruction) || to_side && is_short(instruction))
            && results.peek().is_some()
            && results.all(|it| self.counts.is_single(it.resource))
    }

    /// What an instruction reads or writes.
    fn numbers(&self, instruction: &Instruction, role: Role) -> Vec<usize> {
        let accesses = instruction.accesses();
        let of_role = accesses.iter().filter(|access| access.role == role);
        let mut numbers: Vec<usize> = of_role.flat_map(|access| self.numbering.of(access.resource)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// Whether no more values live on to a side if what reads and writes these goes there.
fn spares(reads: &[usize], writes: &[usize], side: &Needs<'_>) -> bool {
    reads.iter().filter(|&&number| !side.contains(number)).count() <= writes.len()
}

fn is_load(instruction: &Instruction) -> bool {
    let is_indexed =
        |operand: &Operand| matches!(operand, Operand::Constant(it) if it.index != ConstantIndex::None);
    match Kind::of(instruction) {
        Kind::Load | Kind::ConstantLoad => instruction.opcode != Opcode::Ldsm,
        _ => instruction.opcode == Opcode::Ldc && instruction.operands.iter().any(is_indexed),
    }
}

/// Whether ptxas moves it as well, though it only computes.
fn is_short(instruction: &Instruction) -> bool {
    use Opcode::*;
    matches!(instruction.opcode, Iadd3 | Lop3 | Shf | Prmt | Vimnmx | Mufu | I2f | I2fp | F2i | Isetp | Sel)
}

/// Whether a load stays in front of a later access: of a store to its window ptxas does not ask where it stores.
fn stays_in_front(instruction: &Instruction, later: &Instruction) -> bool {
    match (Kind::of(instruction), Kind::of(later)) {
        (Kind::Load, Kind::Store) => same_window(instruction, later),
        _ => conflict(instruction, later),
    }
}
