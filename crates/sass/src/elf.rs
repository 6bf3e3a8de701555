//! The sections, symbols and relocations of a cubin, a 64-bit little-endian ELF file.

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64, SymbolType};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, SectionTable, Sym};

type Header = FileHeader64<LittleEndian>;

/// The byte order of every cubin.
const ORDER: LittleEndian = LittleEndian;
/// The version since which the architecture is in the second byte of the flags: of CUDA 13.
const SHIFTED_FLAGS: u8 = 8;

/// One section.
#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) name: &'a str,
    pub(crate) flags: u64,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    pub(crate) info: u32,
    /// Its bytes; none for a section that occupies no file space.
    pub(crate) data: &'a [u8],
    header: &'a SectionHeader64<LittleEndian>,
}

/// One symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol<'a> {
    pub(crate) name: &'a str,
    kind: SymbolType,
    other: u8,
    /// The section, by number.
    pub(crate) section: usize,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

impl Symbol<'_> {
    /// In `other`: a function that can be launched.
    const ENTRY: u8 = 0x10;

    /// Whether this is a function, a kernel or not.
    pub(crate) fn is_function(&self) -> bool {
        self.kind == elf::STT_FUNC
    }

    /// Whether this is a variable.
    pub(crate) fn is_variable(&self) -> bool {
        self.kind == elf::STT_OBJECT
    }

    /// Whether this can be launched.
    pub(crate) fn is_entry(&self) -> bool {
        self.other & Symbol::ENTRY != 0
    }
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
    file: &'a [u8],
    flags: u32,
    /// The version of the format of GPU code.
    version: u8,
    pub(crate) sections: Vec<Section<'a>>,
    pub(crate) symbols: Vec<Symbol<'a>>,
}

impl<'a> Elf<'a> {
    /// Reads a file; says what is wrong with it.
    pub(crate) fn read(file: &'a [u8]) -> Result<Elf<'a>, &'static str> {
        if !file.starts_with(&elf::ELFMAG) {
            return Err("this is no ELF file");
        }
        if file.len() < size_of::<Header>() {
            return Err("the file ends inside its header");
        }
        let header = Header::parse(file).ok().filter(|header| header.is_little_endian());
        let header = header.ok_or("this is no 64-bit little-endian ELF file")?;
        if header.e_machine(ORDER) != elf::EM_CUDA {
            return Err("this ELF file holds no GPU code");
        }
        let table = header.sections(ORDER, file).map_err(|_| "the table of sections is damaged")?;
        let sections = sections(file, &table).ok_or("the table of sections is damaged")?;
        let symbols = symbols(file, &table).ok_or("the table of symbols is damaged")?;
        let (flags, version) = (header.e_flags(ORDER).0, header.e_ident().abi_version);
        Ok(Elf { file, flags, version, sections, symbols })
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
        for table in self.sections.iter().filter(|table| table.info as usize == section) {
            if let Some((entries, _)) = table.header.rela(ORDER, self.file).ok()? {
                fixups.extend(entries.iter().map(|entry| Fixup {
                    offset: entry.r_offset(ORDER),
                    kind: entry.r_type(ORDER, false).0,
                    symbol: entry.r_sym(ORDER, false) as usize,
                    addend: Some(entry.r_addend(ORDER)),
                }));
            }
            if let Some((entries, _)) = table.header.rel(ORDER, self.file).ok()? {
                fixups.extend(entries.iter().map(|entry| Fixup {
                    offset: entry.r_offset(ORDER),
                    kind: entry.r_type(ORDER).0,
                    symbol: entry.r_sym(ORDER) as usize,
                    addend: None,
                }));
            }
        }
        Some(fixups)
    }
}

fn sections<'a>(file: &'a [u8], table: &SectionTable<'a, Header>) -> Option<Vec<Section<'a>>> {
    let section = |header: &'a SectionHeader64<LittleEndian>| {
        Some(Section {
            name: str::from_utf8(table.section_name(ORDER, header).ok()?).ok()?,
            flags: header.sh_flags(ORDER).0,
            size: header.sh_size(ORDER),
            alignment: header.sh_addralign(ORDER),
            info: header.sh_info(ORDER),
            data: header.data(ORDER, file).ok()?,
            header,
        })
    };
    table.iter().map(section).collect()
}

fn symbols<'a>(file: &'a [u8], table: &SectionTable<'a, Header>) -> Option<Vec<Symbol<'a>>> {
    let symbols = table.symbols(ORDER, file, elf::SHT_SYMTAB).ok()?;
    let symbol = |symbol: &'a elf::Sym64<LittleEndian>| {
        Some(Symbol {
            name: str::from_utf8(symbols.symbol_name(ORDER, symbol).ok()?).ok()?,
            kind: symbol.st_type(),
            other: symbol.st_other().0,
            section: usize::from(symbol.st_shndx(ORDER).0),
            value: symbol.st_value(ORDER),
            size: symbol.st_size(ORDER),
        })
    };
    symbols.iter().map(symbol).collect()
}
