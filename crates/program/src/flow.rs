//! The control-flow graph of a kernel, and who post-dominates whom.

use crate::instruction::Instruction;
use crate::opcode::Opcode;
use std::ops::Range;

/// A basic block: instructions that execute one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// The instructions, as indices into the kernel.
    pub range: Range<u32>,
    /// The blocks that may follow, the one that falls through first.
    pub successors: Vec<usize>,
    /// The blocks that may come before.
    pub predecessors: Vec<usize>,
}

/// The blocks of a kernel in program order; block 0 is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowGraph {
    /// The blocks.
    pub blocks: Vec<BasicBlock>,
}

impl FlowGraph {
    /// The graph of a kernel's code. Calls are taken to return; indirect branches may go to any branch target.
    #[must_use]
    pub fn new(instructions: &[Instruction]) -> FlowGraph {
        let starts = block_starts(instructions);
        let end = u32::try_from(instructions.len()).unwrap_or(u32::MAX);
        let mut blocks: Vec<BasicBlock> = starts
            .iter()
            .enumerate()
            .map(|(index, &start)| BasicBlock {
                range: start..starts.get(index + 1).copied().unwrap_or(end),
                successors: Vec::new(),
                predecessors: Vec::new(),
            })
            .collect();
        for index in 0..blocks.len() {
            let successors = successors(instructions, &starts, &blocks[index].range);
            for &next in &successors {
                blocks[next].predecessors.push(index);
            }
            blocks[index].successors = successors;
        }
        FlowGraph { blocks }
    }

    /// The block that holds an instruction.
    #[must_use]
    pub fn block_of(&self, instruction: u32) -> usize {
        self.blocks.partition_point(|block| block.range.start <= instruction).saturating_sub(1)
    }

    /// The immediate post-dominator of every block: the first block that every path from it to the end passes;
    /// `None` where paths meet only at the end.
    #[must_use]
    pub fn immediate_post_dominators(&self) -> Vec<Option<usize>> {
        let exit = self.blocks.len();
        let successors = |block: usize| -> Vec<usize> {
            if self.blocks[block].successors.is_empty() {
                vec![exit]
            } else {
                self.blocks[block].successors.clone()
            }
        };
        let predecessors: Vec<Vec<usize>> = {
            let mut lists = vec![Vec::new(); exit + 1];
            for block in 0..exit {
                for next in successors(block) {
                    lists[next].push(block);
                }
            }
            lists
        };
        let parents = immediate_dominators(exit + 1, exit, &predecessors, |block| {
            if block == exit { Vec::new() } else { successors(block) }
        });
        (0..exit).map(|block| parents[block].filter(|&parent| parent != exit)).collect()
    }

    /// The immediate dominator of every block: the last block that every path from the entry to it passes.
    #[must_use]
    pub fn immediate_dominators(&self) -> Vec<Option<usize>> {
        let successors: Vec<Vec<usize>> = self.blocks.iter().map(|block| block.successors.clone()).collect();
        let mut parents = immediate_dominators(self.blocks.len(), 0, &successors, |block| {
            self.blocks[block].predecessors.clone()
        });
        if let Some(entry) = parents.first_mut() {
            *entry = None;
        }
        parents
    }
}

/// Immediate dominators by Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"), from `root` along
/// `forward` edges. The root is its own parent; blocks that are not reached have none.
fn immediate_dominators(
    count: usize,
    root: usize,
    forward: &[Vec<usize>],
    backward: impl Fn(usize) -> Vec<usize>,
) -> Vec<Option<usize>> {
    let order = post_order(count, root, forward);
    let mut number = vec![usize::MAX; count];
    for (index, &block) in order.iter().enumerate() {
        number[block] = index;
    }
    let mut parents = vec![None; count];
    if count == 0 {
        return parents;
    }
    parents[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|&&block| block != root) {
            let mut parent = None;
            for before in backward(block).into_iter().filter(|&before| parents[before].is_some()) {
                parent = Some(parent.map_or(before, |other| meet(&parents, &number, before, other)));
            }
            if parent.is_some() && parents[block] != parent {
                parents[block] = parent;
                changed = true;
            }
        }
    }
    parents
}

/// The nearest common ancestor of two blocks in the dominator tree.
fn meet(parents: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = parents[a].unwrap_or(b);
        }
        while number[b] < number[a] {
            b = parents[b].unwrap_or(a);
        }
    }
    a
}

fn post_order(count: usize, root: usize, forward: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    if count == 0 {
        return order;
    }
    let mut seen = vec![false; count];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, next)) = stack.pop() {
        match forward[block].get(next) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if !seen[successor] {
                    seen[successor] = true;
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}

fn block_starts(instructions: &[Instruction]) -> Vec<u32> {
    let mut starts: Vec<u32> = (0..)
        .zip(instructions)
        .flat_map(|(index, instruction)| {
            let next = ends_block(instruction).then_some(index + 1);
            [instruction.target(), next]
        })
        .flatten()
        .chain([0])
        .filter(|&start| (start as usize) < instructions.len())
        .collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn ends_block(instruction: &Instruction) -> bool {
    instruction.opcode.changes_flow()
        && instruction.opcode != Opcode::Bsync
        && instruction.opcode != Opcode::Warpsync
}

fn successors(instructions: &[Instruction], starts: &[u32], range: &Range<u32>) -> Vec<usize> {
    let Some(last) = range.end.checked_sub(1).and_then(|last| instructions.get(last as usize)) else {
        return Vec::new();
    };
    let index_of = |instruction: u32| starts.partition_point(|&start| start <= instruction).checked_sub(1);
    let mut next = Vec::new();
    if last.falls_through() && (range.end as usize) < instructions.len() {
        next.extend(index_of(range.end));
    }
    match last.opcode {
        Opcode::Bra | Opcode::Jmp => next.extend(last.target().and_then(index_of)),
        Opcode::Brx | Opcode::Brxu | Opcode::Jmx => {
            next.extend((0..starts.len()).filter(|&block| block != 0));
        }
        _ => {}
    }
    next.dedup();
    next
}

#[cfg(test)]
mod tests {
    use super::FlowGraph;
    use crate::listing::read;
    use warplab_diagnostics::Source;

    fn graph(code: &str) -> FlowGraph {
        let (program, faults) = read(&Source::new("t", format!(".kernel k\n{code}")));
        assert_eq!(faults, []);
        FlowGraph::new(&program.kernels[0].instructions)
    }

    const DIAMOND: &str = "@P0 BRA 0x30\nMOV R0, R1\nBRA 0x40\nMOV R0, R2\nEXIT\n";

    #[test]
    fn a_diamond_meets_at_its_join() {
        let graph = graph(DIAMOND);
        assert_eq!(graph.blocks.len(), 4);
        assert_eq!(graph.blocks[0].successors, [1, 2]);
        assert_eq!(graph.immediate_post_dominators(), [Some(3), Some(3), Some(3), None]);
        assert_eq!(graph.immediate_dominators(), [None, Some(0), Some(0), Some(0)]);
    }

    #[test]
    fn a_loop_is_post_dominated_by_what_follows_it() {
        let graph = graph("MOV R0, RZ\nIADD3 R0, R0, 0x1, RZ\n@P0 BRA 0x10\nEXIT\n");
        assert_eq!(graph.blocks[1].successors, [2, 1]);
        assert_eq!(graph.immediate_post_dominators(), [Some(1), Some(2), None]);
    }

    #[test]
    fn two_exits_meet_nowhere() {
        let graph = graph("@P0 BRA 0x20\nEXIT\nEXIT\n");
        assert_eq!(graph.immediate_post_dominators(), [None, None, None]);
    }
}
