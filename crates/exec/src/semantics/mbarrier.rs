//! Barriers in shared memory. Lanes that name one barrier arrive together: each gets what it was before all of them.

use super::memory::addresses;
use crate::LANES;
use crate::fault::ExecFault;
use crate::memory::{GlobalMemory, Lanes, RowAccess};
use crate::op::{AccessKind, Amount, Destination, MbarrierKind, MbarrierOp, Space};
use crate::peers::PeerRequest;
use crate::semantics::lanes::Machine;
use crate::state::mbarrier::Arrival;
use crate::state::shared::SharedMemory;
use crate::step::{Environment, MbarrierStep, Step};
use warplab_units::{LaneMask, PerLane};

/// Executes. `alone`: the lanes are all that live of their warp, which has one row, so that the warp can wait.
#[cold]
pub(crate) fn execute<M: GlobalMemory>(
    m: &mut Machine<'_>,
    op: &MbarrierOp,
    environment: &mut Environment<'_, M>,
    alone: bool,
) -> Result<Step, ExecFault> {
    let mask = LaneMask(m.mask);
    if mask.is_empty() {
        return Ok(Step::Next);
    }
    let mut addresses = addresses(m, op.address);
    let (mut mask, at_peers) = (mask, addresses);
    let mut others = Vec::new();
    if m.banks.has_clusters() {
        let place = m.banks.place(environment.block);
        if let MbarrierKind::Arrive { .. } = op.kind {
            others = place.others(mask, 8, &mut addresses)?;
            others.iter().for_each(|(_, lanes)| mask.0 &= !lanes.0);
        } else {
            addresses.iter_mut().for_each(|address| *address = place.inside(*address));
        }
    }
    let lanes = Lanes::new(&addresses, LaneMask(m.mask), 8);
    environment.shared.check(&lanes)?;
    let one = mask.lowest().filter(|&lane| mask.lanes().all(|other| addresses[other] == addresses[lane]));
    let one = one.map(|lane| addresses[lane] as u32);
    let mut step = MbarrierStep::Done;
    match op.kind {
        MbarrierKind::Exchange => {
            let (low, high) = m.pair(0);
            for lane in mask.lanes() {
                let word = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                environment.shared.set_mbarrier(addresses[lane] as u32, word);
            }
        }
        MbarrierKind::Arrive { .. } => {
            arrive(m, op.kind, (mask, &addresses), environment.shared)?;
            for &(rank, lanes) in &others {
                for (first, _, arrival) in arrivals(m, op.kind, lanes, &at_peers) {
                    environment.record.peers.push(PeerRequest::arrival(rank, addresses[first], arrival));
                }
            }
            step = MbarrierStep::Arrived;
        }
        MbarrierKind::Test { waits } => {
            let holds = test(m, &addresses, environment.shared);
            m.write_predicate(0, holds);
            if let (true, Some(address), 0) = (waits, one, holds & m.mask) {
                let mut space = None;
                let parity = m.source(0, &mut space)[mask.lowest().unwrap_or(0)] >> 31 != 0;
                step = match alone {
                    true => MbarrierStep::Waits { address, parity, predicate: m.op.out[0] },
                    false => MbarrierStep::Fails { address, parity },
                };
            }
        }
        MbarrierKind::Invalidate => {}
        MbarrierKind::CopiesArrive { bytes } => match one {
            Some(address) if m.warp.of == 1 => step = MbarrierStep::AfterCopies { address, bytes },
            // What they have copied is there: it is only time that is not told apart.
            _ => {
                for lane in mask.lanes() {
                    copies_arrive(environment.shared, addresses[lane] as u32, 1, bytes)
                        .map_err(|fault| at_lane(fault, lane))?;
                }
                step = MbarrierStep::Arrived;
            }
        },
    }
    let record = &mut *environment.record;
    record.space = Space::Shared;
    record.kind = AccessKind::Mbarrier;
    record.bytes = 8;
    record.rows[usize::from(m.warp.number)] = RowAccess::new(addresses, mask, 8);
    record.policy = Default::default();
    record.atomic = None;
    record.destination = None;
    Ok(Step::Mbarrier(step))
}

/// So many lanes arrive at a barrier, or a byte of each has come, as their copies have ended.
///
/// # Errors
/// When the barrier cannot do it.
pub fn copies_arrive(
    shared: &mut SharedMemory,
    address: u32,
    lanes: u32,
    bytes: bool,
) -> Result<(), ExecFault> {
    let arrival = match bytes {
        true => Arrival { bytes: -i64::from(lanes), ..Arrival::default() },
        false => Arrival { arrivals: lanes, ..Arrival::default() },
    };
    shared.arrive(address, arrival)
}

/// The lanes whose phase is over.
fn test(m: &Machine<'_>, addresses: &PerLane<u64>, shared: &SharedMemory) -> u32 {
    let mut space = None;
    let wanted = m.source(0, &mut space);
    let over = |lane: usize| shared.mbarrier(addresses[lane] as u32).parity() != (wanted[lane] >> 31 != 0);
    LaneMask(m.mask).lanes().filter(|&lane| over(lane)).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// The arrivals of lanes at the barriers that they name: the lowest lane of each, its lanes, and what they do together.
fn arrivals(
    m: &Machine<'_>,
    kind: MbarrierKind,
    lanes: LaneMask,
    addresses: &PerLane<u64>,
) -> Vec<(usize, LaneMask, Arrival)> {
    let MbarrierKind::Arrive { arrivals, bytes, come, drops, .. } = kind else { return Vec::new() };
    let mut space = None;
    let counts = *m.source(0, &mut space);
    let (mut rest, mut all) = (lanes, Vec::new());
    while let Some(first) = rest.lowest() {
        let same = rest.lanes().filter(|&lane| addresses[lane] == addresses[first]);
        let together = LaneMask(same.fold(0, |lanes, lane| lanes | 1 << lane));
        rest = LaneMask(rest.0 & !together.0);
        let sum = |amount: Amount| match amount {
            Amount::Number(each) => u64::from(each) * u64::from(together.count()),
            Amount::Source => together.lanes().map(|lane| u64::from(counts[lane])).sum(),
        };
        let bytes = sum(bytes) as i64;
        let arrivals = u32::try_from(sum(arrivals)).unwrap_or(u32::MAX);
        all.push((first, together, Arrival { arrivals, drops, bytes: if come { -bytes } else { bytes } }));
    }
    all
}

/// One barrier of this block after the other.
fn arrive(
    m: &mut Machine<'_>,
    kind: MbarrierKind,
    (mask, addresses): (LaneMask, &PerLane<u64>),
    shared: &mut SharedMemory,
) -> Result<(), ExecFault> {
    let MbarrierKind::Arrive { lanes: wants_lanes, .. } = kind else { return Ok(()) };
    let (mut low, mut high) = ([0; LANES], [0; LANES]);
    for (first, together, arrival) in arrivals(m, kind, mask, addresses) {
        let address = addresses[first] as u32;
        let old = shared.mbarrier(address).word();
        shared.arrive(address, arrival).map_err(|fault| at_lane(fault, first))?;
        for lane in together.lanes() {
            low[lane] = if wants_lanes { together.to_register() } else { 0 };
            high[lane] = (old >> 32) as u32;
        }
    }
    if matches!(m.op.destination, Destination::Row(_)) {
        m.write(&low);
        m.write_at(1, &high);
    }
    Ok(())
}

fn at_lane(fault: ExecFault, lane: usize) -> ExecFault {
    match fault {
        ExecFault::Mbarrier { fault, address, .. } => {
            ExecFault::Mbarrier { fault, address, lane: lane as u8 }
        }
        other => other,
    }
}
