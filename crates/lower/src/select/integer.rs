//! Integer arithmetic.

use super::Selector;
use super::values::{Source, constant_of, immediate, low_word};
use crate::expand::DivisionPart;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier, Opcode, Operand, Register, SourceModifier};
use warplab_ptx::tree::{self, Direction, Flag, Half, Immediate, Modifier as Dotted, Type};

use Modifier as M;

/// The value with its sign changed, of an operand that is a register or a constant.
pub(crate) fn negative(operand: Operand) -> Operand {
    match operand {
        Operand::Immediate(bits) => immediate(bits.wrapping_neg()),
        Operand::Register { register, modifier, selector, reuse } if !register.is_fixed() => {
            let modifier = SourceModifier { negate: !modifier.negate, ..modifier };
            Operand::Register { register, modifier, selector, reuse }
        }
        Operand::Uniform { register, modifier, selector } => {
            let modifier = SourceModifier { negate: !modifier.negate, ..modifier };
            Operand::Uniform { register, modifier, selector }
        }
        other => other,
    }
}

/// The value with its bits inverted.
pub(crate) fn inverted(operand: Operand) -> Operand {
    match operand {
        Operand::Immediate(bits) => immediate(!bits),
        Operand::Register { register, modifier, selector, reuse } => {
            let modifier = SourceModifier { invert: !modifier.invert, ..modifier };
            Operand::Register { register, modifier, selector, reuse }
        }
        Operand::Uniform { register, modifier, selector } => {
            let modifier = SourceModifier { invert: !modifier.invert, ..modifier };
            Operand::Uniform { register, modifier, selector }
        }
        other => other,
    }
}

pub(crate) fn is_register(operand: &Operand) -> bool {
    matches!(operand, Operand::Register { .. })
}

impl Selector<'_, '_> {
    pub(crate) fn integer(&mut self, flat: &Flat<'_>, ty: Type) {
        use tree::Opcode::*;
        if matches!(flat.tree.opcode, Mul24 | Mad24) {
            return self.mul24(flat, ty);
        }
        if matches!(flat.tree.opcode, Dp4a | Dp2a) {
            return self.dot(flat);
        }
        if ty.is_packed() {
            return self.packed_integer(flat, ty);
        }
        let carries = flat.tree.flag(Flag::Cc) || matches!(flat.tree.opcode, Addc | Subc | Madc);
        match flat.tree.opcode {
            Add | Sub | Addc | Subc if carries => self.add_with_carry(flat, ty),
            Mad | Madc if carries => self.mad_with_carry(flat, ty),
            Add | Sub if flat.tree.flag(Flag::Sat) => self.add_saturating(flat),
            Add if ty.bits() == 64 => self.add64(flat),
            Sub if ty.bits() == 64 => {
                let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
                let to = self.result(&flat.operands[0], 64);
                self.subtract64(to, a, b);
            }
            Add | Sub => self.add32(flat, ty),
            Mad if flat.tree.flag(Flag::Sat) => self.multiply_add_saturating(flat),
            Mul | Mad => self.multiply(flat, ty),
            Neg => self.negate(flat, ty),
            Abs => self.absolute(flat, ty),
            Min | Max => self.minimum(flat, ty),
            Sad => self.sad(flat, ty),
            Div | Rem => self.divide(flat, ty),
            _ => self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        }
    }

    /// Two 32-bit operands of the present instruction, extended to 32 bits if they are of 16.
    pub(crate) fn extended(&mut self, value: &Value, ty: Type) -> Operand {
        let source = self.source(value, ty).low;
        if ty.bits() == 16 && !self.is_extended(value, ty.is_signed()) {
            self.extend16(source, ty.is_signed())
        } else {
            source
        }
    }

    /// Whether the whole register holds a 16-bit value extended to 32 bits: one that was loaded as such, or less of it.
    fn is_extended(&self, value: &Value, signed: bool) -> bool {
        let Some((tree, ..)) = self.origin_of(value) else { return false };
        let loads = tree.opcode == tree::Opcode::Ld && matches!(tree.ty(), Some(ty) if !ty.is_packed());
        match tree.ty() {
            Some(Type::U8 | Type::B8) => loads,
            Some(Type::U16 | Type::B16) => loads && !signed,
            Some(Type::S8 | Type::S16) => loads && signed,
            _ => false,
        }
    }

    /// A 16-bit value extended to 32 bits.
    pub(crate) fn extend16(&mut self, operand: Operand, signed: bool) -> Operand {
        if let Some(bits) = constant_of(&operand) {
            let wide = if signed { (bits << 16).cast_signed() >> 16 } else { (bits & 0xffff).cast_signed() };
            return immediate(wide.cast_unsigned());
        }
        let register = if signed {
            self.compute(Opcode::Prmt, &[], [operand, Operand::Immediate(0x9910), Operand::ZERO])
        } else {
            let mask = Operand::Immediate(0xffff);
            self.lop3(operand, mask, Operand::ZERO, 0xc0)
        };
        Operand::register(register)
    }

    /// A sum or difference. Products and shifted values go into it before the terms of another sum do.
    fn add32(&mut self, flat: &Flat<'_>, ty: Type) {
        let to = self.result(&flat.operands[0], 32);
        let subtracts = flat.tree.opcode == tree::Opcode::Sub;
        let (a, b) = (&flat.operands[1], &flat.operands[2]);
        let fused = if subtracts {
            self.fused_difference(to, a, b) || self.three_terms(to, a, b, ty, true)
        } else {
            self.fused_add(to, a, b)
                || self.fused_add(to, b, a)
                || self.three_terms(to, a, b, ty, false)
                || self.three_terms(to, b, a, ty, false)
        };
        if fused {
            return;
        }
        let (a, b) = (self.signed_term(a, ty), self.signed_term(b, ty));
        let b = if subtracts { negative(b) } else { b };
        let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
        self.op(Opcode::Iadd3, &[], [Operand::register(to), a, b, Operand::ZERO]);
    }

    /// A term of a sum: a register whose value is a negation is taken before it.
    pub(super) fn signed_term(&mut self, value: &Value, ty: Type) -> Operand {
        if let Some((tree, operands, _)) = self.origin_of(value)
            && tree.opcode == tree::Opcode::Neg
            && tree.ty().is_some_and(|it| it.bits() == ty.bits())
        {
            let inner = operands[1].clone();
            let source = self.source(&inner, ty).low;
            return negative(source);
        }
        self.source(value, ty).low
    }

    /// Both factors of a product of 32 bits that is only used here.
    fn private_product(&mut self, value: &Value) -> Option<(Operand, Operand)> {
        let (tree, operands, made) = self.origin_of(value)?;
        let (half, ty) = (tree.half(), tree.ty()?);
        let is_product = tree.opcode == tree::Opcode::Mul
            && matches!((ty.bits(), half), (32, Some(Half::Lo)) | (16, Some(Half::Wide)))
            && self.is_private(value, made);
        if !is_product {
            return None;
        }
        let operands = operands.to_vec();
        let (x, y) = (self.extended(&operands[1], ty), self.extended(&operands[2], ty));
        Some(if is_register(&x) { (x, y) } else { (y, x) })
    }

    /// `a` less a product with a constant, or a product less `b`.
    fn fused_difference(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let to = Operand::register(to);
        if let Some((x, Operand::Immediate(factor))) = self.private_product(b).filter(|it| is_register(&it.0))
        {
            let a = self.source(a, Type::B32).low;
            self.op(Opcode::Imad, &[], [to, x, immediate(factor.wrapping_neg()), a]);
            return true;
        }
        let Some((x, y)) = self.private_product(a) else { return false };
        let b = negative(self.source(b, Type::B32).low);
        self.op(Opcode::Imad, &[], [to, x, y, b]);
        true
    }

    /// Whether a value is a product or a shifted value that its only reader could take in.
    pub(super) fn is_fusible(&self, value: &Value) -> bool {
        let Some((tree, operands, made)) = self.origin_of(value) else { return false };
        let fits = match tree.opcode {
            tree::Opcode::Mul => true,
            tree::Opcode::Shl | tree::Opcode::Shr | tree::Opcode::Shf => {
                operands.last().is_some_and(|count| matches!(self.look_through(count), Value::Immediate(_)))
            }
            _ => false,
        };
        fits && self.is_private(value, made)
    }

    /// A sum `a` that is only used here and what is added to it, or taken from it, in one instruction.
    fn three_terms(&mut self, to: Register, a: &Value, b: &Value, ty: Type, subtracts: bool) -> bool {
        let Some((tree, operands, made)) = self.origin_of(a) else { return false };
        let is_sum = matches!(tree.opcode, tree::Opcode::Add | tree::Opcode::Sub)
            && tree.ty().is_some_and(|it| it.bits() == 32)
            && !tree.flag(Flag::Sat)
            && !tree.flag(Flag::Cc);
        let takes_less = tree.opcode == tree::Opcode::Sub;
        if !is_sum || !self.is_private(a, made) || operands[1..].iter().any(|it| self.is_fusible(it)) {
            return false;
        }
        let operands = operands.to_vec();
        let x = self.signed_term(&operands[1], ty);
        let y = self.signed_term(&operands[2], ty);
        let y = if takes_less { negative(y) } else { y };
        let b = self.signed_term(b, ty);
        let b = if subtracts { negative(b) } else { b };
        let constants = [x, y, b].iter().filter(|it| !is_register(it)).count();
        if constants > 1 {
            return false;
        }
        let (x, y, b) = if !is_register(&x) {
            (y, x, b)
        } else if !is_register(&b) {
            (x, b, y)
        } else {
            (x, y, b)
        };
        self.op(Opcode::Iadd3, &[], [Operand::register(to), x, y, b]);
        true
    }

    /// `a` made by a shift or product that is only used here, added to `b` in one instruction.
    fn fused_add(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        if let Some((x, y)) = self.private_product(a) {
            let b = self.source(b, Type::B32).low;
            self.op(Opcode::Imad, &[], [Operand::register(to), x, y, b]);
            return true;
        }
        let Some((tree, operands, made)) = self.origin_of(a) else {
            return false;
        };
        if tree.ty().is_none_or(|it| it.bits() != 32) || tree.flag(Flag::Sat) || tree.flag(Flag::Cc) {
            return false;
        }
        let private = self.is_private(a, made);
        let opcode = tree.opcode;
        let tree = tree.clone();
        let operands = operands.to_vec();
        let to = Operand::register(to);
        match opcode {
            tree::Opcode::Shl if private || self.runs[made] == self.runs[self.item] => {
                let Value::Immediate(Immediate::Int(count @ 1..=31)) = operands[2] else {
                    return false;
                };
                let (x, b) = (self.source(&operands[1], Type::B32).low, self.source(b, Type::B32).low);
                self.op(Opcode::Lea, &[], [to, x, b, Operand::Immediate(low_word(count))]);
                true
            }
            tree::Opcode::Shr | tree::Opcode::Shf if private => {
                let Some((x, upper, count, signed)) = self.upper_part(&tree, &operands) else { return false };
                let b = self.source(b, Type::B32).low;
                if signed {
                    self.op(Opcode::Lea, &[M::Hi, M::Sx32], [to, x, b, count]);
                } else {
                    self.op(Opcode::Lea, &[M::Hi], [to, x, b, upper, count]);
                }
                true
            }
            _ => false,
        }
    }

    /// A value shifted to the right, or turned, by a constant as the upper half of a pair shifted to the left: the lower
    /// and upper word, the count, and whether the sign is the upper word.
    pub(crate) fn upper_part(
        &mut self,
        tree: &tree::Instruction,
        operands: &[Value],
    ) -> Option<(Operand, Operand, Operand, bool)> {
        let (ty, count) = (tree.ty()?, self.look_through(operands.last()?));
        let Value::Immediate(Immediate::Int(count @ 1..=31)) = count else { return None };
        let turns = tree.opcode == tree::Opcode::Shf;
        let left = turns && tree.has(Dotted::Direction(Direction::L));
        if turns && self.look_through(&operands[1]) != self.look_through(&operands[2]) {
            return None;
        }
        let x = self.source(&operands[1], ty).low;
        let upper = if turns { x } else { Operand::ZERO };
        let count = immediate(low_word(if left { count } else { 32 - count }));
        is_register(&x).then_some((x, upper, count, !turns && ty.is_signed()))
    }

    /// `to = a + b`, 64 bits.
    pub(crate) fn sum64(&mut self, to: Register, a: Source, b: Source) {
        let carry = self.code.predicate();
        let zero = Operand::ZERO;
        let c = Operand::predicate(carry);
        self.op(Opcode::Iadd3, &[], [Operand::register(to), c, a.low, b.low, zero]);
        let high = Operand::register(to.offset(1));
        self.op(Opcode::Iadd3, &[M::X], [high, a.high, b.high, zero, c, Operand::FALSE]);
    }

    /// `to = a - b`, 64 bits.
    pub(crate) fn subtract64(&mut self, to: Register, a: Source, b: Source) {
        if let Some(constant) = b.as_constant() {
            return self.sum64(to, a, Source::constant(constant.wrapping_neg()));
        }
        let carry = self.code.predicate();
        let zero = Operand::ZERO;
        let c = Operand::predicate(carry);
        if constant_of(&b.low) == Some(0) {
            // The lower halves do not borrow.
            self.op(Opcode::Mov, &[], [Operand::register(to), a.low]);
            let high = Operand::register(to.offset(1));
            return self.op(Opcode::Iadd3, &[], [high, a.high, negative(b.high), zero]);
        }
        self.op(Opcode::Iadd3, &[], [Operand::register(to), c, a.low, negative(b.low), zero]);
        let high = Operand::register(to.offset(1));
        let b_high = if b.high == zero { Operand::Immediate(u32::MAX) } else { inverted(b.high) };
        self.op(Opcode::Iadd3, &[M::X], [high, a.high, b_high, zero, c, Operand::FALSE]);
    }

    fn carry(&mut self) -> warplab_program::Predicate {
        if let Some(carry) = self.carry {
            return carry;
        }
        let carry = self.code.predicate();
        self.carry = Some(carry);
        carry
    }

    fn add_with_carry(&mut self, flat: &Flat<'_>, ty: Type) {
        use tree::Opcode::{Addc, Sub, Subc};
        let opcode = flat.tree.opcode;
        let subtracts = matches!(opcode, Sub | Subc);
        let takes = matches!(opcode, Addc | Subc);
        let gives = flat.tree.flag(Flag::Cc);
        let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let b = if subtracts { Source { low: not_bits(b.low), high: not_bits(b.high) } } else { b };
        let to = self.result(&flat.operands[0], ty.bits());
        let old = if takes { Operand::predicate(self.carry()) } else { subtracts_carry(subtracts) };
        let last = if gives { Operand::predicate(self.carry()) } else { Operand::TRUE };
        let wide = ty.bits() == 64;
        let middle = if wide { Operand::predicate(self.code.predicate()) } else { last };
        self.add_x(to, middle, a.low, b.low, old);
        if wide {
            self.add_x(to.offset(1), last, a.high, b.high, middle);
        }
    }

    fn add_x(&mut self, to: Register, out: Operand, a: Operand, b: Operand, carry: Operand) {
        let operands = [Operand::register(to), out, a, b, Operand::ZERO, carry, Operand::FALSE];
        if out == Operand::TRUE {
            let operands = [Operand::register(to), a, b, Operand::ZERO, carry, Operand::FALSE];
            self.op(Opcode::Iadd3, &[M::X], operands);
        } else {
            self.op(Opcode::Iadd3, &[M::X], operands);
        }
    }

    fn mad_with_carry(&mut self, flat: &Flat<'_>, ty: Type) {
        if ty.bits() != 32 {
            return self.unsupported("mad with carry is supported for 32 bits only");
        }
        let (a, b) = (self.source(&flat.operands[1], ty).low, self.source(&flat.operands[2], ty).low);
        let c = self.source(&flat.operands[3], ty).low;
        let product = match flat.tree.half() {
            Some(Half::Hi) if ty.is_signed() => self.compute(Opcode::Imad, &[M::Hi], [a, b, Operand::ZERO]),
            Some(Half::Hi) => self.compute(Opcode::Imad, &[M::Hi, M::U32], [a, b, Operand::ZERO]),
            _ => self.compute(Opcode::Imad, &[], [a, b, Operand::ZERO]),
        };
        let to = self.result(&flat.operands[0], 32);
        let takes = flat.tree.opcode == tree::Opcode::Madc;
        let old = if takes { Operand::predicate(self.carry()) } else { Operand::FALSE };
        let out = if flat.tree.flag(Flag::Cc) { Operand::predicate(self.carry()) } else { Operand::TRUE };
        self.add_x(to, out, Operand::register(product), c, old);
    }

    /// `add.sat.s32` and `sub.sat.s32`: overflow shows in the signs.
    fn add_saturating(&mut self, flat: &Flat<'_>) {
        let ty = Type::S32;
        let a = Operand::register(self.register(&flat.operands[1], ty));
        let b = Operand::register(self.register(&flat.operands[2], ty));
        let to = self.result(&flat.operands[0], 32);
        self.saturated_sum(to, a, b, flat.tree.opcode == tree::Opcode::Sub);
    }

    /// `mad.hi.sat.s32`: the upper half of a product and a sum that is clamped.
    fn multiply_add_saturating(&mut self, flat: &Flat<'_>) {
        let [a, b] = [1, 2].map(|index| self.source(&flat.operands[index], Type::S32).low);
        let c = Operand::register(self.register(&flat.operands[3], Type::S32));
        let high = self.compute(Opcode::Imad, &[M::Hi], [a, b, Operand::ZERO]);
        let to = self.result(&flat.operands[0], 32);
        self.saturated_sum(to, Operand::register(high), c, false);
    }

    /// A sum or difference of two registers, clamped to 32 bits with a sign.
    pub(crate) fn saturated_sum(&mut self, to: Register, a: Operand, b: Operand, subtracts: bool) {
        let sum =
            self.compute(Opcode::Iadd3, &[], [a, if subtracts { negative(b) } else { b }, Operand::ZERO]);
        // (a ^ sum) & (b ^ sum) for a sum, (a ^ sum) & (a ^ b) for a difference.
        let lut = if subtracts { (0xf0 ^ 0xaa) & (0xf0 ^ 0xcc) } else { (0xf0 ^ 0xaa) & (0xcc ^ 0xaa) };
        let overflow = self.lop3(a, b, Operand::register(sum), lut);
        let over = self.compare(&[M::Lt, M::And], Operand::register(overflow), Operand::ZERO);
        let sign =
            self.compute(Opcode::Shf, &[M::R, M::S32, M::Hi], [Operand::ZERO, Operand::Immediate(31), a]);
        let limit = self.lop3(Operand::register(sign), Operand::Immediate(0x7fff_ffff), Operand::ZERO, 0x3c);
        self.choose(to, Operand::register(limit), Operand::register(sum), Operand::predicate(over));
    }

    fn dot(&mut self, flat: &Flat<'_>) {
        let mut types = flat.tree.types();
        let signs = [types.next(), types.next()].map(|ty| ty.is_some_and(Type::is_signed));
        let sources: Vec<Operand> =
            flat.operands[1..4].iter().map(|value| self.source(value, Type::B32).low).collect();
        let to = Operand::register(self.result(&flat.operands[0], 32));
        let byte = |signed| if signed { M::S8 } else { M::U8 };
        let half = |signed| if signed { M::S16 } else { M::U16 };
        let operands = [to, sources[0], sources[1], sources[2]];
        if flat.tree.opcode == tree::Opcode::Dp4a {
            let modifiers = [M::Dot4, byte(signs[0]), byte(signs[1])];
            return self.op(Opcode::Idp, &modifiers, operands);
        }
        let part = if flat.tree.half() == Some(Half::Hi) { M::Hi } else { M::Lo };
        self.op(Opcode::Idp, &[M::Dot2, part, half(signs[0]), byte(signs[1])], operands);
    }

    fn negate(&mut self, flat: &Flat<'_>, ty: Type) {
        let source = self.source(&flat.operands[1], ty);
        let to = self.result(&flat.operands[0], ty.bits());
        if ty.bits() == 64 {
            return self.subtract64(to, Source::constant(0), source);
        }
        self.op(
            Opcode::Iadd3,
            &[],
            [Operand::register(to), negative(source.low), Operand::ZERO, Operand::ZERO],
        );
    }

    fn absolute(&mut self, flat: &Flat<'_>, ty: Type) {
        let to = self.result(&flat.operands[0], ty.bits());
        if ty.bits() < 64 {
            let source = self.extended(&flat.operands[1], ty);
            return self.op(Opcode::Iabs, &[], [Operand::register(to), source]);
        }
        let source = self.register(&flat.operands[1], ty);
        self.absolute64(to, source);
    }

    pub(crate) fn absolute64(&mut self, to: Register, source: Register) {
        let negated = self.code.register(2);
        self.subtract64(negated, Source::constant(0), pair(source));
        let negative = self.compare(&[M::Lt, M::And], Operand::register(source.offset(1)), Operand::ZERO);
        for half in 0..2 {
            let (a, b) = (Operand::register(negated.offset(half)), Operand::register(source.offset(half)));
            self.choose(to.offset(half), a, b, Operand::predicate(negative));
        }
    }

    /// `a < b`, 64 bits.
    pub(crate) fn less64(&mut self, a: Source, b: Source, signed: bool) -> warplab_program::Predicate {
        let low = self.compare(&[M::Lt, M::U32, M::And], a.low, b.low);
        let to = self.code.predicate();
        let modifiers: &[M] = if signed { &[M::Lt, M::And, M::Ex] } else { &[M::Lt, M::U32, M::And, M::Ex] };
        self.op(
            Opcode::Isetp,
            modifiers,
            [Operand::predicate(to), Operand::TRUE, a.high, b.high, Operand::TRUE, Operand::predicate(low)],
        );
        to
    }

    fn sad(&mut self, flat: &Flat<'_>, ty: Type) {
        if ty.bits() == 64 {
            let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
            let less = self.less64(a, b, ty.is_signed());
            let (first, second) = (self.code.register(2), self.code.register(2));
            self.subtract64(first, a, b);
            self.subtract64(second, b, a);
            let distance = self.code.register(2);
            for half in 0..2 {
                let (x, y) = (Operand::register(second.offset(half)), Operand::register(first.offset(half)));
                self.choose(distance.offset(half), x, y, Operand::predicate(less));
            }
            let c = self.source(&flat.operands[3], ty);
            let to = self.result(&flat.operands[0], 64);
            return self.sum64(to, pair(distance), c);
        }
        let (a, b) = (self.extended(&flat.operands[1], ty), self.extended(&flat.operands[2], ty));
        let c = self.source(&flat.operands[3], ty).low;
        let to = Operand::register(self.result(&flat.operands[0], 32));
        self.op(Opcode::Vabsdiff, signedness(ty.is_signed()), [to, a, b, c]);
    }

    fn divide(&mut self, flat: &Flat<'_>, ty: Type) {
        let part = match flat.tree.opcode {
            tree::Opcode::Rem => DivisionPart::Remainder,
            _ => DivisionPart::Quotient,
        };
        let signed = ty.is_signed();
        let to = self.result(&flat.operands[0], ty.bits());
        if ty.bits() == 64 {
            let (a, b) = (self.register(&flat.operands[1], ty), self.register(&flat.operands[2], ty));
            return self.divide64(to, a, b, signed, part);
        }
        let (a, b) = (self.extended(&flat.operands[1], ty), self.extended(&flat.operands[2], ty));
        self.divide32(to, a, b, signed, part);
    }
}

/// `.U32` unless signed.
pub(crate) fn signedness(signed: bool) -> &'static [M] {
    if signed { &[] } else { &[M::U32] }
}

/// A pair of registers as a source.
pub(crate) fn pair(register: Register) -> Source {
    Source { low: Operand::register(register), high: Operand::register(register.offset(1)) }
}

fn not_bits(operand: Operand) -> Operand {
    if operand == Operand::ZERO { Operand::Immediate(u32::MAX) } else { inverted(operand) }
}

/// The carry that goes into a difference written as `a + ~b`.
fn subtracts_carry(subtracts: bool) -> Operand {
    if subtracts { Operand::TRUE } else { Operand::FALSE }
}
