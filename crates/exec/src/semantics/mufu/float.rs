//! Floats, and upper halves of doubles, taken apart and put together. Denormals are zero.

/// The sign.
pub(super) const SIGN: u32 = 1 << 31;

/// What an argument is.
pub(super) enum Argument {
    /// Not a number.
    NaN,
    /// Infinity of either sign.
    Infinite,
    /// Zero or a denormal.
    Zero,
    /// A number of magnitude 2^`exponent` * (1 + `fraction` / 2^23).
    Number { exponent: i32, fraction: u32 },
}

/// The widths of a format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Bits of the fraction; the exponent is between it and the sign.
    fraction_bits: u32,
}

/// A float.
pub(super) const SINGLE: Format = Format { fraction_bits: 23 };
/// The upper half of a double.
pub(super) const UPPER_HALF: Format = Format { fraction_bits: 20 };

impl Format {
    /// Infinity; every greater magnitude is a NaN.
    pub(super) const fn infinity(self) -> u32 {
        SIGN - (1 << self.fraction_bits)
    }

    const fn bias(self) -> i32 {
        (1 << (30 - self.fraction_bits)) - 1
    }

    /// What `bits` are.
    pub(super) fn argument(self, bits: u32) -> Argument {
        let magnitude = bits & !SIGN;
        let (biased, fraction) =
            (magnitude >> self.fraction_bits, magnitude & ((1 << self.fraction_bits) - 1));
        match magnitude {
            _ if biased == 0 => Argument::Zero,
            _ if magnitude == self.infinity() => Argument::Infinite,
            _ if magnitude > self.infinity() => Argument::NaN,
            _ => Argument::Number {
                exponent: biased as i32 - self.bias(),
                fraction: fraction << (SINGLE.fraction_bits - self.fraction_bits),
            },
        }
    }

    /// 2^`exponent` * `significand` / 2^23, cut off; the significand is in 2^23..=2^24.
    pub(super) fn number(self, exponent: i32, significand: u32) -> u32 {
        let biased = i64::from(exponent + self.bias());
        // The leading one of the significand counts in the exponent, and so does a carry.
        let bits = (biased - 1 << SINGLE.fraction_bits) + i64::from(significand);
        let bits = bits >> (SINGLE.fraction_bits - self.fraction_bits);
        match bits {
            _ if bits < 1 << self.fraction_bits => 0,
            _ => bits.min(i64::from(self.infinity())) as u32,
        }
    }
}

/// The magnitude of a number in units of 2^-23, cut off; bits above the 64th are lost.
pub(super) fn fixed_point(exponent: i32, fraction: u32) -> u64 {
    let significand = u64::from(1 << 23 | fraction);
    let places = exponent.unsigned_abs();
    if exponent < 0 { significand.unbounded_shr(places) } else { significand.unbounded_shl(places) }
}

/// The float of `sum` / 2^`point`, cut off.
pub(super) fn truncate(sum: u64, point: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let highest = sum.ilog2();
    let significand = if highest > 23 { sum >> (highest - 23) } else { sum << (23 - highest) };
    SINGLE.number(highest as i32 - point, significand as u32)
}
