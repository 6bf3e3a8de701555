//! Loads and stores of fragments.

use super::fragment::{Fragment, Tile};
use super::text::{Writer, listed};
use rustc_hash::FxHashMap;
use warplab_ptx::tree::Space;

/// Where a matrix lies.
pub(super) struct Place {
    /// The space, unless the address is generic.
    pub(super) space: Option<Space>,
    /// The name of the address.
    pub(super) base: String,
    /// Whether that is a register of 64 bits.
    pub(super) base_is_wide: bool,
    /// Bytes past it.
    pub(super) offset: i64,
    /// The name or number of the leading dimension, in elements.
    pub(super) stride: String,
}

impl Place {
    fn is_shared(&self) -> bool {
        self.space.is_some_and(|space| space.family() == Space::Shared)
    }
}

/// How a lane reaches its elements of a tile.
enum Reach {
    /// All at once.
    Whole(String),
    /// Those of the transposed tile at once.
    Transposed(String),
    /// One by one.
    Each(Vec<String>),
}

/// Writes the accesses of one fragment.
pub(super) struct Access<'a> {
    writer: &'a mut Writer,
    fragment: &'a Fragment,
    place: &'a Place,
    /// The registers that hold a lane's place in rows of the matrix.
    rows: FxHashMap<u32, String>,
}

/// `wmma.load`.
pub(super) fn load(writer: &mut Writer, fragment: &Fragment, registers: &[String], place: &Place) {
    let mut access = Access { writer, fragment, place, rows: FxHashMap::default() };
    let by_matrices = place.is_shared()
        && !fragment.is_sum
        && (fragment.bytes == 2 || fragment.bytes == 1 && fragment.contiguous);
    if by_matrices {
        access.load_matrices(registers);
    } else {
        access.load_elements(registers);
    }
    let used = fragment.tiles.len() * fragment.words;
    for (register, again) in registers[used..].iter().zip(registers[..used].iter().cycle()) {
        writer.emit(format_args!("mov.b32 {register}, {again}"));
    }
}

/// `wmma.store`.
pub(super) fn store(writer: &mut Writer, fragment: &Fragment, registers: &[String], place: &Place) {
    Access { writer, fragment, place, rows: FxHashMap::default() }.store_elements(registers);
}

impl Access<'_> {
    /// Factors in shared memory: a lane names a row of a tile.
    fn load_matrices(&mut self, registers: &[String]) {
        let fragment = self.fragment;
        let transposed = if fragment.contiguous { "" } else { ".trans" };
        let mut registers = registers;
        for tiles in fragment.groups() {
            if self.rows.is_empty() {
                let pointer = self.row_of_matrices(tiles);
                self.rows.insert(0, pointer);
            }
            let (row, column) = fragment.corner(tiles[0]);
            let pointer = self.row(row);
            let (to, rest) = registers.split_at(tiles.len());
            self.writer.emit(format_args!(
                "ldmatrix.sync.aligned.m8n8.x{}{transposed}.shared.b16 {}, [{pointer}+{}]",
                tiles.len(),
                listed(to),
                column * fragment.bytes
            ));
            registers = rest;
        }
    }

    /// The address of the row that a lane names of the first tiles: bits 3 and 4 of its number choose the tile.
    fn row_of_matrices(&mut self, tiles: &[Tile]) -> String {
        let (fragment, start) = (self.fragment, self.start());
        let corner = |index: usize| tiles.get(index).map_or((0, 0), |&tile| fragment.corner(tile));
        let writer = &mut *self.writer;
        let lane = writer.op("mov.u32", format_args!("%laneid"));
        let row = match (corner(1), corner(2)) {
            ((8, _), _) => writer.op("and.b32", format_args!("{lane}, 15")),
            (_, (8, _)) => {
                let within = writer.op("and.b32", format_args!("{lane}, 7"));
                let half = writer.op("shr.u32", format_args!("{lane}, 1"));
                let half = writer.op("and.b32", format_args!("{half}, 8"));
                writer.op("or.b32", format_args!("{half}, {within}"))
            }
            _ => writer.op("and.b32", format_args!("{lane}, 7")),
        };
        let stride = scaled(writer, &self.place.stride, fragment.bytes);
        let pointer = writer.op("mad.lo.u32", format_args!("{row}, {stride}, {start}"));
        // Eight elements of two bytes further.
        let column = match (corner(1), corner(2)) {
            ((_, 8), _) => {
                let twice = writer.op("shl.b32", format_args!("{lane}, 1"));
                writer.op("and.b32", format_args!("{twice}, 16"))
            }
            (_, (_, 8)) => writer.op("and.b32", format_args!("{lane}, 16")),
            _ => return pointer,
        };
        writer.op("add.u32", format_args!("{pointer}, {column}"))
    }

    fn load_elements(&mut self, registers: &[String]) {
        let fragment = self.fragment;
        let space = self.space();
        for (tile, to) in fragment.tiles.iter().zip(registers.chunks(fragment.words)) {
            let reach = self.reach(*tile);
            let writer = &mut *self.writer;
            match reach {
                Reach::Whole(address) => {
                    writer.emit(format_args!("ld{space}{} {}, {address}", whole(fragment), listed(to)));
                }
                Reach::Transposed(address) => {
                    let rows = writer.op(&format!("ld{space}.b32"), format_args!("{address}"));
                    writer.emit(format_args!("movmatrix.sync.aligned.m8n8.trans.b16 {}, {rows}", to[0]));
                }
                Reach::Each(addresses) if fragment.bytes == 1 => {
                    let opcode = format!("ld{space}.u8");
                    let mut byte = |index: usize| writer.op(&opcode, format_args!("{}", addresses[index]));
                    let [a, b, c, d] = [0, 1, 2, 3].map(&mut byte);
                    let low = writer.op("mad.lo.u32", format_args!("{b}, 256, {a}"));
                    let high = writer.op("mad.lo.u32", format_args!("{d}, 256, {c}"));
                    writer.emit(format_args!("prmt.b32 {}, {low}, {high}, 0x5410", to[0]));
                }
                Reach::Each(addresses) => {
                    for (to, address) in to.iter().zip(&addresses) {
                        writer.emit(format_args!("ld{space}.b{} {to}, {address}", 8 * fragment.bytes));
                    }
                }
            }
        }
    }

    fn store_elements(&mut self, registers: &[String]) {
        let fragment = self.fragment;
        let space = self.space();
        for (tile, from) in fragment.tiles.iter().zip(registers.chunks(fragment.words)) {
            let reach = self.reach(*tile);
            let writer = &mut *self.writer;
            match reach {
                Reach::Whole(address) => {
                    writer.emit(format_args!("st{space}{} {address}, {}", whole(fragment), listed(from)));
                }
                Reach::Transposed(address) => {
                    let rows =
                        writer.op("movmatrix.sync.aligned.m8n8.trans.b16", format_args!("{}", from[0]));
                    writer.emit(format_args!("st{space}.b32 {address}, {rows}"));
                }
                Reach::Each(addresses) => {
                    for (from, address) in from.iter().zip(&addresses) {
                        writer.emit(format_args!("st{space}.b{} {address}, {from}", 8 * fragment.bytes));
                    }
                }
            }
        }
    }

    fn space(&self) -> String {
        self.place.space.map_or_else(String::new, |space| format!(".{}", space.name()))
    }

    /// The address of the matrix, in a register.
    fn start(&mut self) -> String {
        let Place { base, base_is_wide, offset, .. } = self.place;
        let base = match (self.place.is_shared(), *base_is_wide) {
            (true, true) => self.writer.op("cvt.u32.u64", format_args!("{base}")),
            _ => base.clone(),
        };
        match (*offset, self.place.is_shared()) {
            (0, _) => base,
            (offset, true) => self.writer.op("add.s32", format_args!("{base}, {offset}")),
            (offset, false) => self.writer.wide_op("add.s64", format_args!("{base}, {offset}")),
        }
    }

    /// The address of a lane's first element.
    fn first_element(&mut self) -> String {
        let (fragment, start) = (self.fragment, self.start());
        let writer = &mut *self.writer;
        let lane = writer.op("mov.u32", format_args!("%laneid"));
        let group = writer.op("shr.u32", format_args!("{lane}, 2"));
        let within = writer.op("and.b32", format_args!("{lane}, 3"));
        let at_once = fragment.contiguous || fragment.bytes == 2;
        let shift = fragment.neighbours.ilog2();
        let shifted = |writer: &mut Writer, how: &str, value: &str| match shift {
            0 => String::from(value),
            _ => writer.op(how, format_args!("{value}, {shift}")),
        };
        // In units of what a lane loads at once.
        let (row, column, stride, width) = if at_once {
            let stride = shifted(writer, "shr.u32", &self.place.stride);
            (group, within, stride, fragment.neighbours * fragment.bytes)
        } else {
            (shifted(writer, "shl.b32", &within), group, self.place.stride.clone(), fragment.bytes)
        };
        let scale = width.ilog2();
        if self.place.is_shared() {
            let index = writer.op("mad.lo.u32", format_args!("{row}, {stride}, {column}"));
            let bytes = writer.op("shl.b32", format_args!("{index}, {scale}"));
            writer.op("add.s32", format_args!("{start}, {bytes}"))
        } else {
            let column = writer.wide_op("cvt.u64.u32", format_args!("{column}"));
            let index = writer.wide_op("mad.wide.u32", format_args!("{row}, {stride}, {column}"));
            let bytes = writer.wide_op("shl.b64", format_args!("{index}, {scale}"));
            writer.wide_op("add.s64", format_args!("{start}, {bytes}"))
        }
    }

    /// A lane's place, so many rows of the matrix further.
    fn row(&mut self, row: u32) -> String {
        if let Some(known) = self.rows.get(&row) {
            return known.clone();
        }
        let (stride, bytes) = (&self.place.stride, row * self.fragment.bytes);
        let first = &self.rows[&0];
        let pointer = if self.place.is_shared() {
            self.writer.op("mad.lo.u32", format_args!("{stride}, {bytes}, {first}"))
        } else {
            self.writer.wide_op("mad.wide.u32", format_args!("{stride}, {bytes}, {first}"))
        };
        self.rows.insert(row, pointer.clone());
        pointer
    }

    fn reach(&mut self, tile: Tile) -> Reach {
        if self.rows.is_empty() {
            let first = self.first_element();
            self.rows.insert(0, first);
        }
        let fragment = self.fragment;
        let (row, column) = fragment.corner(tile);
        let mut address = |row: u32| format!("[{}+{}]", self.row(row), column * fragment.bytes);
        if fragment.contiguous {
            Reach::Whole(address(row))
        } else if fragment.bytes == 2 {
            Reach::Transposed(address(row))
        } else {
            Reach::Each((0..fragment.neighbours).map(|next| address(row + next)).collect())
        }
    }
}

/// The vector and type of all that a lane holds of a tile.
fn whole(fragment: &Fragment) -> String {
    let vector = if fragment.words == 2 { ".v2" } else { "" };
    format!("{vector}.b{}", if fragment.bytes == 8 { 64 } else { 32 })
}

/// A number of elements in bytes.
fn scaled(writer: &mut Writer, elements: &str, bytes: u32) -> String {
    match bytes.ilog2() {
        0 => String::from(elements),
        shift => writer.op("shl.b32", format_args!("{elements}, {shift}")),
    }
}
