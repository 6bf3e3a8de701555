//! Double-precision division and square root, correctly rounded.
//!
//! The usual path is the vendor's: an approximation of the upper half made better by fused multiply-adds. The other
//! path, for extreme exponents and directed rounding, divides the fractions, takes the digits of a root one at a time, and
//! rounds once.

use crate::select::{Selector, Shift, Source, unless, when};
use warplab_program::{Modifier, Opcode, Operand, Register, SourceModifier};

use Modifier as M;

const ONE: Operand = Operand::Immediate(0x3ff0_0000);

/// The upper half of the smallest dividend of the usual path, and of the largest quotient that is too small for it.
const SMALL_DIVIDEND: Operand = Operand::Immediate(0x0360_0000);
const SMALL_QUOTIENT: Operand = Operand::Immediate(0x0010_0000);

/// By so many powers of two what has no leading one is made larger.
const LARGER_BY: u32 = 54;

fn minus(register: Register) -> Operand {
    Operand::modified(register, SourceModifier::NEGATE)
}

fn r(register: Register) -> Operand {
    Operand::register(register)
}

fn high(register: Register) -> Operand {
    Operand::register(register.offset(1))
}

fn pair(register: Register) -> Source {
    Source { low: r(register), high: high(register) }
}

impl Selector<'_, '_> {
    /// `a / b` by an approximation of `1 / b`, made better: right whenever no step leaves the normal range.
    fn quotient(&mut self, a: Register, b: Register) -> Register {
        let y = self.code.register(2);
        self.op(Opcode::Mov, &[], [r(y), Operand::Immediate(1)]);
        self.op(Opcode::Mufu, &[M::Rcp64h], [high(y), high(b)]);
        let e = self.new_pair(Opcode::Dfma, &[], [minus(b), r(y), ONE]);
        let e = self.new_pair(Opcode::Dfma, &[], [r(e), r(e), r(e)]);
        let y = self.new_pair(Opcode::Dfma, &[], [r(y), r(e), r(y)]);
        let e = self.new_pair(Opcode::Dfma, &[], [minus(b), r(y), ONE]);
        let y = self.new_pair(Opcode::Dfma, &[], [r(y), r(e), r(y)]);
        let q = self.new_pair(Opcode::Dmul, &[], [r(a), r(y)]);
        let rest = self.new_pair(Opcode::Dfma, &[], [minus(b), r(q), r(a)]);
        self.new_pair(Opcode::Dfma, &[], [r(y), r(rest), r(q)])
    }

    /// `to = a / b`.
    pub(crate) fn divide_double(&mut self, to: Register, a: Register, b: Register, mode: Option<M>) {
        let done = self.new_label();
        let result = if mode.is_none() { self.quotient(a, b) } else { self.code.register(2) };
        if mode.is_none() {
            // The upper halves as singles: the dividend is not so small that a rest would be lost, and the quotient is
            // neither that nor too large; an extreme divisor makes it no number.
            let upper = |x: Register| Operand::modified(x.offset(1), SourceModifier::ABSOLUTE);
            let large = self.code.predicate();
            let operands =
                [Operand::predicate(large), Operand::TRUE, upper(a), SMALL_DIVIDEND, Operand::TRUE];
            self.op(Opcode::Fsetp, &[M::Geu, M::And], operands);
            let probe = self.compute(Opcode::Ffma, &[], [Operand::ZERO, high(b), high(result)]);
            let probe = Operand::modified(probe, SourceModifier::ABSOLUTE);
            let fine = self.code.predicate();
            let operands =
                [Operand::predicate(fine), Operand::TRUE, probe, SMALL_QUOTIENT, Operand::predicate(large)];
            self.op(Opcode::Fsetp, &[M::Gt, M::And], operands);
            self.branch_if(when(fine), done);
        }
        let rare = mode.is_none().then(|| self.present_block());
        self.divide_any(result, a, b, mode);
        self.place_label_behind(done, rare);
        self.move_to(to, pair(result), 64);
    }

    /// Splits a finite double that is not zero: its fraction with the leading one at bit 52, and its exponent. What is too small for
    /// a leading one is made larger first.
    fn split(&mut self, x: Register) -> (Register, Register) {
        const LARGER: Operand = Operand::Immediate((1023 + LARGER_BY) << 20);
        let bits = self.lop3(high(x), Operand::Immediate(0x7ff0_0000), Operand::ZERO, 0xc0);
        let small = self.compare(&[M::Eq, M::And], r(bits), Operand::ZERO);
        let (scaled, fraction) = (self.code.register(2), self.code.register(2));
        self.move_to(scaled, pair(x), 64);
        self.op_if(when(small), Opcode::Dmul, &[], [r(scaled), r(x), LARGER]);
        let (kept, leading) = (Operand::Immediate(0x000f_ffff), Operand::Immediate(0x0010_0000));
        self.op(Opcode::Mov, &[], [r(fraction), r(scaled)]);
        let upper = self.lop3(high(scaled), kept, Operand::ZERO, 0xc0);
        self.lop3_to(fraction.offset(1), r(upper), leading, Operand::ZERO, 0xfc);
        let (shifted, exponent) = (self.code.register(1), self.code.register(1));
        self.shift32(shifted, high(scaled), Operand::Immediate(20), Shift::Logical);
        self.lop3_to(exponent, r(shifted), Operand::Immediate(0x7ff), Operand::ZERO, 0xc0);
        let back = Operand::Immediate(LARGER_BY.wrapping_neg());
        self.op_if(when(small), Opcode::Iadd3, &[], [r(exponent), r(exponent), back, Operand::ZERO]);
        (fraction, exponent)
    }

    /// Goes to a label if the double is zero, infinite or no number.
    fn branch_if_special(&mut self, x: Register, label: usize) {
        let magnitude = self.lop3(high(x), Operand::Immediate(0x7fff_ffff), Operand::ZERO, 0xc0);
        let large = self.compare(&[M::Ge, M::U32, M::And], r(magnitude), Operand::Immediate(0x7ff0_0000));
        self.branch_if(when(large), label);
        let any = self.lop3(r(magnitude), r(x), Operand::ZERO, 0xfc);
        let zero = self.compare(&[M::Eq, M::And], r(any), Operand::ZERO);
        self.branch_if(when(zero), label);
    }

    fn divide_any(&mut self, result: Register, a: Register, b: Register, mode: Option<M>) {
        let (special, done) = (self.new_label(), self.new_label());
        self.branch_if_special(a, special);
        self.branch_if_special(b, special);
        let sign = self.lop3(high(a), high(b), Operand::ZERO, 0x3c);
        let ((fa, ea), (fb, eb)) = (self.split(a), self.split(b));
        let (quotient, power) = self.divide_fractions(fa, fb);
        let exponent = self.compute(Opcode::Iadd3, &[], [r(ea), minus(eb), r(power)]);
        self.round_and_pack(result, quotient, exponent, sign, mode);
        self.branch(done);
        self.place_label(special);
        // Zero, infinity, NaN: the signs and kinds of 1/b times a; a finite divisor only gives its sign.
        let y = self.code.register(2);
        self.op(Opcode::Mov, &[], [r(y), Operand::ZERO]);
        let magnitude = self.lop3(high(b), Operand::Immediate(0x7fff_ffff), Operand::ZERO, 0xc0);
        let any = self.lop3(r(magnitude), r(b), Operand::ZERO, 0xfc);
        let zero = self.compare(&[M::Eq, M::And], r(any), Operand::ZERO);
        let infinite = self.compare(&[M::Eq, M::And], r(any), Operand::Immediate(0x7ff0_0000));
        let kind = self.compute(Opcode::Mov, &[], [ONE]);
        self.op_if(when(zero), Opcode::Mov, &[], [r(kind), Operand::Immediate(0x7ff0_0000)]);
        self.op_if(when(infinite), Opcode::Mov, &[], [r(kind), Operand::ZERO]);
        self.lop3_to(y.offset(1), high(b), Operand::Immediate(0x8000_0000), r(kind), 0xea);
        let product = self.new_pair(Opcode::Dmul, &[], [r(a), r(y)]);
        self.move_to(result, pair(product), 64);
        let nan = self.code.predicate();
        self.op(
            Opcode::Dsetp,
            &[M::Nan, M::And],
            [Operand::predicate(nan), Operand::TRUE, r(b), r(b), Operand::TRUE],
        );
        let sum = self.new_pair(Opcode::Dadd, &[], [r(b), r(b)]);
        self.op_if(when(nan), Opcode::Mov, &[], [r(result), r(sum)]);
        self.op_if(when(nan), Opcode::Mov, &[], [high(result), high(sum)]);
        self.place_label(done);
    }

    /// The quotient of two fractions whose leading ones are at bit 52: its own at bit 62, and the exponent of a double that it has.
    /// What is left over makes it a little more or less, so that it can be rounded once anywhere above the last ten bits.
    fn divide_fractions(&mut self, a: Register, b: Register) -> (Register, Register) {
        let one = |selector: &mut Self, x: Register| {
            let number = selector.code.register(2);
            selector.op(Opcode::Mov, &[], [r(number), r(x)]);
            // The leading one makes it the exponent of 1.
            let exponent = Operand::Immediate(0x3fe0_0000);
            selector.op(Opcode::Iadd3, &[], [high(number), high(x), exponent, Operand::ZERO]);
            number
        };
        let (a, b) = (one(self, a), one(self, b));
        let q = self.quotient(a, b);
        let rest = self.new_pair(Opcode::Dfma, &[], [minus(b), r(q), r(a)]);
        let (power, fraction) = (self.code.register(1), self.code.register(2));
        self.shift32(power, high(q), Operand::Immediate(20), Shift::Logical);
        self.op(Opcode::Mov, &[], [r(fraction), r(q)]);
        let (kept, leading) = (Operand::Immediate(0x000f_ffff), Operand::Immediate(0x0010_0000));
        self.lop3_to(fraction.offset(1), high(q), kept, leading, 0xea);
        self.shift64(fraction, pair(fraction), Operand::Immediate(10), Shift::Left);
        // One more or less, by the sign of what is left.
        let (low, sign) = (self.code.register(1), self.code.register(1));
        self.shift32(sign, high(rest), Operand::Immediate(31), Shift::Arithmetic);
        let any = self.lop3(r(rest), high(rest), Operand::ZERO, 0xfc);
        let some = self.compare(&[M::Ne, M::And], r(any), Operand::ZERO);
        self.choose(low, Operand::Immediate(1), Operand::ZERO, Operand::predicate(some));
        self.lop3_to(low, r(low), r(sign), Operand::ZERO, 0xfc);
        let sum = self.code.register(2);
        self.sum64(sum, pair(fraction), Source { low: r(low), high: r(sign) });
        (sum, power)
    }

    /// Sets the lowest bit of a value if something is left over.
    fn sticky(&mut self, value: Register, rest: Register) {
        let any = self.lop3(r(rest), high(rest), Operand::ZERO, 0xfc);
        let some = self.compare(&[M::Ne, M::And], r(any), Operand::ZERO);
        let operands = [
            r(value),
            r(value),
            Operand::Immediate(1),
            Operand::ZERO,
            Operand::Immediate(0xfc),
            Operand::FALSE,
        ];
        self.op_if(when(some), Opcode::Lop3, &[M::Lut], operands);
    }

    /// Makes a double of a value below 2^63 whose bit 62 counts 1, times 2^(exponent - 1023), and a sign.
    fn round_and_pack(
        &mut self,
        result: Register,
        value: Register,
        exponent: Register,
        sign: Register,
        mode: Option<M>,
    ) {
        let one = Operand::Immediate(1);
        let (again, normal) = (self.new_label(), self.new_label());
        // At most one digit is missing in front.
        self.place_label(again);
        let long = self.compare(&[M::Ge, M::U32, M::And], high(value), Operand::Immediate(0x4000_0000));
        self.branch_if(when(long), normal);
        self.shift64(value, pair(value), one, Shift::Left);
        self.op(Opcode::Iadd3, &[], [r(exponent), r(exponent), Operand::Immediate(u32::MAX), Operand::ZERO]);
        self.branch(again);
        self.place_label(normal);
        // How many bits to drop: 10, and as many more as the exponent is below the smallest.
        let below = self.compute(Opcode::Iadd3, &[], [minus(exponent), one, Operand::ZERO]);
        let below = self.compute(Opcode::Vimnmx, &[], [r(below), Operand::ZERO, Operand::FALSE]);
        // Far below, a number rounds to zero or, away from it, to the smallest of all.
        let most = Operand::Immediate(if mode.is_none() { 54 } else { 53 });
        let below = self.compute(Opcode::Vimnmx, &[], [r(below), most, Operand::TRUE]);
        let drop = self.compute(Opcode::Iadd3, &[], [r(below), Operand::Immediate(10), Operand::ZERO]);
        let unit = self.code.register(2);
        self.shift64(unit, Source::constant(1), r(drop), Shift::Left);
        let mask = self.code.register(2);
        self.subtract64(mask, pair(unit), Source::constant(1));
        let addend = self.code.register(2);
        match mode {
            None => {
                let half = self.code.register(2);
                self.shift64(half, pair(mask), one, Shift::Logical);
                let kept = self.code.register(2);
                self.shift64(kept, pair(value), r(drop), Shift::Logical);
                let odd = self.lop3(r(kept), one, Operand::ZERO, 0xc0);
                self.sum64(addend, pair(half), Source { low: r(odd), high: Operand::ZERO });
            }
            Some(M::Rz) => self.move_to(addend, Source::constant(0), 64),
            Some(direction) => {
                let compare = if direction == M::Rm { M::Lt } else { M::Ge };
                let away = self.compare(&[compare, M::And], r(sign), Operand::ZERO);
                self.choose(addend, r(mask), Operand::ZERO, Operand::predicate(away));
                self.choose(addend.offset(1), high(mask), Operand::ZERO, Operand::predicate(away));
            }
        }
        let rounded = self.code.register(2);
        self.sum64(rounded, pair(value), pair(addend));
        let kept = self.code.register(2);
        self.shift64(kept, pair(rounded), r(drop), Shift::Logical);
        // The leading one of a normal number adds to the exponent.
        let biased =
            self.compute(Opcode::Iadd3, &[], [r(exponent), Operand::Immediate(u32::MAX), Operand::ZERO]);
        let biased = self.compute(Opcode::Vimnmx, &[], [r(biased), Operand::ZERO, Operand::FALSE]);
        let over = self.compare(&[M::Ge, M::And], r(biased), Operand::Immediate(2046));
        let biased = self.compute(Opcode::Vimnmx, &[], [r(biased), Operand::Immediate(2046), Operand::TRUE]);
        let upper = self.code.register(1);
        self.shift32(upper, r(biased), Operand::Immediate(20), Shift::Left);
        let sum = self.compute(Opcode::Iadd3, &[], [r(upper), high(kept), Operand::ZERO]);
        self.op(Opcode::Mov, &[], [r(result), r(kept)]);
        self.lop3_to(result.offset(1), r(sign), Operand::Immediate(0x8000_0000), r(sum), 0xea);
        let infinity = Operand::Immediate(0x7ff0_0000);
        let full = self.code.predicate();
        self.op(
            Opcode::Isetp,
            &[M::Ge, M::And],
            [Operand::predicate(full), Operand::TRUE, r(sum), infinity, Operand::TRUE],
        );
        let over = self.either(over, full);
        // Too large: infinity, or the largest number where that is nearer to zero.
        let done = self.new_label();
        self.branch_if(unless(over), done);
        let (low, up) = match mode {
            None => (Operand::ZERO, infinity),
            _ => (Operand::Immediate(u32::MAX), Operand::Immediate(0x7fef_ffff)),
        };
        let (low_to, high_to) = (self.compute(Opcode::Mov, &[], [low]), self.compute(Opcode::Mov, &[], [up]));
        if let Some(direction @ (M::Rm | M::Rp)) = mode {
            let compare = if direction == M::Rm { M::Lt } else { M::Ge };
            let away = self.compare(&[compare, M::And], r(sign), Operand::ZERO);
            self.op_if(when(away), Opcode::Mov, &[], [r(low_to), Operand::ZERO]);
            self.op_if(when(away), Opcode::Mov, &[], [r(high_to), infinity]);
        }
        self.op(Opcode::Mov, &[], [r(result), r(low_to)]);
        self.lop3_to(result.offset(1), r(sign), Operand::Immediate(0x8000_0000), r(high_to), 0xea);
        self.place_label(done);
    }

    fn either(
        &mut self,
        a: warplab_program::Predicate,
        b: warplab_program::Predicate,
    ) -> warplab_program::Predicate {
        let to = self.code.predicate();
        self.op(
            Opcode::Plop3,
            &[M::Lut],
            [
                Operand::predicate(to),
                Operand::TRUE,
                Operand::predicate(a),
                Operand::predicate(b),
                Operand::TRUE,
                Operand::Immediate(0xfc),
                Operand::Immediate(0),
            ],
        );
        to
    }

    /// `to = sqrt(x)`.
    pub(crate) fn root_double(&mut self, to: Register, x: Register, mode: Option<M>) {
        let result = self.code.register(2);
        let done = self.new_label();
        if mode.is_none() {
            let y = self.code.register(2);
            self.op(Opcode::Mov, &[], [r(y), Operand::ZERO]);
            self.op(Opcode::Mufu, &[M::Rsq64h], [high(y), high(x)]);
            let moved =
                self.compute(Opcode::Iadd3, &[], [high(x), Operand::Immediate(0xfcb0_0000), Operand::ZERO]);
            let fine = self.compare(&[M::Lt, M::U32, M::And], r(moved), Operand::Immediate(0x7ca0_0000));
            let square = self.new_pair(Opcode::Dmul, &[], [r(y), r(y)]);
            let e = self.new_pair(Opcode::Dfma, &[], [r(x), minus(square), ONE]);
            let factor = self.double_register(Operand::Immediate(0x3fd8_0000));
            let s = self.new_pair(Opcode::Dfma, &[], [r(e), r(factor), Operand::Immediate(0x3fe0_0000)]);
            let t = self.new_pair(Opcode::Dmul, &[], [r(y), r(e)]);
            let y = self.new_pair(Opcode::Dfma, &[], [r(s), r(t), r(y)]);
            let root = self.new_pair(Opcode::Dmul, &[], [r(x), r(y)]);
            let half = self.code.register(2);
            self.op(Opcode::Mov, &[], [r(half), r(y)]);
            let down = Operand::Immediate(0x0010_0000_u32.wrapping_neg());
            self.op(Opcode::Iadd3, &[], [high(half), high(y), down, Operand::ZERO]);
            let rest = self.new_pair(Opcode::Dfma, &[], [minus(root), r(root), r(x)]);
            self.op(Opcode::Dfma, &[], [r(result), r(rest), r(half), r(root)]);
            self.branch_if(when(fine), done);
        }
        let rare = mode.is_none().then(|| self.present_block());
        self.root_digits(result, x, mode);
        self.place_label_behind(done, rare);
        self.move_to(to, pair(result), 64);
    }

    /// `to = 1 / sqrt(x)`, approximately: for normal numbers by the steps that ptxas takes.
    pub(crate) fn reciprocal_root_double(&mut self, to: Register, x: Register) {
        let (result, y) = (self.code.register(2), self.code.register(2));
        let done = self.new_label();
        self.op(Opcode::Mov, &[], [r(y), Operand::ZERO]);
        self.op(Opcode::Mufu, &[M::Rsq64h], [high(y), high(x)]);
        let down = Operand::Immediate(0x0010_0000_u32.wrapping_neg());
        let moved = self.compute(Opcode::Iadd3, &[], [high(x), down, Operand::ZERO]);
        let fine = self.compare(&[M::Lt, M::U32, M::And], r(moved), Operand::Immediate(0x7fe0_0000));
        let square = self.new_pair(Opcode::Dmul, &[], [r(y), r(y)]);
        let e = self.new_pair(Opcode::Dfma, &[], [r(x), minus(square), ONE]);
        let factor = self.double_register(Operand::Immediate(0x3fd8_0000));
        let s = self.new_pair(Opcode::Dfma, &[], [r(e), r(factor), Operand::Immediate(0x3fe0_0000)]);
        let t = self.new_pair(Opcode::Dmul, &[], [r(y), r(e)]);
        self.op(Opcode::Dfma, &[], [r(result), r(s), r(t), r(y)]);
        self.branch_if(when(fine), done);
        let rare = self.present_block();
        let (root, quotient) = (self.code.register(2), self.code.register(2));
        self.root_double(root, x, None);
        let one = self.double_register(Operand::Immediate(0x3ff0_0000));
        self.divide_double(quotient, one, root, None);
        self.move_to(result, pair(quotient), 64);
        self.place_label_behind(done, Some(rare));
        self.move_to(to, pair(result), 64);
    }

    fn root_digits(&mut self, result: Register, x: Register, mode: Option<M>) {
        let (special, done) = (self.new_label(), self.new_label());
        let one = Operand::Immediate(1);
        let zero = Operand::ZERO;
        self.branch_if_special(x, special);
        let below = self.compare(&[M::Lt, M::And], high(x), zero);
        self.branch_if(when(below), special);
        let (fraction, exponent) = self.split(x);
        // An even exponent, so that the root's is its half.
        let unbiased = self.compute(
            Opcode::Iadd3,
            &[],
            [r(exponent), Operand::Immediate(1023_u32.wrapping_neg()), zero],
        );
        let odd = self.lop3(r(unbiased), one, zero, 0xc0);
        let half = self.code.register(1);
        self.shift32(half, r(unbiased), one, Shift::Arithmetic);
        let root_exponent = self.compute(Opcode::Iadd3, &[], [r(half), Operand::Immediate(1023), zero]);
        // The fraction with its leading one at bit 60 or 61 of the numbers to take digits from, two by two.
        let up = self.compute(Opcode::Iadd3, &[], [r(odd), Operand::Immediate(8), zero]);
        self.shift64(fraction, pair(fraction), r(up), Shift::Left);
        let (root, rest, count) = (self.code.register(2), self.code.register(2), self.code.register(1));
        self.move_to(root, Source::constant(0), 64);
        self.move_to(rest, Source::constant(0), 64);
        self.op(Opcode::Mov, &[], [r(count), Operand::Immediate(60)]);
        let again = self.new_label();
        self.place_label(again);
        // Two more bits into the rest; the next digit is 1 if 4 root + 1 fits.
        let two = Operand::Immediate(2);
        self.shift64(rest, pair(rest), two, Shift::Left);
        let top = self.code.register(1);
        self.shift32(top, high(fraction), Operand::Immediate(30), Shift::Logical);
        self.lop3_to(rest, r(rest), r(top), zero, 0xfc);
        self.shift64(fraction, pair(fraction), two, Shift::Left);
        let trial = self.code.register(2);
        self.shift64(trial, pair(root), two, Shift::Left);
        self.lop3_to(trial, r(trial), one, zero, 0xfc);
        let less = self.less64(pair(rest), pair(trial), false);
        let smaller = self.code.register(2);
        self.subtract64(smaller, pair(rest), pair(trial));
        self.choose(rest, r(rest), r(smaller), Operand::predicate(less));
        self.choose(rest.offset(1), high(rest), high(smaller), Operand::predicate(less));
        self.shift64(root, pair(root), one, Shift::Left);
        let operands = [r(root), r(root), one, zero, Operand::Immediate(0xfc), Operand::FALSE];
        self.op_if(unless(less), Opcode::Lop3, &[M::Lut], operands);
        self.op(Opcode::Iadd3, &[], [r(count), r(count), Operand::Immediate(u32::MAX), zero]);
        let more = self.compare(&[M::Ne, M::And], r(count), zero);
        self.branch_if(when(more), again);
        // 60 digits of which the second is the leading one: at bit 58; up to bit 62.
        self.shift64(root, pair(root), Operand::Immediate(4), Shift::Left);
        self.sticky(root, rest);
        let sign = self.compute(Opcode::Mov, &[], [zero]);
        self.round_and_pack(result, root, root_exponent, sign, mode);
        self.branch(done);
        self.place_label(special);
        // Zeros and infinity stay, NaN stays NaN; what is negative and not zero has no root.
        let sum = self.new_pair(Opcode::Dmul, &[], [r(x), ONE]);
        self.move_to(result, pair(sum), 64);
        let negative = self.code.predicate();
        self.op(
            Opcode::Dsetp,
            &[M::Lt, M::And],
            [Operand::predicate(negative), Operand::TRUE, r(x), zero, Operand::TRUE],
        );
        self.op_if(when(negative), Opcode::Mov, &[], [r(result), zero]);
        self.op_if(when(negative), Opcode::Mov, &[], [high(result), Operand::Immediate(0xfff8_0000)]);
        self.place_label(done);
    }
}
