//! Packed and single half precision: the machine computes on both halves of a register.

use super::Selector;
use super::compare::comparison;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier, Opcode, Operand, Register, Selector as Part, SourceModifier};
use warplab_ptx::tree::{self, Compare, Flag, Type};

use Modifier as M;

impl Selector<'_, '_> {
    /// A source: both halves, or the lower half twice.
    fn half_source(&mut self, value: &Value, ty: Type) -> Operand {
        let register = self.register(value, if ty.is_packed() { Type::B32 } else { Type::B16 });
        Operand::Register {
            register,
            modifier: SourceModifier::NONE,
            selector: if ty.is_packed() { Part::Whole } else { Part::H0H0 },
            reuse: false,
        }
    }

    pub(crate) fn half(&mut self, flat: &Flat<'_>, ty: Type) {
        use tree::Opcode::*;
        let tree = flat.tree;
        let brain = matches!(ty, Type::Bf16 | Type::Bf16x2);
        let mut modifiers = Vec::new();
        if brain {
            modifiers.push(M::Bf16V2);
        }
        if tree.flag(Flag::Ftz) {
            modifiers.push(M::Ftz);
        }
        if tree.flag(Flag::Sat) {
            modifiers.push(M::Sat);
        }
        if tree.flag(Flag::Relu) {
            modifiers.push(M::Relu);
        }
        let d = Operand::register(self.result(&flat.operands[0], 32));
        if matches!(tree.opcode, Ex2 | Tanh) {
            return self.half_function(flat, d, ty, brain);
        }
        let minus = super::float::minus;
        if let Some(([a, b], other, (negates_product, negates_other))) = self.fused_terms(flat) {
            let [a, b, c] = [a, b, other].map(|value| self.half_source(&value, ty));
            let (a, c) =
                (if negates_product { minus(a) } else { a }, if negates_other { minus(c) } else { c });
            return self.op(Opcode::Hfma2, &modifiers, [d, a, b, c]);
        }
        let sources: Vec<Operand> =
            flat.operands[1..].iter().map(|value| self.half_source(value, ty)).collect();
        match tree.opcode {
            Add => self.op(Opcode::Hadd2, &modifiers, [d, sources[0], sources[1]]),
            Sub => self.op(Opcode::Hadd2, &modifiers, [d, sources[0], minus(sources[1])]),
            Mul => self.op(Opcode::Hmul2, &modifiers, [d, sources[0], sources[1]]),
            Fma => self.op(Opcode::Hfma2, &modifiers, [d, sources[0], sources[1], sources[2]]),
            Neg | Abs => {
                // Only the sign bits change.
                let Operand::Register { register, .. } = sources[0] else { return };
                let mask = if ty.is_packed() { 0x8000_8000 } else { 0x8000 };
                let (mask, lut) = if tree.opcode == Neg { (mask, 0x3c) } else { (!mask, 0xc0) };
                let to = self.lop3(Operand::register(register), Operand::Immediate(mask), Operand::ZERO, lut);
                self.op(Opcode::Mov, &[], [d, Operand::register(to)]);
            }
            _ => {
                let which = if tree.opcode == Min { Operand::TRUE } else { Operand::FALSE };
                if tree.flag(Flag::NaN) {
                    modifiers.push(M::Nan);
                }
                if tree.flag(Flag::Xorsign) {
                    modifiers.push(M::Mnmx);
                }
                let magnitude =
                    |operand| if tree.flag(Flag::Abs) { super::float::magnitude(operand) } else { operand };
                self.op(Opcode::Hmnmx2, &modifiers, [d, magnitude(sources[0]), magnitude(sources[1]), which]);
            }
        }
    }

    /// A function of the function unit, one half after the other, through single precision.
    fn half_function(&mut self, flat: &Flat<'_>, d: Operand, ty: Type, brain: bool) {
        let function = if flat.tree.opcode == tree::Opcode::Ex2 { M::Ex2 } else { M::Tanh };
        let register = self.register(&flat.operands[1], if ty.is_packed() { Type::B32 } else { Type::B16 });
        let mut results = [Operand::ZERO; 2];
        for (part, result) in results.iter_mut().enumerate().take(if ty.is_packed() { 2 } else { 1 }) {
            let single = if brain {
                let source = Operand::register(register);
                if part == 0 {
                    self.compute(
                        Opcode::Shf,
                        &[M::L, M::U32],
                        [source, Operand::Immediate(16), Operand::ZERO],
                    )
                } else {
                    self.lop3(source, Operand::Immediate(0xffff_0000), Operand::ZERO, 0xc0)
                }
            } else {
                let selector = if part == 0 { Part::H0H0 } else { Part::H1H1 };
                let half =
                    Operand::Register { register, modifier: SourceModifier::NONE, selector, reuse: false };
                let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
                self.compute(Opcode::Hadd2, &[M::F32], [zero, half])
            };
            *result = Operand::register(self.compute(Opcode::Mufu, &[function], [Operand::register(single)]));
        }
        let format = if brain { M::BF16 } else { M::F16 };
        self.op(Opcode::F2fp, &[format, M::F32, M::PackAb], [d, results[1], results[0]]);
    }

    pub(crate) fn half_setp(
        &mut self,
        flat: &Flat<'_>,
        outputs: [Operand; 2],
        compare: Compare,
        operation: M,
        combine: Operand,
        ty: Type,
    ) {
        let (a, b) = (self.half_source(&flat.operands[1], ty), self.half_source(&flat.operands[2], ty));
        let mut modifiers = vec![];
        if matches!(ty, Type::Bf16 | Type::Bf16x2) {
            modifiers.push(M::Bf16V2);
        }
        modifiers.push(comparison(compare));
        if flat.tree.flag(Flag::Ftz) {
            modifiers.push(M::Ftz);
        }
        modifiers.push(operation);
        self.op(Opcode::Hsetp2, &modifiers, [outputs[0], outputs[1], a, b, combine]);
    }

    pub(crate) fn half_set(&mut self, flat: &Flat<'_>, to: Type, ty: Type) {
        let (a, b) = (self.half_source(&flat.operands[1], ty), self.half_source(&flat.operands[2], ty));
        let mut modifiers = vec![];
        if matches!(ty, Type::Bf16 | Type::Bf16x2) {
            modifiers.push(M::Bf16V2);
        }
        if to.is_float() {
            modifiers.push(M::Bf);
        }
        modifiers.push(comparison(flat.tree.compare().unwrap_or(Compare::Eq)));
        if flat.tree.flag(Flag::Ftz) {
            modifiers.push(M::Ftz);
        }
        modifiers.push(M::And);
        let d = Operand::register(self.result(&flat.operands[0], 32));
        self.op(Opcode::Hset2, &modifiers, [d, a, b, Operand::TRUE]);
    }
}
