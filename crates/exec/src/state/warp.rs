//! The architectural state of a warp: what its program sees.

use crate::LANES;
use crate::Row;
use crate::constants::LaunchShape;
use crate::op::{Code, EXTRA_ROWS, PREDICATES, TRASH_UNIFORM};
use crate::state::paths::{DivergenceModel, Paths};
use serde::{Deserialize, Serialize};
use warplab_units::{LaneBits, LaneMask, lane_bit, stored};

/// Registers, predicates, local memory and divergence of one warp.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArchitecturalState {
    /// A row a register; then zeros (`RZ`), then rows that take what is written to `RZ`.
    #[serde(with = "stored::arrays")]
    pub(crate) rows: Vec<Row>,
    /// `P0`-`P6`, `PT`, `UP0`-`UP6`, `UPT` as masks, and one that takes what is written to `PT`.
    #[serde(with = "stored::array")]
    pub(crate) predicates: [LaneBits; PREDICATES],
    /// Scalar registers, zeros from `URZ` on, then what is written to `URZ`.
    #[serde(with = "stored::array")]
    pub(crate) uniforms: [u32; TRASH_UNIFORM + 8],
    /// The thread index in x, y and z.
    #[serde(with = "stored::arrays")]
    pub(crate) thread: Vec<Row>,
    #[serde(with = "stored::arrays")]
    pub(crate) local: Vec<Row>,
    /// The result of the last barrier reduction.
    pub(crate) barrier_result: u32,
    /// The warp's number in its block.
    pub index: u32,
    /// Which lanes are where.
    pub paths: Paths,
}

impl ArchitecturalState {
    /// Warp `index` of a block at the first instruction, all registers zero.
    #[must_use]
    pub fn new(
        code: &Code,
        shape: &LaunchShape,
        index: u32,
        divergence: DivergenceModel,
    ) -> ArchitecturalState {
        let mut warp = ArchitecturalState {
            rows: vec![[0; LANES]; code.rows()],
            predicates: [0; PREDICATES],
            uniforms: [0; TRASH_UNIFORM + 8],
            thread: thread_indices(shape, index).to_vec(),
            local: vec![[0; LANES]; code.local_bytes().div_ceil(4) as usize],
            barrier_result: 0,
            index,
            paths: Paths::new(LaneMask::EMPTY, code.barriers(), divergence),
        };
        warp.restart(shape, index);
        warp
    }

    /// Makes this the fresh warp `index` of another block of the same kernel, without allocating its rows anew.
    pub fn restart(&mut self, shape: &LaunchShape, index: u32) {
        // The rows after them are never written, or never read.
        let registers = self.rows.len() - EXTRA_ROWS;
        self.rows[..registers].fill([0; LANES]);
        self.local.fill([0; LANES]);
        self.predicates = [0; PREDICATES];
        self.predicates[7] = LaneBits::MAX;
        self.predicates[15] = LaneBits::MAX;
        self.uniforms.fill(0);
        if self.index != index {
            self.index = index;
            self.thread.copy_from_slice(&thread_indices(shape, index));
        }
        self.barrier_result = 0;
        self.paths.restart(LaneMask::first(shape.threads().saturating_sub(index * LANES as u32)));
    }

    /// A register of every lane. `RZ` (255) and registers beyond the kernel's read as zero.
    #[must_use]
    pub fn register(&self, register: u32) -> Row {
        let own = self.rows.len() - EXTRA_ROWS;
        if (register as usize) < own { self.rows[register as usize] } else { [0; LANES] }
    }

    /// Sets a register of the lanes of a mask; writes to `RZ` are lost.
    pub fn set_register(&mut self, register: u32, value: &Row, mask: LaneMask) {
        self.write_rows(register, std::slice::from_ref(value), mask);
    }

    /// Sets registers from `register` on, a row each: the late answer of a load or atomic.
    pub fn write_rows(&mut self, register: u32, values: &[Row], mask: LaneMask) {
        let own = self.rows.len() - EXTRA_ROWS;
        for (offset, value) in values.iter().enumerate() {
            let index = register as usize + offset;
            if register != 255 && index < own {
                blend(&mut self.rows[index], value, mask.0);
            }
        }
    }

    /// Sets a predicate of some lanes: the late answer of a compare-and-swap.
    pub fn write_predicate(&mut self, number: u8, values: LaneMask, mask: LaneMask) {
        if number < 7 {
            let slot = &mut self.predicates[usize::from(number)];
            *slot = *slot & !mask.0 | values.0 & mask.0;
        }
    }

    /// Predicate `number` of every lane; 7 and beyond are true.
    #[must_use]
    pub fn predicate(&self, number: u32) -> LaneMask {
        LaneMask(if number < 7 { self.predicates[number as usize] } else { LaneBits::MAX })
    }

    /// A scalar register; 63 (`URZ`) and beyond are zero.
    #[must_use]
    pub fn uniform(&self, number: u32) -> u32 {
        if number < 63 { self.uniforms[number as usize] } else { 0 }
    }

    /// The thread index of each lane in x, y and z.
    #[must_use]
    pub fn threads(&self) -> &[Row] {
        &self.thread
    }

    /// The thread's local memory as words, a row a word.
    #[must_use]
    pub fn local(&self) -> &[Row] {
        &self.local
    }

    /// A block barrier is complete: paths that wait there go on. `result` is the reduction, for all threads.
    pub fn release_block_barrier(&mut self, id: u8, result: Option<u32>) {
        if let Some(result) = result {
            self.barrier_result = result;
        }
        self.paths.release_block_barrier(id);
    }
}

/// The thread index of each lane of a warp, in x, y and z.
fn thread_indices(shape: &LaunchShape, index: u32) -> [Row; 3] {
    let [x, y, _] = shape.block;
    let first = index * LANES as u32;
    let thread = |lane: usize| first + lane as u32;
    if x >= shape.threads() {
        return [std::array::from_fn(thread), [0; LANES], [0; LANES]];
    }
    [
        std::array::from_fn(|lane| thread(lane) % x),
        std::array::from_fn(|lane| thread(lane) / x % y),
        std::array::from_fn(|lane| thread(lane) / (x * y)),
    ]
}

/// The lanes of `mask` take the new value.
#[inline(always)]
pub(crate) fn blend(row: &mut Row, value: &Row, mask: LaneBits) {
    if mask == LaneBits::MAX {
        *row = *value;
        return;
    }
    for lane in 0..LANES {
        let keep = 0u32.wrapping_sub(lane_bit(mask, lane));
        row[lane] = value[lane] & keep | row[lane] & !keep;
    }
}
