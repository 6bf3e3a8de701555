//! Products of short floats: as of one warp, 32 bytes of a row and a column with what is added to them in one sum. Floats of eight
//! bits are cut off 13 bits below the first digit of the largest term, and so is their sum.

use super::{COLUMNS, Factors, ROW_BYTES, ROWS, added, adds, write};
use crate::op::{FloatFormat, WarpgroupProduct};
use crate::semantics::float::NAN32;
use crate::semantics::lanes::Machine;
use crate::semantics::matrix::floats::{
    Eight, FRACTION, KEPT, NAN16, NO_EXPONENT, Number, addend, cut_off, dot_products, nearest_half, number,
    put, special_sum,
};

/// Bits of fraction of a float of eight bits.
const BYTE_FRACTION: u32 = 3;
/// Bits below the first one of the largest term that a sum of such products keeps.
const BYTE_KEPT: i32 = 13;

/// Forms the product.
#[inline(always)]
pub(super) fn multiply(
    m: &mut Machine<'_>,
    product: &WarpgroupProduct,
    factors: &Factors,
    formats: [FloatFormat; 2],
    half_sums: bool,
) {
    match formats[0].bytes() {
        1 => of_depth::<32, BYTE_KEPT, BYTE_FRACTION>(m, product, factors, formats, half_sums),
        2 => of_depth::<16, KEPT, FRACTION>(m, product, factors, formats, half_sums),
        _ => of_depth::<8, KEPT, FRACTION>(m, product, factors, formats, half_sums),
    }
}

#[inline(always)]
fn of_depth<const DEPTH: usize, const KEEPS: i32, const DIGITS: u32>(
    m: &mut Machine<'_>,
    product: &WarpgroupProduct,
    factors: &Factors,
    formats: [FloatFormat; 2],
    half_sums: bool,
) {
    let rows: [[Number; DEPTH]; ROWS] = std::array::from_fn(|row| {
        std::array::from_fn(|k| {
            signed(factor(&factors.first[row], k, formats[0]), product.signs.negate_first)
        })
    });
    let special_rows = rows.each_ref().map(|row| row.iter().any(|it| it.special));
    let adds = adds(m);
    let registers = if half_sums { 2 } else { 4 };
    for (block, columns) in factors.second.chunks_exact(COLUMNS).enumerate() {
        let (mut digits, mut exponents) = ([[0; COLUMNS]; DEPTH], [[NO_EXPONENT; COLUMNS]; DEPTH]);
        let mut special = false;
        let right = |k: usize, column: usize| {
            signed(factor(&columns[column], k, formats[1]), product.signs.negate_second)
        };
        for k in 0..DEPTH {
            for column in 0..COLUMNS {
                let element = right(k, column);
                (digits[k][column], exponents[k][column]) = (element.digits, element.exponent);
                special |= element.special;
            }
        }
        let mut sum = added(m, adds, block * registers, registers);
        for (row, left) in rows.iter().enumerate() {
            let added: [Number; COLUMNS] = std::array::from_fn(|column| addend(&sum, row, column, half_sums));
            let of: (&[Eight; DEPTH], &[Eight; DEPTH]) = (&digits, &exponents);
            let totals = dot_products::<DEPTH, KEEPS, DIGITS>(left, of, &added, DEPTH);
            let in_row = special || special_rows[row] || added.iter().any(|it| it.special);
            for (column, (total, lowest)) in totals.into_iter().enumerate() {
                let found =
                    if in_row { special_sum(left, |k| right(k, column), added[column]) } else { None };
                let bits = match (found, half_sums) {
                    (Some(bits), false) => bits,
                    (Some(NAN32), true) => NAN16,
                    (Some(infinity), true) => infinity >> 16 & 0x8000 | 0x7c00,
                    (None, false) => cut_off(within(total, KEEPS), lowest),
                    (None, true) => nearest_half(total, lowest),
                };
                put(&mut sum, row, column, half_sums, bits);
            }
        }
        write(m, &sum, block * registers, registers);
    }
}

/// A sum without the digits further below its first one than are kept.
#[inline(always)]
fn within(total: i64, kept: i32) -> i64 {
    if kept == KEPT || total == 0 {
        return total;
    }
    let drops = total.unsigned_abs().ilog2().saturating_sub(kept as u32);
    let size = (total.unsigned_abs() >> drops << drops) as i64;
    if total < 0 { -size } else { size }
}

fn signed(number: Number, negate: bool) -> Number {
    if negate { Number { digits: -number.digits, ..number } } else { number }
}

/// Element `k` of a row or column.
#[inline(always)]
fn factor(bytes: &[u8; ROW_BYTES], k: usize, format: FloatFormat) -> Number {
    let half = || u32::from(u16::from_le_bytes([bytes[2 * k % ROW_BYTES], bytes[(2 * k + 1) % ROW_BYTES]]));
    match format {
        FloatFormat::F16 => number(half(), 5, FRACTION),
        FloatFormat::Bf16 => {
            let short = number(half(), 8, 7);
            Number { digits: short.digits << 3, ..short }
        }
        FloatFormat::Tf32 => {
            let at = 4 * k % ROW_BYTES;
            let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            number(word >> 13, 8, FRACTION)
        }
        FloatFormat::E5m2 => {
            let short = number(u32::from(bytes[k]), 5, 2);
            Number { digits: short.digits << 1, ..short }
        }
        // Its largest exponent is one of numbers; only all ones are none.
        FloatFormat::E4m3 => {
            let nan = bytes[k] & 0x7f == 0x7f;
            Number { special: nan, nan, ..number(u32::from(bytes[k]), 4, BYTE_FRACTION) }
        }
    }
}
