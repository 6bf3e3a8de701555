//! The accesses of one direction that wait for their banks, in one array, and a queue of their places for each bank.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::Ticks;
use warplab_units::{SectorMask, fetch_ahead, fetch_all_ahead};

/// An access that waits for its column command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) row: u64,
    pub(crate) token: u64,
    /// Sectors whose column command has not come, at least one.
    pub(crate) sectors: SectorMask,
    /// When it came.
    pub(crate) at: Ticks,
    /// Its place in the order of arrival at the pseudo-channel.
    pub(crate) age: u64,
    /// Whether an activate or precharge was issued for its first sector: then that one is counted already.
    pub(crate) opened: bool,
}

/// Accesses that wait for which there is room from the start.
const USUAL: usize = 64;

/// Accesses of a bank for which there is room once one has come.
const USUAL_OF_BANK: usize = 16;

/// What decides which command the bank of an access needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Queued {
    pub(crate) row: u64,
    pub(crate) at: Ticks,
    pub(crate) age: u64,
    /// The place of the access among all that wait.
    pub(crate) place: u32,
}

/// What waits for one bank, in order of arrival: what is looked through for a row lies side by side.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Bank {
    queue: VecDeque<Queued>,
    /// The first so many are not to the open row of the bank: looking for one goes on after them.
    passed: usize,
    rank: u8,
}

/// What waits for the banks of one rank.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Rank {
    /// Accesses that wait, and those that the controller sees.
    len: usize,
    seen: usize,
    /// Those that wait for one of them to leave, each with its bank.
    later: VecDeque<(usize, Waiting)>,
}

/// A queue for each bank, in order of arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queues {
    waiting: Vec<Waiting>,
    free: Vec<u32>,
    banks: Vec<Bank>,
    ranks: Vec<Rank>,
    /// Accesses that wait, and how many of a rank the controller sees at most.
    len: usize,
    window: usize,
}

impl Queues {
    /// Empty queues of banks, which are given with their ranks; of all ranks together the controller sees so many accesses, of each
    /// as many as of another.
    pub(crate) fn new(ranks: impl Iterator<Item = usize>, window: usize) -> Queues {
        let banks: Vec<Bank> = ranks.map(|rank| Bank { rank: rank as u8, ..Bank::default() }).collect();
        let ranks = banks.iter().map(|bank| usize::from(bank.rank) + 1).max().unwrap_or(1);
        Queues {
            window: (window / ranks).max(1),
            waiting: Vec::with_capacity(USUAL),
            free: Vec::with_capacity(USUAL),
            banks,
            ranks: vec![Rank::default(); ranks],
            len: 0,
        }
    }

    /// Fetches where the queues of all banks are.
    pub(crate) fn fetch(&self) {
        fetch_all_ahead(&self.banks[..]);
    }

    /// Fetches what is looked through first for rows, once [`Queues::fetch`] has brought where it is.
    pub(crate) fn fetch_first(&self) {
        for queued in self.banks.iter().filter_map(|bank| bank.queue.front()) {
            fetch_ahead(queued);
        }
    }

    /// Fetches the access at a place, which a command will need soon.
    #[inline]
    pub(crate) fn fetch_access(&self, place: u32) {
        if let Some(waiting) = self.waiting.get(place as usize) {
            fetch_all_ahead(waiting);
        }
    }

    /// How many accesses wait, each of them until its last burst.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many wait for the banks of a rank.
    #[inline]
    pub(crate) fn len_of(&self, rank: usize) -> usize {
        self.ranks[rank].len
    }

    #[inline]
    fn rank_of(&self, bank: usize) -> usize {
        usize::from(self.banks[bank].rank)
    }

    /// An access comes last to the queue of a bank; whether the controller sees it.
    pub(crate) fn push(&mut self, bank: usize, waiting: Waiting) -> bool {
        self.len += 1;
        let number = self.rank_of(bank);
        let rank = &mut self.ranks[number];
        rank.len += 1;
        let is_seen = rank.seen < self.window;
        if is_seen {
            self.add(bank, waiting);
        } else {
            rank.later.push_back((bank, waiting));
        }
        is_seen
    }

    /// The controller sees the access to the rank of a bank that has waited longest for that, if there is room: its bank and row,
    /// and whether that bank had none.
    #[inline]
    pub(crate) fn admit(&mut self, bank: usize) -> Option<(usize, u64, bool)> {
        let rank = self.rank_of(bank);
        if self.ranks[rank].seen == self.ranks[rank].len {
            return None;
        }
        self.admit_later(rank)
    }

    #[inline(never)]
    fn admit_later(&mut self, rank: usize) -> Option<(usize, u64, bool)> {
        let rank = &mut self.ranks[rank];
        if rank.seen >= self.window {
            return None;
        }
        let (bank, waiting) = rank.later.pop_front()?;
        let is_first = self.oldest(bank).is_none();
        self.add(bank, waiting);
        Some((bank, waiting.row, is_first))
    }

    fn add(&mut self, bank: usize, waiting: Waiting) {
        let place = match self.free.pop() {
            Some(place) => {
                self.waiting[place as usize] = waiting;
                place
            }
            None => {
                self.waiting.push(waiting);
                (self.waiting.len() - 1) as u32
            }
        };
        let Waiting { row, at, age, .. } = waiting;
        let queue = &mut self.banks[bank].queue;
        if queue.capacity() == 0 {
            queue.reserve(USUAL_OF_BANK);
        }
        queue.push_back(Queued { row, at, age, place });
        let rank = self.rank_of(bank);
        self.ranks[rank].seen += 1;
    }

    /// The oldest access to a bank, if any waits.
    #[inline]
    pub(crate) fn oldest(&self, bank: usize) -> Option<Queued> {
        self.banks[bank].queue.front().copied()
    }

    /// The accesses to a bank, in order of arrival.
    pub(crate) fn of_bank(&self, bank: usize) -> impl Iterator<Item = &Waiting> {
        self.banks[bank].queue.iter().map(|queued| &self.waiting[queued.place as usize])
    }

    /// The oldest access to the open row of a bank. [`Queues::row_changes`] says that another row is open or none.
    #[inline]
    pub(crate) fn oldest_of_row(&mut self, bank: usize, row: u64) -> Option<Queued> {
        let Bank { queue, passed, .. } = &mut self.banks[bank];
        while let Some(queued) = queue.get(*passed) {
            if queued.row == row {
                return Some(*queued);
            }
            *passed += 1;
        }
        None
    }

    /// The open row of a bank changes.
    #[inline]
    pub(crate) fn row_changes(&mut self, bank: usize) {
        self.banks[bank].passed = 0;
    }

    /// Whether the access at a place waits for further column commands.
    #[inline]
    pub(crate) fn is_waiting(&self, place: usize) -> bool {
        !self.waiting[place].sectors.is_empty()
    }

    /// The access at a place.
    pub(crate) fn waiting_mut(&mut self, place: usize) -> &mut Waiting {
        &mut self.waiting[place]
    }

    /// Takes the first sector of the access at a place of a bank's queue; with its last one the access leaves.
    pub(crate) fn take(&mut self, bank: usize, place: usize) -> Waiting {
        let waiting = &mut self.waiting[place];
        let first = SectorMask(waiting.sectors.0 & waiting.sectors.0.wrapping_neg());
        let taken = Waiting { sectors: first, ..*waiting };
        waiting.sectors = waiting.sectors & !first;
        waiting.opened = false;
        if waiting.sectors.is_empty() {
            self.len -= 1;
            let number = self.rank_of(bank);
            let rank = &mut self.ranks[number];
            (rank.len, rank.seen) = (rank.len - 1, rank.seen - 1);
            self.remove(bank, place as u32);
        }
        taken
    }

    fn remove(&mut self, bank: usize, place: u32) {
        let Bank { queue, passed, .. } = &mut self.banks[bank];
        // Mostly the oldest to the open row, which comes after those that were passed.
        let is_next = queue.get(*passed).is_some_and(|queued| queued.place == place);
        let position =
            if is_next { Some(*passed) } else { queue.iter().position(|queued| queued.place == place) };
        let Some(position) = position else { return };
        if position == 0 {
            queue.pop_front();
        } else {
            queue.remove(position);
        }
        *passed -= usize::from(position < *passed);
        self.free.push(place);
    }
}

#[cfg(test)]
mod tests {
    use super::{Queues, Waiting};
    use warplab_config::Ticks;
    use warplab_units::SectorMask;

    fn waiting(age: u64) -> Waiting {
        Waiting { row: 0, token: age, sectors: SectorMask(1), at: Ticks(0), age, opened: false }
    }

    fn places(queues: &Queues, bank: usize) -> Vec<usize> {
        queues.banks[bank].queue.iter().map(|queued| queued.place as usize).collect()
    }

    fn ages(queues: &Queues, bank: usize) -> Vec<u64> {
        queues.of_bank(bank).map(|waiting| waiting.age).collect()
    }

    #[test]
    fn accesses_of_a_bank_stay_in_order_whichever_leaves() {
        for (taken, left) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
            let mut queues = Queues::new([0; 2].into_iter(), 8);
            (0..3).for_each(|age| _ = queues.push(1, waiting(age)));
            let place = places(&queues, 1)[taken];
            assert_eq!(queues.take(1, place).age, taken as u64);
            assert_eq!(ages(&queues, 1), left);
            queues.push(1, waiting(9));
            assert_eq!(ages(&queues, 1), [left[0], left[1], 9]);
        }
    }

    #[test]
    fn the_oldest_access_of_a_row_is_found_again_whatever_came_and_went() {
        let mut queues = Queues::new([0].into_iter(), 8);
        let rows = [5, 7, 5, 7];
        rows.into_iter().zip(0..).for_each(|(row, age)| _ = queues.push(0, Waiting { row, ..waiting(age) }));
        let take = |queues: &mut Queues, row| {
            let queued = queues.oldest_of_row(0, row)?;
            Some(queues.take(0, queued.place as usize).age)
        };
        assert_eq!([0; 3].map(|_| take(&mut queues, 7)), [Some(1), Some(3), None]);
        queues.push(0, Waiting { row: 7, ..waiting(4) });
        assert_eq!(take(&mut queues, 7), Some(4));
        queues.row_changes(0);
        assert_eq!([0; 3].map(|_| take(&mut queues, 5)), [Some(0), Some(2), None]);
    }

    #[test]
    fn the_sectors_of_an_access_are_taken_one_by_one() {
        let mut queues = Queues::new([0].into_iter(), 8);
        queues.push(0, Waiting { sectors: SectorMask(0b1011), opened: true, ..waiting(0) });
        let place = queues.oldest(0).unwrap().place as usize;
        let taken = [0; 3].map(|_| queues.take(0, place)).map(|taken| (taken.sectors.0, taken.opened));
        assert_eq!(taken, [(0b0001, true), (0b0010, false), (0b1000, false)]);
        assert!(!queues.is_waiting(place));
        assert_eq!((queues.len(), queues.oldest(0)), (0, None));
    }

    #[test]
    fn what_comes_after_as_many_as_the_controller_sees_is_seen_when_one_of_them_has_left() {
        let mut queues = Queues::new([0; 2].into_iter(), 2);
        let seen = [0, 0, 1, 1].map(|bank| queues.push(bank, waiting(bank as u64)));
        assert_eq!((seen, queues.len()), ([true, true, false, false], 4));
        assert_eq!(queues.admit(0), None);
        queues.take(0, places(&queues, 0)[0]);
        assert_eq!(queues.admit(0), Some((1, 0, true)));
        assert_eq!((queues.admit(0), queues.len()), (None, 3));
    }

    #[test]
    fn each_rank_has_its_share_of_what_the_controller_sees() {
        let mut queues = Queues::new([0, 0, 1].into_iter(), 4);
        let seen = [0, 0, 1, 2].map(|bank| queues.push(bank, waiting(bank as u64)));
        assert_eq!((seen, queues.len_of(0), queues.len_of(1)), ([true, true, false, true], 3, 1));
        queues.take(2, places(&queues, 2)[0]);
        assert_eq!(queues.admit(2), None);
        queues.take(0, places(&queues, 0)[0]);
        assert_eq!(queues.admit(0), Some((1, 0, true)));
    }
}
