//! The architectural state of a warp: what its program sees.

use crate::LANES;
use crate::Row;
use crate::constants::LaunchShape;
use crate::op::{Code, EXTRA_ROWS, PREDICATES, PredicateSource, TRASH_UNIFORM};
use crate::state::paths::{DivergenceModel, Paths};
use crate::state::registers::Registers;
use serde::{Deserialize, Serialize};
use warplab_units::{LaneBits, LaneMask, WarpMask, lane_bit, stored};

/// What the lanes of a row hold: registers, predicates, local memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RowState {
    /// A row a register; then zeros (`RZ`), then rows that take what is written to `RZ`.
    pub(crate) rows: Registers,
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
    /// The number of the row in its warp, and how many rows the warp has.
    pub(crate) number: u8,
    pub(crate) of: u8,
}

impl RowState {
    /// Row `number` of a warp, all registers zero; `first` is the thread of its first lane.
    fn new(code: &Code, shape: &LaunchShape, number: u8, first: u32) -> RowState {
        RowState {
            number,
            of: code.warp_rows,
            rows: Registers::new(code.rows()),
            predicates: no_predicates(),
            uniforms: [0; TRASH_UNIFORM + 8],
            thread: thread_indices(shape, first).to_vec(),
            local: vec![[0; LANES]; code.local_bytes().div_ceil(4) as usize],
            barrier_result: 0,
        }
    }

    /// All registers zero.
    fn clear(&mut self) {
        // The rows after them are never written, or never read.
        let registers = self.rows.len() - EXTRA_ROWS;
        self.rows.clear(registers);
        self.local.fill([0; LANES]);
        self.predicates = no_predicates();
        self.uniforms.fill(0);
        self.barrier_result = 0;
    }

    /// A register of every lane. `RZ` (255) and registers beyond the kernel's read as zero.
    pub(crate) fn register(&self, register: u32) -> Row {
        let own = self.rows.len() - EXTRA_ROWS;
        if (register as usize) < own { self.rows[register as usize] } else { [0; LANES] }
    }

    /// Sets registers from `register` on, a row each; writes to `RZ` are lost.
    pub(crate) fn write_rows(&mut self, register: u32, values: &[Row], mask: LaneMask) {
        let own = self.rows.len() - EXTRA_ROWS;
        for (offset, value) in values.iter().enumerate() {
            let index = register as usize + offset;
            if register != 255 && index < own {
                blend(&mut self.rows[index], value, mask.0);
            }
        }
    }
}

/// No predicate holds but `PT` and `UPT`.
fn no_predicates() -> [LaneBits; PREDICATES] {
    std::array::from_fn(|number| if matches!(number, 7 | 15) { LaneBits::MAX } else { 0 })
}

/// The architectural state of one warp: what its rows hold, and which lanes are where.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArchitecturalState {
    /// Lanes 0 to 31.
    pub(crate) lower: RowState,
    /// Lanes 32 to 63, on machines that have them.
    pub(crate) upper: Option<Box<RowState>>,
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
        let lanes = code.warp_lanes();
        let first = index * lanes;
        let upper = || Box::new(RowState::new(code, shape, 1, first + LANES as u32));
        // What is new is zero: it need not be cleared.
        ArchitecturalState {
            lower: RowState::new(code, shape, 0, first),
            upper: (code.warp_rows > 1).then(upper),
            index,
            paths: Paths::new(lanes_of(shape, first, lanes), lanes as usize, code.barriers(), divergence),
        }
    }

    /// Makes this the fresh warp `index` of another block of the same kernel, without allocating its rows anew.
    pub fn restart(&mut self, shape: &LaunchShape, index: u32) {
        let lanes = (self.rows() * LANES) as u32;
        let first = index * lanes;
        self.lower.clear();
        if let Some(upper) = &mut self.upper {
            upper.clear();
        }
        if self.index != index {
            self.index = index;
            self.lower.thread.copy_from_slice(&thread_indices(shape, first));
            if let Some(upper) = &mut self.upper {
                upper.thread.copy_from_slice(&thread_indices(shape, first + LANES as u32));
            }
        }
        self.paths.restart(lanes_of(shape, first, lanes));
    }

    /// The lanes of row `row`: 0 is the lower. There is a second one only on machines of 64 lanes.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &RowState {
        match &self.upper {
            Some(upper) if row > 0 => upper,
            _ => &self.lower,
        }
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut RowState {
        match &mut self.upper {
            Some(upper) if row > 0 => upper,
            _ => &mut self.lower,
        }
    }

    /// The rows that the warp has.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        1 + usize::from(self.upper.is_some())
    }

    /// The lanes where a predicate holds.
    #[inline(always)]
    pub(crate) fn holds(&self, source: PredicateSource) -> WarpMask {
        let of = |row: &RowState| row.predicates[usize::from(source.index)] ^ source.xor;
        WarpMask::of_rows(of(&self.lower), self.upper.as_ref().map_or(0, |upper| of(upper)))
    }

    /// A register of the lanes of a row. `RZ` (255) and registers beyond the kernel's read as zero.
    #[must_use]
    pub fn register_of(&self, row: usize, register: u32) -> Row {
        self.row(row).register(register)
    }

    /// A register of the lanes of the lower row.
    #[must_use]
    pub fn register(&self, register: u32) -> Row {
        self.lower.register(register)
    }

    /// Sets a register of some lanes of the lower row; writes to `RZ` are lost.
    pub fn set_register(&mut self, register: u32, value: &Row, mask: LaneMask) {
        self.lower.write_rows(register, std::slice::from_ref(value), mask);
    }

    /// Sets registers of some lanes of a row from `register` on: the late answer of a load or atomic.
    pub fn write_rows(&mut self, row: u8, register: u32, values: &[Row], mask: LaneMask) {
        self.row_mut(usize::from(row)).write_rows(register, values, mask);
    }

    /// Predicate `number` of every lane of the lower row; 7 and beyond are true.
    #[must_use]
    pub fn predicate(&self, number: u32) -> LaneMask {
        self.predicate_of(0, number)
    }

    /// Predicate `number` of the lanes of a row; 7 and beyond are true.
    #[must_use]
    pub fn predicate_of(&self, row: usize, number: u32) -> LaneMask {
        LaneMask(if number < 7 { self.row(row).predicates[number as usize] } else { LaneBits::MAX })
    }

    /// A scalar register of the lower row; 63 (`URZ`) and beyond are zero.
    #[must_use]
    pub fn uniform(&self, number: u32) -> u32 {
        self.uniform_of(0, number)
    }

    /// A scalar register of a row; 63 (`URZ`) and beyond are zero.
    #[must_use]
    pub fn uniform_of(&self, row: usize, number: u32) -> u32 {
        if number < 63 { self.row(row).uniforms[number as usize] } else { 0 }
    }

    /// Sets a predicate of some lanes of the lower row: the late answer of a wait.
    pub fn set_predicate(&mut self, number: u8, lanes: LaneMask) {
        if let Some(predicate) = self.lower.predicates.get_mut(usize::from(number)) {
            *predicate |= lanes.0;
        }
    }

    /// The thread index of a lane of the warp in x, y and z.
    #[must_use]
    pub fn thread(&self, lane: usize) -> [u32; 3] {
        let thread = &self.row(lane / LANES).thread;
        [0, 1, 2].map(|axis: usize| thread[axis][lane % LANES])
    }

    /// The local memory of the lower row's threads as words, a row a word.
    #[must_use]
    pub fn local(&self) -> &[Row] {
        &self.lower.local
    }

    /// A block barrier is complete: paths that wait there go on. `result` is the reduction, for all threads.
    pub fn release_block_barrier(&mut self, id: u8, result: Option<u32>) {
        if let Some(result) = result {
            self.lower.barrier_result = result;
            if let Some(upper) = &mut self.upper {
                upper.barrier_result = result;
            }
        }
        self.paths.release_block_barrier(id);
    }
}

/// The lanes of a warp of so many that have a thread; `first` is the number of its first thread in the block.
fn lanes_of(shape: &LaunchShape, first: u32, lanes: u32) -> WarpMask {
    WarpMask::first(shape.threads().saturating_sub(first).min(lanes))
}

/// The thread index of each lane of a row, in x, y and z; `first` is the number of its first thread in the block.
fn thread_indices(shape: &LaunchShape, first: u32) -> [Row; 3] {
    let [x, y, _] = shape.block;
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
