//! What is off the usual path stands behind the rest of the code, so that the usual path stays short for whoever fetches it: ptxas has
//! such sequences in functions of their own behind a kernel.

use crate::code::{Block, Code, number};
use warplab_program::{Instruction, Opcode, Operand, Origin};

/// Moves runs of cold blocks behind the last block; where they stood a branch leads there.
pub(crate) fn behind(code: &mut Code) {
    let count = code.blocks.len();
    if !code.blocks.iter().any(|block| block.cold) {
        return;
    }
    let falls = |block: &Block| block.instructions.last().is_none_or(Instruction::falls_through);
    // Each block by its old number, and blocks with one branch to an old number.
    let mut usual: Vec<Place> = Vec::with_capacity(count);
    let mut moved: Vec<Place> = Vec::new();
    let mut block = 0;
    while block < count {
        if !code.blocks[block].cold {
            usual.push(Place::Old(block));
            block += 1;
            continue;
        }
        let end = (block..count).find(|&it| !code.blocks[it].cold).unwrap_or(count);
        if block > 0 && falls(&code.blocks[block - 1]) {
            usual.push(Place::BranchTo(block));
        }
        moved.extend((block..end).map(Place::Old));
        if end < count && falls(&code.blocks[end - 1]) {
            moved.push(Place::BranchTo(end));
        }
        block = end;
    }
    let last = usual.last();
    if last.is_some_and(|it| matches!(*it, Place::Old(block) if falls(&code.blocks[block]))) {
        usual.push(Place::Exit);
    }
    let mut places = vec![0; count];
    let order: Vec<Place> = usual.into_iter().chain(moved).collect();
    for (new, place) in order.iter().enumerate() {
        if let Place::Old(old) = *place {
            places[old] = new;
        }
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut code.blocks).into_iter().map(Some).collect();
    let origins: Vec<Origin> = old
        .iter()
        .flatten()
        .map(|it| it.instructions.first().map(|it| it.origin).unwrap_or_default())
        .collect();
    let alone = |opcode, operands: &[Operand], origin| {
        let instruction = Instruction::new(opcode, [], operands.iter().copied()).with_origin(origin);
        Block { instructions: vec![instruction], ..Block::default() }
    };
    code.blocks = order
        .into_iter()
        .map(|place| match place {
            Place::Old(block) => old[block].take().unwrap_or_default(),
            Place::BranchTo(block) => alone(Opcode::Bra, &[Operand::Target(number(block))], origins[block]),
            Place::Exit => alone(Opcode::Exit, &[], Origin::default()),
        })
        .collect();
    code.retarget(|block| places.get(block).copied().unwrap_or(block));
}

/// What stands at a place of the new order.
#[derive(Clone, Copy, Debug)]
enum Place {
    Old(usize),
    BranchTo(usize),
    Exit,
}
