//! Least and greatest of integers, with a third one or a sum in the same instruction.

use super::Selector;
use super::integer::{is_register, negative, signedness};
use super::values::not;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{self, Flag, Type};

impl Selector<'_, '_> {
    pub(super) fn minimum(&mut self, flat: &Flat<'_>, ty: Type) {
        let smaller = flat.tree.opcode == tree::Opcode::Min;
        let which = if smaller { Operand::TRUE } else { Operand::FALSE };
        if ty.bits() == 64 {
            let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
            let less = self.less64(a, b, ty.is_signed());
            let to = self.result(&flat.operands[0], 64);
            let predicate = Operand::predicate(less);
            let predicate = if smaller { predicate } else { not(predicate) };
            self.choose(to, a.low, b.low, predicate);
            return self.choose(to.offset(1), a.high, b.high, predicate);
        }
        let to = Operand::register(self.result(&flat.operands[0], 32));
        let relu = flat.tree.flag(Flag::Relu);
        let modifiers = if relu { &[M::Relu] } else { signedness(ty.is_signed()) };
        if ty.bits() == 32 {
            for (first, second) in [(1, 2), (2, 1)] {
                let (sum, other) = (&flat.operands[first], &flat.operands[second]);
                if let Some(operands) = self.sum_and_other(sum, other, ty) {
                    let [a, b, c] = operands;
                    return self.op(Opcode::Viaddmnmx, modifiers, [to, a, b, c, which]);
                }
                if let Some((tree, operands, made)) = self.origin_of(&flat.operands[first])
                    && tree.opcode == flat.tree.opcode
                    && !tree.flag(Flag::Relu)
                    && tree.ty() == Some(ty)
                    && self.is_private(&flat.operands[first], made)
                {
                    let operands = operands.to_vec();
                    let sources: Vec<Operand> = [&operands[1], &operands[2], &flat.operands[second]]
                        .into_iter()
                        .map(|value| self.source(value, ty).low)
                        .collect();
                    if sources.iter().all(is_register) {
                        let operands = [to, sources[0], sources[1], sources[2], which];
                        return self.op(Opcode::Vimnmx3, modifiers, operands);
                    }
                }
            }
        }
        let (a, b) = (self.extended(&flat.operands[1], ty), self.extended(&flat.operands[2], ty));
        let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
        self.op(Opcode::Vimnmx, modifiers, [to, a, b, which]);
    }

    /// The terms of a sum of 32 bits that is only used here, and what it is compared with, if an instruction can take all three.
    fn sum_and_other(&mut self, sum: &Value, other: &Value, ty: Type) -> Option<[Operand; 3]> {
        let (tree, operands, made) = self.origin_of(sum)?;
        let less = tree.opcode == tree::Opcode::Sub;
        let fits = (less || tree.opcode == tree::Opcode::Add)
            && tree.ty().is_some_and(|it| it.bits() == 32 && !it.is_float())
            && !tree.flag(Flag::Sat)
            && !tree.flag(Flag::Cc);
        if !fits || !self.is_private(sum, made) || operands[1..].iter().any(|it| self.is_fusible(it)) {
            return None;
        }
        let operands = operands.to_vec();
        let [a, b] = [1, 2].map(|index| self.signed_term(&operands[index], ty));
        let b = if less { negative(b) } else { b };
        let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
        let c = match self.source(other, ty).low {
            Operand::Immediate(0) => Operand::ZERO,
            c => c,
        };
        is_register(&a).then_some([a, b, c])
    }
}
