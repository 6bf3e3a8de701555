//! Integer products.

use super::Selector;
use super::values::Source;
use crate::flat::{Flat, Item, Value};
use warplab_program::{Modifier, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Flag, Half, Type};

use super::integer::{is_register, pair};
use Modifier as M;

/// So many items further the other half of a product is looked for.
const PAIRED_WITHIN: usize = 64;

impl Selector<'_, '_> {
    pub(crate) fn multiply(&mut self, flat: &Flat<'_>, ty: Type) {
        let half = flat.tree.half().unwrap_or(Half::Lo);
        let adds = flat.tree.opcode == tree::Opcode::Mad;
        match (ty.bits(), half) {
            (64, _) if self.half_of_both(flat) => {}
            (64, Half::Lo) => self.multiply64(flat, adds),
            (64, _) => self.multiply_high64(flat, ty, adds),
            (32, Half::Wide) => {
                let (a, b) = (self.source(&flat.operands[1], ty).low, self.source(&flat.operands[2], ty).low);
                let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
                let c = if adds {
                    Operand::register(self.register(&flat.operands[3], Type::B64))
                } else {
                    Operand::ZERO
                };
                let to = self.result(&flat.operands[0], 64);
                let modifiers: &[M] = if ty.is_signed() { &[M::Wide] } else { &[M::Wide, M::U32] };
                self.op(Opcode::Imad, modifiers, [Operand::register(to), a, b, c]);
            }
            (32, Half::Hi) => {
                let (a, b) = (self.source(&flat.operands[1], ty).low, self.source(&flat.operands[2], ty).low);
                let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
                let modifiers: &[M] = if ty.is_signed() { &[M::Hi] } else { &[M::Hi, M::U32] };
                let to = Operand::register(self.result(&flat.operands[0], 32));
                if adds {
                    let product = self.compute(Opcode::Imad, modifiers, [a, b, Operand::ZERO]);
                    let c = self.source(&flat.operands[3], ty).low;
                    self.op(Opcode::Iadd3, &[], [to, Operand::register(product), c, Operand::ZERO]);
                } else {
                    self.op(Opcode::Imad, modifiers, [to, a, b, Operand::ZERO]);
                }
            }
            (32, Half::Lo) => {
                let (a, b) = (self.source(&flat.operands[1], ty).low, self.source(&flat.operands[2], ty).low);
                let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
                let c = if adds { self.source(&flat.operands[3], ty).low } else { Operand::ZERO };
                let to = self.result(&flat.operands[0], 32);
                self.op(Opcode::Imad, &[], [Operand::register(to), a, b, c]);
            }
            _ => self.multiply16(flat, ty, half, adds),
        }
    }

    pub(crate) fn multiply16(&mut self, flat: &Flat<'_>, ty: Type, half: Half, adds: bool) {
        let (a, b) = (self.extended(&flat.operands[1], ty), self.extended(&flat.operands[2], ty));
        let (a, b) = if is_register(&a) { (a, b) } else { (b, a) };
        let to = Operand::register(self.result(&flat.operands[0], 32));
        if half == Half::Hi {
            let product = self.compute(Opcode::Imad, &[], [a, b, Operand::ZERO]);
            let shifted = self.compute(
                Opcode::Shf,
                &[M::R, M::U32, M::Hi],
                [Operand::ZERO, Operand::Immediate(16), Operand::register(product)],
            );
            let c = if adds { self.source(&flat.operands[3], ty).low } else { Operand::ZERO };
            return self.op(Opcode::Iadd3, &[], [to, Operand::register(shifted), c, Operand::ZERO]);
        }
        let wide = if half == Half::Wide { Type::B32 } else { ty };
        let c = if adds { self.source(&flat.operands[3], wide).low } else { Operand::ZERO };
        self.op(Opcode::Imad, &[], [to, a, b, c]);
    }

    /// The lower 64 bits of a 64-bit product.
    pub(crate) fn multiply64(&mut self, flat: &Flat<'_>, adds: bool) {
        let ty = Type::B64;
        let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let (a, b) = if a.as_constant().is_some() { (b, a) } else { (a, b) };
        let c = if adds { Operand::register(self.register(&flat.operands[3], ty)) } else { Operand::ZERO };
        let to = self.result(&flat.operands[0], 64);
        self.product64(to, a, b, c);
    }

    /// `to = a * b + c`, 64 bits.
    pub(crate) fn product64(&mut self, to: Register, a: Source, b: Source, c: Operand) {
        let zero = Operand::ZERO;
        let high = self.compute(Opcode::Imad, &[], [a.high, b.low, zero]);
        let low = self.new_pair(Opcode::Imad, &[M::Wide, M::U32], [a.low, b.low, c]);
        let high = self.compute(Opcode::Imad, &[], [a.low, b.high, Operand::register(high)]);
        self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(low)]);
        self.op(
            Opcode::Iadd3,
            &[],
            [
                Operand::register(to.offset(1)),
                Operand::register(low.offset(1)),
                Operand::register(high),
                zero,
            ],
        );
    }

    pub(crate) fn multiply_high64(&mut self, flat: &Flat<'_>, ty: Type, adds: bool) {
        let a = self.register(&flat.operands[1], ty);
        let b = self.register(&flat.operands[2], ty);
        let mut product = self.high_product64(pair(a), pair(b));
        if ty.is_signed() {
            for (x, y) in [(a, b), (b, a)] {
                // A negative factor counts as itself plus 2^64: take the other off again.
                let sign = self.compute(
                    Opcode::Shf,
                    &[M::R, M::S32, M::Hi],
                    [Operand::ZERO, Operand::Immediate(31), Operand::register(x.offset(1))],
                );
                let low = self.lop3(Operand::register(sign), Operand::register(y), Operand::ZERO, 0xc0);
                let high =
                    self.lop3(Operand::register(sign), Operand::register(y.offset(1)), Operand::ZERO, 0xc0);
                let next = self.code.register(2);
                self.subtract64(
                    next,
                    pair(product),
                    Source { low: Operand::register(low), high: Operand::register(high) },
                );
                product = next;
            }
        }
        let to = self.result(&flat.operands[0], 64);
        if adds {
            let c = self.source(&flat.operands[3], ty);
            self.sum64(to, pair(product), c);
        } else {
            self.move_to(to, pair(product), 64);
        }
    }

    /// One half of an unsigned product of 64 bits whose other half is wanted soon, of the same factors: both are made at once.
    fn half_of_both(&mut self, flat: &Flat<'_>) -> bool {
        let made = self.halves.remove(&self.item).or_else(|| {
            let (other, is_high) = self.other_half(flat)?;
            let [a, b] = [1, 2].map(|index| self.register(&flat.operands[index], Type::B64));
            let (low, high) = self.whole_product64(pair(a), pair(b));
            let (mine, others) = if is_high { (low, high) } else { (high, low) };
            self.halves.insert(other, others);
            Some(mine)
        });
        let Some(made) = made else { return false };
        let to = self.result(&flat.operands[0], 64);
        self.move_to(to, pair(made), 64);
        true
    }

    /// The later item of a straight run that multiplies the same for the other half, and whether that is the upper one.
    fn other_half(&self, flat: &Flat<'_>) -> Option<(usize, bool)> {
        let half = |flat: &Flat<'_>| {
            let is_mul = flat.tree.opcode == tree::Opcode::Mul && flat.guard.is_none();
            match (flat.tree.half(), flat.tree.ty()) {
                (Some(Half::Lo), Some(Type::U64 | Type::S64)) if is_mul => Some(false),
                (Some(Half::Hi), Some(Type::U64)) if is_mul => Some(true),
                _ => None,
            }
        };
        let factors = |flat: &Flat<'_>| match flat.operands[1..] {
            [Value::Register(a), Value::Register(b)] => Some((a.min(b), a.max(b))),
            _ => None,
        };
        let (mine, wanted) = (half(flat)?, factors(flat)?);
        if [wanted.0, wanted.1].iter().any(|&factor| self.definition(factor).is_none()) {
            return None;
        }
        let run = self.runs[self.item];
        let later = self.item + 1..self.flat.items.len();
        let near = later.take(PAIRED_WITHIN).take_while(|&index| self.runs[index] == run);
        near.filter(|index| !self.halves.contains_key(index)).find_map(|index| {
            match &self.flat.items[index] {
                Item::Instruction(other) if half(other) == Some(!mine) && factors(other) == Some(wanted) => {
                    Some((index, !mine))
                }
                _ => None,
            }
        })
    }

    /// The upper 64 bits of an unsigned product of 64 bits.
    pub(crate) fn high_product64(&mut self, a: Source, b: Source) -> Register {
        self.whole_product64(a, b).1
    }

    /// Both halves of an unsigned product of 64 bits, with the carries that ptxas takes.
    fn whole_product64(&mut self, a: Source, b: Source) -> (Register, Register) {
        let zero = Operand::ZERO;
        let wide = [M::Wide, M::U32];
        let second = |register: Register| Operand::register(register.offset(1));
        let first = self.new_pair(Opcode::Imad, &wide, [b.high, a.low, zero]);
        let lowest = self.new_pair(Opcode::Imad, &wide, [b.low, a.low, zero]);
        let [out_of_middle, out_of_low] = [(); 2].map(|()| Operand::predicate(self.code.predicate()));
        let middle = self.code.register(2);
        let sources = [Operand::register(middle), out_of_middle, a.high, b.low, Operand::register(first)];
        self.op(Opcode::Imad, &wide, sources);
        let carried = self.code.register(2);
        self.op(Opcode::Mov, &[], [Operand::register(carried), second(middle)]);
        self.op(Opcode::Iadd3, &[M::X], [second(carried), zero, zero, zero, out_of_middle, Operand::FALSE]);
        let low = self.code.register(2);
        self.op(Opcode::Mov, &[], [Operand::register(low), Operand::register(lowest)]);
        let sum = [second(low), out_of_low, second(lowest), Operand::register(middle), zero];
        self.op(Opcode::Iadd3, &[], sum);
        let high = self.code.register(2);
        let sources = [Operand::register(high), a.high, b.high, Operand::register(carried), out_of_low];
        self.op(Opcode::Imad, &[M::Wide, M::U32, M::X], sources);
        (low, high)
    }

    pub(crate) fn mul24(&mut self, flat: &Flat<'_>, ty: Type) {
        let signed = ty.is_signed();
        let narrow = |it: &mut Self, value: &Value| {
            let source = it.source(value, ty).low;
            let modifiers: &[M] = if signed { &[] } else { &[M::U32] };
            Operand::register(it.compute(Opcode::Sgxt, modifiers, [source, Operand::Immediate(24)]))
        };
        let (a, b) = (narrow(self, &flat.operands[1]), narrow(self, &flat.operands[2]));
        let adds = flat.tree.opcode == tree::Opcode::Mad24;
        let c = if adds { self.source(&flat.operands[3], ty).low } else { Operand::ZERO };
        let register = self.result(&flat.operands[0], 32);
        let to = Operand::register(register);
        if flat.tree.half() != Some(Half::Hi) {
            return self.op(Opcode::Imad, &[], [to, a, b, c]);
        }
        let modifiers: &[M] = if signed { &[M::Wide] } else { &[M::Wide, M::U32] };
        let product = self.new_pair(Opcode::Imad, modifiers, [a, b, Operand::ZERO]);
        let (low, high) = (Operand::register(product), Operand::register(product.offset(1)));
        let shifted = self.compute(Opcode::Shf, &[M::R, M::U64], [low, Operand::Immediate(16), high]);
        let shifted = Operand::register(shifted);
        if flat.tree.flag(Flag::Sat) {
            let c = Operand::register(self.register(&flat.operands[3], ty));
            return self.saturated_sum(register, shifted, c, false);
        }
        self.op(Opcode::Iadd3, &[], [to, shifted, c, Operand::ZERO]);
    }
}
