//! Products of short floats: all products of a row and a column and what is added to them are cut off at one place and summed
//! exactly; the sum is cut off to single precision, or rounded to the nearest half.

use super::{COLUMNS, MOST_ROWS, Words, place_in_first, place_in_second, place_in_sum, sparse, words, write};
use crate::op::{FactorFormat, Matrix};
use crate::semantics::float::NAN32;
use crate::semantics::lanes::Machine;

/// Bits below the first one of the largest term that a sum keeps.
pub(in crate::semantics) const KEPT: i32 = 25;
/// Elements of a row of the first factor at most, and of a column of the second one.
const DEPTH: usize = 16;
const SECOND_DEPTH: usize = 32;
/// The exponent of a zero, far below all others.
pub(in crate::semantics) const NO_EXPONENT: i32 = -1000;
/// Bits of fraction of a factor.
pub(in crate::semantics) const FRACTION: u32 = 10;
/// Bits of fraction of what is added.
const SINGLE: i32 = 23;
/// The NaN of half precision.
pub(in crate::semantics) const NAN16: u32 = 0x7fff;

/// A float of any format.
#[derive(Clone, Copy, Default)]
pub(in crate::semantics) struct Number {
    /// Its digits with the sign, `fraction` of them behind the point.
    pub(in crate::semantics) digits: i32,
    pub(in crate::semantics) exponent: i32,
    /// Infinite, or no number.
    pub(in crate::semantics) special: bool,
    pub(in crate::semantics) nan: bool,
}

/// Takes bits apart that have so many bits of exponent and fraction.
#[inline(always)]
pub(in crate::semantics) fn number(bits: u32, exponent_bits: u32, fraction_bits: u32) -> Number {
    let (most, bias) = ((1 << exponent_bits) - 1, (1 << (exponent_bits - 1)) - 1);
    let (field, fraction) = (bits >> fraction_bits & most, bits & ((1 << fraction_bits) - 1));
    let negative = bits >> (exponent_bits + fraction_bits) & 1 != 0;
    let digits = if field == 0 { fraction } else { fraction | 1 << fraction_bits } as i32;
    let exponent = if digits == 0 { NO_EXPONENT } else { field.max(1) as i32 - bias };
    let special = field == most;
    Number {
        digits: if negative { -digits } else { digits },
        exponent,
        special,
        nan: special && fraction != 0,
    }
}

/// An element of a factor, with ten bits of fraction whatever its format.
#[inline(always)]
fn factor(words: &Words, (lane, element): (usize, usize), format: FactorFormat) -> Number {
    let half = || words[element / 2][lane] >> (element % 2 * 16) & 0xffff;
    match format {
        FactorFormat::F16 => number(half(), 5, FRACTION),
        FactorFormat::Bf16 => {
            let short = number(half(), 8, 7);
            Number { digits: short.digits << 3, ..short }
        }
        FactorFormat::Tf32 => number(words[element][lane] >> 13, 8, FRACTION),
    }
}

/// The digits and exponents of a row or column of each of eight: what is multiplied side by side.
pub(in crate::semantics) type Eight = [i32; COLUMNS];

/// d = a * b + c.
#[inline(always)]
pub(super) fn multiply(m: &mut Machine<'_>, matrix: Matrix, format: FactorFormat, half_sums: bool) {
    let depth = usize::from(matrix.depth);
    let together = if format == FactorFormat::Tf32 { 1 } else { 2 };
    let (first, second, mut sum) = (words(m, 0, 1), words(m, 1, 1), words(m, 2, 1));
    let kept = matrix.sparse.map(|sparse| (sparse, sparse::metadata(m, sparse)));
    let mut all = ([[0; COLUMNS]; SECOND_DEPTH], [[NO_EXPONENT; COLUMNS]; SECOND_DEPTH]);
    let mut special = false;
    for k in 0..depth {
        for column in 0..COLUMNS {
            let element = factor(&second, place_in_second(k, column, together), format);
            (all.0[k][column], all.1[k][column]) = (element.digits, element.exponent);
            special |= element.special;
        }
    }
    let depth = if kept.is_some() { depth / 2 } else { depth };
    let mut columns: [u8; DEPTH] = std::array::from_fn(|k| k as u8);
    let mut second_of_row = of_columns(&all, columns);
    for row in 0..MOST_ROWS {
        if let Some((sparse, metadata)) = &kept {
            let all_columns = sparse::columns(metadata, matrix, *sparse, row);
            columns = std::array::from_fn(|k| all_columns[k]);
            second_of_row = of_columns(&all, columns);
        }
        let mut left = [Number { exponent: NO_EXPONENT, ..Number::default() }; DEPTH];
        for (k, element) in left.iter_mut().enumerate().take(depth) {
            *element = factor(&first, place_in_first(row, k, together), format);
        }
        let added: [Number; COLUMNS] = std::array::from_fn(|column| addend(&sum, row, column, half_sums));
        let totals =
            dot_products::<DEPTH, KEPT, FRACTION>(&left, (&second_of_row.0, &second_of_row.1), &added, depth);
        let in_row = special || left.iter().chain(&added).any(|it| it.special);
        for (column, (total, lowest)) in totals.into_iter().enumerate() {
            let right = |k: usize| {
                factor(&second, place_in_second(usize::from(columns[k]), column, together), format)
            };
            let special = if in_row { special_sum(&left[..depth], right, added[column]) } else { None };
            let bits = match (special, half_sums) {
                (Some(bits), false) => bits,
                (Some(NAN32), true) => NAN16,
                (Some(infinity), true) => infinity >> 16 & 0x8000 | 0x7c00,
                (None, false) => cut_off(total, lowest),
                (None, true) => nearest_half(total, lowest),
            };
            put(&mut sum, row, column, half_sums, bits);
        }
    }
    write(m, &sum, if half_sums { 2 } else { 4 });
}

/// The digits and exponents of some elements of each column.
#[inline(always)]
fn of_columns<const ALL: usize, const SOME: usize>(
    (digits, exponents): &([Eight; ALL], [Eight; ALL]),
    columns: [u8; SOME],
) -> ([Eight; SOME], [Eight; SOME]) {
    let at = |all: &[Eight; ALL]| columns.map(|column| all[usize::from(column)]);
    (at(digits), at(exponents))
}

/// What is added to a product.
#[inline(always)]
pub(in crate::semantics) fn addend(sum: &Words, row: usize, column: usize, half: bool) -> Number {
    let (lane, element) = place_in_sum(row, column);
    if half {
        let number = number(sum[element / 2][lane] >> (element % 2 * 16) & 0xffff, 5, 10);
        Number { digits: number.digits << 13, ..number }
    } else {
        number(sum[element][lane], 8, 23)
    }
}

/// Puts an element of the sum where it belongs.
#[inline(always)]
pub(in crate::semantics) fn put(sum: &mut Words, row: usize, column: usize, half: bool, bits: u32) {
    let (lane, element) = place_in_sum(row, column);
    if half {
        let (word, shift) = (&mut sum[element / 2][lane], element % 2 * 16);
        *word = *word & !(0xffff << shift) | bits << shift;
    } else {
        sum[element][lane] = bits;
    }
}

/// The products of a row with eight columns, each with what is added to it: the sum, of which so many bits below the first of its
/// largest term are kept, and the exponent of its lowest digit. Factors have so many bits of fraction.
#[inline(always)]
pub(in crate::semantics) fn dot_products<const MOST: usize, const KEEPS: i32, const DIGITS: u32>(
    left: &[Number; MOST],
    (digits, exponents): (&[Eight; MOST], &[Eight; MOST]),
    added: &[Number; COLUMNS],
    depth: usize,
) -> [(i64, i32); COLUMNS] {
    let mut largest: Eight = added.map(|number| number.exponent);
    for k in 0..depth {
        for column in 0..COLUMNS {
            largest[column] = largest[column].max(left[k].exponent + exponents[k][column]);
        }
    }
    // Sums of eight products have room in 32 bits; their digits, twice as many as of a factor, are shifted to where sums end.
    let mut parts = [[0i32; COLUMNS]; 2];
    for k in 0..depth {
        for column in 0..COLUMNS {
            let below = (largest[column] - left[k].exponent - exponents[k][column]).min(31);
            parts[2 * k / MOST][column] +=
                cut(left[k].digits * digits[k][column], KEEPS as u32 - 2 * DIGITS, below);
        }
    }
    std::array::from_fn(|column| {
        let below = (largest[column] - added[column].exponent).min(31);
        let (shift, beyond) = if KEEPS >= SINGLE { (KEEPS - SINGLE, 0) } else { (0, SINGLE - KEEPS) };
        let added = cut(added[column].digits, shift as u32, (below + beyond).min(31));
        let total = i64::from(parts[0][column]) + i64::from(parts[1][column]) + i64::from(added);
        (total, largest[column] - KEEPS)
    })
}

/// Digits shifted to where sums end, as many places below the largest term; what is further below is cut off, of whichever sign.
#[inline(always)]
fn cut(digits: i32, shift: u32, below: i32) -> i32 {
    let size = (digits.unsigned_abs() << shift >> below) as i32;
    let sign = digits >> 31;
    (size ^ sign) - sign
}

/// The sum where a term is infinite or no number, in single precision; none where all are finite.
pub(in crate::semantics) fn special_sum(
    left: &[Number],
    right: impl Fn(usize) -> Number,
    added: Number,
) -> Option<u32> {
    let (mut nan, mut positive, mut negative) = (added.nan, false, false);
    let mut see = |infinite: bool, below_zero: bool| {
        positive |= infinite && !below_zero;
        negative |= infinite && below_zero;
    };
    see(added.special, added.digits < 0);
    for (k, a) in left.iter().enumerate() {
        let b = right(k);
        nan |= a.nan || b.nan || a.special && b.digits == 0 || b.special && a.digits == 0;
        see(a.special || b.special, (a.digits < 0) != (b.digits < 0));
    }
    match (nan || positive && negative, positive, negative) {
        (true, ..) => Some(NAN32),
        (false, true, _) => Some(0x7f80_0000),
        (false, _, true) => Some(0xff80_0000),
        _ => None,
    }
}

/// A sum in single precision, cut off towards zero; one that is too large is infinite.
pub(in crate::semantics) fn cut_off(total: i64, lowest: i32) -> u32 {
    let (sign, size) = (if total < 0 { 1 << 31 } else { 0 }, total.unsigned_abs());
    if size == 0 {
        return 0;
    }
    let exponent = size.ilog2() as i32 + lowest;
    if exponent > 127 {
        return sign | 0x7f80_0000;
    }
    let unit = (exponent - 23).max(-149);
    let by = unit - lowest;
    let digits = if by >= 0 { size.checked_shr(by as u32).unwrap_or(0) } else { size << -by } as u32;
    // The first digit counts one up in the exponent.
    let field = if exponent < -126 { 0 } else { (exponent + 126) as u32 };
    signed((field << 23) + digits, sign)
}

/// A number with its sign; zero has none.
fn signed(bits: u32, sign: u32) -> u32 {
    if bits == 0 { 0 } else { sign | bits }
}

/// A sum rounded to the nearest half, to the even one of two.
pub(in crate::semantics) fn nearest_half(total: i64, lowest: i32) -> u32 {
    let (sign, size) = (if total < 0 { 0x8000 } else { 0 }, total.unsigned_abs());
    if size == 0 {
        return 0;
    }
    let exponent = size.ilog2() as i32 + lowest;
    let unit = (exponent - 10).max(-24);
    let by = unit - lowest;
    let digits = if by <= 0 {
        size << -by
    } else if by > 62 {
        0
    } else {
        let (kept, half) = (size >> by, 1u64 << (by - 1));
        let rest = size & ((1 << by) - 1);
        kept + u64::from(rest > half || rest == half && kept & 1 != 0)
    } as u32;
    // A carry out of the digits goes on into the exponent.
    let field = if exponent < -14 { 0 } else { (exponent + 14) as u32 };
    signed(((field << 10) + digits).min(0x7c00), sign)
}
