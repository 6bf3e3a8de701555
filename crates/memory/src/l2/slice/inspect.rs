//! What an L2 slice holds and what waits in it, for people to look at.

use super::Slice;
use crate::cache::CacheView;
use crate::message::Request;
use serde::Serialize;
use warplab_units::{Address, Cycle, SectorMask};

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

/// An L2 slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SliceView {
    /// Requests that have come and have not been looked up: those of the other half, then those of SMs.
    pub queue: Vec<Request>,
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
        let come = inboxes.iter().flat_map(|inbox| &inbox.requests).filter(|request| request.at <= now);
        let under_way = [&self.mshrs, &self.far_mshrs].into_iter().flat_map(|mshrs| mshrs.ascending());
        let mshrs = under_way.map(|(line, mshr)| L2MshrView {
            line,
            pending: mshr.pending,
            waiting: mshr.waiters.len(),
        });
        SliceView {
            queue: come.copied().collect(),
            blocked: inboxes.iter().any(|inbox| inbox.blocked),
            port_free: self.port_free.to_cycle(),
            mshrs: mshrs.collect(),
            cache: self.cache.inspect(first, sets),
        }
    }
}
