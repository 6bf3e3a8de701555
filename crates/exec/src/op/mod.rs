//! The vocabulary of decoded instructions: what an instruction does, to what, and where it puts its result.

mod arithmetic;
mod bulk;
mod code;
mod control;
mod matrix;
mod mbarrier;
mod memory;
mod warp;
mod warpgroup;

pub(crate) use arithmetic::*;
pub use bulk::BulkKind;
pub(crate) use bulk::{BoxOp, BulkOp};
pub use code::Code;
pub use control::{BarrierKind, FenceScope};
pub(crate) use control::{Call, Control, Special};
pub(crate) use matrix::{FactorFormat, Matrix, MatrixKind, Sparse};
pub(crate) use mbarrier::{Amount, MbarrierKind, MbarrierOp};
pub use memory::{AccessKind, AtomicOp, AtomicType, CachePolicy, Eviction, Scope, Space};
pub(crate) use memory::{AddressForm, Memory, MemoryForm, SpaceForm};
pub(crate) use warp::{ShuffleMode, VoteMode, Warp};
pub(crate) use warpgroup::{FloatFormat, WarpgroupFormat, WarpgroupOp, WarpgroupProduct};

use warplab_program::operand::Selector;
use warplab_program::{Predicate, UniformPredicate};
use warplab_units::LaneBits;

/// Masks of a warp's predicate file.
pub(crate) const PREDICATES: usize = 17;

/// The predicate that takes what is written to `PT` and `UPT`.
pub(crate) const TRASH_PREDICATE: u8 = 16;

/// Where scalar writes to `URZ` go.
pub(crate) const TRASH_UNIFORM: usize = 68;

/// Rows of zeros, from the number of registers on.
pub(crate) const ZERO_ROWS: usize = 4;
/// All rows beyond the registers: zeros, and what takes writes to `RZ`.
pub(crate) const EXTRA_ROWS: usize = 8;

/// Where a source value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum SourceKind {
    /// A row.
    Row(u16),
    /// A scalar register.
    Uniform(u8),
    /// A number.
    #[default]
    Nothing,
    Immediate(u32),
    /// A word of a constant bank.
    Constant(u8, u32),
}

/// A 32-bit source: `((value & and) ^ xor) + add` of the selected part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceOperand {
    pub(crate) from: SourceKind,
    pub(crate) and: u32,
    pub(crate) xor: u32,
    pub(crate) add: u32,
    pub(crate) select: Selector,
    /// Whether the value is taken as it is.
    pub(crate) plain: bool,
}

impl Default for SourceOperand {
    fn default() -> SourceOperand {
        SourceOperand {
            from: SourceKind::Immediate(0),
            and: !0,
            xor: 0,
            add: 0,
            select: Selector::Whole,
            plain: true,
        }
    }
}

/// A predicate that is read: a mask of the predicate file, exclusive-or-ed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredicateSource {
    pub(crate) index: u8,
    pub(crate) xor: LaneBits,
}

impl PredicateSource {
    pub(crate) const TRUE: PredicateSource = PredicateSource { index: 7, xor: 0 };
    pub(crate) const FALSE: PredicateSource = PredicateSource { index: 7, xor: !0 };

    /// Whether it is false in every lane.
    pub(crate) fn is_never(self) -> bool {
        matches!(self.index, 7 | 15) && self.xor == !0
    }

    pub(crate) fn new(predicate: Predicate, negate: bool) -> PredicateSource {
        PredicateSource { index: predicate.0.min(7) as u8, xor: if negate { !0 } else { 0 } }
    }

    /// Uniform predicates follow the warp's own in the predicate file.
    pub(crate) fn uniform(predicate: UniformPredicate, negate: bool) -> PredicateSource {
        PredicateSource { index: predicate.0.min(7) as u8 + 8, xor: if negate { !0 } else { 0 } }
    }
}

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Destination {
    Row(u16),
    Uniform(u8),
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    /// The short way to do it, if it has one.
    pub(crate) common: Option<Common>,
    pub(crate) guard: PredicateSource,
    pub(crate) destination: Destination,
    /// Predicates that are written.
    pub(crate) out: [u8; 2],
    pub(crate) sources: [SourceOperand; 3],
    /// Predicates that are read.
    pub(crate) predicates: [PredicateSource; 3],
}

/// Operations that most programs consist of, on sources without modifiers, into a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Common {
    AddFloats,
    MultiplyFloats,
    FuseFloats,
    Add,
    MultiplyAdd,
    And,
    Or,
    Xor,
    Move,
}

/// What an instruction does, by the file that does it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpKind {
    Alu(Alu),
    Float(Float),
    Double(Double),
    Half(Half),
    Convert(Convert),
    Matrix(Matrix),
    Special(Special),
    Memory(Memory),
    Mbarrier(MbarrierOp),
    Bulk(BulkOp),
    Box(BoxOp),
    Warpgroup(WarpgroupOp),
    Warp(Warp),
    Control(Control),
    Call(Call),
}
