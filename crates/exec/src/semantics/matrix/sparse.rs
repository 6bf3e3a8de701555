//! Which columns of a row the elements of a sparse first factor stand for (measured: traces/h200/sparse/forms.txt): of four
//! elements two are kept, or of four halves two, which metadata names by two bits each.

use crate::op::{FactorFormat, Matrix, MatrixKind, Sparse};
use crate::semantics::lanes::Machine;
use crate::{LANES, Row};

/// Elements of a row that are kept at most.
pub(super) const MOST_KEPT: usize = 32;

/// The columns that the kept elements of a row stand for, in the order of these.
pub(super) type Columns = [u8; MOST_KEPT];

/// The metadata, as the lanes hold it.
pub(super) fn metadata(m: &Machine<'_>, sparse: Sparse) -> Row {
    m.warp.rows.get(usize::from(sparse.metadata)).copied().unwrap_or([0; LANES])
}

/// The columns of a row.
pub(super) fn columns(metadata: &Row, matrix: Matrix, sparse: Sparse, row: usize) -> Columns {
    let first_lane = row % 8 * 4;
    let selector = usize::from(sparse.selector);
    let is_single = matches!(matrix.kind, MatrixKind::Floats { format: FactorFormat::Tf32, .. });
    let is_short_row = u32::from(matrix.depth) * bits(matrix.kind) / 8 == 32;
    // Four bits name two of four: elements, or halves of two of which one is kept.
    let pair = |group: usize| {
        let (lane, place) = match matrix.kind {
            MatrixKind::Floats { .. } if is_short_row => (selector, row / 8 * 4 + group),
            MatrixKind::Floats { .. } => (selector * 2 + group / 4, row / 8 * 4 + group % 4),
            _ => (selector * 2 + group / 8 * 2 + row / 8, group % 8),
        };
        let named = metadata[(first_lane + lane) % LANES] >> (4 * place);
        (named as u8 & 3, named as u8 >> 2 & 3)
    };
    let mut columns = [0; MOST_KEPT];
    let kept = usize::from(matrix.depth) / 2;
    if is_single {
        columns
            .iter_mut()
            .take(kept)
            .enumerate()
            .for_each(|(group, it)| *it = 2 * group as u8 + pair(group).0 / 2);
    } else {
        for (group, both) in columns[..kept].chunks_exact_mut(2).enumerate() {
            let (first, second) = pair(group);
            both.copy_from_slice(&[4 * group as u8 + first, 4 * group as u8 + second]);
        }
    }
    columns
}

/// Bits of an element of the factors.
fn bits(kind: MatrixKind) -> u32 {
    match kind {
        MatrixKind::Floats { format: FactorFormat::Tf32, .. } => 32,
        MatrixKind::Floats { .. } => 16,
        MatrixKind::Bytes { .. } => 8,
        MatrixKind::Doubles => 64,
    }
}
