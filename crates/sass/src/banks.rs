//! Constant banks of a kernel, with addresses of code filled in.

use crate::SassFault;
use crate::elf::{Elf, Fixup};
use crate::kernel::KernelSymbol;
use crate::link;
use crate::variables;
use warplab_program::operand::Operand;
use warplab_program::{ConstantBank, Instruction};

/// Banks that a cubin can hold beside bank 0.
const BANKS: std::ops::RangeInclusive<u8> = 1..=7;

/// Kinds of relocation that fill eight bytes.
const EIGHT_BYTES: [u32; 2] = [2, 4];

/// The banks of a kernel: its own, and those of the whole file that it reads; faults are added.
pub(crate) fn read(
    elf: &Elf<'_>,
    place: &KernelSymbol<'_>,
    instructions: &[Instruction],
    faults: &mut Vec<SassFault>,
) -> Vec<ConstantBank> {
    let reads = |bank: u8| {
        let mut operands = instructions.iter().flat_map(|instruction| &instruction.operands);
        operands.any(|operand| matches!(operand, Operand::Constant(constant) if constant.bank == bank))
    };
    let mut banks = Vec::new();
    for bank in BANKS {
        let own = elf.section(&format!(".nv.constant{bank}.{}", place.name));
        let shared = || elf.section(&format!(".nv.constant{bank}")).filter(|_| reads(bank));
        let Some((number, section)) = own.or_else(shared) else { continue };
        let mut found = ConstantBank { bank, bytes: section.data.to_vec(), relocations: Vec::new() };
        let Some(mut fixups) = elf.fixups(number) else {
            let message = format!("the relocations of constant bank {bank} are damaged");
            faults.push(SassFault::kernel(place.name, message));
            continue;
        };
        fixups.sort_by_key(|fixup| fixup.offset);
        for fixup in &fixups {
            if let Err(message) = apply(elf, place, fixup, &mut found) {
                let message = format!("constant bank {bank}: {message}");
                faults.push(SassFault::kernel(place.name, message));
            }
        }
        banks.push(found);
    }
    banks
}

/// An address of code is known now, one of a variable when the program is loaded.
fn apply(
    elf: &Elf<'_>,
    place: &KernelSymbol<'_>,
    fixup: &Fixup,
    bank: &mut ConstantBank,
) -> Result<(), String> {
    let symbol = elf.symbols.get(fixup.symbol).ok_or("a relocation names no symbol")?;
    if symbol.section != place.section
        && let Some(address) = link::code_address(elf, fixup)
    {
        return variables::put(&mut bank.bytes, fixup, 0, address);
    }
    let code = elf.sections.get(symbol.section).is_some_and(|section| section.name.starts_with(".text."));
    if !code {
        bank.relocations.push(variables::relocation(elf, fixup, 0, &bank.bytes)?);
        return Ok(());
    }
    let size = if EIGHT_BYTES.contains(&fixup.kind) { 8 } else { 4 };
    let slot = usize::try_from(fixup.offset)
        .ok()
        .and_then(|at| bank.bytes.get_mut(at..at.checked_add(size)?))
        .ok_or_else(|| format!("a relocation at {:#x} is outside the data", fixup.offset))?;
    let there = slot.iter().rev().fold(0, |value: u64, &byte| value << 8 | u64::from(byte));
    let addend = fixup.addend.unwrap_or(there.cast_signed());
    slot.copy_from_slice(&symbol.value.wrapping_add_signed(addend).to_le_bytes()[..size]);
    Ok(())
}
