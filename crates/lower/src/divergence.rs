//! Which values may differ between the threads of a warp, and which branches may go different ways for them.

use crate::code::Code;
use crate::graph::Graph;
use crate::liveness::{Numbering, Set};
use warplab_program::{Guard, Instruction, Opcode, Operand, Resource, Role, SpecialRegister};

/// What may differ from thread to thread.
pub(crate) struct Divergence {
    numbering: Numbering,
    divergent: Set,
    /// For every block whether the branch at its end may diverge.
    pub(crate) branches: Vec<bool>,
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
pub(crate) fn divergence(code: &Code, graph: &Graph) -> Divergence {
    let numbering = Numbering::new(code);
    let mut divergent = Set::new(numbering.total);
    let mut branches = vec![false; code.blocks.len()];
    // Blocks that some threads of a warp may skip.
    let mut split = vec![false; code.blocks.len()];
    let counts = code.definition_counts();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in code.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                let accesses = instruction.accesses();
                let from_inputs = accesses.iter().any(|access| {
                    access.role == Role::Read
                        && numbering.of(access.resource).any(|number| divergent.contains(number))
                });
                let varies = from_inputs || is_source(instruction);
                for access in accesses.iter().filter(|access| access.role == Role::Write) {
                    let several = !counts.is_single(access.resource);
                    if !(varies || (split[index] && several)) {
                        continue;
                    }
                    for number in numbering.of(access.resource) {
                        if numbering.kind(number) != 2 && !divergent.contains(number) {
                            divergent.insert(number);
                            changed = true;
                        }
                    }
                }
            }
            let Some(last) = block.instructions.last() else { continue };
            let conditional = match last.guard {
                Guard::Predicate { predicate, .. } => numbering.predicate(predicate),
                Guard::Uniform { .. } => None,
            };
            let diverges = matches!(last.opcode, Opcode::Bra | Opcode::Exit)
                && !block.uniform_branch
                && conditional.is_some_and(|number| divergent.contains(number));
            if diverges && !branches[index] {
                branches[index] = true;
                changed = true;
                if last.opcode == Opcode::Bra {
                    mark_split(graph, index, &mut split);
                }
            }
        }
    }
    Divergence { numbering, divergent, branches }
}

/// Marks what lies between a branch and where its ways meet.
fn mark_split(graph: &Graph, branch: usize, split: &mut [bool]) {
    let end = graph.post_dominator[branch];
    let mut pending: Vec<usize> = graph.successors[branch].clone();
    let mut seen = vec![false; split.len()];
    while let Some(block) = pending.pop() {
        if Some(block) == end || std::mem::replace(&mut seen[block], true) {
            continue;
        }
        split[block] = true;
        pending.extend(&graph.successors[block]);
    }
}

/// Whether an instruction's result differs from thread to thread whatever its sources.
fn is_source(instruction: &Instruction) -> bool {
    use Opcode::*;
    match instruction.opcode {
        Ldg | Ld | Ldl | Lds | Ldsm | Atom | Atomg | Atoms | Shfl | Match | Elect | Cs2r => true,
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
