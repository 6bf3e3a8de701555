//! Clusters of blocks: who is where, what their SMs say to each other, and their barriers.

use crate::fault::RunFault;
use crate::running::{QueuedLaunch, Running};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warplab_exec::{GridClusters, LaunchFault};
use warplab_sm::{PeerContent, PeerMessage, PeerTarget};
use warplab_units::{Cycle, SmId, TypedId};

/// The clusters of a launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clusters {
    shape: GridClusters,
    /// Cycles from the last arrival at a barrier until it is complete.
    barrier: u64,
    /// The SM of each block that has begun and not ended.
    homes: BTreeMap<u64, SmId>,
    /// The barriers of the clusters of which a block has begun.
    barriers: BTreeMap<u64, Barrier>,
    #[serde(skip)]
    messages: Vec<PeerMessage>,
}

/// The barrier of a cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Barrier {
    arrived: u32,
    ended: u32,
    last: Cycle,
}

impl Clusters {
    pub(crate) fn new(shape: GridClusters, barrier: u32) -> Clusters {
        Clusters {
            shape,
            barrier: u64::from(barrier),
            homes: BTreeMap::new(),
            barriers: BTreeMap::new(),
            messages: Vec::new(),
        }
    }

    /// Blocks of a cluster.
    pub(crate) fn blocks(&self) -> u32 {
        self.shape.blocks()
    }

    /// The number in the grid of the block that comes as this one: cluster after cluster, by rank.
    pub(crate) fn block_in_order(&self, order: u64) -> u64 {
        let blocks = u64::from(self.blocks());
        self.shape.block(order / blocks, (order % blocks) as u32)
    }

    /// A block begins on an SM.
    pub(crate) fn begins(&mut self, block: u64, sm: SmId) {
        self.homes.insert(block, sm);
    }

    /// The blocks of the cluster of a block that have not ended.
    fn members(&self, block: u64) -> Vec<(u64, SmId)> {
        let cluster = self.shape.cluster_of(block);
        self.homes
            .iter()
            .filter(|(other, _)| self.shape.cluster_of(**other) == cluster)
            .map(|(&b, &sm)| (b, sm))
            .collect()
    }

    /// A block has arrived at the barrier of its cluster, or ended: the messages that say that it is complete, if it is.
    fn at_barrier(&mut self, block: u64, from: SmId, at: Cycle, ended: bool) -> Vec<(SmId, PeerMessage)> {
        let (cluster, blocks) = (self.shape.cluster_of(block), self.blocks());
        let barrier = self.barriers.entry(cluster).or_default();
        barrier.last = barrier.last.max(at);
        barrier.arrived += u32::from(!ended);
        barrier.ended += u32::from(ended);
        if ended {
            self.homes.remove(&block);
        }
        if barrier.ended == blocks {
            self.barriers.remove(&cluster);
            return Vec::new();
        }
        if barrier.arrived == 0 || barrier.arrived + barrier.ended < blocks {
            return Vec::new();
        }
        barrier.arrived = 0;
        let at = barrier.last + self.barrier;
        let complete = |(block, sm): (u64, SmId)| {
            let (to, what) = (PeerTarget::Block(block), PeerContent::Complete);
            (sm, PeerMessage { at, from, number: u64::MAX, to, what })
        };
        self.members(block).into_iter().map(complete).collect()
    }
}

/// Hands over what SMs have said to each other in an epoch.
///
/// # Errors
/// When a thread asks for shared memory of a block that has ended.
pub(crate) fn exchange(running: &mut Running, launch: &QueuedLaunch) -> Result<(), RunFault> {
    let Some(mut clusters) = running.clusters.take() else { return Ok(()) };
    let mut messages = std::mem::take(&mut clusters.messages);
    running.for_each_acting(|port| port.sm.take_peer_messages(&mut messages));
    messages.sort_by_key(PeerMessage::order);
    let mut result = Ok(());
    for message in messages.drain(..) {
        let PeerMessage { to, at, from, .. } = message;
        match to {
            PeerTarget::Sm(sm) => running.deliver(sm, message),
            PeerTarget::Block(block) => match clusters.homes.get(&block) {
                Some(&sm) => running.deliver(sm, message),
                None => result = result.and(Err(ended_block(launch, block))),
            },
            PeerTarget::Barrier(block) => {
                let ended = message.what == PeerContent::Ended;
                for (sm, message) in clusters.at_barrier(block, from, at, ended) {
                    running.deliver(sm, message);
                }
            }
        }
    }
    clusters.messages = messages;
    running.clusters = Some(clusters);
    result
}

impl Running {
    fn deliver(&mut self, sm: SmId, message: PeerMessage) {
        let at = message.at;
        if let Some(port) = &mut self.sms[sm.index()] {
            port.sm.deliver_peer_message(message);
            self.next.no_later(sm.index(), at);
        }
    }
}

#[cold]
fn ended_block(launch: &QueuedLaunch, block: u64) -> RunFault {
    let kernel = &launch.prepared.launch.kernel.name;
    let message = format!(
        "a thread asks for shared memory of block {block} of its cluster, which has ended; a block must not end before the \
         others have done with its memory: let all wait for each other (cluster.sync()) at the end"
    );
    RunFault::Launch(Box::new(LaunchFault::Launch { kernel: kernel.clone(), message }))
}
