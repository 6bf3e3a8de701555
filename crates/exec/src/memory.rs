//! Memory as instructions see it: spaces, accesses of a warp, and the interface to global memory.

use crate::fault::MemoryFault;
use crate::op::{AccessKind, AtomicOp, AtomicType, BulkKind, CachePolicy, Space};
use crate::peers::PeerRequest;
use crate::{LANES, Row};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
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
    /// Where the constant bank of the launch starts, so that its parameters have generic addresses.
    pub const CONSTANT: u64 = 0x7c00_0000_0000;

    /// The byte of the constant bank of the launch that has a generic address.
    #[must_use]
    pub fn constant_offset(address: u64) -> Option<u32> {
        address.checked_sub(CONSTANT).and_then(|offset| u32::try_from(offset).ok())
    }

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
    /// The space. Of a generic access whose lanes are in several spaces those in global memory are named here, if there are some.
    pub space: Space,
    /// Read, write, ...
    pub kind: AccessKind,
    /// Bytes a lane.
    pub bytes: u32,
    /// The lanes that take part and their addresses, for each row of the warp; the upper one has none where warps have
    /// 32 lanes.
    pub rows: [RowAccess; 2],
    /// Where in shared memory lanes of the lower row put what a copy reads, or zeros; of other accesses what was there before.
    pub lands: RowAccess,
    /// Cache policy.
    pub policy: CachePolicy,
    /// The operation and type of an atomic or reduction.
    pub atomic: Option<(AtomicOp, AtomicType)>,
    /// The first register that the answer goes to (`None`: none).
    pub destination: Option<u8>,
    /// The last copy of many lines.
    pub bulk: Option<Box<BulkRecord>>,
    /// What has been asked of shared memory of other blocks of the cluster, and not been taken out.
    pub peers: Vec<PeerRequest>,
}

/// What a copy of many lines does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkRecord {
    /// From where to where.
    pub kind: BulkKind,
    /// What it copies of global memory, in this order.
    pub rows: SmallVec<[BulkRow; 1]>,
    /// Bytes of shared memory.
    pub bytes: u32,
    /// The barrier in shared memory that is told when all of them have come.
    pub barrier: u32,
    /// Of a copy of a box of a tensor, where the tensor map is.
    pub map: Option<u64>,
    /// The other blocks of the cluster that get it, a bit for each by its rank.
    pub peers: u16,
    /// Whether this block gets it.
    pub is_own: bool,
}

/// Bytes of global memory that a copy of many lines copies, one after the other; none of what lies outside of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkRow {
    /// The first of them.
    pub global: u64,
    /// How many.
    pub bytes: u32,
}

/// What the lanes of a row access.
#[derive(Clone, Copy, Debug)]
pub struct RowAccess {
    /// The lanes that take part.
    pub mask: LaneMask,
    /// Their addresses: device addresses, or offsets into shared or local memory.
    pub addresses: PerLane<u64>,
    /// How the addresses lie.
    pub pattern: Pattern,
}

impl RowAccess {
    /// Lanes that access so many bytes each.
    #[must_use]
    pub fn new(addresses: PerLane<u64>, mask: LaneMask, bytes: u32) -> RowAccess {
        RowAccess { mask, addresses, pattern: Pattern::of(&addresses, mask, bytes) }
    }

    /// The lanes, which access so many bytes each.
    #[inline]
    #[must_use]
    pub fn lanes(&self, bytes: u32) -> Lanes<'_> {
        Lanes { addresses: &self.addresses, mask: self.mask, bytes, pattern: self.pattern }
    }
}

impl Default for RowAccess {
    fn default() -> RowAccess {
        RowAccess { mask: LaneMask::EMPTY, addresses: [0; LANES], pattern: Pattern::Scattered }
    }
}

/// How the addresses of an access lie: what most accesses do is told once and then done at once for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// All lanes take part and lie one after another.
    Contiguous,
    /// All lanes that take part, at least one, have one address.
    Uniform,
    /// Anything.
    Scattered,
}

impl Pattern {
    /// That of lanes that access so many bytes each.
    #[inline(always)]
    #[must_use]
    pub fn of(addresses: &PerLane<u64>, mask: LaneMask, bytes: u32) -> Pattern {
        let Some(lowest) = mask.lowest() else { return Pattern::Scattered };
        let mut different = 0;
        if !mask.is_full() {
            for lane in 0..LANES {
                let active = mask.0 >> lane & 1 != 0;
                different |= if active { addresses[lane] ^ addresses[lowest] } else { 0 };
            }
            return if different == 0 { Pattern::Uniform } else { Pattern::Scattered };
        }
        let step = addresses[1].wrapping_sub(addresses[0]);
        if step != 0 && step != u64::from(bytes) {
            return Pattern::Scattered;
        }
        match step {
            _ if !are_in_steps(addresses, step) => Pattern::Scattered,
            0 => Pattern::Uniform,
            _ => Pattern::Contiguous,
        }
    }
}

/// Whether the addresses of all lanes lie one after another, as far apart as `step`.
#[inline(always)]
fn are_in_steps(addresses: &PerLane<u64>, step: u64) -> bool {
    /// Lanes that are looked at together.
    const TOGETHER: usize = 4;
    let mut different = [0; TOGETHER];
    let mut expected: [u64; TOGETHER] =
        std::array::from_fn(|lane| addresses[0].wrapping_add(step.wrapping_mul(lane as u64)));
    for lanes in addresses.as_chunks::<TOGETHER>().0 {
        for lane in 0..TOGETHER {
            different[lane] |= lanes[lane] ^ expected[lane];
            expected[lane] = expected[lane].wrapping_add(step.wrapping_mul(TOGETHER as u64));
        }
    }
    different == [0; TOGETHER]
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
            kind: AccessKind::Load,
            bytes: 0,
            rows: [RowAccess::default(); 2],
            lands: RowAccess::default(),
            policy: CachePolicy::default(),
            atomic: None,
            destination: None,
            bulk: None,
            peers: Vec::new(),
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
    /// How the addresses lie.
    pub pattern: Pattern,
}

impl<'a> Lanes<'a> {
    /// Lanes with these addresses.
    #[inline(always)]
    #[must_use]
    pub fn new(addresses: &'a PerLane<u64>, mask: LaneMask, bytes: u32) -> Lanes<'a> {
        Lanes { addresses, mask, bytes, pattern: Pattern::of(addresses, mask, bytes) }
    }

    /// Whether all lanes take part and lie one after another.
    #[inline(always)]
    #[must_use]
    pub fn are_contiguous(&self) -> bool {
        self.pattern == Pattern::Contiguous
    }

    /// Whether all lanes that take part access the same 32-bit word.
    #[inline]
    #[must_use]
    pub fn share_a_word(&self) -> bool {
        self.pattern == Pattern::Uniform && self.bytes == 4
    }

    /// The lanes in the order in which a store writes: 32 lanes at once, of 8 bytes 16, of 16 bytes 8, and of those the lowest last, so
    /// that it stays where several write one place (measured: traces/h200/core/winners.txt).
    #[inline]
    pub fn in_store_order(&self) -> impl Iterator<Item = usize> + use<> {
        let at_once = match self.bytes {
            0..=4 => LANES as u32,
            8 => LANES as u32 / 2,
            _ => LANES as u32 / 4,
        };
        let (mut rest, mut group) = (self.mask.0, u32::MAX >> (LANES as u32 - at_once));
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            while rest & group == 0 {
                group <<= at_once;
            }
            let lane = (rest & group).ilog2();
            rest &= !(1 << lane);
            Some(lane as usize)
        })
    }

    /// Reads the words of lanes of whole words that lie one after another: word `n` of all comes from `read(n)`.
    #[inline(always)]
    pub(crate) fn read_in_order(&self, read: impl Fn(usize) -> u32, out: &mut [Row; 4]) {
        match self.bytes {
            4 => read_words::<1>(read, out),
            8 => read_words::<2>(read, out),
            _ => read_words::<4>(read, out),
        }
    }

    /// Gives the words of lanes of whole words that lie one after another to `write`, with their numbers.
    #[inline(always)]
    pub fn write_in_order(&self, data: &[Row], write: impl FnMut(usize, u32)) {
        match self.bytes {
            4 => write_words::<1>(data, write),
            8 => write_words::<2>(data, write),
            _ => write_words::<4>(data, write),
        }
    }

    /// The lowest and the highest address, and every bit that is set in any: of addresses one after another those of the
    /// first, as where it is aligned all are. The lowest is above the highest where no lane takes part.
    #[inline(always)]
    pub(crate) fn extent(&self) -> (u64, u64, u64) {
        let Lanes { addresses, mask, pattern, .. } = *self;
        match (pattern, mask.lowest()) {
            (Pattern::Contiguous, _) => (addresses[0], addresses[LANES - 1], addresses[0]),
            (Pattern::Uniform, Some(lane)) => (addresses[lane], addresses[lane], addresses[lane]),
            _ => {
                let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
                for lane in 0..LANES {
                    let address = addresses[lane];
                    let active = mask.0 >> lane & 1 != 0;
                    low = low.min(if active { address } else { u64::MAX });
                    high = high.max(if active { address } else { 0 });
                    bits |= if active { address } else { 0 };
                }
                (low, high, bits)
            }
        }
    }
}

#[inline(always)]
fn read_words<const N: usize>(read: impl Fn(usize) -> u32, out: &mut [Row; 4]) {
    for lane in 0..LANES {
        for (word, row) in out.iter_mut().enumerate().take(N) {
            row[lane] = read(lane * N + word);
        }
    }
}

#[inline(always)]
fn write_words<const N: usize>(data: &[Row], mut write: impl FnMut(usize, u32)) {
    let Some(data) = data.first_chunk::<N>() else { return };
    for lane in 0..LANES {
        for (word, row) in data.iter().enumerate() {
            write(lane * N + word, row[lane]);
        }
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
    pub operands: &'a [Row],
    /// Whether the old value is wanted.
    pub wants_result: bool,
    /// The first register that the old values go to, for who answers later.
    pub destination: Option<u8>,
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

    /// Writes. Lanes act in the order of [`Lanes::in_store_order`].
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
