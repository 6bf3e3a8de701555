//! Shared memory of the other blocks of a cluster: where it lies, what an instruction asks of it, and what is done there.
//!
//! An address of shared memory has the rank of its block in its upper byte. What an instruction asks of another block goes
//! into the record as requests, which the multiprocessor brings there: [`PeerRequest::perform`] acts on that block's memory,
//! and what it gives comes back by [`crate::ArchitecturalState::write_rows`].

use crate::clusters::GridClusters;
use crate::constants::ConstantBanks;
use crate::fault::{ExecFault, FaultKind, MemoryFault};
use crate::memory::{AtomicRequest, Lanes};
use crate::op::{AtomicOp, AtomicType, Space};
use crate::state::mbarrier::Arrival;
use crate::state::shared::SharedMemory;
use crate::{LANES, Row};
use serde::{Deserialize, Serialize};
use warplab_units::{Address, LaneMask, PerLane};

/// Where the rank begins in an address of shared memory.
const RANK_BIT: u32 = 24;
/// The bits of an address that lie inside of a block.
const INSIDE: u64 = (1 << RANK_BIT) - 1;

/// What an instruction asks of shared memory of another block of its cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerRequest {
    /// The rank of that block.
    pub rank: u8,
    /// The row of the warp whose lanes these are.
    pub row: u8,
    /// The lanes that take part.
    pub mask: LaneMask,
    /// Bytes a lane.
    pub bytes: u32,
    /// Their addresses inside of the block.
    pub addresses: PerLane<u64>,
    /// What is done there.
    pub work: PeerWork,
    /// The values that are stored, or the operands.
    pub data: Vec<Row>,
}

/// What is done in shared memory of another block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeerWork {
    /// A load, to registers from this one on.
    Load {
        /// The first of them.
        destination: Option<u8>,
        /// Whether a narrow value is extended with its sign.
        signed: bool,
    },
    /// A store.
    Store,
    /// An atomic operation; the old values go to registers from this one on.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The type.
        ty: AtomicType,
        /// The first of them.
        destination: Option<u8>,
        /// Of a comparison and exchange the answer is whether it has exchanged.
        says_stored: bool,
    },
    /// Something comes to a barrier, whose address is that of the lowest lane.
    Arrive(Arrival),
}

impl PeerWork {
    /// The first register that an answer goes to.
    #[must_use]
    pub fn destination(self) -> Option<u8> {
        match self {
            PeerWork::Load { destination, .. } | PeerWork::Atomic { destination, .. } => destination,
            PeerWork::Store | PeerWork::Arrive(_) => None,
        }
    }
}

impl PeerRequest {
    /// An arrival at a barrier of a block.
    #[must_use]
    pub fn arrival(rank: u8, address: u64, arrival: Arrival) -> PeerRequest {
        let (mask, work) = (LaneMask(1), PeerWork::Arrive(arrival));
        PeerRequest { rank, row: 0, mask, bytes: 8, addresses: [address; LANES], work, data: Vec::new() }
    }

    /// A store to a block.
    #[must_use]
    pub fn store(rank: u8, lanes: &Lanes<'_>, data: &[Row]) -> PeerRequest {
        let Lanes { addresses: &addresses, mask, bytes, .. } = *lanes;
        let data = data[..bytes.div_ceil(4) as usize].to_vec();
        PeerRequest { rank, row: 0, mask, bytes, addresses, work: PeerWork::Store, data }
    }

    /// Bytes that a lane brings.
    #[must_use]
    pub fn bytes_brought(&self) -> u32 {
        match self.work {
            PeerWork::Load { .. } | PeerWork::Arrive(_) => 0,
            PeerWork::Atomic { op: AtomicOp::CompareExchange, .. } => 2 * self.bytes,
            PeerWork::Store | PeerWork::Atomic { .. } => self.bytes,
        }
    }

    /// Does it in the shared memory of its block; the values that a load or an atomic operation gives.
    ///
    /// # Errors
    /// When a barrier cannot do what it is asked: all else was checked when it was asked.
    pub fn perform(&self, shared: &mut SharedMemory) -> Result<[Row; 4], ExecFault> {
        let lanes = Lanes::new(&self.addresses, self.mask, self.bytes);
        let mut out = [[0; LANES]; 4];
        match self.work {
            PeerWork::Load { signed, .. } => {
                shared.load(lanes, &mut out)?;
                if signed {
                    let shift = 32 - self.bytes * 8;
                    out[0].iter_mut().for_each(|value| *value = ((*value << shift) as i32 >> shift) as u32);
                }
            }
            PeerWork::Store => {
                let mut data = [[0; LANES]; 4];
                data.iter_mut().zip(&self.data).for_each(|(row, from)| *row = *from);
                shared.store(lanes, &data)?;
            }
            PeerWork::Atomic { op, ty, destination, says_stored } => {
                let (row, wants_result) = (self.row, destination.is_some());
                let operands = &self.data[..];
                let request = AtomicRequest { op, ty, lanes, row, operands, wants_result, destination };
                shared.atomic(request, &mut out)?;
                if says_stored {
                    self.say_stored(&mut out);
                }
            }
            PeerWork::Arrive(arrival) => {
                shared.arrive(self.addresses[self.mask.lowest().unwrap_or(0)] as u32, arrival)?;
            }
        }
        Ok(out)
    }
}

impl PeerRequest {
    /// Old values become whether they were those that are compared with, which come first.
    fn say_stored(&self, old: &mut [Row; 4]) {
        let words = self.bytes.div_ceil(4) as usize;
        let same = |lane: usize| (0..words).all(|word| old[word][lane] == self.data[word][lane]);
        let stored = std::array::from_fn(|lane| u32::from(same(lane)));
        *old = [stored, [0; LANES], [0; LANES], [0; LANES]];
    }
}

/// The place of a block in its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its rank.
    pub(crate) rank: u8,
    /// Blocks of the cluster.
    pub(crate) blocks: u8,
}

impl Place {
    /// Where an address of shared memory lies inside of this block; what lies in another one stays far beyond the end.
    pub(crate) fn inside(self, address: u64) -> u64 {
        address.wrapping_sub(u64::from(self.rank) << RANK_BIT) & 0xffff_ffff
    }

    /// Whether an address of shared memory lies in this block.
    pub(crate) fn is_own(self, address: u64) -> bool {
        (address >> RANK_BIT) as u8 == self.rank
    }

    /// As of no block: all blocks are other ones.
    pub(crate) fn everywhere(self) -> Place {
        Place { rank: u8::MAX, ..self }
    }

    /// The other blocks that lanes address, each with its lanes, whose addresses become those inside of it.
    ///
    /// # Errors
    /// The lowest lane that addresses a block which the cluster has not.
    pub(crate) fn others(
        self,
        lanes: LaneMask,
        bytes: u32,
        addresses: &mut PerLane<u64>,
    ) -> Result<Vec<(u8, LaneMask)>, MemoryFault> {
        let mut others: Vec<(u8, LaneMask)> = Vec::new();
        for lane in lanes.lanes() {
            let rank = (addresses[lane] >> RANK_BIT) as u8;
            if rank >= self.blocks {
                let (address, kind) = (Address(addresses[lane]), FaultKind::OutOfBounds);
                let lane = lane as u8;
                return Err(MemoryFault { space: Space::Shared, kind, address, bytes, lane, nearest: None });
            }
            addresses[lane] &= INSIDE;
            if rank == self.rank {
                continue;
            }
            match others.iter_mut().find(|(other, _)| *other == rank) {
                Some((_, mask)) => mask.0 |= 1 << lane,
                None => others.push((rank, LaneMask(1 << lane))),
            }
        }
        Ok(others)
    }
}

impl ConstantBanks {
    /// Whether the launch has clusters of several blocks.
    #[inline(always)]
    #[must_use]
    pub fn has_clusters(&self) -> bool {
        self.cluster.is_some()
    }

    /// The rank of a block in its cluster, by its coordinates.
    #[must_use]
    pub fn rank(&self, block: [u32; 3]) -> u32 {
        self.grid_clusters().map_or(0, |clusters| clusters.rank(block))
    }

    /// The clusters of the launch, if it has some.
    #[must_use]
    pub fn grid_clusters(&self) -> Option<GridClusters> {
        self.cluster.map(|cluster| GridClusters { grid: self.grid, cluster })
    }

    /// The place of a block in its cluster.
    pub(crate) fn place(&self, block: [u32; 3]) -> Place {
        let blocks = self.grid_clusters().map_or(1, |clusters| clusters.blocks());
        Place { rank: self.rank(block) as u8, blocks: blocks as u8 }
    }
}
