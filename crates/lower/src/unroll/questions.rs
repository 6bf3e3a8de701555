//! The questions of an unrolled loop, as ptxas asks them: how far the counter is from its bound, and whether it is before it.

use super::counter::{Counter, Number, While};
use crate::code::Code;
use crate::select::{immediate, words_of};
use warplab_program::{Instruction, Modifier, Modifiers, Opcode, Operand, Predicate, SourceModifier};

impl Counter {
    /// How far the counter may be from its bound for so many iterations not to be certain.
    fn reach(&self, times: u32) -> u32 {
        let steps = (times - 1) * self.step.unsigned_abs();
        if self.or_equal { steps - 1 } else { steps }
    }

    /// Whether the counter goes up.
    fn is_rising(&self) -> bool {
        self.step > 0
    }

    /// Whether numbers have a sign where the distance is asked for: ptxas looks at what is only to be another number as if it had one.
    fn has_sign(&self) -> bool {
        self.signed || self.goes_on == While::Other
    }

    /// Sets a predicate: whether the counter is before the bound, so that it goes towards it; `or`: or that holds.
    pub(super) fn is_before(
        &self,
        code: &mut Code,
        to: Predicate,
        or: Option<Predicate>,
    ) -> Vec<Instruction> {
        let order = match (self.is_rising(), self.or_equal) {
            (true, false) => Modifier::Lt,
            (true, true) => Modifier::Le,
            (false, false) => Modifier::Gt,
            (false, true) => Modifier::Ge,
        };
        compare(code, to, (self.counter, order, self.bound), self.has_sign(), or)
    }

    /// Sets a predicate: whether the loop goes on, or `first` holds.
    pub(super) fn goes_on(&self, code: &mut Code, to: Predicate, first: Predicate) -> Vec<Instruction> {
        match self.goes_on {
            While::Other => compare(code, to, (self.counter, Modifier::Ne, self.bound), true, Some(first)),
            _ => self.is_before(code, to, Some(first)),
        }
    }

    /// Sets a predicate: whether so many iterations at least follow. ptxas asks for the distance, without looking whether it is a number.
    pub(super) fn has(&self, code: &mut Code, to: Predicate, times: u32) -> Vec<Instruction> {
        let (mut instructions, distance) = self.distance(code);
        let reach = constant(self.reach(times).into(), self.counter.high.is_some());
        let signed = self.has_sign();
        let asked = if signed { to } else { code.predicate() };
        instructions.extend(compare(code, asked, (distance, Modifier::Gt, reach), signed, None));
        if !signed {
            instructions.extend(self.is_before(code, to, None).into_iter().map(|it| both(it, to, asked)));
        }
        instructions
    }

    /// What the counter is compared with in a loop of so many iterations, and how that is made.
    pub(super) fn moved_bound(&self, code: &mut Code, times: u32) -> (Vec<Instruction>, Number) {
        let reach = i64::from(self.reach(times));
        let reach = if self.is_rising() { -reach } else { reach };
        let is_wide = self.counter.high.is_some();
        if let Some(bound) = self.bound.constant() {
            return (Vec::new(), constant(bound.wrapping_add_signed(reach), is_wide));
        }
        sum(code, self.bound.low, self.bound.high, constant(reach.cast_unsigned(), is_wide))
    }

    /// Sets a predicate: whether the counter is before a bound of `moved_bound`.
    pub(super) fn is_before_moved(&self, code: &mut Code, to: Predicate, bound: Number) -> Vec<Instruction> {
        let order = if self.is_rising() { Modifier::Lt } else { Modifier::Gt };
        compare(code, to, (self.counter, order, bound), self.has_sign(), None)
    }

    /// How far the counter is from its bound.
    fn distance(&self, code: &mut Code) -> (Vec<Instruction>, Number) {
        let (from, to) =
            if self.is_rising() { (self.counter, self.bound) } else { (self.bound, self.counter) };
        if from.constant() == Some(0) {
            return (Vec::new(), to);
        }
        let negative = |value: u64| {
            if to.high.is_some() {
                value.wrapping_neg()
            } else {
                u64::from(words_of(value)[0].wrapping_neg())
            }
        };
        if let Some(value) = from.constant() {
            return sum(code, to.low, to.high, constant(negative(value), to.high.is_some()));
        }
        let less = SourceModifier { negate: true, ..SourceModifier::NONE };
        let inverted = SourceModifier { invert: true, ..SourceModifier::NONE };
        let turned = |operand: Operand, modifier| {
            operand.as_register().map_or(operand, |it| Operand::modified(it, modifier))
        };
        sum(
            code,
            to.low,
            to.high,
            Number { low: turned(from.low, less), high: from.high.map(|it| turned(it, inverted)) },
        )
    }
}

fn constant(value: u64, is_wide: bool) -> Number {
    let [low, high] = words_of(value);
    Number { low: immediate(low), high: is_wide.then(|| immediate(high)) }
}

/// A sum; the second term as it is added half by half.
fn sum(code: &mut Code, low: Operand, high: Option<Operand>, more: Number) -> (Vec<Instruction>, Number) {
    let (Some(high), Some(more_high)) = (high, more.high) else {
        let to = Operand::register(code.register(1));
        let sum = Instruction::new(Opcode::Iadd3, [], [to, low, more.low, Operand::ZERO]);
        return (vec![sum], Number { low: to, high: None });
    };
    let first = code.register(2);
    let (to, to_high) = (Operand::register(first), Operand::register(first.offset(1)));
    let carry = Operand::predicate(code.predicate());
    let sums = vec![
        Instruction::new(Opcode::Iadd3, [], [to, carry, low, more.low, Operand::ZERO]),
        Instruction::new(
            Opcode::Iadd3,
            [Modifier::X],
            [to_high, high, more_high, Operand::ZERO, carry, Operand::FALSE],
        ),
    ];
    (sums, Number { low: to, high: Some(to_high) })
}

/// Sets a predicate: whether an order holds, or a predicate does.
fn compare(
    code: &mut Code,
    to: Predicate,
    (a, order, b): (Number, Modifier, Number),
    signed: bool,
    or: Option<Predicate>,
) -> Vec<Instruction> {
    let also = or.map_or(Operand::TRUE, Operand::predicate);
    let joins = if or.is_some() { Modifier::Or } else { Modifier::And };
    let modifiers = |more: &[Modifier], signed: bool, joins: Modifier| -> Modifiers {
        let unsigned = (!signed).then_some(Modifier::U32);
        let all = std::iter::once(order).chain(unsigned).chain([joins]).chain(more.iter().copied());
        Modifiers::from(all.collect::<Vec<_>>().as_slice())
    };
    let (Some(a_high), Some(b_high)) = (a.high, b.high) else {
        let operands = [Operand::predicate(to), Operand::TRUE, a.low, b.low, also];
        return vec![Instruction::new(Opcode::Isetp, modifiers(&[], signed, joins), operands)];
    };
    let lower = Operand::predicate(code.predicate());
    let operands = [lower, Operand::TRUE, a.low, b.low, Operand::TRUE];
    let upper = [Operand::predicate(to), Operand::TRUE, a_high, b_high, also, lower];
    vec![
        Instruction::new(Opcode::Isetp, modifiers(&[], false, Modifier::And), operands),
        Instruction::new(Opcode::Isetp, modifiers(&[Modifier::Ex], signed, joins), upper),
    ]
}

/// A comparison of which the result is only to hold where another does.
fn both(mut comparison: Instruction, to: Predicate, other: Predicate) -> Instruction {
    let sets = comparison.operands[0] == Operand::predicate(to);
    if sets {
        comparison.operands[4] = Operand::predicate(other);
    }
    comparison
}

/// Sets a predicate to what another says; to false as ptxas does it, which asks for what never holds.
pub(super) fn set(to: Predicate, from: Operand) -> Instruction {
    let (from, table) = if from == Operand::FALSE { (Operand::TRUE, 0x8) } else { (from, 0x80) };
    let operands = [
        Operand::predicate(to),
        Operand::TRUE,
        from,
        Operand::TRUE,
        Operand::TRUE,
        Operand::Immediate(table),
        Operand::Immediate(0),
    ];
    Instruction::new(Opcode::Plop3, [Modifier::Lut], operands)
}
