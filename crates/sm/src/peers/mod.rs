//! Shared memory of other blocks of a cluster: accesses leave through a port of the SM, act when they arrive at the other one, and
//! come back with what they gave.

mod barrier;
mod copies;
mod flits;
mod message;

use crate::lsu::{Outcome, Owner, Work};
use crate::sm::{Advance, Sm};
use crate::values::AtomicResult;
pub use message::{PeerContent, PeerMessage, PeerTarget};
use message::{PeerLanes, PeerValues};
use serde::{Deserialize, Serialize};
use slab::Slab;
use std::collections::VecDeque;
use warplab_config::gpu::BlockClusters;
use warplab_exec::peers::{PeerRequest, PeerWork};
use warplab_units::{Cycle, SmId};

/// Parts of a cycle in which ports count.
const PARTS: u64 = 256;
/// Bytes of what passes a port at once.
const FLIT_BYTES: u32 = 32;
/// The register to which nothing is written.
const NO_REGISTER: u8 = u8::MAX;

/// What is under way between an SM and the others of its clusters.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Peers {
    /// Instructions that wait for answers, or to leave.
    asked: Slab<Asked>,
    /// What has been sent in this epoch.
    outbox: Vec<PeerMessage>,
    /// What arrives, in this order.
    inbox: VecDeque<PeerMessage>,
    sent: u64,
    /// When the port out is free, and that for what comes in, in parts of a cycle.
    out_free: u64,
    in_free: u64,
}

/// An instruction that asks something of other blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asked {
    owner: Owner,
    /// What it asks, until it has left, by block.
    requests: Vec<(u64, Vec<PeerRequest>)>,
    /// Answers that have not come.
    missing: u32,
    /// Whether it waits for answers, and whether fences do.
    waits: bool,
    is_kept: bool,
}

impl Peers {
    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.asked.is_empty() && self.inbox.is_empty() && self.outbox.is_empty()
    }

    /// When the first message comes, or never.
    #[inline]
    pub(crate) fn next(&self) -> Cycle {
        self.inbox.front().map_or(Cycle::NEVER, |message| message.at)
    }

    fn send(&mut self, from: SmId, at: Cycle, to: PeerTarget, what: PeerContent) {
        self.sent += 1;
        self.outbox.push(PeerMessage { at, from, number: self.sent, to, what });
    }
}

impl Sm {
    /// Takes what has been sent to other SMs of its clusters since the last call.
    pub fn take_peer_messages(&mut self, messages: &mut Vec<PeerMessage>) {
        messages.append(&mut self.peers.outbox);
    }

    /// Something comes from another SM of a cluster.
    pub fn deliver_peer_message(&mut self, message: PeerMessage) {
        let inbox = &mut self.peers.inbox;
        let place = inbox.partition_point(|other| other.order() <= message.order());
        self.next_reply = self.next_reply.min(message.at);
        inbox.insert(place, message);
    }
}

impl Advance<'_> {
    fn clusters(&self) -> BlockClusters {
        self.context.spec.clusters
    }

    /// What the load/store unit has to do for what the last instruction of a warp asks of other blocks.
    #[cold]
    #[inline(never)]
    pub(crate) fn peer_work(&mut self, slot: usize, kept: bool) -> Work {
        let asked = std::mem::take(&mut self.sm.scratch.record.peers);
        let wants_values = asked.iter().any(|request| request.work.destination().is_some());
        // What changes memory is waited for by fences; loads are not.
        let changes = |request: &PeerRequest| !matches!(request.work, PeerWork::Load { .. });
        let is_kept = kept && asked.iter().any(changes);
        let waits = wants_values || is_kept;
        let mut requests: Vec<(u64, Vec<PeerRequest>)> = Vec::new();
        for request in asked {
            let block = self.block_of_rank(slot, request.rank);
            match requests.iter_mut().find(|(other, _)| *other == block) {
                Some((_, of_block)) => of_block.push(request),
                None => requests.push((block, vec![request])),
            }
        }
        let warp = &self.sm.warps[slot];
        let owner =
            Owner { slot: slot as u8, generation: warp.generation, write_barrier: None, read_barrier: None };
        let missing = requests.len() as u32;
        let number = self.sm.peers.asked.insert(Asked { owner, requests, missing, waits, is_kept }) as u32;
        Work::Peers { number, passes: 1, acknowledged: is_kept }
    }

    /// The number of the block of a rank in the cluster of a warp.
    fn block_of_rank(&self, slot: usize, rank: u8) -> u64 {
        let place = usize::from(self.sm.warps[slot].block);
        let block = self.sm.blocks[place].as_ref().map_or(0, |block| block.number);
        let clusters = self.context.launch.constants.grid_clusters();
        clusters.map_or(block, |clusters| clusters.block(clusters.cluster_of(block), u32::from(rank)))
    }

    /// What an instruction asks of other blocks leaves the load/store unit at a cycle.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_to_peers(&mut self, number: u32, owner: Owner, at: Cycle) {
        let spec = self.clusters();
        let Some(asked) = self.sm.peers.asked.get_mut(number as usize) else { return };
        asked.owner = owner;
        let (waits, is_kept) = (asked.waits, asked.is_kept);
        let requests = std::mem::take(&mut asked.requests);
        let count = requests.len() as u16;
        let mut left = at;
        for (block, requests) in requests {
            left = self.pass_out(at, requests.iter().map(flits::asked).sum());
            let asker = waits.then_some(number);
            let (from, arrival) = (self.sm.id, left + way(&requests, &spec));
            let what = PeerContent::Requests { requests, asker };
            self.sm.peers.send(from, arrival, PeerTarget::Block(block), what);
        }
        if !waits {
            self.sm.peers.asked.try_remove(number as usize);
            Outcome::result(owner, left).into_iter().for_each(|done| self.peer_outcome(done));
        }
        if !is_kept && waits {
            self.sm.lsu.asked_lines += u64::from(count);
        }
        if is_kept {
            let Owner { slot, generation, .. } = owner;
            self.peer_outcome(Outcome::Sent { slot, generation, requests: count, at: left });
        }
    }

    /// So many thirds of flits pass the port out from a cycle on: when they have.
    fn pass_out(&mut self, at: Cycle, thirds: u32) -> Cycle {
        let taken = taken(thirds, self.clusters().send_bytes);
        let free = &mut self.sm.peers.out_free;
        *free = (*free).max(at.0 * PARTS) + taken;
        Cycle(*free / PARTS)
    }

    /// So many thirds of flits that have come pass the port in: when they have.
    fn pass_in(&mut self, thirds: u32) -> Cycle {
        let taken = taken(thirds, self.clusters().receive_bytes);
        let free = &mut self.sm.peers.in_free;
        // The last of them comes now, if none before have been late.
        *free = (*free + taken).max(self.sm.now.0 * PARTS);
        Cycle(*free / PARTS)
    }

    /// What other SMs of clusters have sent comes, as far as it is due.
    #[inline]
    pub(crate) fn take_peer_messages(&mut self) {
        let now = self.sm.now;
        while let Some(message) = self.sm.peers.inbox.pop_front_if(|message| message.at <= now) {
            self.peer_message(message);
        }
    }

    #[cold]
    #[inline(never)]
    fn peer_message(&mut self, message: PeerMessage) {
        match (message.what, message.to) {
            (PeerContent::Requests { requests, asker }, PeerTarget::Block(block)) => {
                let blocks = &mut self.sm.blocks.iter();
                match blocks.position(|other| other.as_ref().is_some_and(|other| other.number == block)) {
                    Some(place) => {
                        self.do_for_peer(place, &requests, asker.map(|asker| (message.from, asker)));
                    }
                    // The block has ended on the way: who hands messages over says so.
                    None => {
                        let what = PeerContent::Requests { requests, asker };
                        self.sm.peers.outbox.push(PeerMessage { what, ..message });
                    }
                }
            }
            (PeerContent::Answer { asker, values }, _) => self.answered(asker, values),
            (PeerContent::Complete, PeerTarget::Block(block)) => self.complete_cluster_barrier(block),
            _ => {}
        }
    }

    /// Does what another block asks of a block here.
    fn do_for_peer(&mut self, place: usize, requests: &[PeerRequest], asker: Option<(SmId, u32)>) {
        let (now, spec) = (self.sm.now, self.clusters());
        let mut values = Vec::new();
        let mut arrives = false;
        for request in requests {
            arrives |= matches!(request.work, PeerWork::Arrive(_));
            let block = self.sm.blocks[place].as_mut();
            // More arrivals than a barrier waits for: it stays as it is, and who waits for it is reported as hanging.
            let given = block.and_then(|block| request.perform(&mut block.shared).ok()).unwrap_or_default();
            if let Some(register) = request.work.destination() {
                let (row, mask) = (request.row, request.mask);
                let rows = given[..request.bytes.div_ceil(4) as usize].to_vec();
                values.push(PeerValues { request: PeerLanes { register, row, mask }, rows });
            }
        }
        if arrives {
            self.end_phases(place, self.context.spec.mbarriers.wake);
        }
        let passes: u64 =
            requests.iter().map(|request| flits::passes(request, self.context.spec.shared.banks)).sum();
        self.sm.lsu.read_matrices(now, passes);
        let come = self.pass_in(requests.iter().map(flits::asked).sum());
        let Some((to, asker)) = asker else { return };
        let changes = requests.iter().any(|request| matches!(request.work, PeerWork::Atomic { .. }));
        let done = come + u64::from(spec.answer + if changes { spec.atomic } else { 0 });
        let left = self.pass_out(done, requests.iter().map(flits::answered).sum());
        let from = self.sm.id;
        let what = PeerContent::Answer { asker, values };
        self.sm.peers.send(from, left + u64::from(spec.way), PeerTarget::Sm(to), what);
    }

    /// What an instruction has asked of a block is done.
    fn answered(&mut self, number: u32, values: Vec<PeerValues>) {
        let now = self.sm.now;
        let Some(asked) = self.sm.peers.asked.get_mut(number as usize) else { return };
        let (owner, is_kept) = (asked.owner, asked.is_kept);
        asked.missing -= 1;
        let is_last = asked.missing == 0;
        if is_last {
            self.sm.peers.asked.remove(number as usize);
        }
        let Owner { slot, generation, .. } = owner;
        let wanted = values.into_iter().filter(|values| values.request.register != NO_REGISTER);
        for PeerValues { request: PeerLanes { register, row, mask }, rows } in wanted {
            let mut result = AtomicResult {
                slot,
                generation,
                register: Some(register),
                rows: rows.len(),
                row,
                mask,
                values: Default::default(),
            };
            result.values.iter_mut().zip(rows).for_each(|(value, row)| *value = row);
            self.sm.deliver_atomic(&result);
        }
        if is_kept {
            self.sm.fences.told_by_peer = true;
            self.peer_outcome(Outcome::Acknowledged { slot, generation });
            self.sm.fences.told_by_peer = false;
        }
        if !is_kept {
            self.sm.lsu.come_lines += 1;
            self.pass_fences();
        }
        if is_last && let Some(done) = Outcome::result(owner, now) {
            self.peer_outcome(done);
        }
    }
}

/// Cycles until what has left is done where it goes.
fn way(requests: &[PeerRequest], spec: &BlockClusters) -> u64 {
    let tells = requests.iter().any(|request| matches!(request.work, PeerWork::Arrive(_)));
    let brings = tells && requests.len() > 1;
    let told = if tells { spec.told } else { 0 } + if brings { spec.told_behind } else { 0 };
    u64::from(spec.way + told)
}

/// Parts of a cycle that so many thirds of flits take of a port which passes so many bytes in a cycle.
fn taken(thirds: u32, bytes: u32) -> u64 {
    u64::from(thirds * FLIT_BYTES) * PARTS / u64::from(bytes.max(1) * flits::FLIT)
}
