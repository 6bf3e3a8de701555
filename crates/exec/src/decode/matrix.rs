//! Decoding of products of matrices.

use super::{Decoder, Sign};
use crate::op::{FactorFormat, Matrix, MatrixKind, Op, OpKind, PredicateSource, SourceKind, Sparse};
use warplab_program::matrix::{MatrixShape, SIZES};
use warplab_program::operand::Operand;
use warplab_program::{Modifier as M, Opcode as O};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let kind = match d.instruction.opcode {
        O::Hmma => {
            let format = if d.has(M::Tf32) {
                FactorFormat::Tf32
            } else if d.has(M::BF16) {
                FactorFormat::Bf16
            } else {
                FactorFormat::F16
            };
            let half_sums = !d.has(M::F32);
            d.ignore(&[M::F16]);
            MatrixKind::Floats { format, half_sums }
        }
        O::Imma => {
            let signed = || d.next_of(&[(M::S8, true), (M::U8, false)]).unwrap_or(true);
            MatrixKind::Bytes { signed: [signed(), signed()], saturate: d.has(M::Sat) }
        }
        O::Dmma => MatrixKind::Doubles,
        _ => return Ok(None),
    };
    // An instruction without operands only asks whether there is such an opcode.
    let shape = match MatrixShape::of(d.instruction) {
        Some(shape) => shape,
        None if d.instruction.operands.is_empty() => {
            return Ok(Some(d.finish_without_sources(whole(0, 0, kind, None))));
        }
        None => return Err("names no shape of matrices".to_owned()),
    };
    d.ignore(&SIZES.map(|(name, ..)| name));
    d.ignore(&[M::Sp]);
    if d.values.len() != if shape.sparse { 5 } else { 3 } {
        return Err(
            "takes two factors and what is added to their product, and metadata if it is sparse".to_owned()
        );
    }
    let sparse = if shape.sparse { Some(sparse(d)?) } else { None };
    let fits = match kind {
        MatrixKind::Floats { .. } => shape.rows == 16 && matches!(shape.row_bytes(), 16 | 32),
        MatrixKind::Bytes { .. } => matches!(shape.row_bytes(), 16 | 32),
        MatrixKind::Doubles => shape.depth <= 16 && !shape.sparse,
    };
    if !fits {
        return Err("has no such shape of matrices".to_owned());
    }
    if matches!(d.instruction.operands.first(), Some(Operand::Register { register, .. }) if register.is_fixed())
    {
        return Err("puts its sum nowhere".to_owned());
    }
    let halves = |sixteen: bool| if sixteen { Sign::Halves } else { Sign::Float };
    let signs = match kind {
        MatrixKind::Floats { format, half_sums } => {
            let factors = halves(format != FactorFormat::Tf32);
            [factors, factors, halves(half_sums)]
        }
        MatrixKind::Bytes { .. } => [Sign::Integer; 3],
        // A sign is in the upper one of two registers.
        MatrixKind::Doubles => [Sign::Float; 3],
    };
    let mut sources = [d.source(0, signs[0])?, d.source(1, signs[1])?, d.source(2, signs[2])?];
    for (source, operand) in sources.iter_mut().zip(&d.values) {
        match operand {
            Operand::Register { register, .. } if register.is_fixed() => source.from = SourceKind::Nothing,
            Operand::Register { modifier, .. } if modifier.absolute || modifier.invert => {
                return Err(format!("operand '{operand}' has more than a sign"));
            }
            Operand::Register { modifier, .. }
                if modifier.negate && matches!(kind, MatrixKind::Bytes { .. }) =>
            {
                return Err(format!("operand '{operand}' has a sign"));
            }
            Operand::Register { .. } => {}
            other => return Err(format!("operand '{other}' is no matrix")),
        }
    }
    Ok(Some(d.finish(whole(shape.rows, shape.depth, kind, sparse), sources, PredicateSource::TRUE)))
}

fn whole(rows: u32, depth: u32, kind: MatrixKind, sparse: Option<Sparse>) -> OpKind {
    OpKind::Matrix(Matrix { rows: rows as u8, depth: depth as u8, kind, sparse })
}

/// Where the metadata of a sparse matrix is.
fn sparse(d: &Decoder<'_>) -> Result<Sparse, String> {
    match (d.values[3], d.values[4]) {
        (Operand::Register { register, .. }, Operand::Immediate(selector @ 0..=3)) => {
            let metadata = if register.is_fixed() { u16::MAX } else { d.row(register) };
            Ok(Sparse { metadata, selector: selector as u8 })
        }
        _ => Err("names no metadata, or lanes of it other than 0 to 3".to_owned()),
    }
}
