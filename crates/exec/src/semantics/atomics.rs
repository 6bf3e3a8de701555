//! Atomic operations on one value.

use crate::Row;
use crate::op::{AtomicOp, AtomicType};
use crate::semantics::{float, half};
use warplab_units::LaneMask;

macro_rules! integer_operation {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        /// The new value of an integer; `other` is the new value of a compare-and-swap.
        fn $name(
            op: AtomicOp,
            signed: bool,
            old: $unsigned,
            value: $unsigned,
            other: $unsigned,
        ) -> $unsigned {
            match op {
                AtomicOp::Add => old.wrapping_add(value),
                AtomicOp::Min if signed => (old as $signed).min(value as $signed) as $unsigned,
                AtomicOp::Max if signed => (old as $signed).max(value as $signed) as $unsigned,
                AtomicOp::Min => old.min(value),
                AtomicOp::Max => old.max(value),
                AtomicOp::Inc if old >= value => 0,
                AtomicOp::Inc => old + 1,
                AtomicOp::Dec if old == 0 || old > value => value,
                AtomicOp::Dec => old - 1,
                AtomicOp::And => old & value,
                AtomicOp::Or => old | value,
                AtomicOp::Xor => old ^ value,
                AtomicOp::Exchange => value,
                AtomicOp::CompareExchange if old == value => other,
                AtomicOp::CompareExchange => old,
            }
        }
    };
}

integer_operation!(integer32, u32, i32);
integer_operation!(integer64, u64, i64);

/// The new value of a 32-bit word; `other` is the new value of a compare-and-swap.
#[must_use]
pub(crate) fn apply32(op: AtomicOp, ty: AtomicType, old: u32, value: u32, other: u32) -> u32 {
    use AtomicOp::{Add, Max, Min};
    use AtomicType::{Bf16x2, F16x2, F32};
    match (op, ty) {
        (Add, F32) => float::add_ftz(old, value),
        (Add, F16x2) => half::packed(old, value, |a, b| half::round_f16(half::f16(a) + half::f16(b))),
        (Add, Bf16x2) => half::packed(old, value, half::add_bf16),
        (Min | Max, F16x2 | Bf16x2) => {
            half::packed(old, value, |a, b| half::extreme(a, b, ty == Bf16x2, op == Min))
        }
        _ => integer32(op, ty == AtomicType::S32, old, value, other),
    }
}

/// Changes one value of one lane, or each of a vector: the words of the value, and for a compare-and-swap those of
/// the new one after them. `old` are the words in memory, which become the new ones.
pub fn apply(op: AtomicOp, ty: AtomicType, old: &mut [u32], operand: impl Fn(usize) -> u32) {
    if ty == AtomicType::B128 {
        let expected = |word: usize| op == AtomicOp::Exchange || old[word] == operand(word);
        if (0..old.len()).all(expected) {
            let from = if op == AtomicOp::Exchange { 0 } else { old.len() };
            old.iter_mut().zip(from..).for_each(|(old, word)| *old = operand(word));
        }
        return;
    }
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    if let ([low, high], 8) = (&mut *old, ty.bytes()) {
        let (value, other) = (pair(operand(0), operand(1)), pair(operand(2), operand(3)));
        let new = apply64(op, ty, pair(*low, *high), value, other);
        (*low, *high) = (new as u32, (new >> 32) as u32);
        return;
    }
    let count = old.len();
    for (word, old) in old.iter_mut().enumerate() {
        let other = if count + word < 4 { operand(count + word) } else { 0 };
        *old = apply32(op, ty, *old, operand(word), other);
    }
}

/// The new value of a 64-bit word; `other` is the new value of a compare-and-swap.
#[must_use]
pub(crate) fn apply64(op: AtomicOp, ty: AtomicType, old: u64, value: u64, other: u64) -> u64 {
    match (op, ty) {
        (AtomicOp::Add, AtomicType::F64) => {
            float::canonical64((f64::from_bits(old) + f64::from_bits(value)).to_bits())
        }
        _ => integer64(op, ty == AtomicType::S64, old, value, other),
    }
}

/// Changes one 32-bit word for lane after lane, in ascending order; `other` are the new values of a compare-and-swap. The
/// word in the end; what each lane has found goes to `found`.
#[must_use]
pub fn apply_lanes(
    op: AtomicOp,
    ty: AtomicType,
    mask: LaneMask,
    word: u32,
    [value, other]: [&Row; 2],
    found: &mut Row,
) -> u32 {
    match (op, ty) {
        (AtomicOp::Add, AtomicType::U32 | AtomicType::S32) => {
            each_lane(mask, word, found, |word, lane| word.wrapping_add(value[lane]))
        }
        _ => each_lane(mask, word, found, |word, lane| apply32(op, ty, word, value[lane], other[lane])),
    }
}

#[inline(always)]
fn each_lane(mask: LaneMask, word: u32, found: &mut Row, change: impl Fn(u32, usize) -> u32) -> u32 {
    let mut word = word;
    for (lane, found) in found.iter_mut().enumerate() {
        if mask.has(lane) {
            *found = word;
            word = change(word, lane);
        }
    }
    word
}
