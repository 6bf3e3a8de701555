//! Line information: `.debug_line` says which line of the source an instruction comes from.
//!
//! Where a function was inlined the compiler writes the rows of its callers first and its own last, all at one
//! address: the last row of an address is the innermost line.

use crate::elf::Elf;
use gimli::{
    AttributeValue, DebugLine, DebugLineOffset, EndianSlice, Error, FileEntry, LineProgramHeader,
    LittleEndian, Reader, Relocate, RelocateReader,
};
use std::collections::BTreeMap;

/// The versions of the format that are understood; compilers of CUDA 13 write version 2.
const VERSIONS: std::ops::RangeInclusive<u16> = 2..=4;
/// The bytes of an address of GPU code.
const ADDRESS_BYTES: u8 = 8;

/// A line of a file, by the number of the file.
type FileLine = (u16, u32);
/// A reader of `.debug_line` that knows which section an address is in.
type Section<'a> = RelocateReader<EndianSlice<'a, LittleEndian>, &'a Origins>;

/// The lines of all code of a cubin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The names of the files.
    pub(crate) files: Vec<String>,
    /// From what address on which line holds; nothing past the end of a sequence.
    rows: Vec<(u64, Option<FileLine>)>,
}

impl Lines {
    /// The line of the instruction at an address of a section.
    pub(crate) fn at(&self, section: usize, address: u64) -> Option<FileLine> {
        let address = address_in(section, address);
        let after = self.rows.partition_point(|&(start, _)| start <= address);
        self.rows.get(after.checked_sub(1)?)?.1
    }

    fn file(&mut self, name: String) -> Option<u16> {
        let index = self.files.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        u16::try_from(index).ok()
    }
}

/// One address for what is at an address of a section: every section has 2^40 bytes of its own. Section 0, which never
/// holds code, has the addresses without a relocation.
fn address_in(section: usize, address: u64) -> u64 {
    const BITS: u32 = 40;
    (section as u64) << BITS | address & ((1 << BITS) - 1)
}

/// What the relocations of `.debug_line` say: the address that belongs to an offset.
#[derive(Debug)]
struct Origins(BTreeMap<usize, u64>);

impl Origins {
    fn of(elf: &Elf<'_>, section: usize) -> Option<Origins> {
        let origin = |fixup: crate::elf::Fixup| {
            let symbol = elf.symbols.get(fixup.symbol)?;
            let address = symbol.value.wrapping_add_signed(fixup.addend.unwrap_or_default());
            Some((usize::try_from(fixup.offset).ok()?, address_in(symbol.section, address)))
        };
        Some(Origins(elf.fixups(section)?.into_iter().map(origin).collect::<Option<_>>()?))
    }
}

impl Relocate for &Origins {
    fn relocate_address(&self, offset: usize, _: u64) -> gimli::Result<u64> {
        Ok(self.0.get(&offset).copied().unwrap_or_default())
    }

    fn relocate_offset(&self, _: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

/// The line information of a cubin, empty where it has none; `None` when it is damaged.
pub(crate) fn read(elf: &Elf<'_>) -> Option<Lines> {
    let mut lines = Lines::default();
    let Some((number, section)) = elf.section(".debug_line") else { return Some(lines) };
    let origins = Origins::of(elf, number)?;
    let whole = RelocateReader::new(EndianSlice::new(section.data, LittleEndian), &origins);
    let mut rest = whole.clone();
    while !rest.is_empty() {
        let offset = rest.offset_from(&whole);
        let (length, _) = rest.read_initial_length().ok()?;
        rest.skip(length).ok()?;
        unit(&DebugLine::from(whole.clone()), offset, &mut lines).ok()?;
    }
    // Stable: rows of one address keep their order.
    lines.rows.sort_by_key(|&(address, _)| address);
    Some(lines)
}

/// Adds the rows of the unit at an offset.
fn unit(section: &DebugLine<Section<'_>>, offset: usize, lines: &mut Lines) -> gimli::Result<()> {
    let program = match section.program(DebugLineOffset(offset), ADDRESS_BYTES, None, None) {
        Ok(program) if VERSIONS.contains(&program.header().version()) => program,
        // Not damaged, only unknown: the code runs without lines.
        Ok(_) | Err(Error::UnknownVersion(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let header = program.header();
    let files: Vec<Option<u16>> =
        header.file_names().iter().map(|file| lines.file(path(header, file))).collect();
    let mut rows = program.rows();
    while let Some((_, row)) = rows.next_row()? {
        let line = if row.end_sequence() { None } else { line_of(&files, row) };
        lines.rows.push((row.address(), line));
    }
    Ok(())
}

/// The file and line of a row; files count from 1.
fn line_of(files: &[Option<u16>], row: &gimli::LineRow) -> Option<FileLine> {
    let index = usize::try_from(row.file_index()).ok()?.checked_sub(1)?;
    let line = u32::try_from(row.line()?.get()).ok()?;
    Some((files.get(index).copied().flatten()?, line))
}

/// The path of a file as a text that fits in quotes.
fn path(header: &LineProgramHeader<Section<'_>>, file: &FileEntry<Section<'_>>) -> String {
    let text = |value: AttributeValue<Section<'_>>| match value {
        AttributeValue::String(bytes) => bytes.to_string_lossy().unwrap_or_default().into_owned(),
        _ => String::new(),
    };
    let name = text(file.path_name());
    let folder = file.directory(header).map(text).unwrap_or_default();
    let whole = if folder.is_empty() || name.starts_with('/') {
        name
    } else {
        format!("{}/{name}", folder.trim_end_matches('/'))
    };
    whole.replace(|character: char| character.is_control() || character == '"', "_")
}
