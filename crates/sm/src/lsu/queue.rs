//! The queues of memory instructions: one per sub-partition, and behind them that of the tags.

use super::message::{Asker, GlobalAccess, Operation, Work};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_trace::QueueCounters;
use warplab_units::Cycle;

/// The numbers of the queues.
#[derive(Clone, Debug)]
pub(crate) struct QueueSpec {
    /// Memory instructions that a sub-partition holds.
    pub(crate) entries: usize,
    /// Accesses to global or local memory that wait for the tags beside those, from any sub-partition.
    pub(crate) unit_entries: usize,
    /// Of these, the last ones, in which accesses to shared memory and lane exchanges don't pass stores.
    pub(crate) in_order: usize,
    /// Cycles between two memory instructions of the SM.
    pub(crate) interval: u64,
    /// Cycles between two memory instructions of a sub-partition, at least.
    pub(crate) sub_partition_interval: u64,
    /// Likewise, after an access to shared memory or lane exchange.
    pub(crate) exchange_interval: u64,
}

/// Sub-partitions of an SM at most.
const MOST: usize = 4;

/// What the queue of a sub-partition can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum QueueFull {
    HasRoom,
    /// No accesses to global or local memory: those fill it.
    OfGlobal,
    Full,
}

/// Where an instruction goes from the queue of its sub-partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum GoesTo {
    Tags,
    Data,
    Barriers,
}

/// Memory instructions that have issued and not started. They leave the queue of their sub-partition in order, one of each
/// sub-partition in turn: an access to shared memory starts then, one to global or local memory comes to the queue of the
/// tags and starts in its turn there. Measured: lsu/fills.txt, accesses of one kind beside those of another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queues {
    /// Those of each sub-partition, in the order of their issue.
    waiting: Vec<VecDeque<Operation>>,
    /// Of each sub-partition, when its first can leave; never where none waits.
    ready: [Cycle; MOST],
    /// When each sub-partition can let one go.
    free: [Cycle; MOST],
    /// Of each sub-partition, where its first goes.
    goes_to: [GoesTo; MOST],
    /// How many instructions wait in the queue of each sub-partition that do not access global or local memory.
    others: [u8; MOST],
    /// The sub-partition whose turn it is.
    turn: usize,
    /// When the next one can leave from any sub-partition.
    unit_free: Cycle,
    /// When the next access to shared memory can start.
    shared_free: Cycle,
    /// Accesses to global or local memory, with their sub-partitions, that wait for the tags.
    for_tags: VecDeque<(u8, Operation)>,
    /// How many of these have started.
    started: u64,
    /// What else waits behind some of these, with its sub-partition: until so many have started.
    behind: VecDeque<(u8, u64, Operation)>,
    /// Whether an access to shared memory that leaves the queue of its sub-partition now waits there.
    keeps_order: bool,
    /// When the tags are free; never while the first access waits for an MSHR.
    tags_free: Cycle,
    /// Since when it has waited for an MSHR.
    blocked_since: Option<Cycle>,
    pub(crate) counters: QueueCounters,
}

impl Queues {
    pub(crate) fn new(sub_partitions: usize) -> Queues {
        Queues {
            waiting: vec![VecDeque::new(); sub_partitions],
            ready: [Cycle::NEVER; MOST],
            free: [Cycle(0); MOST],
            goes_to: [GoesTo::Data; MOST],
            others: [0; MOST],
            turn: 0,
            unit_free: Cycle(0),
            shared_free: Cycle(0),
            for_tags: VecDeque::new(),
            started: 0,
            behind: VecDeque::new(),
            keeps_order: false,
            tags_free: Cycle(0),
            blocked_since: None,
            counters: QueueCounters::default(),
        }
    }

    /// What the queue of a sub-partition can take: where accesses to global memory fill it, there is a place for one other
    /// instruction, as long as none of those waits.
    #[inline]
    pub(crate) fn is_full(&self, sub_partition: usize, spec: &QueueSpec) -> QueueFull {
        let waiting = self.waiting[sub_partition].len();
        if waiting < spec.entries {
            return QueueFull::HasRoom;
        }
        let others = usize::from(self.others[sub_partition]);
        if others == 0 && !self.waits_behind(sub_partition) {
            QueueFull::OfGlobal
        } else if others == 0 || others == waiting || waiting > spec.entries {
            QueueFull::Full
        } else {
            QueueFull::HasRoom
        }
    }

    /// Whether an instruction of a sub-partition waits behind accesses that wait for the tags.
    #[inline(never)]
    fn waits_behind(&self, sub_partition: usize) -> bool {
        self.behind.iter().any(|&(sub, ..)| usize::from(sub) == sub_partition)
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An instruction issues.
    #[inline]
    pub(crate) fn push(&mut self, sub_partition: usize, operation: Operation) {
        self.counters.enters(operation.asker.issued.0);
        self.others[sub_partition] += u8::from(!matches!(operation.work, Work::Global { .. }));
        self.waiting[sub_partition].push_back(operation);
        if self.waiting[sub_partition].len() == 1 {
            self.set_first(sub_partition);
        }
    }

    /// Another one is the first of a sub-partition.
    #[inline(always)]
    fn set_first(&mut self, sub_partition: usize) {
        let first = self.waiting[sub_partition].front();
        self.goes_to[sub_partition] = match first.map(|first| &first.work) {
            Some(Work::Global { .. }) => GoesTo::Tags,
            Some(Work::Barrier { .. }) => GoesTo::Barriers,
            Some(Work::Shared { .. } | Work::Peers { .. }) | None => GoesTo::Data,
        };
        let issued = first.map_or(Cycle::NEVER, |first| first.asker.issued + 1);
        self.ready[sub_partition] = issued.max(self.free[sub_partition]);
    }

    /// When the first of a sub-partition can leave its queue: never as long as there is no room for it.
    #[inline(always)]
    fn departure(&self, sub_partition: usize, spec: &QueueSpec) -> Cycle {
        let room = match self.goes_to[sub_partition] {
            GoesTo::Data if !self.keeps_order => self.shared_free,
            GoesTo::Barriers => Cycle(0),
            GoesTo::Tags if spec.unit_entries == 0 && self.for_tags.is_empty() => self.tags_free,
            _ if self.for_tags.len() + self.behind.len() < spec.unit_entries => Cycle(0),
            _ => Cycle::NEVER,
        };
        self.ready[sub_partition].max(self.unit_free).max(room)
    }

    /// How many accesses to global or local memory start before an access to shared memory that leaves the queue of its
    /// sub-partition now; none where it passes them all.
    fn must_follow(&self, spec: &QueueSpec) -> Option<u64> {
        if let Some((_, follows, _)) = self.behind.back() {
            return Some(*follows);
        }
        let first = spec.unit_entries - spec.in_order;
        let last = self.for_tags.iter().skip(first).rposition(|(_, operation)| operation.is_store())?;
        Some(self.started + last as u64 + 1)
    }

    /// What waits for the tags, or behind it, has changed.
    #[inline]
    fn note_order(&mut self, spec: &QueueSpec) {
        if self.for_tags.len() + spec.in_order > spec.unit_entries || self.keeps_order {
            self.keeps_order = self.must_follow(spec).is_some();
        }
    }

    /// When the first of those can start that follow accesses to global or local memory.
    #[inline(always)]
    fn follower_start(&self) -> Cycle {
        match self.behind.front() {
            Some((_, follows, _)) if *follows <= self.started => self.shared_free.max(self.unit_free),
            _ => Cycle::NEVER,
        }
    }

    /// When the first that waits for the tags can start.
    #[inline(always)]
    fn tags_start(&self) -> Cycle {
        if self.for_tags.is_empty() { Cycle::NEVER } else { self.tags_free }
    }

    /// When the next instruction leaves its queue or starts; never where none can.
    #[inline]
    pub(crate) fn next_start(&self, spec: &QueueSpec) -> Cycle {
        let mut next = self.tags_start().min(self.follower_start());
        for sub in 0..self.waiting.len() {
            // Where room is need only be known if it could come first.
            if self.ready[sub].max(self.unit_free) < next {
                next = next.min(self.departure(sub, spec));
            }
        }
        next
    }

    /// What [`Queues::next_start`] says after an instruction of a sub-partition has issued, where it said `next` before.
    #[inline]
    pub(crate) fn next_start_with(&self, sub_partition: usize, next: Cycle, spec: &QueueSpec) -> Cycle {
        next.min(self.departure(sub_partition, spec))
    }

    /// An instruction leaves the queue of its sub-partition `now`, if one can: it is the turn of the next that has one. It goes
    /// to the queue of the tags, or comes back to start at once.
    #[inline]
    pub(crate) fn leave(
        &mut self,
        now: Cycle,
        spec: &QueueSpec,
    ) -> Option<(usize, Asker, Option<Operation>)> {
        let turns = (self.turn..self.waiting.len()).chain(0..self.turn);
        let sub =
            turns.into_iter().find(|&sub| self.ready[sub] <= now && self.departure(sub, spec) <= now)?;
        self.turn = if sub + 1 == self.waiting.len() { 0 } else { sub + 1 };
        let operation = self.waiting[sub].pop_front()?;
        let asker = operation.asker;
        let to_tags = self.goes_to[sub] == GoesTo::Tags;
        let waits = self.keeps_order && self.goes_to[sub] == GoesTo::Data;
        let interval = if to_tags { spec.sub_partition_interval } else { spec.exchange_interval };
        self.free[sub] = now.later(interval);
        self.unit_free = now.later(spec.interval);
        self.set_first(sub);
        if to_tags {
            self.for_tags.push_back((sub as u8, operation));
            self.note_order(spec);
            return Some((sub, asker, None));
        }
        self.others[sub] -= 1;
        if waits {
            let follows = self.must_follow(spec).unwrap_or(self.started);
            self.behind.push_back((sub as u8, follows, operation));
            return Some((sub, asker, None));
        }
        self.counters.leaves(now.0, asker.issued.0);
        Some((sub, asker, Some(operation)))
    }

    /// The first access to shared memory that has followed others starts, of this sub-partition, if it can `now`.
    #[inline]
    pub(crate) fn take_follower(&mut self, now: Cycle, spec: &QueueSpec) -> Option<(usize, Operation)> {
        if self.follower_start() > now {
            return None;
        }
        let (sub, _, operation) = self.behind.pop_front()?;
        self.note_order(spec);
        self.unit_free = now.later(spec.interval);
        self.counters.leaves(now.0, operation.asker.issued.0);
        Some((usize::from(sub), operation))
    }

    /// The first access that waits for the tags, if it can start `now`, and its lines.
    #[inline]
    pub(crate) fn for_tags(&self, now: Cycle) -> Option<(GlobalAccess, usize)> {
        match &self.for_tags.front()?.1.work {
            Work::Global { access, lines, .. } if self.tags_free <= now => Some((*access, lines.len())),
            _ => None,
        }
    }

    /// The first access that waits for the tags starts, of this sub-partition.
    #[inline]
    pub(crate) fn take_for_tags(&mut self, now: Cycle, spec: &QueueSpec) -> Option<(usize, Operation)> {
        let (sub, operation) = self.for_tags.pop_front()?;
        self.started += 1;
        self.note_order(spec);
        self.counters.leaves(now.0, operation.asker.issued.0);
        Some((usize::from(sub), operation))
    }

    /// Instructions that wait in all of them.
    pub(crate) fn len(&self) -> usize {
        self.for_tags.len() + self.behind.len() + self.waiting.iter().map(VecDeque::len).sum::<usize>()
    }

    /// How many queues of sub-partitions there are.
    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// What waits in the queue of a sub-partition, the next one first.
    pub(crate) fn of(&self, sub_partition: usize) -> impl Iterator<Item = &Operation> {
        self.waiting[sub_partition].iter()
    }

    /// What waits for the tags, the next one first.
    pub(crate) fn waiting_for_tags(&self) -> impl Iterator<Item = &Operation> {
        self.for_tags.iter().map(|(_, operation)| operation).chain(self.behind.iter().map(|(.., it)| it))
    }

    /// Since when the next access to global or local memory has waited for an MSHR.
    #[inline]
    pub(crate) fn blocked_since(&self) -> Option<Cycle> {
        self.blocked_since
    }

    /// When the unit can start its next instruction.
    pub(crate) fn unit_free(&self) -> Cycle {
        self.unit_free
    }

    /// A sub-partition lets nothing go before this cycle.
    #[inline]
    pub(crate) fn keep_sub_partition_busy_until(&mut self, sub_partition: usize, free: Cycle) {
        self.free[sub_partition] = self.free[sub_partition].max(free);
        self.ready[sub_partition] = self.ready[sub_partition].max(free);
    }

    /// No access to shared memory starts before this cycle.
    #[inline]
    pub(crate) fn keep_shared_busy_until(&mut self, free: Cycle) {
        self.shared_free = self.shared_free.max(free);
    }

    /// The tags take nothing before this cycle.
    #[inline]
    pub(crate) fn keep_tags_busy_until(&mut self, free: Cycle) {
        self.tags_free = self.tags_free.max(free);
    }

    /// The first access finds no MSHR: none to global or local memory starts until [`Queues::unblock`].
    pub(crate) fn block(&mut self, now: Cycle) {
        self.blocked_since = Some(now);
        self.tags_free = Cycle::NEVER;
    }

    /// An MSHR or credits may be free.
    #[inline]
    pub(crate) fn unblock(&mut self, now: Cycle) {
        if self.blocked_since.take().is_some() {
            self.tags_free = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Asker, GlobalAccess, Operation, Owner, Passes, Work};
    use super::{QueueFull, QueueSpec, Queues};
    use warplab_units::Cycle;

    const SPEC: QueueSpec = QueueSpec {
        entries: 2,
        unit_entries: 0,
        in_order: 0,
        interval: 1,
        sub_partition_interval: 4,
        exchange_interval: 4,
    };

    fn issued(slot: u8, at: u64, work: Work) -> Operation {
        let owner = Owner { slot, generation: 1, write_barrier: None, read_barrier: None };
        Operation { asker: Asker { owner, issued: Cycle(at) }, work }
    }

    fn shared(slot: u8, at: u64) -> Operation {
        issued(slot, at, Work::Shared { passes: 1, latency: 20 })
    }

    fn global(slot: u8, at: u64) -> Operation {
        let passes = Passes { tags: 1, data: 1, width: 1 };
        let access = GlobalAccess::Load { cached: true, local: false };
        issued(slot, at, Work::Global { access, lines: Vec::new(), passes })
    }

    fn store(slot: u8, at: u64) -> Operation {
        let passes = Passes { tags: 1, data: 1, width: 1 };
        let access = GlobalAccess::Store { local: false };
        issued(slot, at, Work::Global { access, lines: Vec::new(), passes })
    }

    /// Starts everything that can start: at which cycle and of which slot.
    fn starts(queues: &mut Queues, spec: &QueueSpec) -> Vec<(u64, u8)> {
        let (mut starts, mut now) = (Vec::new(), Cycle(0));
        loop {
            let next = queues.next_start(spec);
            if next == Cycle::NEVER {
                return starts;
            }
            now = next.max(now + 1);
            starts.extend(queues.take_follower(now, spec).map(|(_, it)| (now.0, it.asker.owner.slot)));
            if let Some((_, asker, Some(_))) = queues.leave(now, spec) {
                starts.push((now.0, asker.owner.slot));
            }
            if queues.for_tags(now).is_some()
                && let Some((_, operation)) = queues.take_for_tags(now, spec)
            {
                starts.push((now.0, operation.asker.owner.slot));
                queues.keep_tags_busy_until(now + 1);
            }
        }
    }

    #[test]
    fn a_queue_is_full_with_its_last_entry_and_not_one_earlier() {
        let mut queues = Queues::new(2);
        queues.push(0, shared(0, 5));
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::HasRoom);
        queues.push(0, shared(1, 5));
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::Full);
        assert_eq!(queues.is_full(1, &SPEC), QueueFull::HasRoom);
        queues.leave(Cycle(6), &SPEC);
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::HasRoom);
    }

    #[test]
    fn beside_a_full_queue_of_global_accesses_there_is_a_place_for_one_other_instruction() {
        let mut queues = Queues::new(1);
        (0..2).for_each(|slot| queues.push(0, global(slot, 5)));
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::OfGlobal);
        queues.push(0, shared(2, 5));
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::Full);
        queues.leave(Cycle(6), &SPEC);
        assert_eq!(queues.is_full(0, &SPEC), QueueFull::HasRoom);
    }

    #[test]
    fn what_waits_behind_stores_keeps_the_place_beside_a_full_queue_from_the_next_one() {
        let spec = QueueSpec { unit_entries: 3, in_order: 3, ..SPEC };
        let mut queues = Queues::new(1);
        [store(0, 0), shared(1, 0)].into_iter().for_each(|operation| queues.push(0, operation));
        queues.leave(Cycle(1), &spec);
        queues.leave(Cycle(5), &spec);
        (2..4).for_each(|slot| queues.push(0, store(slot, 5)));
        assert_eq!(queues.is_full(0, &spec), QueueFull::Full);
        assert!(queues.for_tags(Cycle(6)).is_some());
        queues.take_for_tags(Cycle(6), &spec);
        assert_eq!(queues.take_follower(Cycle(7), &spec).map(|(sub, _)| sub), Some(0));
        assert_eq!(queues.is_full(0, &spec), QueueFull::OfGlobal);
    }

    #[test]
    fn an_instruction_starts_one_cycle_after_its_issue() {
        let mut queues = Queues::new(1);
        assert_eq!(queues.next_start(&SPEC), Cycle::NEVER);
        queues.push(0, shared(0, 9));
        assert_eq!(queues.next_start(&SPEC), Cycle(10));
    }

    #[test]
    fn instructions_of_one_sub_partition_keep_their_order_and_their_interval() {
        let mut queues = Queues::new(1);
        queues.push(0, shared(0, 0));
        queues.push(0, global(1, 1));
        assert_eq!(starts(&mut queues, &SPEC), [(1, 0), (5, 1)]);
    }

    #[test]
    fn sub_partitions_take_turns() {
        let mut queues = Queues::new(2);
        for slot in 0..2 {
            queues.push(0, shared(slot, 0));
        }
        queues.push(1, shared(2, 3));
        queues.push(1, shared(3, 3));
        assert_eq!(starts(&mut queues, &SPEC), [(1, 0), (4, 2), (5, 1), (8, 3)]);
    }

    #[test]
    fn an_access_to_shared_memory_passes_those_that_wait_for_the_tags() {
        let spec = QueueSpec { unit_entries: 1, ..SPEC };
        let mut queues = Queues::new(2);
        queues.keep_tags_busy_until(Cycle(50));
        queues.push(0, global(0, 0));
        queues.push(1, shared(1, 0));
        queues.push(1, global(2, 0));
        queues.push(1, shared(3, 0));
        // The second access to global memory finds no room, and keeps what is behind it.
        assert_eq!(starts(&mut queues, &spec), [(2, 1), (50, 0), (51, 2), (55, 3)]);
    }

    #[test]
    fn an_access_to_shared_memory_follows_the_stores_in_the_last_places() {
        let spec = QueueSpec { unit_entries: 3, in_order: 2, sub_partition_interval: 1, entries: 8, ..SPEC };
        for (stores, first) in [(1, 3), (2, 50)] {
            let mut queues = Queues::new(2);
            queues.keep_tags_busy_until(Cycle(50));
            (0..stores).for_each(|slot| queues.push(0, store(slot, 0)));
            queues.push(1, shared(9, 2));
            // Behind two stores it waits until the first has started: then the second is in the first place.
            let all = starts(&mut queues, &spec);
            assert_eq!(
                all.iter().find(|it| it.1 == 9),
                Some(&(first + u64::from(stores == 2), 9)),
                "{all:?}"
            );
        }
    }

    #[test]
    fn what_waits_for_an_mshr_blocks_the_tags_alone() {
        let mut queues = Queues::new(2);
        queues.block(Cycle(5));
        queues.push(0, global(0, 5));
        queues.push(1, shared(1, 5));
        assert_eq!(starts(&mut queues, &SPEC), [(6, 1)]);
        queues.unblock(Cycle(30));
        assert_eq!(starts(&mut queues, &SPEC), [(30, 0)]);
    }
}
