//! Copies of boxes of tensors (`cp.async.bulk.tensor`). As with all copies of many lines the active lanes come one after
//! the other.

use super::Selector;
use super::bulk::{operation, place, spaces};
use super::memory::Window;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{Flag, Space, Type};

/// The dimensions that can be written, and the modifiers of machine code.
const DIMENSIONS: [(Flag, M); 5] = [
    (Flag::OneD, M::OneD),
    (Flag::TwoD, M::TwoD),
    (Flag::ThreeD, M::ThreeD),
    (Flag::FourD, M::FourD),
    (Flag::FiveD, M::FiveD),
];

impl Selector<'_, '_> {
    pub(super) fn box_copies(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        if tree.flag(Flag::Im2col) {
            return self.unsupported("'.im2col' is not supported");
        }
        let Some((_, dimensions)) = DIMENSIONS.into_iter().find(|&(flag, _)| tree.flag(flag)) else { return };
        let is_prefetch = tree.flag(Flag::Prefetch);
        let reads_global = spaces(flat).nth(1) == Some(Space::Global);
        let (tensor, others) = match (is_prefetch, reads_global, flat.operands.as_slice()) {
            (true, _, [tensor, ..]) => (tensor, [None, None]),
            (_, true, [to, tensor, barrier, ..]) => (tensor, [Some(to), Some(barrier)]),
            (_, false, [tensor, from, ..]) => (tensor, [Some(from), None]),
            _ => {
                let why = "a copy to shared memory names the barrier that is told, in brackets";
                return self.unsupported(why);
            }
        };
        let Value::Vector(parts) = tensor else {
            return self.unsupported("a tensor is written [map, {coordinates}]");
        };
        let Some((map, coordinates)) = parts.split_first() else { return };
        let mut places: Vec<Operand> = others.into_iter().flatten().map(|it| self.near_place(it)).collect();
        places.extend(coordinates.iter().map(|coordinate| self.source(coordinate, Type::B32).low));
        let map = self.far_place(map, Window::Generic);
        let (opcode, modifiers) = match (is_prefetch, reads_global) {
            (true, _) => (Opcode::Utmapf, vec![M::Level2, dimensions]),
            (_, true) => (Opcode::Utmaldg, vec![dimensions]),
            _ if tree.flag(Flag::Reduce) => (Opcode::Utmaredg, vec![dimensions, operation(flat)]),
            _ => (Opcode::Utmastg, vec![dimensions]),
        };
        let named = if reads_global { self.named_blocks(flat, 3) } else { None };
        // The blocks are named by the upper half.
        let upper = |blocks| [Operand::ZERO, Operand::Immediate(0x5410), blocks];
        let named = named.map(|it| Operand::register(self.compute(Opcode::Prmt, &[], upper(it))));
        if opcode == Opcode::Utmastg {
            return self.for_each_place([&places, &map], |it, [places, map]| {
                it.op(opcode, &modifiers, [place(places), place(map)]);
            });
        }
        self.for_each_lane(|it| {
            let (places, map) = (it.for_warp(&places), it.for_warp(&map));
            let Some(named) = named else { return it.op(opcode, &modifiers, [place(places), place(map)]) };
            let named = Operand::uniform(it.for_warp(&[named]));
            it.op(opcode, &[&modifiers[..], &[M::Multicast]].concat(), [place(places), place(map), named]);
        });
    }
}
