//! Decoding of memory instructions, constants, special registers and warp-wide instructions.

use crate::decode::{Decoder, Sign};
use crate::op::{AccessKind, CachePolicy, Eviction, Scope};
use crate::op::{
    AddressForm, Memory, MemoryForm, Op, OpKind, PredicateSource, ShuffleMode, SourceKind, SourceOperand,
    SpaceForm, Special, VoteMode, Warp,
};
use crate::op::{AtomicOp, AtomicType};
use warplab_program::operand::{AddressOperand, ConstantIndex, Operand, SpecialRegister};
use warplab_program::{Modifier as M, Opcode as O, Register};

/// Sizes of a value in memory: bytes, and whether it is extended with its sign.
const SIZES: [(M, (u8, bool)); 7] = [
    (M::U8, (1, false)),
    (M::S8, (1, true)),
    (M::U16, (2, false)),
    (M::S16, (2, true)),
    (M::B32, (4, false)),
    (M::U32, (4, false)),
    (M::B64, (8, false)),
];

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    use AccessKind::{Atomic, CacheControl, Load, MatrixLoad, MatrixStore, Reduction, Store};
    use SpaceForm::{Generic, Global, Local, Shared};
    let (space, kind) = match d.instruction.opcode {
        O::Ldg => (Global, Load),
        O::Ld => (Generic, Load),
        O::Ldl => (Local, Load),
        O::Lds => (Shared, Load),
        O::Ldsm => (Shared, MatrixLoad),
        O::Stg => (Global, Store),
        O::St => (Generic, Store),
        O::Stl => (Local, Store),
        O::Sts => (Shared, Store),
        O::Stsm => (Shared, MatrixStore),
        O::Stas => (Shared, Store),
        O::Redas => (Shared, Reduction),
        O::Atom => (Generic, Atomic),
        O::Atomg => (Global, Atomic),
        O::Atoms => (Shared, Atomic),
        O::Red => (Generic, Reduction),
        O::Redg => (Global, Reduction),
        O::Cctl | O::Cctll => (Global, CacheControl),
        O::Qspc => (Generic, Load),
        O::Ldgsts => (Global, Load),
        _ => return register_like(d),
    };
    memory(d, space, kind).map(Some)
}

fn memory(d: &Decoder<'_>, space: SpaceForm, kind: AccessKind) -> Result<Op, String> {
    let mut addresses = d.values.iter().filter_map(|operand| match operand {
        Operand::Address(address) => Some(*address),
        _ => None,
    });
    let copies = d.instruction.opcode == O::Ldgsts;
    let destination = if copies { addresses.next() } else { None };
    let operand = addresses.next();
    if operand.is_none() && kind != AccessKind::CacheControl {
        return Err("has no address".to_owned());
    }
    let address = address_form(d, operand.unwrap_or_default());
    let policy = policy(d);
    let mut memory = Memory {
        address,
        space,
        kind,
        bytes: 4,
        signed: false,
        policy,
        atomic: None,
        register: d.instruction.operands.iter().find_map(|operand| match operand {
            Operand::Register { register, .. } => Some(register.0 as u8),
            _ => None,
        }),
        form: MemoryForm::Plain,
    };
    match kind {
        AccessKind::Atomic | AccessKind::Reduction => atomic(d, &mut memory)?,
        AccessKind::MatrixLoad | AccessKind::MatrixStore => {
            let transposed = d.has(M::Mt88);
            d.ignore(&[M::M88, M::B16]);
            let count = d.next_of(&[(M::X4, 4), (M::X2, 2)]).unwrap_or(1);
            memory.bytes = 16;
            memory.form = MemoryForm::Matrix { count, transposed };
        }
        AccessKind::CacheControl => {
            d.ignore(&[
                M::Ivall,
                M::Ivallp,
                M::Iv,
                M::Wb,
                M::Wball,
                M::Pf1,
                M::Pf1p5,
                M::Pf2,
                M::C,
                M::U,
                M::D,
                M::Rml2,
                M::Dml2,
            ]);
        }
        AccessKind::Store if d.instruction.opcode == O::Stas => {
            memory.bytes = d.next_of(&[(M::B64, 8), (M::B128, 16)]).unwrap_or(4);
        }
        _ if copies => {
            let to = address_form(d, destination.unwrap_or_default());
            memory.form = MemoryForm::CopyToShared { to, zero_fill: d.has(M::Zfill) };
            memory.bytes = d.next_of(&[(M::B64, 8), (M::B128, 16)]).unwrap_or(4);
        }
        _ if d.instruction.opcode == O::Qspc => {
            memory.form = MemoryForm::SpaceQuery;
            // .S is shared memory of the block, .D that of any block of the cluster.
            let table = [
                (M::S, AccessKind::Load),
                (M::D, AccessKind::Atomic),
                (M::L, AccessKind::Store),
                (M::G, AccessKind::CacheControl),
            ];
            memory.kind = d.next_of(&table).ok_or_else(|| "names no space".to_owned())?;
        }
        _ => {
            let more = || d.next_of(&[(M::S32, (4, false)), (M::F32, (4, false)), (M::B128, (16, false))]);
            (memory.bytes, memory.signed) = d.next_of(&SIZES).or_else(more).unwrap_or((4, false));
        }
    }
    if matches!(d.instruction.opcode, O::Stas | O::Redas) {
        memory.form = MemoryForm::TellsBarrier;
        // One register has the address, the next one that of the barrier.
        memory.address.wide = false;
    }
    if copies || kind != AccessKind::Load && kind != AccessKind::Atomic && kind != AccessKind::MatrixLoad {
        memory.register = None;
    }
    let mut sources = [SourceOperand::default(); 3];
    let data = d.values.iter().filter(|operand| !matches!(operand, Operand::Address(_)));
    for (slot, operand) in sources.iter_mut().zip(data) {
        *slot = d.convert(operand, Sign::Integer)?;
        if !slot.plain {
            return Err("data of a memory instruction takes no modifier".to_owned());
        }
    }
    Ok(d.finish(OpKind::Memory(memory), sources, PredicateSource::TRUE))
}

pub(super) fn address_form(d: &Decoder<'_>, address: AddressOperand) -> AddressForm {
    AddressForm {
        base: d.row(address.base.unwrap_or(Register::ZERO)),
        wide: d.instruction.address_is_wide(&address),
        scale: address.scale.max(1),
        uniform: address.uniform.map(|register| register.0.min(63) as u8),
        uniform_wide: address.uniform_wide,
        offset: address.offset,
    }
}

fn policy(d: &Decoder<'_>) -> CachePolicy {
    d.ignore(&[M::E, M::U, M::Weak, M::Private, M::Ltc64B, M::Ltc128B, M::Ltc256B, M::Mmio]);
    // Volta and Turing print a scope on weak accesses too, where it means nothing.
    let scope = d.next_of(&[
        (M::Cta, Scope::Block),
        (M::Sm, Scope::Multiprocessor),
        (M::Gpu, Scope::Gpu),
        (M::Sys, Scope::System),
    ]);
    let strong = d.has(M::Strong).then(|| scope.unwrap_or(Scope::Gpu));
    let eviction = d
        .next_of(&[
            (M::Ef, Eviction::First),
            (M::El, Eviction::Last),
            (M::Lu, Eviction::LastUse),
            (M::Eu, Eviction::Unchanged),
            (M::Na, Eviction::NoAllocate),
        ])
        .unwrap_or_default();
    let copies = d.instruction.opcode == O::Ldgsts;
    CachePolicy { read_only: d.has(M::Constant), strong, eviction, copies, bypass: d.has(M::Bypass) }
}

fn atomic(d: &Decoder<'_>, memory: &mut Memory) -> Result<(), String> {
    if d.has(M::Popc) {
        d.ignore(&[M::Inc, M::B32]);
        memory.atomic = Some((AtomicOp::Add, AtomicType::U32));
        memory.form = MemoryForm::IncrementByCount;
        let wanted = d.instruction.operands.first().and_then(Operand::as_register);
        if wanted == Some(Register::ZERO) {
            memory.kind = AccessKind::Count;
        }
        return Ok(());
    }
    if d.has(M::CasT) {
        d.ignore(&[M::Spin, M::B32]);
        memory.form = MemoryForm::CompareAndStore;
        memory.atomic = Some((AtomicOp::CompareExchange, AtomicType::U32));
        if d.has(M::B64) {
            memory.bytes = 8;
            memory.atomic = Some((AtomicOp::CompareExchange, AtomicType::U64));
        }
        return Ok(());
    }
    let op = arithmetic(d)
        .or_else(|| d.next_of(&[(M::Exch, AtomicOp::Exchange), (M::Cas, AtomicOp::CompareExchange)]))
        .ok_or_else(|| "names no atomic operation".to_owned())?;
    let ty = d
        .next_of(&[
            (M::U32, AtomicType::U32),
            (M::S32, AtomicType::S32),
            (M::B32, AtomicType::U32),
            (M::B64, AtomicType::U64),
            (M::U64, AtomicType::U64),
            (M::S64, AtomicType::S64),
            (M::F32, AtomicType::F32),
            (M::F64, AtomicType::F64),
            (M::F16x2, AtomicType::F16x2),
            (M::Bf16V2, AtomicType::Bf16x2),
            (M::Bf16x2, AtomicType::Bf16x2),
            (M::B128, AtomicType::B128),
        ])
        .map(|ty| (ty, 1));
    // Vectors: so many values of the type, each changed at once.
    let vector = d.next_of(&[
        (M::F32x2, (AtomicType::F32, 2)),
        (M::F32x4, (AtomicType::F32, 4)),
        (M::F16x4, (AtomicType::F16x2, 2)),
        (M::F16x8, (AtomicType::F16x2, 4)),
        (M::Bf16x4, (AtomicType::Bf16x2, 2)),
        (M::Bf16x8, (AtomicType::Bf16x2, 4)),
    ]);
    let (ty, count) = ty.or(vector).unwrap_or((AtomicType::U32, 1));
    d.ignore(&[M::Ftz, M::Rn]);
    let float = matches!(ty, AtomicType::F32 | AtomicType::F64 | AtomicType::F16x2 | AtomicType::Bf16x2);
    let extreme =
        matches!(op, AtomicOp::Min | AtomicOp::Max) && matches!(ty, AtomicType::F16x2 | AtomicType::Bf16x2);
    if float && op != AtomicOp::Add && !extreme {
        return Err("only addition is atomic on floats".to_owned());
    }
    if ty == AtomicType::B128 && !matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange) {
        return Err("128 bits are only exchanged".to_owned());
    }
    memory.atomic = Some((op, ty));
    memory.bytes = ty.bytes() as u8 * count;
    Ok(())
}

/// Constants, special registers, and what lanes do together.
fn register_like(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let kind = match d.instruction.opcode {
        O::Ldc | O::Uldc | O::Ldcu => return constant(d).map(Some),
        O::S2r | O::S2ur | O::Cs2r => {
            let Some(&Operand::Special(register)) = d.values.first() else {
                return Err("reads no special register".to_owned());
            };
            let narrow = d.has(M::B32);
            let wide = d.instruction.opcode == O::Cs2r && !narrow;
            known(register)?;
            return Ok(Some(d.finish_without_sources(OpKind::Special(Special::Read { register, wide }))));
        }
        O::B2r => {
            d.ignore(&[M::Result]);
            return Ok(Some(d.finish_without_sources(OpKind::Special(Special::BarrierResult))));
        }
        O::Shfl => Warp::Shuffle(
            d.next_of(&[
                (M::Idx, ShuffleMode::Index),
                (M::Up, ShuffleMode::Up),
                (M::Down, ShuffleMode::Down),
                (M::Bfly, ShuffleMode::Butterfly),
            ])
            .ok_or_else(|| "names no shuffle".to_owned())?,
        ),
        O::Vote | O::Voteu => return vote(d).map(Some),
        O::Match => {
            let wide = d.has(M::U64);
            d.ignore(&[M::U32, M::Any]);
            Warp::Match { all: d.has(M::All), wide }
        }
        O::Redux => {
            let signed = d.has(M::S32);
            d.ignore(&[M::U32]);
            let op = d.next_of(&[
                (M::Sum, AtomicOp::Add),
                (M::Add, AtomicOp::Add),
                (M::Min, AtomicOp::Min),
                (M::Max, AtomicOp::Max),
                (M::And, AtomicOp::And),
                (M::Or, AtomicOp::Or),
                (M::Xor, AtomicOp::Xor),
            ]);
            Warp::Reduce { op: op.unwrap_or(AtomicOp::And), signed }
        }
        O::Elect => Warp::Elect,
        O::R2ur => Warp::ToUniform { or: d.has(M::Or) },
        O::Movm => {
            d.ignore(&[M::B16, M::Mt88]);
            Warp::Transpose
        }
        _ => return Ok(None),
    };
    Ok(Some(d.finish(OpKind::Warp(kind), d.sources(Sign::Integer)?, PredicateSource::TRUE)))
}

fn known(register: SpecialRegister) -> Result<(), String> {
    match register {
        SpecialRegister::LaneIdAndMore => Err(format!("{} is not supported", register.name())),
        _ => Ok(()),
    }
}

fn vote(d: &Decoder<'_>) -> Result<Op, String> {
    let mode = d
        .next_of(&[(M::All, VoteMode::All), (M::Any, VoteMode::Any), (M::Eq, VoteMode::Equal)])
        .ok_or_else(|| "names no vote".to_owned())?;
    let mut op = d.finish_without_sources(OpKind::Warp(Warp::Vote(mode)));
    // `VOTE.ALL P0, P1`: no register, so the second predicate is the one that is read.
    let predicate = |operand: Option<&Operand>| match operand {
        Some(&Operand::Predicate { predicate, negate }) => Some(PredicateSource::new(predicate, negate)),
        Some(&Operand::UniformPredicate { predicate, negate }) => {
            Some(PredicateSource::uniform(predicate, negate))
        }
        _ => None,
    };
    let operands = &d.instruction.operands;
    if predicate(operands.first()).is_some()
        && let Some(source) = predicate(operands.get(1))
    {
        op.predicates[0] = source;
    }
    Ok(op)
}

fn constant(d: &Decoder<'_>) -> Result<Op, String> {
    let Some(Operand::Constant(constant)) = d.values.first() else {
        return Err("reads no constant bank".to_owned());
    };
    let (bytes, signed) = d.next_of(&SIZES).unwrap_or((4, false));
    d.ignore(&[M::Il, M::Is, M::Isl]);
    let from = match constant.index {
        ConstantIndex::None => SourceKind::Nothing,
        ConstantIndex::Register(register) if register.is_fixed() => SourceKind::Nothing,
        ConstantIndex::Register(register) => SourceKind::Row(d.row(register)),
        ConstantIndex::Uniform(register) => SourceKind::Uniform(register.0.min(63) as u8),
    };
    if usize::from(constant.bank) >= crate::constants::BANKS {
        return Err(format!("constant bank {} does not exist", constant.bank));
    }
    let special = Special::Constant { bank: constant.bank, offset: constant.offset, bytes, signed };
    let source = SourceOperand { from, ..SourceOperand::default() };
    Ok(d.finish(
        OpKind::Special(special),
        [source, SourceOperand::default(), SourceOperand::default()],
        PredicateSource::TRUE,
    ))
}

/// The operation of an atomic instruction or a bulk reduction that computes.
pub(super) fn arithmetic(d: &Decoder<'_>) -> Option<AtomicOp> {
    d.next_of(&[
        (M::Add, AtomicOp::Add),
        (M::Min, AtomicOp::Min),
        (M::Max, AtomicOp::Max),
        (M::Inc, AtomicOp::Inc),
        (M::Dec, AtomicOp::Dec),
        (M::And, AtomicOp::And),
        (M::Or, AtomicOp::Or),
        (M::Xor, AtomicOp::Xor),
    ])
}
