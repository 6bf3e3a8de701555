//! The flow graph of the blocks: dominators, post-dominators, loops.

use crate::code::Code;

/// The graph with what is derived from it.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each block that is reached.
    pub(crate) dominator: Vec<Option<usize>>,
    /// The immediate post-dominator; none where paths meet only at the end.
    pub(crate) post_dominator: Vec<Option<usize>>,
    depth: Vec<u32>,
    /// The innermost loop of each block, by its header.
    pub(crate) loop_of: Vec<Option<usize>>,
    /// For each loop header: the blocks of the loop.
    pub(crate) loops: Vec<(usize, Vec<usize>)>,
}

impl Graph {
    pub(crate) fn new(code: &Code) -> Graph {
        let count = code.blocks.len();
        let successors: Vec<Vec<usize>> = (0..count).map(|block| code.successors(block)).collect();
        let predecessors = code.predecessors();
        let dominator = immediate_dominators(count, 0, &successors, &predecessors);
        let exit = count;
        let mut backward = predecessors.clone();
        backward.push(Vec::new());
        let mut forward = successors.clone();
        forward.push(Vec::new());
        for block in 0..count {
            if successors[block].is_empty() {
                backward[exit].push(block);
                forward[block].push(exit);
            }
        }
        let post = immediate_dominators(count + 1, exit, &backward, &forward);
        let post_dominator = (0..count).map(|block| post[block].filter(|&it| it != exit)).collect();
        let mut graph = Graph {
            successors,
            predecessors,
            dominator,
            post_dominator,
            depth: vec![0; count],
            loop_of: vec![None; count],
            loops: Vec::new(),
        };
        for block in 0..count {
            let (mut at, mut depth) = (block, 0);
            while let Some(parent) = graph.dominator[at] {
                depth += 1;
                at = parent;
            }
            graph.depth[block] = depth;
        }
        graph.find_loops();
        graph
    }

    /// Whether every path from the entry to `b` passes `a`.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        let mut at = b;
        loop {
            if at == a {
                return true;
            }
            match self.dominator[at] {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }

    /// Whether every path from `b` to the end passes `a`.
    pub(crate) fn post_dominates(&self, a: usize, b: usize) -> bool {
        let mut at = b;
        loop {
            if at == a {
                return true;
            }
            match self.post_dominator[at] {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }

    /// The last block that dominates both.
    pub(crate) fn common_dominator(&self, a: usize, b: usize) -> usize {
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depth[a] >= self.depth[b] {
                a = self.dominator[a].unwrap_or(0);
            } else {
                b = self.dominator[b].unwrap_or(0);
            }
        }
        a
    }

    /// The blocks, dominators first.
    pub(crate) fn dominance_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.depth.len()).collect();
        order.sort_by_key(|&block| (self.depth[block], block));
        order
    }

    fn find_loops(&mut self) {
        let count = self.successors.len();
        let mut headers: Vec<usize> = Vec::new();
        for block in 0..count {
            for &next in &self.successors[block] {
                if self.dominates(next, block) && !headers.contains(&next) {
                    headers.push(next);
                }
            }
        }
        for header in headers {
            let mut inside = vec![false; count];
            inside[header] = true;
            let mut pending: Vec<usize> = self.predecessors[header]
                .iter()
                .copied()
                .filter(|&latch| self.dominates(header, latch))
                .collect();
            while let Some(block) = pending.pop() {
                if !std::mem::replace(&mut inside[block], true) {
                    pending.extend(&self.predecessors[block]);
                }
            }
            let blocks: Vec<usize> = (0..count).filter(|&block| inside[block]).collect();
            self.loops.push((header, blocks));
        }
        // Larger loops first, so that the innermost is written last.
        self.loops.sort_by_key(|(_, blocks)| std::cmp::Reverse(blocks.len()));
        for (header, blocks) in &self.loops {
            for &block in blocks {
                self.loop_of[block] = Some(*header);
            }
        }
    }

    /// How many loops a block is in.
    pub(crate) fn loop_depth(&self, block: usize) -> usize {
        self.loops.iter().filter(|(_, blocks)| blocks.binary_search(&block).is_ok()).count()
    }

    /// Whether a block is in the loop of a header.
    pub(crate) fn in_loop(&self, header: usize, block: usize) -> bool {
        self.loops.iter().any(|(it, blocks)| *it == header && blocks.binary_search(&block).is_ok())
    }
}

fn immediate_dominators(
    count: usize,
    root: usize,
    forward: &[Vec<usize>],
    backward: &[Vec<usize>],
) -> Vec<Option<usize>> {
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, next)) = stack.pop() {
        match forward[block].get(next) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    let mut number = vec![0; count];
    for (index, &block) in order.iter().enumerate() {
        number[block] = index;
    }
    let mut parents: Vec<Option<usize>> = vec![None; count];
    parents[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|&&block| block != root) {
            let mut parent: Option<usize> = None;
            for &before in backward[block].iter().filter(|&&it| parents[it].is_some()) {
                parent = Some(match parent {
                    None => before,
                    Some(other) => meet(&parents, &number, before, other),
                });
            }
            if parents[block] != parent {
                parents[block] = parent;
                changed = true;
            }
        }
    }
    parents[root] = None;
    parents
}

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
