//! Products of matrices of warpgroups (`wgmma`): each warp forms its 16 of the 64 rows as soon as it comes to the instruction.
//! Programs must not look at the sum before they have waited, nor change the factors.

mod floats;
mod layout;

use self::layout::{Factor, Matrix, Rows};
use super::matrix::{COLUMNS, MOST_WORDS, Words, place_in_sum};
use crate::fault::ExecFault;
use crate::op::{Code, SourceKind, WarpgroupFormat, WarpgroupOp, WarpgroupProduct};
use crate::semantics::lanes::Machine;
use crate::state::shared::SharedMemory;
use crate::step::{Step, WarpgroupStep};
use crate::wide::{LaneWork, run};
use crate::{LANES, Row};
use std::fmt;
use warplab_units::LaneBits;

/// Warps of a warpgroup.
pub const WARPGROUP_WARPS: u32 = 4;
/// Rows of a warp.
const ROWS: usize = 16;
/// Bytes of a row of the first factor, and of a column of the second.
const ROW_BYTES: usize = 32;

/// Why a product of a warpgroup cannot be formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpgroupFault {
    /// Not all lanes of the warp execute it.
    Lanes(u32),
    /// The block has only so many warps of the warpgroup.
    Warps(u32),
    /// The warps of the warpgroup are at different products.
    Elsewhere,
    /// A matrix is not in the shared memory of the block.
    OutOfBounds {
        /// Which of the two.
        second: bool,
        /// Where one of its pieces of 16 bytes is.
        address: u32,
        /// Bytes of shared memory.
        bytes: u32,
        /// Its descriptor.
        descriptor: u64,
    },
}

impl fmt::Display for WarpgroupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WarpgroupFault::Lanes(lanes) => write!(
                f,
                "{lanes} lanes of the warp execute a product of a warpgroup (wgmma); all 32 of all four warps must, without a \
                 branch that parts them"
            ),
            WarpgroupFault::Warps(warps) => write!(
                f,
                "{warps} of the four warps of this warpgroup exist; a product of a warpgroup (wgmma) takes all, so that the block \
                 needs whole groups of 128 threads"
            ),
            WarpgroupFault::Elsewhere => write!(
                f,
                "the warps of this warpgroup are at different products (wgmma); all four must execute the same one"
            ),
            WarpgroupFault::OutOfBounds { second, address, bytes, descriptor } => write!(
                f,
                "the {} matrix of the product (wgmma) has a piece at {address:#x} of shared memory, which has {bytes} bytes here; its \
                 descriptor {descriptor:#018x} says: start {:#x}, leading offset {}, stride offset {}, {}",
                if second { "second" } else { "first" },
                (descriptor & 0x3fff) << 4,
                (descriptor >> 16 & 0x3fff) << 4,
                (descriptor >> 32 & 0x3fff) << 4,
                ["no swizzle", "swizzle of 128 bytes", "swizzle of 64 bytes", "swizzle of 32 bytes"]
                    [(descriptor >> 62) as usize],
            ),
        }
    }
}

impl From<WarpgroupFault> for ExecFault {
    fn from(fault: WarpgroupFault) -> ExecFault {
        ExecFault::Warpgroup(Box::new(fault))
    }
}

/// A product of a warp as lane work.
struct Product<'a, 'm>(&'a mut Machine<'m>, WarpgroupProduct, &'a Factors);

/// The rows of the first factor that a warp has, and the columns of the second one.
struct Factors {
    first: Rows,
    second: Rows,
}

/// Executes an instruction of a warpgroup for warp number `index` of its block.
pub(crate) fn execute(
    (code, index): (&Code, u32),
    m: &mut Machine<'_>,
    op: &WarpgroupOp,
    shared: &mut SharedMemory,
) -> Result<Step, ExecFault> {
    let product = match *op {
        WarpgroupOp::SetRegisters { count, more } => {
            let has_them = shared.registers.set(index, code.allotted, u32::from(count));
            m.write_predicate(0, if has_them { !0 } else { 0 });
            return Ok(Step::Warpgroup(WarpgroupStep::Registers { more }));
        }
        WarpgroupOp::Wait { most } => return Ok(Step::Warpgroup(WarpgroupStep::Wait { most })),
        WarpgroupOp::Multiply(product) => product,
    };
    if m.mask == 0 {
        return Ok(Step::Next);
    }
    if m.mask != LaneBits::MAX {
        return Err(WarpgroupFault::Lanes(m.mask.count_ones()).into());
    }
    let threads: u32 = m.banks.block.iter().product();
    let warps = threads.div_ceil(LANES as u32) - index / WARPGROUP_WARPS * WARPGROUP_WARPS;
    if warps < WARPGROUP_WARPS {
        return Err(WarpgroupFault::Warps(warps).into());
    }
    if product.eights > 0 {
        let factors = factors(m, &product, shared, index % WARPGROUP_WARPS)?;
        run(code.wide, Product(m, product, &factors));
    }
    Ok(Step::Warpgroup(WarpgroupStep::Product))
}

/// Reads the factors: all columns of the second one, of the first one the rows of the warp.
fn factors(
    m: &Machine<'_>,
    product: &WarpgroupProduct,
    shared: &SharedMemory,
    warp: u32,
) -> Result<Factors, WarpgroupFault> {
    let word = |at: usize| u64::from(m.warp.uniforms[usize::from(product.descriptors) + at]);
    let descriptor = |at: usize| word(at) | word(at + 1) << 32;
    let read = |which: Factor, descriptor: u64, transposed: bool, rows: std::ops::Range<u32>| {
        let matrix = Matrix::new(which, descriptor, transposed);
        matrix.read(shared, rows)
    };
    let columns = u32::from(product.eights) * COLUMNS as u32;
    let second = read(Factor::Second, descriptor(2), product.signs.transpose_second, 0..columns)?;
    let first = if product.first_in_registers {
        in_registers(m)
    } else {
        let from = warp * ROWS as u32;
        read(Factor::First, descriptor(0), product.signs.transpose_first, from..from + ROWS as u32)?
    };
    Ok(Factors { first, second })
}

/// The first factor, of which each lane holds pieces of four bytes: of two rows, in both halves of them.
fn in_registers(m: &Machine<'_>) -> Rows {
    let mut words: [Row; 4] = [[0; LANES]; 4];
    m.words(0, &mut words);
    let mut rows = vec![[0; ROW_BYTES]; ROWS];
    for (register, row) in words.iter().enumerate() {
        for (lane, word) in row.iter().enumerate() {
            let at = register / 2 * 16 + lane % 4 * 4;
            rows[register % 2 * 8 + lane / 4][at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    rows
}

impl LaneWork for Product<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Product(m, product, factors) = self;
        match product.format {
            WarpgroupFormat::Floats { first, second, half_sums } => {
                floats::multiply(m, &product, factors, [first, second], half_sums);
            }
            WarpgroupFormat::Bytes { signed, saturate } => {
                multiply_bytes(m, factors, signed, saturate);
            }
        }
    }
}

/// Whether something is added to the product.
fn adds(m: &Machine<'_>) -> bool {
    let scale = m.op.predicates[0];
    (m.warp.predicates[usize::from(scale.index)] ^ scale.xor) & 1 != 0
}

/// The registers of eight columns of what is added, from `first` on, `count` of them; zeros where nothing is.
#[inline(always)]
fn added(m: &Machine<'_>, adds: bool, first: usize, count: usize) -> Words {
    let mut words = [[0; LANES]; MOST_WORDS];
    if let (SourceKind::Row(row), true) = (m.op.sources[1].from, adds) {
        for (at, word) in words.iter_mut().enumerate().take(count) {
            *word = m.warp.rows[usize::from(row) + first + at];
        }
    }
    words
}

/// Writes registers of the sum, from `first` on.
#[inline(always)]
fn write(m: &mut Machine<'_>, words: &Words, first: usize, count: usize) {
    for (at, word) in words.iter().enumerate().take(count) {
        m.write_at(first + at, word);
    }
}

/// Products of bytes, exactly; their sums saturate at the end or wrap around.
#[inline(always)]
fn multiply_bytes(m: &mut Machine<'_>, factors: &Factors, signed: [bool; 2], saturate: bool) {
    let value = |byte: u8, signed: bool| if signed { i32::from(byte as i8) } else { i32::from(byte) };
    let adds = adds(m);
    for (block, columns) in factors.second.chunks_exact(COLUMNS).enumerate() {
        let registers = ROWS / 4;
        let mut sum = added(m, adds, block * registers, registers);
        let second: [[i32; COLUMNS]; ROW_BYTES] =
            std::array::from_fn(|k| std::array::from_fn(|column| value(columns[column][k], signed[1])));
        for (row, bytes) in factors.first.iter().enumerate() {
            let mut products = [0i32; COLUMNS];
            for (byte, second) in bytes.iter().zip(&second) {
                let factor = value(*byte, signed[0]);
                products.iter_mut().zip(second).for_each(|(product, element)| *product += factor * element);
            }
            for (column, &product) in products.iter().enumerate() {
                let (lane, element) = place_in_sum(row, column);
                let place = &mut sum[element][lane];
                let added = *place as i32;
                *place =
                    if saturate { added.saturating_add(product) } else { added.wrapping_add(product) } as u32;
            }
        }
        write(m, &sum, block * registers, registers);
    }
}
