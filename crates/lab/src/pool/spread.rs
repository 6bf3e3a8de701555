//! The order of items by their cost, and parts of about the same cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The items by number, the most expensive first; equal ones stay in order.
pub(super) fn expensive_first(costs: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&index| Reverse(costs[index]));
    order
}

/// Spreads items over at most so many parts of about the same cost; in each part by number. No part is empty.
#[must_use]
pub fn spread(costs: &[u64], parts: usize) -> Vec<Vec<usize>> {
    let mut lightest: BinaryHeap<Reverse<(u64, usize)>> =
        (0..parts.min(costs.len())).map(|part| Reverse((0, part))).collect();
    let mut spread = vec![Vec::new(); lightest.len()];
    for index in expensive_first(costs) {
        let Some(Reverse((cost, part))) = lightest.pop() else { break };
        spread[part].push(index);
        // An item that costs nothing takes a place all the same.
        lightest.push(Reverse((cost.saturating_add(costs[index].max(1)), part)));
    }
    spread.iter_mut().for_each(|part| part.sort_unstable());
    spread
}

#[cfg(test)]
mod tests {
    use super::{expensive_first, spread};

    #[test]
    fn the_most_expensive_item_is_the_first() {
        assert_eq!(expensive_first(&[1, 3, 2, 3]), [1, 3, 2, 0]);
    }

    #[test]
    fn parts_have_about_the_same_cost() {
        assert_eq!(spread(&[8, 1, 1, 5, 4, 3], 3), [vec![0], vec![1, 2, 3], vec![4, 5]]);
    }

    #[test]
    fn there_are_no_more_parts_than_items() {
        assert_eq!(spread(&[0, 0], 5), [[0], [1]]);
    }
}
