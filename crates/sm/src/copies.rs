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

/// All copies up to one, and what happens when they have ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Group {
    through: u32,
    then: Then,
}

/// What happens when all copies up to one have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Then {
    /// A wait counter goes down.
    Release(u8),
    /// So many lanes arrive at a barrier in shared memory, or a byte of each has come.
    Arrive { address: u32, lanes: u8, bytes: bool },
}

impl Copies {
    /// A copy begins.
    pub(crate) fn begin(&mut self) {
        self.begun += 1;
    }

    /// All copies so far are a group, after which something happens; not if all of them have ended.
    pub(crate) fn commit(&mut self, then: Then) -> bool {
        let waits = self.ended < self.begun;
        if waits {
            self.groups.push_back(Group { through: self.begun, then });
        }
        waits
    }

    /// A copy ends; gives what happens for each group that has ended with it.
    pub(crate) fn end(&mut self) -> impl Iterator<Item = Then> + '_ {
        self.ended += 1;
        let ended = self.ended;
        std::iter::from_fn(move || self.groups.pop_front_if(|group| group.through <= ended))
            .map(|group| group.then)
    }
}

#[cfg(test)]
mod tests {
    use super::{Copies, Then};

    #[test]
    fn a_group_ends_with_the_last_copy_before_it() {
        let mut copies = Copies::default();
        assert!(!copies.commit(Then::Release(0)), "nothing to wait for");
        copies.begin();
        copies.begin();
        assert!(copies.commit(Then::Release(0)));
        copies.begin();
        assert!(copies.commit(Then::Release(1)));
        assert_eq!(copies.end().count(), 0);
        assert_eq!(copies.end().collect::<Vec<_>>(), [Then::Release(0)]);
        assert_eq!(copies.end().collect::<Vec<_>>(), [Then::Release(1)]);
        assert!(!copies.commit(Then::Release(0)));
    }

    #[test]
    fn groups_of_the_same_copies_end_together() {
        let mut copies = Copies::default();
        copies.begin();
        assert!(copies.commit(Then::Release(0)) && copies.commit(Then::Release(0)));
        assert_eq!(copies.end().collect::<Vec<_>>(), [Then::Release(0), Then::Release(0)]);
    }
}
