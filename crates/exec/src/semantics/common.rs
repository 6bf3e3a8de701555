//! The commonest operations, on sources without modifiers and into a register: they have a small function of their own,
//! because what a call of the large one saves and restores would cost more than the work.

use crate::op::{Alu, Common, Destination, Float, Op, OpKind, TRASH_PREDICATE};
use crate::semantics::float::canonical;
use crate::semantics::lanes::Machine;
use crate::semantics::vector::is_plain;
use crate::wide::LaneWork;

/// The truth tables of `a & b`, `a | b` and `a ^ b`.
const AND: u8 = 0xc0;
const OR: u8 = 0xfc;
const XOR: u8 = 0x3c;

impl Common {
    /// The common operation that an instruction is, if it is one.
    pub(crate) fn of(op: &Op) -> Option<Common> {
        let simple = op.sources.iter().all(|source| source.plain)
            && matches!(op.destination, Destination::Row(_))
            && op.out == [TRASH_PREDICATE; 2];
        match op.kind {
            _ if !simple => None,
            OpKind::Float(Float::Add(mode)) if is_plain(mode) => Some(Common::AddFloats),
            OpKind::Float(Float::Mul(mode)) if is_plain(mode) => Some(Common::MultiplyFloats),
            OpKind::Float(Float::Fma(mode)) if is_plain(mode) => Some(Common::FuseFloats),
            OpKind::Alu(Alu::Add3 { carry: false }) => Some(Common::Add),
            OpKind::Alu(Alu::Mad) if op.predicates[0].is_never() => Some(Common::MultiplyAdd),
            OpKind::Alu(Alu::Lop3 { lut: AND, any: false }) => Some(Common::And),
            OpKind::Alu(Alu::Lop3 { lut: OR, any: false }) => Some(Common::Or),
            OpKind::Alu(Alu::Lop3 { lut: XOR, any: false }) => Some(Common::Xor),
            OpKind::Alu(Alu::Move) => Some(Common::Move),
            _ => None,
        }
    }
}

/// A common operation about to execute for the lanes of a row.
pub(crate) struct CommonWork<'a>(pub(crate) Common, pub(crate) Machine<'a>);

impl LaneWork for CommonWork<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let CommonWork(operation, mut m) = self;
        let float = f32::from_bits;
        match operation {
            Common::AddFloats => m.map2(|a, b| canonical(float(a) + float(b))),
            Common::MultiplyFloats => m.map2(|a, b| canonical(float(a) * float(b))),
            Common::FuseFloats => m.map3(|a, b, c| canonical(float(a).mul_add(float(b), float(c)))),
            Common::Add => m.map3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
            Common::MultiplyAdd => m.map3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            Common::And => m.map2(|a, b| a & b),
            Common::Or => m.map2(|a, b| a | b),
            Common::Xor => m.map2(|a, b| a ^ b),
            Common::Move => m.map1(|a| a),
        }
    }
}
