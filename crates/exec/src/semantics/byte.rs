//! Floats of eight bits.

use crate::op::{ByteFormat, Round};
use crate::semantics::float::narrow;
use crate::semantics::half::round_to;

/// The largest number of four bits of exponent: 448. Its neighbour above is the NaN.
const LARGEST_E4M3: u8 = 0x7e;
const NAN_E4M3: u8 = 0x7f;
/// The largest number of five bits of exponent: 57344.
const LARGEST_E5M2: u8 = 0x7b;
const NAN_E5M2: u8 = 0x7f;

/// Rounded to the nearest even; what is too large becomes the largest number.
pub(crate) fn from_float(value: f64, format: ByteFormat) -> u8 {
    let (largest, nan) = match format {
        ByteFormat::E4m3 => (LARGEST_E4M3, NAN_E4M3),
        ByteFormat::E5m2 => (LARGEST_E5M2, NAN_E5M2),
    };
    if value.is_nan() {
        return nan;
    }
    let limit = match format {
        ByteFormat::E4m3 => 448.0,
        ByteFormat::E5m2 => 57344.0,
    };
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    if value.abs() >= limit {
        return sign | largest;
    }
    let bits = match format {
        // One exponent more than a format with infinities has, so it is rounded at half the value.
        ByteFormat::E4m3 => e4m3(value.abs()),
        ByteFormat::E5m2 => narrow(value.abs(), 2, 5, Round::Nearest),
    };
    sign | u8::try_from(bits).unwrap_or(largest).min(largest)
}

/// The bits of a positive number below 448.
fn e4m3(value: f64) -> u64 {
    // The exponent 15 counts too: with an infinity, numbers from 256 on would have none.
    if value < 128.0 {
        narrow(value, 3, 4, Round::Nearest)
    } else {
        narrow(value / 2.0, 3, 4, Round::Nearest) + 8
    }
}

/// A byte as a half: always exact.
pub(crate) fn to_half(bits: u8, format: ByteFormat) -> u16 {
    match format {
        ByteFormat::E5m2 if bits & 0x7f > 0x7c => 0x7fff,
        ByteFormat::E5m2 => u16::from(bits) << 8,
        ByteFormat::E4m3 if bits & 0x7f == 0x7f => 0x7fff,
        ByteFormat::E4m3 => {
            let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
            let value = if exponent == 0 {
                fraction / 512.0
            } else {
                (1.0 + fraction / 8.0) * 2.0f64.powi(exponent - 7)
            };
            round_to(if bits & 0x80 != 0 { -value } else { value }, false, Round::Nearest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{from_float, to_half};
    use crate::op::ByteFormat::{E4m3, E5m2};
    use crate::semantics::half::f16;

    #[test]
    fn every_byte_survives_the_way_to_a_half_and_back() {
        for format in [E4m3, E5m2] {
            for bits in 0..=u8::MAX {
                let value = f64::from(f16(to_half(bits, format)));
                if value.is_finite() {
                    assert_eq!(from_float(value, format), bits, "{format:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn numbers_between_are_rounded_to_the_nearest_even_and_large_ones_saturate() {
        let cases = [(1.0, 0x38), (1.0625, 0x38), (1.1875, 0x3a), (-0.001, 0x81), (447.0, 0x7e), (1e9, 0x7e)];
        for (value, bits) in cases {
            assert_eq!(from_float(value, E4m3), bits, "{value}");
        }
        let cases =
            [(1.125, 0x3c), (1.375, 0x3e), (60000.0, 0x7b), (f64::NEG_INFINITY, 0xfb), (f64::NAN, 0x7f)];
        for (value, bits) in cases {
            assert_eq!(from_float(value, E5m2), bits, "{value}");
        }
    }
}
