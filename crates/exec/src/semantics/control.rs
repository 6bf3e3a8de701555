//! Branches, convergence, barriers.

use crate::LANES;
use crate::fault::ExecFault;
use crate::op::BarrierKind;
use crate::op::{Code, Control};
use crate::semantics::lanes::Machine;
use crate::step::Step;
use warplab_units::{LaneBits, LaneMask};

#[inline(always)]
pub(crate) fn execute(m: &mut Machine<'_>, control: Control, code: &Code) -> Result<Step, ExecFault> {
    let mask = LaneMask(m.mask);
    let going = |on: bool| if on { Step::Next } else { Step::Blocked };
    match control {
        Control::Nop => {}
        Control::Branch { target } => {
            let taken = mask & LaneMask(m.predicate(0));
            let diverged = m.warp.paths.branch(taken, target);
            return Ok(Step::Branched { taken: !taken.is_empty(), diverged });
        }
        Control::BranchMask { target, when_equal } => {
            let mut space = [0; LANES];
            let given = LaneMask::from_register(m.source(0, &mut space)[mask.lowest().unwrap_or(0)]);
            let wanted = given & m.warp.paths.live();
            let taken = if (wanted == mask) == when_equal { mask } else { LaneMask::EMPTY };
            let diverged = m.warp.paths.branch(taken, target);
            return Ok(Step::Branched { taken: !taken.is_empty(), diverged });
        }
        Control::BranchIndirect { offset, relative } => return indirect(m, offset, relative, code),
        Control::Call { target } => {
            let diverged = m.warp.paths.branch(mask, target);
            return Ok(Step::Branched { taken: !mask.is_empty(), diverged });
        }
        Control::CodeAddress { target } => {
            let address = u64::from(target) * 16;
            m.write(&[address as u32; LANES]);
            m.write_at(1, &[(address >> 32) as u32; LANES]);
        }
        Control::Exit => return Ok(exit(m, mask)),
        Control::Open(barrier) => {
            m.warp.paths.open(barrier, mask);
            return Ok(Step::Next);
        }
        Control::Converge(barrier) => return Ok(going(m.warp.paths.converge(barrier, mask))),
        Control::Leave(barrier) => {
            let leaving = mask & LaneMask(m.predicate(0));
            m.warp.paths.leave(barrier, leaving);
            return Ok(Step::Next);
        }
        Control::BarrierToRegister { barrier, clear } => {
            let value = m.warp.paths.participants(barrier).map(LaneMask::to_register);
            m.write(&value);
            if clear {
                m.warp.paths.set_participants(barrier, mask, |_| LaneMask::EMPTY);
            }
        }
        Control::RegisterToBarrier(barrier) => {
            let mut space = [0; LANES];
            let value = *m.source(0, &mut space);
            m.warp.paths.set_participants(barrier, mask, |lane| LaneMask::from_register(value[lane]));
        }
        Control::Synchronise { all } => {
            let mut space = [0; LANES];
            let given = m.source(0, &mut space)[mask.lowest().unwrap_or(0)];
            let wanted = if all { m.warp.paths.live() } else { LaneMask::from_register(given) };
            return Ok(going(m.warp.paths.synchronise(wanted, mask)));
        }
        Control::Collect { resume, all } => {
            let mut space = [0; LANES];
            let given = m.source(0, &mut space)[mask.lowest().unwrap_or(0)];
            let wanted = if all { m.warp.paths.live() } else { LaneMask::from_register(given) };
            return Ok(going(m.warp.paths.collect(wanted, mask, resume)));
        }
        Control::EndCollective => {
            m.warp.paths.end_collective();
            return Ok(Step::Next);
        }
        Control::Yield => {
            m.warp.paths.yield_turn();
            return Ok(Step::Next);
        }
        Control::Sleep => {
            let mut space = [0; LANES];
            let nanoseconds = m.source(0, &mut space)[mask.lowest().unwrap_or(0)];
            m.warp.paths.yield_turn();
            return Ok(if mask.is_empty() { Step::Next } else { Step::Sleep { nanoseconds } });
        }
        Control::BlockBarrier { kind, counted } => return Ok(block_barrier(m, kind, counted)),
        Control::Fence(scope) => {
            m.warp.paths.advance();
            return Ok(if mask.is_empty() { Step::Next } else { Step::Fence { scope } });
        }
        Control::Trap => return Ok(if mask.is_empty() { next(m) } else { Step::Trap }),
    }
    Ok(next(m))
}

fn next(m: &mut Machine<'_>) -> Step {
    m.warp.paths.advance();
    Step::Next
}

fn exit(m: &mut Machine<'_>, mask: LaneMask) -> Step {
    let leaving = mask & LaneMask(m.predicate(0));
    if leaving.is_empty() {
        return next(m);
    }
    m.warp.paths.exit(leaving);
    Step::Exited { warp_done: m.warp.paths.is_done() }
}

/// Each lane goes to the address in a pair of registers, plus an offset, from the next instruction or absolute.
fn indirect(m: &mut Machine<'_>, offset: i64, relative: bool, code: &Code) -> Result<Step, ExecFault> {
    let mask = LaneMask(m.mask);
    let origin = m.warp.paths.current().map_or(0, |path| i64::from(path.pc) + 1) * 16;
    let base = m.wide(0);
    let mut targets = [0; LANES];
    for lane in mask.lanes() {
        let start = if relative { origin } else { 0 };
        let address = (base[lane] as i64).wrapping_add(offset).wrapping_add(start);
        if address % 16 != 0 || !(0..code.len() as i64 * 16).contains(&address) {
            return Err(ExecFault::Jump { address: address as u64, lane: lane as u8 });
        }
        targets[lane] = (address / 16) as u32;
    }
    let diverged = m.warp.paths.branch_each(mask, &targets);
    Ok(Step::Branched { taken: !mask.is_empty(), diverged })
}

fn block_barrier(m: &mut Machine<'_>, kind: BarrierKind, counted: bool) -> Step {
    let mask = LaneMask(m.mask);
    let Some(first) = mask.lowest() else { return next(m) };
    let (mut ta, mut tb) = ([0; LANES], [0; LANES]);
    let id = m.source(0, &mut ta)[first] as u8 & 15;
    let threads = counted.then(|| m.source(1, &mut tb)[first]);
    let live = m.warp.paths.live();
    // Lanes that do not exist or have ended count with the lowest live lane: a warp counts as full.
    let absent = if live.lowest() == Some(first) { LaneBits::BITS - live.count() } else { 0 };
    let holds = mask & LaneMask(m.predicate(0));
    if kind == BarrierKind::Arrive {
        m.warp.paths.advance();
    } else {
        m.warp.paths.wait_at_block_barrier(id, mask);
    }
    Step::BlockBarrier { kind, id, threads, arrivals: mask.count() + absent, holds }
}
