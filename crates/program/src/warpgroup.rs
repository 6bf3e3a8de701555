//! The shapes of products that the four warps of a warpgroup form together (`wgmma`): 64 rows, 16 of each warp.

use crate::instruction::Instruction;
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::register::UniformRegister;

/// What can count groups of products; programs use the first.
pub const PRODUCT_GROUPS: usize = 2;
/// Registers that a first matrix takes of each lane: 16 rows of 32 bytes.
pub const FIRST_REGISTERS: u32 = 4;
/// Where the descriptor of the second matrix is behind that of the first.
pub const SECOND_DESCRIPTOR: u32 = 2;

/// The shape of a product of a warpgroup: 64 rows times `depth` by `depth` times `columns`. A row of the first matrix has 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpgroupShape {
    /// Columns of the second matrix and of the sum: 8 to 256.
    pub columns: u32,
    /// Columns of the first matrix.
    pub depth: u32,
    /// Bits of an element of the factors.
    pub bits: u32,
    /// Bits of an element of the sum.
    pub sum_bits: u32,
}

impl WarpgroupShape {
    /// The shape of the product that an instruction forms; none where it is none of a warpgroup or names no shape.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<WarpgroupShape> {
        use Modifier as M;
        let (columns, depth) = instruction.modifiers.as_slice().iter().find_map(|it| size(*it))?;
        let (bits, sum_bits) = match instruction.opcode {
            Opcode::Hgmma if instruction.has(M::Tf32) => (32, 32),
            Opcode::Hgmma => (16, if instruction.has(M::F32) { 32 } else { 16 }),
            Opcode::Qgmma => (8, if instruction.has(M::F32) { 32 } else { 16 }),
            Opcode::Igmma => (8, 32),
            _ => return None,
        };
        Some(WarpgroupShape { columns, depth, bits, sum_bits })
    }

    /// Registers of a lane that the sum takes: of each warp 16 rows.
    #[must_use]
    pub fn sum_registers(self) -> u32 {
        self.columns * self.sum_bits / 64
    }

    /// How many registers of a lane operand `index` takes: the sum before and behind the product, and the first matrix.
    pub(crate) fn registers(self, instruction: &Instruction, index: usize) -> u32 {
        let is_first = index > 0 && index < descriptors(instruction);
        if is_first { FIRST_REGISTERS } else { self.sum_registers() }
    }
}

/// The columns and the depth that a modifier names.
#[must_use]
pub fn size(modifier: Modifier) -> Option<(u32, u32)> {
    let mut sides = modifier.name().strip_prefix("64x")?.split('x');
    let (columns, depth) = (sides.next()?.parse().ok()?, sides.next()?.parse().ok()?);
    sides.next().is_none().then_some((columns, depth))
}

/// The modifier that names a size, if there is one.
#[must_use]
pub fn size_modifier(columns: u32, depth: u32) -> Option<Modifier> {
    Modifier::from_name(&format!("64x{columns}x{depth}"))
}

/// The place of the descriptors among the operands.
fn descriptors(instruction: &Instruction) -> usize {
    let is_descriptor = |operand: &Operand| matches!(operand, Operand::MatrixDescriptors { .. });
    instruction.operands.iter().position(is_descriptor).unwrap_or(0)
}

impl Instruction {
    /// Whether this is a product of a warpgroup.
    #[must_use]
    pub fn is_warpgroup_product(&self) -> bool {
        matches!(self.opcode, Opcode::Hgmma | Opcode::Qgmma | Opcode::Igmma)
    }

    /// Whether a product of a warpgroup has its first matrix in registers.
    #[must_use]
    pub fn has_first_in_registers(&self) -> bool {
        self.is_warpgroup_product() && descriptors(self) > 1
    }

    /// The registers of the warp that hold the descriptors which a product reads.
    pub(crate) fn descriptor_registers(&self, first: UniformRegister) -> (UniformRegister, u32) {
        if self.has_first_in_registers() { (first.offset(SECOND_DESCRIPTOR), 2) } else { (first, 4) }
    }

    /// Of `WARPGROUP.DEPBAR`: how many groups of products may still be under way.
    #[must_use]
    pub fn awaited_products(&self) -> Option<u32> {
        let waits = self.opcode == Opcode::Warpgroup && self.has(Modifier::Depbar);
        waits.then(|| match self.operands.last() {
            Some(Operand::Immediate(most)) => *most,
            _ => 0,
        })
    }

    /// Whether a product of a warpgroup is the last of a group.
    #[must_use]
    pub fn ends_product_group(&self) -> bool {
        self.is_warpgroup_product() && self.operands.iter().any(|it| matches!(it, Operand::ProductGroup(_)))
    }
}
