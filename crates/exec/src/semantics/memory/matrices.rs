//! Matrices of 8 by 8 halves between shared memory and the lanes of a row: each group of eight lanes gives the addresses
//! of the rows of one, and lane l holds elements 2l and 2l + 1 of each.

use super::{data, write_words};
use crate::fault::ExecFault;
use crate::memory::Lanes;
use crate::op::{Memory, MemoryForm};
use crate::semantics::lanes::Machine;
use crate::step::Environment;
use crate::{LANES, Row};
use warplab_units::LaneMask;

/// The lanes whose addresses are those of rows of so many matrices.
pub(super) fn givers(count: u8) -> LaneMask {
    LaneMask::first(u32::from(count) * 8)
}

/// Loads the matrices.
pub(super) fn load<M>(
    m: &mut Machine<'_>,
    memory: &Memory,
    lanes: Lanes<'_>,
    environment: &mut Environment<'_, M>,
) -> Result<(), ExecFault> {
    let MemoryForm::Matrix { count, transposed } = memory.form else { return Ok(()) };
    let mut rows = [[0; LANES]; 4];
    let from = Lanes::new(lanes.addresses, givers(count) & lanes.mask, 16);
    environment.shared.load(from, &mut rows)?;
    let mut out = [[0; LANES]; 4];
    for (matrix, result) in out.iter_mut().enumerate().take(usize::from(count)) {
        let element =
            |row: usize, column: usize| rows[column / 2][matrix * 8 + row] >> (column % 2 * 16) & 0xffff;
        for (lane, value) in result.iter_mut().enumerate() {
            let (row, column) = (lane / 4, lane % 4 * 2);
            *value = if transposed {
                element(column, row) | element(column + 1, row) << 16
            } else {
                element(row, column) | element(row, column + 1) << 16
            };
        }
    }
    write_words(m, &out[..usize::from(count)], lanes.mask);
    Ok(())
}

/// Stores the matrices.
pub(super) fn store<M>(
    m: &Machine<'_>,
    memory: &Memory,
    lanes: Lanes<'_>,
    environment: &mut Environment<'_, M>,
) -> Result<(), ExecFault> {
    let MemoryForm::Matrix { count, transposed } = memory.form else { return Ok(()) };
    let mut held = [[0; LANES]; 4];
    data(m, 0, usize::from(count), &mut held);
    let mut rows = [[0; LANES]; 4];
    for (matrix, values) in held.iter().enumerate().take(usize::from(count)) {
        let element = |row: usize, column: usize| {
            let (row, column) = if transposed { (column, row) } else { (row, column) };
            values[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff
        };
        let word = |row: usize, word: usize| element(row, 2 * word) | element(row, 2 * word + 1) << 16;
        for row in 0..8 {
            rows.iter_mut().enumerate().for_each(|(at, words): (usize, &mut Row)| {
                words[matrix * 8 + row] = word(row, at);
            });
        }
    }
    let to = Lanes::new(lanes.addresses, givers(count) & lanes.mask, 16);
    environment.shared.store(to, &rows)?;
    Ok(())
}
