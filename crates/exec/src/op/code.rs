//! A kernel in its compact form: decoded once, executed many times.

use super::{AccessKind, Control, EXTRA_ROWS, Op, OpKind, Scope, SourceKind};
use crate::state::warp::ArchitecturalState;
use crate::wide::Wide;
use warplab_units::{ROW_LANES, WarpMask, fetch_all_ahead};

/// A kernel in the form that [`crate::step`] executes.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) ops: Vec<Op>,
    /// Registers that instructions name.
    pub(crate) registers: u32,
    /// Registers that a thread has at launch.
    pub(crate) allotted: u32,
    pub(crate) barriers: usize,
    pub(crate) local_bytes: u32,
    /// The code addresses that a call through registers may have, with the instruction of each, in ascending order.
    pub(crate) functions: Vec<(u64, u32)>,
    /// Rows of 32 lanes of a warp: one or two.
    pub(crate) warp_rows: u8,
    /// Whether the host has the vectors that `step` is also compiled for.
    pub(crate) wide: Wide,
}

impl Code {
    /// The same for warps of one row of 32 lanes, or of two.
    #[must_use]
    pub fn with_warp_rows(self, rows: u8) -> Code {
        Code { warp_rows: rows.clamp(1, 2), ..self }
    }

    /// Asks the host for the registers that the instruction at `pc` reads: the warp executes it soon.
    #[inline(always)]
    pub fn fetch_operands(&self, warp: &ArchitecturalState, pc: u32) {
        let Some(op) = self.ops.get(pc as usize) else { return };
        let fetch = |row: u16| {
            if let Some(row) = warp.lower.rows.get(usize::from(row)) {
                fetch_all_ahead(row);
            }
        };
        for source in &op.sources {
            if let SourceKind::Row(row) = source.from {
                fetch(row);
            }
        }
        if let OpKind::Memory(memory) = &op.kind {
            fetch(memory.address.base);
        }
    }

    /// The lanes of a warp's current path that would execute its instruction: those for which its guard holds.
    #[must_use]
    pub fn executing(&self, warp: &ArchitecturalState) -> WarpMask {
        let Some(path) = warp.paths.current() else { return WarpMask::EMPTY };
        let guard = self.ops.get(path.pc as usize).map(|op| op.guard);
        guard.map_or(WarpMask::EMPTY, |guard| path.mask & warp.holds(guard))
    }

    /// Lanes of a warp.
    #[must_use]
    pub fn warp_lanes(&self) -> u32 {
        u32::from(self.warp_rows) * ROW_LANES as u32
    }

    /// How many instructions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is no instruction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Local memory of a thread, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Convergence barriers that the instructions name.
    #[must_use]
    pub fn barriers(&self) -> usize {
        self.barriers
    }

    /// Whether a convergence barrier is kept in a register, which has no place for the lanes of a second row.
    #[must_use]
    pub fn saves_barriers(&self) -> bool {
        let saves = |op: &Op| {
            let OpKind::Control(control) = op.kind else { return false };
            matches!(control, Control::BarrierToRegister { .. } | Control::RegisterToBarrier(_))
        };
        self.ops.iter().any(saves)
    }

    /// Whether a load is to see what other SMs have stored: volatile, relaxed and acquiring loads of the GPU or the system.
    #[must_use]
    pub fn has_strong_loads(&self) -> bool {
        self.ops.iter().any(|op| {
            let OpKind::Memory(memory) = &op.kind else { return false };
            memory.kind == AccessKind::Load
                && memory.policy.strong.is_some_and(|scope| scope > Scope::Multiprocessor)
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.registers as usize + EXTRA_ROWS
    }
}
