//! Variables and their initial values.

use super::modifier::Vector;
use super::name::{At, Name};
use super::operand::Immediate;
use super::types::{Space, Type};

/// Who else sees a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// Nobody.
    #[default]
    Internal,
    /// `.extern`: it is defined elsewhere.
    Extern,
    /// `.visible`: everybody.
    Visible,
    /// `.weak`: everybody, unless another defines it.
    Weak,
    /// `.common`: merged by name, the largest wins.
    Common,
}

/// A variable of a memory space, or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Who else sees it.
    pub linkage: Linkage,
    /// Where it lives; `Reg` for a parameter of a `.func` passed in a register.
    pub space: Space,
    /// `.align`, if written.
    pub align: Option<u32>,
    /// The type of an element.
    pub ty: Type,
    /// `.v2` or `.v4`, if each element is a vector.
    pub vector: Option<Vector>,
    /// `.ptr` of an entry parameter, if written.
    pub pointer: Option<Pointer>,
    /// The name; empty for an anonymous parameter (`_`) of a declaration.
    pub name: Name,
    /// The sizes of its dimensions; empty for a scalar, `None` for `[]`.
    pub dims: Vec<Option<u64>>,
    /// The value it starts with.
    pub initialiser: Option<Initialiser>,
    /// Where it stands.
    pub span: At,
}

impl Variable {
    /// The size of one element in bytes.
    #[must_use]
    pub fn element_bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * self.vector.map_or(1, |vector| u64::from(vector.lanes()))
    }

    /// The size in bytes; an array of unknown size has none, unless its initialiser tells.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let first = match (&self.dims[..], &self.initialiser) {
            ([None, ..], Some(Initialiser::List(list))) => list.len() as u64,
            _ => 0,
        };
        self.dims.iter().fold(self.element_bytes(), |bytes, dim| bytes.saturating_mul(dim.unwrap_or(first)))
    }

    /// The alignment in bytes: as written, or the natural one of an element.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.align.map_or(self.element_bytes(), u64::from)
    }
}

/// `.ptr .global .align 16`: what an entry parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The space pointed into.
    pub space: Option<Space>,
    /// The alignment of what is pointed to.
    pub align: Option<u32>,
}

/// The value a variable starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Initialiser {
    /// A constant.
    Value(Immediate),
    /// The address of a variable or function.
    Symbol {
        /// The name.
        name: Name,
        /// Bytes past its start.
        offset: i64,
        /// Whether it is written `generic(name)`.
        generic: bool,
    },
    /// `{a, b, c}`; what is missing is zero.
    List(Vec<Initialiser>),
}
