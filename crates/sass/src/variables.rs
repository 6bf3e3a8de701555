//! Variables in global memory.

use crate::SassFault;
use crate::elf::{Elf, Fixup};
use crate::link;
use std::collections::BTreeMap;
use warplab_program::{ConstantVariable, GlobalVariable, Kernel, Relocation, limits};

/// Sections that hold variables of global memory.
fn holds_variables(section: &str) -> bool {
    matches!(section, ".nv.global" | ".nv.global.init")
}

/// What is wrong with variables, by their names.
pub(crate) type Wrong = BTreeMap<String, String>;

/// All variables of a cubin, and what is wrong with some of them; faults of the whole file are added.
pub(crate) fn read(elf: &Elf<'_>, faults: &mut Vec<SassFault>) -> (Vec<GlobalVariable>, Wrong) {
    let (mut globals, mut wrong) = (Vec::new(), Wrong::new());
    for (number, section) in elf.sections.iter().enumerate() {
        if !holds_variables(section.name) {
            continue;
        }
        let Some(fixups) = elf.fixups(number) else {
            faults.push(SassFault::file(format!("the relocations of {} are damaged", section.name)));
            continue;
        };
        for symbol in &elf.symbols {
            if symbol.section != number || !symbol.is_variable() {
                continue;
            }
            let end = symbol.value.checked_add(symbol.size).filter(|&end| end <= section.size);
            let Some(end) = end else {
                wrong.insert(symbol.name.to_owned(), "is outside its section".to_owned());
                continue;
            };
            let part = usize::try_from(symbol.value).ok().zip(usize::try_from(end).ok());
            let bytes = part.and_then(|(from, to)| section.data.get(from..to)).unwrap_or_default();
            let mut initial = bytes.to_vec();
            let mut relocations = Vec::new();
            for fixup in fixups.iter().filter(|fixup| (symbol.value..end).contains(&fixup.offset)) {
                if let Some(address) = link::code_address(elf, fixup) {
                    if let Err(message) = put(&mut initial, fixup, symbol.value, address) {
                        wrong.insert(symbol.name.to_owned(), message);
                    }
                    continue;
                }
                match relocation(elf, fixup, symbol.value, bytes) {
                    Ok(found) => relocations.push(found),
                    Err(message) => {
                        wrong.insert(symbol.name.to_owned(), message);
                    }
                }
            }
            relocations.sort_by_key(|relocation| relocation.offset);
            let global = GlobalVariable {
                name: symbol.name.to_owned(),
                bytes: symbol.size,
                alignment: section.alignment.max(1),
                initial,
                relocations,
            };
            if let Err(message) = limits::global(&global) {
                wrong.insert(global.name.clone(), message);
            }
            globals.push(global);
        }
    }
    leave_out(&mut globals, &mut wrong);
    (globals, wrong)
}

/// Leaves out the variables that are wrong, and those that hold the address of one.
fn leave_out(globals: &mut Vec<GlobalVariable>, wrong: &mut Wrong) {
    loop {
        let holds = |global: &GlobalVariable| {
            let named = global.relocations.iter().find_map(|it| wrong.get_key_value(&it.symbol));
            Some((global.name.clone(), format!("it holds the address of '{}', which {}", named?.0, named?.1)))
        };
        let found: Vec<_> =
            globals.iter().filter(|global| !wrong.contains_key(&global.name)).filter_map(holds).collect();
        if found.is_empty() {
            break;
        }
        wrong.extend(found);
    }
    globals.retain(|global| !wrong.contains_key(&global.name));
}

/// What is wrong with the variables whose addresses a kernel has in its constant banks.
pub(crate) fn faults_of(kernel: &Kernel, wrong: &Wrong) -> Vec<String> {
    let reached = |name: &str| {
        let mut relocations = kernel.constant_banks.iter().flat_map(|bank| &bank.relocations);
        relocations.any(|relocation| relocation.symbol == name)
    };
    let reached = wrong.iter().filter(|(name, _)| reached(name));
    reached.map(|(name, message)| format!("variable '{name}': {message}")).collect()
}

/// The variables of constant memory, which lie in the bank that all kernels share; faults are added.
pub(crate) fn constants(elf: &Elf<'_>, faults: &mut Vec<SassFault>) -> Vec<ConstantVariable> {
    const BANK: u8 = 3;
    let Some(number) = elf.sections.iter().position(|section| section.name == ".nv.constant3") else {
        return Vec::new();
    };
    let variables = elf.symbols.iter().filter(|it| it.section == number && it.is_variable());
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
    let place_in_bank = u32::try_from(offset).map_err(|_| outside())?;
    let addend = fixup.addend.unwrap_or(i64::from_le_bytes(place));
    let symbol = elf.symbols.get(fixup.symbol).ok_or("a relocation names no symbol")?;
    let global = elf.sections.get(symbol.section).is_some_and(|section| holds_variables(section.name));
    if global && symbol.is_variable() {
        return Ok(Relocation { offset: place_in_bank, symbol: symbol.name.to_owned(), addend });
    }
    if global {
        // A section and an offset: the variable that lies there.
        let at = symbol.value.wrapping_add_signed(addend);
        let found = elf.symbols.iter().find(|other| {
            other.section == symbol.section
                && other.is_variable()
                && at.checked_sub(other.value).is_some_and(|inside| inside < other.size)
        });
        if let Some(found) = found {
            let addend = at.wrapping_sub(found.value).cast_signed();
            return Ok(Relocation { offset: place_in_bank, symbol: found.name.to_owned(), addend });
        }
    }
    Err(format!("the address of '{}', which is no variable of global memory, is not supported", symbol.name))
}
