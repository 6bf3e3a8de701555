//! Clusters of blocks: who is where, what their SMs say to each other, and their barriers.

use crate::fault::RunFault;
use crate::running::{QueuedLaunch, Running};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warplab_exec::{LaunchFault, LaunchShape};
use warplab_sm::{PeerContent, PeerMessage, PeerTarget};
use warplab_units::{Cycle, SmId, TypedId};

/// The clusters of a launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clusters {
    grid: [u32; 3],
    cluster: [u32; 3],
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
    pub(crate) fn new(shape: &LaunchShape, cluster: [u32; 3], barrier: u32) -> Clusters {
        Clusters {
            grid: shape.grid,
            cluster,
            barrier: u64::from(barrier),
            homes: BTreeMap::new(),
            barriers: BTreeMap::new(),
            messages: Vec::new(),
        }
    }

    /// Blocks of a cluster.
    pub(crate) fn blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// The number in the grid of the block that comes as this one: cluster after cluster, by rank.
    pub(crate) fn block_in_order(&self, order: u64) -> u64 {
        let blocks = u64::from(self.blocks());
        let (cluster, rank) = (order / blocks, order % blocks);
        let sizes = self.cluster.map(u64::from);
        let grid = self.grid.map(u64::from);
        let counts: [u64; 3] = std::array::from_fn(|axis| grid[axis] / sizes[axis]);
        let of = |number: u64, counts: [u64; 3]| {
            [number % counts[0], number / counts[0] % counts[1], number / (counts[0] * counts[1])]
        };
        let (outside, inside) = (of(cluster, counts), of(rank, sizes));
        let at: [u64; 3] = std::array::from_fn(|axis| outside[axis] * sizes[axis] + inside[axis]);
        at[0] + grid[0] * (at[1] + grid[1] * at[2])
    }

    /// The cluster of a block.
    fn of_block(&self, block: u64) -> u64 {
        let grid = self.grid.map(u64::from);
        let at = [block % grid[0], block / grid[0] % grid[1], block / (grid[0] * grid[1])];
        let place: [u64; 3] = std::array::from_fn(|axis| at[axis] / u64::from(self.cluster[axis]));
        let counts: [u64; 3] = std::array::from_fn(|axis| grid[axis] / u64::from(self.cluster[axis]));
        place[0] + counts[0] * (place[1] + counts[1] * place[2])
    }

    /// A block begins on an SM.
    pub(crate) fn begins(&mut self, block: u64, sm: SmId) {
        self.homes.insert(block, sm);
    }

    /// The blocks of the cluster of a block that have not ended.
    fn members(&self, block: u64) -> Vec<(u64, SmId)> {
        let cluster = self.of_block(block);
        self.homes
            .iter()
            .filter(|(other, _)| self.of_block(**other) == cluster)
            .map(|(&b, &sm)| (b, sm))
            .collect()
    }

    /// A block has arrived at the barrier of its cluster, or ended: the messages that say that it is complete, if it is.
    fn at_barrier(&mut self, block: u64, from: SmId, at: Cycle, ended: bool) -> Vec<(SmId, PeerMessage)> {
        let (cluster, blocks) = (self.of_block(block), self.blocks());
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
    messages.sort_by_key(|message| (message.at, message.from, message.number));
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
