//! Decoding of floating-point arithmetic and conversions.

use super::{Decoder, Sign};
use crate::op::{
    ByteFormat, Convert, Double, Float, FloatMode, FloatType, Half, HalfMode, IntType, Mufu, Op, OpKind,
    PredicateSource, Round, SourceOperand,
};
use warplab_program::operand::Operand;
use warplab_program::{Modifier as M, Opcode as O};

fn round(d: &Decoder<'_>) -> Option<Round> {
    d.next_of(&[
        (M::Rn, Round::Nearest),
        (M::Rm, Round::Down),
        (M::Rp, Round::Up),
        (M::Rz, Round::Zero),
        (M::Floor, Round::Down),
        (M::Ceil, Round::Up),
        (M::Trunc, Round::Zero),
    ])
}

fn float_mode(d: &Decoder<'_>) -> FloatMode {
    let round = round(d).unwrap_or(Round::Nearest);
    FloatMode { round, ftz: d.has(M::Ftz), saturate: d.has(M::Sat) }
}

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let mut sign = Sign::Float;
    let kind = match d.instruction.opcode {
        O::Fadd => OpKind::Float(Float::Add(float_mode(d))),
        O::Fmul => {
            let scales = [(M::D2, -1), (M::D4, -2), (M::D8, -3), (M::M2, 1), (M::M4, 2), (M::M8, 3)];
            let (scale, mode) = (d.next_of(&scales), float_mode(d));
            OpKind::Float(scale.map_or(Float::Mul(mode), |scale| Float::MulScaled(mode, scale)))
        }
        O::Ffma => OpKind::Float(Float::Fma(float_mode(d))),
        O::Fmnmx => OpKind::Float(Float::MinMax { ftz: d.has(M::Ftz), nan: d.has(M::Nan) }),
        O::Fsel => OpKind::Float(Float::Select),
        O::Fset => {
            let (float, ftz) = (d.has(M::Bf), d.has(M::Ftz));
            OpKind::Float(Float::Set { compare: d.compare()?, combine: d.combine(), ftz, float })
        }
        O::Fsetp => {
            let ftz = d.has(M::Ftz);
            OpKind::Float(Float::SetPredicate { compare: d.compare()?, combine: d.combine(), ftz })
        }
        O::Fchk => {
            d.ignore(&[M::Divide]);
            OpKind::Float(Float::CheckDivision)
        }
        O::Mufu => {
            let function = mufu(d)?;
            match d.next_of(&[(M::F16, false), (M::BF16, true)]) {
                Some(bf16) => {
                    sign = Sign::Halves;
                    OpKind::Float(mufu_of_half(d, function, bf16)?)
                }
                None => OpKind::Float(Float::Mufu(function)),
            }
        }
        O::Dadd => OpKind::Double(Double::Add(round(d).unwrap_or(Round::Nearest))),
        O::Dmul => OpKind::Double(Double::Mul(round(d).unwrap_or(Round::Nearest))),
        O::Dfma => OpKind::Double(Double::Fma(round(d).unwrap_or(Round::Nearest))),
        O::Dsetp if d.has(M::Min) || d.has(M::Max) => {
            OpKind::Double(Double::Extreme { maximum: d.has(M::Max), combine: d.combine() })
        }
        O::Dsetp => OpKind::Double(Double::SetPredicate { compare: d.compare()?, combine: d.combine() }),
        O::Hadd2 | O::Hmul2 | O::Hfma2 | O::Hmnmx2 | O::Vhmnmx | O::Hset2 | O::Hsetp2 => {
            return half(d).map(Some);
        }
        O::I2f | O::I2fp => {
            sign = Sign::Integer;
            OpKind::Convert(int_to_float(d))
        }
        O::F2i => OpKind::Convert(float_to_int(d)),
        O::F2f | O::Frnd => OpKind::Convert(float_to_float(d)),
        O::F2fp if d.has(M::Tf32) => {
            d.ignore(&[M::F32, M::PackB]);
            let round = round(d).unwrap_or(Round::Nearest);
            OpKind::Convert(Convert::Tf32 { relu: d.has(M::Relu), round })
        }
        O::F2fp => {
            let bytes = d.next_of(&[(M::E4m3, ByteFormat::E4m3), (M::E5m2, ByteFormat::E5m2)]);
            match bytes {
                Some(format) => return bytes_and_halves(d, format).map(Some),
                None => {
                    let bf16 = d.has(M::BF16);
                    d.ignore(&[M::F16, M::F32, M::PackAb]);
                    OpKind::Convert(Convert::Pack {
                        bf16,
                        relu: d.has(M::Relu),
                        round: round(d).unwrap_or(Round::Nearest),
                    })
                }
            }
        }
        O::F2ip => {
            d.ignore(&[M::F32, M::Ntz, M::Sat]);
            let round = round(d).unwrap_or(Round::Nearest);
            let to = packed_type(d)?;
            OpKind::Convert(Convert::PackIntegers { to, floats: Some(round) })
        }
        O::I2ip => {
            sign = Sign::Integer;
            let to = packed_type(d)?;
            d.ignore(&[M::S32, M::Sat]);
            OpKind::Convert(Convert::PackIntegers { to, floats: None })
        }
        O::I2i => {
            sign = Sign::Integer;
            let saturate = d.has(M::Sat);
            let to = int_type(d).unwrap_or(IntType { bits: 32, signed: true });
            int_type(d);
            OpKind::Convert(Convert::IntToInt { to, saturate })
        }
        _ => return Ok(None),
    };
    Ok(Some(d.finish(kind, d.sources(sign)?, PredicateSource::TRUE)))
}

/// What `F2IP` and `I2IP` pack: bytes or halves of a word.
fn packed_type(d: &Decoder<'_>) -> Result<IntType, String> {
    match int_type(d) {
        Some(to) if to.bits < 32 => Ok(to),
        None if d.instruction.operands.is_empty() => Ok(IntType { bits: 8, signed: true }),
        _ => Err("packs neither bytes nor halves".to_owned()),
    }
}

/// `F2FP` from or to bytes.
fn bytes_and_halves(d: &Decoder<'_>, format: ByteFormat) -> Result<Op, String> {
    let relu = d.has(M::Relu);
    d.ignore(&[M::F16, M::F32]);
    let source = |index: usize, sign: Sign| d.source(index, sign);
    let none = SourceOperand::default();
    let (conversion, sources) = if d.has(M::UnpackB) {
        (Convert::UnpackBytes { format, relu }, [source(0, Sign::Integer)?, none, none])
    } else if !d.has(M::Satfinite) {
        return Err("only .SATFINITE conversions to bytes are supported".to_owned());
    } else if d.has(M::UnpackBMergeC) {
        let sources = [source(0, Sign::Halves)?, none, source(1, Sign::Integer)?];
        (Convert::PackBytes { format, relu, halves: true }, sources)
    } else if d.has(M::PackAbMergeC) {
        let sources = [source(0, Sign::Float)?, source(1, Sign::Float)?, source(2, Sign::Integer)?];
        (Convert::PackBytes { format, relu, halves: false }, sources)
    } else {
        return Err("is none of .UNPACK_B, .UNPACK_B_MERGE_C, .PACK_AB_MERGE_C".to_owned());
    };
    Ok(d.finish(OpKind::Convert(conversion), sources, PredicateSource::TRUE))
}

fn mufu(d: &Decoder<'_>) -> Result<Mufu, String> {
    d.next_of(&[
        (M::Rcp, Mufu::Rcp),
        (M::Rsq, Mufu::Rsq),
        (M::Sqrt, Mufu::Sqrt),
        (M::Sin, Mufu::Sin),
        (M::Cos, Mufu::Cos),
        (M::Ex2, Mufu::Ex2),
        (M::Lg2, Mufu::Lg2),
        (M::Tanh, Mufu::Tanh),
        (M::Rcp64h, Mufu::Rcp64h),
        (M::Rsq64h, Mufu::Rsq64h),
    ])
    .ok_or_else(|| "names no function".to_owned())
}

fn mufu_of_half(d: &Decoder<'_>, function: Mufu, bf16: bool) -> Result<Float, String> {
    match (function, d.values.first()) {
        (_, Some(Operand::Immediate(_))) => Err("a number as a half is not supported here".to_owned()),
        (Mufu::Ex2 | Mufu::Tanh, _) => Ok(Float::MufuOfHalf { function, bf16 }),
        _ => Err("has no such function of halves".to_owned()),
    }
}

fn int_type(d: &Decoder<'_>) -> Option<IntType> {
    let ty = |bits, signed| IntType { bits, signed };
    d.next_of(&[
        (M::U8, ty(8, false)),
        (M::S8, ty(8, true)),
        (M::U16, ty(16, false)),
        (M::S16, ty(16, true)),
        (M::U32, ty(32, false)),
        (M::S32, ty(32, true)),
        (M::U64, ty(64, false)),
        (M::S64, ty(64, true)),
    ])
}

fn float_type(d: &Decoder<'_>) -> Option<FloatType> {
    d.next_of(&[
        (M::F16, FloatType::F16),
        (M::BF16, FloatType::Bf16),
        (M::F32, FloatType::F32),
        (M::F64, FloatType::F64),
    ])
}

fn int_to_float(d: &Decoder<'_>) -> Convert {
    let to = float_type(d).unwrap_or(FloatType::F32);
    let from = int_type(d).unwrap_or(IntType { bits: 32, signed: true });
    Convert::IntToFloat { from, to, round: round(d).unwrap_or(Round::Nearest) }
}

fn float_to_int(d: &Decoder<'_>) -> Convert {
    let to = int_type(d).unwrap_or(IntType { bits: 32, signed: true });
    let from = float_type(d).unwrap_or(FloatType::F32);
    d.ignore(&[M::Ntz]);
    Convert::FloatToInt { from, to, round: round(d).unwrap_or(Round::Nearest), ftz: d.has(M::Ftz) }
}

fn float_to_float(d: &Decoder<'_>) -> Convert {
    let to = float_type(d).unwrap_or(FloatType::F32);
    let from = float_type(d).unwrap_or(to);
    let named = d.instruction.modifiers.first_of(&[M::Floor, M::Ceil, M::Trunc]).is_some();
    let integral = d.instruction.opcode == O::Frnd || named;
    let round = round(d).unwrap_or(Round::Nearest);
    Convert::FloatToFloat { from, to, round, ftz: d.has(M::Ftz), saturate: d.has(M::Sat), integral }
}

fn half_mode(d: &Decoder<'_>) -> HalfMode {
    d.ignore(&[M::Mma]);
    HalfMode {
        bf16: d.has(M::Bf16V2),
        ftz: d.has(M::Ftz),
        saturate: d.has(M::Sat),
        relu: d.has(M::Relu),
        single: d.has(M::F32),
    }
}

fn half(d: &Decoder<'_>) -> Result<Op, String> {
    let mode = half_mode(d);
    // Two numbers in a row are the upper and the lower half of one source.
    let mut values: Vec<Operand> = Vec::new();
    let mut index = 0;
    while index < d.values.len() {
        match (d.values[index], d.values.get(index + 1)) {
            (Operand::Immediate(upper), Some(&Operand::Immediate(lower))) => {
                values.push(Operand::Immediate(upper << 16 | lower & 0xffff));
                index += 2;
            }
            (operand, _) => {
                values.push(operand);
                index += 1;
            }
        }
    }
    let source = |index: usize| {
        values.get(index).map_or(Ok(SourceOperand::default()), |operand| d.convert(operand, Sign::Halves))
    };
    let sources = [source(0)?, source(1)?, source(2)?];
    let half = match d.instruction.opcode {
        O::Hadd2 => Half::Add(mode),
        O::Hmul2 => Half::Mul(mode),
        O::Hfma2 => Half::Fma(mode),
        O::Hmnmx2 => Half::MinMax { mode, nan: d.has(M::Nan), of_three: false },
        O::Vhmnmx => Half::MinMax { mode, nan: d.has(M::Nan), of_three: true },
        O::Hset2 => {
            let float = d.has(M::Bf);
            Half::Set { mode, compare: d.compare()?, combine: d.combine(), float }
        }
        _ => {
            let both = d.has(M::H0And);
            Half::SetPredicate { mode, compare: d.compare()?, combine: d.combine(), both }
        }
    };
    Ok(d.finish(OpKind::Half(half), sources, PredicateSource::TRUE))
}
