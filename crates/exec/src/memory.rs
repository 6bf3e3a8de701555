//! Memory as instructions see it: spaces, accesses of a warp, and the interface to global memory.

use crate::fault::MemoryFault;
use crate::op::{AccessKind, AtomicOp, AtomicType, CachePolicy, Space};
use crate::{LANES, Row};
use warplab_units::LaneMask;
use warplab_units::PerLane;

/// The generic address space: shared and local memory appear in windows, everything else is global. Where the windows
/// lie is a convention of this simulator, like the addresses of buffers.
pub mod windows {
    /// Where shared memory starts; a shared address is an offset into the window.
    pub const SHARED: u64 = 0x7e00_0000_0000;
    /// Where the thread's local memory starts.
    pub const LOCAL: u64 = 0x7d00_0000_0000;
    /// Bytes of each window (the offset's upper byte is the block's rank in its cluster).
    pub const BYTES: u64 = 1 << 32;

    /// Whether a generic address lies in the shared window.
    #[must_use]
    pub fn is_shared(address: u64) -> bool {
        address.wrapping_sub(SHARED) < BYTES
    }

    /// Whether a generic address lies in the local window.
    #[must_use]
    pub fn is_local(address: u64) -> bool {
        address.wrapping_sub(LOCAL) < BYTES
    }
}

/// What the last memory instruction did, for the timing model.
#[derive(Clone, Debug)]
pub struct AccessRecord {
    /// The space. A generic access whose lanes are in several spaces names the first lane's here.
    pub space: Space,
    /// Whether the address was generic (its space resolved here).
    pub generic: bool,
    /// Read, write, ...
    pub kind: AccessKind,
    /// Bytes a lane.
    pub bytes: u32,
    /// The lanes that take part and their addresses, for each row of the warp; the upper one has none where warps have
    /// 32 lanes.
    pub rows: [RowAccess; 2],
    /// Cache policy.
    pub policy: CachePolicy,
    /// The operation and type of an atomic or reduction.
    pub atomic: Option<(AtomicOp, AtomicType)>,
    /// The first register that the answer goes to (`None`: none).
    pub destination: Option<u8>,
}

/// What the lanes of a row access.
#[derive(Clone, Copy, Debug)]
pub struct RowAccess {
    /// The lanes that take part.
    pub mask: LaneMask,
    /// Their addresses: device addresses, or offsets into shared or local memory.
    pub addresses: PerLane<u64>,
}

impl Default for RowAccess {
    fn default() -> RowAccess {
        RowAccess { mask: LaneMask::EMPTY, addresses: [0; LANES] }
    }
}

impl AccessRecord {
    /// Whether no lane takes part.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows[0].mask.is_empty() && self.rows[1].mask.is_empty()
    }
}

impl Default for AccessRecord {
    fn default() -> AccessRecord {
        AccessRecord {
            space: Space::Global,
            generic: false,
            kind: AccessKind::Load,
            bytes: 0,
            rows: [RowAccess::default(); 2],
            policy: CachePolicy::default(),
            atomic: None,
            destination: None,
        }
    }
}

/// The lanes of one access to global memory. Bounds and alignment are not yet checked.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'a> {
    /// An address a lane.
    pub addresses: &'a PerLane<u64>,
    /// The lanes that take part.
    pub mask: LaneMask,
    /// Bytes a lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
}

impl Lanes<'_> {
    /// Whether all lanes take part and lie one after another.
    #[inline(always)]
    #[must_use]
    pub fn are_contiguous(&self) -> bool {
        if !self.mask.is_full() {
            return false;
        }
        let mut expected = self.addresses[0];
        let mut different = 0;
        for address in self.addresses {
            different |= address ^ expected;
            expected = expected.wrapping_add(u64::from(self.bytes));
        }
        different == 0
    }
}

/// One atomic instruction.
#[derive(Clone, Copy, Debug)]
pub struct AtomicRequest<'a> {
    /// What it does.
    pub op: AtomicOp,
    /// With what type.
    pub ty: AtomicType,
    /// Where.
    pub lanes: Lanes<'a>,
    /// The row of the warp whose lanes these are, for who answers later.
    pub row: u8,
    /// Operands: words of the value (of the comparison value first, for compare-and-swap, then the new value).
    pub operands: &'a [Row; 4],
    /// Whether the old value is wanted.
    pub wants_result: bool,
    /// The first register that the old values go to, for who answers later.
    pub destination: Option<u8>,
    /// The predicate that says whether a compare-and-swap has swapped, for who answers later.
    pub swapped: Option<u8>,
}

/// Whether the old values of an atomic operation are known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicReply {
    /// They have been written to the output rows.
    Done,
    /// They come later, by [`crate::ArchitecturalState::write_rows`].
    Deferred,
}

/// Global memory as one warp sees it. Narrow values are zero-extended; wide ones take one row a word.
pub trait GlobalMemory {
    /// Reads.
    ///
    /// # Errors
    /// When a lane's access is out of bounds or misaligned.
    fn load(&mut self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault>;

    /// Writes. Lanes act in ascending order: the highest lane wins a conflict.
    ///
    /// # Errors
    /// When a lane's access is out of bounds or misaligned; nothing is written then.
    fn store(&mut self, lanes: Lanes<'_>, data: &[Row; 4]) -> Result<(), MemoryFault>;

    /// Reads and changes at once, lane after lane in ascending order.
    ///
    /// # Errors
    /// When a lane's access is out of bounds or misaligned; nothing is changed then.
    fn atomic(&mut self, request: AtomicRequest<'_>, out: &mut [Row; 4]) -> Result<AtomicReply, MemoryFault>;
}
