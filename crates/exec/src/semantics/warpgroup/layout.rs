//! Where the elements of a matrix lie in shared memory, as its descriptor says (measured: traces/h200/warpgroup, maps).
//!
//! A matrix consists of pieces of 16 bytes. Eight pieces below each other are together, as far apart as the swizzle is wide; the
//! descriptor says how far such groups are apart, in both directions. With a swizzle, address bits 4 to 6 are exchanged by bits 7 to 9.

use super::{ROW_BYTES, WarpgroupFault};
use crate::state::shared::SharedMemory;
use std::ops::Range;

/// Bytes of a piece.
const PIECE: u32 = 16;
/// Pieces of a group.
const GROUP: u32 = 8;
/// The addresses that a descriptor can name.
const ADDRESSES: u32 = (1 << 18) - 1;

/// Rows of a first factor, or columns of a second one: 32 bytes each.
pub(super) type Rows = Vec<[u8; ROW_BYTES]>;

/// One of the two factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    First,
    Second,
}

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    which: Factor,
    descriptor: u64,
    transposed: bool,
    start: u32,
    leading: u32,
    stride: u32,
    /// What is taken from the rows of 128 bytes before they say how pieces are exchanged.
    base: u32,
    /// Bytes of a swizzle: 16 for none.
    width: u32,
    /// The bits of a row of 128 bytes that exchange pieces.
    exchange: u32,
}

impl Matrix {
    pub(super) fn new(which: Factor, descriptor: u64, transposed: bool) -> Matrix {
        let field = |from: u32| ((descriptor >> from) as u32 & 0x3fff) * PIECE;
        let (width, exchange) = [(16, 0), (128, 7), (64, 3), (32, 1)][(descriptor >> 62) as usize];
        Matrix {
            which,
            descriptor,
            transposed,
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: (descriptor >> 49) as u32 & 7,
            width,
            exchange,
        }
    }

    /// Reads some rows of a first factor, or columns of a second one.
    pub(super) fn read(&self, shared: &SharedMemory, rows: Range<u32>) -> Result<Rows, WarpgroupFault> {
        let first = rows.start;
        let mut out = vec![[0; ROW_BYTES]; rows.len()];
        if self.transposed {
            for eight in (rows.start / GROUP)..(rows.end / GROUP) {
                for k in 0..ROW_BYTES / 2 {
                    let piece = self.piece(shared, self.transposed_place(eight, k as u32))?;
                    for (element, bytes) in piece.as_chunks::<2>().0.iter().enumerate() {
                        let row = (eight * GROUP - first) as usize + element;
                        out[row][2 * k..2 * k + 2].copy_from_slice(bytes);
                    }
                }
            }
        } else {
            for (row, bytes) in rows.zip(&mut out) {
                let (left, right) = bytes.split_at_mut(PIECE as usize);
                left.copy_from_slice(&self.piece(shared, self.place(row, 0))?);
                right.copy_from_slice(&self.piece(shared, self.place(row, 1))?);
            }
        }
        Ok(out)
    }

    /// Where a piece of a row is, whose elements lie beside each other.
    fn place(&self, row: u32, piece: u32) -> u32 {
        let along = if self.width == PIECE { piece * self.leading } else { piece * PIECE };
        self.start + row / GROUP * self.stride + row % GROUP * self.width + along
    }

    /// Where a piece of eight rows is, whose elements `k` lie beside each other.
    fn transposed_place(&self, eight: u32, k: u32) -> u32 {
        let pieces = self.width / PIECE;
        let (across, along) =
            if pieces == 1 { (self.stride, self.leading) } else { (self.leading, self.stride) };
        self.start
            + eight / pieces * across
            + eight % pieces * PIECE
            + k / GROUP * along
            + k % GROUP * self.width
    }

    /// The bytes of a piece.
    fn piece(&self, shared: &SharedMemory, place: u32) -> Result<[u8; PIECE as usize], WarpgroupFault> {
        let row = (place >> 7).wrapping_sub(self.base);
        let address = (place ^ (row & self.exchange) << 4) & ADDRESSES;
        let words = shared.words().get(address as usize / 4..).and_then(<[u32]>::first_chunk::<4>);
        let inside = address.saturating_add(PIECE) <= shared.bytes();
        let Some(words) = words.filter(|_| inside) else {
            let (bytes, descriptor) = (shared.bytes(), self.descriptor);
            let second = self.which == Factor::Second;
            return Err(WarpgroupFault::OutOfBounds { second, address, bytes, descriptor });
        };
        let mut bytes = [0; PIECE as usize];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        Ok(bytes)
    }
}
