//! Constant banks: bank 0, which the launch fills, and the banks of the program.

use crate::clusters::coordinates;
use crate::fault::LaunchFault;
use crate::memory::windows;
use crate::rule::Init;
use crate::state::image::MemoryImage;
use crate::state::shared::RESERVED_SHARED_BYTES;
use rustc_hash::FxHashMap;
use warplab_program::kernel::launch_constants as at;
use warplab_program::operand::{ConstantIndex, Operand};
use warplab_program::runtime::HEAP_BYTES;
use warplab_program::{Kernel, Program};
use warplab_units::Address;

/// Banks that exist.
pub const BANKS: usize = 8;

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared_bytes: u32,
}

impl LaunchShape {
    /// Blocks of the grid; as many as can be counted when there are more.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |count: u64, &size| count.saturating_mul(u64::from(size)))
    }

    /// Threads of a block; as many as can be counted when there are more.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.iter().fold(1, |count: u32, &size| count.saturating_mul(size))
    }

    /// Warps of a block, each of so many lanes.
    #[must_use]
    pub fn warps(&self, lanes: u32) -> u32 {
        self.threads().div_ceil(lanes.max(1))
    }

    /// The coordinates of block `number`, x fastest.
    #[must_use]
    pub fn block_index(&self, number: u64) -> [u32; 3] {
        coordinates(number, self.grid)
    }
}

/// The constant banks of one launch, as words.
#[derive(Clone, Debug, Default)]
pub struct ConstantBanks {
    banks: [Vec<u32>; BANKS],
    /// The launch that bank 0 describes.
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    /// Blocks of a cluster in x, y and z, if the kernel runs in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
}

impl ConstantBanks {
    /// The banks of a launch: bank 0 from the launch and its parameters, the others from the kernel with the
    /// addresses of variables filled in.
    ///
    /// # Errors
    /// When the parameters have the wrong size, a variable has no address, or an instruction reads past a bank.
    pub fn load(
        program: &Program,
        kernel: &Kernel,
        shape: &LaunchShape,
        parameters: &[u8],
        symbols: &FxHashMap<String, Address>,
    ) -> Result<ConstantBanks, LaunchFault> {
        let fault = |message: String| LaunchFault::Launch { kernel: kernel.name.clone(), message };
        let expected = kernel.parameters.iter().map(|p| u64::from(p.offset) + u64::from(p.bytes)).max();
        if let Some(expected) = expected
            && expected != parameters.len() as u64
        {
            return Err(fault(format!("takes {expected} bytes of parameters, got {}", parameters.len())));
        }
        let mut bytes: [Vec<u8>; BANKS] = std::array::from_fn(|_| Vec::new());
        bytes[0] = bank_zero(kernel, shape, parameters);
        for bank in &kernel.constant_banks {
            let mut data = bank.bytes.clone();
            for relocation in &bank.relocations {
                let address = symbols.get(&relocation.symbol).ok_or_else(|| {
                    let known = program.globals.iter().any(|global| global.name == relocation.symbol);
                    let why = if known { "has no address yet" } else { "is not in the program" };
                    fault(format!("constant bank {}: variable '{}' {why}", bank.bank, relocation.symbol))
                })?;
                let value = address.0.wrapping_add_signed(relocation.addend);
                put(&mut data, relocation.offset, &value.to_le_bytes());
            }
            match bytes.get_mut(usize::from(bank.bank)) {
                Some(slot) if bank.bank != 0 => *slot = data,
                _ => return Err(fault(format!("has a constant bank {}; known are 1 to 7", bank.bank))),
            }
        }
        let banks = bytes.map(|data| {
            data.chunks(4)
                .map(|word| word.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
                .collect()
        });
        let cluster = kernel.cluster;
        let banks = ConstantBanks { banks, block: shape.block, grid: shape.grid, cluster };
        banks.check(kernel).map_err(fault)?;
        Ok(banks)
    }

    /// Every constant that an instruction names directly must be there.
    fn check(&self, kernel: &Kernel) -> Result<(), String> {
        for instruction in &kernel.instructions {
            for operand in &instruction.operands {
                let Operand::Constant(constant) = operand else { continue };
                let bytes = self.banks.get(usize::from(constant.bank)).map_or(0, |bank| bank.len() * 4);
                let direct = constant.index == ConstantIndex::None;
                if direct && (constant.offset < 0 || constant.offset as usize >= bytes) {
                    let text = warplab_program::listing::instruction_text(instruction);
                    return Err(format!(
                        "'{text}' reads past the end of constant bank {} ({bytes} bytes)",
                        constant.bank
                    ));
                }
            }
        }
        Ok(())
    }

    /// Bytes of a bank.
    #[must_use]
    pub fn bytes(&self, bank: u8) -> u32 {
        self.banks.get(usize::from(bank)).map_or(0, |words| words.len() as u32 * 4)
    }

    /// A word of a bank; zero past its end.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, bank: u8, index: u32) -> u32 {
        self.banks[usize::from(bank) % BANKS].get(index as usize).copied().unwrap_or(0)
    }
}

/// Allocates the program's variables and gives their addresses, for [`ConstantBanks::load`].
///
/// # Errors
/// When a variable holds the address of one that is not in the program.
pub fn allocate_globals(
    program: &Program,
    image: &mut MemoryImage,
) -> Result<FxHashMap<String, Address>, LaunchFault> {
    let mut symbols = FxHashMap::default();
    if program.uses_heap() && image.heap().is_none() {
        image.allocate_heap(HEAP_BYTES);
    }
    for global in &program.globals {
        symbols.insert(global.name.clone(), image.allocate(global.name.clone(), global.bytes, Init::Zero));
    }
    for global in &program.globals {
        let fault = |message: String| LaunchFault::Launch { kernel: global.name.clone(), message };
        let mut bytes = global.initial.clone();
        for relocation in &global.relocations {
            let address = symbols.get(&relocation.symbol).ok_or_else(|| {
                fault(format!("holds the address of '{}', which is not in the program", relocation.symbol))
            })?;
            let value = address.0.wrapping_add_signed(relocation.addend);
            put(&mut bytes, relocation.offset, &value.to_le_bytes());
        }
        image.write_bytes(symbols[&global.name], &bytes).map_err(|wrong| fault(wrong.to_string()))?;
    }
    Ok(symbols)
}

fn bank_zero(kernel: &Kernel, shape: &LaunchShape, parameters: &[u8]) -> Vec<u8> {
    let size = kernel.parameter_base as usize + parameters.len();
    let mut bytes = vec![0; size.next_multiple_of(16).max(at::PARAMETERS as usize)];
    for axis in 0..3 {
        put(&mut bytes, at::BLOCK_DIMENSIONS + 4 * axis, &shape.block[axis as usize].to_le_bytes());
        put(&mut bytes, at::GRID_DIMENSIONS + 4 * axis, &shape.grid[axis as usize].to_le_bytes());
        // Without clusters each block is one, and not one that the launch asked for.
        let blocks = kernel.cluster.map_or(1, |cluster| cluster[axis as usize]).max(1);
        put(&mut bytes, at::CLUSTER_DIMENSIONS + 4 * axis, &blocks.to_le_bytes());
        put(&mut bytes, at::CLUSTER_RECIPROCALS + 4 * axis, &(1.0 / blocks as f32).to_le_bytes());
        put(&mut bytes, at::CLUSTERS + 4 * axis, &(shape.grid[axis as usize] / blocks).to_le_bytes());
    }
    put(&mut bytes, at::SHARED_WINDOW, &windows::SHARED.to_le_bytes());
    put(&mut bytes, at::LOCAL_WINDOW, &windows::LOCAL.to_le_bytes());
    let generic = windows::CONSTANT + u64::from(at::PARAMETERS);
    put(&mut bytes, at::GENERIC, &generic.to_le_bytes());
    put(&mut bytes, at::STACK_POINTER, &kernel.local_bytes.to_le_bytes());
    put(&mut bytes, at::DYNAMIC_SHARED_BYTES, &shape.dynamic_shared_bytes.to_le_bytes());
    put(&mut bytes, at::HAS_CLUSTERS, &u32::from(kernel.cluster.is_some()).to_le_bytes());
    put(&mut bytes, at::CLUSTER_BLOCKS, &kernel.cluster_blocks().to_le_bytes());
    put(&mut bytes, at::RESERVED_SHARED_END, &RESERVED_SHARED_BYTES.to_le_bytes());
    put(&mut bytes, at::RESERVED_SHARED_BYTES, &RESERVED_SHARED_BYTES.to_le_bytes());
    put(&mut bytes, kernel.parameter_base, parameters);
    bytes
}

/// Writes bytes at an offset; the target grows if needed.
pub(crate) fn put(target: &mut Vec<u8>, offset: u32, bytes: &[u8]) {
    let end = offset as usize + bytes.len();
    if target.len() < end {
        target.resize(end, 0);
    }
    target[offset as usize..end].copy_from_slice(bytes);
}
