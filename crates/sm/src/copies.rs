//! Copies from global to shared memory that go on while their warp does, and the groups that it waits for.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Stands for a wait counter of a copy, which has none: the group counts it.
pub(crate) const COPY_COUNTER: u8 = u8::MAX;

/// The copies of a warp. Groups end in their order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Copies {
    begun: u32,
    ended: u32,
    groups: VecDeque<Group>,
}

/// All copies up to one, and the wait counter that goes down when they have ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Group {
    through: u32,
    counter: u8,
}

impl Copies {
    /// A copy begins.
    pub(crate) fn begin(&mut self) {
        self.begun += 1;
    }

    /// All copies so far are a group that a counter counts; whether it waits for any.
    pub(crate) fn commit(&mut self, counter: u8) -> bool {
        let waits = self.ended < self.begun;
        if waits {
            self.groups.push_back(Group { through: self.begun, counter });
        }
        waits
    }

    /// A copy ends; gives the counter of each group that has ended with it.
    pub(crate) fn end(&mut self) -> impl Iterator<Item = u8> + '_ {
        self.ended += 1;
        let ended = self.ended;
        std::iter::from_fn(move || self.groups.pop_front_if(|group| group.through <= ended))
            .map(|group| group.counter)
    }
}

#[cfg(test)]
mod tests {
    use super::Copies;

    #[test]
    fn a_group_ends_with_the_last_copy_before_it() {
        let mut copies = Copies::default();
        assert!(!copies.commit(0), "nothing to wait for");
        copies.begin();
        copies.begin();
        assert!(copies.commit(0));
        copies.begin();
        assert!(copies.commit(1));
        assert_eq!(copies.end().count(), 0);
        assert_eq!(copies.end().collect::<Vec<_>>(), [0]);
        assert_eq!(copies.end().collect::<Vec<_>>(), [1]);
        assert!(!copies.commit(0));
    }

    #[test]
    fn groups_of_the_same_copies_end_together() {
        let mut copies = Copies::default();
        copies.begin();
        assert!(copies.commit(0) && copies.commit(0));
        assert_eq!(copies.end().collect::<Vec<_>>(), [0, 0]);
    }
}
