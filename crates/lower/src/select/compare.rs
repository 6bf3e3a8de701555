//! Comparisons, selections and tests of numbers.

use super::Selector;
use super::values::{constant_of, immediate, not};
use crate::flat::{Flat, Value};
use warplab_program::{Modifier, Opcode, Operand, Predicate};
use warplab_ptx::tree::{self, Compare, Flag, Immediate, Modifier as Dotted, NumberClass, Operation, Type};

use Modifier as M;

use super::logic::function;

impl Selector<'_, '_> {
    /// `setp` with its combination and both results.
    pub(crate) fn setp(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let compare = tree.compare().unwrap_or(Compare::Eq);
        let ty = tree.types().last().unwrap_or(Type::B32);
        let (first, second) = match &flat.operands[0] {
            Value::Pair(first, second) => (self.predicate_result(first), self.predicate_result(second)),
            one => (self.predicate_result(one), Predicate::TRUE),
        };
        let (operation, combine) = self.combination(flat);
        let outputs = [Operand::predicate(first), Operand::predicate(second)];
        if ty.is_packed() || matches!(ty, Type::F16 | Type::Bf16) {
            return self.half_setp(flat, outputs, compare, operation, combine, ty);
        }
        if self.tested(flat, outputs, compare, combine, ty) {
            return;
        }
        self.compare_to(flat, outputs, compare, operation, combine, ty);
    }

    /// A comparison of `x & y` with zero, in the one instruction that makes it, or two of which the second adds what the first found.
    pub(crate) fn tested(
        &mut self,
        flat: &Flat<'_>,
        outputs: [Operand; 2],
        compare: Compare,
        combine: Operand,
        ty: Type,
    ) -> bool {
        let against_zero = matches!(flat.operands[2], Value::Immediate(Immediate::Int(0)));
        let simple = combine == Operand::TRUE && outputs[1] == Operand::TRUE && !ty.is_float();
        if !against_zero || !simple || !matches!(compare, Compare::Eq | Compare::Ne) {
            return false;
        }
        let Value::Register(id) = self.look_through(&flat.operands[1]) else {
            return false;
        };
        let Some((tree, operands, made)) = self.origin_of(&flat.operands[1]) else {
            return false;
        };
        let lut = match tree.opcode {
            tree::Opcode::And | tree::Opcode::Or | tree::Opcode::Xor => function(tree.opcode),
            _ => return false,
        };
        let narrow = ty.bits() == 16;
        if narrow && !(tree.opcode == tree::Opcode::And && matches!(operands[2], Value::Immediate(_))) {
            return false;
        }
        if self.uses[id] != 1 || !self.is_private(&flat.operands[1], made) {
            return false;
        }
        let (masks, operands) = (tree.opcode == tree::Opcode::And, operands.to_vec());
        let (first, second) = (self.source(&operands[1], ty), self.source(&operands[2], ty));
        let mut halves = vec![(first.low, second.low)];
        if ty.bits() == 64 {
            halves.push((first.high, second.high));
            // What is masked out is zero.
            let masked = |&(a, b): &(Operand, Operand)| [a, b].iter().any(|it| constant_of(it) == Some(0));
            if masks && halves.iter().filter(|half| masked(half)).count() == 1 {
                halves.retain(|half| !masked(half));
            }
        }
        // LOP3 gives the predicate of "not zero"; that of zero is its negative, which costs nothing where it is read.
        let (to, equal) = (outputs[0], compare == Compare::Eq);
        let found = if equal { Operand::predicate(self.code.predicate()) } else { to };
        let lut = Operand::Immediate(u32::from(lut));
        let last = halves.len() - 1;
        let mut before = Operand::FALSE;
        for (index, (a, b)) in halves.into_iter().enumerate() {
            let (a, b) = if constant_of(&a).is_some() { (b, a) } else { (a, b) };
            let b = match constant_of(&b) {
                // What stands above the lower half of a register is not looked at.
                Some(bits) if ty.bits() == 16 => immediate(bits & 0xffff),
                _ => b,
            };
            let to = if index == last { found } else { Operand::predicate(self.code.predicate()) };
            self.op(Opcode::Lop3, &[M::Lut], [to, Operand::ZERO, a, b, Operand::ZERO, lut, before]);
            before = to;
        }
        if let (true, Operand::Predicate { predicate, .. }) = (equal, to) {
            self.set_predicate(predicate, not(found));
        }
        true
    }

    /// How the result of a comparison is combined, and with which predicate.
    fn combination(&mut self, flat: &Flat<'_>) -> (M, Operand) {
        let combine = match flat.operands.get(3) {
            Some(value) => self.predicate_source(value),
            None => Operand::TRUE,
        };
        let operation = match flat.tree.operation() {
            Some(Operation::Or) => M::Or,
            Some(Operation::Xor) => M::Xor,
            _ => M::And,
        };
        (operation, combine)
    }

    pub(crate) fn compare_to(
        &mut self,
        flat: &Flat<'_>,
        outputs: [Operand; 2],
        compare: Compare,
        operation: M,
        combine: Operand,
        ty: Type,
    ) {
        if ty.is_float() {
            let opcode = if ty == Type::F64 { Opcode::Dsetp } else { Opcode::Fsetp };
            let (a, b) = (self.float_source(&flat.operands[1], ty), self.float_source(&flat.operands[2], ty));
            let mut modifiers = vec![comparison(compare)];
            if flat.tree.flag(Flag::Ftz) && ty == Type::F32 {
                modifiers.push(M::Ftz);
            }
            modifiers.push(operation);
            return self.op(opcode, &modifiers, [outputs[0], outputs[1], a, b, combine]);
        }
        let unsigned =
            matches!(compare, Compare::Lo | Compare::Ls | Compare::Hi | Compare::Hs) || !ty.is_signed();
        let equality = matches!(compare, Compare::Eq | Compare::Ne);
        let mut modifiers = vec![comparison(compare)];
        if unsigned && !equality {
            modifiers.push(M::U32);
        }
        modifiers.push(operation);
        let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        if ty.bits() == 64 {
            let low = self.compare(&[comparison(compare), M::U32, M::And], a.low, b.low);
            modifiers.push(M::Ex);
            return self.op(
                Opcode::Isetp,
                &modifiers,
                [outputs[0], outputs[1], a.high, b.high, combine, Operand::predicate(low)],
            );
        }
        let (mut a, mut b) = (a.low, b.low);
        if ty.bits() == 16 {
            (a, b) = (self.extend16(a, !unsigned), self.extend16(b, !unsigned));
        }
        if !matches!(a, Operand::Register { .. }) || (a == Operand::ZERO && constant_of(&b).is_none()) {
            (a, b) = (b, a);
            modifiers[0] = swapped(modifiers[0]);
        }
        self.op(Opcode::Isetp, &modifiers, [outputs[0], outputs[1], a, b, combine]);
    }

    /// `set`: a comparison as a number.
    pub(crate) fn set(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let types: Vec<Type> = tree.types().collect();
        let (to_ty, ty) = match types[..] {
            [to, from] => (to, from),
            _ => (Type::U32, Type::S32),
        };
        if ty.is_packed() || to_ty.is_packed() || ty == Type::F16 || ty == Type::Bf16 {
            return self.half_set(flat, to_ty, ty);
        }
        let predicate = self.code.predicate();
        let (operation, combine) = self.combination(flat);
        let outputs = [Operand::predicate(predicate), Operand::TRUE];
        self.compare_to(flat, outputs, tree.compare().unwrap_or(Compare::Eq), operation, combine, ty);
        let value = if to_ty == Type::F32 { 0x3f80_0000 } else { u32::MAX };
        let to = self.result(&flat.operands[0], 32);
        self.choose(to, Operand::Immediate(value), Operand::ZERO, Operand::predicate(predicate));
    }

    pub(crate) fn selp(&mut self, flat: &Flat<'_>, ty: Type) {
        let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let p = self.predicate_source(&flat.operands[3]);
        let to = self.result(&flat.operands[0], ty.bits());
        self.choose(to, a.low, b.low, p);
        if ty.bits() == 64 {
            self.choose(to.offset(1), a.high, b.high, p);
        }
    }

    /// `slct`: by the sign of the third operand.
    pub(crate) fn slct(&mut self, flat: &Flat<'_>, ty: Type) {
        let by = flat.tree.types().last().unwrap_or(Type::S32);
        let predicate = self.code.predicate();
        let p = Operand::predicate(predicate);
        let third = self.source(&flat.operands[3], by).low;
        if by == Type::F32 {
            let modifiers: &[M] =
                if flat.tree.flag(Flag::Ftz) { &[M::Ge, M::Ftz, M::And] } else { &[M::Ge, M::And] };
            self.op(Opcode::Fsetp, modifiers, [p, Operand::TRUE, third, Operand::ZERO, Operand::TRUE]);
        } else {
            self.op(Opcode::Isetp, &[M::Ge, M::And], [p, Operand::TRUE, third, Operand::ZERO, Operand::TRUE]);
        }
        let (a, b) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let to = self.result(&flat.operands[0], ty.bits());
        self.choose(to, a.low, b.low, p);
        if ty.bits() == 64 {
            self.choose(to.offset(1), a.high, b.high, p);
        }
    }

    pub(crate) fn testp(&mut self, flat: &Flat<'_>, ty: Type) {
        let class = flat.tree.modifiers.iter().find_map(|it| match it {
            Dotted::Number(class) => Some(*class),
            _ => None,
        });
        let source = self.source(&flat.operands[1], ty);
        let wide = ty == Type::F64;
        let word = if wide { source.high } else { source.low };
        let magnitude = self.lop3(word, Operand::Immediate(0x7fff_ffff), Operand::ZERO, 0xc0);
        let magnitude = if wide {
            // Bits below the upper word only matter as "some".
            let some = self.compare(&[M::Ne, M::And], source.low, Operand::ZERO);
            (Operand::register(magnitude), Some(some))
        } else {
            (Operand::register(magnitude), None)
        };
        let (infinity, smallest) = if wide { (0x7ff0_0000, 0x0010_0000) } else { (0x7f80_0000, 0x0080_0000) };
        let to = Operand::predicate(self.predicate_result(&flat.operands[0]));
        let some = magnitude.1.map_or(Operand::FALSE, Operand::predicate);
        let magnitude = magnitude.0;
        let test = |it: &mut Self, compare: M, bound: u32, operation: M, with: Operand| {
            it.op(
                Opcode::Isetp,
                &[compare, M::U32, operation],
                [to, Operand::TRUE, magnitude, immediate(bound), with],
            );
        };
        match class {
            Some(NumberClass::Finite) => test(self, M::Lt, infinity, M::And, Operand::TRUE),
            Some(NumberClass::Infinite) => test(self, M::Eq, infinity, M::And, not(some)),
            Some(NumberClass::Number | NumberClass::Notanumber) => {
                let equal = self.compare(&[M::Eq, M::And], magnitude, Operand::Immediate(infinity));
                let both = self.code.predicate();
                self.both(both, Operand::predicate(equal), some);
                test(self, M::Gt, infinity, M::Or, Operand::predicate(both));
                if class == Some(NumberClass::Number) {
                    let p = match to {
                        Operand::Predicate { predicate, .. } => predicate,
                        _ => Predicate::TRUE,
                    };
                    self.set_predicate(p, not(to));
                }
            }
            Some(NumberClass::Normal) => {
                let large = self.compare(&[M::Ge, M::U32, M::And], magnitude, Operand::Immediate(smallest));
                test(self, M::Lt, infinity, M::And, Operand::predicate(large));
            }
            _ => {
                let any = self.code.predicate();
                self.op(
                    Opcode::Isetp,
                    &[M::Ne, M::Or],
                    [Operand::predicate(any), Operand::TRUE, magnitude, Operand::ZERO, some],
                );
                test(self, M::Lt, smallest, M::And, Operand::predicate(any));
            }
        }
    }

    pub(crate) fn both(&mut self, to: Predicate, a: Operand, b: Operand) {
        self.combine_predicates(to, a, b, 0xc0);
    }

    /// A function of two predicates, given by its truth table.
    pub(crate) fn combine_predicates(&mut self, to: Predicate, a: Operand, b: Operand, table: u8) {
        // Of three predicates the third is PT: both entries of the table are set alike.
        let table = Operand::Immediate(u32::from(table));
        let operands =
            [Operand::predicate(to), Operand::TRUE, a, b, Operand::TRUE, table, Operand::Immediate(0)];
        self.op(Opcode::Plop3, &[M::Lut], operands);
    }

    pub(crate) fn copysign(&mut self, flat: &Flat<'_>, ty: Type) {
        let (sign, value) = (self.source(&flat.operands[1], ty), self.source(&flat.operands[2], ty));
        let to = self.result(&flat.operands[0], ty.bits());
        let mask = Operand::Immediate(0x8000_0000);
        if ty == Type::F64 {
            let high = self.lop3(sign.high, mask, value.high, 0xe2);
            self.op(Opcode::Mov, &[], [Operand::register(to), value.low]);
            return self.op(Opcode::Mov, &[], [Operand::register(to.offset(1)), Operand::register(high)]);
        }
        self.lop3_to(to, sign.low, mask, value.low, 0xe2);
    }
}

/// The modifier of a comparison.
pub(crate) fn comparison(compare: Compare) -> M {
    match compare {
        Compare::Eq => M::Eq,
        Compare::Ne => M::Ne,
        Compare::Lt | Compare::Lo => M::Lt,
        Compare::Le | Compare::Ls => M::Le,
        Compare::Gt | Compare::Hi => M::Gt,
        Compare::Ge | Compare::Hs => M::Ge,
        Compare::Equ => M::Equ,
        Compare::Neu => M::Neu,
        Compare::Ltu => M::Ltu,
        Compare::Leu => M::Leu,
        Compare::Gtu => M::Gtu,
        Compare::Geu => M::Geu,
        Compare::Num => M::Num,
        Compare::Nan => M::Nan,
    }
}

fn swapped(compare: M) -> M {
    match compare {
        M::Lt => M::Gt,
        M::Gt => M::Lt,
        M::Le => M::Ge,
        M::Ge => M::Le,
        other => other,
    }
}
