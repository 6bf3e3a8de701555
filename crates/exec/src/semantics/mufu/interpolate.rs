//! The polynomial that all functions share.

/// Bits of an argument below those that choose its row.
pub(super) const LOWER_BITS: u32 = 17;

/// The coefficients of one piece of a function: of 1, x and x squared.
pub(super) type Row = [i32; 3];

/// How the parts of a function's polynomial are lined up.
pub(super) struct Polynomial {
    /// Places by which the constant is above the product with x.
    pub(super) constant: u32,
    /// Places by which the product with the square is above that with x.
    pub(super) square: u32,
    /// What is added for rounding.
    pub(super) rounding: i64,
}

impl Polynomial {
    /// Its value with the coefficients of `row`, at `x` of 17 bits.
    pub(super) fn at(&self, [constant, linear, quadratic]: Row, x: u32) -> i64 {
        let of_square = (i64::from(quadratic) * i64::from(square(x))) << self.square;
        (i64::from(constant) << self.constant) + i64::from(linear) * i64::from(x) + of_square + self.rounding
    }
}

/// The number of the row that belongs to an argument in fixed point, and what is left of the argument.
pub(super) fn piece(argument: u32) -> (usize, u32) {
    ((argument >> LOWER_BITS) as usize, argument & ((1 << LOWER_BITS) - 1))
}

/// The square of 17 bits, without its lower 19. The unit leaves out every product of two bits that lies below the 18th, so
/// that the square is mostly a little too small.
fn square(x: u32) -> u32 {
    let (upper, lower) = (x >> 9, x & 0x1ff);
    let crossed: u32 = (1..8).map(|bit| (upper >> bit & 1) * (lower >> (9 - bit))).sum();
    (upper * upper >> 1) + crossed
}
