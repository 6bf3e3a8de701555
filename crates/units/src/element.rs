//! What the elements of a buffer are.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // They say what they are.
pub enum ElementType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

impl ElementType {
    /// Every type.
    pub const ALL: [ElementType; 12] = [
        ElementType::I8,
        ElementType::U8,
        ElementType::I16,
        ElementType::U16,
        ElementType::I32,
        ElementType::U32,
        ElementType::I64,
        ElementType::U64,
        ElementType::F16,
        ElementType::Bf16,
        ElementType::F32,
        ElementType::F64,
    ];

    /// The name that a person types.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ElementType::I8 => "i8",
            ElementType::U8 => "u8",
            ElementType::I16 => "i16",
            ElementType::U16 => "u16",
            ElementType::I32 => "i32",
            ElementType::U32 => "u32",
            ElementType::I64 => "i64",
            ElementType::U64 => "u64",
            ElementType::F16 => "f16",
            ElementType::Bf16 => "bf16",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<ElementType> {
        ElementType::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Bytes of one element: 1, 2, 4 or 8.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            ElementType::I8 | ElementType::U8 => 1,
            ElementType::I16 | ElementType::U16 | ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64)
    }

    /// The least and the greatest whole number that an integer type holds.
    #[must_use]
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.bytes();
        match self {
            ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => {
                Some((0, (1 << bits) - 1))
            }
            _ if self.is_float() => None,
            _ => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of an element or of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i128),
    /// A floating-point number.
    Real(f64),
}

impl Number {
    /// The value as a double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Whole(whole) => whole as f64,
            Number::Real(real) => real,
        }
    }
}
