//! What the SMs of a cluster say to each other.

use serde::{Deserialize, Serialize};
use warplab_exec::Row;
use warplab_exec::peers::PeerRequest;
use warplab_units::{Cycle, SmId};

/// A message from an SM to another, or to itself, of a launch with clusters of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerMessage {
    /// When it arrives.
    pub at: Cycle,
    /// Who sends it.
    pub from: SmId,
    /// Counts the messages of who sends it.
    pub number: u64,
    /// Where it goes.
    pub to: PeerTarget,
    /// What it says.
    pub what: PeerContent,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerTarget {
    /// To the SM of a block of the grid.
    Block(u64),
    /// To an SM.
    Sm(SmId),
    /// To who counts the arrivals at the barrier of the cluster of a block.
    Barrier(u64),
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeerContent {
    /// An instruction asks something of shared memory. Who asks has a number for the answer, if it waits for one.
    Requests {
        /// What, in this order.
        requests: Vec<PeerRequest>,
        /// The number.
        asker: Option<u32>,
    },
    /// It has been done.
    Answer {
        /// The number of who asked.
        asker: u32,
        /// What each request that wanted a value gives.
        values: Vec<PeerValues>,
    },
    /// The warps of a block have all arrived at the barrier of the cluster.
    Arrived,
    /// They have ended.
    Ended,
    /// The barrier of the cluster is complete.
    Complete,
}

/// The values that a request gives, and the registers that they go to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerValues {
    pub(crate) request: PeerLanes,
    pub(crate) rows: Vec<Row>,
}

/// The lanes of a request that get values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PeerLanes {
    pub(crate) register: u8,
    pub(crate) row: u8,
    pub(crate) mask: warplab_units::LaneMask,
}

impl PeerMessage {
    /// In which order messages that arrive at one SM act.
    #[must_use]
    pub fn order(&self) -> (Cycle, SmId, u64) {
        (self.at, self.from, self.number)
    }
}
