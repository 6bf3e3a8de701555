//! Copies of many lines. What they copy is there at once: programs must not look before they have waited.

use crate::fault::{ExecFault, FaultKind, MemoryFault};
use crate::memory::{AtomicRequest, BulkRecord, BulkRow, GlobalMemory, Lanes};
use crate::op::{BulkKind, BulkOp, SourceKind, Space};
use crate::peers::PeerRequest;
use crate::semantics::lanes::Machine;
use crate::step::{Environment, Step};
use crate::{LANES, Row};
use smallvec::smallvec;
use warplab_units::{Address, LaneMask, PerLane};

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
    let bytes = (size & 0xffff) * PART;
    let (global, shared, barrier) = match op.kind {
        BulkKind::ToPeer => (u64::from(word(op.from)), word(op.to), word(op.to + 1)),
        BulkKind::ToShared => (wide(op.from), word(op.to), word(op.to + 1)),
        BulkKind::ToGlobal | BulkKind::Reduce(..) => (wide(op.to), word(op.from), 0),
        BulkKind::Prefetch => (wide(op.to), 0, 0),
    };
    let named = op.multicast.then_some((size >> 16) as u16);
    let targets = Targets::of(m, op.kind, (shared, barrier), named, environment)?;
    let (shared, barrier) = (targets.shared, targets.barrier);
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
                BulkKind::ToPeer => {
                    let place = m.banks.place(environment.block);
                    let from = other.map(|address| place.inside(address));
                    environment.shared.load(Lanes::new(&from, mask, PART), &mut values)?;
                    targets.store(Lanes::new(&in_shared, mask, PART), &values, environment)?;
                }
                _ => {
                    environment.global.load(Lanes::new(&other, mask, PART), &mut values)?;
                    targets.store(Lanes::new(&in_shared, mask, PART), &values, environment)?;
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
    let (peers, is_own) = (targets.peers, targets.is_own);
    environment.record.bulk =
        Some(Box::new(BulkRecord { kind: op.kind, rows, bytes, barrier, map: None, peers, is_own }));
    Ok(Step::Bulk)
}

/// The blocks of a cluster to which a copy goes.
pub(super) struct Targets {
    /// The other ones, a bit for each by its rank.
    pub(super) peers: u16,
    /// Whether this block is one.
    pub(super) is_own: bool,
    /// Where it goes, and the barrier that is told, inside of each.
    pub(super) shared: u32,
    pub(super) barrier: u32,
}

impl Targets {
    /// The blocks that are named, or else the one whose rank the address has.
    pub(super) fn of<M: GlobalMemory>(
        m: &Machine<'_>,
        kind: BulkKind,
        (shared, barrier): (u32, u32),
        named: Option<u16>,
        environment: &Environment<'_, M>,
    ) -> Result<Targets, ExecFault> {
        if !m.banks.has_clusters() {
            return Ok(Targets { peers: 0, is_own: true, shared, barrier });
        }
        let place = m.banks.place(environment.block);
        let (mut to, mut told) = ([u64::from(shared); LANES], [u64::from(barrier); LANES]);
        let one = LaneMask(1);
        let there = place.everywhere().others(one, PART, &mut to)?;
        place.others(one, 8, &mut told)?;
        let rank = there.first().map_or(place.rank, |(rank, _)| *rank);
        let named = match named {
            Some(ranks) if kind.tells_a_barrier() => ranks,
            _ => 1 << rank,
        };
        if u32::from(named) >> place.blocks != 0 {
            let (address, fault) = (Address(u64::from(shared)), FaultKind::OutOfBounds);
            let (space, bytes, nearest) = (Space::Shared, PART, None);
            return Err(MemoryFault { kind: fault, space, address, bytes, lane: 0, nearest }.into());
        }
        let own = 1 << place.rank;
        let (shared, barrier) = (to[0] as u32, told[0] as u32);
        Ok(Targets { peers: named & !own, is_own: named & own != 0, shared, barrier })
    }

    /// Stores to all of them.
    pub(super) fn store<M: GlobalMemory>(
        &self,
        lanes: Lanes<'_>,
        values: &[Row; 4],
        environment: &mut Environment<'_, M>,
    ) -> Result<(), ExecFault> {
        if self.is_own {
            environment.shared.store(lanes, values)?;
        } else {
            environment.shared.check(&lanes)?;
        }
        let ranks = (0..16).filter(|rank| self.peers >> rank & 1 != 0);
        environment.record.peers.extend(ranks.map(|rank| PeerRequest::store(rank, &lanes, values)));
        Ok(())
    }
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
