//! Threads that stay in a loop which others leave: they meet before its iteration ends.

use super::{Regions, Site, Within};
use crate::code::{Code, branch_target};
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::Opcode;

/// How a block leaves the region of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// By the branch at its end.
    Branch,
    /// Where that branch is not taken.
    Fall,
    /// In any case.
    Always,
}

/// Where branches meet in the loops that they are in.
pub(super) struct Iterations<'a> {
    code: &'a Code,
    graph: &'a Graph,
    /// Of loops that have been asked for, the next block that all paths pass.
    post: FxHashMap<usize, Vec<Option<usize>>>,
}

impl<'a> Iterations<'a> {
    pub(super) fn new(code: &'a Code, graph: &'a Graph) -> Iterations<'a> {
        Iterations { code, graph, post: FxHashMap::default() }
    }

    /// Whether all threads of a block that stay in its loop come to another block of it before the iteration ends; always where
    /// that is outside.
    pub(super) fn passes(&mut self, block: usize, meet: usize) -> bool {
        let graph = self.graph;
        let Some(it) = graph.loop_of[block].filter(|&it| graph.in_loop(it, meet)) else { return true };
        let post = self.post.entry(it).or_insert_with(|| graph.post_dominators_in(it));
        std::iter::successors(post[block], |&next| post[next]).any(|next| next == meet)
    }

    /// The barrier of a branch that nothing in its loop post-dominates, as others leave that. Nobody meets in a loop in which
    /// threads wait for what others do.
    pub(super) fn site(
        &mut self,
        regions: &mut Regions<'_>,
        branch: usize,
        waiting: &[bool],
    ) -> Option<Site> {
        let graph = self.graph;
        let around = std::iter::successors(graph.loop_of[branch], |&it| graph.loops[it].around);
        for it in around {
            let is_met = |meet: usize| graph.in_loop(it, meet) && self.passes(branch, meet);
            if graph.post_dominator[branch].is_some_and(is_met) || waiting[it] {
                return None;
            }
            let post = self.post.entry(it).or_insert_with(|| graph.post_dominators_in(it));
            let Some(meet) = post[branch] else { continue };
            let passes = |block: usize| {
                std::iter::successors(post[block], |&next| post[next]).any(|next| next == meet)
            };
            let Some(site) = super::site_of(graph, regions, branch, (meet, Within::Loop(it)), passes) else {
                continue;
            };
            regions.mark(site);
            let coming = graph.predecessors[meet].iter().filter(|&&block| regions.inside.contains(block));
            if coming.count() > 1 && leaves(self.code, graph, regions) {
                return Some(site);
            }
        }
        None
    }
}

/// Whether threads leave the region last asked for, all of them by branches or by falling, and none from where the barrier is set.
pub(super) fn leaves(code: &Code, graph: &Graph, regions: &Regions<'_>) -> bool {
    let exits = exits(graph, regions);
    let is_plain = |&(block, _): &(usize, Exit)| {
        let last = code.blocks[block].instructions.last();
        regions.site.is_some_and(|site| site.set != block)
            && last.is_none_or(|it| {
                it.opcode == Opcode::Bra && it.operands.len() == 1 || !it.opcode.changes_flow()
            })
            && (last.and_then(branch_target).is_some() || graph.successors[block].len() == 1)
    };
    !exits.is_empty() && exits.iter().all(is_plain)
}

/// The blocks by which threads leave the region last asked for, and how.
pub(super) fn exits(graph: &Graph, regions: &Regions<'_>) -> Vec<(usize, Exit)> {
    let Some(Site { meet, within, .. }) = regions.site else { return Vec::new() };
    let goes_out = |next: usize| match within {
        Within::All => false,
        Within::Loop(it) => next != meet && !graph.in_loop(it, next),
        Within::Ways => next != meet && !regions.coming.contains(next),
    };
    let exit = |&block: &usize| {
        let successors = &graph.successors[block];
        let out = successors.iter().copied().filter(|&next| goes_out(next));
        let exit = match (out.clone().count(), successors.len()) {
            (0, _) => return None,
            (out, all) if out == all => Exit::Always,
            _ if out.clone().any(|next| next == block + 1) => Exit::Fall,
            _ => Exit::Branch,
        };
        Some((block, exit))
    };
    regions.blocks.iter().filter_map(exit).collect()
}
