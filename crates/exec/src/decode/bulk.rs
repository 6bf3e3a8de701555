//! Decoding of copies of many lines.

use super::memory::arithmetic;
use crate::decode::{Decoder, Sign};
use crate::op::{AtomicType, BulkKind, BulkOp, Op, OpKind};
use warplab_program::operand::{AddressOperand, Operand};
use warplab_program::{Modifier as M, Opcode as O};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let kind = match d.instruction.opcode {
        O::Ublkcp => copy(d)?,
        O::Ublkred => {
            if !(d.has(M::G) && d.has(M::S)) {
                return Err("only values in global memory are changed by those in shared memory".to_owned());
            }
            reduction(d)?
        }
        O::Ublkpf => {
            d.ignore(&[M::Level2]);
            BulkKind::Prefetch
        }
        _ => return Ok(None),
    };
    let mut addresses = d.values.iter().filter_map(|operand| match operand {
        Operand::Address(address) => Some(address),
        _ => None,
    });
    let to = register(addresses.next())?;
    let from = if kind == BulkKind::Prefetch { to } else { register(addresses.next())? };
    let size = d.values.iter().find(|operand| !matches!(operand, Operand::Address(_)));
    let Some(size) = size else { return Err("has no size".to_owned()) };
    let size = d.convert(size, Sign::Integer)?.from;
    let op = BulkOp { kind, to, from, size };
    Ok(Some(d.finish_without_sources(OpKind::Bulk(op))))
}

fn register(address: Option<&AddressOperand>) -> Result<u8, String> {
    match address {
        Some(AddressOperand { base: None, uniform: Some(register), offset: 0, .. }) => {
            Ok(register.0.min(63) as u8)
        }
        _ => Err("takes its places from registers of the warp, without offsets".to_owned()),
    }
}

/// `.S.G` is to shared memory from global memory.
fn copy(d: &Decoder<'_>) -> Result<BulkKind, String> {
    // The one block of a cluster gets what all of them would.
    d.ignore(&[M::Multicast]);
    match d.instruction.modifiers.as_slice() {
        // An H200 calls it an illegal instruction, too.
        [M::S, M::S, ..] => Err("between blocks of a cluster: a launch has no clusters here".to_owned()),
        [M::S, M::G, ..] => {
            d.ignore(&[M::S, M::G]);
            Ok(BulkKind::ToShared)
        }
        [M::G, M::S, ..] => {
            d.ignore(&[M::S, M::G]);
            Ok(BulkKind::ToGlobal)
        }
        _ => Err("is none of .S.G and .G.S".to_owned()),
    }
}

fn reduction(d: &Decoder<'_>) -> Result<BulkKind, String> {
    let op = arithmetic(d).ok_or_else(|| "names no operation".to_owned())?;
    let ty = d.next_of(&[
        (M::S32, AtomicType::S32),
        (M::U64, AtomicType::U64),
        (M::S64, AtomicType::S64),
        (M::F32, AtomicType::F32),
        (M::F64, AtomicType::F64),
        (M::F16, AtomicType::F16x2),
        (M::BF16, AtomicType::Bf16x2),
    ]);
    d.ignore(&[M::Rn, M::Ftz]);
    Ok(BulkKind::Reduce(op, ty.unwrap_or(AtomicType::U32)))
}
