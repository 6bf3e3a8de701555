//! The hyperbolic tangent.

use super::float::{Argument, SIGN, SINGLE, truncate};
use super::interpolate::{LOWER_BITS, Polynomial, piece};
use super::tables::tanh::ROWS;
use crate::semantics::float::NAN32;

const TANH: Polynomial = Polynomial { constant: 15, square: 1, rounding: 0 };

/// The arguments of one exponent.
struct Binade {
    /// The first of its rows.
    first: usize,
    /// Bits of the fraction that choose the row.
    row_bits: u32,
    /// Bits after the point of its polynomials.
    point: i32,
}

/// The least exponent that has rows; below it, x is its own tangent.
const LEAST: i32 = -8;

/// From the exponent -8 to 2; from 8 on, all results are 1.
const BINADES: [Binade; 11] = {
    const fn binade(first: usize, row_bits: u32, point: i32) -> Binade {
        Binade { first, row_bits, point }
    }
    [
        binade(0, 0, 39),
        binade(1, 0, 38),
        binade(2, 0, 37),
        binade(3, 1, 38),
        binade(5, 1, 37),
        binade(7, 2, 38),
        binade(11, 2, 37),
        binade(15, 2, 36),
        binade(19, 3, 37),
        binade(27, 4, 39),
        binade(43, 3, 37),
    ]
};

/// The hyperbolic tangent of x. Denormals are not flushed.
pub(super) fn tanh(bits: u32) -> u32 {
    let sign = bits & SIGN;
    match SINGLE.argument(bits) {
        Argument::NaN => NAN32,
        Argument::Zero => bits,
        Argument::Infinite => sign | ONE,
        Argument::Number { exponent: ..LEAST, .. } => bits,
        Argument::Number { exponent, fraction } => match BINADES.get((exponent - LEAST) as usize) {
            Some(binade) => sign | binade.tanh(fraction),
            None => sign | ONE,
        },
    }
}

const ONE: u32 = 0x3f80_0000;

impl Binade {
    fn tanh(&self, fraction: u32) -> u32 {
        let (row, rest) = piece(fraction >> (23 - LOWER_BITS - self.row_bits));
        truncate(TANH.at(ROWS[self.first + row], rest) as u64, self.point)
    }
}
