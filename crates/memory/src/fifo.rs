//! What waits in order of arrival, side by side: the first is looked at often, and all of them at times.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;

/// A queue that is used at all has room for so many.
const FIRST_ROOM: usize = 32;

/// A queue. Those that have left make room when more come than there is room for, or when none is left.
#[derive(Clone, Debug)]
pub(crate) struct Fifo<T> {
    items: Vec<T>,
    /// So many have left.
    left: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Fifo<T> {
        Fifo { items: Vec::new(), left: 0 }
    }
}

impl<T: Copy> Fifo<T> {
    /// The first one.
    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        self.items.get(self.left)
    }

    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The first one leaves.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        let first = *self.first()?;
        self.pop_for_next();
        Some(first)
    }

    /// The first one leaves; the one after it.
    #[inline]
    pub(crate) fn pop_for_next(&mut self) -> Option<&T> {
        self.left += 1;
        if self.left >= self.items.len() {
            self.items.clear();
            self.left = 0;
        }
        self.items.get(self.left)
    }

    /// One comes last.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        self.items.push(item);
    }

    /// Those that have left give their room to others, where they are many enough to be worth it.
    #[cold]
    fn make_room(&mut self) {
        if self.left > self.items.len() / 2 {
            self.items.drain(..self.left);
            self.left = 0;
        } else {
            self.items.reserve(self.items.len().max(FIRST_ROOM));
        }
    }
}

/// Those that wait, the first one first.
impl<T> Deref for Fifo<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.items.get(self.left..).unwrap_or(&[])
    }
}

/// What has left is not stored, so that equal queues are equal bytes.
impl<T: Serialize> Serialize for Fifo<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Fifo<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fifo<T>, D::Error> {
        Ok(Fifo { items: Vec::deserialize(deserializer)?, left: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::Fifo;
    use std::collections::VecDeque;

    #[test]
    fn things_leave_in_the_order_in_which_they_came() {
        let (mut fifo, mut expected) = (Fifo::default(), VecDeque::new());
        for step in 0..10_000u32 {
            if step * step % 7 < 3 || step % 1000 > 900 {
                assert_eq!(fifo.pop(), expected.pop_front());
            } else {
                fifo.push(step);
                expected.push_back(step);
            }
            assert_eq!(*fifo, *expected.make_contiguous());
        }
    }

    #[test]
    fn equal_queues_are_equal_bytes_whatever_has_left() {
        let (mut one, mut other) = (Fifo::default(), Fifo::default());
        (0..5).for_each(|item| one.push(item));
        (0..3).for_each(|_| _ = one.pop());
        [3, 4].into_iter().for_each(|item| other.push(item));
        assert_eq!(postcard::to_allocvec(&one).unwrap(), postcard::to_allocvec(&other).unwrap());
    }
}
