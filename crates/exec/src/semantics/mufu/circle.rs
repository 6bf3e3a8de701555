//! The sine and the cosine of x turns.

use super::float::{Argument, SIGN, SINGLE, fixed_point, truncate};
use super::interpolate::{Polynomial, piece};
use super::tables::sine;
use crate::semantics::float::NAN32;

const SINE: Polynomial = Polynomial { constant: 11, square: 0, rounding: 0 };

/// The sine of x turns.
pub(super) fn sine(bits: u32) -> u32 {
    turn(bits).map_or(NAN32, |turn| bits & SIGN ^ sine_of_quarters(turn))
}

/// The cosine of x turns.
pub(super) fn cosine(bits: u32) -> u32 {
    const QUARTER: u32 = 1 << 23;
    turn(bits).map_or(NAN32, |turn| sine_of_quarters(turn + QUARTER))
}

/// The magnitude of a number of turns, in quarters with 23 bits after the point; whole turns do not count.
fn turn(bits: u32) -> Option<u32> {
    match SINGLE.argument(bits) {
        Argument::NaN | Argument::Infinite => None,
        Argument::Zero => Some(0),
        Argument::Number { exponent, fraction } => {
            Some(fixed_point(exponent + 2, fraction) as u32 & 0x1ff_ffff)
        }
    }
}

/// The sine of quarters of a turn with 23 bits after the point.
fn sine_of_quarters(quarters: u32) -> u32 {
    // The second and the fourth quarter run backwards, by turning all bits over.
    let backwards = if quarters >> 23 & 1 != 0 { 0x7f_ffff } else { 0 };
    let (row, rest) = piece(quarters & 0x7f_ffff ^ backwards);
    let sum = SINE.at(sine::ROWS[row], rest);
    let sign = if quarters >> 24 & 1 != 0 { SIGN } else { 0 };
    sign | truncate(sum as u64, 37)
}
