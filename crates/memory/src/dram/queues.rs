//! The accesses of one direction that wait for their banks, in one array: a list for each bank.

use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_units::{SectorMask, fetch_all_ahead};

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

/// No access.
const NONE: u32 = u32::MAX;

/// The place of an access in the queue of its bank. What is looked through for a row is kept together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Link {
    row: u64,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ends {
    first: u32,
    last: u32,
    /// Up to this one no access is to the open row of the bank: looking for one goes on after it.
    passed: u32,
}

/// A queue for each bank, in order of arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queues {
    waiting: Vec<Waiting>,
    links: Vec<Link>,
    free: Vec<u32>,
    ends: Vec<Ends>,
    len: usize,
}

impl Queues {
    /// Empty queues of so many banks.
    pub(crate) fn new(banks: usize) -> Queues {
        Queues {
            waiting: Vec::with_capacity(USUAL),
            links: Vec::with_capacity(USUAL),
            free: Vec::with_capacity(USUAL),
            ends: vec![Ends { first: NONE, last: NONE, passed: NONE }; banks],
            len: 0,
        }
    }

    /// Fetches what a command needs: the ends of the queues, and what is looked through for rows.
    pub(crate) fn fetch(&self) {
        fetch_all_ahead(&self.ends[..]);
        fetch_all_ahead(&self.links[..]);
    }

    /// Fetches the first two accesses of each bank, once [`Queues::fetch`] has brought what tells their places.
    pub(crate) fn fetch_first(&self) {
        for ends in &self.ends {
            let Some(link) = self.links.get(ends.first as usize) else { continue };
            fetch_all_ahead(&self.waiting[ends.first as usize]);
            if let Some(second) = self.waiting.get(link.after as usize) {
                fetch_all_ahead(second);
            }
        }
    }

    /// How many accesses wait, each of them until its last burst.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// An access comes last to the queue of a bank.
    pub(crate) fn push(&mut self, bank: usize, waiting: Waiting) {
        let before = self.ends[bank].last;
        let link = Link { row: waiting.row, before, after: NONE };
        let place = match self.free.pop() {
            Some(place) => {
                self.waiting[place as usize] = waiting;
                self.links[place as usize] = link;
                place
            }
            None => {
                self.waiting.push(waiting);
                self.links.push(link);
                (self.links.len() - 1) as u32
            }
        };
        match before {
            NONE => self.ends[bank].first = place,
            before => self.links[before as usize].after = place,
        }
        self.ends[bank].last = place;
        self.len += 1;
    }

    /// The oldest access to a bank, if any waits.
    #[inline]
    pub(crate) fn oldest(&self, bank: usize) -> Option<usize> {
        let first = self.ends[bank].first;
        (first != NONE).then_some(first as usize)
    }

    /// The accesses to a bank, in order of arrival.
    pub(crate) fn of_bank(&self, bank: usize) -> impl Iterator<Item = &Waiting> {
        let known = |place: u32| (place != NONE).then_some(place as usize);
        let first = known(self.ends[bank].first);
        let places = std::iter::successors(first, move |&before| known(self.links[before].after));
        places.map(|place| &self.waiting[place])
    }

    /// The oldest access to the open row of a bank. [`Queues::row_changes`] says that another row is open or none.
    #[inline]
    pub(crate) fn oldest_of_row(&mut self, bank: usize, row: u64) -> Option<usize> {
        let ends = &mut self.ends[bank];
        let mut next = match ends.passed {
            NONE => ends.first,
            passed => self.links[passed as usize].after,
        };
        while next != NONE {
            let link = self.links[next as usize];
            if link.row == row {
                return Some(next as usize);
            }
            ends.passed = next;
            next = link.after;
        }
        None
    }

    /// The open row of a bank changes.
    #[inline]
    pub(crate) fn row_changes(&mut self, bank: usize) {
        self.ends[bank].passed = NONE;
    }

    /// The access at a place.
    #[inline]
    pub(crate) fn waiting(&self, place: usize) -> &Waiting {
        &self.waiting[place]
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
            self.remove(bank, place);
        }
        taken
    }

    fn remove(&mut self, bank: usize, place: usize) {
        let Link { before, after, .. } = self.links[place];
        match before {
            NONE => self.ends[bank].first = after,
            before => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.ends[bank].last = before,
            after => self.links[after as usize].before = before,
        }
        let ends = &mut self.ends[bank];
        if ends.passed == place as u32 {
            ends.passed = before;
        }
        self.free.push(place as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, Queues, Waiting};
    use warplab_config::Ticks;
    use warplab_units::SectorMask;

    fn waiting(age: u64) -> Waiting {
        Waiting { row: 0, token: age, sectors: SectorMask(1), at: Ticks(0), age, opened: false }
    }

    fn places(queues: &Queues, bank: usize) -> Vec<usize> {
        let mut places: Vec<usize> = queues.oldest(bank).into_iter().collect();
        while let Some(&last) = places.last()
            && queues.links[last].after != NONE
        {
            places.push(queues.links[last].after as usize);
        }
        places
    }

    fn ages(queues: &Queues, bank: usize) -> Vec<u64> {
        places(queues, bank).into_iter().map(|place| queues.waiting(place).age).collect()
    }

    #[test]
    fn accesses_of_a_bank_stay_in_order_whichever_leaves() {
        for (taken, left) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
            let mut queues = Queues::new(2);
            (0..3).for_each(|age| queues.push(1, waiting(age)));
            let place = places(&queues, 1)[taken];
            assert_eq!(queues.take(1, place).age, taken as u64);
            assert_eq!(ages(&queues, 1), left);
            queues.push(1, waiting(9));
            assert_eq!(ages(&queues, 1), [left[0], left[1], 9]);
        }
    }

    #[test]
    fn the_oldest_access_of_a_row_is_found_again_whatever_came_and_went() {
        let mut queues = Queues::new(1);
        let rows = [5, 7, 5, 7];
        rows.into_iter().zip(0..).for_each(|(row, age)| queues.push(0, Waiting { row, ..waiting(age) }));
        let take = |queues: &mut Queues, row| {
            let place = queues.oldest_of_row(0, row)?;
            Some(queues.take(0, place).age)
        };
        assert_eq!([0; 3].map(|_| take(&mut queues, 7)), [Some(1), Some(3), None]);
        queues.push(0, Waiting { row: 7, ..waiting(4) });
        assert_eq!(take(&mut queues, 7), Some(4));
        queues.row_changes(0);
        assert_eq!([0; 3].map(|_| take(&mut queues, 5)), [Some(0), Some(2), None]);
    }

    #[test]
    fn the_sectors_of_an_access_are_taken_one_by_one() {
        let mut queues = Queues::new(1);
        queues.push(0, Waiting { sectors: SectorMask(0b1011), opened: true, ..waiting(0) });
        let place = queues.oldest(0).unwrap();
        let taken = [0; 3].map(|_| queues.take(0, place)).map(|taken| (taken.sectors.0, taken.opened));
        assert_eq!(taken, [(0b0001, true), (0b0010, false), (0b1000, false)]);
        assert!(!queues.is_waiting(place));
        assert_eq!((queues.len(), queues.oldest(0)), (0, None));
    }
}
