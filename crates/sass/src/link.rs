//! The code of a kernel with the functions that it calls: its own section first, then theirs, one after the other.

use crate::disassembly::{DisassembledFunction, Line};
use crate::elf::{Elf, Fixup, Section, Symbol};
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::{ConstantBank, Relocation, SystemCall, function_address};

/// The bank that holds addresses of variables.
const ADDRESS_BANK: u8 = 4;

/// Where the sections of a kernel's code stand.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Every section by its number, with the address of its first instruction.
    pub(crate) parts: Vec<(usize, u64)>,
}

impl Layout {
    /// The code that a kernel's section reaches: what its instructions name and, where it calls through pointers, every
    /// function whose address a variable or constant holds. `None` when relocations are damaged.
    pub(crate) fn of(elf: &Elf<'_>, functions: &[DisassembledFunction], kernel: usize) -> Option<Layout> {
        let mut layout = Layout { parts: vec![(kernel, 0)] };
        let (mut next, mut through_pointers) = (0, false);
        while let Some(&(section, _)) = layout.parts.get(next) {
            next += 1;
            layout.add_called(elf, section)?;
            if !through_pointers && calls_through_register(elf, functions, section) {
                through_pointers = true;
                let data =
                    |(number, section): (usize, &Section<'_>)| holds_addresses(section).then_some(number);
                for number in elf.sections.iter().enumerate().filter_map(data) {
                    layout.add_called(elf, number)?;
                }
            }
        }
        Some(layout)
    }

    /// Adds the functions that a section's relocations name.
    fn add_called(&mut self, elf: &Elf<'_>, section: usize) -> Option<()> {
        for fixup in elf.fixups(section)? {
            let called = elf.symbols.get(fixup.symbol)?;
            let Some(code) = elf.sections.get(called.section) else { continue };
            let known = self.parts.iter().any(|&(known, _)| known == called.section);
            if code.name.starts_with(".text.") && !called.is_entry() && !known {
                let end = self.parts.last().map_or(0, |&(last, base)| {
                    base + elf.sections.get(last).map_or(0, |section| section.data.len() as u64)
                });
                self.parts.push((called.section, end));
            }
        }
        Some(())
    }

    /// The functions that calls through pointers may reach, in order of their place.
    pub(crate) fn functions(&self, elf: &Elf<'_>) -> Vec<warplab_program::Function> {
        let found = elf.symbols.iter().enumerate().filter_map(|(number, symbol)| {
            let is_function = symbol.is_function() && !symbol.is_entry();
            let start = self.address(symbol).filter(|_| is_function)?;
            let own = self.base(symbol.section) == Some(0);
            Some(warplab_program::Function {
                // '$kernel$function' is the function in the section of a kernel.
                name: symbol.name.rsplit('$').next().unwrap_or(symbol.name).to_owned(),
                start: u32::try_from(start / INSTRUCTION_BYTES).ok()?,
                address: if own { start } else { function_address(number)? },
            })
        });
        let mut functions: Vec<_> = found.collect();
        functions.sort_by_key(|function| function.start);
        functions
    }

    /// The address of a section's first instruction, if the kernel has it.
    pub(crate) fn base(&self, section: usize) -> Option<u64> {
        self.parts.iter().find(|&&(known, _)| known == section).map(|&(_, base)| base)
    }

    /// The address of a symbol of the code.
    pub(crate) fn address(&self, symbol: &Symbol<'_>) -> Option<u64> {
        Some(self.base(symbol.section)?.wrapping_add(symbol.value))
    }
}

/// Whether a section's data may hold addresses of functions.
fn holds_addresses(section: &Section<'_>) -> bool {
    section.name.starts_with(".nv.global") || section.name.starts_with(".nv.constant")
}

fn calls_through_register(elf: &Elf<'_>, functions: &[DisassembledFunction], section: usize) -> bool {
    let name = elf.sections.get(section).and_then(|section| section.name.strip_prefix(".text."));
    let function = functions.iter().find(|function| Some(function.name.as_str()) == name);
    function.is_some_and(|function| function.lines.iter().any(Line::calls_through_register))
}

/// The code address that a relocation of data means: of a function outside the section, the same for every kernel, or
/// of a system call. One that the driver would have to provide and that is not known here has none: a call of it is a
/// fault. `None` when the relocation means a variable.
pub(crate) fn code_address(elf: &Elf<'_>, fixup: &Fixup) -> Option<u64> {
    let symbol = elf.symbols.get(fixup.symbol).filter(|symbol| symbol.is_function())?;
    if symbol.section == 0 {
        return Some(SystemCall::from_name(symbol.name).map_or(0, SystemCall::address));
    }
    function_address(fixup.symbol)
}

/// Addresses of variables that instructions name as numbers: they are known when the program is loaded, so they become
/// constants of the bank of addresses.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    start: u32,
    relocations: Vec<Relocation>,
}

impl Addresses {
    /// Addresses behind those that the kernel's own bank has.
    pub(crate) fn new(elf: &Elf<'_>, kernel: &str) -> Addresses {
        let own = elf.section(&format!(".nv.constant{ADDRESS_BANK}.{kernel}"));
        let bytes = own.and_then(|(_, section)| u32::try_from(section.data.len()).ok()).unwrap_or(0);
        Addresses { start: bytes.checked_next_multiple_of(8).unwrap_or(u32::MAX), relocations: Vec::new() }
    }

    /// The operand that reads the lower or upper half of an address.
    fn operand(&mut self, symbol: &str, addend: i64, upper: bool) -> String {
        let same = |known: &Relocation| known.symbol == symbol && known.addend == addend;
        let index = self.relocations.iter().position(same).unwrap_or_else(|| {
            let offset = self.offset(self.relocations.len());
            self.relocations.push(Relocation { offset, symbol: symbol.to_owned(), addend });
            self.relocations.len() - 1
        });
        let offset = self.offset(index).saturating_add(if upper { 4 } else { 0 });
        format!("c[{ADDRESS_BANK:#x}][{offset:#x}]")
    }

    /// Where an address will stand in the bank. One beyond all limits is refused with its bank.
    fn offset(&self, index: usize) -> u32 {
        u32::try_from(index).unwrap_or(u32::MAX).saturating_mul(8).saturating_add(self.start)
    }

    /// Puts the addresses into the kernel's bank.
    pub(crate) fn store(self, banks: &mut Vec<ConstantBank>) {
        let Some(last) = self.relocations.last() else { return };
        let size = (last.offset as usize).saturating_add(8);
        let bank = match banks.iter_mut().position(|bank| bank.bank == ADDRESS_BANK) {
            Some(index) => &mut banks[index],
            None => {
                banks.push(ConstantBank { bank: ADDRESS_BANK, ..ConstantBank::default() });
                let last = banks.len() - 1;
                &mut banks[last]
            }
        };
        bank.bytes.resize(size, 0);
        bank.relocations.extend(self.relocations);
    }
}

/// The operands of an instruction with addresses like `32@lo((kernel + 0x70))` as numbers or constants. The relocation
/// of the instruction says whose address it is, for the text has no name of a variable that is local to its file.
pub(crate) fn resolve_addresses(
    elf: &Elf<'_>,
    layout: &Layout,
    addresses: &mut Addresses,
    fixup: Option<&Fixup>,
    operands: &str,
) -> Result<String, String> {
    let mut text = operands.to_owned();
    for (mark, upper) in [("32@lo(", false), ("32@hi(", true)] {
        let Some(start) = text.find(mark) else { continue };
        let wrong = || format!("the address '{}' is not understood", &text[start..]);
        let inner = &text[start + mark.len()..];
        let end = inner.find(')').ok_or_else(wrong)?;
        let whole = inner[..end].trim_start_matches('(');
        let closing = inner[end..].len() - inner[end..].trim_start_matches(')').len();
        let named = fixup.and_then(|fixup| Some((elf.symbols.get(fixup.symbol)?, fixup.addend?)));
        let (symbol, addend) = named.or_else(|| by_name(elf, whole)).ok_or_else(wrong)?;
        let operand = if symbol.is_variable() {
            addresses.operand(symbol.name, addend, upper)
        } else {
            let address = layout.address(symbol).ok_or_else(wrong)?.wrapping_add_signed(addend);
            format!("{:#x}", if upper { address >> 32 } else { address & 0xffff_ffff })
        };
        let rest = &inner[end + closing..];
        text = format!("{}{operand}{rest}", &text[..start]);
    }
    Ok(text)
}

/// `kernel + 0x70` as a symbol and what is added to it.
fn by_name<'e, 'a>(elf: &'e Elf<'a>, text: &str) -> Option<(&'e Symbol<'a>, i64)> {
    let (name, addend) = text.split_once('+').unwrap_or((text, "0x0"));
    let addend = i64::from_str_radix(addend.trim().strip_prefix("0x")?, 16).ok()?;
    Some((elf.symbols.iter().find(|symbol| symbol.name == name.trim())?, addend))
}
