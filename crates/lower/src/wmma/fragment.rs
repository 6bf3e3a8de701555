//! Fragments: which elements of a matrix each lane holds, as `mma` takes them.
//!
//! A matrix is cut into tiles. A lane is in group `lane / 4` and has place `lane % 4` there; it holds the element of its group
//! *across* the tile and neighbours *along* it. The first factor of a product goes in tiles of 16 rows, the second in tiles of
//! 8 columns; where the second has 32 columns and the first 8 rows, they change places.

use warplab_ptx::tree::{Instruction, MatrixShape, Modifier, Type, Wmma};

/// A tile: where it starts across and along its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) across: u32,
    pub(super) along: u32,
}

/// A matrix as the lanes of a warp hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    /// Its tiles, in the order of the registers.
    pub(super) tiles: Vec<Tile>,
    /// Neighbours that a lane holds of each tile.
    pub(super) neighbours: u32,
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// Registers of a tile.
    pub(super) words: usize,
    /// Registers in all: more than the tiles need where PTX has the same ones again.
    pub(super) registers: usize,
    /// Whether it is a sum, not a factor.
    pub(super) is_sum: bool,
    /// Whether neighbours are neighbours in memory.
    pub(super) contiguous: bool,
    /// The leading dimension where none is given.
    pub(super) dense: u32,
}

/// The rows and columns of the sum, and the depth of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) depth: u32,
}

impl Shape {
    pub(super) fn of(tree: &Instruction) -> Option<Shape> {
        let (rows, columns, depth) = tree.modifiers.iter().find_map(|modifier| match modifier {
            Modifier::Matrix(MatrixShape::M16n16k16) => Some((16, 16, 16)),
            Modifier::Matrix(MatrixShape::M32n8k16) => Some((32, 8, 16)),
            Modifier::Matrix(MatrixShape::M8n32k16) => Some((8, 32, 16)),
            Modifier::Matrix(MatrixShape::M16n16k8) => Some((16, 16, 8)),
            Modifier::Matrix(MatrixShape::M8n8k4) => Some((8, 8, 4)),
            _ => None,
        })?;
        Some(Shape { rows, columns, depth })
    }

    /// Whether the second factor is the one in tiles of 16.
    pub(super) fn swaps(self) -> bool {
        self.columns == 32
    }

    /// Whether factors of this type come in this shape.
    fn takes(self, ty: Type) -> bool {
        match self.depth {
            16 => matches!(ty, Type::F16 | Type::Bf16 | Type::S8 | Type::U8 | Type::F32 | Type::S32),
            8 => matches!(ty, Type::Tf32 | Type::F32),
            _ => ty == Type::F64,
        }
    }
}

impl Fragment {
    /// The fragment that a load or store moves; none where PTX has no such one.
    pub(super) fn of(tree: &Instruction) -> Option<Fragment> {
        let shape = Shape::of(tree)?;
        let part = tree.modifiers.iter().rev().find_map(|modifier| match modifier {
            Modifier::Wmma(part) => Some(*part),
            _ => None,
        })?;
        // A sum is loaded as C and stored as D.
        let is_store = tree.has(Modifier::Wmma(Wmma::Store));
        if is_store != (part == Wmma::D) {
            return None;
        }
        let by_rows = tree.has(Modifier::Matrix(MatrixShape::Row));
        Fragment::new(shape, part, by_rows, tree.ty()?)
    }

    /// A part of a product; `by_rows`: memory has it row by row.
    pub(super) fn new(shape: Shape, part: Wmma, by_rows: bool, ty: Type) -> Option<Fragment> {
        let Shape { rows, columns, depth } = shape;
        let is_sum = matches!(part, Wmma::C | Wmma::D);
        let (neighbours, bytes, words) = match (is_sum, ty) {
            (_, Type::F16) | (false, Type::Bf16) => (2, 2, 1),
            (false, Type::S8 | Type::U8) => (4, 1, 1),
            (false, Type::Tf32) => (1, 4, 1),
            (false, Type::F64) => (1, 8, 1),
            (true, Type::F32 | Type::S32) => (2, 4, 2),
            (true, Type::F64) => (2, 8, 2),
            _ => return None,
        };
        if !shape.takes(ty) {
            return None;
        }
        let by_columns = !by_rows;
        let dense = |row_length, column_length| if by_rows { row_length } else { column_length };
        let (across, along, contiguous, dense) = match part {
            Wmma::A => (rows, depth, by_rows, dense(depth, rows)),
            Wmma::B => (columns, depth, by_columns, dense(columns, depth)),
            Wmma::C | Wmma::D if shape.swaps() => (columns, rows, by_columns, dense(columns, rows)),
            Wmma::C | Wmma::D => (rows, columns, by_rows, dense(columns, rows)),
            _ => return None,
        };
        let is_first = is_sum || (part == Wmma::A) != shape.swaps();
        let tiles = tiles(across, along, 4 * neighbours, is_first);
        let registers = if !is_sum && ty == Type::F16 { 8 } else { tiles.len() * words };
        Some(Fragment { tiles, neighbours, bytes, words, registers, is_sum, contiguous, dense })
    }

    /// The row and column where a tile starts in memory.
    pub(super) fn corner(&self, tile: Tile) -> (u32, u32) {
        if self.contiguous { (tile.across, tile.along) } else { (tile.along, tile.across) }
    }

    /// The tiles 16 across at a time.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Tile]> {
        self.tiles.chunk_by(|a, b| a.across / 16 == b.across / 16)
    }
}

/// The tiles of a matrix. Of the first factor and the sum those 8 across apart follow each other, of the second those `step` along.
fn tiles(across: u32, along: u32, step: u32, is_first: bool) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for group in (0..across).step_by(16) {
        let here = || (group..across.min(group + 16)).step_by(8);
        let steps = || (0..along).step_by(step as usize);
        if is_first {
            tiles.extend(steps().flat_map(|along| here().map(move |across| Tile { across, along })));
        } else {
            tiles.extend(here().flat_map(|across| steps().map(move |along| Tile { across, along })));
        }
    }
    tiles
}
