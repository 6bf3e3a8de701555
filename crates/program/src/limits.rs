//! What a kernel or a variable may ask for, whoever read it: above these a file is refused with a message, before
//! anything of that size is allocated.

use crate::kernel::{ConstantBank, GlobalVariable, Kernel, Relocation};

/// Registers of a thread; a machine allows 255.
pub const REGISTERS: u32 = 0xffff;
/// Bytes of static shared memory of a block; a machine allows its own, which is less.
pub(crate) const SHARED_BYTES: u32 = 16 << 20;
/// Bytes of local memory of a thread: CUDA's own limit.
pub const LOCAL_BYTES: u32 = 512 << 10;
/// Blocks of a cluster; a machine allows its own, which are perhaps fewer.
pub const CLUSTER_BLOCKS: u32 = 16;
/// Block barriers.
pub const BARRIERS: u32 = 16;
/// Bytes of a constant bank.
pub const BANK_BYTES: u32 = 64 << 10;
/// The highest number of a constant bank.
pub(crate) const LAST_BANK: u8 = 7;
/// Threads of a block in one direction, in what a kernel says about its block.
pub(crate) const BLOCK_EXTENT: u32 = 1024;
/// Bytes of a variable in global memory: 256 TiB, what an address can say.
pub(crate) const GLOBAL_BYTES: u64 = 1 << 48;
/// The alignment of a variable, in bytes.
pub const ALIGNMENT: u64 = 1 << 20;

/// A number that must be in a range.
///
/// # Errors
/// What the number is, and the range.
pub fn within(what: &str, value: impl Into<u64>, least: u64, most: u64) -> Result<(), String> {
    let value = value.into();
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let range = if least == 0 { format!("at most {most}") } else { format!("{least} to {most}") };
    Err(format!("{value} {what}; {range} are possible"))
}

/// The threads of a block that a kernel names, in x, y and z.
///
/// # Errors
/// The direction that is out of range.
pub fn block(extents: [u32; 3]) -> Result<(), String> {
    extents.iter().try_for_each(|&extent| within("threads of a block", extent, 1, BLOCK_EXTENT.into()))
}

/// The blocks of a cluster, in x, y and z.
///
/// # Errors
/// The direction that is out of range, or that there are too many.
pub fn cluster([x, y, z]: [u32; 3]) -> Result<(), String> {
    [x, y, z]
        .into_iter()
        .try_for_each(|extent| within("blocks of a cluster", extent, 1, CLUSTER_BLOCKS.into()))?;
    within("blocks of a cluster", u64::from(x * y * z), 1, CLUSTER_BLOCKS.into())
}

/// A parameter: its last byte must be in constant bank 0.
///
/// # Errors
/// How far it is outside.
pub fn parameter(base: u32, offset: u64, bytes: u64) -> Result<(), String> {
    let end = u64::from(base).saturating_add(offset).saturating_add(bytes);
    within("bytes of constant bank 0 with the parameters", end, 0, BANK_BYTES.into())
}

/// A constant bank: its number, its size, and the places of the addresses in it.
///
/// # Errors
/// The first thing that is out of range.
pub fn bank(bank: &ConstantBank) -> Result<(), String> {
    let bytes = bank.bytes.len() as u64;
    if !(1..=LAST_BANK).contains(&bank.bank) {
        return Err(format!("constant bank {} does not exist; known are 1 to {LAST_BANK}", bank.bank));
    }
    within(&format!("bytes of constant bank {}", bank.bank), bytes, 0, BANK_BYTES.into())?;
    relocations(&bank.relocations, bytes)
}

/// A variable of global memory: its size, its alignment, its initial bytes, and the addresses in it.
///
/// # Errors
/// The first thing that is out of range.
pub fn global(global: &GlobalVariable) -> Result<(), String> {
    within("bytes of a variable", global.bytes, 0, GLOBAL_BYTES)?;
    if !global.alignment.is_power_of_two() || global.alignment > ALIGNMENT {
        let alignment = global.alignment;
        return Err(format!("an alignment of {alignment}; a power of two up to {ALIGNMENT} is possible"));
    }
    if global.initial.len() as u64 > global.bytes {
        return Err(format!(
            "{} initial bytes for a variable of {} bytes",
            global.initial.len(),
            global.bytes
        ));
    }
    relocations(&global.relocations, global.bytes)
}

fn relocations(relocations: &[Relocation], bytes: u64) -> Result<(), String> {
    match relocations.iter().find(|it| u64::from(it.offset) + 8 > bytes) {
        Some(outside) => {
            Err(format!("the address at offset {} is outside the {bytes} bytes", outside.offset))
        }
        None => Ok(()),
    }
}

/// Everything about a kernel that is out of range, beside its code. A kernel may leave out how many registers it has.
#[must_use]
pub fn faults(kernel: &Kernel) -> Vec<String> {
    let mut checks = vec![
        within("registers a thread", kernel.registers, 0, REGISTERS.into()),
        within("bytes of static shared memory", kernel.static_shared_bytes, 0, SHARED_BYTES.into()),
        within("bytes of local memory a thread", kernel.local_bytes, 0, LOCAL_BYTES.into()),
        within("block barriers", kernel.barriers, 0, BARRIERS.into()),
        parameter(kernel.parameter_base, 0, 0),
    ];
    checks.extend([kernel.max_block, kernel.required_block].into_iter().flatten().map(block));
    let parameters = kernel.parameters.iter();
    checks.extend(
        parameters.map(|it| parameter(kernel.parameter_base, u64::from(it.offset), u64::from(it.bytes))),
    );
    checks.extend(kernel.constant_banks.iter().map(bank));
    checks.into_iter().filter_map(Result::err).collect()
}
