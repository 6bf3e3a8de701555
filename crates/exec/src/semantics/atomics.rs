//! Atomic operations on one value.

use crate::op::{AtomicOp, AtomicType};
use crate::semantics::half;

/// The new value of a 32-bit word; `other` is the new value of a compare-and-swap.
#[must_use]
pub fn apply32(op: AtomicOp, ty: AtomicType, old: u32, value: u32, other: u32) -> u32 {
    let signed = ty == AtomicType::S32;
    match op {
        AtomicOp::Add => match ty {
            AtomicType::F32 => crate::semantics::float::add_ftz(old, value),
            AtomicType::F16x2 => {
                half::packed(old, value, |a, b| half::round_f16(half::f16(a) + half::f16(b)))
            }
            AtomicType::Bf16x2 => half::packed(old, value, half::add_bf16),
            _ => old.wrapping_add(value),
        },
        AtomicOp::Min | AtomicOp::Max if matches!(ty, AtomicType::F16x2 | AtomicType::Bf16x2) => {
            let (is_bf16, min) = (ty == AtomicType::Bf16x2, op == AtomicOp::Min);
            half::packed(old, value, |a, b| half::extreme(a, b, is_bf16, min))
        }
        AtomicOp::Min if signed => (old as i32).min(value as i32) as u32,
        AtomicOp::Max if signed => (old as i32).max(value as i32) as u32,
        AtomicOp::Min => old.min(value),
        AtomicOp::Max => old.max(value),
        AtomicOp::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange => {
            if old == value {
                other
            } else {
                old
            }
        }
    }
}

/// Changes one value of one lane, or each of a vector: the words of the value, and for a compare-and-swap those of
/// the new one after them. `old` are the words in memory, which become the new ones.
pub fn apply(op: AtomicOp, ty: AtomicType, old: &mut [u32], operand: impl Fn(usize) -> u32) {
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
pub fn apply64(op: AtomicOp, ty: AtomicType, old: u64, value: u64, other: u64) -> u64 {
    let signed = ty == AtomicType::S64;
    match op {
        AtomicOp::Add if ty == AtomicType::F64 => {
            crate::semantics::float::canonical64((f64::from_bits(old) + f64::from_bits(value)).to_bits())
        }
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Min if signed => (old as i64).min(value as i64) as u64,
        AtomicOp::Max if signed => (old as i64).max(value as i64) as u64,
        AtomicOp::Min => old.min(value),
        AtomicOp::Max => old.max(value),
        AtomicOp::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange => {
            if old == value {
                other
            } else {
                old
            }
        }
    }
}
