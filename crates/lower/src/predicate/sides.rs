//! How long a side of an `if` may be to be guarded instead of branched over: what ptxas does with sides of every length.

use crate::code::{Block, Code, has_effect};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Opcode, Predicate, Register, Resource, Role};

/// So many instructions more may a side have with a load from global memory: what it waits for costs more than they do.
const MORE_WITH_A_LOAD: usize = 12;

/// So many fewer if all lanes go the same way: they would pass over it together.
const FEWER_IF_UNIFORM: usize = 2;

/// What is known of the sides of a kernel.
pub(super) struct Sides {
    longest: usize,
    divergent: Vec<bool>,
    graph: Graph,
    parameters: FxHashMap<Register, Parameter>,
}

/// A value that is read from constant memory.
struct Parameter {
    words: usize,
    /// The blocks that read it, in order.
    readers: Vec<usize>,
}

impl Sides {
    /// Looks at a kernel; sides have at most `longest` instructions besides one that reads a parameter.
    pub(super) fn new(code: &Code, longest: usize) -> Sides {
        let graph = Graph::new(code);
        Sides {
            longest: longest + 1,
            divergent: divergent_branches(code, &graph),
            parameters: parameters(code),
            graph,
        }
    }

    /// Whether the bodies of the sides of a branch at the end of a block are guarded, one by one. All or none can be.
    pub(super) fn fit<const COUNT: usize>(
        &self,
        code: &Code,
        block: usize,
        sides: [usize; COUNT],
        predicate: Predicate,
    ) -> [bool; COUNT] {
        let bodies = sides.map(|side| body(&code.blocks[side]));
        let loads = bodies.iter().any(|body| body.iter().any(is_far_load));
        let limit = if loads {
            self.longest + MORE_WITH_A_LOAD
        } else if self.divergent[block] {
            self.longest
        } else {
            self.longest - FEWER_IF_UNIFORM
        };
        let fits = |side: usize| {
            let body = body(&code.blocks[side]);
            let moves = body.iter().filter(|instruction| instruction.opcode == Opcode::Mov).count();
            let own = body.len() - moves + moves / 2 + self.own_words(code, block, side);
            own <= limit
        };
        let mut all = bodies.iter().flat_map(|body| body.iter());
        let is_branched = sides.iter().any(|&side| code.blocks[side].branched);
        if is_branched || all.any(|instruction| !may_be_guarded(instruction, predicate)) {
            return [false; COUNT];
        }
        sides.map(fits)
    }

    /// Whether every way to a block leads through another.
    pub(super) fn dominates(&self, above: usize, block: usize) -> bool {
        self.graph.dominates(above, block)
    }

    /// Words of parameters that a side reads anew: what the block in front of it does not read, but in a loop, in front of
    /// which they are read.
    fn own_words(&self, code: &Code, block: usize, side: usize) -> usize {
        if self.graph.loop_of[side].is_some() {
            return 0;
        }
        let reads = code.blocks[side].instructions.iter().flat_map(Instruction::accesses);
        let groups = reads.filter_map(|access| read_group(code, access.role, access.resource));
        let mut own: Vec<Register> = groups
            .filter(|group| self.parameters.get(group).is_some_and(|it| !it.readers.contains(&block)))
            .collect();
        own.sort_unstable();
        own.dedup();
        own.iter().map(|group| self.parameters[group].words).sum()
    }
}

/// The instructions of a side without the branch at its end.
pub(super) fn body(block: &Block) -> &[Instruction] {
    match block.instructions.split_last() {
        Some((last, body)) if crate::code::branch_target(last).is_some() => body,
        _ => &block.instructions,
    }
}

fn is_far_load(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Ldg | Opcode::Ld)
}

fn read_group(code: &Code, role: Role, resource: Resource) -> Option<Register> {
    match resource {
        Resource::Registers(register, _) if role == Role::Read => Some(code.group(register).0),
        _ => None,
    }
}

/// What is read from constant memory, by the first register of each group.
fn parameters(code: &Code) -> FxHashMap<Register, Parameter> {
    let mut parameters: FxHashMap<Register, Parameter> = FxHashMap::default();
    for instruction in code.instructions().filter(|it| it.opcode == Opcode::Ldc) {
        if let Some(register) = instruction.operands.first().and_then(|operand| operand.as_register()) {
            let (first, count) = code.group(register);
            parameters.insert(first, Parameter { words: count as usize, readers: Vec::new() });
        }
    }
    for (index, block) in code.blocks.iter().enumerate() {
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            let group = read_group(code, access.role, access.resource);
            let Some(parameter) = group.and_then(|group| parameters.get_mut(&group)) else { continue };
            if parameter.readers.last() != Some(&index) {
                parameter.readers.push(index);
            }
        }
    }
    parameters
}

/// Whether an instruction can be executed by some lanes only. What is done atomically ptxas branches over.
fn may_be_guarded(instruction: &Instruction, predicate: Predicate) -> bool {
    use Opcode::*;
    if !instruction.guard.is_always() {
        return false;
    }
    let allowed = matches!(instruction.opcode, Stg | St | Stl | Sts | Ldg | Lds | Ld | Ldl);
    if has_effect(instruction) && !allowed {
        return false;
    }
    !instruction
        .accesses()
        .iter()
        .any(|access| access.role == Role::Write && access.resource == Resource::Predicate(predicate))
}
