//! Reads that come with the reply to a neighbour, and replies that many wait for.

use super::{Asker, L2Spec, Slice, SliceOutput, reply};
use crate::l2::coalescer::Coalesced;
use crate::l2::mshr::Waiter;
use crate::map::Half;
use crate::message::{Request, RequestKind};
use warplab_config::Ticks;

impl Slice {
    /// Whether a request need not be looked up, as the reply to a neighbour brings what it asks for.
    pub(super) fn coalesce(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        home: Half,
        now: Ticks,
        output: &mut SliceOutput<'_>,
    ) -> bool {
        let Some(coalescer) = spec.coalescer.as_ref().filter(|_| request.joins()) else {
            return false;
        };
        let Some(coalesced) = self.coalescer.follow(coalescer, request) else { return false };
        output.counters.coalesced_sectors += u64::from(request.sectors.count());
        output.counters.coalesced_requests += 1;
        match coalesced {
            Coalesced::Reply(left) => {
                reply(spec, request, left.max(now.to_cycle()), true, output);
            }
            Coalesced::Own(left) => {
                self.port_free = self.port_free.max(now) + spec.sector_time(request);
                let at = self.port_free + spec.hit;
                reply(spec, request, left.max(at.to_cycle()), false, output);
            }
            Coalesced::Waiting => {
                let mshrs = if home == self.half { &mut self.mshrs } else { &mut self.far_mshrs };
                mshrs.follow(Waiter { request: *request, asker: Asker::Neighbour });
            }
        }
        true
    }

    /// A request waits for data: neighbours may wait for the same.
    pub(super) fn wait_for_data(&mut self, spec: &L2Spec, waiter: &Waiter) {
        if let Some(coalescer) = &spec.coalescer
            && waiter.asker == Asker::Sm
            && waiter.request.joins()
        {
            self.coalescer.waits(coalescer, &waiter.request);
        }
    }

    /// When data that came `at` has passed the port for a request that waited for it, that of a neighbour together with it. It
    /// passes like any other, whether DRAM or the other half has sent it (measured: traces/h200/lsu, `k_stream_red`;
    /// traces/h200/lsu, stamps.txt).
    pub(super) fn late_answer(&mut self, spec: &L2Spec, request: &Request, asker: Asker, at: Ticks) -> Ticks {
        if request.kind != RequestKind::Read {
            return at;
        }
        let start = self.port_free.max(at);
        if asker == Asker::Neighbour {
            return start;
        }
        self.port_free = start + spec.sector_time(request);
        self.port_free
    }
}
