//! The parts of a 64-bit little-endian ELF file that a cubin uses.

/// The machine number of GPU code.
const MACHINE_CUDA: u16 = 190;
/// The version since which the architecture is in the second byte of the flags: of CUDA 13.
const SHIFTED_FLAGS: u8 = 8;
const SYMBOL_TABLE: u32 = 2;
const RELOCATIONS_WITH_ADDEND: u32 = 4;
const NO_BITS: u32 = 8;
const RELOCATIONS: u32 = 9;

/// One section.
#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    pub(crate) info: u32,
    /// Its bytes; none for a section that occupies no file space.
    pub(crate) data: &'a [u8],
}

/// One symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: u8,
    pub(crate) other: u8,
    /// The section, by number.
    pub(crate) section: usize,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

impl Symbol<'_> {
    /// A function.
    pub(crate) const FUNCTION: u8 = 2;
    /// A variable.
    pub(crate) const OBJECT: u8 = 1;
    /// In `other`: a function that can be launched.
    pub(crate) const ENTRY: u8 = 0x10;
}

/// One relocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub(crate) offset: u64,
    pub(crate) symbol: usize,
    pub(crate) kind: u32,
    /// What is added; when absent, the bytes at the place say it.
    pub(crate) addend: Option<i64>,
}

/// A cubin's sections and symbols.
#[derive(Clone, Debug)]
pub(crate) struct Elf<'a> {
    flags: u32,
    /// The version of the format of GPU code.
    version: u8,
    pub(crate) sections: Vec<Section<'a>>,
    pub(crate) symbols: Vec<Symbol<'a>>,
}

/// Little-endian numbers out of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(crate) fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    fn offset(self, at: usize) -> Option<usize> {
        usize::try_from(self.u64(at)?).ok()
    }

    fn part(self, start: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(start..start.checked_add(length)?)
    }
}

/// The text that starts at an offset of a string table.
fn text(table: &[u8], at: u32) -> Option<&str> {
    let rest = table.get(at as usize..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

impl<'a> Elf<'a> {
    /// Reads a file; says what is wrong with it.
    pub(crate) fn read(file: &'a [u8]) -> Result<Elf<'a>, &'static str> {
        let bytes = Bytes(file);
        if file.get(..4) != Some(b"\x7fELF".as_slice()) {
            return Err("this is no ELF file");
        }
        if bytes.u8(4) != Some(2) || bytes.u8(5) != Some(1) {
            return Err("this is no 64-bit little-endian ELF file");
        }
        if bytes.u16(18) != Some(MACHINE_CUDA) {
            return Err("this ELF file holds no GPU code");
        }
        let flags = bytes.u32(48).ok_or("the file ends inside its header")?;
        let version = bytes.u8(8).ok_or("the file ends inside its header")?;
        let sections = sections(bytes).ok_or("the table of sections is damaged")?;
        let symbols = symbols(&sections).ok_or("the table of symbols is damaged")?;
        Ok(Elf { flags, version, sections, symbols })
    }

    /// The architecture of the code: 90 for sm_90.
    pub(crate) fn architecture(&self) -> u32 {
        if self.version >= SHIFTED_FLAGS { self.flags >> 8 & 0xff } else { self.flags & 0xff }
    }

    /// The section with this name, and its number.
    pub(crate) fn section(&self, name: &str) -> Option<(usize, &Section<'a>)> {
        self.sections.iter().enumerate().find(|(_, section)| section.name == name)
    }

    /// The relocations of a section, by its number; `None` when they are damaged.
    pub(crate) fn fixups(&self, section: usize) -> Option<Vec<Fixup>> {
        let mut fixups = Vec::new();
        for table in &self.sections {
            if table.info as usize != section {
                continue;
            }
            let size = match table.kind {
                RELOCATIONS_WITH_ADDEND => 24,
                RELOCATIONS => 16,
                _ => continue,
            };
            for entry in table.data.chunks(size) {
                let entry = Bytes(entry);
                let addend = entry.u64(16).map(u64::cast_signed);
                fixups.push(Fixup {
                    offset: entry.u64(0)?,
                    kind: entry.u32(8)?,
                    symbol: entry.u32(12)? as usize,
                    addend,
                });
            }
        }
        Some(fixups)
    }
}

fn sections(bytes: Bytes<'_>) -> Option<Vec<Section<'_>>> {
    let start = bytes.offset(40)?;
    let (size, count, names) =
        (usize::from(bytes.u16(58)?), usize::from(bytes.u16(60)?), usize::from(bytes.u16(62)?));
    if size < 64 {
        return None;
    }
    let header = |number: usize| {
        let at = start.checked_add(number.checked_mul(size)?)?;
        bytes.part(at, size).map(Bytes)
    };
    let data = |header: Bytes<'_>| match header.u32(4)? {
        NO_BITS | 0 => Some([].as_slice()),
        _ => bytes.part(header.offset(24)?, header.offset(32)?),
    };
    let names = data(header(names)?)?;
    (0..count)
        .map(|number| {
            let header = header(number)?;
            Some(Section {
                name: text(names, header.u32(0)?)?,
                kind: header.u32(4)?,
                flags: header.u64(8)?,
                size: header.u64(32)?,
                alignment: header.u64(48)?,
                info: header.u32(44)?,
                data: data(header)?,
            })
        })
        .collect()
}

fn symbols<'a>(sections: &[Section<'a>]) -> Option<Vec<Symbol<'a>>> {
    let Some(table) = sections.iter().find(|section| section.kind == SYMBOL_TABLE) else {
        return Some(Vec::new());
    };
    let names = sections.iter().find(|section| section.name == ".strtab")?.data;
    table
        .data
        .chunks(24)
        .map(|entry| {
            let entry = Bytes(entry);
            Some(Symbol {
                name: text(names, entry.u32(0)?)?,
                kind: entry.u8(4)? & 15,
                other: entry.u8(5)?,
                section: usize::from(entry.u16(6)?),
                value: entry.u64(8)?,
                size: entry.u64(16)?,
            })
        })
        .collect()
}
