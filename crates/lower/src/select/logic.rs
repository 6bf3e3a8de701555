//! Logic, shifts, bit fields, comparisons and selections.

use super::integer::pair;
use super::values::{Source, constant_of, immediate, low_word, not, words_of};
use super::{Selector, when};
use crate::flat::{Flat, Item, Value};
use warplab_program::{Modifier, Opcode, Operand, Predicate, Register};
use warplab_ptx::tree::{
    self, Clamp, Compare, Direction, Flag, Immediate, Modifier as Dotted, PermuteMode, Type,
};

use Modifier as M;

const A: u8 = 0xf0;
const B: u8 = 0xcc;

/// How bits are shifted: to the right with zeros or with the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    Logical,
    Arithmetic,
}

impl Shift {
    /// To the right, as a type of this signedness is shifted.
    fn right(signed: bool) -> Shift {
        if signed { Shift::Arithmetic } else { Shift::Logical }
    }
}

impl Selector<'_, '_> {
    /// A bitwise function of three operands in a new register.
    pub(crate) fn lop3(&mut self, a: Operand, b: Operand, c: Operand, lut: u8) -> Register {
        let to = self.code.register(1);
        self.lop3_to(to, a, b, c, lut);
        to
    }

    pub(crate) fn lop3_to(&mut self, to: Register, a: Operand, b: Operand, c: Operand, lut: u8) {
        let lut = Operand::Immediate(u32::from(lut));
        self.op(Opcode::Lop3, &[M::Lut], [Operand::register(to), a, b, c, lut, Operand::FALSE]);
    }

    pub(crate) fn logic(&mut self, flat: &Flat<'_>, ty: Type) {
        if ty == Type::Pred {
            return self.predicate_logic(flat);
        }
        let bits = ty.bits();
        let opcode = flat.tree.opcode;
        let to = self.result(&flat.operands[0], bits);
        if bits < 64
            && matches!(opcode, tree::Opcode::And | tree::Opcode::Or | tree::Opcode::Xor)
            && self.fused_logic(to, flat, opcode)
        {
            return;
        }
        if bits == 64
            && matches!(opcode, tree::Opcode::Or | tree::Opcode::Xor)
            && self.turned(to, &flat.operands[1], &flat.operands[2])
        {
            return;
        }
        let sources: Vec<Source> =
            flat.operands[1..].iter().take(3).map(|value| self.source(value, ty)).collect();
        for half in 0..if bits == 64 { 2 } else { 1 } {
            let part = |index: usize| {
                let source = sources[index];
                if half == 0 { source.low } else { source.high }
            };
            let to = to.offset(half);
            match opcode {
                tree::Opcode::Not => self.lop3_to(to, Operand::ZERO, part(0), Operand::ZERO, 0x33),
                tree::Opcode::Cnot => {
                    let zero = self.is_zero(sources[0], ty);
                    let value = if half == 0 { Operand::Immediate(1) } else { Operand::ZERO };
                    self.choose(to, value, Operand::ZERO, Operand::predicate(zero));
                }
                tree::Opcode::Lop3 => {
                    let lut = flat.operands.get(4).and_then(|value| match value {
                        Value::Immediate(constant) => constant.as_int(),
                        _ => None,
                    });
                    self.lop3_to(to, part(0), part(1), part(2), low_word(lut.unwrap_or(0)).to_le_bytes()[0]);
                }
                _ => {
                    let (a, b) = (part(0), part(1));
                    let (a, b) = if constant_of(&a).is_some() { (b, a) } else { (a, b) };
                    self.lop3_to(to, a, b, Operand::ZERO, function(opcode));
                }
            }
        }
    }

    /// Whether a value is zero.
    fn is_zero(&mut self, source: Source, ty: Type) -> Predicate {
        let low = if ty.bits() == 16 { self.extend16(source.low, false) } else { source.low };
        let any = if ty.bits() == 64 {
            Operand::register(self.lop3(low, source.high, Operand::ZERO, 0xfc))
        } else {
            low
        };
        self.compare(&[M::Eq, M::And], any, Operand::ZERO)
    }

    /// Two bitwise operations in one, where the first is only used here.
    fn fused_logic(&mut self, to: Register, flat: &Flat<'_>, opcode: tree::Opcode) -> bool {
        for (first, second) in [(1, 2), (2, 1)] {
            let Some((tree, operands, made)) = self.origin_of(&flat.operands[first]) else {
                continue;
            };
            let inner = tree.opcode;
            let fits =
                matches!(inner, tree::Opcode::And | tree::Opcode::Or | tree::Opcode::Xor | tree::Opcode::Not)
                    && tree.ty().is_some_and(|it| it.bits() == 32);
            if !fits || !self.is_private(&flat.operands[first], made) {
                continue;
            }
            let operands = operands.to_vec();
            let x = self.source(&operands[1], Type::B32).low;
            let c = self.source(&flat.operands[second], Type::B32).low;
            if inner == tree::Opcode::Not {
                let lut = combine(opcode, !A, B);
                self.lop3_to(to, x, c, Operand::ZERO, lut);
                return true;
            }
            let y = self.source(&operands[2], Type::B32).low;
            let constants = [x, y, c].iter().filter(|it| !matches!(it, Operand::Register { .. })).count();
            if constants > 1 {
                continue;
            }
            let (x, y) = if matches!(x, Operand::Register { .. }) { (x, y) } else { (y, x) };
            if matches!(c, Operand::Register { .. }) {
                self.lop3_to(to, x, y, c, combine(opcode, combine(inner, A, B), 0xaa));
            } else {
                self.lop3_to(to, x, c, y, combine(opcode, combine(inner, A, 0xaa), B));
            }
            return true;
        }
        false
    }

    fn predicate_logic(&mut self, flat: &Flat<'_>) {
        let to = self.predicate_result(&flat.operands[0]);
        let a = self.predicate_source(&flat.operands[1]);
        if flat.tree.opcode == tree::Opcode::Not {
            return self.set_predicate(to, not(a));
        }
        if self.combined_comparison(to, flat) {
            return;
        }
        let b = self.predicate_source(&flat.operands[2]);
        self.combine_predicates(to, a, b, function(flat.tree.opcode));
    }

    /// Two predicates of which one is a comparison: it takes the other in. One that is only used here if there is one; another, of
    /// integers, is made again, as ptxas does it.
    fn combined_comparison(&mut self, to: Predicate, flat: &Flat<'_>) -> bool {
        let operation = match flat.tree.opcode {
            tree::Opcode::And => M::And,
            tree::Opcode::Or => M::Or,
            tree::Opcode::Xor => M::Xor,
            _ => return false,
        };
        let mut found: Vec<(bool, usize, usize)> = Vec::new();
        for (term, other) in [(1, 2), (2, 1)] {
            let value = &flat.operands[term];
            if let Some((tree, operands, made)) = self.origin_of(value)
                && tree.opcode == tree::Opcode::Setp
                && matches!(operands[0], Value::Register(_))
                && operands.len() == 3
                && tree
                    .types()
                    .last()
                    .is_some_and(|ty| !ty.is_packed() && !matches!(ty, Type::F16 | Type::Bf16))
                && !self.is_test(tree.compare(), &operands[1..])
            {
                let private = self.is_private(value, made);
                let is_narrow = tree.types().last().is_some_and(|ty| !ty.is_float() && ty.bits() <= 32);
                if private || is_narrow {
                    found.push((private, made, other));
                }
            }
        }
        let Some((_, made, other)) = found.into_iter().max() else { return false };
        let all = self.flat;
        let Item::Instruction(inner) = &all.items[made] else { return false };
        let with = self.predicate_source(&flat.operands[other]);
        let ty = inner.tree.types().last().unwrap_or(Type::B32);
        let outputs = [Operand::predicate(to), Operand::TRUE];
        self.compare_to(inner, outputs, inner.tree.compare().unwrap_or(Compare::Eq), operation, with, ty);
        true
    }

    /// Whether a comparison is that of a masked value with zero, for which LOP3 is enough.
    fn is_test(&self, compare: Option<Compare>, terms: &[Value]) -> bool {
        let masks = |opcode| matches!(opcode, tree::Opcode::And | tree::Opcode::Or | tree::Opcode::Xor);
        matches!(compare, Some(Compare::Eq | Compare::Ne))
            && matches!(terms[1], Value::Immediate(Immediate::Int(0)))
            && self
                .origin_of(&terms[0])
                .is_some_and(|(tree, _, made)| masks(tree.opcode) && self.is_private(&terms[0], made))
    }

    pub(crate) fn shift(&mut self, flat: &Flat<'_>, ty: Type) {
        if flat.tree.opcode == tree::Opcode::Shf {
            return self.funnel_shift(flat);
        }
        let left = flat.tree.opcode == tree::Opcode::Shl;
        let source = self.source(&flat.operands[1], ty);
        let count = self.source(&flat.operands[2], Type::U32).low;
        let to = self.result(&flat.operands[0], ty.bits());
        let shift = if left { Shift::Left } else { Shift::right(ty.is_signed()) };
        if ty.bits() == 64 {
            return self.shift64(to, source, count, shift);
        }
        let value =
            if ty.bits() == 16 && !left { self.extend16(source.low, ty.is_signed()) } else { source.low };
        self.shift32(to, value, count, shift);
    }

    pub(crate) fn shift32(&mut self, to: Register, value: Operand, count: Operand, shift: Shift) {
        let to = Operand::register(to);
        let right = |ty| [M::R, ty, M::Hi];
        match shift {
            Shift::Left => self.op(Opcode::Shf, &[M::L, M::U32], [to, value, count, Operand::ZERO]),
            Shift::Logical => self.op(Opcode::Shf, &right(M::U32), [to, Operand::ZERO, count, value]),
            Shift::Arithmetic => self.op(Opcode::Shf, &right(M::S32), [to, Operand::ZERO, count, value]),
        }
    }

    pub(crate) fn shift64(&mut self, to: Register, value: Source, count: Operand, shift: Shift) {
        let (low, high) = (Operand::register(to), Operand::register(to.offset(1)));
        let (left, signed) = (shift == Shift::Left, shift == Shift::Arithmetic);
        match constant_of(&count) {
            Some(0) => self.move_to(to, value, 64),
            Some(count) if count >= 64 && !signed => self.move_to(to, Source::constant(0), 64),
            Some(count @ 32..) if left => {
                // The upper half first: a value may be shifted in place.
                self.shift32(to.offset(1), value.low, immediate(count - 32), Shift::Left);
                self.op(Opcode::Mov, &[], [low, Operand::ZERO]);
            }
            Some(count @ 32..) => {
                self.shift32(to, value.high, immediate((count - 32).min(31)), shift);
                if signed {
                    self.shift32(to.offset(1), value.high, Operand::Immediate(31), Shift::Arithmetic);
                } else {
                    self.op(Opcode::Mov, &[], [high, Operand::ZERO]);
                }
            }
            _ if left => {
                let upper = self.compute(Opcode::Shf, &[M::L, M::U64, M::Hi], [value.low, count, value.high]);
                self.op(Opcode::Shf, &[M::L, M::U32], [low, value.low, count, Operand::ZERO]);
                self.op(Opcode::Mov, &[], [high, Operand::register(upper)]);
            }
            _ => {
                let (wide, narrow) = if signed { (M::S64, M::S32) } else { (M::U64, M::U32) };
                let lower = self.compute(Opcode::Shf, &[M::R, wide], [value.low, count, value.high]);
                self.op(Opcode::Shf, &[M::R, narrow, M::Hi], [high, Operand::ZERO, count, value.high]);
                self.op(Opcode::Mov, &[], [low, Operand::register(lower)]);
            }
        }
    }

    fn funnel_shift(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let left = tree.has(Dotted::Direction(Direction::L));
        let wraps = tree.has(Dotted::Clamp(Clamp::Wrap));
        let sources: Vec<Operand> =
            flat.operands[1..4].iter().map(|value| self.source(value, Type::B32).low).collect();
        let to = Operand::register(self.result(&flat.operands[0], 32));
        let mut modifiers = vec![if left { M::L } else { M::R }];
        if wraps {
            modifiers.push(M::W);
        }
        modifiers.push(M::U32);
        if left {
            modifiers.push(M::Hi);
        }
        self.op(Opcode::Shf, &modifiers, [to, sources[0], sources[2], sources[1]]);
    }

    pub(crate) fn bits(&mut self, flat: &Flat<'_>, ty: Type) {
        use tree::Opcode::*;
        let wide = ty.bits() == 64;
        match flat.tree.opcode {
            Bfe => self.bit_field_extract(flat, ty),
            Bfi => self.bit_field_insert(flat, ty),
            Popc => {
                let source = self.source(&flat.operands[1], ty);
                let to = Operand::register(self.result(&flat.operands[0], 32));
                if !wide {
                    return self.op(Opcode::Popc, &[], [to, source.low]);
                }
                let low = self.compute(Opcode::Popc, &[], [source.low]);
                let high = self.compute(Opcode::Popc, &[], [source.high]);
                self.op(
                    Opcode::Iadd3,
                    &[],
                    [to, Operand::register(low), Operand::register(high), Operand::ZERO],
                );
            }
            Brev => {
                let source = self.source(&flat.operands[1], ty);
                let to = self.result(&flat.operands[0], ty.bits());
                if !wide {
                    return self.op(Opcode::Brev, &[], [Operand::register(to), source.low]);
                }
                let low = self.compute(Opcode::Brev, &[], [source.high]);
                self.op(Opcode::Brev, &[], [Operand::register(to.offset(1)), source.low]);
                self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(low)]);
            }
            Clz | Bfind => self.find_bit(flat, ty),
            Prmt => {
                let mode = flat.tree.modifiers.iter().find_map(|it| match it {
                    Dotted::Permute(mode) => Some(*mode),
                    _ => None,
                });
                let modifiers: &[M] = match mode {
                    None => &[],
                    Some(PermuteMode::F4e) => &[M::F4e],
                    Some(PermuteMode::B4e) => &[M::B4e],
                    Some(PermuteMode::Rc8) => &[M::Rc8],
                    Some(PermuteMode::Ecl) => &[M::Ecl],
                    Some(PermuteMode::Ecr) => &[M::Ecr],
                    Some(PermuteMode::Rc16) => &[M::Rc16],
                };
                let sources: Vec<Operand> =
                    flat.operands[1..4].iter().map(|value| self.source(value, Type::B32).low).collect();
                let to = Operand::register(self.result(&flat.operands[0], 32));
                // SASS writes the selector second.
                self.op(Opcode::Prmt, modifiers, [to, sources[0], sources[2], sources[1]]);
            }
            Szext | Bmsk => {
                let (a, b) =
                    (self.source(&flat.operands[1], ty).low, self.source(&flat.operands[2], Type::U32).low);
                let to = Operand::register(self.result(&flat.operands[0], 32));
                let mut modifiers = Vec::new();
                if flat.tree.has(Dotted::Clamp(Clamp::Wrap)) {
                    modifiers.push(M::W);
                }
                let extends = flat.tree.opcode == Szext;
                if extends && !ty.is_signed() {
                    modifiers.push(M::U32);
                }
                let opcode = if extends { Opcode::Sgxt } else { Opcode::Bmsk };
                self.op(opcode, &modifiers, [to, a, b]);
            }
            _ => self.find_nth_set(flat),
        }
    }

    fn find_bit(&mut self, flat: &Flat<'_>, ty: Type) {
        let counts = flat.tree.opcode == tree::Opcode::Clz;
        let shift = counts || flat.tree.flag(Flag::Shiftamt);
        let signed = ty.is_signed() && !counts;
        let source = self.source(&flat.operands[1], ty);
        let to = self.result(&flat.operands[0], 32);
        let mut modifiers = super::integer::signedness(signed).to_vec();
        if ty.bits() < 64 {
            if counts {
                // The count of zero is 32: 31 - (-1).
                let position = self.compute(Opcode::Flo, &[M::U32], [source.low]);
                return self.subtract_from(to, 31, position);
            }
            if shift {
                modifiers.push(M::Sh);
            }
            return self.op(Opcode::Flo, &modifiers, [Operand::register(to), source.low]);
        }
        let (low, high) = (source.low, source.high);
        let (low, high) = if signed {
            // The highest bit that differs from the sign: that of the value with negative ones inverted.
            let sign = self.compute(
                Opcode::Shf,
                &[M::R, M::S32, M::Hi],
                [Operand::ZERO, Operand::Immediate(31), high],
            );
            let sign = Operand::register(sign);
            let low = self.lop3(low, sign, Operand::ZERO, 0x3c);
            let high = self.lop3(high, sign, Operand::ZERO, 0x3c);
            (Operand::register(low), Operand::register(high))
        } else {
            (low, high)
        };
        let upper = self.compare(&[M::Ne, M::And], high, Operand::ZERO);
        let word = self.code.register(1);
        self.choose(word, high, low, Operand::predicate(upper));
        let position = self.compute(Opcode::Flo, &[M::U32], [Operand::register(word)]);
        if shift {
            let first = self.code.register(1);
            self.subtract_from(first, 31, position);
            let second = self.code.register(1);
            self.subtract_from(second, 63, position);
            self.choose(to, Operand::register(first), Operand::register(second), Operand::predicate(upper));
            if !counts {
                // No bit at all is -1, not 64.
                let none = self.compare(&[M::Eq, M::And], Operand::register(to), Operand::Immediate(64));
                let from = Operand::register(to);
                self.choose(to, Operand::Immediate(u32::MAX), from, Operand::predicate(none));
            }
            return;
        }
        let raised = self.compute(
            Opcode::Iadd3,
            &[],
            [Operand::register(position), Operand::Immediate(32), Operand::ZERO],
        );
        self.choose(to, Operand::register(raised), Operand::register(position), Operand::predicate(upper));
    }

    fn subtract_from(&mut self, to: Register, constant: u32, register: Register) {
        let negated = Operand::modified(register, warplab_program::SourceModifier::NEGATE);
        self.op(
            Opcode::Iadd3,
            &[],
            [Operand::register(to), negated, Operand::Immediate(constant), Operand::ZERO],
        );
    }

    fn byte_of(&mut self, value: &Value) -> Operand {
        let source = self.source(value, Type::U32).low;
        match constant_of(&source) {
            Some(bits) => immediate(bits & 0xff),
            None => Operand::register(self.lop3(source, Operand::Immediate(0xff), Operand::ZERO, 0xc0)),
        }
    }

    fn bit_field_extract(&mut self, flat: &Flat<'_>, ty: Type) {
        let source = self.source(&flat.operands[1], ty);
        let (at, length) = (self.byte_of(&flat.operands[2]), self.byte_of(&flat.operands[3]));
        let to = self.result(&flat.operands[0], ty.bits());
        let signed = ty.is_signed();
        if ty.bits() == 32 {
            let shifted = self.code.register(1);
            self.shift32(shifted, source.low, at, Shift::right(signed));
            let modifiers = super::integer::signedness(signed);
            return self.op(
                Opcode::Sgxt,
                modifiers,
                [Operand::register(to), Operand::register(shifted), length],
            );
        }
        let shifted = self.code.register(2);
        self.shift64(shifted, source, at, Shift::right(signed));
        // Up by 64 - length and down again; a length of 64 or more leaves all.
        let length = match constant_of(&length) {
            Some(bits) => immediate(bits.min(64)),
            None => Operand::register(self.compute(
                Opcode::Vimnmx,
                &[M::U32],
                [length, Operand::Immediate(64), Operand::TRUE],
            )),
        };
        let rest = match constant_of(&length) {
            Some(bits) => immediate(64 - bits),
            None => {
                let rest = self.code.register(1);
                self.subtract_from(rest, 64, length.as_register().unwrap_or(Register::ZERO));
                Operand::register(rest)
            }
        };
        let up = self.code.register(2);
        self.shift64(up, pair(shifted), rest, Shift::Left);
        self.shift64(to, pair(up), rest, Shift::right(signed));
        if signed {
            // A field of no bits is zero, not the sign.
            let none = self.compare(&[M::Eq, M::And], length, Operand::ZERO);
            for half in 0..2 {
                let value = Operand::register(to.offset(half));
                self.choose(to.offset(half), Operand::ZERO, value, Operand::predicate(none));
            }
        }
    }

    fn bit_field_insert(&mut self, flat: &Flat<'_>, ty: Type) {
        let (field, base) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let (at, length) = (self.byte_of(&flat.operands[3]), self.byte_of(&flat.operands[4]));
        let to = self.result(&flat.operands[0], ty.bits());
        let constants = (constant_of(&at), constant_of(&length));
        if ty.bits() == 32 {
            let shifted = self.code.register(1);
            self.shift32(shifted, field.low, at, Shift::Left);
            let mask = match constants {
                (Some(at), Some(length)) => immediate(words_of(mask64(at, length))[0]),
                _ => Operand::register(self.compute(Opcode::Bmsk, &[], [at, length])),
            };
            return self.lop3_to(to, Operand::register(shifted), mask, base.low, 0xe2);
        }
        let shifted = self.code.register(2);
        self.shift64(shifted, field, at, Shift::Left);
        let mask = if let (Some(at), Some(length)) = constants {
            Source::constant(mask64(at, length))
        } else {
            let ones = self.code.register(2);
            self.shift64(ones, Source::constant(1), length, Shift::Left);
            let less = self.code.register(2);
            self.subtract64(less, pair(ones), Source::constant(1));
            let mask = self.code.register(2);
            self.shift64(mask, pair(less), at, Shift::Left);
            pair(mask)
        };
        self.lop3_to(to, Operand::register(shifted), mask.low, base.low, 0xe2);
        self.lop3_to(to.offset(1), Operand::register(shifted.offset(1)), mask.high, base.high, 0xe2);
    }

    /// `fns`: the position of the n-th set bit from a base, by counting one bit after another.
    fn find_nth_set(&mut self, flat: &Flat<'_>) {
        let mask = Operand::register(self.register(&flat.operands[1], Type::B32));
        let base = Operand::register(self.register(&flat.operands[2], Type::B32));
        let nth = Operand::register(self.register(&flat.operands[3], Type::S32));
        let to = self.result(&flat.operands[0], 32);
        let (at, left) = (self.code.register(1), self.code.register(1));
        let (at_value, left_value) = (Operand::register(at), Operand::register(left));
        let result = self.code.register(1);
        self.op(Opcode::Mov, &[], [at_value, base]);
        self.op(Opcode::Iabs, &[], [left_value, nth]);
        self.op(Opcode::Mov, &[], [Operand::register(result), Operand::Immediate(u32::MAX)]);
        let down = self.compare(&[M::Lt, M::And], nth, Operand::ZERO);
        let step = self.code.register(1);
        self.choose(step, Operand::Immediate(u32::MAX), Operand::Immediate(1), Operand::predicate(down));
        // With n = 0 the bit at the base itself must be set.
        let exact = self.compare(&[M::Eq, M::And], nth, Operand::ZERO);
        self.op_if(when(exact), Opcode::Mov, &[], [left_value, Operand::Immediate(1)]);
        let (again, done) = (self.new_label(), self.new_label());
        self.place_label(again);
        let outside = self.compare(&[M::Gt, M::U32, M::And], at_value, Operand::Immediate(31));
        self.branch_if(when(outside), done);
        let bit = self.code.register(1);
        self.shift32(bit, mask, at_value, Shift::Logical);
        let set = self.lop3(Operand::register(bit), Operand::Immediate(1), Operand::ZERO, 0xc0);
        let negated = Operand::modified(set, warplab_program::SourceModifier::NEGATE);
        self.op(Opcode::Iadd3, &[], [left_value, left_value, negated, Operand::ZERO]);
        let found = self.compare(&[M::Eq, M::And], left_value, Operand::ZERO);
        self.op_if(when(found), Opcode::Mov, &[], [Operand::register(result), at_value]);
        self.branch_if(when(found), done);
        self.branch_if(when(exact), done);
        self.op(Opcode::Iadd3, &[], [at_value, at_value, Operand::register(step), Operand::ZERO]);
        self.branch(again);
        self.place_label(done);
        self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(result)]);
    }
}

fn mask64(at: u32, length: u32) -> u64 {
    let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    if at >= 64 { 0 } else { ones << at }
}

/// The truth table of a two-operand function of `a` and `b`.
pub(crate) fn function(opcode: tree::Opcode) -> u8 {
    combine(opcode, A, B)
}

fn combine(opcode: tree::Opcode, a: u8, b: u8) -> u8 {
    match opcode {
        tree::Opcode::And => a & b,
        tree::Opcode::Or => a | b,
        _ => a ^ b,
    }
}
