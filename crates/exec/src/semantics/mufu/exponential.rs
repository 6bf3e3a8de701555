//! The power of two and the logarithm to base two.

use super::float::{Argument, SIGN, SINGLE, fixed_point, truncate};
use super::interpolate::{Polynomial, piece};
use super::tables::{logarithm, power_of_two};
use crate::semantics::float::NAN32;

const POWER_OF_TWO: Polynomial = Polynomial { constant: 13, square: 0, rounding: 0x17e2 };
const LOGARITHM: Polynomial = Polynomial { constant: 12, square: 1, rounding: 0x345 };

/// 2 to the power x.
pub(super) fn power_of_two(bits: u32) -> u32 {
    let negative = bits & SIGN != 0;
    match SINGLE.argument(bits) {
        Argument::NaN => NAN32,
        Argument::Infinite | Argument::Number { exponent: 7.., .. } if negative => 0,
        Argument::Infinite | Argument::Number { exponent: 7.., .. } => SINGLE.infinity(),
        Argument::Zero => power_of_fixed(0),
        Argument::Number { exponent, fraction } => {
            let magnitude = fixed_point(exponent, fraction) as i32;
            power_of_fixed(if negative { negated(magnitude) } else { magnitude })
        }
    }
}

/// A number with the other sign: whole ones exactly, the others by turning all bits over.
fn negated(magnitude: i32) -> i32 {
    let whole = magnitude.trailing_zeros() >= 23;
    if whole { -magnitude } else { !magnitude }
}

/// 2 to the power `x` / 2^23.
fn power_of_fixed(x: i32) -> u32 {
    let (row, rest) = piece(x as u32 & 0x7f_ffff);
    let sum = POWER_OF_TWO.at(power_of_two::ROWS[row], rest);
    SINGLE.number(x >> 23, (sum >> 15) as u32)
}

/// The logarithm of x to base two.
pub(super) fn logarithm(bits: u32) -> u32 {
    match SINGLE.argument(bits) {
        Argument::Zero => SIGN | SINGLE.infinity(),
        Argument::NaN => NAN32,
        _ if bits & SIGN != 0 => NAN32,
        Argument::Infinite => bits,
        Argument::Number { exponent: 0, fraction: 0 } => 0,
        Argument::Number { exponent, fraction } => {
            let (row, rest) = piece(fraction);
            let sum = LOGARITHM.at(logarithm::ROWS[row], rest) >> 2;
            match (i64::from(exponent) << 36) + sum {
                positive @ 0.. => truncate(positive as u64, 36),
                negative => SIGN | truncate(!negative as u64, 36),
            }
        }
    }
}
