//! Single and double precision arithmetic.

use super::values::{constant_of, words_of};
use super::{Selector, unless, when};
use crate::flat::{Flat, Value};
use warplab_program::{Modifier, Opcode, Operand, Register, SourceModifier};
use warplab_ptx::tree::{self, Flag, Rounding, Type};

use Modifier as M;

/// The modifier of a rounding mode; none for to-nearest.
pub(crate) fn rounding(mode: Option<Rounding>) -> Option<M> {
    match mode {
        Some(Rounding::Rz | Rounding::Rzi) => Some(M::Rz),
        Some(Rounding::Rm | Rounding::Rmi) => Some(M::Rm),
        Some(Rounding::Rp | Rounding::Rpi) => Some(M::Rp),
        _ => None,
    }
}

/// The operand with its sign changed.
pub(crate) fn minus(operand: Operand) -> Operand {
    change(operand, |it| SourceModifier { negate: !it.negate, ..it })
}

/// The operand's magnitude.
pub(crate) fn magnitude(operand: Operand) -> Operand {
    change(operand, |it| SourceModifier { negate: false, absolute: true, ..it })
}

fn change(operand: Operand, change: impl Fn(SourceModifier) -> SourceModifier) -> Operand {
    match operand {
        Operand::Register { register, modifier, selector, reuse } => {
            Operand::Register { register, modifier: change(modifier), selector, reuse }
        }
        Operand::Uniform { register, modifier, selector } => {
            Operand::Uniform { register, modifier: change(modifier), selector }
        }
        Operand::Immediate(bits) => {
            let changed = change(SourceModifier::NONE);
            let bits = if changed.absolute { bits & 0x7fff_ffff } else { bits };
            Operand::Immediate(if changed.negate { bits ^ 0x8000_0000 } else { bits })
        }
        other => other,
    }
}

/// How many negations and magnitudes in a row a source is looked through.
const MOST_SIGNS: usize = 16;

impl Selector<'_, '_> {
    /// A source of a float instruction; negations and magnitudes become modifiers of the operand.
    pub(crate) fn float_source(&mut self, value: &Value, ty: Type) -> Operand {
        let mut value = value.clone();
        let mut outer = SourceModifier::NONE;
        for _ in 0..MOST_SIGNS {
            let Some((tree, operands, _)) = self.origin_of(&value) else { break };
            let changes_sign = matches!(tree.opcode, tree::Opcode::Neg | tree::Opcode::Abs)
                && tree.ty() == Some(ty)
                && !tree.flag(Flag::Ftz);
            if !changes_sign {
                break;
            }
            // A magnitude taken outside hides the signs inside.
            match tree.opcode {
                tree::Opcode::Abs => outer.absolute = true,
                _ => outer.negate ^= !outer.absolute,
            }
            value = operands[1].clone();
        }
        let source = self.plain_float_source(&value, ty);
        let source = if outer.absolute { magnitude(source) } else { source };
        if outer.negate { minus(source) } else { source }
    }

    fn plain_float_source(&mut self, value: &Value, ty: Type) -> Operand {
        if ty != Type::F64 {
            return self.source(value, ty).low;
        }
        let source = self.source(value, ty);
        match source.as_constant() {
            Some(0) => Operand::ZERO,
            Some(bits) if words_of(bits)[0] == 0 => Operand::Immediate(words_of(bits)[1]),
            _ => Operand::register(self.in_register(source, 64)),
        }
    }

    fn float_modifiers(&self, flat: &Flat<'_>, ty: Type) -> Vec<M> {
        let mut modifiers = Vec::new();
        if ty == Type::F32 && flat.tree.flag(Flag::Ftz) {
            modifiers.push(M::Ftz);
        }
        modifiers.extend(rounding(flat.tree.rounding()));
        if flat.tree.flag(Flag::Sat) {
            modifiers.push(M::Sat);
        }
        modifiers
    }

    pub(crate) fn float(&mut self, flat: &Flat<'_>, ty: Type) {
        use tree::Opcode::*;
        if !matches!(ty, Type::F32 | Type::F64) {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        }
        let wide = ty == Type::F64;
        let modifiers = self.float_modifiers(flat, ty);
        let to = self.result(&flat.operands[0], ty.bits());
        let d = Operand::register(to);
        let sources = match flat.operands.len() {
            0 | 1 => Vec::new(),
            _ => flat.operands[1..].iter().map(|value| self.float_source(value, ty)).collect::<Vec<_>>(),
        };
        let swap = |a: Operand, b: Operand| if constant_of(&a).is_some() { (b, a) } else { (a, b) };
        match flat.tree.opcode {
            Add | Sub if self.contracted(flat, to, ty) => {}
            Add | Sub => {
                let second = if flat.tree.opcode == Sub { minus(sources[1]) } else { sources[1] };
                let (a, b) = swap(sources[0], second);
                self.op(if wide { Opcode::Dadd } else { Opcode::Fadd }, &modifiers, [d, a, b]);
            }
            Mul => {
                let (a, b) = swap(sources[0], sources[1]);
                self.op(if wide { Opcode::Dmul } else { Opcode::Fmul }, &modifiers, [d, a, b]);
            }
            Fma | Mad => {
                let (a, b) = swap(sources[0], sources[1]);
                self.op(if wide { Opcode::Dfma } else { Opcode::Ffma }, &modifiers, [d, a, b, sources[2]]);
            }
            Neg | Abs => {
                let changed = if flat.tree.opcode == Neg { minus(sources[0]) } else { magnitude(sources[0]) };
                // Adding -0 keeps every value, zeros with their sign.
                let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
                self.op(if wide { Opcode::Dadd } else { Opcode::Fadd }, &modifiers, [d, changed, zero]);
            }
            Min | Max => self.float_minimum(flat, to, &sources, ty),
            Div | Rcp | Sqrt | Rsqrt => self.float_quotient(flat, to, &sources, ty),
            Sin | Cos => {
                let turns =
                    self.compute(Opcode::Fmul, &[M::Rz], [sources[0], Operand::Immediate(0x3e22_f983)]);
                let function = if flat.tree.opcode == Sin { M::Sin } else { M::Cos };
                self.op(Opcode::Mufu, &[function], [d, Operand::register(turns)]);
            }
            Tanh => self.op(Opcode::Mufu, &[M::Tanh], [d, sources[0]]),
            Ex2 | Lg2 => self.scaled_function(flat, to, sources[0]),
            _ => self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        }
    }

    /// Makes a sum and the product that it takes in one fused multiply-add.
    fn contracted(&mut self, flat: &Flat<'_>, to: Register, ty: Type) -> bool {
        let Some((factors, other, signs)) = self.fused_terms(flat) else { return false };
        let quotient = self.contractions.get(&self.item).and_then(|fused| self.quotients.get(&fused.product));
        let [a, b] = match quotient {
            Some(&factors) => factors,
            None => factors.map(|factor| self.float_source(&factor, ty)),
        };
        let (a, b) = if constant_of(&a).is_some() { (b, a) } else { (a, b) };
        let c = self.float_source(&other, ty);
        let signed = |operand: Operand, negative: bool| if negative { minus(operand) } else { operand };
        let modifiers = self.float_modifiers(flat, ty);
        let opcode = if ty == Type::F64 { Opcode::Dfma } else { Opcode::Ffma };
        let operands = [Operand::register(to), signed(a, signs.0), b, signed(c, signs.1)];
        self.op(opcode, &modifiers, operands);
        true
    }

    /// The factors of the product that a sum fuses, its other term, and whether each of the two is subtracted.
    pub(crate) fn fused_terms(&self, flat: &Flat<'_>) -> Option<([Value; 2], Value, (bool, bool))> {
        let fused = *self.contractions.get(&self.item)?;
        let crate::flat::Item::Instruction(product) = &self.flat.items[fused.product] else { return None };
        let [_, a, b] = product.operands.as_slice() else { return None };
        let holds = [a, b].into_iter().all(|factor| self.unchanged_since(factor, fused.product));
        if !holds {
            return None;
        }
        let subtracts = flat.tree.opcode == tree::Opcode::Sub;
        let (negates_product, negates_other) =
            (subtracts && fused.operand == 2, subtracts && fused.operand == 1);
        let other = flat.operands[3 - fused.operand].clone();
        Some(([a.clone(), b.clone()], other, (negates_product != fused.negated, negates_other)))
    }

    fn float_minimum(&mut self, flat: &Flat<'_>, to: Register, sources: &[Operand], ty: Type) {
        let smaller = flat.tree.opcode == tree::Opcode::Min;
        let which = if smaller { Operand::TRUE } else { Operand::FALSE };
        let (mut a, mut b) = (sources[0], sources[1]);
        if ty == Type::F64 {
            return self.double_minimum(to, a, b, smaller);
        }
        let mut modifiers = self.float_modifiers(flat, ty);
        if flat.tree.flag(Flag::NaN) {
            modifiers.push(M::Nan);
        }
        if flat.tree.flag(Flag::Abs) {
            (a, b) = (magnitude(a), magnitude(b));
        }
        if flat.tree.flag(Flag::Xorsign) {
            // The magnitude that wins, with the product of the signs.
            let (x, y) = (self.single_register(sources[0]), self.single_register(sources[1]));
            let won = self.compute(Opcode::Fmnmx, &modifiers, [a, b, which]);
            let signs =
                self.lop3(Operand::register(x), Operand::register(y), Operand::Immediate(0x8000_0000), 0x28);
            return self.lop3_to(to, Operand::register(won), Operand::register(signs), Operand::ZERO, 0x3c);
        }
        if constant_of(&a).is_some() {
            (a, b) = (b, a);
        }
        if let Some(&third) = sources.get(2) {
            let first = self.compute(Opcode::Fmnmx, &modifiers, [a, b, which]);
            (a, b) = (Operand::register(first), third);
        }
        self.op(Opcode::Fmnmx, &modifiers, [Operand::register(to), a, b, which]);
    }

    /// The smaller or larger double; a NaN loses; -0 is below +0.
    fn double_minimum(&mut self, to: Register, a: Operand, b: Operand, smaller: bool) {
        // The comparison takes signs and magnitudes, and so does the choice of the upper halves.
        let in_pair = |selector: &mut Self, operand: Operand| match operand {
            Operand::Register { register, modifier, .. } if !register.is_fixed() => (register, modifier),
            _ => (selector.double_register(operand), SourceModifier::NONE),
        };
        let ((a, of_a), (b, of_b)) = (in_pair(self, a), in_pair(self, b));
        let (first, neither) = (self.code.predicate(), self.code.predicate());
        let which = if smaller { M::Min } else { M::Max };
        let [x, y] = [(a, of_a), (b, of_b)].map(|(it, modifier)| Operand::modified(it, modifier));
        let operands = [Operand::predicate(first), Operand::predicate(neither), x, y, Operand::TRUE];
        self.op(Opcode::Dsetp, &[which, M::And], operands);
        let chosen = self.code.register(2);
        let first = Operand::predicate(first);
        self.choose(chosen, Operand::register(a), Operand::register(b), first);
        let [x, y] = [(a, of_a), (b, of_b)].map(|(it, modifier)| Operand::modified(it.offset(1), modifier));
        let high = Operand::register(chosen.offset(1));
        self.op(Opcode::Fsel, &[], [high, x, y, first]);
        // If neither is a number, the result is none, and quiet.
        let (quiet, table) = (Operand::Immediate(0x0008_0000), Operand::Immediate(0xfc));
        let operands = [high, high, quiet, Operand::ZERO, table, Operand::FALSE];
        self.op_if(when(neither), Opcode::Lop3, &[M::Lut], operands);
        self.move_to(to, super::Source { low: Operand::register(chosen), high }, 64);
    }

    /// A double operand in a pair of registers, its modifiers applied.
    pub(crate) fn double_register(&mut self, operand: Operand) -> Register {
        match operand {
            Operand::Register { register, modifier: SourceModifier::NONE, .. } if !register.is_fixed() => {
                register
            }
            Operand::Immediate(high) => {
                let to = self.code.register(2);
                self.op(Opcode::Mov, &[], [Operand::register(to), Operand::ZERO]);
                self.op(Opcode::Mov, &[], [Operand::register(to.offset(1)), Operand::Immediate(high)]);
                to
            }
            Operand::Register { register: Register::ZERO, .. } => {
                let to = self.code.register(2);
                self.move_to(to, super::Source::constant(0), 64);
                to
            }
            other => {
                let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
                self.new_pair(Opcode::Dadd, &[], [other, zero])
            }
        }
    }

    /// A single operand in a register, its modifiers applied.
    pub(crate) fn single_register(&mut self, operand: Operand) -> Register {
        match operand {
            Operand::Register { register, modifier: SourceModifier::NONE, .. } => register,
            Operand::Immediate(_) => self.compute(Opcode::Mov, &[], [operand]),
            other => {
                let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
                self.compute(Opcode::Fadd, &[], [other, zero])
            }
        }
    }

    /// A function unit result with the argument scaled out of the denormal range where there is no `.ftz`.
    fn scaled_function(&mut self, flat: &Flat<'_>, to: Register, source: Operand) {
        let d = Operand::register(to);
        let exponential = flat.tree.opcode == tree::Opcode::Ex2;
        let function = if exponential { M::Ex2 } else { M::Lg2 };
        if flat.tree.flag(Flag::Ftz) {
            return self.op(Opcode::Mufu, &[function], [d, source]);
        }
        if exponential {
            // 2^x = (2^(x/2))^2 where 2^x is denormal.
            let (scaled, fine) = self.scale_if_below(source, source, 0xc2fc_0000, 0x3f00_0000);
            let value = self.compute(Opcode::Mufu, &[M::Ex2], [scaled]);
            let value = Operand::register(value);
            self.op(Opcode::Mov, &[], [d, value]);
            self.op_if(unless(fine), Opcode::Fmul, &[], [d, value, value]);
        } else {
            let (scaled, fine) = self.scale_if_below(source, magnitude(source), 0x0080_0000, 0x4b80_0000);
            let value = self.compute(Opcode::Mufu, &[M::Lg2], [scaled]);
            self.op(Opcode::Mov, &[], [d, Operand::register(value)]);
            self.op_if(unless(fine), Opcode::Fadd, &[], [d, d, Operand::Immediate(0xc1c0_0000)]);
        }
    }

    /// `source * factor` where `tested` is below a bound. Also the predicate that says that it is not.
    fn scale_if_below(
        &mut self,
        source: Operand,
        tested: Operand,
        bound: u32,
        factor: u32,
    ) -> (Operand, warplab_program::Predicate) {
        let fine = self.code.predicate();
        self.op(
            Opcode::Fsetp,
            &[M::Geu, M::And],
            [Operand::predicate(fine), Operand::TRUE, tested, Operand::Immediate(bound), Operand::TRUE],
        );
        let scaled = self.single_register(source);
        let value = Operand::register(self.code.register(1));
        self.op(Opcode::Mov, &[], [value, Operand::register(scaled)]);
        self.op_if(
            unless(fine),
            Opcode::Fmul,
            &[],
            [value, Operand::register(scaled), Operand::Immediate(factor)],
        );
        (value, fine)
    }

    fn float_quotient(&mut self, flat: &Flat<'_>, to: Register, sources: &[Operand], ty: Type) {
        use tree::Opcode::{Div, Rcp, Sqrt};
        let tree = flat.tree;
        let ftz = tree.flag(Flag::Ftz);
        if ty == Type::F64 {
            return self.double_quotient(flat, to, sources);
        }
        let exact = tree.rounding().is_some();
        match (tree.opcode, exact) {
            (Div, true) => {
                let (a, b) = (self.single_register(sources[0]), self.single_register(sources[1]));
                self.divide_single(to, a, b, rounding(tree.rounding()), ftz);
            }
            (Div, false) => self.divide_approximately(flat, to, sources[0], sources[1]),
            (Rcp, true) => {
                let x = self.single_register(sources[0]);
                self.reciprocal_single(to, x, rounding(tree.rounding()), ftz);
            }
            (Rcp, false) if !ftz => self.reciprocal_approximately(to, sources[0]),
            (Rcp, false) => self.op(Opcode::Mufu, &[M::Rcp], [Operand::register(to), sources[0]]),
            (Sqrt, true) => {
                let x = self.single_register(sources[0]);
                self.root_single(to, x, rounding(tree.rounding()), ftz);
            }
            (opcode, _) => {
                let (function, factor) =
                    if opcode == Sqrt { (M::Sqrt, 0x3980_0000) } else { (M::Rsq, 0x4580_0000) };
                let d = Operand::register(to);
                if ftz {
                    return self.op(Opcode::Mufu, &[function], [d, sources[0]]);
                }
                let (scaled, fine) =
                    self.scale_if_below(sources[0], magnitude(sources[0]), 0x0080_0000, 0x4b80_0000);
                let value = self.compute(Opcode::Mufu, &[function], [scaled]);
                self.op(Opcode::Mov, &[], [d, Operand::register(value)]);
                self.op_if(unless(fine), Opcode::Fmul, &[], [d, d, Operand::Immediate(factor)]);
            }
        }
    }

    /// `div.approx` and `div.full`: by the reciprocal, with both scaled where the divisor is extreme.
    fn divide_approximately(&mut self, flat: &Flat<'_>, to: Register, a: Operand, b: Operand) {
        let ftz = flat.tree.flag(Flag::Ftz);
        let full = flat.tree.flag(Flag::Full);
        let modifiers: &[M] = if ftz { &[M::Ftz] } else { &[] };
        let (mut x, mut y) = (a, b);
        if full || !ftz {
            let (a, b) = (self.single_register(a), self.single_register(b));
            (x, y) = (Operand::register(self.code.register(1)), Operand::register(self.code.register(1)));
            self.op(Opcode::Mov, &[], [x, Operand::register(a)]);
            self.op(Opcode::Mov, &[], [y, Operand::register(b)]);
            let (a, b) = (Operand::register(a), Operand::register(b));
            if full {
                let large = self.code.predicate();
                let bound = Operand::Immediate(0x7e80_0000);
                let outputs = [Operand::predicate(large), Operand::TRUE];
                self.op(
                    Opcode::Fsetp,
                    &[M::Gt, M::And],
                    [outputs[0], outputs[1], magnitude(b), bound, Operand::TRUE],
                );
                let quarter = Operand::Immediate(0x3e80_0000);
                self.op_if(when(large), Opcode::Fmul, modifiers, [y, b, quarter]);
                self.op_if(when(large), Opcode::Fmul, modifiers, [x, a, quarter]);
            }
            if !ftz {
                let fine = self.code.predicate();
                let bound = Operand::Immediate(0x0080_0000);
                let outputs = [Operand::predicate(fine), Operand::TRUE];
                self.op(
                    Opcode::Fsetp,
                    &[M::Geu, M::And],
                    [outputs[0], outputs[1], magnitude(b), bound, Operand::TRUE],
                );
                let factor = Operand::Immediate(0x4b80_0000);
                self.op_if(unless(fine), Opcode::Fmul, &[], [y, b, factor]);
                self.op_if(unless(fine), Opcode::Fmul, &[], [x, a, factor]);
            }
        }
        let reciprocal = Operand::register(self.compute(Opcode::Mufu, &[M::Rcp], [y]));
        self.quotients.insert(self.item, [x, reciprocal]);
        self.op(Opcode::Fmul, modifiers, [Operand::register(to), x, reciprocal]);
    }

    /// `rcp.approx` with denormals: scaled by a power of two before and after.
    fn reciprocal_approximately(&mut self, to: Register, x: Operand) {
        let x = Operand::register(self.single_register(x));
        let (small, large) = (self.code.predicate(), self.code.predicate());
        self.op(
            Opcode::Fsetp,
            &[M::Geu, M::And],
            [
                Operand::predicate(small),
                Operand::TRUE,
                magnitude(x),
                Operand::Immediate(0x0080_0000),
                Operand::TRUE,
            ],
        );
        self.op(
            Opcode::Fsetp,
            &[M::Gt, M::And],
            [
                Operand::predicate(large),
                Operand::TRUE,
                magnitude(x),
                Operand::Immediate(0x7e80_0000),
                Operand::TRUE,
            ],
        );
        let up = self.compute(Opcode::Mov, &[], [Operand::Immediate(0x4b80_0000)]);
        let not_small = Operand::Predicate { predicate: small, negate: true };
        let factor = self.compute(
            Opcode::Fsel,
            &[],
            [Operand::register(up), Operand::Immediate(0x3f80_0000), not_small],
        );
        let not_large = Operand::Predicate { predicate: large, negate: true };
        let factor = self.compute(
            Opcode::Fsel,
            &[],
            [Operand::register(factor), Operand::Immediate(0x3e80_0000), not_large],
        );
        let scaled = self.compute(Opcode::Fmul, &[], [x, Operand::register(factor)]);
        let reciprocal = self.compute(Opcode::Mufu, &[M::Rcp], [Operand::register(scaled)]);
        self.op(
            Opcode::Fmul,
            &[],
            [Operand::register(to), Operand::register(factor), Operand::register(reciprocal)],
        );
    }

    fn double_quotient(&mut self, flat: &Flat<'_>, to: Register, sources: &[Operand]) {
        use tree::Opcode::{Div, Rcp, Rsqrt, Sqrt};
        let tree = flat.tree;
        let mode = rounding(tree.rounding());
        let upper_only = tree.flag(Flag::Approx) && tree.flag(Flag::Ftz);
        match tree.opcode {
            Rcp | Rsqrt if upper_only => {
                let x = self.double_register(sources[0]);
                let function = if tree.opcode == Rcp { M::Rcp64h } else { M::Rsq64h };
                let value = self.compute(Opcode::Mufu, &[function], [Operand::register(x.offset(1))]);
                self.op(Opcode::Mov, &[], [Operand::register(to), Operand::ZERO]);
                self.op(Opcode::Mov, &[], [Operand::register(to.offset(1)), Operand::register(value)]);
            }
            Div => {
                let (a, b) = (self.double_register(sources[0]), self.double_register(sources[1]));
                self.divide_double(to, a, b, mode);
            }
            Rcp => {
                let one = self.double_register(Operand::Immediate(0x3ff0_0000));
                let b = self.double_register(sources[0]);
                self.divide_double(to, one, b, mode);
            }
            Sqrt => {
                let x = self.double_register(sources[0]);
                self.root_double(to, x, mode);
            }
            _ => {
                let x = self.double_register(sources[0]);
                self.reciprocal_root_double(to, x);
            }
        }
    }
}
