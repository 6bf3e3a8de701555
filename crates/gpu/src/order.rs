//! Messages in the order of their moments: most lie in few cycles, so that sorting is counting.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_units::Cycle;

/// Fewer messages are compared with each other.
const FEW: usize = 24;

/// In more cycles for each message counting is more work than comparing.
const MOST_CYCLES: usize = 32;

/// A message that is sent or arrives at a cycle.
pub(crate) trait Timed: Copy {
    /// When.
    fn at(&self) -> Cycle;
    /// Its place among those of one cycle; equal ones stay in order.
    fn rank(&self) -> u64;
}

/// Room for sorting, used again and again.
#[derive(Clone, Debug)]
pub(crate) struct Sorter<T> {
    /// For each cycle from the first one on, where the next message of it goes.
    places: Vec<u32>,
    due: Vec<T>,
    sorted: Vec<T>,
}

impl<T> Default for Sorter<T> {
    fn default() -> Sorter<T> {
        Sorter { places: Vec::new(), due: Vec::new(), sorted: Vec::new() }
    }
}

impl<T: Timed> Sorter<T> {
    /// Takes the messages before `end` out, sorted by cycle and rank; the others stay in the order in which they came. With
    /// the cycle of the first of those.
    pub(crate) fn take_before(&mut self, messages: &mut Vec<T>, end: Cycle) -> (&[T], Cycle) {
        let mut first_later = Cycle::NEVER;
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        messages.retain(|message| {
            let is_later = message.at() >= end;
            if is_later {
                first_later = first_later.min(message.at());
            } else {
                due.push(*message);
            }
            is_later
        });
        self.sort(&mut due);
        self.due = due;
        (&self.due, first_later)
    }

    /// Sorts messages by cycle and rank.
    fn sort(&mut self, messages: &mut Vec<T>) {
        let Some((first, last)) = span(messages) else { return };
        let span = (last - first) as usize + 1;
        if messages.len() < FEW || span > MOST_CYCLES * messages.len() {
            return messages.sort_by_key(|message| (message.at(), message.rank()));
        }
        self.count(messages, first, span);
        // Whatever stands here is written over.
        self.sorted.resize(messages.len(), messages[0]);
        for message in messages.iter() {
            let place = &mut self.places[(message.at().0 - first) as usize];
            self.sorted[*place as usize] = *message;
            *place += 1;
        }
        std::mem::swap(messages, &mut self.sorted);
        messages.chunk_by_mut(|a, b| a.at() == b.at()).for_each(|same| same.sort_by_key(T::rank));
    }

    /// Where the first message of each cycle goes.
    fn count(&mut self, messages: &[T], first: u64, span: usize) {
        self.places.clear();
        self.places.resize(span + 1, 0);
        for message in messages {
            self.places[(message.at().0 - first) as usize + 1] += 1;
        }
        for cycle in 1..span {
            self.places[cycle] += self.places[cycle - 1];
        }
    }
}

/// Messages that mostly come in the order of their cycles; those of one cycle stay in the order in which they came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stream<T> {
    messages: VecDeque<T>,
    in_order: bool,
}

impl<T> Default for Stream<T> {
    fn default() -> Stream<T> {
        Stream { messages: VecDeque::new(), in_order: true }
    }
}

impl<T: Timed> Stream<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// A message is on its way.
    pub(crate) fn push(&mut self, message: T) {
        self.in_order &= self.messages.back().is_none_or(|last| last.at() <= message.at());
        self.messages.push_back(message);
    }

    /// Gives the messages before `end` to `take`: how many they are, and the cycle of the first of the others.
    pub(crate) fn take_before(&mut self, end: Cycle, mut take: impl FnMut(T)) -> (usize, Cycle) {
        if !self.in_order {
            self.messages.make_contiguous().sort_by_key(T::at);
            self.in_order = true;
        }
        let mut taken = 0;
        while let Some(message) = self.messages.pop_front_if(|message| message.at() < end) {
            take(message);
            taken += 1;
        }
        (taken, self.messages.front().map_or(Cycle::NEVER, T::at))
    }
}

/// The first and the last cycle of any message.
fn span<T: Timed>(messages: &[T]) -> Option<(u64, u64)> {
    let any = messages.first()?.at().0;
    let widened =
        |(first, last): (u64, u64), message: &T| (first.min(message.at().0), last.max(message.at().0));
    Some(messages.iter().fold((any, any), widened))
}

#[cfg(test)]
mod tests {
    use super::{Sorter, Stream, Timed};
    use warplab_units::Cycle;

    /// A cycle, a rank, and where it was before.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Message(u64, u64, usize);

    impl Timed for Message {
        fn at(&self) -> Cycle {
            Cycle(self.0)
        }

        fn rank(&self) -> u64 {
            self.1
        }
    }

    #[test]
    fn what_is_later_stays_as_it_came_and_is_put_in_order_when_it_is_due() {
        let mut messages =
            vec![Message(9, 0, 0), Message(4, 1, 1), Message(7, 0, 2), Message(4, 0, 3), Message(7, 0, 4)];
        let mut sorter = Sorter::default();
        let first = (&[Message(4, 0, 3), Message(4, 1, 1)][..], Cycle(7));
        assert_eq!(sorter.take_before(&mut messages, Cycle(7)), first);
        let rest = (&[Message(7, 0, 2), Message(7, 0, 4), Message(9, 0, 0)][..], Cycle::NEVER);
        assert_eq!(sorter.take_before(&mut messages, Cycle(10)), rest);
        assert!(messages.is_empty());
    }

    #[test]
    fn a_stream_gives_what_is_due_in_order_whether_it_came_so_or_not() {
        let mut stream = Stream::default();
        let messages = [(4, 0), (4, 1), (9, 2), (7, 3), (4, 4)];
        messages.into_iter().for_each(|(at, number)| stream.push(Message(at, 0, number)));
        let mut taken = Vec::new();
        assert_eq!(stream.take_before(Cycle(8), |message| taken.push(message.2)), (4, Cycle(9)));
        assert_eq!(stream.take_before(Cycle(10), |message| taken.push(message.2)), (1, Cycle::NEVER));
        assert_eq!(taken, [0, 1, 4, 3, 2]);
    }

    #[test]
    fn messages_come_by_cycle_then_rank_and_equal_ones_stay_in_order() {
        for (count, span) in [(0, 1), (5, 3), (23, 10), (24, 10), (500, 90), (500, 5000), (40, 1)] {
            let message = |number: usize| {
                let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                Message(1000 + mixed % span, mixed / 7 % 4, number)
            };
            let mut messages: Vec<Message> = (0..count).map(message).collect();
            let mut expected = messages.clone();
            expected.sort_by_key(|&Message(at, rank, _)| (at, rank));
            Sorter::default().sort(&mut messages);
            assert_eq!(messages, expected, "{count} in {span} cycles");
        }
    }
}
