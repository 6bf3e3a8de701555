//! Decoding, opcode by opcode: arithmetic here, memory and control in [`crate::decode_memory`] and
//! [`crate::decode_control`].

use crate::code::{
    Alu, ByteFormat, Convert, Double, Float, FloatMode, FloatType, Half, HalfMode, IntType, Kind, Mufu, Op,
    Packed, PackedOperation, Permute, PredicateSource, Round, Source,
};
use crate::decode::{Decoder, Sign};
use warplab_program::operand::{Operand, Selector};
use warplab_program::{Modifier as M, Opcode as O};

pub(crate) fn decode(d: &Decoder<'_>) -> Result<Op, String> {
    if let Some(op) = integer(d)? {
        return Ok(op);
    }
    if let Some(op) = floating(d)? {
        return Ok(op);
    }
    if let Some(op) = crate::decode_memory::decode(d)? {
        return Ok(op);
    }
    match crate::decode_control::decode(d)? {
        Some(op) => Ok(op),
        None => Err(format!("{} is not supported", d.instruction.opcode)),
    }
}

/// Whether anything decodes an opcode, whatever its operands.
pub(crate) fn knows(d: &Decoder<'_>) -> bool {
    let nobody = |decoded: Result<Option<Op>, String>| matches!(decoded, Ok(None));
    !(nobody(integer(d))
        && nobody(floating(d))
        && nobody(crate::decode_memory::decode(d))
        && nobody(crate::decode_control::decode(d)))
}

fn is_signed(d: &Decoder<'_>) -> bool {
    let unsigned = d.has(M::U32);
    d.ignore(&[M::S32]);
    !unsigned
}

fn integer(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let sources = || d.sources(Sign::Integer);
    let alu = match d.instruction.opcode {
        O::Iadd3 | O::Uiadd3 => Alu::Add3 { carry: d.has(M::X) },
        O::Vimnmx | O::Vimnmx3 | O::Viaddmnmx | O::Viadd if is_packed(d) => return packed(d).map(Some),
        O::Viadd => Alu::Add3 { carry: false },
        O::Imad | O::Uimad => multiply_add(d),
        O::Lea | O::Ulea => return lea(d).map(Some),
        O::Lop3 | O::Ulop3 => {
            d.ignore(&[M::Lut]);
            let any = !d.outs.is_empty();
            let alu = Alu::Lop3 { lut: d.number(3)? as u8, any };
            return Ok(Some(d.finish(Kind::Alu(alu), sources()?, PredicateSource::FALSE)));
        }
        O::Shf | O::Ushf => {
            let left = d.has(M::L);
            d.ignore(&[M::R]);
            let kinds = [
                (M::U32, (false, false)),
                (M::S32, (false, true)),
                (M::U64, (true, false)),
                (M::S64, (true, true)),
            ];
            let (wide, signed) = d.next_of(&kinds).unwrap_or_default();
            Alu::Funnel { left, high: d.has(M::Hi), wide, signed, wrap: d.has(M::W) }
        }
        O::Shl => {
            d.ignore(&[M::U32, M::S32]);
            Alu::Shift { left: true, signed: false, wrap: d.has(M::W) }
        }
        O::Shr => Alu::Shift { left: false, signed: is_signed(d), wrap: d.has(M::W) },
        O::Isetp | O::Uisetp => {
            let compare = d.compare()?;
            let (signed, combine) = (is_signed(d), d.combine());
            Alu::Compare { compare, signed, combine, extended: d.has(M::Ex) }
        }
        O::Iabs => Alu::Absolute,
        O::Vimnmx if !d.outs.is_empty() => {
            return Err("predicates of a 32-bit minimum are not supported".to_owned());
        }
        O::Imnmx | O::Vimnmx | O::Uvimnmx => Alu::MinMax { signed: is_signed(d), relu: d.has(M::Relu) },
        O::Vimnmx3 => Alu::MinMax3 { signed: is_signed(d), relu: d.has(M::Relu) },
        O::Viaddmnmx => Alu::AddMinMax { signed: is_signed(d), relu: d.has(M::Relu) },
        O::Vabsdiff => Alu::AbsDiff { signed: is_signed(d) },
        O::Vabsdiff4 => {
            let signed = d.next_of(&[(M::U8, false), (M::S8, true)]).unwrap_or(true);
            let sum = d.has(M::Acc);
            if !sum && d.values.get(2).is_some_and(|operand| *operand != Operand::ZERO) {
                return Err("a third source without .ACC is not supported".to_owned());
            }
            Alu::AbsDiff4 { signed, sum }
        }
        O::Sel | O::Usel => Alu::Select,
        O::Prmt | O::Uprmt => Alu::Permute(
            d.next_of(&[
                (M::Idx, Permute::Index),
                (M::F4e, Permute::Forward4),
                (M::B4e, Permute::Backward4),
                (M::Rc8, Permute::Replicate8),
                (M::Ecl, Permute::EdgeLeft),
                (M::Ecr, Permute::EdgeRight),
                (M::Rc16, Permute::Replicate16),
            ])
            .unwrap_or(Permute::Index),
        ),
        O::Bmsk | O::Ubmsk => {
            d.ignore(&[M::C]);
            Alu::Mask { wrap: d.has(M::W) }
        }
        O::Sgxt | O::Usgxt => Alu::Extend { signed: is_signed(d), wrap: d.has(M::W) },
        O::Idp => dot(d)?,
        O::Popc | O::Upopc => Alu::CountOnes,
        O::Flo | O::Uflo => Alu::FindLeading { signed: is_signed(d), shift: d.has(M::Sh) },
        O::Brev | O::Ubrev => Alu::Reverse,
        O::Mov | O::Umov => return mov(d).map(Some),
        O::Plop3 | O::Uplop3 => {
            d.ignore(&[M::Lut]);
            Alu::PredicateLogic { luts: [d.number(0)? as u8, d.number(1)? as u8] }
        }
        O::P2r | O::Up2ur => return predicates_to_register(d).map(Some),
        O::R2p => {
            let values: Vec<&Operand> = register_values(d);
            let sources = two(d, &values)?;
            return Ok(Some(d.finish(
                Kind::Alu(Alu::RegisterToPredicates { byte: byte(d) }),
                sources,
                PredicateSource::FALSE,
            )));
        }
        _ => return Ok(None),
    };
    let sources = if matches!(alu, Alu::PredicateLogic { .. }) { Default::default() } else { sources()? };
    let absent = match alu {
        Alu::Add3 { .. } | Alu::Mad | Alu::MadWide { .. } | Alu::MadHigh { .. } => PredicateSource::FALSE,
        _ => PredicateSource::TRUE,
    };
    Ok(Some(d.finish(Kind::Alu(alu), sources, absent)))
}

fn multiply_add(d: &Decoder<'_>) -> Alu {
    let unsigned = d.has(M::U32);
    d.ignore(&[M::Mov, M::Shl, M::Iadd, M::X, M::Lo, M::S32]);
    if d.has(M::Wide) {
        Alu::MadWide { signed: !unsigned }
    } else if d.has(M::Hi) {
        Alu::MadHigh { signed: !unsigned }
    } else {
        Alu::Mad
    }
}

fn is_packed(d: &Decoder<'_>) -> bool {
    d.instruction.modifiers.first_of(&[M::S16x2, M::U16x2, M::Two16]).is_some()
}

/// Both halves: a minus sign negates each.
fn packed(d: &Decoder<'_>) -> Result<Op, String> {
    let signed = d.has(M::S16x2);
    d.ignore(&[M::U16x2, M::Two16]);
    let mut negate = 0;
    let mut sources = [Source::default(); 3];
    for (index, (slot, operand)) in sources.iter_mut().zip(&d.values).enumerate() {
        let mut operand = *operand;
        if let Operand::Register { modifier, .. } | Operand::Uniform { modifier, .. } = &mut operand
            && modifier.negate
        {
            negate |= 1 << index;
            modifier.negate = false;
        }
        *slot = d.convert(&operand, Sign::Integer)?;
    }
    let operation = match d.instruction.opcode {
        O::Viadd => PackedOperation::Add,
        O::Vimnmx => PackedOperation::MinMax,
        O::Vimnmx3 => PackedOperation::MinMax3,
        _ => PackedOperation::AddMinMax,
    };
    let alu = Alu::Packed(Packed { operation, signed, relu: d.has(M::Relu), negate });
    Ok(d.finish(Kind::Alu(alu), sources, PredicateSource::TRUE))
}

fn lea(d: &Decoder<'_>) -> Result<Op, String> {
    let (high, carry, extend) = (d.has(M::Hi), d.has(M::X), d.has(M::Sx32));
    let last = d.values.len().checked_sub(1).ok_or_else(|| "has no operands".to_owned())?;
    let shift = (d.number(last)? & 31) as u8;
    let mut sources = d.sources(Sign::Integer)?;
    if last < 3 {
        sources[2] = Source::default();
    }
    let alu = Alu::Lea { shift, high, extend, carry };
    Ok(d.finish(Kind::Alu(alu), sources, PredicateSource::FALSE))
}

fn mov(d: &Decoder<'_>) -> Result<Op, String> {
    // A lane mask for the four bytes may follow; all ones is the only one in use.
    if d.values.len() > 1 && d.number(1)? != 0xf {
        return Err("a partial MOV is not supported".to_owned());
    }
    let target = match d.values.first() {
        Some(Operand::Target(index)) => Some(Operand::Immediate(index * 16)),
        _ => None,
    };
    d.ignore(&[M::U32]);
    let source = match target {
        Some(operand) => d.convert(&operand, Sign::Integer)?,
        None => d.source(0, Sign::Integer)?,
    };
    Ok(d.finish(Kind::Alu(Alu::Move), [source, Source::default(), Source::default()], PredicateSource::TRUE))
}

fn byte(d: &Decoder<'_>) -> u8 {
    d.next_of(&[(M::B0, 0), (M::B1, 1), (M::B2, 2), (M::B3, 3)]).unwrap_or_else(|| {
        d.instruction.operands.iter().fold(0, |byte, operand| match operand {
            Operand::Register { selector: Selector::B1, .. } => 1,
            Operand::Register { selector: Selector::B2, .. } => 2,
            Operand::Register { selector: Selector::B3, .. } => 3,
            _ => byte,
        })
    })
}

fn register_values<'d>(d: &'d Decoder<'_>) -> Vec<&'d Operand> {
    let all = |operand: &Operand| matches!(operand, Operand::AllPredicates | Operand::AllUniformPredicates);
    d.values.iter().filter(|operand| !all(operand)).collect()
}

fn two(d: &Decoder<'_>, values: &[&Operand]) -> Result<[Source; 3], String> {
    let whole = |operand: &Operand| match *operand {
        Operand::Register { register, .. } => d.convert(&Operand::register(register), Sign::Integer),
        other => d.convert(&other, Sign::Integer),
    };
    let source = |index: usize| values.get(index).map_or(Ok(Source::default()), |operand| whole(operand));
    Ok([source(0)?, source(1)?, Source::default()])
}

fn predicates_to_register(d: &Decoder<'_>) -> Result<Op, String> {
    let values = register_values(d);
    let sources = two(d, &values)?;
    let uniform = d.values.contains(&Operand::AllUniformPredicates);
    let alu = Alu::PredicatesToRegister { byte: byte(d), uniform };
    Ok(d.finish(Kind::Alu(alu), sources, PredicateSource::FALSE))
}

fn dot(d: &Decoder<'_>) -> Result<Alu, String> {
    let four = d.has(M::Dot4);
    let two = d.has(M::Dot2);
    if four == two {
        return Err("needs .4A or .2A".to_owned());
    }
    let high = d.has(M::Hi);
    d.ignore(&[M::Lo]);
    let table = [(M::U8, false), (M::S8, true), (M::U16, false), (M::S16, true)];
    let first = d.next_of(&table).unwrap_or(true);
    let second = d.next_of(&table).unwrap_or(first);
    Ok(Alu::Dot { four, high, signed: [first, second] })
}

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

fn floating(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let mut sign = Sign::Float;
    let kind = match d.instruction.opcode {
        O::Fadd => Kind::Float(Float::Add(float_mode(d))),
        O::Fmul => {
            let scales = [(M::D2, -1), (M::D4, -2), (M::D8, -3), (M::M2, 1), (M::M4, 2), (M::M8, 3)];
            let (scale, mode) = (d.next_of(&scales), float_mode(d));
            Kind::Float(scale.map_or(Float::Mul(mode), |scale| Float::MulScaled(mode, scale)))
        }
        O::Ffma => Kind::Float(Float::Fma(float_mode(d))),
        O::Fmnmx => Kind::Float(Float::MinMax { ftz: d.has(M::Ftz), nan: d.has(M::Nan) }),
        O::Fsel => Kind::Float(Float::Select),
        O::Fset => {
            let (float, ftz) = (d.has(M::Bf), d.has(M::Ftz));
            Kind::Float(Float::Set { compare: d.compare()?, combine: d.combine(), ftz, float })
        }
        O::Fsetp => {
            let ftz = d.has(M::Ftz);
            Kind::Float(Float::SetPredicate { compare: d.compare()?, combine: d.combine(), ftz })
        }
        O::Fchk => {
            d.ignore(&[M::Divide]);
            Kind::Float(Float::CheckDivision)
        }
        O::Mufu => Kind::Float(Float::Mufu(mufu(d)?)),
        O::Dadd => Kind::Double(Double::Add(round(d).unwrap_or(Round::Nearest))),
        O::Dmul => Kind::Double(Double::Mul(round(d).unwrap_or(Round::Nearest))),
        O::Dfma => Kind::Double(Double::Fma(round(d).unwrap_or(Round::Nearest))),
        O::Dsetp if d.has(M::Min) || d.has(M::Max) => {
            Kind::Double(Double::Extreme { maximum: d.has(M::Max), combine: d.combine() })
        }
        O::Dsetp => Kind::Double(Double::SetPredicate { compare: d.compare()?, combine: d.combine() }),
        O::Hadd2 | O::Hmul2 | O::Hfma2 | O::Hmnmx2 | O::Hset2 | O::Hsetp2 => return half(d).map(Some),
        O::I2f | O::I2fp => {
            sign = Sign::Integer;
            Kind::Convert(int_to_float(d))
        }
        O::F2i => Kind::Convert(float_to_int(d)),
        O::F2f | O::Frnd => Kind::Convert(float_to_float(d)),
        O::F2fp => {
            let bytes = d.next_of(&[(M::E4m3, ByteFormat::E4m3), (M::E5m2, ByteFormat::E5m2)]);
            match bytes {
                Some(format) => return bytes_and_halves(d, format).map(Some),
                None => {
                    let bf16 = d.has(M::BF16);
                    d.ignore(&[M::F16, M::F32, M::PackAb]);
                    Kind::Convert(Convert::Pack {
                        bf16,
                        relu: d.has(M::Relu),
                        round: round(d).unwrap_or(Round::Nearest),
                    })
                }
            }
        }
        O::I2i => {
            sign = Sign::Integer;
            let saturate = d.has(M::Sat);
            let to = int_type(d).unwrap_or(IntType { bits: 32, signed: true });
            int_type(d);
            Kind::Convert(Convert::IntToInt { to, saturate })
        }
        _ => return Ok(None),
    };
    Ok(Some(d.finish(kind, d.sources(sign)?, PredicateSource::TRUE)))
}

/// `F2FP` from or to bytes.
fn bytes_and_halves(d: &Decoder<'_>, format: ByteFormat) -> Result<Op, String> {
    let relu = d.has(M::Relu);
    d.ignore(&[M::F16, M::F32]);
    let source = |index: usize, sign: Sign| d.source(index, sign);
    let none = Source::default();
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
    Ok(d.finish(Kind::Convert(conversion), sources, PredicateSource::TRUE))
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
        values.get(index).map_or(Ok(Source::default()), |operand| d.convert(operand, Sign::Halves))
    };
    let sources = [source(0)?, source(1)?, source(2)?];
    let half = match d.instruction.opcode {
        O::Hadd2 => Half::Add(mode),
        O::Hmul2 => Half::Mul(mode),
        O::Hfma2 => Half::Fma(mode),
        O::Hmnmx2 => Half::MinMax { mode, nan: d.has(M::Nan) },
        O::Hset2 => {
            let float = d.has(M::Bf);
            Half::Set { mode, compare: d.compare()?, combine: d.combine(), float }
        }
        _ => {
            let both = d.has(M::H0And);
            Half::SetPredicate { mode, compare: d.compare()?, combine: d.combine(), both }
        }
    };
    Ok(d.finish(Kind::Half(half), sources, PredicateSource::TRUE))
}
