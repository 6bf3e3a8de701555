//! Decoding of instructions on barriers in shared memory.

use super::memory::address_form;
use crate::decode::{Decoder, Sign};
use crate::op::{Amount, MbarrierKind, MbarrierOp, Op, OpKind, PredicateSource, SourceOperand};
use warplab_program::operand::Operand;
use warplab_program::{Modifier as M, Opcode as O};

pub(super) fn decode(d: &Decoder<'_>) -> Result<Option<Op>, String> {
    let kind = match d.instruction.opcode {
        O::Syncs => syncs(d)?,
        O::Arrives => {
            d.ignore(&[M::Ldgstsbar, M::B64, M::Arvcnt]);
            MbarrierKind::CopiesArrive { bytes: d.has(M::Transcnt) }
        }
        _ => return Ok(None),
    };
    let address = d.values.iter().find_map(|operand| match operand {
        Operand::Address(address) => Some(*address),
        _ => None,
    });
    let Some(address) = address else { return Err("has no address".to_owned()) };
    let mut address = address_form(d, address);
    // Addresses of shared memory have 32 bits, even where the registers hold a generic one.
    address.wide = false;
    address.uniform_wide = false;
    let mut sources = [SourceOperand::default(); 3];
    if let Some(operand) = d.values.iter().find(|operand| !matches!(operand, Operand::Address(_))) {
        sources[0] = d.convert(operand, Sign::Integer)?;
    }
    Ok(Some(d.finish(OpKind::Mbarrier(MbarrierOp { address, kind }), sources, PredicateSource::TRUE)))
}

fn syncs(d: &Decoder<'_>) -> Result<MbarrierKind, String> {
    d.ignore(&[M::Trans64, M::B64]);
    if d.has(M::Exch) {
        return Ok(MbarrierKind::Exchange);
    }
    if d.has(M::Phasechk) {
        return Ok(MbarrierKind::Test { waits: d.has(M::Trywait) });
    }
    if d.has(M::Cctl) {
        d.ignore(&[M::Iv]);
        return Ok(MbarrierKind::Invalidate);
    }
    if !d.has(M::Arrive) {
        return Err("is none of .ARRIVE, .PHASECHK, .EXCH, .CCTL".to_owned());
    }
    // .RED only says that there is no answer.
    d.ignore(&[M::Red]);
    let (none, one) = (Amount::Number(0), Amount::Number(1));
    let (arrivals, bytes, come) = d
        .next_of(&[
            (M::A1t0, (one, none, false)),
            (M::Art0, (Amount::Source, none, false)),
            (M::A0tr, (none, Amount::Source, false)),
            (M::A0tx, (none, Amount::Source, true)),
            (M::A0t1, (none, one, false)),
        ])
        .unwrap_or((one, Amount::Source, false));
    let (drops, lanes) = (d.has(M::Optout), d.has(M::Tmask));
    Ok(MbarrierKind::Arrive { arrivals, bytes, come, drops, lanes })
}
