//! The reciprocal, the square root and its reciprocal.

use super::float::{Argument, Format, SIGN, SINGLE};
use super::interpolate::{Polynomial, piece};
use super::tables::{reciprocal, reciprocal_root, square_root};
use crate::semantics::float::NAN32;

const RECIPROCAL: Polynomial = Polynomial { constant: 14, square: 1, rounding: 0x4fce };
const RECIPROCAL_ROOT: Polynomial = Polynomial { constant: 14, square: 2, rounding: 0x3fff };
const SQUARE_ROOT: Polynomial = Polynomial { constant: 15, square: 1, rounding: 0x7fff };

/// 1 / x; of the upper half of a double, the upper half.
pub(super) fn reciprocal(format: Format, bits: u32) -> u32 {
    let sign = bits & SIGN;
    match format.argument(bits) {
        Argument::NaN => NAN32,
        Argument::Infinite => sign,
        Argument::Zero => sign | format.infinity(),
        Argument::Number { exponent, fraction } => {
            // Twice as many rows as for the others: one bit less is left.
            let (row, rest) = piece(fraction << 1);
            let sum = RECIPROCAL.at(reciprocal::ROWS[row], rest);
            sign | format.number(-1 - exponent, (sum >> 16) as u32)
        }
    }
}

/// 1 / sqrt(x); of the upper half of a double, the upper half.
pub(super) fn reciprocal_root(format: Format, bits: u32) -> u32 {
    match format.argument(bits) {
        Argument::Zero => bits & SIGN | format.infinity(),
        Argument::NaN => NAN32,
        _ if bits & SIGN != 0 => NAN32,
        Argument::Infinite => 0,
        Argument::Number { exponent, fraction } => {
            let (row, rest) = piece_of_root(exponent, fraction);
            let sum = RECIPROCAL_ROOT.at(reciprocal_root::ROWS[row], rest);
            let exact = row == 0 && rest == 0;
            let significand = if exact { 1 << 24 } else { (sum >> 16) as u32 };
            format.number(-1 - (exponent >> 1), significand)
        }
    }
}

/// sqrt(x).
pub(super) fn square_root(bits: u32) -> u32 {
    match SINGLE.argument(bits) {
        Argument::Zero => bits & SIGN,
        Argument::NaN => NAN32,
        _ if bits & SIGN != 0 => NAN32,
        Argument::Infinite => bits,
        Argument::Number { exponent, fraction } => {
            let (row, rest) = piece_of_root(exponent, fraction);
            let sum = SQUARE_ROOT.at(square_root::ROWS[row], rest);
            SINGLE.number(exponent >> 1, (sum >> 17) as u32)
        }
    }
}

/// The piece of an argument of a root: 64 rows for even exponents, then 64 for odd ones.
fn piece_of_root(exponent: i32, fraction: u32) -> (usize, u32) {
    piece((exponent as u32 & 1) << 23 | fraction)
}
