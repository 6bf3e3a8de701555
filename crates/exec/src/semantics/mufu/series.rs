//! Functions for initial values, the same on every host: double-precision series, no library calls.

use std::f64::consts::{LOG2_E, PI, SQRT_2};

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
