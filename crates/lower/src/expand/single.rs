//! Single-precision division, reciprocal and square root, correctly rounded.
//!
//! The usual path is the vendor's: an approximation made better by fused multiply-adds, right whenever no step leaves
//! the normal range. The other path computes in double precision, rounds that to odd and then once to single.

use crate::select::{Selector, Source, unless, when};
use warplab_program::{Modifier, Opcode, Operand, Predicate, Register, SourceModifier};

use Modifier as M;

/// 1.0 as the upper half of a double.
const ONE_DOUBLE: Operand = Operand::Immediate(0x3ff0_0000);

fn negative(register: Register) -> Operand {
    Operand::modified(register, SourceModifier::NEGATE)
}

fn positive(register: Register) -> Operand {
    Operand::register(register)
}

impl Selector<'_, '_> {
    /// `to = a / b`.
    pub(crate) fn divide_single(
        &mut self,
        to: Register,
        a: Register,
        b: Register,
        mode: Option<M>,
        ftz: bool,
    ) {
        let (a, b) = if ftz { (self.flushed(a), self.flushed(b)) } else { (a, b) };
        let result = self.code.register(1);
        let done = self.new_label();
        if mode.is_none() {
            let one = Operand::Immediate(0x3f80_0000);
            let y = self.compute(Opcode::Mufu, &[M::Rcp], [positive(b)]);
            let slow = self.code.predicate();
            self.op(Opcode::Fchk, &[], [Operand::predicate(slow), positive(a), positive(b)]);
            let e = self.compute(Opcode::Ffma, &[], [negative(b), positive(y), one]);
            let y = self.compute(Opcode::Ffma, &[], [positive(y), positive(e), positive(y)]);
            let q = self.compute(Opcode::Ffma, &[], [positive(a), positive(y), Operand::ZERO]);
            let r = self.compute(Opcode::Ffma, &[], [negative(b), positive(q), positive(a)]);
            self.op(Opcode::Ffma, &[], [positive(result), positive(y), positive(r), positive(q)]);
            self.branch_if(unless(slow), done);
        }
        let rare = mode.is_none().then(|| self.present_block());
        self.divide_slowly(result, a, b, mode);
        self.place_label_behind(done, rare);
        self.deliver(to, result, ftz);
    }

    fn flushed(&mut self, x: Register) -> Register {
        let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
        self.compute(Opcode::Fadd, &[M::Ftz], [positive(x), zero])
    }

    fn deliver(&mut self, to: Register, result: Register, ftz: bool) {
        if ftz {
            let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
            self.op(Opcode::Fadd, &[M::Ftz], [positive(to), positive(result), zero]);
        } else {
            self.op(Opcode::Mov, &[], [positive(to), positive(result)]);
        }
    }

    /// Whether a single is zero, infinite or no number.
    fn is_special(&mut self, x: Register) -> Predicate {
        let bits = self.lop3(positive(x), Operand::Immediate(0x7fff_ffff), Operand::ZERO, 0xc0);
        let less =
            self.compute(Opcode::Iadd3, &[], [positive(bits), Operand::Immediate(u32::MAX), Operand::ZERO]);
        self.compare(&[M::Ge, M::U32, M::And], positive(less), Operand::Immediate(0x7f7f_ffff))
    }

    fn divide_slowly(&mut self, result: Register, a: Register, b: Register, mode: Option<M>) {
        let (ordinary, done) = (self.new_label(), self.new_label());
        let (first, second) = (self.is_special(a), self.is_special(b));
        let either = self.code.predicate();
        self.op(
            Opcode::Plop3,
            &[M::Lut],
            [
                Operand::predicate(either),
                Operand::TRUE,
                Operand::predicate(first),
                Operand::predicate(second),
                Operand::TRUE,
                Operand::Immediate(0xfc),
                Operand::Immediate(0),
            ],
        );
        self.branch_if(unless(either), ordinary);
        // The product with the reciprocal is right for these, if a denormal divisor does not count as zero.
        let scaled = self.compute(Opcode::Fmul, &[], [positive(b), Operand::Immediate(0x5f00_0000)]);
        let magnitude = Operand::modified(b, SourceModifier::ABSOLUTE);
        let small = self.code.predicate();
        self.op(
            Opcode::Fsetp,
            &[M::Lt, M::And],
            [
                Operand::predicate(small),
                Operand::TRUE,
                magnitude,
                Operand::Immediate(0x2000_0000),
                Operand::TRUE,
            ],
        );
        // Nor may the reciprocal of a large one be denormal.
        let lowered = self.compute(Opcode::Fmul, &[], [positive(b), Operand::Immediate(0x2f80_0000)]);
        let divisor = self.code.register(1);
        self.choose(divisor, positive(scaled), positive(lowered), Operand::predicate(small));
        let y = self.compute(Opcode::Mufu, &[M::Rcp], [positive(divisor)]);
        self.op(Opcode::Fmul, &[], [positive(result), positive(a), positive(y)]);
        self.branch(done);
        self.place_label(ordinary);
        let x = self.new_pair(Opcode::F2f, &[M::F64, M::F32], [positive(a)]);
        let y = self.new_pair(Opcode::F2f, &[M::F64, M::F32], [positive(b)]);
        let reciprocal = self.double_reciprocal(y);
        let q = self.new_pair(Opcode::Dmul, &[], [positive(x), positive(reciprocal)]);
        let r = self.new_pair(Opcode::Dfma, &[], [negative(y), positive(q), positive(x)]);
        let q = self.new_pair(Opcode::Dfma, &[], [positive(reciprocal), positive(r), positive(q)]);
        let r = self.new_pair(Opcode::Dfma, &[], [negative(y), positive(q), positive(x)]);
        // q is too large in magnitude where the rest and the dividend differ in sign.
        let signs = self.lop3(positive(r.offset(1)), positive(x.offset(1)), Operand::ZERO, 0x3c);
        self.round_odd_then(result, q, r, signs, mode);
        self.place_label(done);
    }

    /// The reciprocal of a double of moderate exponent, nearly exact.
    fn double_reciprocal(&mut self, y: Register) -> Register {
        let start = self.code.register(2);
        self.op(Opcode::Mov, &[], [positive(start), Operand::ZERO]);
        self.op(Opcode::Mufu, &[M::Rcp64h], [positive(start.offset(1)), positive(y.offset(1))]);
        let mut guess = start;
        for _ in 0..3 {
            let e = self.new_pair(Opcode::Dfma, &[], [negative(y), positive(guess), ONE_DOUBLE]);
            guess = self.new_pair(Opcode::Dfma, &[], [positive(guess), positive(e), positive(guess)]);
        }
        guess
    }

    /// Rounds a double to odd, given what is left over and where its sign says that the double is too large, and then
    /// to single.
    fn round_odd_then(&mut self, to: Register, q: Register, rest: Register, sign: Register, mode: Option<M>) {
        let zero = Operand::ZERO;
        let inexact = self.code.predicate();
        self.op(
            Opcode::Dsetp,
            &[M::Neu, M::And],
            [Operand::predicate(inexact), Operand::TRUE, positive(rest), zero, Operand::TRUE],
        );
        let over = self.code.predicate();
        self.op(
            Opcode::Isetp,
            &[M::Lt, M::And],
            [Operand::predicate(over), Operand::TRUE, positive(sign), zero, Operand::predicate(inexact)],
        );
        let pair =
            |register: Register| Source { low: positive(register), high: positive(register.offset(1)) };
        let less = self.code.register(2);
        self.subtract64(less, pair(q), Source::constant(1));
        let odd = self.code.register(2);
        self.choose(odd, positive(less), positive(q), Operand::predicate(over));
        self.choose(odd.offset(1), positive(less.offset(1)), positive(q.offset(1)), Operand::predicate(over));
        self.op_if(
            when(inexact),
            Opcode::Lop3,
            &[M::Lut],
            [
                positive(odd),
                positive(odd),
                Operand::Immediate(1),
                zero,
                Operand::Immediate(0xfc),
                Operand::FALSE,
            ],
        );
        let mut modifiers = vec![M::F32, M::F64];
        modifiers.extend(mode);
        self.op(Opcode::F2f, &modifiers, [positive(to), positive(odd)]);
    }

    /// `to = 1 / x`.
    pub(crate) fn reciprocal_single(&mut self, to: Register, x: Register, mode: Option<M>, ftz: bool) {
        let x = if ftz { self.flushed(x) } else { x };
        let result = self.code.register(1);
        let done = self.new_label();
        if mode.is_none() {
            let zero = Operand::ZERO;
            let moved =
                self.compute(Opcode::Iadd3, &[], [positive(x), Operand::Immediate(0x0180_0000), zero]);
            let exponent = self.lop3(positive(moved), Operand::Immediate(0x7f80_0000), zero, 0xc0);
            let slow =
                self.compare(&[M::Le, M::U32, M::And], positive(exponent), Operand::Immediate(0x01ff_ffff));
            let y = self.compute(Opcode::Mufu, &[M::Rcp], [positive(x)]);
            let e =
                self.compute(Opcode::Ffma, &[], [positive(x), positive(y), Operand::Immediate(0xbf80_0000)]);
            let e = self.compute(
                Opcode::Fadd,
                &[M::Ftz],
                [negative(e), Operand::modified(Register::ZERO, SourceModifier::NEGATE)],
            );
            self.op(Opcode::Ffma, &[], [positive(result), positive(y), positive(e), positive(y)]);
            self.branch_if(unless(slow), done);
        }
        let rare = mode.is_none().then(|| self.present_block());
        let one = self.compute(Opcode::Mov, &[], [Operand::Immediate(0x3f80_0000)]);
        self.divide_slowly(result, one, x, mode);
        self.place_label_behind(done, rare);
        self.deliver(to, result, ftz);
    }

    /// `to = sqrt(x)`.
    pub(crate) fn root_single(&mut self, to: Register, x: Register, mode: Option<M>, ftz: bool) {
        let x = if ftz { self.flushed(x) } else { x };
        let zero = Operand::ZERO;
        let result = self.code.register(1);
        let (done, ordinary) = (self.new_label(), self.new_label());
        if mode.is_none() {
            let moved =
                self.compute(Opcode::Iadd3, &[], [positive(x), Operand::Immediate(0xf300_0000), zero]);
            let y = self.compute(Opcode::Mufu, &[M::Rsq], [positive(x)]);
            let slow =
                self.compare(&[M::Gt, M::U32, M::And], positive(moved), Operand::Immediate(0x727f_ffff));
            let s = self.compute(Opcode::Fmul, &[M::Ftz], [positive(x), positive(y)]);
            let h = self.compute(Opcode::Fmul, &[M::Ftz], [positive(y), Operand::Immediate(0x3f00_0000)]);
            let r = self.compute(Opcode::Ffma, &[], [negative(s), positive(s), positive(x)]);
            self.op(Opcode::Ffma, &[], [positive(result), positive(r), positive(h), positive(s)]);
            self.branch_if(unless(slow), done);
        }
        let rare = mode.is_none().then(|| self.present_block());
        // Zeros, infinity and NaN stay; what is negative has no root.
        let special = self.is_special(x);
        let below = self.compare(&[M::Gt, M::U32, M::And], positive(x), Operand::Immediate(0x8000_0000));
        self.op(Opcode::Mov, &[], [positive(result), positive(x)]);
        self.op_if(when(below), Opcode::Mov, &[], [positive(result), Operand::Immediate(0x7fff_ffff)]);
        self.branch_if(when(below), done);
        self.branch_if(unless(special), ordinary);
        self.op(
            Opcode::Fadd,
            &[],
            [positive(result), positive(x), Operand::modified(Register::ZERO, SourceModifier::NEGATE)],
        );
        self.branch(done);
        self.place_label(ordinary);
        let wide = self.new_pair(Opcode::F2f, &[M::F64, M::F32], [positive(x)]);
        let start = self.code.register(2);
        self.op(Opcode::Mov, &[], [positive(start), zero]);
        self.op(Opcode::Mufu, &[M::Rsq64h], [positive(start.offset(1)), positive(wide.offset(1))]);
        // y = y + y/2 (1 - x y^2)
        let half = Operand::Immediate(0x3fe0_0000);
        let mut y = start;
        for _ in 0..3 {
            let square = self.new_pair(Opcode::Dmul, &[], [positive(y), positive(y)]);
            let e = self.new_pair(Opcode::Dfma, &[], [negative(square), positive(wide), ONE_DOUBLE]);
            let h = self.new_pair(Opcode::Dmul, &[], [positive(y), half]);
            y = self.new_pair(Opcode::Dfma, &[], [positive(h), positive(e), positive(y)]);
        }
        let s = self.new_pair(Opcode::Dmul, &[], [positive(wide), positive(y)]);
        let r = self.new_pair(Opcode::Dfma, &[], [negative(s), positive(s), positive(wide)]);
        let h = self.new_pair(Opcode::Dmul, &[], [positive(y), half]);
        let s = self.new_pair(Opcode::Dfma, &[], [positive(r), positive(h), positive(s)]);
        let r = self.new_pair(Opcode::Dfma, &[], [negative(s), positive(s), positive(wide)]);
        self.round_odd_then(result, s, r, r.offset(1), mode);
        self.place_label_behind(done, rare);
        self.deliver(to, result, ftz);
    }
}
