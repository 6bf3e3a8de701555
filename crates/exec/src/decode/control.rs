//! Decoding of branches, convergence, barriers and fences.

use crate::decode::{Decoder, Sign};
use crate::op::{BarrierKind, FenceScope};
use crate::op::{Call, Control, Op, OpKind, PredicateSource, SourceOperand};
use warplab_program::operand::Operand;
use warplab_program::{Modifier as M, Opcode as O, SystemCall};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let control = match d.instruction.opcode {
        O::Bra => return branch(d).map(Some),
        O::Jmp => {
            d.ignore(&[M::U]);
            Control::Branch { target: d.target()? }
        }
        O::Brx | O::Brxu => indirect(d, true)?,
        O::Jmx => indirect(d, false)?,
        O::Call => {
            d.ignore(&[M::Rel, M::Abs, M::NoInc]);
            match call(d)? {
                Some(call) => return Ok(Some(call)),
                None => Control::Call { target: d.target()? },
            }
        }
        O::Lepc => Control::CodeAddress { target: d.target()? },
        O::Syscall => return system_call(d).map(Some),
        O::Ret => {
            d.ignore(&[M::Rel, M::Abs, M::NoDec]);
            // The register is relative to the function's start, where one is named.
            let start = d.instruction.target().map_or(0, |target| i64::from(target) * 16);
            Control::BranchIndirect { offset: start, relative: false }
        }
        O::Exit | O::Kill => Control::Exit,
        O::Bssy => {
            d.ignore(&[M::Reconvergent]);
            Control::Open(barrier(d)?)
        }
        O::Bsync => {
            d.ignore(&[M::Reconvergent]);
            Control::Converge(barrier(d)?)
        }
        O::Break => Control::Leave(barrier(d)?),
        O::Bmov => {
            d.ignore(&[M::B32, M::Pr]);
            let clear = d.has(M::Clear);
            match d.instruction.operands.first() {
                Some(Operand::Barrier(to)) => Control::RegisterToBarrier(to.0),
                _ => Control::BarrierToRegister { barrier: barrier(d)?, clear },
            }
        }
        O::Warpsync => {
            let all = d.has(M::All);
            d.ignore(&[M::Exch]);
            let exclusive = d.has(M::Exclusive);
            if d.has(M::Collective) {
                Control::Collect { resume: d.target()?, all }
            } else {
                Control::Synchronise { all, exclusive }
            }
        }
        O::Endcollective => Control::EndCollective,
        O::Yield => Control::Yield,
        O::Nanosleep => {
            d.ignore(&[M::Syncs]);
            Control::Sleep
        }
        O::Bar => return block_barrier(d).map(Some),
        O::Membar => {
            d.ignore(&[M::Sc, M::All]);
            let scope = d.next_of(&[
                (M::Cta, FenceScope::Block),
                (M::Sm, FenceScope::Block),
                (M::Gpu, FenceScope::Gpu),
                (M::Sys, FenceScope::System),
                (M::Vc, FenceScope::Gpu),
            ]);
            Control::Fence(scope.unwrap_or(FenceScope::Block))
        }
        O::Fence => {
            d.ignore(&[M::View, M::Async, M::S, M::G]);
            Control::Nop
        }
        O::UcgabarArv => Control::ClusterBarrier { waits: false },
        O::UcgabarWait => Control::ClusterBarrier { waits: true },
        O::Errbar | O::Cgaerrbar | O::Acqbulk | O::Preexit | O::Ldgdepbar | O::Utmacmdflush | O::Nop => {
            Control::Nop
        }
        O::Depbar => {
            d.ignore(&[M::Le]);
            Control::Nop
        }
        O::Bpt => {
            d.ignore(&[M::Trap]);
            Control::Trap
        }
        _ => return Ok(None),
    };
    let mut sources = [SourceOperand::default(); 3];
    let values = d.values.iter().filter(|operand| {
        !matches!(
            operand,
            Operand::Target(_) | Operand::Barrier(_) | Operand::WaitBarrier(_) | Operand::WaitBarriers(_)
        )
    });
    for (slot, operand) in sources.iter_mut().zip(values) {
        *slot = d.convert(operand, Sign::Integer)?;
    }
    Ok(Some(d.finish(OpKind::Control(control), sources, PredicateSource::TRUE)))
}

/// A call of the driver or through registers; `None` for one of a named function.
fn call(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let kind = if let Some(call) = d.instruction.system_call() {
        Call::System(call)
    } else if d.instruction.calls_through_register() {
        // The register is relative to the function's start, where one is named.
        Call::Through { base: d.instruction.target().map_or(0, |target| u64::from(target) * 16) }
    } else {
        return Ok(None);
    };
    let register = d.values.iter().find(|operand| !matches!(operand, Operand::Target(_)));
    let mut sources = [SourceOperand::default(); 3];
    if let Some(register) = register {
        sources[0] = d.convert(register, Sign::Integer)?;
    }
    Ok(Some(d.finish(OpKind::Call(kind), sources, PredicateSource::TRUE)))
}

fn system_call(d: &Decoder<'_>) -> Result<Op, String> {
    let table = [
        (M::Vprintf, SystemCall::Print),
        (M::Assertfail, SystemCall::AssertFail),
        (M::Malloc, SystemCall::Allocate),
        (M::Free, SystemCall::Free),
    ];
    let call = d.next_of(&table).ok_or_else(|| "names no system call".to_owned())?;
    Ok(d.finish(OpKind::Call(Call::Operands(call)), d.sources(Sign::Integer)?, PredicateSource::TRUE))
}

fn branch(d: &Decoder<'_>) -> Result<Op, String> {
    let target = d.target()?;
    let (div, conv) = (d.has(M::Div), d.has(M::Conv));
    let (together, any) = (d.has(M::U), d.has(M::Any));
    let mut sources = [SourceOperand::default(); 3];
    let control = if div || conv {
        let mask = d.values.iter().find(|operand| !matches!(operand, Operand::Target(_)));
        sources[0] = match mask {
            Some(operand) => d.convert(operand, Sign::Integer)?,
            None => return Err("needs a mask".to_owned()),
        };
        Control::BranchMask { target, when_equal: conv }
    } else {
        if together { Control::BranchTogether { target, any } } else { Control::Branch { target } }
    };
    Ok(d.finish(OpKind::Control(control), sources, PredicateSource::TRUE))
}

fn indirect(d: &Decoder<'_>, relative: bool) -> Result<Control, String> {
    let offset = match d.values.get(1) {
        None => 0,
        Some(Operand::Immediate(offset)) => i64::from(*offset as i32),
        Some(other) => return Err(format!("'{other}' is no offset")),
    };
    Ok(Control::BranchIndirect { offset, relative })
}

fn barrier(d: &Decoder<'_>) -> Result<u8, String> {
    let found = d.instruction.operands.iter().find_map(|operand| match operand {
        Operand::Barrier(barrier) => Some(barrier.0),
        _ => None,
    });
    found.ok_or_else(|| "names no convergence barrier".to_owned())
}

fn block_barrier(d: &Decoder<'_>) -> Result<Op, String> {
    d.ignore(&[M::DeferBlocking]);
    let kind = if d.has(M::Red) {
        d.next_of(&[
            (M::And, BarrierKind::ReduceAnd),
            (M::Or, BarrierKind::ReduceOr),
            (M::Popc, BarrierKind::ReducePopc),
        ])
        .ok_or_else(|| "names no reduction".to_owned())?
    } else if d.has(M::Arv) {
        BarrierKind::Arrive
    } else if d.has(M::Sync) {
        BarrierKind::Sync
    } else {
        return Err("is none of .SYNC, .ARV, .RED".to_owned());
    };
    let counted = d.values.len() > 1;
    if kind == BarrierKind::Arrive && !counted {
        return Err("needs the number of threads".to_owned());
    }
    let control = Control::BlockBarrier { kind, counted };
    Ok(d.finish(OpKind::Control(control), d.sources(Sign::Integer)?, PredicateSource::TRUE))
}
