//! Instructions that move to other blocks: out of loops, and down to where they are needed.

use crate::code::{Code, has_effect};
use crate::graph::Graph;
use crate::liveness::Numbering;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Resource, Role};

/// Loops of at most this many instructions have even their constants set before them.
const SMALL_LOOP: usize = 24;

/// Moves what a loop computes anew with the same result every time in front of it: long sequences that selection
/// made, in small loops constants, and `products`, if these are to move, too. Whether a product has moved.
pub(crate) fn invariant(code: &mut Code, products: bool) -> bool {
    let mut moves = Moves { products, ..Moves::default() };
    for _ in 0..4 {
        if !invariant_once(code, &mut moves) {
            break;
        }
    }
    moves.moved_product
}

/// Which products move, and whether one has.
#[derive(Default)]
struct Moves {
    products: bool,
    moved_product: bool,
}

fn invariant_once(code: &mut Code, moves: &mut Moves) -> bool {
    let graph = Graph::new(code);
    let numbering = Numbering::new(code);
    let counts = code.definition_counts();
    let mut home: Vec<Option<usize>> = vec![None; numbering.total];
    for (index, block) in code.blocks.iter().enumerate() {
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            if access.role == Role::Write {
                numbering.of(access.resource).for_each(|number| home[number] = Some(index));
            }
        }
    }
    let mut sizes = vec![0; graph.loops.len()];
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); graph.loops.len()];
    for (index, block) in code.blocks.iter().enumerate() {
        if let Some(inner) = graph.loop_of[index] {
            own[inner].push(index);
            sizes[inner] += block.instructions.len();
        }
    }
    let mut moved = false;
    // From the inside out. What cannot leave an inner loop cannot leave one around it, unless nothing could leave.
    for (it, found) in graph.loops.iter().enumerate().rev() {
        let mut blocks = std::mem::take(&mut own[it]);
        let size = sizes[it];
        if let Some(around) = found.around {
            sizes[around] += size;
        }
        let before = graph.dominator[found.header].filter(|&before| {
            graph.successors[before].len() == 1 || dominates_entry(&graph, before, found.header)
        });
        let Some(before) = before else {
            if let Some(around) = found.around {
                own[around].append(&mut blocks);
            }
            continue;
        };
        blocks.sort_unstable();
        let latches: Vec<usize> = graph.predecessors[found.header]
            .iter()
            .copied()
            .filter(|&block| graph.in_loop(it, block))
            .collect();
        for &block in &blocks {
            // ptxas divides where it must, and no sooner.
            let is_certain = latches.iter().all(|&latch| graph.dominates(block, latch));
            let old = std::mem::take(&mut code.blocks[block].instructions);
            let mut kept = Vec::with_capacity(old.len());
            for instruction in old {
                let fixed = instruction.accesses().iter().all(|access| match access.role {
                    Role::Write => counts.is_single(access.resource),
                    Role::Read => {
                        numbering.of(access.resource).all(|number| {
                            counts.is_single(access.resource)
                                && home[number].is_some_and(|at| !graph.in_loop(it, at))
                        }) && is_virtual(access.resource)
                    }
                });
                let constant = is_constant_move(&instruction);
                let costly = is_costly(&instruction);
                let product = instruction.opcode == Opcode::Imad && !costly;
                let moves_on = costly || product && moves.products;
                let worth = if constant { size <= SMALL_LOOP } else { is_certain && moves_on };
                if !fixed
                    || !worth
                    || has_effect(&instruction)
                    || instruction.opcode.accesses_memory()
                    || !instruction.guard.is_always()
                {
                    kept.push(instruction);
                    continue;
                }
                for access in instruction.accesses() {
                    if access.role == Role::Write {
                        numbering.of(access.resource).for_each(|number| home[number] = Some(before));
                    }
                }
                moved = true;
                moves.moved_product |= product;
                let mut instruction = instruction;
                instruction.origin.note = "moved in front of the loop";
                let target = &mut code.blocks[before].instructions;
                let at = match target.last() {
                    Some(last) if last.opcode == Opcode::Bra => target.len() - 1,
                    _ => target.len(),
                };
                target.insert(at, instruction);
            }
            code.blocks[block].instructions = kept;
        }
    }
    moved
}

/// Whether the block before a loop leads nowhere else but past it.
fn dominates_entry(graph: &Graph, before: usize, header: usize) -> bool {
    graph.successors[before].contains(&header)
}

fn is_virtual(resource: Resource) -> bool {
    match resource {
        Resource::Registers(register, _) => register.is_virtual(),
        Resource::Predicate(predicate) => predicate.is_virtual(),
        Resource::Uniforms(register, _) => register.is_virtual(),
        _ => false,
    }
}

fn is_constant_move(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Mov && matches!(instruction.operands.get(1), Some(Operand::Immediate(_)))
}

/// Whether an instruction is part of a sequence for division and its like. Those of 64 bits are calls where ptxas compiles, which
/// stay in their loops.
fn is_costly(instruction: &Instruction) -> bool {
    use Opcode::*;
    match instruction.opcode {
        I2f => !instruction.has(Modifier::U64),
        Mufu | F2i | Iabs | F2f => true,
        _ => is_reciprocal_step(instruction),
    }
}

/// The steps between conversion and reciprocal are cheap by themselves but stand in the way.
fn is_reciprocal_step(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Iadd3 | Opcode::Imad)
        && (instruction.operands.contains(&Operand::Immediate(0x0fff_fffe)) || instruction.has(Modifier::Hi))
}

/// Moves reads of parameters, special registers and addresses of shared memory from the entry down to the block
/// that dominates all their uses, but never into a loop.
pub(crate) fn sink(code: &mut Code) {
    for _ in 0..3 {
        if !sink_once(code) {
            return;
        }
    }
}

fn sink_once(code: &mut Code) -> bool {
    let graph = Graph::new(code);
    let numbering = Numbering::new(code);
    let mut used_in: Vec<Option<usize>> = vec![None; numbering.total];
    for (index, block) in code.blocks.iter().enumerate() {
        if index > 0 && graph.dominator[index].is_none() {
            continue;
        }
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            if access.role == Role::Read {
                for number in numbering.of(access.resource) {
                    used_in[number] = Some(match used_in[number] {
                        None => index,
                        Some(other) => graph.common_dominator(other, index),
                    });
                }
            }
        }
    }
    let entry = std::mem::take(&mut code.blocks[0].instructions);
    let mut kept = Vec::with_capacity(entry.len());
    let mut sunk: Vec<(usize, Instruction)> = Vec::new();
    for instruction in entry {
        let target =
            movable(&instruction).then(|| target_of(&instruction, &numbering, &used_in, &graph)).flatten();
        match target {
            Some(target) if target != 0 => sunk.push((target, instruction)),
            _ => kept.push(instruction),
        }
    }
    code.blocks[0].instructions = kept;
    let moved = !sunk.is_empty();
    for (target, instruction) in sunk.into_iter().rev() {
        code.blocks[target].instructions.insert(0, instruction);
    }
    moved
}

fn movable(instruction: &Instruction) -> bool {
    use Opcode::*;
    instruction.guard.is_always()
        && matches!(instruction.opcode, Ldc | S2r | S2ur | Umov | Ulea | Uldc)
        && !crate::code::reads_clock(instruction)
        && instruction.accesses().iter().all(|access| is_virtual(access.resource))
}

/// The block that an instruction of the entry can move down to.
fn target_of(
    instruction: &Instruction,
    numbering: &Numbering,
    used_in: &[Option<usize>],
    graph: &Graph,
) -> Option<usize> {
    let mut target: Option<usize> = None;
    for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
        for number in numbering.of(access.resource) {
            let Some(used) = used_in[number] else { continue };
            target = Some(match target {
                None => used,
                Some(other) => graph.common_dominator(other, used),
            });
        }
    }
    let mut target = target?;
    while graph.loop_of[target].is_some() {
        target = graph.dominator[target]?;
    }
    Some(target)
}
