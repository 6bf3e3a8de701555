//! Transcendental functions, the same on every host: double-precision arithmetic and series, no library calls.

use crate::op::Mufu;
use crate::semantics::float::{NAN32, flush};
use std::f64::consts::{LN_2, LOG2_E, PI, SQRT_2};

/// MUFU on single-precision bits; denormals are flushed on both sides.
pub(crate) fn single(function: Mufu, bits: u32) -> u32 {
    let bits = flush(bits);
    let x = f64::from(f32::from_bits(bits));
    if x.is_nan() {
        return NAN32;
    }
    let value = match function {
        Mufu::Rcp => 1.0 / x,
        Mufu::Rsq if x < 0.0 => f64::NAN,
        Mufu::Rsq => 1.0 / x.sqrt(),
        Mufu::Sqrt if x < 0.0 => f64::NAN,
        Mufu::Sqrt => x.sqrt(),
        Mufu::Ex2 => exp2(x),
        Mufu::Lg2 => log2(x),
        Mufu::Sin if x.is_infinite() => f64::NAN,
        Mufu::Sin => sin_turns(x),
        Mufu::Cos if x.is_infinite() => f64::NAN,
        Mufu::Cos => sin_turns(x.abs() - x.abs().floor() + 0.25),
        Mufu::Tanh => tanh(x),
        Mufu::Rcp64h => return upper(1.0 / upper_half(bits)),
        Mufu::Rsq64h => return upper(1.0 / upper_half(bits).sqrt()),
    };
    if value.is_nan() { NAN32 } else { flush((value as f32).to_bits()) }
}

/// MUFU on the upper half of a double.
pub(crate) fn double_half(function: Mufu, bits: u32) -> u32 {
    let denormal = bits & 0x7ff0_0000 == 0;
    let x = upper_half(if denormal { bits & 0x8000_0000 } else { bits });
    match function {
        Mufu::Rcp64h => upper(1.0 / x),
        _ if x < 0.0 => 0x7ff8_0000,
        _ => upper(1.0 / x.sqrt()),
    }
}

fn upper_half(bits: u32) -> f64 {
    f64::from_bits(u64::from(bits) << 32)
}

fn upper(value: f64) -> u32 {
    let bits = (value.to_bits() >> 32) as u32;
    match () {
        () if value.is_nan() => 0x7ff8_0000,
        () if bits & 0x7ff0_0000 == 0 => bits & 0x8000_0000,
        () => bits,
    }
}

/// 2 to the power x, to about 1e-15 relative.
pub(crate) fn exp2(x: f64) -> f64 {
    if x >= 1024.0 {
        return f64::INFINITY;
    }
    if x < -1000.0 {
        return 0.0;
    }
    let whole = (x + 0.5).floor();
    let z = (x - whole) * LN_2;
    let mut sum = 1.0;
    for n in (1..=16).rev() {
        sum = 1.0 + sum * z / f64::from(n);
    }
    sum * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

/// The logarithm to base 2, to about 1e-15.
pub(crate) fn log2(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let mut sum = 0.0;
    for n in (0..14).rev() {
        sum = sum * s * s + 1.0 / f64::from(2 * n + 1);
    }
    exponent as f64 + 2.0 * s * sum * LOG2_E
}

/// The sine of x turns, to about 1e-15.
pub(crate) fn sin_turns(x: f64) -> f64 {
    let turn = x - x.floor();
    let quarter = (turn * 4.0 + 0.5).floor();
    let angle = (turn - quarter / 4.0) * (2.0 * PI);
    let square = angle * angle;
    let (mut sine, mut cosine) = (1.0, 1.0);
    for n in (1..=9).rev() {
        let n = f64::from(n);
        sine = 1.0 - sine * square / (2.0 * n * (2.0 * n + 1.0));
        cosine = 1.0 - cosine * square / (2.0 * n * (2.0 * n - 1.0));
    }
    match quarter as u8 % 4 {
        0 => sine * angle,
        1 => cosine,
        2 => -sine * angle,
        _ => -cosine,
    }
}

fn tanh(x: f64) -> f64 {
    if x.abs() < 0.01 {
        let square = x * x;
        return x * (1.0 - square / 3.0 + 2.0 * square * square / 15.0);
    }
    let small = exp2(-2.0 * x.abs() * LOG2_E);
    ((1.0 - small) / (1.0 + small)).copysign(x)
}
