//! What a slice will need of the host's memory, fetched ahead: what it keeps of many lines is seldom in the caches of the host.
//! Asked for together, it comes together; each step finds what the one before has fetched.

use super::Slice;
use crate::l2::mshr::Mshrs;
use crate::map::Half;
use crate::message::{Line, Request, RequestKind};
use warplab_units::{Address, Cycle};

/// Replies that have left and are forgotten soon: no more of them than requests that are looked up in an epoch, mostly.
const FEW: usize = 32;

impl Slice {
    /// An epoch begins to which so many requests of SMs and of the other half have come. Nothing more happens before `start`.
    pub(crate) fn expect(&mut self, start: Cycle, [of_sms, of_other_half]: [usize; 2]) {
        self.from_sms.expect(of_sms);
        self.from_other_half.expect(of_other_half);
        if self.coalescer.has_answered()
            && let Some(first) = self.from_sms.first_arrival()
        {
            self.coalescer.forget(first.min(start));
        }
    }

    /// Fetches what the requests need that will be looked up before `until`.
    pub(crate) fn fetch_for_requests(&self, until: Cycle) {
        // A write asks nothing of what waits for data.
        let waits = |request: &Request| !matches!(request.kind, RequestKind::Write { .. });
        self.from_sms.look_at_expected(|request| {
            self.cache.fetch_set_and_lines(request.local_line);
            if waits(request) {
                self.coalescer.fetch_slot(request.line);
                self.mshrs_of(request).fetch_slot(request.line);
            }
        });
        self.from_other_half.look_at_expected(|request| {
            self.cache.fetch_set_and_lines(request.local_line);
            if waits(request) {
                self.mshrs.fetch_slot(request.line);
            }
        });
        let leaving = self.coalescer.leaving(until).take(FEW);
        leaving.clone().for_each(|line| self.coalescer.fetch_slot(line));
        self.from_sms.look_at_expected(|request| {
            if waits(request) {
                self.coalescer.fetch_entry(request.line);
                self.mshrs_of(request).fetch_entry(request.line);
            }
        });
        self.from_other_half.look_at_expected(|request| {
            if waits(request) {
                self.mshrs.fetch_entry(request.line);
            }
        });
        leaving.for_each(|line| self.coalescer.fetch_entry(line));
    }

    /// Where the line of an SM's request waits for data.
    #[inline]
    fn mshrs_of(&self, request: &Request) -> &Mshrs {
        if Half::from(request.home) == self.half { &self.mshrs } else { &self.far_mshrs }
    }

    /// Fetches where is to be found what data needs that comes from DRAM.
    #[inline]
    pub(crate) fn fetch_slots(&self, line: Address) {
        self.coalescer.fetch_slot(line);
        self.mshrs.fetch_slot(line);
    }

    /// Fetches what is known of a line whose data comes from DRAM.
    #[inline]
    pub(crate) fn fetch_entries(&self, line: Address) {
        self.coalescer.fetch_entry(line);
        self.mshrs.fetch_entry(line);
    }

    /// Fetches the place of a line in the cache whose data comes from DRAM.
    #[inline]
    pub(crate) fn fetch_place(&self, line: Address) {
        if let Some(index) = self.mshrs.place(line) {
            self.cache.fetch_place(index);
        }
    }

    /// Fetches where is to be found what data needs that comes from the other half.
    pub(crate) fn fetch_far_slots(&self, line: Line) {
        self.coalescer.fetch_slot(line.address);
        self.far_mshrs.fetch_slot(line.address);
        self.cache.fetch_set_and_lines(line.local);
    }

    /// Fetches what is known of a line whose data comes from the other half.
    pub(crate) fn fetch_far_entries(&self, line: Line) {
        self.coalescer.fetch_entry(line.address);
        self.far_mshrs.fetch_entry(line.address);
    }
}
