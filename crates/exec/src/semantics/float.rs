//! Floating-point arithmetic as the machine does it, whatever the host: exact directed rounding, canonical NaNs.

use crate::op::{FloatMode, Round};

/// The NaN that single-precision instructions make.
pub(crate) const NAN32: u32 = 0x7fff_ffff;
/// The NaN that conversions to double precision make.
pub(crate) const NAN64: u64 = 0x7ff8_0000_0000_0000;
/// The NaN that arithmetic in double precision makes (measured: traces/h200/matrix/nan.txt).
const MADE_NAN64: u64 = 0xfff8_0000_0000_0000;

/// Any NaN becomes the machine's.
#[inline(always)]
pub(crate) fn canonical(value: f32) -> u32 {
    if value.is_nan() { NAN32 } else { value.to_bits() }
}

/// Any NaN becomes the machine's.
#[inline(always)]
pub(crate) fn canonical64(bits: u64) -> u64 {
    if f64::from_bits(bits).is_nan() { NAN64 } else { bits }
}

/// The result of double precision where it is a NaN: the first operand that is one, quiet, or the NaN that the machine makes. The
/// operands are asked in the order b, c, a (measured: traces/h200/matrix/nan.txt).
#[inline(always)]
pub(crate) fn with_nan_of(result: f64, operands: &[f64]) -> u64 {
    let bits = result.to_bits();
    if result.is_nan() { first_nan(operands) } else { bits }
}

#[cold]
fn first_nan(operands: &[f64]) -> u64 {
    let nan = operands.iter().find(|operand| operand.is_nan());
    nan.map_or(MADE_NAN64, |nan| nan.to_bits() | 1 << 51)
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
pub(crate) fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Clamps to 0 to 1; NaN is 0.
#[inline(always)]
pub(crate) fn saturate(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value >= 1.0 {
        0x3f80_0000
    } else if value > 0.0 {
        bits
    } else {
        0
    }
}

/// a + b with denormals flushed, as atomics do it.
pub(crate) fn add_ftz(a: u32, b: u32) -> u32 {
    flush(canonical(f32::from_bits(flush(a)) + f32::from_bits(flush(b))))
}

/// a + b and the exact error of it.
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// a + b rounded to odd: rounding the result again to fewer bits is as good as rounding the exact sum.
pub(crate) fn sum_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 != 0 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// A double rounded to a narrower format, as bits.
pub(crate) fn narrow(value: f64, fraction_bits: u32, exponent_bits: u32, round: Round) -> u64 {
    let negative = value.is_sign_negative();
    let sign = u64::from(negative) << (fraction_bits + exponent_bits);
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    if value.is_infinite() || value == 0.0 {
        return sign | if value == 0.0 { 0 } else { infinity };
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let bits = value.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (exponent, significand) =
        if field == 0 { (-1022, fraction) } else { (field - 1023, fraction | 1 << 52) };
    let below = (1 - bias - exponent).max(0) as u32;
    let shift = (52 - fraction_bits + below).min(62);
    let (quotient, rest) = (significand >> shift, significand & ((1 << shift) - 1));
    let half = (1u64 << shift) >> 1;
    let up = match round {
        Round::Nearest => rest > half || rest == half && rest != 0 && quotient & 1 != 0,
        Round::Up => !negative && rest != 0,
        Round::Down => negative && rest != 0,
        Round::Zero => false,
    };
    let quotient = quotient + u64::from(up);
    let magnitude = if below > 0 {
        quotient
    } else {
        (((exponent + bias) as i64) << fraction_bits) as u64 + quotient - (1 << fraction_bits)
    };
    let overflow = exponent > bias || magnitude >= infinity;
    let to_infinity = match round {
        Round::Nearest => true,
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero => false,
    };
    sign | match overflow {
        true if to_infinity => infinity,
        true => infinity - 1,
        false => magnitude,
    }
}

/// A double rounded to single precision, NaN canonical.
pub(crate) fn to_f32(value: f64, round: Round) -> u32 {
    match round {
        _ if value.is_nan() => NAN32,
        Round::Nearest => (value as f32).to_bits(),
        _ => narrow(value, 23, 8, round) as u32,
    }
}

/// The sign of an exact zero sum: negative only when rounding down, or when both are negative zeros.
fn zero_sum(a: f64, b: f64, round: Round) -> f64 {
    if a == 0.0 && b == 0.0 && a.is_sign_negative() == b.is_sign_negative() {
        a
    } else if round == Round::Down {
        -0.0
    } else {
        0.0
    }
}

fn sum_directed(a: f64, b: f64, round: Round) -> u32 {
    let sum = sum_to_odd(a, b);
    if sum == 0.0 { to_f32(zero_sum(a, b, round), round) } else { to_f32(sum, round) }
}

/// a * b + c in single precision, any mode.
pub(crate) fn fma32(a: u32, b: u32, c: u32, mode: FloatMode) -> u32 {
    let flushed = |bits| f32::from_bits(if mode.ftz { flush(bits) } else { bits });
    let (a, b, c) = (flushed(a), flushed(b), flushed(c));
    let result = match mode.round {
        Round::Nearest => canonical(a.mul_add(b, c)),
        round => sum_directed(f64::from(a) * f64::from(b), f64::from(c), round),
    };
    finish(result, mode)
}

/// a + b in single precision, any mode.
pub(crate) fn add32(a: u32, b: u32, mode: FloatMode) -> u32 {
    let flushed = |bits| f32::from_bits(if mode.ftz { flush(bits) } else { bits });
    let (a, b) = (flushed(a), flushed(b));
    let result = match mode.round {
        Round::Nearest => canonical(a + b),
        round => sum_directed(f64::from(a), f64::from(b), round),
    };
    finish(result, mode)
}

/// a * b in single precision, any mode.
pub(crate) fn mul32(a: u32, b: u32, mode: FloatMode) -> u32 {
    let flushed = |bits| f32::from_bits(if mode.ftz { flush(bits) } else { bits });
    let (a, b) = (flushed(a), flushed(b));
    let result = match mode.round {
        Round::Nearest => canonical(a * b),
        round => to_f32(f64::from(a) * f64::from(b), round),
    };
    finish(result, mode)
}

/// a * b * 2^power in single precision, rounded once.
pub(crate) fn mul32_scaled(a: u32, b: u32, power: i8, mode: FloatMode) -> u32 {
    let flushed = |bits| f64::from(f32::from_bits(if mode.ftz { flush(bits) } else { bits }));
    // Exact: 48 bits of product, and a range far inside that of a double.
    finish(to_f32(flushed(a) * flushed(b) * 2.0f64.powi(i32::from(power)), mode.round), mode)
}

#[inline(always)]
fn finish(bits: u32, mode: FloatMode) -> u32 {
    let bits = if mode.ftz { flush(bits) } else { bits };
    if mode.saturate { saturate(bits) } else { bits }
}

/// The neighbour of `value`, the nearest double to an exact result that differs from it by something of the sign of
/// `rest`, that the rounding mode asks for.
fn directed64(value: f64, rest: f64, round: Round) -> f64 {
    let up = match round {
        Round::Nearest => return value,
        Round::Up => true,
        Round::Down => false,
        Round::Zero => value < 0.0 || value == 0.0 && rest < 0.0,
    };
    match (up, rest > 0.0, rest < 0.0) {
        (true, true, _) => value.next_up(),
        (false, _, true) => value.next_down(),
        _ => value,
    }
}

/// a * b + c in double precision.
pub(crate) fn fma64(a: f64, b: f64, c: f64, round: Round) -> f64 {
    let nearest = a.mul_add(b, c);
    if round == Round::Nearest || nearest.is_nan() || !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return nearest;
    }
    if nearest == 0.0 && a * b == -c {
        return zero_sum(a * b, c, round);
    }
    if nearest.is_infinite() {
        return directed64(nearest, -nearest, round);
    }
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    let mut scale = 1.0;
    if (a * b).abs() < 1e-250 && a != 0.0 && b != 0.0 {
        if c.abs() > 1e-200 {
            // The product is far below half a place of c: only its sign counts.
            return directed64(c, (1f64).copysign(a) * (1f64).copysign(b), round);
        }
        scale = 2f64.powi(600);
    }
    let (small, c, nearest_scaled) = (small * scale, c * scale, nearest * scale);
    let product = small * large;
    let mut terms = [small.mul_add(large, -product), product, c, -nearest_scaled];
    // Each pass moves what is exact towards the end; the sign is that of the last term that is left.
    for _ in 0..terms.len() {
        for index in 1..terms.len() {
            let (sum, error) = two_sum(terms[index], terms[index - 1]);
            terms[index] = sum;
            terms[index - 1] = error;
        }
    }
    let rest = terms.into_iter().rev().find(|&term| term != 0.0).unwrap_or(0.0);
    directed64(nearest, rest, round)
}

/// a + b in double precision.
pub(crate) fn add64(a: f64, b: f64, round: Round) -> f64 {
    let (sum, error) = two_sum(a, b);
    if round == Round::Nearest || !(a.is_finite() && b.is_finite()) {
        sum
    } else if sum == 0.0 {
        zero_sum(a, b, round)
    } else if sum.is_infinite() {
        directed64(sum, -sum, round)
    } else {
        directed64(sum, error, round)
    }
}

/// a * b in double precision.
pub(crate) fn mul64(a: f64, b: f64, round: Round) -> f64 {
    let product = a * b;
    if round == Round::Nearest || !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return product;
    }
    if product.is_infinite() {
        return directed64(product, -product, round);
    }
    // Scaled up so that the error cannot underflow; the smaller factor takes the scale.
    let scale = if product.abs() < 1e-200 { 2f64.powi(600) } else { 1.0 };
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    let scaled = small * scale * large;
    let error = (small * scale).mul_add(large, -scaled);
    let difference = scaled - product * scale;
    directed64(product, if difference != 0.0 { difference } else { error }, round)
}
