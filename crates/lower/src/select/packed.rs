//! Integers of 16 bits side by side.

use super::Selector;
use super::integer::negative;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{self, Flag, Type};

impl Selector<'_, '_> {
    pub(super) fn packed_integer(&mut self, flat: &Flat<'_>, ty: Type) {
        match flat.tree.opcode {
            tree::Opcode::Add => {
                let [a, b] = [1, 2].map(|at| Operand::register(self.register(&flat.operands[at], ty)));
                let to = Operand::register(self.result(&flat.operands[0], 32));
                self.op(Opcode::Viadd, &[M::Two16], [to, a, b]);
            }
            tree::Opcode::Sub => self.packed_difference(flat, ty.is_signed()),
            tree::Opcode::Min | tree::Opcode::Max => self.packed_extreme(flat, ty),
            _ => self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        }
    }

    /// The least or greatest, with a sum that is only used here in the same instruction.
    fn packed_extreme(&mut self, flat: &Flat<'_>, ty: Type) {
        let which = if flat.tree.opcode == tree::Opcode::Min { Operand::TRUE } else { Operand::FALSE };
        let mut modifiers = vec![if ty.is_signed() { M::S16x2 } else { M::U16x2 }];
        if flat.tree.flag(Flag::Relu) {
            modifiers.push(M::Relu);
        }
        let register = |it: &mut Self, value: &Value| Operand::register(it.register(value, ty));
        for (sum, other) in [(1, 2), (2, 1)] {
            let terms = match self.origin_of(&flat.operands[sum]) {
                Some((tree, operands, made))
                    if tree.opcode == tree::Opcode::Add
                        && tree.ty().is_some_and(|ty| ty.is_packed() && !ty.is_float())
                        && self.is_private(&flat.operands[sum], made) =>
                {
                    [operands[1].clone(), operands[2].clone()]
                }
                _ => continue,
            };
            let [a, b] = terms.map(|term| register(self, &term));
            let c = register(self, &flat.operands[other]);
            let to = Operand::register(self.result(&flat.operands[0], 32));
            return self.op(Opcode::Viaddmnmx, &modifiers, [to, a, b, c, which]);
        }
        let [a, b] = [1, 2].map(|at| register(self, &flat.operands[at]));
        let to = Operand::register(self.result(&flat.operands[0], 32));
        self.op(Opcode::Vimnmx, &modifiers, [to, a, b, which]);
    }

    fn packed_difference(&mut self, flat: &Flat<'_>, signed: bool) {
        let halves = |it: &mut Self, value: &Value| {
            let operand = it.source(value, Type::B32).low;
            let low = it.extend16(operand, signed);
            let selector = if signed { 0xbb32 } else { 0x4432 };
            let high = it.compute(Opcode::Prmt, &[], [operand, Operand::Immediate(selector), Operand::ZERO]);
            [low, Operand::register(high)]
        };
        let [a, b] = [1, 2].map(|at| halves(self, &flat.operands[at]));
        let [low, high] = [0, 1].map(|part| {
            Operand::register(self.compute(Opcode::Iadd3, &[], [a[part], negative(b[part]), Operand::ZERO]))
        });
        let to = Operand::register(self.result(&flat.operands[0], 32));
        self.op(Opcode::Prmt, &[], [to, low, Operand::Immediate(0x5410), high]);
    }
}
