//! Accesses to shared memory of other blocks of the cluster: they become requests, which are answered later.

use super::{addresses as addresses_of, data};
use crate::LANES;
use crate::Row;
use crate::fault::ExecFault;
use crate::memory::{GlobalMemory, Lanes, RowAccess};
use crate::op::{AccessKind, AtomicOp, Memory, MemoryForm, Space};
use crate::peers::{PeerRequest, PeerWork};
use crate::semantics::lanes::Machine;
use crate::state::mbarrier::Arrival;
use crate::step::Environment;
use warplab_units::{LaneMask, PerLane};

/// Addresses of shared memory become those inside of the block, whose rank they have.
#[cold]
pub(super) fn inside(m: &Machine<'_>, block: [u32; 3], addresses: &mut PerLane<u64>) {
    let place = m.banks.place(block);
    addresses.iter_mut().for_each(|address| *address = place.inside(*address));
}

/// Of lanes with generic addresses in shared memory those that address this block are left, and what the others ask for
/// becomes requests, if it is done there. All addresses become those inside of their block.
#[cold]
pub(super) fn split<M: GlobalMemory>(
    m: &Machine<'_>,
    memory: &Memory,
    (lanes, done): (LaneMask, bool),
    addresses: &mut PerLane<u64>,
    environment: &mut Environment<'_, M>,
) -> Result<LaneMask, ExecFault> {
    let bytes = u32::from(memory.bytes);
    let others = m.banks.place(environment.block).others(lanes, bytes, addresses)?;
    let mut own = lanes;
    for &(_, mask) in &others {
        own.0 &= !mask.0;
        environment.shared.check(&Lanes::new(addresses, mask, bytes))?;
    }
    if !done {
        return Ok(own);
    }
    let work = work(memory);
    for &(rank, mask) in &others {
        let (row, addresses, data) = (m.warp.number, *addresses, operands(m, memory));
        environment.record.peers.push(PeerRequest { rank, row, mask, bytes, addresses, work, data });
    }
    Ok(own)
}

/// The lanes whose addresses lie in this block.
#[cold]
pub(super) fn own(m: &Machine<'_>, block: [u32; 3], addresses: &PerLane<u64>) -> u32 {
    let place = m.banks.place(block);
    let is_own = |lane: &usize| place.is_own(addresses[*lane]);
    (0..LANES).filter(is_own).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// Whether an atomic operation that says which lanes it has done does them in another block: sums of floats and extremes of 64
/// bits are left to the program (measured: `clscatter_add_*` and `clargmax_rows_33` of `traces/h200`).
pub(super) fn are_done(memory: &Memory) -> bool {
    let Some((op, ty)) = memory.atomic else { return true };
    !(op == AtomicOp::Add && ty.is_float() || matches!(op, AtomicOp::Min | AtomicOp::Max) && ty.bytes() == 8)
}

/// What an instruction does.
fn work(memory: &Memory) -> PeerWork {
    let destination = memory.register;
    match (memory.kind, memory.atomic) {
        (AccessKind::Load, _) => PeerWork::Load { destination, signed: memory.signed },
        (AccessKind::Atomic, Some((op, ty))) => {
            let says_stored = memory.form == MemoryForm::CompareAndStore;
            PeerWork::Atomic { op, ty, destination, says_stored }
        }
        (_, Some((op, ty))) => PeerWork::Atomic { op, ty, destination: None, says_stored: false },
        _ => PeerWork::Store,
    }
}

/// The values that an instruction stores, or its operands: the comparison value first.
fn operands(m: &Machine<'_>, memory: &Memory) -> Vec<Row> {
    if memory.kind == AccessKind::Load {
        return Vec::new();
    }
    let words = usize::from(memory.bytes.div_ceil(4));
    let compares = memory.atomic.is_some_and(|(op, _)| op == AtomicOp::CompareExchange);
    // As many as an atomic operation of this size may look at.
    let mut rows = vec![[0; LANES]; if words > 2 { 8 } else { 4 }];
    data(m, 0, words, &mut rows);
    if compares {
        data(m, 1, words, &mut rows[words..]);
    }
    rows
}

/// `STAS` and `REDAS`: a store, or an atomic operation, to any block of the cluster, after which its bytes have come to a barrier
/// there, whose address is in the register behind.
#[cold]
pub(super) fn store<M: GlobalMemory>(
    m: &Machine<'_>,
    memory: &Memory,
    lanes: LaneMask,
    addresses: &PerLane<u64>,
    environment: &mut Environment<'_, M>,
) -> Result<bool, ExecFault> {
    let bytes = u32::from(memory.bytes);
    let place = m.banks.place(environment.block).everywhere();
    let mut behind = memory.address;
    (behind.base, behind.offset) = (behind.base + 1, 0);
    let (mut targets, mut barriers) = (*addresses, addresses_of(m, behind));
    debug_assert!(memory.form == MemoryForm::TellsBarrier);
    let asked = place.others(lanes, bytes, &mut targets)?;
    environment.shared.check(&Lanes::new(&targets, lanes, bytes))?;
    let told = place.others(lanes, 8, &mut barriers)?;
    environment.shared.check(&Lanes::new(&barriers, lanes, 8))?;
    let (row, work) = (m.warp.number, work(memory));
    for (rank, mask) in asked {
        let data = operands(m, memory);
        environment.record.peers.push(PeerRequest { rank, row, mask, bytes, addresses: targets, work, data });
    }
    for (rank, mask) in told {
        let mut rest = mask;
        while let Some(first) = rest.lowest() {
            let same = rest.lanes().filter(|&lane| barriers[lane] == barriers[first]);
            let together = LaneMask(same.fold(0, |lanes, lane| lanes | 1 << lane));
            rest.0 &= !together.0;
            let come = Arrival { bytes: -i64::from(bytes * together.count()), ..Arrival::default() };
            environment.record.peers.push(PeerRequest::arrival(rank, barriers[first], come));
        }
    }
    let record = &mut *environment.record;
    (record.space, record.kind, record.bytes) = (Space::Shared, memory.kind, bytes);
    record.rows[usize::from(row)] = RowAccess::new(targets, lanes, bytes);
    (record.policy, record.atomic, record.destination) = (memory.policy, memory.atomic, None);
    Ok(false)
}
