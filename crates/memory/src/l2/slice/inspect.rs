//! What an L2 slice holds and what waits in it, for people to look at.

use super::Slice;
use crate::cache::CacheView;
use crate::message::{Request, RequestKind};
use serde::Serialize;
use warplab_units::{Address, Cycle, SectorMask, SmId};

/// A line that is under way to a slice from DRAM or from the other half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct L2MshrView {
    /// The line.
    pub line: Address,
    /// Sectors that have not come.
    pub pending: SectorMask,
    /// Requests that wait for them.
    pub waiting: usize,
}

/// A request that has come to a slice and has not been looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RequestView {
    /// The SM that asks.
    pub sm: SmId,
    /// Its own number for the request.
    pub token: u32,
    /// The line.
    pub line: Address,
    /// The sectors of that line.
    pub sectors: SectorMask,
    /// What it asks for.
    pub kind: RequestKind,
    /// Bytes that it takes on the crossbar.
    pub bytes: u32,
    /// When it arrived.
    pub at: Cycle,
}

impl RequestView {
    fn new(request: &Request) -> RequestView {
        let Request { sm, token, line, sectors, kind, bytes, at, .. } = *request;
        RequestView { sm, token, line, sectors, kind, bytes, at }
    }
}

/// An L2 slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SliceView {
    /// Requests that have come and have not been looked up: those of the other half, then those of SMs.
    pub queue: Vec<RequestView>,
    /// Whether the first of either waits for an MSHR, a way of its set or the write queue of DRAM.
    pub blocked: bool,
    /// When the port can take the next request.
    pub port_free: Cycle,
    /// Lines under way from DRAM, then from the other half, each in order of addresses.
    pub mshrs: Vec<L2MshrView>,
    /// Its lines.
    pub cache: CacheView,
}

impl Slice {
    /// What the slice holds at the end of cycle `now`, with at most `sets` of its occupied sets from set `first` on.
    pub(crate) fn inspect(&self, now: Cycle, first: usize, sets: usize) -> SliceView {
        let inboxes = [&self.from_other_half, &self.from_sms];
        let come = inboxes.iter().flat_map(|inbox| inbox.requests()).filter(|request| request.at <= now);
        let under_way = [&self.mshrs, &self.far_mshrs].into_iter().flat_map(|mshrs| mshrs.ascending());
        let mshrs = under_way.map(|(line, mshr)| L2MshrView {
            line,
            pending: mshr.pending,
            waiting: mshr.waiters.len(),
        });
        SliceView {
            queue: come.map(RequestView::new).collect(),
            blocked: inboxes.iter().any(|inbox| inbox.is_blocked()),
            port_free: self.port_free.to_cycle(),
            mshrs: mshrs.collect(),
            cache: self.cache.inspect(first, sets),
        }
    }
}
