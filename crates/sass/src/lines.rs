//! Line information: the DWARF line program of `.debug_line`, which says what line of the source an instruction is of.
//!
//! Of a function that was inlined the compiler writes the rows of its callers first and its own last, at one address:
//! the last row of an address is the innermost line.

use crate::elf::{Bytes, Elf};
use std::collections::BTreeMap;

/// Opcodes of the line program.
mod opcode {
    pub(super) const EXTENDED: u8 = 0;
    pub(super) const COPY: u8 = 1;
    pub(super) const ADVANCE_ADDRESS: u8 = 2;
    pub(super) const ADVANCE_LINE: u8 = 3;
    pub(super) const SET_FILE: u8 = 4;
    pub(super) const CONSTANT_ADDRESS: u8 = 8;
    pub(super) const FIXED_ADVANCE: u8 = 9;
    /// Extended opcodes.
    pub(super) const END_OF_SEQUENCE: u8 = 1;
    pub(super) const SET_ADDRESS: u8 = 2;
}

/// The versions of the format that are understood; compilers of CUDA 13 write version 2.
const VERSIONS: std::ops::RangeInclusive<u16> = 2..=4;

/// A line of a file, by the number of the file.
type Place = (u16, u32);

/// The lines of all code of a cubin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The names of the files.
    pub(crate) files: Vec<String>,
    /// For a section, from what address on which line holds; nothing past the end of a sequence.
    sections: BTreeMap<usize, Vec<(u64, Option<Place>)>>,
}

impl Lines {
    /// The line of the instruction at an address of a section.
    pub(crate) fn at(&self, section: usize, address: u64) -> Option<Place> {
        let rows = self.sections.get(&section)?;
        let after = rows.partition_point(|&(start, _)| start <= address);
        rows.get(after.checked_sub(1)?)?.1
    }

    fn file(&mut self, name: String) -> Option<u16> {
        let index = self.files.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        u16::try_from(index).ok()
    }
}

/// The line information of a cubin, empty where it has none; `None` when it is damaged.
pub(crate) fn read(elf: &Elf<'_>) -> Option<Lines> {
    let mut lines = Lines::default();
    let Some((number, section)) = elf.section(".debug_line") else { return Some(lines) };
    let mut origins = BTreeMap::new();
    for fixup in elf.fixups(number)? {
        let symbol = elf.symbols.get(fixup.symbol)?;
        let addend = fixup.addend.unwrap_or_default();
        origins.insert(fixup.offset, (symbol.section, symbol.value.wrapping_add_signed(addend)));
    }
    let mut cursor = Cursor { bytes: Bytes(section.data), at: 0 };
    while cursor.at < section.data.len() {
        let length = cursor.u32()? as usize;
        let end = cursor.at.checked_add(length).filter(|&end| end <= section.data.len())?;
        unit(&mut Cursor { bytes: Bytes(&section.data[..end]), at: cursor.at }, &origins, &mut lines)?;
        cursor.at = end;
    }
    for rows in lines.sections.values_mut() {
        // Stable: rows of one address keep their order.
        rows.sort_by_key(|&(address, _)| address);
    }
    Some(lines)
}

/// What the line program counts with.
struct Header {
    address_step: u64,
    line_base: i64,
    line_range: u64,
    opcode_base: u8,
    operands: Vec<u8>,
    /// Files by their number in the unit, less one.
    files: Vec<Option<u16>>,
}

fn unit(cursor: &mut Cursor<'_>, origins: &BTreeMap<u64, (usize, u64)>, lines: &mut Lines) -> Option<()> {
    let version = cursor.u16()?;
    if !VERSIONS.contains(&version) {
        // Not damaged, only unknown: the code runs without lines.
        return Some(());
    }
    let length = cursor.u32()? as usize;
    let program = cursor.at.checked_add(length)?;
    let header = header(cursor, version, lines)?;
    cursor.at = program;
    while cursor.at < cursor.bytes.0.len() {
        sequence(cursor, &header, origins, lines)?;
    }
    Some(())
}

fn header(cursor: &mut Cursor<'_>, version: u16, lines: &mut Lines) -> Option<Header> {
    let address_step = u64::from(cursor.u8()?);
    // The most operations of an instruction, and whether lines are statements: of no use here.
    cursor.at += if version >= 4 { 2 } else { 1 };
    let line_base = i64::from(cursor.u8()?.cast_signed());
    let line_range = Some(u64::from(cursor.u8()?)).filter(|&range| range > 0)?;
    let opcode_base = Some(cursor.u8()?).filter(|&base| base > 0)?;
    let operands = (1..opcode_base).map(|_| cursor.u8()).collect::<Option<Vec<u8>>>()?;
    let mut folders = Vec::new();
    while let folder @ 1.. = cursor.text()?.len() {
        folders.push(&cursor.bytes.0[cursor.at - folder - 1..cursor.at - 1]);
    }
    let mut files = Vec::new();
    loop {
        let name = cursor.text()?;
        if name.is_empty() {
            break;
        }
        let folder = usize::try_from(cursor.unsigned()?).ok()?;
        // When it was written, and its size.
        cursor.unsigned()?;
        cursor.unsigned()?;
        let folder = folder.checked_sub(1).and_then(|index| folders.get(index)).copied();
        files.push(lines.file(path(folder, name)));
    }
    Some(Header { address_step, line_base, line_range, opcode_base, operands, files })
}

/// The path of a file as a text that fits in quotes.
fn path(folder: Option<&[u8]>, name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let folder = folder.filter(|folder| !folder.is_empty() && !name.starts_with('/'));
    let whole = folder.map_or_else(
        || name.to_string(),
        |folder| format!("{}/{name}", String::from_utf8_lossy(folder).trim_end_matches('/')),
    );
    whole.replace(|character: char| character.is_control() || character == '"', "_")
}

/// Reads the rows from one start address to the end of its sequence.
fn sequence(
    cursor: &mut Cursor<'_>,
    header: &Header,
    origins: &BTreeMap<u64, (usize, u64)>,
    lines: &mut Lines,
) -> Option<()> {
    let (mut section, mut address, mut file, mut line) = (None, 0_u64, 1_u64, 1_i64);
    let mut row = |section: Option<usize>, address: u64, place: Option<Place>| {
        if let Some(section) = section {
            lines.sections.entry(section).or_default().push((address, place));
        }
    };
    let place = |file: u64, line: i64| {
        let index = usize::try_from(file).ok()?.checked_sub(1)?;
        let line = u32::try_from(line).ok().filter(|&line| line > 0)?;
        Some((header.files.get(index).copied().flatten()?, line))
    };
    while cursor.at < cursor.bytes.0.len() {
        let code = cursor.u8()?;
        if code >= header.opcode_base {
            let step = u64::from(code - header.opcode_base);
            address = address.wrapping_add(step / header.line_range * header.address_step);
            line = line.wrapping_add(header.line_base + (step % header.line_range).cast_signed());
            row(section, address, place(file, line));
            continue;
        }
        match code {
            opcode::EXTENDED => {
                let length = usize::try_from(cursor.unsigned()?).ok()?;
                let end = cursor.at.checked_add(length)?;
                let kind = if length == 0 { 0 } else { cursor.u8()? };
                match kind {
                    opcode::END_OF_SEQUENCE => {
                        row(section, address, None);
                        cursor.at = end;
                        return Some(());
                    }
                    opcode::SET_ADDRESS => {
                        // Without a relocation the code is nowhere.
                        let origin = origins.get(&(cursor.at as u64));
                        section = origin.map(|&(section, _)| section);
                        address = origin.map_or(0, |&(_, address)| address);
                    }
                    _ => {}
                }
                cursor.at = end;
            }
            opcode::COPY => row(section, address, place(file, line)),
            opcode::ADVANCE_ADDRESS => {
                address = address.wrapping_add(cursor.unsigned()?.wrapping_mul(header.address_step));
            }
            opcode::ADVANCE_LINE => line = line.wrapping_add(cursor.signed()?),
            opcode::SET_FILE => file = cursor.unsigned()?,
            opcode::CONSTANT_ADDRESS => {
                let step = u64::from(255 - header.opcode_base) / header.line_range;
                address = address.wrapping_add(step * header.address_step);
            }
            opcode::FIXED_ADVANCE => address = address.wrapping_add(u64::from(cursor.u16()?)),
            _ => {
                for _ in 0..*header.operands.get(usize::from(code) - 1)? {
                    cursor.unsigned()?;
                }
            }
        }
    }
    Some(())
}

/// A place in the line program.
struct Cursor<'a> {
    bytes: Bytes<'a>,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn u8(&mut self) -> Option<u8> {
        let value = self.bytes.u8(self.at)?;
        self.at += 1;
        Some(value)
    }

    fn u16(&mut self) -> Option<u16> {
        let value = self.bytes.u16(self.at)?;
        self.at += 2;
        Some(value)
    }

    fn u32(&mut self) -> Option<u32> {
        let value = self.bytes.u32(self.at)?;
        self.at += 4;
        Some(value)
    }

    /// Bytes up to a zero, which is skipped.
    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.0.get(self.at..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        self.at += end + 1;
        Some(&rest[..end])
    }

    /// Seven bits a byte, the lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    /// The same with a sign.
    fn signed(&mut self) -> Option<i64> {
        let (mut value, mut shift) = (0_i64, 0);
        loop {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                let negative = byte & 0x40 != 0 && shift < 64;
                return Some(if negative { value | -1 << shift } else { value });
            }
        }
    }
}
