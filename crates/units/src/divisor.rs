//! Division by a number that is known before the loop.

use serde::{Deserialize, Serialize};

/// A divisor with its reciprocal: a quotient costs a multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divisor {
    value: u64,
    /// 2^64 divided by the divisor, rounded up; 0 for the divisor 1.
    reciprocal: u64,
}

impl Divisor {
    /// A divisor.
    ///
    /// # Panics
    /// For zero.
    #[must_use]
    pub const fn new(value: u64) -> Divisor {
        Divisor { value, reciprocal: (u64::MAX / value).wrapping_add(1) }
    }

    /// The quotient and the remainder.
    #[inline]
    #[must_use]
    pub const fn divide(self, dividend: u64) -> (u64, u64) {
        if self.reciprocal == 0 {
            return (dividend, 0);
        }
        // The reciprocal is too large by less than 1: the quotient is exact up to about 2^64 over the divisor.
        if dividend >= self.reciprocal && !self.value.is_power_of_two() {
            return (dividend / self.value, dividend % self.value);
        }
        let quotient = ((dividend as u128 * self.reciprocal as u128) >> u64::BITS) as u64;
        // Neither wraps; who asks for one of the two need not compute the other.
        (quotient, dividend.wrapping_sub(quotient.wrapping_mul(self.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn the_quotient_is_that_of_a_division() {
        let dividends = (0..48).flat_map(|bits| [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 12_345]);
        for dividend in dividends.chain([u64::MAX, u64::MAX / 3]) {
            for value in [1, 2, 3, 7, 64, 96, 132, 65_535, 65_536, 1 << 40, u64::MAX] {
                let expected = (dividend / value, dividend % value);
                assert_eq!(Divisor::new(value).divide(dividend), expected, "{dividend} / {value}");
            }
        }
    }

    #[test]
    fn multiples_and_their_neighbours_of_every_divisor_are_exact() {
        for value in 1..=1024u64 {
            for factor in [1, 2, 999_983, (1 << 48) / value] {
                for dividend in [value * factor - 1, value * factor] {
                    assert_eq!(Divisor::new(value).divide(dividend), (dividend / value, dividend % value));
                }
            }
        }
    }
}
