//! MUFU, the special functions, bit for bit as an H200 computes them.
//!
//! The unit interpolates (Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005): the
//! upper bits of the argument choose three coefficients, the lower ones go into a quadratic polynomial of integers.
//! envytools describes the datapath of an early one, the G80's; the H200's is the same.

mod circle;
mod exponential;
mod float;
mod interpolate;
mod root;
mod series;
mod tables;
mod tanh;
#[cfg(test)]
mod tests;

use crate::op::Mufu;

pub(crate) use series::{log2, sin_turns};

/// MUFU of a lane: on the bits of a float, or on the upper half of a double.
pub(crate) fn evaluate(function: Mufu, bits: u32) -> u32 {
    match function {
        Mufu::Rcp => root::reciprocal(float::SINGLE, bits),
        Mufu::Rsq => root::reciprocal_root(float::SINGLE, bits),
        Mufu::Sqrt => root::square_root(bits),
        Mufu::Rcp64h => root::reciprocal(float::UPPER_HALF, bits),
        Mufu::Rsq64h => root::reciprocal_root(float::UPPER_HALF, bits),
        Mufu::Ex2 => exponential::power_of_two(bits),
        Mufu::Lg2 => exponential::logarithm(bits),
        Mufu::Sin => circle::sine(bits),
        Mufu::Cos => circle::cosine(bits),
        Mufu::Tanh => tanh::tanh(bits),
    }
}
