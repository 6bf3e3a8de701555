//! Which values may differ between the threads of a warp, and which branches may go different ways for them.

use crate::code::{Code, DefinitionCounts};
use crate::graph::Graph;
use crate::liveness::{Liveness, Marks, Numbering};
use warplab_program::{Guard, Instruction, Modifier, Opcode, Operand, Resource, Role, SpecialRegister};

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
    let live = Liveness::new(code);
    let numbering = live.numbering;
    let mut search = Search {
        code,
        graph,
        live,
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
    live: Liveness,
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
        // All lanes that vote together get the same mask, and all that ask one lane the same value; but where the warp is split,
        // each part does so on its own.
        let lane = asked_lane(instruction).and_then(|it| it.as_register());
        let names_lane =
            lane.is_some_and(|it| self.numbering.of(Resource::Registers(it, 1)).any(|it| it == number));
        let guards = matches!(instruction.guard, Guard::Predicate { predicate, .. }
            if self.numbering.predicate(predicate) == Some(number));
        if self.split[block] || guards || names_lane || !gathers(instruction) {
            self.results_vary(instruction);
        }
        // Likewise those that name another mask.
        if instruction.opcode == Opcode::Warpsync
            && let Some(other) = it.instructions[at..].iter().find(|it| gathers(it))
        {
            self.results_vary(other);
        }
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

    /// Marks what lies between a branch and where its ways meet. What is written there and read behind a block where ways meet varies:
    /// lanes come with values of different writes, or, out of a loop, of different iterations.
    fn mark_split(&mut self, branch: usize) {
        let graph = self.graph;
        let end = graph.post_dominator[branch];
        let ways = graph.successors[branch].iter().map(|&it| self.way(it, end));
        let ways: Vec<Vec<usize>> = ways.collect();
        self.seen.clear();
        let mut met = Marks::new(self.code.blocks.len());
        let (mut between, mut meets) = (Vec::new(), Vec::new());
        for block in ways.into_iter().flatten() {
            if self.seen.insert(block) {
                between.extend((Some(block) != end).then_some(block));
            } else if met.insert(block) {
                meets.push(block);
            }
        }
        let goes_round = between.contains(&branch);
        for block in between {
            let is_new = !std::mem::replace(&mut self.split[block], true);
            for instruction in &self.code.blocks[block].instructions {
                for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                    if is_new && (gathers(instruction) || loads(instruction)) {
                        self.varies(access.resource);
                    }
                    let is_one = !goes_round && self.counts.is_single(access.resource);
                    let mut numbers = self.numbering.of(access.resource);
                    let is_read =
                        |number| meets.iter().any(|&it: &usize| self.live.live_in[it].contains(number));
                    if !is_one && numbers.any(is_read) {
                        self.varies(access.resource);
                    }
                }
            }
        }
    }

    /// The blocks that can be reached from one up to another, which is the last.
    fn way(&mut self, from: usize, end: Option<usize>) -> Vec<usize> {
        let (mut pending, mut found) = (vec![from], Vec::new());
        self.seen.clear();
        while let Some(block) = pending.pop() {
            if !self.seen.insert(block) {
                continue;
            }
            found.push(block);
            if Some(block) != end {
                pending.extend(&self.graph.successors[block]);
            }
        }
        found
    }
}

/// Whether all lanes that do it together get the same.
fn gathers(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Vote || asked_lane(instruction).is_some()
}

/// The number of the lane that all lanes of a warp ask for its value, if they do.
fn asked_lane(instruction: &Instruction) -> Option<Operand> {
    match instruction.operands[..] {
        [.., lane, Operand::Immediate(0x1f)]
            if instruction.opcode == Opcode::Shfl && instruction.has(Modifier::Idx) =>
        {
            Some(lane)
        }
        _ => None,
    }
}

/// Whether lanes that load from one address get the same value if they do it together; where the warp is split, what is there may
/// change from part to part. ptxas takes it for the same, too.
fn loads(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Ldg | Opcode::Lds)
        || instruction.opcode == Opcode::Syncs && instruction.has(Modifier::Phasechk)
}

/// Whether an instruction's result differs from thread to thread whatever its sources.
fn is_source(instruction: &Instruction) -> bool {
    use Opcode::*;
    match instruction.opcode {
        Ld | Ldl | Ldsm | Atom | Atomg | Atoms | Match | Elect | Hmma | Imma | Dmma | Movm | Cs2r => true,
        Shfl => asked_lane(instruction).is_none(),
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
                        | SpecialRegister::CgaCtaId
                        | SpecialRegister::CgaSize
                )
            )
        }),
        _ => false,
    }
}
