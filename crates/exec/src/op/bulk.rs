//! Copies of many lines by one instruction.

use super::{AtomicOp, AtomicType, SourceKind};

/// One copy of many lines: each place is in registers of the warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkOp {
    pub(crate) kind: BulkKind,
    /// The first register of where it goes to: shared memory with its barrier, or global memory.
    pub(crate) to: u8,
    /// The first register of where it comes from.
    pub(crate) from: u8,
    /// Sixteenths of its bytes; above them the blocks of the cluster that get it, where it goes to several.
    pub(crate) size: SourceKind,
    pub(crate) multicast: bool,
}

/// One copy of a box of a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxOp {
    pub(crate) kind: BulkKind,
    /// The first register of the warp with its place in shared memory, its barrier and its coordinates, as far as it has them.
    pub(crate) places: u8,
    /// The first register of the place of the tensor map.
    pub(crate) map: u8,
    pub(crate) dimensions: u8,
    /// The register of the warp with the blocks of the cluster that get it, where it goes to several.
    pub(crate) multicast: Option<u8>,
}

/// What a copy of many lines does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BulkKind {
    /// From global to shared memory; then the bytes have come to a barrier.
    #[default]
    ToShared,
    /// From shared memory to that of a block of the cluster; then the bytes have come to a barrier there.
    ToPeer,
    /// From shared to global memory.
    ToGlobal,
    /// Changes values in global memory by those in shared memory.
    Reduce(AtomicOp, AtomicType),
    /// Brings global memory to L2.
    Prefetch,
}

impl BulkKind {
    /// Whether a barrier is told when it has ended.
    #[must_use]
    pub fn tells_a_barrier(self) -> bool {
        matches!(self, BulkKind::ToShared | BulkKind::ToPeer)
    }
}
