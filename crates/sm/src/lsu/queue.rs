//! The queues of memory instructions, one per sub-partition, and which of them goes next.

use super::message::{Asker, Operation, Work};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// The numbers of the queues.
#[derive(Clone, Debug)]
pub(crate) struct QueueSpec {
    /// Memory instructions that a sub-partition holds.
    pub(crate) entries: usize,
    /// Memory instructions that the unit holds beside those, from any sub-partition.
    pub(crate) unit_entries: usize,
    /// Cycles between two memory instructions of the SM.
    pub(crate) interval: u64,
    /// Cycles between two memory instructions of a sub-partition, at least.
    pub(crate) sub_partition_interval: u64,
    /// Likewise, after an access to shared memory or lane exchange.
    pub(crate) exchange_interval: u64,
}

/// Sub-partitions of an SM at most.
const MOST: usize = 4;

/// Memory instructions that have issued and not started. They start in the order of their issue as far as the interval
/// of their sub-partition allows. They go from the queue of their sub-partition to that of the unit as soon as it has room.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queues {
    /// Those of each sub-partition, in the order of their issue.
    waiting: Vec<VecDeque<Operation>>,
    /// Of each sub-partition, how many of the first that wait are in the queue of the unit.
    in_unit: [usize; MOST],
    /// When the first of each sub-partition has issued; never where none waits.
    issued: [Cycle; MOST],
    /// When the first of those that are not in the queue of the unit has issued; never where there is none.
    outside: [Cycle; MOST],
    /// When each sub-partition can start one.
    free: [Cycle; MOST],
    /// When the first can start, as far as its sub-partition is concerned; never where none waits.
    ready: [Cycle; MOST],
    /// In the queue of the unit.
    len_in_unit: usize,
    /// In all of them.
    len: usize,
    unit_free: Cycle,
    /// Since when the next instruction has waited for an MSHR.
    blocked_since: Option<Cycle>,
    pub(crate) counters: QueueCounters,
}

impl Queues {
    pub(crate) fn new(sub_partitions: usize) -> Queues {
        Queues {
            waiting: vec![VecDeque::new(); sub_partitions],
            in_unit: [0; MOST],
            issued: [Cycle::NEVER; MOST],
            outside: [Cycle::NEVER; MOST],
            free: [Cycle(0); MOST],
            ready: [Cycle::NEVER; MOST],
            len_in_unit: 0,
            len: 0,
            unit_free: Cycle(0),
            blocked_since: None,
            counters: QueueCounters::default(),
        }
    }

    /// Whether the queue of a sub-partition can take no more.
    #[inline]
    pub(crate) fn is_full(&self, sub_partition: usize, spec: &QueueSpec) -> bool {
        self.waiting[sub_partition].len() - self.in_unit[sub_partition] >= spec.entries
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An instruction issues; whether it goes to the queue of the unit at once.
    #[inline]
    pub(crate) fn push(&mut self, sub_partition: usize, operation: Operation, spec: &QueueSpec) -> bool {
        let issued = operation.asker.issued;
        self.counters.enters(issued.0);
        let waiting = &mut self.waiting[sub_partition];
        let ahead = waiting.len();
        waiting.push_back(operation);
        self.len += 1;
        if ahead == 0 {
            self.set_first(sub_partition, issued, self.free[sub_partition]);
        }
        let goes_up = ahead == self.in_unit[sub_partition] && self.len_in_unit < spec.unit_entries;
        if goes_up {
            self.in_unit[sub_partition] += 1;
            self.len_in_unit += 1;
        } else {
            self.outside[sub_partition] = self.outside[sub_partition].min(issued);
        }
        goes_up
    }

    /// The first of a sub-partition has issued at another cycle, or it can start one at another.
    #[inline(always)]
    fn set_first(&mut self, sub_partition: usize, issued: Cycle, free: Cycle) {
        self.issued[sub_partition] = issued;
        self.free[sub_partition] = free;
        self.ready[sub_partition] = (issued + 1).max(free);
    }

    /// If the queue of the unit has room, the instruction that issued first comes to it from the queue of its sub-partition.
    #[inline]
    fn move_up(&mut self, spec: &QueueSpec) -> Option<(usize, Asker)> {
        if self.len_in_unit >= spec.unit_entries || self.len_in_unit >= self.len {
            return None;
        }
        let (mut number, mut first) = (0, self.outside[0]);
        for (other, &outside) in self.outside.iter().enumerate().skip(1) {
            if outside < first {
                (number, first) = (other, outside);
            }
        }
        let ahead = self.in_unit[number];
        let waiting = &self.waiting[number];
        let asker = waiting.get(ahead)?.asker;
        self.outside[number] = issue_of(waiting, ahead + 1);
        self.in_unit[number] = ahead + 1;
        self.len_in_unit += 1;
        Some((number, asker))
    }

    /// Whether an instruction could start at `now`: with none waiting or a busy unit there is no need to ask further.
    #[inline]
    pub(crate) fn may_start(&self, now: Cycle) -> bool {
        self.len > 0 && self.unit_free <= now
    }

    /// When the next instruction starts, and of which sub-partition; never when none waits or the unit is blocked.
    #[inline]
    pub(crate) fn next_start(&self) -> (Cycle, usize) {
        let mut best = (Cycle::NEVER, 0);
        if self.len == 0 || self.blocked_since.is_some() {
            return best;
        }
        let mut best_issued = Cycle::NEVER;
        for (number, (&ready, &issued)) in self.ready.iter().zip(&self.issued).enumerate() {
            let start = ready.max(self.unit_free);
            if start < best.0 || start == best.0 && issued < best_issued {
                best = (start, number);
                best_issued = issued;
            }
        }
        best
    }

    /// What [`Queues::next_start`] says after an instruction of a sub-partition has issued, where it said `next` before.
    #[inline]
    pub(crate) fn next_start_with(&self, sub_partition: usize, next: (Cycle, usize)) -> (Cycle, usize) {
        if self.blocked_since.is_some() {
            return next;
        }
        let issued = |number: usize| (self.issued[number], number);
        let start = self.ready[sub_partition].max(self.unit_free);
        if start < next.0 || start == next.0 && issued(sub_partition) < issued(next.1) {
            return (start, sub_partition);
        }
        next
    }

    /// Instructions that wait in all of them.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many queues there are.
    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// What waits in the queue of a sub-partition, the next one first.
    pub(crate) fn of(&self, sub_partition: usize) -> impl Iterator<Item = &Operation> {
        self.waiting[sub_partition].iter()
    }

    /// Since when the next instruction has waited for an MSHR.
    pub(crate) fn blocked_since(&self) -> Option<Cycle> {
        self.blocked_since
    }

    /// When the unit can start its next instruction.
    pub(crate) fn unit_free(&self) -> Cycle {
        self.unit_free
    }

    /// The instruction of a sub-partition that starts next.
    #[inline]
    pub(crate) fn head(&self, sub_partition: usize) -> Option<&Operation> {
        self.waiting[sub_partition].front()
    }

    /// The next instruction of a sub-partition starts; with it, the one that leaves the queue of a sub-partition now: the
    /// one that takes its place in the queue of the unit, or it alone where it was not there.
    #[inline]
    pub(crate) fn take(
        &mut self,
        sub_partition: usize,
        now: Cycle,
        spec: &QueueSpec,
    ) -> Option<(Operation, Option<(usize, Asker)>)> {
        let waiting = &mut self.waiting[sub_partition];
        let operation = waiting.pop_front()?;
        let issued = issue_of(waiting, 0);
        let exchanges = matches!(operation.work, Work::Shared { .. });
        let interval = if exchanges { spec.exchange_interval } else { spec.sub_partition_interval };
        self.set_first(sub_partition, issued, now.later(interval));
        self.len -= 1;
        let leaves = if self.in_unit[sub_partition] > 0 {
            self.in_unit[sub_partition] -= 1;
            self.len_in_unit -= 1;
            self.move_up(spec)
        } else {
            self.outside[sub_partition] = issued;
            Some((sub_partition, operation.asker))
        };
        self.counters.leaves(now.0, operation.asker.issued.0);
        self.keep_busy_until(now.later(spec.interval));
        Some((operation, leaves))
    }

    /// A sub-partition can start nothing before this cycle.
    #[inline]
    pub(crate) fn keep_sub_partition_busy_until(&mut self, sub_partition: usize, free: Cycle) {
        self.free[sub_partition] = self.free[sub_partition].max(free);
        self.ready[sub_partition] = self.ready[sub_partition].max(free);
    }

    /// The unit can start nothing before this cycle.
    #[inline]
    pub(crate) fn keep_busy_until(&mut self, free: Cycle) {
        self.unit_free = self.unit_free.max(free);
    }

    /// The next instruction finds no MSHR: nothing starts until [`Queues::unblock`].
    pub(crate) fn block(&mut self, now: Cycle) {
        self.blocked_since = Some(now);
    }

    /// An MSHR may be free; how many cycles the unit was blocked.
    pub(crate) fn unblock(&mut self, now: Cycle) -> u64 {
        let Some(since) = self.blocked_since.take() else { return 0 };
        self.keep_busy_until(now);
        now.since(since)
    }
}

/// When the instruction of this number has issued; never where there is none.
#[inline(always)]
fn issue_of(waiting: &VecDeque<Operation>, number: usize) -> Cycle {
    waiting.get(number).map_or(Cycle::NEVER, |operation| operation.asker.issued)
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, Operation, Owner, Work};
    use super::{QueueSpec, Queues};
    use warplab_units::Cycle;

    const SPEC: QueueSpec = QueueSpec {
        entries: 2,
        unit_entries: 0,
        interval: 1,
        sub_partition_interval: 4,
        exchange_interval: 4,
    };

    fn issued(slot: u8, at: u64) -> Operation {
        let owner = Owner { slot, generation: 1, write_barrier: None, read_barrier: None };
        let asker = Asker { owner, issued: Cycle(at) };
        Operation { asker, work: Work::Shared { busy: 1, pace: 1, latency: 20 } }
    }

    /// Starts everything that waits: at which cycle and of which slot.
    fn starts(queues: &mut Queues) -> Vec<(u64, u8)> {
        std::iter::from_fn(|| {
            let (now, sub) = queues.next_start();
            let (operation, _) = (now != Cycle::NEVER).then(|| queues.take(sub, now, &SPEC)).flatten()?;
            Some((now.0, operation.asker.owner.slot))
        })
        .collect()
    }

    #[test]
    fn a_queue_is_full_with_its_last_entry_and_not_one_earlier() {
        let mut queues = Queues::new(2);
        queues.push(0, issued(0, 5), &SPEC);
        assert!(!queues.is_full(0, &SPEC));
        queues.push(0, issued(1, 5), &SPEC);
        assert!(queues.is_full(0, &SPEC));
        assert!(!queues.is_full(1, &SPEC));
        queues.take(0, Cycle(6), &SPEC);
        assert!(!queues.is_full(0, &SPEC));
    }

    #[test]
    fn the_queue_of_the_unit_takes_what_comes_first_from_any_sub_partition() {
        let spec = QueueSpec { unit_entries: 3, ..SPEC };
        let mut queues = Queues::new(2);
        let mut pushed = [0, 0];
        for (number, sub) in [0, 1, 0, 1, 0, 1, 0].into_iter().enumerate() {
            assert!(!queues.is_full(sub, &spec));
            queues.push(sub, issued(number as u8, number as u64), &spec);
            pushed[sub] += 1;
        }
        // Three are in the queue of the unit, two of them from sub-partition 0.
        assert_eq!((pushed, queues.is_full(0, &spec), queues.is_full(1, &spec)), ([4, 3], true, true));
        // The oldest of the others, of sub-partition 1, takes the place of the one that starts.
        let (_, leaves) = queues.take(0, Cycle(9), &spec).unwrap();
        assert_eq!(leaves.map(|(sub, asker)| (sub, asker.owner.slot)), Some((1, 3)));
        assert_eq!((queues.is_full(0, &spec), queues.is_full(1, &spec)), (true, false));
    }

    #[test]
    fn an_instruction_starts_one_cycle_after_its_issue() {
        let mut queues = Queues::new(1);
        assert_eq!(queues.next_start(), (Cycle::NEVER, 0));
        queues.push(0, issued(0, 9), &SPEC);
        assert_eq!(queues.next_start(), (Cycle(10), 0));
    }

    #[test]
    fn a_sub_partition_starts_an_instruction_every_four_cycles_and_others_in_between() {
        let mut queues = Queues::new(2);
        for (sub, slot) in [(0, 0), (0, 2), (1, 1), (1, 3)] {
            queues.push(sub, issued(slot, 5), &SPEC);
        }
        assert_eq!(starts(&mut queues), [(6, 0), (7, 1), (10, 2), (11, 3)]);
    }

    #[test]
    fn of_two_that_can_start_at_once_the_one_that_issued_first_starts() {
        let mut queues = Queues::new(2);
        queues.keep_busy_until(Cycle(30));
        queues.push(0, issued(0, 8), &SPEC);
        queues.push(1, issued(1, 7), &SPEC);
        assert_eq!(starts(&mut queues), [(30, 1), (31, 0)]);
    }

    #[test]
    fn of_two_that_issued_in_one_cycle_the_lower_sub_partition_starts() {
        let mut queues = Queues::new(3);
        queues.push(2, issued(2, 7), &SPEC);
        queues.push(1, issued(1, 7), &SPEC);
        assert_eq!(starts(&mut queues), [(8, 1), (9, 2)]);
    }

    #[test]
    fn an_instruction_that_issues_may_be_the_next_to_start() {
        let mut queues = Queues::new(3);
        let mut next = queues.next_start();
        for (sub, at) in [(1, 5), (2, 5), (0, 5), (1, 6), (0, 7)] {
            queues.push(sub, issued(0, at), &SPEC);
            next = queues.next_start_with(sub, next);
            assert_eq!(next, queues.next_start(), "{sub} at {at}");
        }
        queues.block(Cycle(9));
        assert_eq!(queues.next_start_with(0, (Cycle::NEVER, 0)), (Cycle::NEVER, 0));
    }

    #[test]
    fn a_blocked_unit_starts_nothing_until_it_is_unblocked() {
        let mut queues = Queues::new(1);
        queues.push(0, issued(0, 5), &SPEC);
        queues.block(Cycle(6));
        assert_eq!(queues.next_start().0, Cycle::NEVER);
        assert_eq!(queues.unblock(Cycle(40)), 34);
        assert_eq!(queues.next_start().0, Cycle(40));
        assert_eq!(queues.unblock(Cycle(50)), 0);
    }

    #[test]
    fn time_in_the_queue_is_counted_from_issue_to_start() {
        let mut queues = Queues::new(1);
        queues.push(0, issued(0, 5), &SPEC);
        queues.push(0, issued(1, 6), &SPEC);
        starts(&mut queues);
        let counters = &queues.counters;
        assert_eq!((counters.arrivals, counters.departures, counters.total_latency), (2, 2, 1 + 4));
        assert!(queues.is_empty());
    }
}
