//! Decoding of products of warpgroups and of what waits for them.

use super::Decoder;
use crate::op::{
    FloatFormat, Op, OpKind, PredicateSource, SourceKind, SourceOperand, WarpgroupFormat, WarpgroupOp,
    WarpgroupProduct,
};
use warplab_program::operand::Operand;
use warplab_program::warpgroup::{WarpgroupShape, size};
use warplab_program::{Modifier as M, Opcode as O};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let format = match d.instruction.opcode {
        O::Warpgroup => return waiting(d).map(Some),
        O::Usetmaxreg => return registers(d).map(Some),
        O::Hgmma => {
            let both = if d.has(M::Tf32) {
                FloatFormat::Tf32
            } else if d.has(M::BF16) {
                FloatFormat::Bf16
            } else {
                FloatFormat::F16
            };
            floats(d, [both; 2])
        }
        O::Qgmma => {
            let next = || d.next_of(&[(M::E4m3, FloatFormat::E4m3), (M::E5m2, FloatFormat::E5m2)]);
            let first = next().unwrap_or(FloatFormat::E4m3);
            floats(d, [first, next().unwrap_or(first)])
        }
        O::Igmma => {
            let signed = || d.next_of(&[(M::S8, true), (M::U8, false)]).unwrap_or(true);
            WarpgroupFormat::Bytes { signed: [signed(), signed()], saturate: d.has(M::Sat) }
        }
        _ => return Ok(None),
    };
    product(d, format).map(Some)
}

fn floats(d: &Decoder<'_>, [first, second]: [FloatFormat; 2]) -> WarpgroupFormat {
    d.ignore(&[M::F16]);
    WarpgroupFormat::Floats { first, second, half_sums: !d.has(M::F32) }
}

/// `WARPGROUP.ARRIVE` does nothing here: what a product reads is there when it is read.
fn waiting(d: &Decoder<'_>) -> Result<Op, String> {
    d.ignore(&[M::Arrive, M::Le]);
    let most = match d.has(M::Depbar) {
        true => d.instruction.awaited_products().unwrap_or(0).min(u32::from(u8::MAX)) as u8,
        false => u8::MAX,
    };
    Ok(d.finish_without_sources(OpKind::Warpgroup(WarpgroupOp::Wait { most })))
}

/// The warp gives registers back, or takes more.
fn registers(d: &Decoder<'_>) -> Result<Op, String> {
    let more = d.has(M::TryAlloc);
    d.ignore(&[M::Dealloc, M::Ctapool]);
    let count = match d.values.first() {
        Some(Operand::Immediate(count)) => {
            u16::try_from(*count).ok().filter(|count| *count <= MOST_REGISTERS)
        }
        // An instruction without operands only asks whether there is such an opcode.
        None => Some(0),
        _ => None,
    };
    let count = count.ok_or_else(|| format!("names no number of registers up to {MOST_REGISTERS}"))?;
    Ok(d.finish_without_sources(OpKind::Warpgroup(WarpgroupOp::SetRegisters { count, more })))
}

fn product(d: &Decoder<'_>, format: WarpgroupFormat) -> Result<Op, String> {
    let multiply = |product| OpKind::Warpgroup(WarpgroupOp::Multiply(product));
    let descriptors = d.values.iter().find_map(|operand| match operand {
        Operand::MatrixDescriptors { registers, signs } => Some((*registers, *signs)),
        _ => None,
    });
    let (Some(shape), Some((registers, signs))) = (WarpgroupShape::of(d.instruction), descriptors) else {
        // An instruction without operands only asks whether there is such an opcode.
        if d.instruction.operands.is_empty() {
            let (eights, descriptors, signs) = (1, 0, Default::default());
            let first_in_registers = false;
            let product = WarpgroupProduct { format, eights, descriptors, first_in_registers, signs };
            return Ok(d.finish_without_sources(multiply(product)));
        }
        return Err("names no shape of matrices, or no descriptors (gdesc)".to_owned());
    };
    for &modifier in d.instruction.modifiers.as_slice().iter().filter(|it| size(**it).is_some()) {
        d.ignore(&[modifier]);
    }
    if shape.depth * shape.bits != ROW_BITS {
        return Err(format!("has rows of {} bits, which are {ROW_BITS}", shape.depth * shape.bits));
    }
    if !matches!(format, WarpgroupFormat::Floats { first: FloatFormat::F16 | FloatFormat::Bf16, .. })
        && (signs.transpose_first || signs.transpose_second)
    {
        return Err("only matrices of 16 bits are transposed".to_owned());
    }
    // A product that goes nowhere only ends a group.
    let goes_nowhere = matches!(d.instruction.operands.first(), Some(Operand::Register { register, .. }) if register.is_fixed());
    let first_in_registers = d.instruction.has_first_in_registers();
    let registers_of = |operand: &Operand| match operand {
        Operand::Register { register, modifier, .. } if modifier.is_none() => {
            let row =
                if register.is_fixed() { SourceKind::Nothing } else { SourceKind::Row(d.row(*register)) };
            Ok(SourceOperand { from: row, ..SourceOperand::default() })
        }
        other => Err(format!("operand '{other}' is no matrix")),
    };
    let mut matrices = d.values.iter().filter(|operand| matches!(operand, Operand::Register { .. }));
    let mut sources = [SourceOperand::default(); 3];
    if first_in_registers {
        sources[0] = matrices.next().map_or_else(|| Err("has no first matrix".to_owned()), registers_of)?;
    }
    sources[1] = matrices.next().map_or_else(|| Err("adds to nothing".to_owned()), registers_of)?;
    let product = WarpgroupProduct {
        format,
        eights: if goes_nowhere { 0 } else { (shape.columns / 8) as u8 },
        descriptors: registers.0.min(LAST_UNIFORM) as u8,
        first_in_registers,
        signs,
    };
    Ok(d.finish(multiply(product), sources, PredicateSource::TRUE))
}

/// Registers that a thread has at most.
const MOST_REGISTERS: u16 = 256;
/// Bits of a row of the first factor.
const ROW_BITS: u32 = 256;
/// The last scalar register that is followed by three others.
const LAST_UNIFORM: u32 = 63;
