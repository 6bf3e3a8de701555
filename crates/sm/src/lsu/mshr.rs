//! MSHRs: lines under way from L2 to L1, and who waits for them.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_memory::LineTable;
use warplab_trace::QueueCounters;
use warplab_units::{Address, Cycle, SectorMask};

/// The number of a load that waits, as the LSU counts them.
pub(crate) type LoadId = u32;

/// One line under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Mshr {
    requested: SectorMask,
    waiters: SmallVec<[(SectorMask, LoadId); 2]>,
}

/// The miss status holding registers of an L1, one for each line under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mshrs {
    lines: LineTable<Mshr>,
    /// Requests under way.
    pub(crate) counters: QueueCounters,
}

impl Mshrs {
    /// How many are in use.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The lines under way in order of addresses, with the sectors that were requested and the loads that wait.
    pub(crate) fn ascending(&self) -> Vec<(Address, SectorMask, impl Iterator<Item = LoadId>)> {
        let lines = self.lines.ascending().into_iter();
        lines.map(|(line, mshr)| (line, mshr.requested, mshr.waiters.iter().map(|&(_, load)| load))).collect()
    }

    /// Fetches where a line is to be found if it is under way.
    #[inline]
    pub(crate) fn fetch_slot(&self, line: Address) {
        self.lines.fetch_slot(line);
    }

    /// Fetches entries for so many lines that will come.
    #[inline]
    pub(crate) fn fetch_free(&self, lines: usize) {
        self.lines.fetch_free(lines);
    }

    /// The first load that waits for a line.
    #[inline]
    pub(crate) fn first_waiter(&self, line: Address) -> Option<LoadId> {
        self.lines.get(line)?.waiters.first().map(|&(_, load)| load)
    }

    /// Fetches what is known of a line under way.
    #[inline]
    pub(crate) fn fetch_entry(&self, line: Address) {
        self.lines.fetch_entry(line);
    }

    /// Whether a load of this many lines can start. One that wants more lines than there are entries goes alone.
    pub(crate) fn have_room(&self, lines: usize, entries: usize) -> bool {
        self.lines.is_empty() || self.lines.len() + lines <= entries
    }

    /// A load waits for sectors of a line. Returns those that nobody has requested yet.
    pub(crate) fn wait(
        &mut self,
        line: Address,
        sectors: SectorMask,
        load: LoadId,
        now: Cycle,
    ) -> SectorMask {
        let mshr = self.lines.get_or_insert(line);
        let request = sectors & !mshr.requested;
        mshr.requested |= request;
        mshr.waiters.push((sectors, load));
        if !request.is_empty() {
            self.counters.enters(now.0);
        }
        request
    }

    /// Sectors have come that were requested at `sent`. The loads that have all they waited for in this line go to `done`.
    pub(crate) fn fill(
        &mut self,
        line: Address,
        sectors: SectorMask,
        sent: Cycle,
        now: Cycle,
        done: &mut Vec<LoadId>,
    ) {
        self.counters.leaves(now.0, sent.0);
        self.lines.change(line, |mshr| {
            mshr.requested = mshr.requested & !sectors;
            // Mostly one load waits, for nothing else.
            if let [(wanted, load)] = mshr.waiters[..]
                && sectors.contains(wanted)
            {
                done.push(load);
                mshr.waiters.clear();
            } else {
                mshr.waiters.retain(|(wanted, load)| {
                    *wanted = *wanted & !sectors;
                    if wanted.is_empty() {
                        done.push(*load);
                    }
                    !wanted.is_empty()
                });
            }
            ((), !mshr.requested.is_empty() || !mshr.waiters.is_empty())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{LoadId, Mshrs};
    use warplab_units::{Address, Cycle, SectorMask};

    const LINE: Address = Address(0x1000);

    fn fill(mshrs: &mut Mshrs, line: Address, sectors: u8, sent: u64, now: u64) -> Vec<LoadId> {
        let mut done = Vec::new();
        mshrs.fill(line, SectorMask(sectors), Cycle(sent), Cycle(now), &mut done);
        done
    }

    #[test]
    fn a_first_miss_requests_its_sectors() {
        let mut mshrs = Mshrs::default();
        assert_eq!(mshrs.wait(LINE, SectorMask(0b0011), 0, Cycle(5)), SectorMask(0b0011));
    }

    #[test]
    fn a_second_miss_requests_only_what_is_not_under_way() {
        let mut mshrs = Mshrs::default();
        mshrs.wait(LINE, SectorMask(0b0011), 0, Cycle(5));
        assert_eq!(mshrs.wait(LINE, SectorMask(0b0110), 1, Cycle(6)), SectorMask(0b0100));
        assert_eq!(mshrs.wait(LINE, SectorMask(0b0001), 2, Cycle(7)), SectorMask::EMPTY);
        assert_eq!(mshrs.counters.arrivals, 2);
    }

    #[test]
    fn a_reply_wakes_every_load_that_was_merged_in_order_of_arrival() {
        let mut mshrs = Mshrs::default();
        for load in 0..3 {
            mshrs.wait(LINE, SectorMask(0b0001), load, Cycle(5));
        }
        assert_eq!(fill(&mut mshrs, LINE, 0b0001, 5, 300), [0, 1, 2]);
        assert_eq!(mshrs.counters.total_latency, 295);
    }

    #[test]
    fn a_load_waits_for_all_its_sectors() {
        let mut mshrs = Mshrs::default();
        mshrs.wait(LINE, SectorMask(0b0001), 0, Cycle(5));
        mshrs.wait(LINE, SectorMask(0b0011), 1, Cycle(6));
        assert_eq!(fill(&mut mshrs, LINE, 0b0001, 5, 300), [0]);
        assert_eq!(fill(&mut mshrs, LINE, 0b0010, 6, 301), [1]);
    }

    #[test]
    fn the_entries_bound_the_lines_under_way_and_a_reply_makes_room() {
        let mut mshrs = Mshrs::default();
        mshrs.wait(Address(0), SectorMask(1), 0, Cycle(1));
        mshrs.wait(Address(128), SectorMask(1), 0, Cycle(1));
        assert!(mshrs.have_room(2, 4));
        assert!(!mshrs.have_room(3, 4));
        fill(&mut mshrs, Address(0), 1, 1, 90);
        assert!(mshrs.have_room(3, 4));
    }

    #[test]
    fn a_load_of_more_lines_than_entries_goes_when_nothing_is_under_way() {
        let mut mshrs = Mshrs::default();
        assert!(mshrs.have_room(32, 4));
        mshrs.wait(Address(0), SectorMask(1), 0, Cycle(1));
        assert!(!mshrs.have_room(32, 4));
    }
}
