//! Products of matrices of integers of four bits, for which the machine has no instruction: two products of bytes, as
//! ptxas makes them.

use super::Selector;
use super::logic::Shift;
use super::matrix::elements;
use crate::code::number;
use crate::flat::{Flat, Value};
use warplab_program::operand::{Selector as Part, SourceModifier};
use warplab_program::{Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{Flag, MatrixShape as Shape, Modifier as Dotted, Type};

/// Which of each two neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Nibbles {
    Lower,
    Upper,
}

/// The size of the products of bytes, and how many registers the sum and the factors have.
fn size(flat: &Flat<'_>) -> Option<(M, [usize; 3])> {
    let has = |shape| flat.tree.has(Dotted::Matrix(shape));
    match () {
        () if has(Shape::M8n8k32) => Some((M::M8n8k16, [2, 1, 1])),
        () if has(Shape::M16n8k32) => Some((M::M16n8k16, [4, 2, 1])),
        () if has(Shape::M16n8k64) => Some((M::M16n8k32, [4, 4, 2])),
        () => None,
    }
}

impl Selector<'_, '_> {
    /// A product of nibbles. False if it is another product.
    pub(super) fn product_of_nibbles(&mut self, flat: &Flat<'_>) -> bool {
        let types: Vec<Type> = flat.tree.types().collect();
        let &[Type::S32, first @ (Type::S4 | Type::U4), second @ (Type::S4 | Type::U4), Type::S32] =
            types.as_slice()
        else {
            return false;
        };
        let Some((size, [sums, firsts, seconds])) = size(flat) else { return false };
        let matrices = [0, 1, 2, 3].map(|index| elements(flat.operands.get(index)));
        if matrices.each_ref().map(Vec::len) != [sums, firsts, seconds, sums] {
            return false;
        }
        let [sum, a, b, added] = matrices;
        let byte = |ty: Type| if ty.is_signed() { M::S8 } else { M::U8 };
        let products = [Nibbles::Lower, Nibbles::Upper].map(|which| {
            let (x, y) = (self.as_bytes(&a, which, first), self.as_bytes(&b, which, second));
            let to = self.code.register(number(sums));
            let factor = |register: Register, selector: Part| Operand::Register {
                register,
                modifier: SourceModifier::NONE,
                selector,
                reuse: false,
            };
            let operands =
                [Operand::register(to), factor(x, Part::Row), factor(y, Part::Column), Operand::ZERO];
            self.op(Opcode::Imma, &[size, byte(first), byte(second)], operands);
            to
        });
        let to = self.code.register(number(sums));
        for (index, added) in (0..).zip(&added) {
            let [lower, upper] = products.map(|product| Operand::register(product.offset(index)));
            let product = Operand::register(self.compute(Opcode::Iadd3, &[], [lower, upper, Operand::ZERO]));
            let added = Operand::register(self.register(added, Type::S32));
            if flat.tree.flag(Flag::Satfinite) {
                self.saturated_sum(to.offset(index), product, added, false);
            } else {
                self.op(
                    Opcode::Iadd3,
                    &[],
                    [Operand::register(to.offset(index)), added, product, Operand::ZERO],
                );
            }
        }
        self.spread(&sum, to, Type::B32);
        true
    }

    /// Half of the nibbles of each register, as bytes in registers one after another.
    fn as_bytes(&mut self, elements: &[Value], which: Nibbles, ty: Type) -> Register {
        let to = self.code.register(number(elements.len()));
        for (index, element) in (0..).zip(elements) {
            let word = Operand::register(self.register(element, Type::B32));
            let to = to.offset(index);
            match (which, ty.is_signed()) {
                (_, true) => self.signed_bytes(to, word, which),
                (Nibbles::Lower, false) => {
                    self.lop3_to(to, word, Operand::Immediate(0x0f0f_0f0f), Operand::ZERO, 0xc0);
                }
                (Nibbles::Upper, false) => {
                    let upper = self.lop3(word, Operand::Immediate(0xf0f0_f0f0), Operand::ZERO, 0xc0);
                    self.shift32(to, Operand::register(upper), Operand::Immediate(4), Shift::Logical);
                }
            }
        }
        to
    }

    /// One nibble after the other, extended with its sign and put below those before it.
    fn signed_bytes(&mut self, to: Register, word: Operand, which: Nibbles) {
        let mut bytes = Operand::ZERO;
        for byte in 0..4 {
            let from = 8 * byte + if which == Nibbles::Upper { 4 } else { 0 };
            let nibble = self.lop3(word, Operand::Immediate(0xf << from), Operand::ZERO, 0xc0);
            let (top, extended) = (self.code.register(1), self.code.register(1));
            self.shift32(top, Operand::register(nibble), Operand::Immediate(28 - from), Shift::Left);
            let back = Operand::Immediate(28 - 8 * byte);
            self.shift32(extended, Operand::register(top), back, Shift::Arithmetic);
            let to = if byte == 3 { to } else { self.code.register(1) };
            // before | extended & mask
            let mask = Operand::Immediate(0xff << (8 * byte));
            self.lop3_to(to, Operand::register(extended), mask, bytes, 0xea);
            bytes = Operand::register(to);
        }
    }
}
