//! Miss status holding registers (MSHRs): lines under way from DRAM and the requests that wait for them.

use super::Asker;
use crate::cache::LineIndex;
use crate::message::Request;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warplab_units::{Address, SectorMask};

/// A request that waits, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiter {
    pub(crate) request: Request,
    pub(crate) asker: Asker,
}

/// One line under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mshr {
    /// Its place in the cache.
    pub(crate) index: LineIndex,
    /// Sectors that have been asked of DRAM and have not come.
    pub(crate) pending: SectorMask,
    /// Requests that wait for sectors of the line, in order of their arrival.
    pub(crate) waiters: Vec<Waiter>,
}

/// The lines of one slice that are under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mshrs {
    /// The entry of each line.
    lines: FxHashMap<u64, u32>,
    /// Entries in use and free ones, which keep the room of their waiters.
    entries: Vec<Mshr>,
    free: Vec<u32>,
}

impl Mshrs {
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn contains(&self, line: Address) -> bool {
        self.lines.contains_key(&line.0)
    }

    pub(crate) fn get_mut(&mut self, line: Address) -> Option<&mut Mshr> {
        self.lines.get(&line.0).map(|&entry| &mut self.entries[entry as usize])
    }

    /// Lets a request wait for sectors that it lacks. Gives the sectors of `fetch` that nobody has asked for yet, which
    /// are pending from now on, and how many of `missing` were on their way already.
    pub(crate) fn wait(
        &mut self,
        waiter: Waiter,
        index: LineIndex,
        missing: SectorMask,
        fetch: SectorMask,
    ) -> Waiting {
        let Mshrs { lines, entries, free } = self;
        let entry = *lines.entry(waiter.request.line.0).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                entries.push(Mshr { index, pending: SectorMask::EMPTY, waiters: Vec::new() });
                (entries.len() - 1) as u32
            })
        });
        let mshr = &mut entries[entry as usize];
        mshr.index = index;
        let waiting = Waiting { fetch: fetch & !mshr.pending, merged: (missing & mshr.pending).count() };
        mshr.waiters.push(waiter);
        mshr.pending |= waiting.fetch;
        waiting
    }

    /// The lines under way and their entries, in order of addresses.
    pub(crate) fn ascending(&self) -> Vec<(Address, &Mshr)> {
        let lines = self.lines.iter();
        let mut lines: Vec<(Address, &Mshr)> =
            lines.map(|(&line, &entry)| (Address(line), &self.entries[entry as usize])).collect();
        lines.sort_unstable_by_key(|&(line, _)| line);
        lines
    }

    /// Nothing of a line is under way any more.
    pub(crate) fn release(&mut self, line: Address) {
        if let Some(entry) = self.lines.remove(&line.0) {
            self.entries[entry as usize].waiters.clear();
            self.free.push(entry);
        }
    }
}

/// What [`Mshrs::wait`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Sectors to ask of DRAM.
    pub(crate) fetch: SectorMask,
    /// Sectors that were under way already.
    pub(crate) merged: u32,
}

/// In order of lines, so that equal states are equal bytes.
impl Serialize for Mshrs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.ascending().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mshrs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Mshrs, D::Error> {
        let (lines, entries): (Vec<u64>, Vec<Mshr>) =
            Vec::<(u64, Mshr)>::deserialize(deserializer)?.into_iter().unzip();
        let lines = lines.into_iter().zip(0..).collect();
        Ok(Mshrs { lines, entries, free: Vec::new() })
    }
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
        assert_eq!(waiting, Waiting { fetch: SectorMask(0b0011), merged: 0 });
    }

    #[test]
    fn a_miss_of_a_sector_under_way_merges_and_fetches_nothing() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 0b0001), 0b0011);
        let second = wait(&mut mshrs, read(0, 2, 0b0010), 0b0011);
        assert_eq!(second, Waiting { fetch: SectorMask::EMPTY, merged: 1 });
        assert_eq!(mshrs.len(), 1);
    }

    #[test]
    fn a_miss_of_another_sector_of_the_line_fetches_only_that() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 0b0001), 0b0011);
        let second = wait(&mut mshrs, read(0, 2, 0b0110), 0b1111);
        assert_eq!(second, Waiting { fetch: SectorMask(0b1100), merged: 1 });
    }

    #[test]
    fn requests_of_a_line_wait_in_order_of_arrival() {
        let mut mshrs = Mshrs::default();
        for token in [5, 3, 4] {
            wait(&mut mshrs, read(128, token, 1), 1);
        }
        let waiters = &mshrs.get_mut(Address(128)).unwrap().waiters;
        assert_eq!(waiters.iter().map(|waiter| waiter.request.token).collect::<Vec<u32>>(), [5, 3, 4]);
    }

    #[test]
    fn a_released_line_leaves_nothing() {
        let mut mshrs = Mshrs::default();
        wait(&mut mshrs, read(0, 1, 1), 1);
        assert!(mshrs.contains(Address(0)) && !mshrs.contains(Address(128)));
        mshrs.release(Address(0));
        assert!(mshrs.is_empty() && !mshrs.contains(Address(0)));
    }

    #[test]
    fn equal_states_are_equal_bytes_whatever_the_order_in_which_lines_came() {
        let lines = [0u64, 128, 4096, 77 * 128, 12_800_000];
        let (mut forward, mut backward) = (Mshrs::default(), Mshrs::default());
        for line in lines {
            wait(&mut forward, read(line, 0, 1), 1);
        }
        for line in lines.into_iter().rev() {
            wait(&mut backward, read(line, 0, 1), 1);
        }
        let bytes = [&forward, &backward].map(|mshrs| postcard::to_allocvec(mshrs).unwrap());
        assert_eq!(bytes[0], bytes[1]);
        let restored: Mshrs = postcard::from_bytes(&bytes[0]).unwrap();
        assert_eq!(postcard::to_allocvec(&restored).unwrap(), bytes[0]);
    }
}
