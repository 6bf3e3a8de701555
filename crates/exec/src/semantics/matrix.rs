//! Products of matrices as an H200's tensor cores form them, bit for bit (measured: traces/h200/matrix): each sum of short
//! floats is one number of fixed point, cut off 25 bits below the largest of its terms.

pub(super) mod floats;
mod sparse;

use crate::LANES;
use crate::Row;
use crate::op::{Matrix, MatrixKind};
use crate::semantics::float::with_nan_of;
use crate::semantics::lanes::Machine;
use crate::wide::{LaneWork, Wide, run};

/// Columns of the second factor and of the sum.
pub(super) const COLUMNS: usize = 8;
/// The most rows of the first factor, and its most columns.
const MOST_ROWS: usize = 16;
const MOST_DEPTH: usize = 64;
/// Registers that a matrix takes of each lane at most.
pub(super) const MOST_WORDS: usize = 16;

/// The registers of a matrix, as the lanes hold them.
pub(super) type Words = [Row; MOST_WORDS];

/// A product as lane work.
struct Product<'a>(Machine<'a>, Matrix);

/// Forms a product; on its own, so that other instructions do not carry its matrices on their stack.
#[inline(never)]
pub(crate) fn multiply(wide: Wide, machine: Machine<'_>, matrix: Matrix) {
    run(wide, Product(machine, matrix));
}

impl LaneWork for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Product(mut machine, matrix) = self;
        let m = &mut machine;
        match matrix.kind {
            MatrixKind::Floats { format, half_sums } => floats::multiply(m, matrix, format, half_sums),
            MatrixKind::Bytes { signed, saturate } => multiply_bytes(m, matrix, signed, saturate),
            MatrixKind::Doubles => multiply_doubles(m, matrix),
        }
    }
}

/// The registers of a source, with its sign: that of doubles is in every second register.
fn words(m: &Machine<'_>, source: usize, signed_every: usize) -> Words {
    let mut words = [[0; LANES]; MOST_WORDS];
    m.words(source, &mut words);
    let sign = m.op.sources[source].xor;
    if sign != 0 {
        for row in words.iter_mut().skip(signed_every - 1).step_by(signed_every) {
            row.iter_mut().for_each(|word| *word ^= sign);
        }
    }
    words
}

/// Where an element of the first factor lies: the lane, the element among those of its lane in this row and column.
/// `together` elements lie in one register.
#[inline(always)]
fn place_in_first(row: usize, column: usize, together: usize) -> (usize, usize) {
    let (lane, register) = (row % 8 * 4 + column / together % 4, row / 8 + column / (4 * together) * 2);
    (lane, register * together + column % together)
}

/// The same of the second factor.
#[inline(always)]
fn place_in_second(row: usize, column: usize, together: usize) -> (usize, usize) {
    let (lane, register) = (column * 4 + row / together % 4, row / (4 * together));
    (lane, register * together + row % together)
}

/// The same of the sum; two elements of a row lie beside each other.
#[inline(always)]
pub(super) fn place_in_sum(row: usize, column: usize) -> (usize, usize) {
    (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2)
}

/// Products of bytes, exactly; their sums saturate at the end or wrap around.
fn multiply_bytes(m: &mut Machine<'_>, matrix: Matrix, signed: [bool; 2], saturate: bool) {
    let (rows, depth) = (usize::from(matrix.rows), usize::from(matrix.depth));
    let (first, second, mut sum) = (words(m, 0, 1), words(m, 1, 1), words(m, 2, 1));
    let kept = matrix.sparse.map(|sparse| (sparse, sparse::metadata(m, sparse)));
    let byte = |words: &Words, (lane, element): (usize, usize), signed: bool| {
        let byte = (words[element / 4][lane] >> (element % 4 * 8)) as u8;
        if signed { i32::from(byte as i8) } else { i32::from(byte) }
    };
    let mut columns = [[0i32; COLUMNS]; MOST_DEPTH];
    for (k, row) in columns.iter_mut().enumerate().take(depth) {
        for (column, element) in row.iter_mut().enumerate() {
            *element = byte(&second, place_in_second(k, column, 4), signed[1]);
        }
    }
    for row in 0..rows {
        let mut products = [0i32; COLUMNS];
        let mut add = |k: usize, columns: &[i32; COLUMNS]| {
            let factor = byte(&first, place_in_first(row, k, 4), signed[0]);
            for (product, element) in products.iter_mut().zip(columns) {
                *product += factor * element;
            }
        };
        match &kept {
            None => columns.iter().enumerate().take(depth).for_each(|(k, columns)| add(k, columns)),
            Some((sparse, metadata)) => {
                let kept = sparse::columns(metadata, matrix, *sparse, row);
                let stands_for = kept.iter().enumerate().take(depth / 2);
                stands_for.for_each(|(k, &column)| add(k, &columns[usize::from(column)]));
            }
        }
        for (column, &product) in products.iter().enumerate() {
            let (lane, element) = place_in_sum(row, column);
            let place = &mut sum[element][lane];
            let added = *place as i32;
            *place =
                if saturate { added.saturating_add(product) } else { added.wrapping_add(product) } as u32;
        }
    }
    write(m, &sum, rows / 4);
}

/// Products in double precision: one after another, each rounded with its sum.
fn multiply_doubles(m: &mut Machine<'_>, matrix: Matrix) {
    let (rows, depth) = (usize::from(matrix.rows), usize::from(matrix.depth));
    let (first, second, mut sum) = (words(m, 0, 2), words(m, 1, 2), words(m, 2, 2));
    let double = |words: &Words, (lane, element): (usize, usize)| {
        f64::from_bits(u64::from(words[2 * element][lane]) | u64::from(words[2 * element + 1][lane]) << 32)
    };
    for row in 0..rows {
        for column in 0..COLUMNS {
            let (lane, element) = place_in_sum(row, column);
            let total = (0..depth).fold(double(&sum, (lane, element)), |total, k| {
                let a = double(&first, place_in_first(row, k, 1));
                let b = double(&second, place_in_second(k, column, 1));
                f64::from_bits(with_nan_of(a.mul_add(b, total), &[b, total, a]))
            });
            let bits = total.to_bits();
            sum[2 * element][lane] = bits as u32;
            sum[2 * element + 1][lane] = (bits >> 32) as u32;
        }
    }
    write(m, &sum, rows / 2);
}

/// Writes the first registers of a sum.
fn write(m: &mut Machine<'_>, sum: &Words, registers: usize) {
    for (register, row) in sum.iter().enumerate().take(registers) {
        m.write_at(register, row);
    }
}
