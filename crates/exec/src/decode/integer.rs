//! Decoding of integer arithmetic and logic.

use super::{Decoder, Sign};
use crate::op::{Alu, Op, OpKind, Packed, PackedOperation, Permute, PredicateSource, SourceOperand};
use warplab_program::operand::{Operand, Selector};
use warplab_program::{Modifier as M, Opcode as O};

fn is_signed(d: &Decoder<'_>) -> bool {
    let unsigned = d.has(M::U32);
    d.ignore(&[M::S32]);
    !unsigned
}

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let sources = || d.sources(Sign::Integer);
    let alu = match d.instruction.opcode {
        O::Uiadd3 if d.has(M::B64) => Alu::AddWide,
        O::Iadd3 | O::Uiadd3 => Alu::Add3 { carry: d.has(M::X) },
        O::Vimnmx | O::Vimnmx3 | O::Viaddmnmx | O::Viadd if is_packed(d) => return packed(d).map(Some),
        O::Viadd => Alu::Add3 { carry: false },
        O::Imad | O::Uimad => multiply_add(d),
        O::Lea | O::Ulea => return lea(d).map(Some),
        O::Lop3 | O::Ulop3 => {
            d.ignore(&[M::Lut]);
            let any = !d.outs.is_empty();
            let alu = Alu::Lop3 { lut: d.number(3)? as u8, any };
            return Ok(Some(d.finish(OpKind::Alu(alu), sources()?, PredicateSource::FALSE)));
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
            // Without .ACC the third source is for bytes that are not written, and all are.
            Alu::AbsDiff4 { signed, sum: d.has(M::Acc) }
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
        O::Plop3 | O::Uplop3 => return predicate_logic(d).map(Some),
        O::P2r | O::Up2ur => return predicates_to_register(d).map(Some),
        O::R2p => {
            let values: Vec<&Operand> = register_values(d);
            let sources = two(d, &values)?;
            return Ok(Some(d.finish(
                OpKind::Alu(Alu::RegisterToPredicates { byte: byte(d) }),
                sources,
                PredicateSource::FALSE,
            )));
        }
        _ => return Ok(None),
    };
    let sources = sources()?;
    let absent = match alu {
        Alu::Add3 { .. } | Alu::Mad | Alu::MadWide { .. } | Alu::MadHigh { .. } => PredicateSource::FALSE,
        _ => PredicateSource::TRUE,
    };
    Ok(Some(d.finish(OpKind::Alu(alu), sources, absent)))
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
    let mut sources = [SourceOperand::default(); 3];
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
    Ok(d.finish(OpKind::Alu(alu), sources, PredicateSource::TRUE))
}

fn lea(d: &Decoder<'_>) -> Result<Op, String> {
    let (high, carry, extend) = (d.has(M::Hi), d.has(M::X), d.has(M::Sx32));
    let last = d.values.len().checked_sub(1).ok_or_else(|| "has no operands".to_owned())?;
    let shift = (d.number(last)? & 31) as u8;
    let mut sources = d.sources(Sign::Integer)?;
    if last < 3 {
        sources[2] = SourceOperand::default();
    }
    let alu = Alu::Lea { shift, high, extend, carry };
    Ok(d.finish(OpKind::Alu(alu), sources, PredicateSource::FALSE))
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
    Ok(d.finish(
        OpKind::Alu(Alu::Move),
        [source, SourceOperand::default(), SourceOperand::default()],
        PredicateSource::TRUE,
    ))
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

fn two(d: &Decoder<'_>, values: &[&Operand]) -> Result<[SourceOperand; 3], String> {
    let whole = |operand: &Operand| match *operand {
        Operand::Register { register, .. } => d.convert(&Operand::register(register), Sign::Integer),
        other => d.convert(&other, Sign::Integer),
    };
    let source =
        |index: usize| values.get(index).map_or(Ok(SourceOperand::default()), |operand| whole(operand));
    Ok([source(0)?, source(1)?, SourceOperand::default()])
}

/// Three predicates, or signs of registers in their places, and then two truth tables.
fn predicate_logic(d: &Decoder<'_>) -> Result<Op, String> {
    d.ignore(&[M::Lut]);
    let operands = &d.instruction.operands;
    let read = |index: usize| operands.get(d.outs.len() + index);
    let mut sources = [SourceOperand::default(); 3];
    let mut signs = 0;
    for (index, slot) in sources.iter_mut().enumerate() {
        let Some(operand @ (Operand::Register { .. } | Operand::Uniform { .. })) = read(index) else {
            continue;
        };
        *slot = d.convert(operand, Sign::Integer)?;
        if slot.select != Selector::Sign {
            return Err("takes predicates and signs".to_owned());
        }
        signs |= 1 << index;
    }
    let tables = d.values.iter().filter_map(|operand| match operand {
        Operand::Immediate(bits) => Some(*bits as u8),
        _ => None,
    });
    let tables: Vec<u8> = tables.collect();
    let &[first, second] = tables.as_slice() else { return Err("needs two truth tables".to_owned()) };
    let alu = Alu::PredicateLogic { luts: [first, second], signs };
    let mut op = d.finish(OpKind::Alu(alu), sources, PredicateSource::TRUE);
    // Predicates are counted without the signs among them.
    let mut predicates = d.predicates.iter();
    for (index, slot) in op.predicates.iter_mut().enumerate() {
        if signs >> index & 1 == 0 {
            *slot = predicates.next().copied().unwrap_or(PredicateSource::TRUE);
        }
    }
    Ok(op)
}

fn predicates_to_register(d: &Decoder<'_>) -> Result<Op, String> {
    let values = register_values(d);
    let sources = two(d, &values)?;
    let uniform = d.values.contains(&Operand::AllUniformPredicates);
    let alu = Alu::PredicatesToRegister { byte: byte(d), uniform };
    Ok(d.finish(OpKind::Alu(alu), sources, PredicateSource::FALSE))
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
