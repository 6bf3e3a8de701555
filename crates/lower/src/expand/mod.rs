//! Operations that the machine has not: division, remainder, square root, correctly rounded, as sequences.

mod double;
mod integer;
mod single;

pub(crate) use integer::DivisionPart;
