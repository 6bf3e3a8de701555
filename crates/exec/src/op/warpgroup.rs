//! Products of matrices that the four warps of a warpgroup form together, and what waits for them.

use warplab_program::operand::MatrixSigns;

/// One instruction of a warpgroup.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpgroupOp {
    /// d = a * b + p * d for 64 rows, of which each warp has 16; p is the first predicate that is read.
    Multiply(WarpgroupProduct),
    /// The warp has so many registers from now on; p = it has them.
    SetRegisters { count: u16, more: bool },
    /// At most so many groups of products are under way.
    Wait { most: u8 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WarpgroupProduct {
    pub(crate) format: WarpgroupFormat,
    /// Columns of the sum, eight by eight; none where it goes nowhere.
    pub(crate) eights: u8,
    /// The scalar registers of the descriptors.
    pub(crate) descriptors: u8,
    /// Whether the first factor is source 0; what is added is source 1 in any case.
    pub(crate) first_in_registers: bool,
    pub(crate) signs: MatrixSigns,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpgroupFormat {
    /// Floats; sums in single precision, or in half.
    Floats { first: FloatFormat, second: FloatFormat, half_sums: bool },
    /// Bytes, with a sign or without in either factor; sums of 32 bits, which wrap around unless they saturate.
    Bytes { signed: [bool; 2], saturate: bool },
}

/// What the elements of a factor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatFormat {
    F16,
    Bf16,
    /// The upper 19 bits of single precision.
    Tf32,
    E4m3,
    E5m2,
}

impl FloatFormat {
    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            FloatFormat::F16 | FloatFormat::Bf16 => 2,
            FloatFormat::Tf32 => 4,
            FloatFormat::E4m3 | FloatFormat::E5m2 => 1,
        }
    }
}
