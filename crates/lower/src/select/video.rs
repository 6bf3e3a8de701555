//! Video instructions: a product, or a comparison, of words, halves and bytes that are extended before.

use super::Selector;
use super::compare::comparison;
use super::integer::signedness;
use super::logic::Shift;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{Compare, Part, Type};

impl Selector<'_, '_> {
    /// `vmad`: of the sum the lower 32 bits.
    pub(super) fn video_multiply_add(&mut self, flat: &Flat<'_>) {
        let types: Vec<Type> = flat.tree.types().collect();
        let [_, a, b] = types[..] else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let (a, b) = (self.part(&flat.operands[1], a), self.part(&flat.operands[2], b));
        let c = self.part(&flat.operands[3], Type::B32);
        let d = Operand::register(self.result(&flat.operands[0], 32));
        self.op(Opcode::Imad, &[], [d, a, b, c]);
    }

    /// `vset`: one where the comparison holds, and zero where it does not.
    pub(super) fn video_comparison(&mut self, flat: &Flat<'_>) {
        let (types, compare): (Vec<Type>, _) = (flat.tree.types().collect(), flat.tree.compare());
        let [x, y] = types[..] else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let (a, b) = (self.part(&flat.operands[1], x), self.part(&flat.operands[2], y));
        let compare = comparison(compare.unwrap_or(Compare::Eq));
        let holds = self.code.predicate();
        let outputs = [Operand::predicate(holds), Operand::TRUE];
        if x.is_signed() == y.is_signed() {
            let modifiers = [&[compare], signedness(x.is_signed()), &[M::And]].concat();
            self.op(Opcode::Isetp, &modifiers, [outputs[0], outputs[1], a, b, Operand::TRUE]);
        } else {
            // A word with a sign and one without are compared as 64 bits.
            let lower = Operand::predicate(self.compare(&[compare, M::U32, M::And], a, b));
            let (upper_a, upper_b) = (self.signs(a, x), self.signs(b, y));
            let operands = [outputs[0], outputs[1], upper_a, upper_b, Operand::TRUE, lower];
            self.op(Opcode::Isetp, &[compare, M::And, M::Ex], operands);
        }
        let to = self.result(&flat.operands[0], 32);
        self.choose(to, Operand::Immediate(1), Operand::ZERO, Operand::predicate(holds));
    }

    /// A word, or a half or byte of it extended as the type says.
    fn part(&mut self, value: &Value, ty: Type) -> Operand {
        let &Value::Part(id, part) = value else { return self.source(value, ty).low };
        let word = self.source(&Value::Register(id), Type::B32).low;
        self.part_of(word, part, ty)
    }

    /// A half or byte of a word, extended as the type says.
    pub(super) fn part_of(&mut self, word: Operand, part: Part, ty: Type) -> Operand {
        let sign = |byte: u32| if ty.is_signed() { 8 | byte } else { 4 };
        let selector = match part {
            Part::H0 => (sign(1) * 0x1100) | 0x10,
            Part::H1 => (sign(3) * 0x1100) | 0x32,
            Part::B0 => sign(0) * 0x1110,
            Part::B1 => (sign(1) * 0x1110) | 1,
            Part::B2 => (sign(2) * 0x1110) | 2,
            Part::B3 => (sign(3) * 0x1110) | 3,
        };
        Operand::register(self.compute(
            Opcode::Prmt,
            &[],
            [word, Operand::Immediate(selector), Operand::ZERO],
        ))
    }

    /// The upper word of a value of 64 bits.
    fn signs(&mut self, word: Operand, ty: Type) -> Operand {
        if !ty.is_signed() {
            return Operand::ZERO;
        }
        let register = self.code.register(1);
        self.shift32(register, word, Operand::Immediate(31), Shift::Arithmetic);
        Operand::register(register)
    }
}
