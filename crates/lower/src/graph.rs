//! The flow graph of the blocks: dominators, post-dominators, loops. Everything is found in nearly linear time, and
//! what is asked about two blocks is answered at once.

use crate::code::Code;
use warplab_program::Opcode;

/// The graph with what is derived from it.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each block that is reached.
    pub(crate) dominator: Vec<Option<usize>>,
    /// The immediate post-dominator; none where paths meet only at the end.
    pub(crate) post_dominator: Vec<Option<usize>>,
    dominators: Forest,
    post_dominators: Forest,
    /// The loops, larger ones first.
    pub(crate) loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub(crate) loop_of: Vec<Option<usize>>,
    nests: Forest,
}

/// The blocks where paths end: those that nothing follows, and of a loop that none of these can be reached from the last one
/// that lanes end inside of, or the last.
fn ends(code: &Code, successors: &[Vec<usize>], predecessors: &[Vec<usize>]) -> Vec<usize> {
    let count = successors.len();
    let mut ends: Vec<usize> = (0..count).filter(|&block| successors[block].is_empty()).collect();
    let mut reaches = vec![false; count];
    let mut work = ends.clone();
    loop {
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut reaches[block], true) {
                work.extend(&predecessors[block]);
            }
        }
        let leaves =
            |block: usize| code.blocks[block].instructions.iter().any(|it| it.opcode == Opcode::Exit);
        let Some(end) = (0..count).filter(|&it| !reaches[it]).max_by_key(|&it| (leaves(it), it)) else {
            return ends;
        };
        ends.push(end);
        work.push(end);
    }
}

/// A natural loop: all that lies between a block and the branches back to it.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The block that it is entered by.
    pub(crate) header: usize,
    /// The smallest loop around it.
    pub(crate) around: Option<usize>,
    /// How many blocks it has, those of the loops inside it too.
    size: usize,
}

impl Graph {
    pub(crate) fn new(code: &Code) -> Graph {
        let count = code.blocks.len();
        let successors: Vec<Vec<usize>> = (0..count).map(|block| code.successors(block)).collect();
        let predecessors = code.predecessors();
        let dominator = immediate_dominators(0, &successors, &predecessors);
        let exit = count;
        let mut backward = predecessors.clone();
        backward.push(Vec::new());
        let mut forward = successors.clone();
        forward.push(Vec::new());
        for block in ends(code, &successors, &predecessors) {
            backward[exit].push(block);
            forward[block].push(exit);
        }
        let post = immediate_dominators(exit, &backward, &forward);
        let post_dominator: Vec<Option<usize>> =
            (0..count).map(|block| post[block].filter(|&it| it != exit)).collect();
        let mut graph = Graph {
            dominators: Forest::new(&dominator),
            post_dominators: Forest::new(&post_dominator),
            nests: Forest::new(&[]),
            successors,
            predecessors,
            dominator,
            post_dominator,
            loops: Vec::new(),
            loop_of: vec![None; count],
        };
        graph.find_loops();
        graph
    }

    /// Whether every path from the entry to `b` passes `a`.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        self.dominators.is_above(a, b)
    }

    /// Whether every path from `b` to the end passes `a`.
    pub(crate) fn post_dominates(&self, a: usize, b: usize) -> bool {
        self.post_dominators.is_above(a, b)
    }

    /// For each block of a loop, the next one that all paths pass which stay in the loop, up to the end of the iteration.
    pub(crate) fn post_dominators_in(&self, it: usize) -> Vec<Option<usize>> {
        let end = self.successors.len();
        let mut forward = vec![Vec::new(); end + 1];
        let mut backward = forward.clone();
        for block in (0..end).filter(|&block| self.in_loop(it, block)) {
            for &next in self.successors[block].iter().filter(|&&next| self.in_loop(it, next)) {
                let next = if next == self.loops[it].header { end } else { next };
                forward[block].push(next);
                backward[next].push(block);
            }
        }
        let post = immediate_dominators(end, &backward, &forward);
        post.into_iter().map(|next| next.filter(|&next| next != end)).collect()
    }

    /// The last block that dominates both.
    pub(crate) fn common_dominator(&self, a: usize, b: usize) -> usize {
        let mut at = a;
        while !self.dominates(at, b) {
            at = self.dominator[at].unwrap_or(0);
            if at == 0 {
                break;
            }
        }
        at
    }

    /// The blocks, dominators first.
    pub(crate) fn dominance_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.successors.len()).collect();
        order.sort_by_key(|&block| (self.dominators.depth[block], block));
        order
    }

    /// Where a block stands on a walk round the tree of dominators: what it dominates has numbers in its range.
    pub(crate) fn dominance_range(&self, block: usize) -> std::ops::Range<usize> {
        self.dominators.first[block]..self.dominators.end[block]
    }

    fn find_loops(&mut self) {
        let mut headers: Vec<usize> = Vec::new();
        let mut is_header = vec![false; self.successors.len()];
        for block in 0..self.successors.len() {
            for &next in &self.successors[block] {
                if self.dominates(next, block) && !std::mem::replace(&mut is_header[next], true) {
                    headers.push(next);
                }
            }
        }
        let loops = self.nest(&headers);
        // Larger loops first; their numbers change with them.
        let mut order: Vec<usize> = (0..loops.len()).collect();
        order.sort_by_key(|&it| std::cmp::Reverse(loops[it].size));
        let mut number = vec![0; loops.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        self.loops = order
            .iter()
            .map(|&old| Loop { around: loops[old].around.map(|it| number[it]), ..loops[old].clone() })
            .collect();
        for it in self.loop_of.iter_mut().flatten() {
            *it = number[*it];
        }
        self.nests = Forest::new(&self.loops.iter().map(|it| it.around).collect::<Vec<_>>());
    }

    /// Finds the blocks of the loops of some headers, from the inside out: a loop that was found is one block for the
    /// loops around it.
    fn nest(&mut self, headers: &[usize]) -> Vec<Loop> {
        let mut loops: Vec<Loop> =
            headers.iter().map(|&header| Loop { header, around: None, size: 0 }).collect();
        let mut outermost: Vec<usize> = (0..loops.len()).collect();
        let mut order: Vec<usize> = (0..loops.len()).collect();
        order.sort_by_key(|&it| std::cmp::Reverse(self.dominators.depth[headers[it]]));
        for it in order {
            let header = headers[it];
            let mut pending: Vec<usize> = self.predecessors[header]
                .iter()
                .copied()
                .filter(|&latch| self.dominates(header, latch))
                .chain([header])
                .collect();
            while let Some(block) = pending.pop() {
                let Some(inner) = self.loop_of[block] else {
                    self.loop_of[block] = Some(it);
                    loops[it].size += 1;
                    if block != header {
                        pending.extend(&self.predecessors[block]);
                    }
                    continue;
                };
                let inner = find(&mut outermost, inner);
                if inner != it {
                    outermost[inner] = it;
                    loops[inner].around = Some(it);
                    loops[it].size += loops[inner].size;
                    pending.extend(&self.predecessors[headers[inner]]);
                }
            }
        }
        loops
    }

    /// How often a block is taken to run: eight times for every loop around it, up to five.
    pub(crate) fn turns(&self, block: usize) -> u64 {
        1 << (3 * self.loop_depth(block).min(5))
    }

    /// How many loops a block is in.
    pub(crate) fn loop_depth(&self, block: usize) -> usize {
        self.loop_of[block].map_or(0, |it| self.nests.depth[it] + 1)
    }

    /// Whether a block is in a loop.
    pub(crate) fn in_loop(&self, it: usize, block: usize) -> bool {
        self.loop_of[block].is_some_and(|inner| self.nests.is_above(it, inner))
    }

    /// The loops that a block is in and another is not, from the inside out.
    pub(crate) fn loops_left(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.loop_of[from], |&it| self.loops[it].around)
            .take_while(move |&it| !self.in_loop(it, to))
    }
}

/// The root of a set, with the way to it shortened.
fn find(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// Trees by the parent of each node, and where each node's descendants stand on a walk round them.
#[derive(Clone, Debug)]
struct Forest {
    depth: Vec<usize>,
    first: Vec<usize>,
    end: Vec<usize>,
}

impl Forest {
    fn new(parents: &[Option<usize>]) -> Forest {
        let count = parents.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(node);
            }
        }
        let mut forest = Forest { depth: vec![0; count], first: vec![0; count], end: vec![0; count] };
        let mut clock = 0;
        for root in (0..count).filter(|&node| parents[node].is_none()) {
            let mut stack = vec![(root, 0)];
            while let Some((node, next)) = stack.pop() {
                if next == 0 {
                    forest.first[node] = clock;
                    forest.depth[node] = stack.len();
                    clock += 1;
                }
                match children[node].get(next) {
                    Some(&child) => stack.extend([(node, next + 1), (child, 0)]),
                    None => forest.end[node] = clock,
                }
            }
        }
        forest
    }

    /// Whether `a` is `b` or above it.
    fn is_above(&self, a: usize, b: usize) -> bool {
        (self.first[a]..self.end[a]).contains(&self.first[b])
    }
}

/// Immediate dominators by semidominators (Georgiadis and Tarjan's "Semi-NCA").
fn immediate_dominators(root: usize, forward: &[Vec<usize>], backward: &[Vec<usize>]) -> Vec<Option<usize>> {
    const NONE: usize = usize::MAX;
    // Nodes are numbered in the order of a depth-first walk; everything below is in these numbers.
    let mut number = vec![NONE; forward.len()];
    let mut nodes: Vec<usize> = Vec::new();
    let mut parent: Vec<usize> = Vec::new();
    let mut stack = vec![(root, 0)];
    while let Some((node, from)) = stack.pop() {
        if number[node] != NONE {
            continue;
        }
        number[node] = nodes.len();
        parent.push(from);
        stack.extend(forward[node].iter().rev().map(|&next| (next, nodes.len())));
        nodes.push(node);
    }
    let count = nodes.len();
    let mut semi: Vec<usize> = (0..count).collect();
    let mut label: Vec<usize> = (0..count).collect();
    let mut ancestor = parent.clone();
    let mut path = Vec::new();
    for at in (1..count).rev() {
        for &before in &backward[nodes[at]] {
            let before = number[before];
            if before == NONE {
                continue;
            }
            // The least semidominator on the way up to what is not yet linked: nodes above `at` are linked.
            let mut up = before;
            if before > at {
                while ancestor[up] > at {
                    path.push(up);
                    up = ancestor[up];
                }
                while let Some(below) = path.pop() {
                    if semi[label[up]] < semi[label[below]] {
                        label[below] = label[up];
                    }
                    ancestor[below] = ancestor[up];
                    up = below;
                }
                up = label[before];
            }
            semi[at] = semi[at].min(semi[up]);
        }
    }
    let mut dominator = parent;
    for at in 1..count {
        while dominator[at] > semi[at] {
            dominator[at] = dominator[dominator[at]];
        }
    }
    let mut result = vec![None; forward.len()];
    for at in 1..count {
        result[nodes[at]] = Some(nodes[dominator[at]]);
    }
    result
}
