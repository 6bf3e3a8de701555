//! Branches, convergence, barriers.

use crate::LANES;
use crate::fault::ExecFault;
use crate::op::BarrierKind;
use crate::op::{Code, Control};
use crate::semantics::flow::Flow;
use crate::step::Step;
use warplab_units::{LaneMask, MOST_WARP_LANES, WarpMask};

#[inline]
pub(crate) fn execute(m: &mut Flow<'_>, control: Control, code: &Code) -> Result<Step, ExecFault> {
    let mask = m.mask;
    let going = |on: bool| if on { Step::Next } else { Step::Blocked };
    match control {
        Control::Nop => {}
        Control::Branch { target } => {
            let taken = mask & m.predicate(0);
            let diverged = m.warp.paths.branch(taken, target);
            return Ok(Step::Branched { taken: !taken.is_empty(), diverged, targets: 0 });
        }
        Control::BranchMask { target, when_equal } => return Ok(branch_mask(m, target, when_equal)),
        Control::BranchIndirect { offset, relative } => return indirect(m, offset, relative, code),
        Control::Call { target } => {
            let diverged = m.warp.paths.branch(mask, target);
            return Ok(Step::Branched { taken: !mask.is_empty(), diverged, targets: 0 });
        }
        Control::CodeAddress { target } => {
            let address = u64::from(target) * 16;
            m.each_row(|row| {
                row.write(&[address as u32; LANES]);
                row.write_at(1, &[(address >> 32) as u32; LANES]);
            });
        }
        Control::Exit => return Ok(exit(m, mask)),
        Control::Open(barrier) => {
            m.warp.paths.open(barrier, mask);
            return Ok(Step::Next);
        }
        Control::Converge(barrier) => return Ok(going(m.warp.paths.converge(barrier, mask))),
        Control::Leave(barrier) => {
            let leaving = mask & m.predicate(0);
            m.warp.paths.leave(barrier, leaving);
            return Ok(Step::Next);
        }
        Control::BarrierToRegister { barrier, clear } => {
            // Only warps of one row come here: `Code::saves_barriers`.
            let lanes = m.warp.paths.participants(barrier);
            let value = std::array::from_fn(|lane| lanes[lane].row(0).to_register());
            m.row(0).write(&value);
            if clear {
                m.warp.paths.set_participants(barrier, mask, |_| WarpMask::EMPTY);
            }
        }
        Control::RegisterToBarrier(barrier) => {
            let mut space = None;
            let value = *m.row(0).source(0, &mut space);
            let lanes = |lane: usize| WarpMask::of_rows(LaneMask::from_register(value[lane % LANES]).0, 0);
            m.warp.paths.set_participants(barrier, mask, lanes);
        }
        Control::Synchronise { all, exclusive } => {
            let mask = if exclusive { one_mask(m, mask) } else { mask };
            let wanted = if all { m.live_in_rows() } else { m.lanes_named(0) };
            let (mask, wanted) = one_row(m, mask, wanted);
            return Ok(going(m.warp.paths.synchronise(wanted, mask)));
        }
        Control::Collect { resume, all } => {
            let mask = if all { mask } else { one_mask(m, mask) };
            let wanted = if all { m.live_in_rows() } else { m.lanes_named(0) };
            let (mask, wanted) = one_row(m, mask, wanted);
            return Ok(going(m.warp.paths.collect(wanted, mask, resume)));
        }
        Control::EndCollective => {
            m.warp.paths.end_collective();
            return Ok(Step::Next);
        }
        Control::Yield => {
            let in_vain = m.warp.paths.yield_turn();
            return Ok(if in_vain { Step::YieldsInVain } else { Step::Next });
        }
        Control::Sleep => {
            let nanoseconds = m.lowest_source(0);
            m.warp.paths.rest();
            return Ok(if mask.is_empty() { Step::Next } else { Step::Sleep { nanoseconds } });
        }
        Control::BlockBarrier { kind, counted } => return Ok(block_barrier(m, kind, counted)),
        // Without clusters nobody is waited for: c[0x0][0x140] says so.
        Control::ClusterBarrier { .. } if mask.is_empty() || !m.banks.has_clusters() => {}
        Control::ClusterBarrier { waits } => {
            m.warp.paths.advance();
            return Ok(Step::ClusterBarrier { waits });
        }
        Control::Fence(scope) => {
            m.warp.paths.advance();
            return Ok(if mask.is_empty() { Step::Next } else { Step::Fence { scope } });
        }
        Control::BranchTogether { target, any } => return Ok(branch_together(m, target, any)),
        Control::Trap => return Ok(if mask.is_empty() { next(m) } else { Step::Trap }),
    }
    Ok(next(m))
}

/// All lanes of the path take a branch or none, whether those that the guard lets through are, or are not, the ones that are named.
fn branch_mask(m: &mut Flow<'_>, target: u32, when_equal: bool) -> Step {
    let wanted = m.lanes_named(0) & m.warp.paths.live();
    let all = m.warp.paths.current().map_or(WarpMask::EMPTY, |path| path.mask);
    let taken = if (wanted == m.mask) == when_equal { all } else { WarpMask::EMPTY };
    let diverged = m.warp.paths.branch(taken, target);
    Step::Branched { taken: !taken.is_empty(), diverged, targets: 0 }
}

/// All lanes of the path take a branch that all of them, or any of them, want.
#[cold]
fn branch_together(m: &mut Flow<'_>, target: u32, any: bool) -> Step {
    let wanted = m.mask & m.predicate(0);
    let all = m.warp.paths.current().map_or(WarpMask::EMPTY, |path| path.mask);
    let taken = if wanted == all || any && !wanted.is_empty() { all } else { WarpMask::EMPTY };
    m.warp.paths.branch(taken, target);
    Step::Branched { taken: !taken.is_empty(), diverged: false, targets: 0 }
}

fn next(m: &mut Flow<'_>) -> Step {
    m.warp.paths.advance();
    Step::Next
}

fn exit(m: &mut Flow<'_>, mask: WarpMask) -> Step {
    let leaving = mask & m.predicate(0);
    if leaving.is_empty() {
        return next(m);
    }
    m.warp.paths.exit(leaving);
    Step::Exited { warp_done: m.warp.paths.is_done() }
}

/// Each lane goes to the address in a pair of registers, plus an offset, from the next instruction or absolute.
fn indirect(m: &mut Flow<'_>, offset: i64, relative: bool, code: &Code) -> Result<Step, ExecFault> {
    let mask = m.mask;
    let origin = m.warp.paths.current().map_or(0, |path| i64::from(path.pc) + 1) * 16;
    let base = m.wide(0);
    let mut targets = [0; MOST_WARP_LANES];
    for lane in mask.lanes() {
        let start = if relative { origin } else { 0 };
        let address = (base[lane] as i64).wrapping_add(offset).wrapping_add(start);
        if address % 16 != 0 || !(0..code.len() as i64 * 16).contains(&address) {
            return Err(ExecFault::Jump { address: address as u64, lane: lane as u8 });
        }
        targets[lane] = (address / 16) as u32;
    }
    let (diverged, targets) = m.warp.paths.branch_each(mask, &targets);
    Ok(Step::Branched { taken: !mask.is_empty(), diverged, targets })
}

fn block_barrier(m: &mut Flow<'_>, kind: BarrierKind, counted: bool) -> Step {
    let mask = m.mask;
    let Some(first) = mask.lowest() else { return next(m) };
    let id = m.source(0, first) as u8 & 15;
    let threads = counted.then(|| m.source(1, first));
    let arrivals = (mask.count() + absent(mask, m.warp.paths.live())) as u8;
    let holds = mask & m.predicate(0);
    if kind == BarrierKind::Arrive {
        m.warp.paths.advance();
    } else {
        m.warp.paths.wait_at_block_barrier(id, mask);
    }
    let value = match kind {
        BarrierKind::ReduceAnd => u8::from(holds == mask),
        BarrierKind::ReduceOr => u8::from(!holds.is_empty()),
        _ => holds.count() as u8,
    };
    Step::BlockBarrier { kind, id, threads, arrivals, value }
}

/// Lanes that do not exist or have ended count with the lowest live lane of their row: a row counts as full.
fn absent(mask: WarpMask, live: WarpMask) -> u32 {
    let of_row = |row| {
        let (mask, live) = (mask.row(row), live.row(row));
        let counts = !mask.is_empty() && mask.lowest() == live.lowest();
        if counts { LANES as u32 - live.count() } else { 0 }
    };
    of_row(0) + of_row(1)
}

/// The lanes that name the same others as the lowest lane of their row; the rest executes the instruction again, on its own.
fn one_mask(m: &mut Flow<'_>, mask: WarpMask) -> WarpMask {
    let named = m.lanes_named(0);
    let same: WarpMask =
        mask.lanes().filter(|&lane| m.source(0, lane) == named.row(lane / LANES).0).collect();
    m.warp.paths.split_off(mask.without(same));
    same
}

/// A mask in a register names lanes of a row. Where the path has lanes of both rows and others are missing, each row waits
/// on its own: the upper executes the instruction again.
fn one_row(m: &mut Flow<'_>, mask: WarpMask, wanted: WarpMask) -> (WarpMask, WarpMask) {
    let lower = WarpMask::of_rows(mask.row(0).0, 0);
    let together = wanted & m.warp.paths.live() == mask;
    if together || lower.is_empty() || lower == mask {
        return (mask, wanted);
    }
    m.warp.paths.split_off(mask.without(lower));
    (lower, WarpMask::of_rows(wanted.row(0).0, 0))
}
