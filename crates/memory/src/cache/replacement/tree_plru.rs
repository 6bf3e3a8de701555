//! Tree pseudo-LRU: a binary tree over the ways; each node points to the half that was not used last.

use super::Policy;
use crate::cache::CacheShape;
use serde::{Deserialize, Serialize};

/// The nodes of each set's tree: the root is node 1, the children of node n are 2n and 2n + 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TreePlru {
    ways: usize,
    /// Leaves of a tree: the ways, rounded up to a power of two.
    leaves: usize,
    /// Whether a node points to its upper half.
    upper: Vec<bool>,
}

impl TreePlru {
    /// Whether a line below a node may go.
    fn any_below(&self, node: usize, may_go: &impl Fn(usize) -> bool) -> bool {
        let depth = self.leaves.ilog2() - node.ilog2();
        let first = (node << depth) - self.leaves;
        (first..first + (1 << depth)).any(|way| way < self.ways && may_go(way))
    }
}

impl Policy for TreePlru {
    fn new(shape: CacheShape) -> TreePlru {
        let leaves = shape.ways.next_power_of_two();
        TreePlru { ways: shape.ways, leaves, upper: vec![false; shape.sets * leaves] }
    }

    fn hit(&mut self, set: usize, way: usize) {
        let tree = &mut self.upper[set * self.leaves..][..self.leaves];
        let mut child = self.leaves + way;
        while child > 1 {
            tree[child / 2] = child.is_multiple_of(2);
            child /= 2;
        }
    }

    fn insert(&mut self, set: usize, way: usize) {
        self.hit(set, way);
    }

    fn victim(&mut self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        if !self.any_below(1, &may_go) {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            let pointed = 2 * node + usize::from(self.upper[set * self.leaves + node]);
            node = if self.any_below(pointed, &may_go) { pointed } else { pointed ^ 1 };
        }
        Some(node - self.leaves)
    }
}
