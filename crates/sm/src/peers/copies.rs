//! Copies of many lines to other blocks of a cluster.

use super::FLIT_BYTES;
use super::flits::FLIT;
use super::message::{PeerContent, PeerTarget};
use crate::sm::Advance;
use warplab_exec::Arrival;
use warplab_exec::peers::PeerRequest;
use warplab_units::Cycle;

impl Advance<'_> {
    /// A warp copies from its shared memory to that of another block, whose barrier is told.
    #[cold]
    pub(crate) fn copy_to_peer(&mut self, slot: usize, barrier: u32, bytes: u32) {
        let spec = self.clusters();
        let mut requests = std::mem::take(&mut self.sm.scratch.record.peers);
        let Some(rank) = requests.first().map(|request| request.rank) else { return };
        let come = Arrival { bytes: -i64::from(bytes), ..Arrival::default() };
        requests.push(PeerRequest::arrival(rank, u64::from(barrier), come));
        let start = self.sm.now + u64::from(spec.copy_start);
        let left = self.pass_out(start, FLIT * (bytes.div_ceil(FLIT_BYTES) + 1));
        self.send_requests(slot, rank, requests, left);
    }

    /// What a copy brings to several blocks comes to the other ones; their barriers are not yet told.
    #[cold]
    pub(crate) fn give_to_peers(&mut self, slot: usize) {
        let now = self.sm.now;
        let mut all = std::mem::take(&mut self.sm.scratch.record.peers);
        while let Some(rank) = all.first().map(|request| request.rank) {
            let (of_rank, others) = all.into_iter().partition(|request| request.rank == rank);
            all = others;
            self.send_requests(slot, rank, of_rank, now);
        }
    }

    /// What a copy has brought to several blocks has come: the barriers of the other ones are told.
    #[cold]
    pub(crate) fn tell_peers(&mut self, slot: usize, ranks: u16, barrier: u32, come: Arrival) {
        let now = self.sm.now;
        for rank in (0..16).filter(|rank| ranks >> rank & 1 != 0) {
            let told = PeerRequest::arrival(rank, u64::from(barrier), come);
            self.send_requests(slot, rank, vec![told], now);
        }
    }

    /// Requests for which nobody waits leave at a cycle.
    fn send_requests(&mut self, slot: usize, rank: u8, requests: Vec<PeerRequest>, left: Cycle) {
        let block = self.block_of_rank(slot, rank);
        let (from, at) = (self.sm.id, left + u64::from(self.clusters().way));
        let what = PeerContent::Requests { requests, asker: None };
        self.sm.peers.send(from, at, PeerTarget::Block(block), what);
    }
}
