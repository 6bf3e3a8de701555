//! Miss status holding registers (MSHRs): lines under way from DRAM and the requests that wait for them.

use super::Asker;
use crate::cache::LineIndex;
use crate::line_table::LineTable;
use crate::message::Request;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_units::{Address, SectorMask};

/// A request that waits, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiter {
    pub(crate) request: Request,
    pub(crate) asker: Asker,
}

/// Requests for sectors of one line, in order of their arrival: mostly one.
pub(crate) type Waiters = SmallVec<[Waiter; 1]>;

/// One line under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mshr {
    /// Its place in the cache.
    pub(crate) index: LineIndex,
    /// Sectors that have been asked of DRAM and have not come.
    pub(crate) pending: SectorMask,
    /// Requests that wait for sectors of the line.
    pub(crate) waiters: Waiters,
    /// Whether sectors are written back once they are there.
    pub(crate) write_back: bool,
}

impl Mshr {
    /// Takes out the requests that wait for nothing more than the sectors that can be read; they go to `ready`.
    #[inline]
    fn take_ready(&mut self, readable: SectorMask, ready: &mut Vec<Waiter>) {
        if let [waiter] = self.waiters[..] {
            // Mostly one request waits.
            if readable.contains(waiter.request.sectors) {
                ready.push(waiter);
                self.waiters.clear();
            }
            return;
        }
        self.waiters.retain(|waiter| {
            let is_ready = readable.contains(waiter.request.sectors);
            if is_ready {
                ready.push(*waiter);
            }
            !is_ready
        });
    }
}

/// The lines of one slice that are under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mshrs(LineTable<Mshr>);

impl Mshrs {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, line: Address) -> bool {
        self.0.contains(line)
    }

    /// Fetches where a line is to be found.
    pub(crate) fn fetch_slot(&self, line: Address) {
        self.0.fetch_slot(line);
    }

    /// Fetches what is known of a line.
    pub(crate) fn fetch_entry(&self, line: Address) {
        self.0.fetch_entry(line);
    }

    /// The place of a line that is under way.
    pub(crate) fn place(&self, line: Address) -> Option<LineIndex> {
        self.0.get(line).map(|mshr| mshr.index)
    }

    /// Sectors of a line have come; `readable` says which of the line are there now. Requests that wait for nothing any more
    /// go to `ready`. Nothing where the line is not under way.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        line: Address,
        sectors: SectorMask,
        ready: &mut Vec<Waiter>,
        readable: impl FnOnce(&Mshr) -> SectorMask,
    ) -> Option<Arrived> {
        self.0.change(line, |mshr| {
            mshr.pending = mshr.pending & !sectors;
            let readable = readable(mshr);
            mshr.take_ready(readable, ready);
            let complete = mshr.pending.is_empty();
            (Arrived { index: mshr.index, complete, write_back: mshr.write_back }, !complete)
        })
    }

    /// Lets a request wait for sectors that it lacks. Gives the sectors of `fetch` that nobody has asked for yet, which
    /// are pending from now on, and which of `missing` were on their way already.
    pub(crate) fn wait(
        &mut self,
        waiter: Waiter,
        index: LineIndex,
        missing: SectorMask,
        fetch: SectorMask,
    ) -> Waiting {
        let mshr = self.0.get_or_insert(waiter.request.line);
        mshr.index = index;
        let waiting = Waiting { fetch: fetch & !mshr.pending, merged: missing & mshr.pending };
        mshr.waiters.push(waiter);
        mshr.pending |= waiting.fetch;
        waiting
    }

    /// The rest of sectors that were written in part is asked of DRAM, unless it is under way: they are written back when that
    /// has come. Gives those that nobody has asked for yet.
    pub(crate) fn complete(&mut self, line: Address, index: LineIndex, sectors: SectorMask) -> SectorMask {
        if sectors.is_empty() {
            return sectors;
        }
        let mshr = self.0.get_or_insert(line);
        let sectors = sectors & !mshr.pending;
        (mshr.index, mshr.pending, mshr.write_back) = (index, mshr.pending | sectors, true);
        sectors
    }

    /// Lets a request wait for what another one has asked for.
    pub(crate) fn follow(&mut self, waiter: Waiter) {
        self.0.get_or_insert(waiter.request.line).waiters.push(waiter);
    }

    /// The lines under way and their entries, in order of addresses.
    pub(crate) fn ascending(&self) -> Vec<(Address, &Mshr)> {
        self.0.ascending()
    }
}

/// What [`Mshrs::arrive`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// The place of the line in the cache.
    pub(crate) index: LineIndex,
    /// Whether nothing of the line is under way any more.
    pub(crate) complete: bool,
    /// Whether what is there is written back.
    pub(crate) write_back: bool,
}

/// What [`Mshrs::wait`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Sectors to ask of DRAM.
    pub(crate) fetch: SectorMask,
    /// Sectors that were under way already.
    pub(crate) merged: SectorMask,
}

#[cfg(test)]
mod tests {
    use super::{Mshrs, Waiter, Waiting};
    use crate::cache::LineIndex;
    use crate::l2::Asker;
    use crate::message::{Request, RequestKind};
    use warplab_units::{Address, Cycle, SectorMask, SmId};

    fn read(line: u64, token: u32, sectors: u8) -> Request {
        Request {
            sm: SmId(0),
            token,
            line: Address(line),
            local_line: 0,
            home: 0,
            sectors: SectorMask(sectors),
            kind: RequestKind::Read,
            bytes: 8,
            at: Cycle(0),
        }
    }

    fn wait(mshrs: &mut Mshrs, request: Request, fetch: u8) -> Waiting {
        let waiter = Waiter { request, asker: Asker::Sm };
        mshrs.wait(waiter, LineIndex::default(), request.sectors, SectorMask(fetch))
    }

    #[test]
    fn the_first_miss_of_a_line_fetches_what_it_lacks() {
        let waiting = wait(&mut Mshrs::default(), read(0, 1, 0b0001), 0b0011);
        assert_eq!(waiting, Waiting { fetch: SectorMask(0b0011), merged: SectorMask::EMPTY });
    }

    #[test]
    fn a_miss_of_a_sector_under_way_merges_and_fetches_nothing() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 0b0001), 0b0011);
        let second = wait(&mut mshrs, read(0, 2, 0b0010), 0b0011);
        assert_eq!(second, Waiting { fetch: SectorMask::EMPTY, merged: SectorMask(0b0010) });
        assert_eq!(mshrs.len(), 1);
    }

    #[test]
    fn a_miss_of_another_sector_of_the_line_fetches_only_that() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 0b0001), 0b0011);
        let second = wait(&mut mshrs, read(0, 2, 0b0110), 0b1111);
        assert_eq!(second, Waiting { fetch: SectorMask(0b1100), merged: SectorMask(0b0010) });
    }

    #[test]
    fn requests_of_a_line_wait_in_order_of_arrival() {
        let mut mshrs = Mshrs::default();
        for token in [5, 3, 4] {
            wait(&mut mshrs, read(128, token, 1), 1);
        }
        let mut ready = Vec::new();
        mshrs.arrive(Address(128), SectorMask(1), &mut ready, |_| SectorMask(1)).unwrap();
        assert_eq!(ready.iter().map(|waiter| waiter.request.token).collect::<Vec<u32>>(), [5, 3, 4]);
    }

    #[test]
    fn a_released_line_leaves_nothing() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 1), 1);
        assert!(mshrs.contains(Address(0)) && !mshrs.contains(Address(128)));
        let arrived = mshrs.arrive(Address(0), SectorMask(1), &mut Vec::new(), |_| SectorMask(1));
        assert!(arrived.unwrap().complete);
        assert!(mshrs.is_empty() && !mshrs.contains(Address(0)));
    }
}
