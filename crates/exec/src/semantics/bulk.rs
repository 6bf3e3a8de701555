//! Copies of many lines. What they copy is there at once: programs must not look before they have waited.

use crate::LANES;
use crate::fault::ExecFault;
use crate::memory::{AtomicRequest, BulkRecord, BulkRow, GlobalMemory, Lanes};
use crate::op::{BulkKind, BulkOp, SourceKind};
use crate::semantics::lanes::Machine;
use crate::step::{Environment, Step};
use smallvec::smallvec;
use warplab_units::{LaneMask, PerLane};

/// Bytes of a lane of an access that is part of a copy.
const PART: u32 = 16;

#[cold]
pub(crate) fn execute<M: GlobalMemory>(
    m: &mut Machine<'_>,
    op: &BulkOp,
    environment: &mut Environment<'_, M>,
) -> Result<Step, ExecFault> {
    if m.mask == 0 {
        return Ok(Step::Next);
    }
    let word = |register: u8| m.warp.uniforms[usize::from(register)];
    let wide = |register: u8| u64::from(word(register)) | u64::from(word(register + 1)) << 32;
    let size = match op.size {
        SourceKind::Uniform(register) => word(register),
        SourceKind::Immediate(size) => size,
        SourceKind::Constant(bank, word) => m.banks.word(bank, word),
        SourceKind::Row(_) | SourceKind::Nothing => 0,
    };
    // Above them are the blocks of a cluster that get a copy.
    let bytes = (size & 0xffff) * PART;
    let (global, shared, barrier) = match op.kind {
        BulkKind::ToShared => (wide(op.from), word(op.to), word(op.to + 1)),
        BulkKind::ToGlobal | BulkKind::Reduce(..) => (wide(op.to), word(op.from), 0),
        BulkKind::Prefetch => (wide(op.to), 0, 0),
    };
    let row = m.warp.number;
    match op.kind {
        BulkKind::Reduce(op, ty) => {
            let each = ty.bytes();
            parts(bytes, each, |offset, mask| {
                let from = addresses(u64::from(shared) + offset, each);
                let to = addresses(global + offset, each);
                let (mut values, mut old) = ([[0; LANES]; 4], [[0; LANES]; 4]);
                environment.shared.load(Lanes::new(&from, mask, each), &mut values)?;
                let lanes = Lanes::new(&to, mask, each);
                let (wants_result, destination, operands) = (false, None, &values[..]);
                let request = AtomicRequest { op, ty, lanes, row, operands, wants_result, destination };
                environment.global.atomic(request, &mut old)?;
                Ok(())
            })?;
        }
        BulkKind::Prefetch => {}
        kind => parts(bytes, PART, |offset, mask| {
            let in_shared = addresses(u64::from(shared) + offset, PART);
            let other = addresses(global + offset, PART);
            let mut values = [[0; LANES]; 4];
            match kind {
                BulkKind::ToGlobal => {
                    environment.shared.load(Lanes::new(&in_shared, mask, PART), &mut values)?;
                    environment.global.store(Lanes::new(&other, mask, PART), &values)?;
                }
                _ => {
                    environment.global.load(Lanes::new(&other, mask, PART), &mut values)?;
                    environment.shared.store(Lanes::new(&in_shared, mask, PART), &values)?;
                }
            }
            Ok(())
        })?,
    }
    if op.kind.tells_a_barrier() {
        let at = [u64::from(barrier); LANES];
        environment.shared.check(&Lanes::new(&at, LaneMask(1), 8))?;
    }
    let rows = smallvec![BulkRow { global, bytes }];
    environment.record.bulk =
        Some(Box::new(BulkRecord { kind: op.kind, rows, bytes, barrier, is_box: false }));
    Ok(Step::Bulk)
}

/// Calls `part` for each access of up to 32 lanes with so many bytes each: how far it is from the start, and its lanes.
fn parts(
    bytes: u32,
    each: u32,
    mut part: impl FnMut(u64, LaneMask) -> Result<(), ExecFault>,
) -> Result<(), ExecFault> {
    let lanes = LANES as u32;
    for offset in (0..bytes).step_by((each * lanes) as usize) {
        let count = ((bytes - offset) / each).min(lanes);
        part(u64::from(offset), LaneMask(u32::MAX >> (lanes - count)))?;
    }
    Ok(())
}

fn addresses(first: u64, each: u32) -> PerLane<u64> {
    std::array::from_fn(|lane| first + lane as u64 * u64::from(each))
}
