//! Which values may differ between the threads of a warp, and which branches may go different ways for them.

use crate::code::{Code, DefinitionCounts};
use crate::graph::Graph;
use crate::liveness::{Marks, Numbering};
use warplab_program::{Guard, Instruction, Opcode, Operand, Resource, Role, SpecialRegister};

/// What may differ from thread to thread.
pub(crate) struct Divergence {
    numbering: Numbering,
    divergent: Marks,
    /// For every block whether the branch at its end may diverge.
    pub(crate) branches: Vec<bool>,
    /// For every block whether some threads of a warp may skip it.
    pub(crate) split: Vec<bool>,
}

impl Divergence {
    /// Whether all threads of a warp that use a value at once have the same.
    pub(crate) fn is_uniform(&self, resource: Resource) -> bool {
        !self.numbering.of(resource).any(|number| self.divergent.contains(number))
    }
}

/// For every block whether the branch at its end may diverge.
pub(crate) fn divergent_branches(code: &Code, graph: &Graph) -> Vec<bool> {
    divergence(code, graph).branches
}

/// What may differ between the threads of a warp.
///
/// What is found to differ is passed on to what reads it, what is split to the blocks that are skipped, until nothing
/// is left to pass on.
pub(crate) fn divergence(code: &Code, graph: &Graph) -> Divergence {
    let numbering = Numbering::new(code);
    let mut search = Search {
        code,
        graph,
        counts: code.definition_counts(),
        divergent: Marks::new(numbering.total),
        numbering,
        branches: vec![false; code.blocks.len()],
        split: vec![false; code.blocks.len()],
        seen: Marks::new(code.blocks.len()),
        found: Vec::new(),
    };
    let readers = search.readers();
    for block in 0..code.blocks.len() {
        for instruction in code.blocks[block].instructions.iter().filter(|it| is_source(it)) {
            search.results_vary(instruction);
        }
    }
    while let Some(number) = search.found.pop() {
        for &(block, at) in &readers[number] {
            search.reads_varying(block, at, number);
        }
    }
    Divergence { numbering, divergent: search.divergent, branches: search.branches, split: search.split }
}

struct Search<'a> {
    code: &'a Code,
    graph: &'a Graph,
    counts: DefinitionCounts,
    numbering: Numbering,
    divergent: Marks,
    branches: Vec<bool>,
    /// Blocks that some threads of a warp may skip.
    split: Vec<bool>,
    seen: Marks,
    /// Values that vary and have not been passed on.
    found: Vec<usize>,
}

impl Search<'_> {
    /// Which instructions read each value.
    fn readers(&self) -> Vec<Vec<(usize, usize)>> {
        let mut readers = vec![Vec::new(); self.numbering.total];
        for (block, it) in self.code.blocks.iter().enumerate() {
            for (at, instruction) in it.instructions.iter().enumerate() {
                for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
                    self.numbering.of(access.resource).for_each(|number| readers[number].push((block, at)));
                }
            }
        }
        readers
    }

    fn varies(&mut self, resource: Resource) {
        for number in self.numbering.of(resource) {
            if self.numbering.kind(number) != 2 && self.divergent.insert(number) {
                self.found.push(number);
            }
        }
    }

    fn results_vary(&mut self, instruction: &Instruction) {
        for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
            self.varies(access.resource);
        }
    }

    /// An instruction reads what varies: its results do, and if it is a branch under this guard, its way.
    fn reads_varying(&mut self, block: usize, at: usize, number: usize) {
        let it = &self.code.blocks[block];
        let instruction = &it.instructions[at];
        // All lanes that vote together get the same mask; but where the warp is split, each part votes on its own.
        if self.split[block] || !votes(instruction) {
            self.results_vary(instruction);
        }
        // Likewise those that name another mask.
        if instruction.opcode == Opcode::Warpsync
            && let Some(vote) = it.instructions[at..].iter().find(|it| votes(it))
        {
            self.results_vary(vote);
        }
        let guards = matches!(instruction.guard, Guard::Predicate { predicate, .. }
            if self.numbering.predicate(predicate) == Some(number));
        let diverges = at + 1 == it.instructions.len()
            && matches!(instruction.opcode, Opcode::Bra | Opcode::Exit)
            && !it.uniform_branch
            && guards;
        if diverges
            && !std::mem::replace(&mut self.branches[block], true)
            && instruction.opcode == Opcode::Bra
        {
            self.mark_split(block);
        }
    }

    /// Marks what lies between a branch and where its ways meet; what is written there more than once varies.
    fn mark_split(&mut self, branch: usize) {
        let (code, graph) = (self.code, self.graph);
        let end = graph.post_dominator[branch];
        let mut pending: Vec<usize> = graph.successors[branch].clone();
        self.seen.clear();
        while let Some(block) = pending.pop() {
            if Some(block) == end || !self.seen.insert(block) {
                continue;
            }
            pending.extend(&graph.successors[block]);
            if std::mem::replace(&mut self.split[block], true) {
                continue;
            }
            for instruction in &code.blocks[block].instructions {
                for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                    if votes(instruction) || !self.counts.is_single(access.resource) {
                        self.varies(access.resource);
                    }
                }
            }
        }
    }
}

fn votes(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Vote
}

/// Whether an instruction's result differs from thread to thread whatever its sources.
fn is_source(instruction: &Instruction) -> bool {
    use Opcode::*;
    match instruction.opcode {
        Ldg | Ld | Ldl | Lds | Ldsm | Atom | Atomg | Atoms | Shfl | Match | Elect | Hmma | Imma | Dmma
        | Movm | Cs2r => true,
        S2r => !instruction.operands.iter().any(|operand| {
            matches!(
                operand,
                Operand::Special(
                    SpecialRegister::CtaidX
                        | SpecialRegister::CtaidY
                        | SpecialRegister::CtaidZ
                        | SpecialRegister::WarpId
                        | SpecialRegister::VirtualSmId
                        | SpecialRegister::SmCount
                        | SpecialRegister::WarpCount
                        | SpecialRegister::GridId
                )
            )
        }),
        _ => false,
    }
}
