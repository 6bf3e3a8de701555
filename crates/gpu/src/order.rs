//! Messages in the order of their moments: most lie in few cycles, so that sorting is counting.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_units::Cycle;

/// A message that is sent or arrives at a cycle.
pub(crate) trait Timed: Copy {
    /// When.
    fn at(&self) -> Cycle;
    /// Its place among those of one cycle; equal ones stay in order.
    fn rank(&self) -> u64;
}

/// Room for sorting, used again and again. The messages stay where they are: what is put in order is where they lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorter {
    /// Where the messages of each cycle stand in the order, the last cycle first. Empty between one use and the next.
    cycles: Vec<Places>,
    order: Vec<Due>,
}

/// Where the messages of one cycle stand.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    first: u32,
    /// While they are counted, how many there are; then the place of the next one.
    next: u32,
}

/// A message that is due.
#[derive(Clone, Copy, Debug, Default)]
struct Due {
    rank: u64,
    index: u32,
}

impl Sorter {
    /// Gives the messages before `end` to `take`, by cycle and rank; the others stay in the order in which they came. How
    /// many they are, and the cycle of the first of the others. None is earlier than an epoch before `end`.
    pub(crate) fn take_before<T: Timed>(
        &mut self,
        messages: &mut Vec<T>,
        end: Cycle,
        mut take: impl FnMut(T),
    ) -> (usize, Cycle) {
        let (cycles, first_later) = self.count(messages, end);
        let due = self.lay_out(cycles);
        if due == 0 {
            return (0, first_later);
        }
        self.put_in_order(messages, end, cycles);
        for due in &self.order[..due] {
            take(messages[due.index as usize]);
        }
        if due == messages.len() {
            messages.clear();
        } else {
            messages.retain(|message| message.at() >= end);
        }
        (due, first_later)
    }

    /// Counts the messages of each cycle before `end`: in how many of the last cycles they lie. With the cycle of the first
    /// message that is later.
    fn count<T: Timed>(&mut self, messages: &[T], end: Cycle) -> (usize, Cycle) {
        let (mut cycles, mut first_later) = (0, Cycle::NEVER);
        for at in messages.iter().map(T::at) {
            if at >= end {
                first_later = first_later.min(at);
                continue;
            }
            let cycle = (end - at) as usize - 1;
            match self.cycles.get_mut(cycle) {
                Some(places) => places.next += 1,
                None => self.count_first(cycle),
            }
            cycles = cycles.max(cycle + 1);
        }
        (cycles, first_later)
    }

    /// Counts a message of a cycle before all that there have been.
    #[cold]
    fn count_first(&mut self, cycle: usize) {
        self.cycles.resize(cycle + 1, Places::default());
        self.cycles[cycle].next += 1;
    }

    /// Gives the messages of each of the last cycles their places: how many there are in all.
    fn lay_out(&mut self, cycles: usize) -> usize {
        let mut due = 0;
        for places in self.cycles[..cycles].iter_mut().rev() {
            let count = places.next;
            *places = Places { first: due, next: due };
            due += count;
        }
        let due = due as usize;
        if self.order.len() < due {
            self.order.resize(due, Due::default());
        }
        due
    }

    /// Puts the messages before `end` in order, each behind those of its cycle that have no higher rank.
    fn put_in_order<T: Timed>(&mut self, messages: &[T], end: Cycle, cycles: usize) {
        let (cycles, order) = (&mut self.cycles[..cycles], &mut self.order[..]);
        for (index, message) in messages.iter().enumerate().filter(|(_, message)| message.at() < end) {
            let due = Due { rank: message.rank(), index: index as u32 };
            let places = &mut cycles[(end - message.at()) as usize - 1];
            let (first, mut place) = (places.first as usize, places.next as usize);
            places.next += 1;
            while place > first && order[place - 1].rank > due.rank {
                order[place] = order[place - 1];
                place -= 1;
            }
            order[place] = due;
        }
        cycles.fill(Places::default());
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
        let mut taken = Vec::new();
        assert_eq!(
            sorter.take_before(&mut messages, Cycle(7), |message| taken.push(message.2)),
            (2, Cycle(7))
        );
        assert_eq!(
            sorter.take_before(&mut messages, Cycle(10), |message| taken.push(message.2)),
            (3, Cycle::NEVER)
        );
        assert_eq!((taken, messages.len()), (vec![3, 1, 2, 4, 0], 0));
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
            let mut sorted = Vec::new();
            Sorter::default().take_before(&mut messages, Cycle(1000 + span), |message| sorted.push(message));
            assert_eq!(sorted, expected, "{count} in {span} cycles");
        }
    }
}
