//! The code of a kernel with the functions that it calls: its own section first, then theirs, one after the other.

use crate::elf::{Elf, Symbol};
use warplab_program::{ConstantBank, Relocation};

/// The bank that holds addresses of variables.
const ADDRESS_BANK: u8 = 4;

/// Where the sections of a kernel's code stand.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Every section by its number, with the address of its first instruction.
    pub(crate) parts: Vec<(usize, u64)>,
}

impl Layout {
    /// The code that a kernel's section reaches; `None` when relocations are damaged.
    pub(crate) fn of(elf: &Elf<'_>, kernel: usize) -> Option<Layout> {
        let mut parts = vec![(kernel, 0)];
        let mut next = 0;
        let mut end = elf.sections.get(kernel)?.data.len() as u64;
        while let Some(&(section, _)) = parts.get(next) {
            next += 1;
            for fixup in elf.fixups(section)? {
                let called = elf.symbols.get(fixup.symbol)?.section;
                let Some(code) = elf.sections.get(called) else { continue };
                if code.name.starts_with(".text.") && parts.iter().all(|&(known, _)| known != called) {
                    parts.push((called, end));
                    end += code.data.len() as u64;
                }
            }
        }
        Some(Layout { parts })
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

/// The operands of an instruction with addresses like `32@lo((kernel + 0x70))` as numbers or constants.
pub(crate) fn resolve_addresses(
    elf: &Elf<'_>,
    layout: &Layout,
    addresses: &mut Addresses,
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
        let (name, addend) = whole.split_once('+').unwrap_or((whole, "0x0"));
        let addend = addend.trim().strip_prefix("0x").and_then(|hex| i64::from_str_radix(hex, 16).ok());
        let (name, addend) = (name.trim(), addend.ok_or_else(wrong)?);
        let symbol = elf.symbols.iter().find(|symbol| symbol.name == name).ok_or_else(wrong)?;
        let operand = if symbol.kind == Symbol::OBJECT {
            addresses.operand(name, addend, upper)
        } else {
            let address = layout.address(symbol).ok_or_else(wrong)?.wrapping_add_signed(addend);
            format!("{:#x}", if upper { address >> 32 } else { address & 0xffff_ffff })
        };
        let rest = &inner[end + closing..];
        text = format!("{}{operand}{rest}", &text[..start]);
    }
    Ok(text)
}
