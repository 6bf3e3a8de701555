//! Variables in global memory.

use crate::SassFault;
use crate::elf::{Elf, Fixup, Symbol};
use crate::link;
use warplab_program::{ConstantVariable, GlobalVariable, Relocation};

/// Sections that hold variables of global memory.
fn holds_variables(section: &str) -> bool {
    matches!(section, ".nv.global" | ".nv.global.init")
}

/// All variables of a cubin; faults are added.
pub(crate) fn read(elf: &Elf<'_>, faults: &mut Vec<SassFault>) -> Vec<GlobalVariable> {
    let mut globals = Vec::new();
    for (number, section) in elf.sections.iter().enumerate() {
        if !holds_variables(section.name) {
            continue;
        }
        let Some(fixups) = elf.fixups(number) else {
            faults.push(SassFault::file(format!("the relocations of {} are damaged", section.name)));
            continue;
        };
        for symbol in &elf.symbols {
            if symbol.section != number || symbol.kind != Symbol::OBJECT {
                continue;
            }
            let end = symbol.value.checked_add(symbol.size).filter(|&end| end <= section.size);
            let Some(end) = end else {
                faults.push(SassFault::file(format!("variable '{}' is outside its section", symbol.name)));
                continue;
            };
            let bytes = section.data.get(symbol.value as usize..end as usize).unwrap_or_default();
            let mut initial = bytes.to_vec();
            let mut relocations = Vec::new();
            for fixup in fixups.iter().filter(|fixup| (symbol.value..end).contains(&fixup.offset)) {
                if let Some(address) = link::code_address(elf, fixup) {
                    if let Err(message) = put(&mut initial, fixup, symbol.value, address) {
                        faults.push(SassFault::file(format!("variable '{}': {message}", symbol.name)));
                    }
                    continue;
                }
                match relocation(elf, fixup, symbol.value, bytes) {
                    Ok(found) => relocations.push(found),
                    Err(message) => {
                        faults.push(SassFault::file(format!("variable '{}': {message}", symbol.name)));
                    }
                }
            }
            relocations.sort_by_key(|relocation| relocation.offset);
            globals.push(GlobalVariable {
                name: symbol.name.to_owned(),
                bytes: symbol.size,
                alignment: section.alignment.max(1),
                initial,
                relocations,
            });
        }
    }
    globals
}

/// The variables of constant memory, which lie in the bank that all kernels share; faults are added.
pub(crate) fn constants(elf: &Elf<'_>, faults: &mut Vec<SassFault>) -> Vec<ConstantVariable> {
    const BANK: u8 = 3;
    let Some(number) = elf.sections.iter().position(|section| section.name == ".nv.constant3") else {
        return Vec::new();
    };
    let variables = elf.symbols.iter().filter(|it| it.section == number && it.kind == Symbol::OBJECT);
    let mut found = Vec::new();
    for symbol in variables {
        match (u32::try_from(symbol.value), u32::try_from(symbol.size)) {
            (Ok(offset), Ok(bytes)) => {
                found.push(ConstantVariable { name: symbol.name.to_owned(), bank: BANK, offset, bytes });
            }
            _ => faults.push(SassFault::file(format!("variable '{}' is outside its section", symbol.name))),
        }
    }
    found
}

/// Puts a code address of eight bytes where a fixup says, inside bytes that start at `start` of their section.
pub(crate) fn put(bytes: &mut [u8], fixup: &Fixup, start: u64, address: u64) -> Result<(), String> {
    let at = fixup.offset.checked_sub(start).and_then(|at| usize::try_from(at).ok());
    let slot = at.and_then(|at| bytes.get_mut(at..at.checked_add(8)?));
    let slot = slot.ok_or_else(|| format!("a relocation at {:#x} is outside the data", fixup.offset))?;
    slot.copy_from_slice(&address.to_le_bytes());
    Ok(())
}

/// The address of a variable inside bytes that start at `start` of their section.
pub(crate) fn relocation(
    elf: &Elf<'_>,
    fixup: &Fixup,
    start: u64,
    bytes: &[u8],
) -> Result<Relocation, String> {
    let outside = || format!("a relocation at {:#x} is outside the data", fixup.offset);
    let offset = fixup.offset.checked_sub(start).ok_or_else(outside)?;
    let place = usize::try_from(offset)
        .ok()
        .and_then(|at| bytes.get(at..at.checked_add(8)?)?.try_into().ok())
        .ok_or_else(outside)?;
    let addend = fixup.addend.unwrap_or(i64::from_le_bytes(place));
    let symbol = elf.symbols.get(fixup.symbol).ok_or("a relocation names no symbol")?;
    let global = elf.sections.get(symbol.section).is_some_and(|section| holds_variables(section.name));
    if global && symbol.kind == Symbol::OBJECT {
        return Ok(Relocation { offset: offset as u32, symbol: symbol.name.to_owned(), addend });
    }
    if global {
        // A section and an offset: the variable that lies there.
        let at = symbol.value.wrapping_add_signed(addend);
        let found = elf.symbols.iter().find(|other| {
            other.section == symbol.section
                && other.kind == Symbol::OBJECT
                && at.checked_sub(other.value).is_some_and(|inside| inside < other.size)
        });
        if let Some(found) = found {
            let addend = at.wrapping_sub(found.value).cast_signed();
            return Ok(Relocation { offset: offset as u32, symbol: found.name.to_owned(), addend });
        }
    }
    Err(format!("the address of '{}', which is no variable of global memory, is not supported", symbol.name))
}
