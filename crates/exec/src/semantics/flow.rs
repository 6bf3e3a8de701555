//! Instructions of the whole warp: what they read of its rows.

use crate::LANES;
use crate::constants::ConstantBanks;
use crate::op::Op;
use crate::semantics::lanes::Machine;
use crate::state::warp::ArchitecturalState;
use warplab_units::{MOST_WARP_LANES, WarpMask};

/// One instruction about to execute for the whole warp.
pub(crate) struct Flow<'a> {
    pub(crate) warp: &'a mut ArchitecturalState,
    pub(crate) banks: &'a ConstantBanks,
    pub(crate) op: &'a Op,
    /// The lanes that execute.
    pub(crate) mask: WarpMask,
}

impl Flow<'_> {
    /// The instruction as a row of the warp executes it.
    #[inline]
    pub(crate) fn row(&mut self, row: usize) -> Machine<'_> {
        let (banks, op, mask) = (self.banks, self.op, self.mask.row(row).0);
        Machine { warp: self.warp.row_mut(row), banks, op, mask }
    }

    /// Predicate source `index` of every lane.
    #[inline]
    pub(crate) fn predicate(&self, index: usize) -> WarpMask {
        self.warp.holds(self.op.predicates[index])
    }

    /// Source `index` of a lane of the warp.
    pub(crate) fn source(&mut self, index: usize, lane: usize) -> u32 {
        let mut space = None;
        self.row(lane / LANES).source(index, &mut space)[lane % LANES]
    }

    /// Source `index` of the lowest lane that executes.
    pub(crate) fn lowest_source(&mut self, index: usize) -> u32 {
        self.source(index, self.mask.lowest().unwrap_or(0))
    }

    /// The lanes of source `index`, a mask as a register holds it: each row that executes has its own, for its lanes.
    pub(crate) fn lanes_named(&mut self, index: usize) -> WarpMask {
        let rows = [0, 1].map(|row| {
            let lowest = self.mask.row(row).lowest();
            lowest.map_or(0, |lane| self.source(index, row * LANES + lane))
        });
        WarpMask::of_rows(rows[0], rows[1])
    }

    /// The lanes that live in the rows that execute.
    pub(crate) fn live_in_rows(&self) -> WarpMask {
        let all = [0, 1].map(|row| if self.mask.row(row).is_empty() { 0 } else { !0 });
        self.warp.paths.live() & WarpMask::of_rows(all[0], all[1])
    }

    /// A 64-bit integer source of every lane of the warp.
    pub(crate) fn wide(&mut self, index: usize) -> [u64; MOST_WARP_LANES] {
        let mut all = [0; MOST_WARP_LANES];
        for row in 0..self.warp.rows() {
            all[row * LANES..][..LANES].copy_from_slice(&self.row(row).wide(index));
        }
        all
    }

    /// Calls `f` for each row of the warp.
    pub(crate) fn each_row(&mut self, mut f: impl FnMut(&mut Machine<'_>)) {
        (0..self.warp.rows()).for_each(|row| f(&mut self.row(row)));
    }
}
