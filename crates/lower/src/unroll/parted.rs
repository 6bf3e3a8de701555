//! Loops at which some lanes of a warp are elsewhere, as ptxas sees it when it decides whether to unroll. Found by compiling loops in
//! every kind of `if` and loop.

use super::counter::Counter;
use crate::code::{Code, branch_target};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use crate::predicate;
use warplab_program::{Instruction, Opcode};

/// What is known of the branches of a kernel.
pub(super) struct Parted {
    code: Code,
    graph: Graph,
    /// For every block whether it ends with a branch that may part the lanes.
    parts: Vec<bool>,
}

impl Parted {
    pub(super) fn new(code: &Code) -> Parted {
        // Lanes that go to the end do not wait for others.
        let mut code = code.clone();
        predicate::guard_exits(&mut code);
        let graph = Graph::new(&code);
        let diverges = divergent_branches(&code, &graph);
        let branches =
            |block: usize| code.blocks[block].instructions.last().and_then(branch_target).is_some();
        let parts = (0..code.blocks.len()).map(|block| diverges[block] && branches(block)).collect();
        Parted { code, graph, parts }
    }

    /// Whether the lanes of a loop of one block leave it in different iterations, or some of them skip it by a branch behind which the
    /// counter is not set. Branches outside the loop around it do not count, nor those that leave that loop, nor those in front of a
    /// barrier of the thread block.
    pub(super) fn is_parted(&self, block: usize, counter: &Counter) -> bool {
        if self.parts[block] {
            return true;
        }
        let begins = |it: &Instruction| it.opcode == Opcode::Bar || counter.is_set_by(it);
        let above = std::iter::successors(self.graph.dominator[block], |&it| self.graph.dominator[it]);
        for above in above.take_while(|&it| self.is_inside(block, it)) {
            if self.surrounds(above, block) {
                return true;
            }
            if self.code.blocks[above].instructions.iter().any(begins) {
                return false;
            }
        }
        false
    }

    /// Whether a block is in the loop around a loop, if there is one.
    fn is_inside(&self, block: usize, other: usize) -> bool {
        let around = self.graph.loop_of[block].and_then(|it| self.graph.loops[it].around);
        around.is_none_or(|it| self.graph.in_loop(it, other))
    }

    /// Whether a branch parts the lanes at a block.
    fn surrounds(&self, branch: usize, block: usize) -> bool {
        let meet = self.graph.post_dominator[branch];
        self.parts[branch]
            && self.graph.successors[branch].iter().all(|&it| self.is_inside(block, it))
            && meet.is_some_and(|it| !self.graph.dominates(it, block))
    }
}
