//! Products of fragments.

use super::fragment::{Fragment, Shape};
use super::text::{Writer, listed};
use warplab_ptx::tree::{Flag, Instruction, Type, Wmma};

/// The fragments of a product and what it is made of.
pub(super) struct Product {
    shape: Shape,
    /// The sum, the factors and what is added.
    pub(super) fragments: [Fragment; 4],
    types: [Type; 4],
    saturates: bool,
}

impl Product {
    /// None where PTX has no such product.
    pub(super) fn of(tree: &Instruction) -> Option<Product> {
        let shape = Shape::of(tree)?;
        let types: Vec<Type> = tree.types().collect();
        let types = match *types.as_slice() {
            [sum @ (Type::F16 | Type::F32), added @ (Type::F16 | Type::F32)] => {
                [sum, Type::F16, Type::F16, added]
            }
            [sum, first, second, added] => [sum, first, second, added],
            _ => return None,
        };
        let saturates = tree.flag(Flag::Satfinite);
        let same = |allowed: Type, factors: &[Type]| {
            types[0] == allowed && types[3] == allowed && types[1..3].iter().all(|ty| factors.contains(ty))
        };
        let known = types[1..3] == [Type::F16; 2]
            || types[1] == types[2] && same(Type::F32, &[Type::Bf16, Type::Tf32])
            || same(Type::S32, &[Type::S8, Type::U8])
            || same(Type::F64, &[Type::F64]);
        if !known || saturates && types[0] != Type::S32 {
            return None;
        }
        // How memory has them does not matter.
        let fragment = |part, ty| Fragment::new(shape, part, true, ty);
        let fragments = [
            fragment(Wmma::D, types[0])?,
            fragment(Wmma::A, types[1])?,
            fragment(Wmma::B, types[2])?,
            fragment(Wmma::C, types[3])?,
        ];
        Some(Product { shape, fragments, types, saturates })
    }

    /// Writes it. The registers are those of the sum, the factors and what is added.
    pub(super) fn write(&self, writer: &mut Writer, registers: &[Vec<String>; 4]) {
        let [sum, first, second, added] = registers;
        let [sum_type, first_type, second_type, added_type] = self.types;
        let swaps = self.shape.swaps();
        let ((first, first_type, first_tiles), (second, second_type, second_tiles)) = {
            let [_, a, b, _] = &self.fragments;
            let (a, b) = ((first, first_type, a.tiles.len()), (second, second_type, b.tiles.len()));
            if swaps { (b, a) } else { (a, b) }
        };
        let (first, second) = (&first[..first_tiles], &second[..second_tiles]);
        let halves = sum_type == Type::F16 && added_type == Type::F16;
        let mut sums = match added_type {
            Type::F16 if !halves => widened(writer, added),
            _ => added.clone(),
        };
        let products = sums.len() / self.registers_of_sum(halves);
        let columns = self.columns();
        let (rows, pieces) = (products / columns, self.pieces());
        let name = self.name(halves, first_type, second_type);
        for piece in 0..pieces {
            for index in 0..products {
                let (row, column) = (index / columns, index % columns);
                let part = |of: &[String], place: usize, places: usize| {
                    let length = of.len() / places / pieces;
                    listed(&of[(place * pieces + piece) * length..][..length])
                };
                let length = sums.len() / products;
                let added = listed(&sums[index * length..][..length]);
                let to: Vec<String> = (0..length)
                    .map(|_| if sum_type == Type::F64 { writer.wide_register() } else { writer.register() })
                    .collect();
                writer.emit(format_args!(
                    "{name} {}, {}, {}, {added}",
                    listed(&to),
                    part(first, row, rows),
                    part(second, column, columns)
                ));
                sums.splice(index * length..(index + 1) * length, to);
            }
        }
        if sum_type == Type::F16 && !halves {
            for (to, pair) in sum.iter().zip(sums.chunks(2)) {
                writer.emit(format_args!("cvt.rn.f16x2.f32 {to}, {}, {}", pair[1], pair[0]));
            }
            return;
        }
        let bits = sum_type.bits();
        for (to, from) in sum.iter().zip(&sums) {
            writer.emit(format_args!("mov.b{bits} {to}, {from}"));
        }
    }

    /// Registers of the sum of one instruction.
    fn registers_of_sum(&self, halves: bool) -> usize {
        if halves || self.types[0] == Type::F64 { 2 } else { 4 }
    }

    /// Products side by side: of eight columns each.
    fn columns(&self) -> usize {
        let columns = if self.shape.swaps() { self.shape.rows } else { self.shape.columns };
        columns as usize / 8
    }

    /// Instructions one after another, for the depth.
    fn pieces(&self) -> usize {
        if self.types[1] == Type::Tf32 { 2 } else { 1 }
    }

    fn name(&self, halves: bool, first: Type, second: Type) -> String {
        let (shape, sum) = match first {
            Type::F64 => ("m8n8k4", Type::F64),
            Type::Tf32 => ("m16n8k4", Type::F32),
            Type::S8 | Type::U8 => ("m16n8k16", Type::S32),
            _ if halves => ("m16n8k16", Type::F16),
            _ => ("m16n8k16", Type::F32),
        };
        let saturates = if self.saturates { ".satfinite" } else { "" };
        let [sum, first, second] = [sum, first, second].map(Type::name);
        format!("mma.sync.aligned.{shape}.row.col{saturates}.{sum}.{first}.{second}.{sum}")
    }
}

/// Pairs of halves as singles.
fn widened(writer: &mut Writer, pairs: &[String]) -> Vec<String> {
    let mut singles = Vec::new();
    for pair in pairs {
        let [low, high] = [writer.half_register(), writer.half_register()];
        writer.emit(format_args!("mov.b32 {{{low}, {high}}}, {pair}"));
        singles.extend([low, high].map(|half| writer.op("cvt.f32.f16", format_args!("{half}"))));
    }
    singles
}
