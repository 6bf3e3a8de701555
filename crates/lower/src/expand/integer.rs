//! Integer division.

use crate::select::{Selector, Source, when};
use warplab_program::{Modifier, Opcode, Operand, Register, SourceModifier};

use Modifier as M;

/// What of an integer division is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DivisionPart {
    Quotient,
    Remainder,
}

impl Selector<'_, '_> {
    /// 32-bit quotient or remainder by a reciprocal in single precision, as the vendor's compiler does it.
    pub(crate) fn divide32(
        &mut self,
        to: Register,
        a: Operand,
        b: Operand,
        signed: bool,
        part: DivisionPart,
    ) {
        let remainder = part == DivisionPart::Remainder;
        let (a, b) = (Operand::register(self.register_of(a)), Operand::register(self.register_of(b)));
        let (x, y) = if signed {
            let x = self.compute(Opcode::Iabs, &[], [a]);
            let y = self.compute(Opcode::Iabs, &[], [b]);
            (Operand::register(x), Operand::register(y))
        } else {
            (a, b)
        };
        let zero = Operand::ZERO;
        // The reciprocal of the divisor, scaled by 2^32.
        let modifiers: &[M] = if signed { &[M::Rp] } else { &[M::U32, M::Rp] };
        let float = self.compute(Opcode::I2f, modifiers, [y]);
        let reciprocal = self.compute(Opcode::Mufu, &[M::Rcp], [Operand::register(float)]);
        let scaled = self.compute(
            Opcode::Iadd3,
            &[],
            [Operand::register(reciprocal), Operand::Immediate(0x0fff_fffe), zero],
        );
        let pair = self.code.register(2);
        self.op(Opcode::Mov, &[], [Operand::register(pair), zero]);
        let guess = Operand::register(pair.offset(1));
        self.op(Opcode::F2i, &[M::Ftz, M::U32, M::Trunc, M::Ntz], [guess, Operand::register(scaled)]);
        let negative = |operand: Operand| match operand.as_register() {
            Some(register) => Operand::modified(register, SourceModifier::NEGATE),
            None => operand,
        };
        let minus = self.compute(Opcode::Iadd3, &[], [negative(guess), zero, zero]);
        let error = self.compute(Opcode::Imad, &[], [Operand::register(minus), y, zero]);
        let better = self.compute(
            Opcode::Imad,
            &[M::Hi, M::U32],
            [guess, Operand::register(error), Operand::register(pair)],
        );
        let first = self.compute(Opcode::Imad, &[M::Hi, M::U32], [Operand::register(better), x, zero]);
        let minus =
            self.compute(Opcode::Iadd3, &[], [Operand::modified(first, SourceModifier::NEGATE), zero, zero]);
        let rest = self.code.register(1);
        let r = Operand::register(rest);
        self.op(Opcode::Imad, &[], [r, y, Operand::register(minus), x]);
        let q = Operand::register(first);
        for is_last in [false, true] {
            let more = self.compare(&[M::Ge, M::U32, M::And], r, y);
            if remainder || !is_last {
                self.op_if(when(more), Opcode::Iadd3, &[], [r, r, negative(y), zero]);
            }
            if !remainder {
                self.op_if(when(more), Opcode::Iadd3, &[], [q, q, Operand::Immediate(1), zero]);
            }
        }
        let result = if remainder { r } else { q };
        if signed {
            let sign = if remainder { a } else { Operand::register(self.lop3(a, b, zero, 0x3c)) };
            let below = self.compare(&[M::Lt, M::And], sign, zero);
            self.op_if(when(below), Opcode::Iadd3, &[], [result, negative(result), zero, zero]);
        }
        // Division by zero gives all ones, the remainder is the dividend.
        let by_zero = self.compare(&[M::Eq, M::And], b, zero);
        let otherwise = if remainder { a } else { Operand::Immediate(u32::MAX) };
        self.op_if(when(by_zero), Opcode::Mov, &[], [result, otherwise]);
        self.op(Opcode::Mov, &[], [Operand::register(to), result]);
    }

    fn register_of(&mut self, operand: Operand) -> Register {
        self.in_register(Source { low: operand, high: Operand::ZERO }, 32)
    }

    /// 64-bit quotient or remainder, by long division in two words: where both fit in 32 bits, nvcc branches to a division of those
    /// itself.
    pub(crate) fn divide64(
        &mut self,
        to: Register,
        a: Register,
        b: Register,
        signed: bool,
        part: DivisionPart,
    ) {
        let present = self.present_block();
        self.code.blocks[present].subroutine = true;
        let remainder = part == DivisionPart::Remainder;
        let zero = Operand::ZERO;
        let (x, y) = if signed {
            let (x, y) = (self.code.register(2), self.code.register(2));
            self.absolute64(x, a);
            self.absolute64(y, b);
            (x, y)
        } else {
            (a, b)
        };
        let high = |register: Register| Operand::register(register.offset(1));
        let (quotient, rest) = self.long_division(x, y);
        let result = if remainder { rest } else { quotient };
        if !signed {
            self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(result)]);
            return self.op(Opcode::Mov, &[], [high(to), high(result)]);
        }
        let sign =
            if remainder { high(a) } else { Operand::register(self.lop3(high(a), high(b), zero, 0x3c)) };
        let below = self.compare(&[M::Lt, M::And], sign, zero);
        let negated = self.code.register(2);
        self.subtract64(
            negated,
            Source::constant(0),
            Source { low: Operand::register(result), high: high(result) },
        );
        let predicate = Operand::predicate(below);
        let adjusted = self.code.register(2);
        self.choose(adjusted, Operand::register(negated), Operand::register(result), predicate);
        self.choose(adjusted.offset(1), high(negated), high(result), predicate);
        if !remainder {
            let any = self.lop3(Operand::register(b), high(b), zero, 0xfc);
            let by_zero = self.compare(&[M::Eq, M::And], Operand::register(any), zero);
            let ones = Operand::Immediate(u32::MAX);
            self.op_if(when(by_zero), Opcode::Mov, &[], [Operand::register(adjusted), ones]);
            self.op_if(when(by_zero), Opcode::Mov, &[], [high(adjusted), ones]);
        }
        self.op(Opcode::Mov, &[], [Operand::register(to), Operand::register(adjusted)]);
        self.op(Opcode::Mov, &[], [high(to), high(adjusted)]);
    }

    /// Unsigned 64-bit quotient and remainder. The reciprocal of the divisor, scaled by 2^64, starts from single
    /// precision and is made better twice; the quotient is then at most two too small, as ptxas has it.
    fn long_division(&mut self, x: Register, y: Register) -> (Register, Register) {
        let zero = Operand::ZERO;
        let pair = |register: Register| Source {
            low: Operand::register(register),
            high: Operand::register(register.offset(1)),
        };
        let float = self.compute(Opcode::I2f, &[M::U64, M::Rp], [Operand::register(y)]);
        let reciprocal = self.compute(Opcode::Mufu, &[M::Rcp], [Operand::register(float)]);
        // 2^64 less a little, by way of the exponent.
        let scaled = self.compute(
            Opcode::Iadd3,
            &[],
            [Operand::register(reciprocal), Operand::Immediate(0x1fff_fffe), zero],
        );
        let mut guess = self.new_pair(Opcode::F2i, &[M::U64, M::Trunc], [Operand::register(scaled)]);
        let negative = self.code.register(2);
        self.subtract64(negative, Source::constant(0), pair(y));
        for _ in 0..2 {
            let error = self.code.register(2);
            self.product64(error, pair(guess), pair(negative), zero);
            let step = self.high_product64(pair(guess), pair(error));
            let better = self.code.register(2);
            self.sum64(better, pair(guess), pair(step));
            guess = better;
        }
        let quotient = self.code.register(2);
        let first = self.high_product64(pair(guess), pair(x));
        self.move_to(quotient, pair(first), 64);
        let product = self.code.register(2);
        self.product64(product, pair(first), pair(y), zero);
        let rest = self.code.register(2);
        self.subtract64(rest, pair(x), pair(product));
        for _ in 0..2 {
            let less = self.less64(pair(rest), pair(y), false);
            let (smaller, more) = (self.code.register(2), self.code.register(2));
            self.subtract64(smaller, pair(rest), pair(y));
            self.sum64(more, pair(quotient), Source::constant(1));
            for half in 0..2 {
                let r = Operand::register(rest.offset(half));
                self.choose(
                    rest.offset(half),
                    r,
                    Operand::register(smaller.offset(half)),
                    Operand::predicate(less),
                );
                let q = Operand::register(quotient.offset(half));
                self.choose(
                    quotient.offset(half),
                    q,
                    Operand::register(more.offset(half)),
                    Operand::predicate(less),
                );
            }
        }
        // By zero: the quotient is all ones, the remainder the dividend.
        let any = self.lop3(Operand::register(y), Operand::register(y.offset(1)), zero, 0xfc);
        let by_zero = self.compare(&[M::Eq, M::And], Operand::register(any), zero);
        for half in 0..2 {
            let ones = Operand::Immediate(u32::MAX);
            self.op_if(when(by_zero), Opcode::Mov, &[], [Operand::register(quotient.offset(half)), ones]);
            let dividend = Operand::register(x.offset(half));
            self.op_if(when(by_zero), Opcode::Mov, &[], [Operand::register(rest.offset(half)), dividend]);
        }
        (quotient, rest)
    }
}
