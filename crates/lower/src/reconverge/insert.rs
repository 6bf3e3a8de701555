//! Puts blocks between others: all of them are noted first, and the code is laid out anew once.

use super::Site;
use super::iterations::Exit;
use crate::code::{Block, Code, branch_target};
use crate::liveness::Marks;
use crate::select::invert;
use warplab_program::{BarrierRegister, Guard, Instruction, Opcode, Operand};

/// Blocks being added. Old ones keep their numbers until the end, added ones have the numbers after them; branches
/// name blocks by these.
pub(super) struct Insertion<'a> {
    code: &'a mut Code,
    old: usize,
    added: Vec<Block>,
    /// The added blocks in front of each old one, in order.
    before: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl<'a> Insertion<'a> {
    pub(super) fn new(code: &'a mut Code, predecessors: Vec<Vec<usize>>) -> Insertion<'a> {
        let old = code.blocks.len();
        Insertion { code, old, added: Vec::new(), before: vec![Vec::new(); old], predecessors }
    }

    fn block(&mut self, number: usize) -> &mut Block {
        match number.checked_sub(self.old) {
            Some(added) => &mut self.added[added],
            None => &mut self.code.blocks[number],
        }
    }

    fn falls_through(&mut self, number: usize) -> bool {
        self.block(number).instructions.last().is_none_or(Instruction::falls_through)
    }

    /// The block that stands in front of an old one.
    fn above(&self, block: usize) -> Option<usize> {
        self.before[block].last().copied().or_else(|| block.checked_sub(1))
    }

    /// A new block right in front of an old one: what fell into that falls into the new one, branches still go to the
    /// old one.
    fn add(&mut self, block: usize) -> usize {
        let number = self.old + self.added.len();
        self.added.push(Block { cold: self.code.blocks[block].cold, ..Block::default() });
        self.before[block].push(number);
        self.predecessors.push(Vec::new());
        number
    }

    /// Makes the branch at the end of a block go elsewhere.
    fn redirect(&mut self, block: usize, from: usize, to: usize) {
        if let Some(last) = self.block(block).instructions.last_mut()
            && last.opcode == Opcode::Bra
        {
            for operand in last.operands.iter_mut().filter(|it| **it == target(from)) {
                *operand = target(to);
            }
        }
    }

    /// Gives a block another in front, through which some that lead to it come; whether what stands above is one that does not.
    pub(super) fn in_front(&mut self, block: usize, coming: &[usize], passes_above: bool) {
        let above = self.above(block).filter(|&above| passes_above && self.falls_through(above));
        if let Some(above) = above {
            // It must branch round the new block.
            let way_round = Instruction::new(Opcode::Bra, [], [target(block)]);
            let ends = self.block(above).instructions.last().is_some_and(crate::code::ends_block);
            let from = if ends { self.add(block) } else { above };
            self.block(from).instructions.push(way_round);
        }
        let added = self.add(block);
        coming.iter().for_each(|&from| self.redirect(from, block, added));
    }

    /// Whether a block is in the region of a barrier; an added one is if what it follows is.
    fn is_inside(&self, block: usize, region: &Marks) -> bool {
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            if block < self.old && region.contains(block) {
                return true;
            }
            if block >= self.old {
                pending.extend(&self.predecessors[block]);
            }
        }
        false
    }

    /// Sets a barrier and makes its threads meet.
    pub(super) fn barrier(&mut self, site: Site, barrier: BarrierRegister, region: &Marks) {
        let Site { set, meet, .. } = site;
        let (entering, outside): (Vec<usize>, Vec<usize>) =
            self.predecessors[meet].clone().into_iter().partition(|&block| self.is_inside(block, region));
        let above = self.above(meet).filter(|&above| outside.contains(&above) && self.falls_through(above));
        let mut passing = outside.clone();
        if let Some(above) = above {
            // What falls in from outside must not wait here.
            let way_round = Instruction::new(Opcode::Bra, [], [target(meet)]);
            if self.block(above).instructions.last().is_some_and(crate::code::ends_block) {
                // It ends in a conditional branch already: the way round gets a block of its own.
                let extra = self.add(meet);
                self.block(extra).instructions.push(way_round);
                self.predecessors[extra].push(above);
                let branches = self.block(above).instructions.last().and_then(branch_target) == Some(meet);
                passing.retain(|&block| block != above || branches);
                passing.push(extra);
            } else {
                self.block(above).instructions.push(way_round);
            }
        }
        let sync = self.add(meet);
        entering.iter().for_each(|&block| self.redirect(block, meet, sync));
        self.predecessors[sync] = entering;
        passing.push(sync);
        self.predecessors[meet] = passing;
        let last = self.block(set).instructions.last();
        let origin = last.map(|it| it.origin).unwrap_or_default();
        let wait = Instruction::new(Opcode::Bsync, [], [Operand::Barrier(barrier)]).with_origin(origin);
        self.block(sync).instructions.push(wait);
        let begin = Instruction::new(Opcode::Bssy, [], [Operand::Barrier(barrier), target(meet)]);
        let instructions = &mut self.block(set).instructions;
        let at = instructions.iter().position(|it| it.opcode == Opcode::Bra).unwrap_or(instructions.len());
        instructions.insert(at, begin.with_origin(origin));
    }

    /// The threads that leave the region of a barrier from a block no longer belong to it.
    pub(super) fn leave(&mut self, block: usize, barrier: BarrierRegister, exit: Exit) {
        let instructions = &mut self.block(block).instructions;
        let last = instructions.last();
        let branch = instructions.iter().position(|it| it.opcode == Opcode::Bra);
        let guard = match (exit, branch) {
            (Exit::Branch, Some(at)) => instructions[at].guard,
            (Exit::Fall, Some(at)) => invert(instructions[at].guard),
            _ => Guard::ALWAYS,
        };
        let origin = last.map(|it| it.origin).unwrap_or_default();
        let leave = Instruction::new(Opcode::Break, [], [Operand::Barrier(barrier)]).with_origin(origin);
        instructions.insert(branch.unwrap_or(instructions.len()), Instruction { guard, ..leave });
    }

    /// Lays the code out with the added blocks.
    pub(super) fn finish(self) {
        let total = self.old + self.added.len();
        let mut place = vec![0; total];
        let mut blocks = Vec::with_capacity(total);
        let mut added: Vec<Option<Block>> = self.added.into_iter().map(Some).collect();
        for (number, block) in std::mem::take(&mut self.code.blocks).into_iter().enumerate() {
            for &new in &self.before[number] {
                place[new] = blocks.len();
                blocks.extend(added[new - self.old].take());
            }
            place[number] = blocks.len();
            blocks.push(block);
        }
        self.code.blocks = blocks;
        self.code.retarget(|target| place[target]);
    }
}

fn target(block: usize) -> Operand {
    Operand::Target(crate::code::number(block))
}
