//! Decoding of copies of many lines.

use super::memory::arithmetic;
use crate::decode::{Decoder, Sign};
use crate::op::SourceKind;
use crate::op::{AtomicType, BoxOp, BulkKind, BulkOp, Control, Op, OpKind};
use warplab_program::operand::{AddressOperand, Operand};
use warplab_program::{Modifier as M, Opcode as O};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    if d.instruction.opcode == O::Utmacctl {
        // A copy reads its map anew.
        d.ignore(&[M::Pf, M::Iv, M::Ivall]);
        return Ok(Some(d.finish_without_sources(OpKind::Control(Control::Nop))));
    }
    if d.instruction.opcode.copies_boxes() {
        return boxes(d).map(Some);
    }
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
    let mut addresses = addresses(d);
    let to = register(addresses.next())?;
    let from = if kind == BulkKind::Prefetch { to } else { register(addresses.next())? };
    let size = d.values.iter().find(|operand| !matches!(operand, Operand::Address(_)));
    let Some(size) = size else { return Err("has no size".to_owned()) };
    let size = d.convert(size, Sign::Integer)?.from;
    let op = BulkOp { kind, to, from, size, multicast: d.has(M::Multicast) };
    Ok(Some(d.finish_without_sources(OpKind::Bulk(op))))
}

/// A copy of a box of a tensor.
fn boxes(d: &Decoder<'_>) -> Result<Op, String> {
    let kind = match d.instruction.opcode {
        O::Utmaldg => BulkKind::ToShared,
        O::Utmastg => BulkKind::ToGlobal,
        O::Utmapf => BulkKind::Prefetch,
        // What the elements are says the tensor map.
        _ => BulkKind::Reduce(arithmetic(d).ok_or("names no operation")?, AtomicType::U32),
    };
    d.ignore(&[M::Level2, M::OneD, M::TwoD, M::ThreeD, M::FourD, M::FiveD]);
    if d.has(M::Im2col) {
        return Err("copies columns of images (im2col), which is not supported".to_owned());
    }
    let dimensions = d.instruction.tensor_dimensions() as u8;
    if dimensions == 0 {
        return Err("says of how many dimensions the tensor is: .1D to .5D".to_owned());
    }
    let mut addresses = addresses(d);
    let (places, map) = (register(addresses.next())?, register(addresses.next())?);
    let multicast = if d.has(M::Multicast) { Some(named_blocks(d)?) } else { None };
    // A place, a barrier and the coordinates are in as many registers, of which UR62 is the last.
    let count = dimensions + if kind.tells_a_barrier() { 2 } else { 1 };
    if places + count > 63 || map > 61 {
        return Err("names registers of the warp behind UR62".to_owned());
    }
    Ok(d.finish_without_sources(OpKind::Box(BoxOp { kind, places, map, dimensions, multicast })))
}

/// The register of the warp that names the blocks of the cluster which get a copy.
fn named_blocks(d: &Decoder<'_>) -> Result<u8, String> {
    let named = d.values.iter().find(|operand| !matches!(operand, Operand::Address(_)));
    match named.map(|operand| d.convert(operand, Sign::Integer)).transpose()?.map(|source| source.from) {
        Some(SourceKind::Uniform(register)) => Ok(register),
        _ => Err("names the blocks that get it in no register of the warp".to_owned()),
    }
}

fn addresses<'a>(d: &'a Decoder<'_>) -> impl Iterator<Item = &'a AddressOperand> {
    d.values.iter().filter_map(|operand| match operand {
        Operand::Address(address) => Some(address),
        _ => None,
    })
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
    match d.instruction.modifiers.as_slice() {
        [M::S, M::S, ..] => {
            d.ignore(&[M::S]);
            Ok(BulkKind::ToPeer)
        }
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
