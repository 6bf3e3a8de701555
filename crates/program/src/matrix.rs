//! The shapes of products of matrices: how many elements, and in how many registers of a lane.

use crate::instruction::Instruction;
use crate::modifier::Modifier;
use crate::opcode::Opcode;

/// The shape of a product of matrices that the lanes of a warp hold together: `rows` times `depth` by `depth` times eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Rows of the first matrix and of the sum: 8 or 16.
    pub rows: u32,
    /// Columns of the first matrix.
    pub depth: u32,
    /// Bits of an element of the factors.
    pub bits: u32,
    /// Bits of an element of the sum.
    pub sum_bits: u32,
    /// Whether only half of the first matrix is there.
    pub sparse: bool,
}

/// Columns of the second matrix and of the sum.
const COLUMNS: u32 = 8;
/// Lanes of a warp and bits of their registers.
const LANES: u32 = 32;
const WORD_BITS: u32 = 32;

/// What names the size of a product: its rows and its depth.
pub const SIZES: [(Modifier, u32, u32); 10] = [
    (Modifier::M8x8x4, 8, 4),
    (Modifier::M8n8k16, 8, 16),
    (Modifier::M16n8k4, 16, 4),
    (Modifier::M16x8x4, 16, 4),
    (Modifier::M16n8k8, 16, 8),
    (Modifier::M16x8x8, 16, 8),
    (Modifier::M16n8k16, 16, 16),
    (Modifier::M16x8x16, 16, 16),
    (Modifier::M16n8k32, 16, 32),
    (Modifier::M16n8k64, 16, 64),
];

impl MatrixShape {
    /// The shape of the product that an instruction forms; none where it is no product of matrices or names no shape.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<MatrixShape> {
        use Modifier as M;
        let (_, rows, depth) = SIZES.into_iter().find(|&(name, ..)| instruction.has(name))?;
        let (bits, sum_bits) = match instruction.opcode {
            Opcode::Hmma => {
                let single = instruction.has(M::F32);
                (if instruction.has(M::Tf32) { 32 } else { 16 }, if single { 32 } else { 16 })
            }
            Opcode::Imma => (8, 32),
            Opcode::Dmma => (64, 64),
            _ => return None,
        };
        Some(MatrixShape { rows, depth, bits, sum_bits, sparse: instruction.has(M::Sp) })
    }

    /// Bytes of a row of the first matrix, as far as they are there.
    #[must_use]
    pub fn row_bytes(self) -> u32 {
        self.depth * self.bits / 8 / (1 + u32::from(self.sparse))
    }

    /// How many registers of a lane operand `index` takes: the sum, the two factors, what is added; then metadata.
    #[must_use]
    pub fn registers(self, index: usize) -> u32 {
        let bits = match index {
            1 => self.rows * self.row_bytes() * 8,
            2 => self.depth * COLUMNS * self.bits,
            0 | 3 => self.rows * COLUMNS * self.sum_bits,
            _ => 0,
        };
        (bits / LANES / WORD_BITS).max(1)
    }
}
