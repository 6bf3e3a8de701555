//! What a slice will need of the host's memory, fetched ahead: what it keeps of many lines is seldom in the caches of the host.
//! Asked for together, it comes together; each step finds what the one before has fetched.

use super::Slice;
use crate::message::{Line, Request};
use std::collections::VecDeque;
use warplab_units::{Address, Cycle};

impl Slice {
    /// Fetches what the requests need that have come last, so many of SMs and of the other half.
    pub(crate) fn fetch_for_requests(&self, until: Cycle, [of_sms, of_other_half]: [usize; 2]) {
        let of_sms = newest(&self.from_sms.requests, of_sms);
        let arrived = of_sms.chain(newest(&self.from_other_half.requests, of_other_half));
        for request in arrived.clone() {
            self.cache.fetch_set(request.local_line);
            self.coalescer.fetch_slot(request.line);
            self.mshrs.fetch_slot(request.line);
            self.far_mshrs.fetch_slot(request.line);
        }
        self.coalescer.leaving(until).for_each(|line| self.coalescer.fetch_slot(line));
        for request in arrived {
            self.cache.fetch_line(request.line, request.local_line);
            self.coalescer.fetch_entry(request.line);
            self.mshrs.fetch_entry(request.line);
            self.far_mshrs.fetch_entry(request.line);
        }
        self.coalescer.leaving(until).for_each(|line| self.coalescer.fetch_entry(line));
    }

    /// Fetches where is to be found what data needs that comes from DRAM or from the other half.
    pub(crate) fn fetch_slots(&self, line: Address) {
        self.coalescer.fetch_slot(line);
        self.mshrs.fetch_slot(line);
        self.far_mshrs.fetch_slot(line);
    }

    /// Fetches what is known of lines whose data comes.
    pub(crate) fn fetch_entries(&self, line: Address) {
        self.coalescer.fetch_entry(line);
        self.mshrs.fetch_entry(line);
        self.far_mshrs.fetch_entry(line);
    }

    /// Fetches the place of a line in the cache whose data comes from DRAM.
    pub(crate) fn fetch_place(&self, line: Address) {
        if let Some(index) = self.mshrs.place(line) {
            self.cache.fetch_place(index);
        }
    }

    /// Fetches the set of a line whose data comes from the other half.
    pub(crate) fn fetch_set(&self, line: Line) {
        self.cache.fetch_set(line.local);
    }

    /// Fetches the place of a line in the cache whose data comes from the other half.
    pub(crate) fn fetch_line(&self, line: Line) {
        self.cache.fetch_line(line.address, line.local);
    }
}

/// The requests that have come last.
fn newest(requests: &VecDeque<Request>, count: usize) -> impl Iterator<Item = &Request> + Clone {
    requests.range(requests.len().saturating_sub(count)..)
}
