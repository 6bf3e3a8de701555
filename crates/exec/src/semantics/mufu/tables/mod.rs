//! The coefficients, one row for each piece of a function.
//!
//! They were fitted to the results of an H200 (`traces/h200/functions`), row by row: with the shape that its `Polynomial` says,
//! every result of a piece bounds the polynomial from both sides, linear programming finds the middle of what the bounds
//! leave, and the whole numbers there give all results of the piece; with any coefficient of x or its square one more or less,
//! no constant does. How much of the constants is in the table and how much in `rounding` is open: `rounding` is the least
//! with which constants have 26 bits.

pub(super) mod logarithm;
pub(super) mod power_of_two;
pub(super) mod reciprocal;
pub(super) mod reciprocal_root;
pub(super) mod sine;
pub(super) mod square_root;
pub(super) mod tanh;
