//! A resident block.

use smallvec::SmallVec;
use warplab_exec::{BlockBarriers, SharedMemory};

/// A block that is resident on a multiprocessor.
#[derive(Debug)]
pub(crate) struct ResidentBlock {
    pub(crate) number: u64,
    pub(crate) coordinates: [u32; 3],
    pub(crate) shared: SharedMemory,
    pub(crate) barriers: BlockBarriers,
    /// The places of its warps, in the order of their numbers.
    pub(crate) slots: SmallVec<[u8; 32]>,
    pub(crate) live_warps: u32,
}
