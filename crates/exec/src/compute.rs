//! Instructions that only compute: lanes read and write registers and predicates, and the path goes on with the next
//! instruction. There is no way for them to fail.

use crate::constants::ConstantBanks;
use crate::op::{Code, OpKind};
use crate::semantics::common::CommonWork;
use crate::semantics::lanes::Machine;
use crate::semantics::{alu, convert, half, matrix, vector};
use crate::state::warp::ArchitecturalState;
use crate::wide::{LaneWork, Wide, run};
use warplab_units::WarpMask;

impl OpKind {
    /// Whether [`compute_row`] is all that an instruction of this kind does.
    pub(crate) fn only_computes(&self) -> bool {
        matches!(
            self,
            OpKind::Alu(_)
                | OpKind::Float(_)
                | OpKind::Double(_)
                | OpKind::Half(_)
                | OpKind::Convert(_)
                | OpKind::Matrix(_)
        )
    }
}

impl Code {
    /// Whether an instruction only computes, so that [`compute`] executes it.
    #[must_use]
    pub fn only_computes(&self, pc: u32) -> bool {
        self.ops.get(pc as usize).is_some_and(|op| op.kind.only_computes())
    }
}

/// Executes the instruction at `pc` for the lanes of a warp's current path, `active`, if it only computes: what
/// [`crate::step`] does, without what other instructions need.
pub fn compute(code: &Code, warp: &mut ArchitecturalState, banks: &ConstantBanks, pc: u32, active: WarpMask) {
    let Some(op) = code.ops.get(pc as usize) else { return };
    let mask = active & warp.holds(op.guard);
    of_row(code.wide, Machine { warp: &mut warp.lower, banks, op, mask: mask.row(0).0 });
    if let Some(upper) = &mut warp.upper {
        of_row(code.wide, Machine { warp: upper, banks, op, mask: mask.row(1).0 });
    }
    warp.paths.advance();
}

/// What an instruction that only computes does to a row of lanes.
pub(crate) fn compute_row(wide: Wide, machine: Machine<'_>) {
    of_row(wide, machine);
}

#[inline(always)]
fn of_row(wide: Wide, machine: Machine<'_>) {
    match (machine.op.common, machine.op.kind) {
        (Some(common), _) => run(wide, CommonWork(common, machine)),
        (None, OpKind::Matrix(matrix)) => matrix::multiply(wide, machine, matrix),
        (None, _) => run(wide, machine),
    }
}

impl LaneWork for Machine<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        match self.op.kind {
            OpKind::Alu(operation) => alu::execute(&mut self, operation),
            OpKind::Float(operation) => vector::execute_float(&mut self, operation),
            OpKind::Double(operation) => vector::execute_double(&mut self, operation),
            OpKind::Half(operation) => half::execute(&mut self, operation),
            OpKind::Convert(operation) => convert::execute(&mut self, operation),
            OpKind::Matrix(_)
            | OpKind::Special(_)
            | OpKind::Memory(_)
            | OpKind::Mbarrier(_)
            | OpKind::Bulk(_)
            | OpKind::Box(_)
            | OpKind::Warpgroup(_)
            | OpKind::Warp(_)
            | OpKind::Control(_)
            | OpKind::Call(_) => {}
        }
    }
}
