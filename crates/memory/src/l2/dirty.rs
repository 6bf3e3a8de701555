//! Lines of a slice that must be written back: only so many may be.

use crate::cache::LineIndex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use warplab_units::Address;

/// So many lines that are not dirty any more are kept in the order in any case.
const FEW: usize = 64;

/// A dirty line and its place in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DirtyLine {
    pub(crate) line: Address,
    pub(crate) index: LineIndex,
}

/// The dirty lines of one slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DirtyLines {
    count: usize,
    /// In the order in which they were first written; some have gone or are clean again.
    order: VecDeque<DirtyLine>,
}

impl DirtyLines {
    /// A line that was clean is written.
    pub(crate) fn add(&mut self, line: DirtyLine) {
        self.count += 1;
        self.order.push_back(line);
    }

    /// The oldest that was taken out has its turn later.
    pub(crate) fn put_back(&mut self, line: DirtyLine) {
        self.order.push_back(line);
    }

    /// A line that was dirty has gone or is clean again. `is_dirty` says of each line in the order whether it still is.
    pub(crate) fn remove(&mut self, is_dirty: impl Fn(DirtyLine) -> bool) {
        self.count -= 1;
        // So that those that have gone never outnumber the others.
        if self.order.len() > 2 * self.count + FEW {
            let mut kept = BTreeSet::new();
            self.order.retain(|&line| is_dirty(line) && kept.insert(line.line));
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Takes the oldest of those that are still dirty out of the order while there are more than `most`.
    pub(crate) fn take_oldest(
        &mut self,
        most: usize,
        is_dirty: impl Fn(DirtyLine) -> bool,
    ) -> Option<DirtyLine> {
        while self.count > most {
            let oldest = self.order.pop_front()?;
            if is_dirty(oldest) {
                return Some(oldest);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{DirtyLine, DirtyLines};
    use crate::cache::LineIndex;
    use warplab_units::Address;

    fn line(number: u64) -> DirtyLine {
        DirtyLine { line: Address(number * 128), index: LineIndex::default() }
    }

    #[test]
    fn the_oldest_of_too_many_lines_goes() {
        let mut lines = DirtyLines::default();
        (0..3).for_each(|number| lines.add(line(number)));
        assert_eq!(lines.take_oldest(2, |_| true), Some(line(0)));
        lines.remove(|_| true);
        assert_eq!(lines.take_oldest(2, |_| true), None);
    }

    #[test]
    fn a_line_that_is_clean_again_is_passed_over() {
        let mut lines = DirtyLines::default();
        (0..3).for_each(|number| lines.add(line(number)));
        assert_eq!(lines.take_oldest(2, |dirty| dirty != line(0)), Some(line(1)));
    }

    #[test]
    fn lines_that_have_gone_take_no_room() {
        let mut lines = DirtyLines::default();
        lines.add(line(0));
        for number in 1..10_000 {
            lines.add(line(number));
            lines.remove(|dirty| dirty == line(0));
        }
        assert!(lines.order.len() <= 67, "{}", lines.order.len());
    }

    #[test]
    fn a_line_that_is_written_again_and_again_stands_in_the_order_once() {
        let mut lines = DirtyLines::default();
        lines.add(line(0));
        for _ in 1..10_000 {
            lines.add(line(1));
            lines.remove(|_| true);
        }
        assert!(lines.order.len() <= 67, "{}", lines.order.len());
    }
}
