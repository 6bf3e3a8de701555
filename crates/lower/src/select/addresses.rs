//! Sums of 64 bits, as addresses are formed: products, shifted indices and extended ones plus a base.

use super::Selector;
use super::integer::is_register;
use super::values::low_word;
use crate::flat::{Flat, Item, Value};
use warplab_program::{Modifier, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Flag, Half, Immediate, Type};

use Modifier as M;

impl Selector<'_, '_> {
    pub(crate) fn add64(&mut self, flat: &Flat<'_>) {
        let to = self.result(&flat.operands[0], 64);
        if self.turned(to, &flat.operands[1], &flat.operands[2]) {
            return;
        }
        for (first, second) in [(1, 2), (2, 1)] {
            if self.fused_add64(to, &flat.operands[first], &flat.operands[second]) {
                return;
            }
        }
        let a = self.source(&flat.operands[1], Type::B64);
        let b = self.source(&flat.operands[2], Type::B64);
        let (a, b) = if a.as_constant().is_some() { (b, a) } else { (a, b) };
        self.sum64(to, a, b);
    }

    /// A product plus a base is one IMAD.WIDE, a shifted index or an extended one that is only used here an addition for
    /// each half, as ptxas has it.
    fn fused_add64(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let Some((x, factor, signed)) = self.as_product(a) else {
            return self.product_add64(to, a, b)
                || self.shifted_add64(to, a, b)
                || self.extended_add64(to, a, b);
        };
        let base = self.register(b, Type::B64);
        let modifiers: &[M] = if signed { &[M::Wide] } else { &[M::Wide, M::U32] };
        self.op(Opcode::Imad, modifiers, [Operand::register(to), x, factor, Operand::register(base)]);
        true
    }

    /// A product of 64 bits that only sums in the same straight run read, plus a base: each sum takes the product in.
    fn product_add64(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let Some((tree, operands, made)) = self.origin_of(a) else { return false };
        let is_product = tree.opcode == tree::Opcode::Mul
            && tree.half() == Some(Half::Lo)
            && tree.ty().is_some_and(|it| it.bits() == 64);
        if !is_product || !self.only_sums_read(a, made) {
            return false;
        }
        let operands = operands.to_vec();
        let (x, y) = (self.source(&operands[1], Type::B64), self.source(&operands[2], Type::B64));
        let (x, y) = if x.as_constant().is_some() { (y, x) } else { (x, y) };
        let base = Operand::register(self.register(b, Type::B64));
        self.product64(to, x, y, base);
        true
    }

    /// Whether all that reads a value are sums of 64 bits in the straight run in which it was made and which goes on here.
    fn only_sums_read(&self, value: &Value, made: usize) -> bool {
        let Value::Register(id) = self.look_through(value) else { return false };
        let run = self.runs[made];
        if run != self.runs[self.item] {
            return false;
        }
        let later = (made + 1..self.flat.items.len()).take_while(|&item| self.runs[item] == run);
        let sums = later.filter_map(|item| match &self.flat.items[item] {
            Item::Instruction(it) if it.tree.opcode == tree::Opcode::Add => Some(it),
            _ => None,
        });
        let wide =
            sums.filter(|it| it.tree.ty().is_some_and(|ty| ty.bits() == 64) && !it.tree.flag(Flag::Cc));
        let reads = wide.flat_map(|it| &it.operands[1..]).filter(|operand| **operand == Value::Register(id));
        reads.count() == self.uses[id] as usize
    }

    /// A shifted value of 64 bits, that is only used here, plus a base: LEA for each half.
    fn shifted_add64(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let Some((tree, operands, made)) = self.origin_of(a) else { return false };
        let is_shift = tree.opcode == tree::Opcode::Shl && tree.ty().is_some_and(|it| it.bits() == 64);
        let &[_, ref shifted, Value::Immediate(Immediate::Int(count @ 1..=31))] = operands else {
            return false;
        };
        if !is_shift || !self.is_private(a, made) {
            return false;
        }
        let shifted = shifted.clone();
        let count = Operand::Immediate(low_word(count));
        let (x, base) = (self.source(&shifted, Type::B64), self.source(b, Type::B64));
        if !is_register(&x.low) || base.as_constant().is_some() {
            return false;
        }
        let carry = Operand::predicate(self.code.predicate());
        self.op(Opcode::Lea, &[], [Operand::register(to), carry, x.low, base.low, count]);
        let high = Operand::register(to.offset(1));
        self.op(Opcode::Lea, &[M::Hi, M::X], [high, x.low, base.high, x.high, count, carry]);
        true
    }

    /// A value of 32 bits with its sign, extended only here, plus a base: the upper half takes the sign from it.
    fn extended_add64(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let Some((_, _, made)) = self.origin_of(a) else { return false };
        if !self.is_private(a, made) {
            return false;
        }
        let Some((x, signed)) = self.as_extended(a) else { return false };
        if !signed {
            return self.shifted_right_add64(to, a, b);
        }
        let base = self.source(b, Type::B64);
        if !is_register(&x) || base.as_constant().is_some() {
            return false;
        }
        let carry = Operand::predicate(self.code.predicate());
        self.op(Opcode::Iadd3, &[], [Operand::register(to), carry, x, base.low, Operand::ZERO]);
        let high = Operand::register(to.offset(1));
        let operands = [high, x, base.high, Operand::Immediate(1), carry];
        self.op(Opcode::Lea, &[M::Hi, M::X, M::Sx32], operands);
        true
    }

    /// A value of 32 bits, shifted to the right and extended only here, plus a base: the lower half takes the shift.
    fn shifted_right_add64(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let Some((_, operands, _)) = self.origin_of(a) else { return false };
        let shifted = operands[1].clone();
        let Some((tree, operands, made)) = self.origin_of(&shifted) else { return false };
        let is_shift = tree.opcode == tree::Opcode::Shr && tree.ty().is_some_and(|it| it.bits() == 32);
        if !is_shift || !self.is_private(&shifted, made) {
            return false;
        }
        let (tree, operands) = (tree.clone(), operands.to_vec());
        let Some((x, upper, count, false)) = self.upper_part(&tree, &operands) else { return false };
        let base = self.source(b, Type::B64);
        if base.as_constant().is_some() {
            return false;
        }
        let carry = Operand::predicate(self.code.predicate());
        self.op(Opcode::Lea, &[M::Hi], [Operand::register(to), carry, x, base.low, upper, count]);
        let high = Operand::register(to.offset(1));
        let operands = [high, Operand::ZERO, base.high, Operand::ZERO, carry, Operand::FALSE];
        self.op(Opcode::Iadd3, &[M::X], operands);
        true
    }

    /// A 64-bit value that is a product of 32-bit ones: both factors and whether they are signed.
    fn as_product(&mut self, value: &Value) -> Option<(Operand, Operand, bool)> {
        let (tree, operands, _) = self.origin_of(value)?;
        let (opcode, ty) = (tree.opcode, tree.ty()?);
        match opcode {
            tree::Opcode::Mul if tree.half() == Some(Half::Wide) && ty.bits() == 32 => {
                let operands = operands.to_vec();
                let (x, y) = (self.source(&operands[1], ty).low, self.source(&operands[2], ty).low);
                let (x, y) = if is_register(&x) { (x, y) } else { (y, x) };
                Some((x, y, ty.is_signed()))
            }
            tree::Opcode::Shl if ty.bits() == 64 => {
                let Value::Immediate(Immediate::Int(count @ 0..=30)) = operands[2] else {
                    return None;
                };
                let index = operands[1].clone();
                // A product of 63 bits at most, shifted.
                self.origin_of(&index).filter(|(tree, ..)| tree.opcode == tree::Opcode::Mul)?;
                let (x, Operand::Immediate(factor), signed) = self.as_product(&index)? else { return None };
                let factor = factor.checked_mul(1 << count).filter(|it| it.leading_zeros() > 0)?;
                Some((x, Operand::Immediate(factor), signed))
            }
            _ => None,
        }
    }

    /// A 64-bit value that is a 32-bit one extended.
    fn as_extended(&mut self, value: &Value) -> Option<(Operand, bool)> {
        let (tree, operands, _) = self.origin_of(value)?;
        let types: Vec<Type> = tree.types().collect();
        let [to, from] = types[..] else { return None };
        let extends = tree.opcode == tree::Opcode::Cvt && to.bits() == 64 && from.bits() == 32;
        if !extends || to.is_float() || from.is_float() {
            return None;
        }
        let operand = operands[1].clone();
        Some((self.source(&operand, from).low, from.is_signed()))
    }
}
