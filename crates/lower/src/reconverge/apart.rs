//! Instructions that threads of a warp execute group by group without a branch: votes and matches among those that name the same
//! mask, and calls through pointers. Each stands in a block of its own, behind which all threads meet.

use super::Site;
use crate::code::{Block, Code};
use crate::divergence::divergence;
use crate::graph::Graph;
use warplab_program::{Instruction, Modifier, Opcode, Operand, Resource};

/// Gives such instructions blocks of their own, and says where threads are gathered and meet. A mask that all threads share
/// separates nobody; but threads that others have left before meet by it.
pub(super) fn split(code: &mut Code) -> Vec<Site> {
    if !code.instructions().any(|it| splitter(it).is_some()) {
        return Vec::new();
    }
    let divergence = divergence(code, &Graph::new(code));
    let yields = code.yields();
    let is_shared =
        |it: &Instruction| !yields && splitter(it).is_some_and(|resource| divergence.is_uniform(resource));
    for block in &mut code.blocks {
        block.instructions.retain(|it| it.opcode != Opcode::Warpsync || !is_shared(it));
    }
    let mut starts = Vec::with_capacity(code.blocks.len());
    let mut sites = Vec::new();
    let mut blocks: Vec<Block> = Vec::with_capacity(code.blocks.len());
    for mut block in std::mem::take(&mut code.blocks) {
        starts.push(blocks.len());
        while let Some(at) = block.instructions.iter().position(|it| splitter(it).is_some() && !is_shared(it))
        {
            let mut part = block.instructions.split_off(at);
            let rest = part.split_off(length(&part));
            let set = blocks.len();
            blocks.push(Block { instructions: std::mem::take(&mut block.instructions), ..block.flags() });
            blocks.push(Block { instructions: part, ..block.flags() });
            sites.push(Site { set, meet: set + 2, within: super::Within::All });
            block.instructions = rest;
        }
        blocks.push(block);
    }
    code.blocks = blocks;
    code.retarget(|block| starts[block]);
    sites
}

/// What separates the threads that execute an instruction, if its values differ.
fn splitter(instruction: &Instruction) -> Option<Resource> {
    let register = instruction.operands.first().and_then(Operand::as_register)?;
    match instruction.opcode {
        Opcode::Warpsync if instruction.has(Modifier::Exclusive) => Some(Resource::Registers(register, 1)),
        Opcode::Call => Some(Resource::Registers(register, 2)),
        _ => None,
    }
}

/// How many instructions from the first on belong together: a call alone, and what is behind `WARPSYNC` up to the vote.
fn length(part: &[Instruction]) -> usize {
    if part[0].opcode == Opcode::Call {
        return 1;
    }
    let votes = |it: &Instruction| matches!(it.opcode, Opcode::Vote | Opcode::Match);
    part.iter().position(votes).map_or(part.len(), |at| at + 1)
}
