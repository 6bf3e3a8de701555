//! Operands.

use super::name::Name;
use super::special::{Component, Part, Special};

/// A constant. Floats are kept as bits, so equal constants are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// An integer as its 64 bits: `18446744073709551615` is kept as `-1`. A `true` predicate is 1.
    Int(i64),
    /// `0f3F800000`: the bits of a single.
    F32(u32),
    /// `0d3FF0000000000000` or a decimal `1.0`: the bits of a double. An instruction of type `.f32` rounds it.
    F64(u64),
}

impl Immediate {
    /// The integer, if it is one.
    #[must_use]
    pub fn as_int(self) -> Option<i64> {
        match self {
            Immediate::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bits of the constant used as a single; an integer is taken as bits.
    #[must_use]
    pub fn f32_bits(self) -> u32 {
        match self {
            Immediate::Int(value) => low_word(value),
            Immediate::F32(bits) => bits,
            Immediate::F64(bits) => single(f64::from_bits(bits)).to_bits(),
        }
    }

    /// The bits of the constant used as a double; an integer is taken as bits.
    #[must_use]
    pub fn f64_bits(self) -> u64 {
        match self {
            Immediate::Int(value) => value.cast_unsigned(),
            Immediate::F32(bits) => f64::from(f32::from_bits(bits)).to_bits(),
            Immediate::F64(bits) => bits,
        }
    }
}

/// The low 32 bits of an integer.
pub(crate) fn low_word(value: i64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[expect(clippy::cast_possible_truncation, reason = "the constant is rounded to a single")]
fn single(value: f64) -> f32 {
    value as f32
}

/// What an address starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register.
    Register(Name),
    /// A variable or parameter.
    Symbol(Name),
    /// Nothing: the offset is the address.
    Absolute,
}

/// `[base+offset]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// What it starts from.
    pub base: Base,
    /// Bytes past the base.
    pub offset: i64,
}

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register: its name starts with `%`, or a `.reg` in scope declares it.
    Register(Name),
    /// `v.x`: an element of a vector register.
    Component {
        /// The vector register.
        register: Name,
        /// Which element.
        component: Component,
    },
    /// `r.h0`: a byte or half of a register.
    Part {
        /// The register.
        register: Name,
        /// Which part.
        part: Part,
    },
    /// `!p`: a predicate negated.
    Negated(Name),
    /// A constant.
    Immediate(Immediate),
    /// A special register.
    Special {
        /// Which.
        register: Special,
        /// Its element, if one is named.
        component: Option<Component>,
    },
    /// A variable, parameter or function by name, with an offset in bytes: its address.
    Symbol {
        /// The name.
        name: Name,
        /// Bytes past its start.
        offset: i64,
    },
    /// `[base+offset]`.
    Address(Address),
    /// `[map+offset, {x, y}]`: a tensor map and the coordinates of a box.
    Tensor(Address, Vec<Operand>),
    /// `{a, b, c, d}`.
    Vector(Vec<Operand>),
    /// A place to go to: the operand of `bra`, the table of `brx.idx`.
    Label(Name),
    /// `p|q`: two results.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`: the result is not wanted.
    Sink,
    /// `(a, b)`: the results or arguments of a call.
    List(Vec<Operand>),
}

impl Operand {
    /// The name of the register, if it is a plain one.
    #[must_use]
    pub fn register(&self) -> Option<&Name> {
        match self {
            Operand::Register(name) => Some(name),
            _ => None,
        }
    }

    /// The constant, if it is one.
    #[must_use]
    pub fn immediate(&self) -> Option<Immediate> {
        match self {
            Operand::Immediate(value) => Some(*value),
            _ => None,
        }
    }

    /// The address, if it is one.
    #[must_use]
    pub fn address(&self) -> Option<&Address> {
        match self {
            Operand::Address(address) => Some(address),
            _ => None,
        }
    }

    /// The elements of a vector, or the operand itself as the only one.
    #[must_use]
    pub fn elements(&self) -> &[Operand] {
        match self {
            Operand::Vector(elements) => elements,
            other => std::slice::from_ref(other),
        }
    }
}
