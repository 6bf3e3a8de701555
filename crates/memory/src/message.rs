//! What SMs and memory partitions say to each other.

use serde::{Deserialize, Serialize};
use warplab_units::{Address, Cycle, SectorMask, SmId};

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestKind {
    /// The sectors' data.
    Read,
    /// To take data: `full` are the sectors of which every byte is written.
    Write {
        /// Sectors that need no fill.
        full: SectorMask,
        /// Words of the line that are written whole, one bit each.
        words: u32,
    },
    /// An operation on the data in the L2.
    Atomic {
        /// Accesses to sectors: as many for each sector as lanes on its busiest word.
        sector_accesses: u8,
        /// Sectors of which every word takes part.
        full: SectorMask,
        /// Whether the old values are wanted.
        returns: bool,
    },
}

/// An SM's request for some sectors of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The SM that asks, or for which the other half of the L2 asks.
    pub sm: SmId,
    /// The asker's own number for it; comes back in the reply.
    pub token: u32,
    /// The line.
    pub line: Address,
    /// The number of the line inside its partition, once the request is on the crossbar.
    pub local_line: u64,
    /// The half of L2 that is home to the line, likewise.
    pub home: u8,
    /// The sectors of that line.
    pub sectors: SectorMask,
    /// What it asks for.
    pub kind: RequestKind,
    /// Bytes that it takes on the crossbar.
    pub bytes: u32,
    /// When it left the SM; once it is on the crossbar, when it arrives.
    pub at: Cycle,
}

impl Request {
    /// The line that it asks for.
    #[inline]
    #[must_use]
    pub fn located_line(&self) -> Line {
        Line { address: self.line, local: self.local_line }
    }

    /// Whether it reads what the request of a neighbour may bring.
    #[inline]
    #[must_use]
    pub fn joins(&self) -> bool {
        self.kind == RequestKind::Read
    }

    /// Flits that it is on the crossbar: one at least.
    #[inline]
    #[must_use]
    pub fn flits(&self, flit_bytes: u32) -> u32 {
        self.bytes.div_ceil(flit_bytes).max(1)
    }
}

/// The answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The SM that asked.
    pub sm: SmId,
    /// The asker's own number for the request.
    pub token: u32,
    /// Bytes that it takes on the crossbar.
    pub bytes: u32,
    /// Whether it passes the port of its cluster as part of the reply to a neighbour.
    pub shared: bool,
    /// Whether the line is at home in the other half of L2.
    pub is_far: bool,
    /// When it left the partition; once it is on the crossbar, when it arrives.
    pub at: Cycle,
}

/// A slice has taken a request: what it was on the crossbar is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// The SM that sent the request.
    pub sm: SmId,
    /// Flits of the request.
    pub flits: u32,
    /// When the slice took it.
    pub at: Cycle,
}

/// A line, with its number inside its partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its address.
    pub address: Address,
    /// Its number, which is the same in both halves.
    pub local: u64,
}

/// What a slice of the L2 says to the one of the same number in the other half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HalfMessage {
    /// When it arrives.
    pub at: Cycle,
    /// What it says.
    pub content: HalfContent,
}

/// What a slice says to the one in the other half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HalfContent {
    /// A request for a line that is at home there.
    Request(Request),
    /// Sectors of a line that is at home here.
    Data(Line, SectorMask),
    /// The copy of a line is out of date.
    Invalidate(Line),
}
