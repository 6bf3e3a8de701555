//! The value of a formula.

use super::formula::{Element, Expression, Formula, Function, Operator};
use std::fmt;

/// Where a formula reads its buffers.
pub trait Memory {
    /// The 32-bit word at an index of a buffer, counted as in [`Formula::reads`]; none outside of it.
    fn word(&self, buffer: usize, index: u64) -> Option<u32>;
}

/// The value of a formula: its kind says how the buffer is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// A single-precision number.
    Real(f32),
}

/// Why a formula has no value for an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationFault {
    /// A read outside of a buffer.
    Outside {
        /// The buffer as the formula names it.
        buffer: String,
        /// The index.
        index: i64,
    },
    /// A whole number divided by zero.
    DivisionByZero,
    /// A whole number was needed: an index or a count.
    NotWhole,
    /// A whole number does not fit into 64 bits.
    TooLarge,
}

impl fmt::Display for EvaluationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationFault::Outside { buffer, index } => {
                write!(f, "{buffer}[{index}] is outside of the buffer")
            }
            EvaluationFault::DivisionByZero => f.write_str("a whole number is divided by zero"),
            EvaluationFault::NotWhole => f.write_str("an index must be a whole number"),
            EvaluationFault::TooLarge => f.write_str("a whole number does not fit into 64 bits"),
        }
    }
}

impl std::error::Error for EvaluationFault {}

impl Number {
    /// The value as a single-precision number.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        match self {
            Number::Whole(whole) => whole as f32,
            Number::Real(real) => real,
        }
    }

    fn whole(self) -> Result<i64, EvaluationFault> {
        match self {
            Number::Whole(whole) => Ok(whole),
            Number::Real(_) => Err(EvaluationFault::NotWhole),
        }
    }
}

impl Formula {
    /// The value at an element index.
    ///
    /// # Errors
    /// The first thing that has no value.
    pub fn evaluate(&self, index: u64, memory: &impl Memory) -> Result<Number, EvaluationFault> {
        let mut evaluation = Evaluation { formula: self, memory, indices: vec![index as i64] };
        evaluation.value(&self.root)
    }
}

struct Evaluation<'a, M> {
    formula: &'a Formula,
    memory: &'a M,
    indices: Vec<i64>,
}

type Value = Result<Number, EvaluationFault>;

impl<M: Memory> Evaluation<'_, M> {
    fn value(&mut self, expression: &Expression) -> Value {
        Ok(match expression {
            &Expression::Whole(whole) => Number::Whole(whole),
            &Expression::Real(real) => Number::Real(real),
            &Expression::Index(depth) => Number::Whole(self.indices[depth]),
            Expression::Read { buffer, element, index } => {
                let index = self.value(index)?.whole()?;
                let word = u64::try_from(index).ok().and_then(|index| self.memory.word(*buffer, index));
                let word = word.ok_or_else(|| EvaluationFault::Outside {
                    buffer: self.formula.reads()[*buffer].name.clone(),
                    index,
                })?;
                match element {
                    Element::F32 => Number::Real(f32::from_bits(word)),
                    Element::U32 => Number::Whole(i64::from(word)),
                    Element::I32 => Number::Whole(i64::from(word as i32)),
                }
            }
            Expression::Negate(inner) => match self.value(inner)? {
                Number::Whole(whole) => Number::Whole(whole.checked_neg().ok_or(EvaluationFault::TooLarge)?),
                Number::Real(real) => Number::Real(-real),
            },
            Expression::Binary(operator, left, right) => {
                let left = self.value(left)?;
                return binary(*operator, left, self.value(right)?);
            }
            Expression::Call(function, arguments) => return self.call(*function, arguments),
            Expression::Sum { depth, count, body } => return self.sum(*depth, count, body),
        })
    }

    fn call(&mut self, function: Function, arguments: &[Expression]) -> Value {
        if function == Function::Select {
            let chosen = if self.value(&arguments[0])? == Number::Whole(0) { 2 } else { 1 };
            return self.value(&arguments[chosen]);
        }
        let first = self.value(&arguments[0])?;
        Ok(match (function, first) {
            (Function::Abs, Number::Whole(whole)) => {
                Number::Whole(whole.checked_abs().ok_or(EvaluationFault::TooLarge)?)
            }
            (Function::Abs, Number::Real(real)) => Number::Real(real.abs()),
            (Function::Sqrt, number) => Number::Real(number.to_f32().sqrt()),
            (Function::F32 | Function::Select, number) => Number::Real(number.to_f32()),
            (Function::Min | Function::Max, _) => {
                let least = function == Function::Min;
                match (first, self.value(&arguments[1])?) {
                    (Number::Whole(a), Number::Whole(b)) => {
                        Number::Whole(if least { a.min(b) } else { a.max(b) })
                    }
                    (a, b) if least => Number::Real(a.to_f32().min(b.to_f32())),
                    (a, b) => Number::Real(a.to_f32().max(b.to_f32())),
                }
            }
            (Function::Fma, number) => {
                let (b, c) = (self.value(&arguments[1])?, self.value(&arguments[2])?);
                Number::Real(number.to_f32().mul_add(b.to_f32(), c.to_f32()))
            }
        })
    }

    /// Floats are added in double precision and rounded once.
    fn sum(&mut self, depth: usize, count: &Expression, body: &Expression) -> Value {
        let count = self.value(count)?.whole()?;
        let (mut whole, mut real, mut is_real) = (0_i64, 0.0_f64, false);
        self.indices.truncate(depth);
        self.indices.push(0);
        for index in 0..count {
            self.indices[depth] = index;
            match self.value(body)? {
                Number::Whole(term) => whole = whole.checked_add(term).ok_or(EvaluationFault::TooLarge)?,
                Number::Real(term) => (real, is_real) = (real + f64::from(term), true),
            }
        }
        self.indices.truncate(depth);
        Ok(if is_real { Number::Real((real + whole as f64) as f32) } else { Number::Whole(whole) })
    }
}

fn binary(operator: Operator, left: Number, right: Number) -> Value {
    if let (Number::Whole(a), Number::Whole(b)) = (left, right) {
        let divided = matches!(operator, Operator::Divide | Operator::Remainder);
        if divided && b == 0 {
            return Err(EvaluationFault::DivisionByZero);
        }
        let result = match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Divide => a.checked_div(b),
            Operator::Remainder => a.checked_rem(b),
            Operator::Equal => Some(i64::from(a == b)),
            Operator::Less => Some(i64::from(a < b)),
        };
        return result.map(Number::Whole).ok_or(EvaluationFault::TooLarge);
    }
    let (a, b) = (left.to_f32(), right.to_f32());
    Ok(match operator {
        Operator::Add => Number::Real(a + b),
        Operator::Subtract => Number::Real(a - b),
        Operator::Multiply => Number::Real(a * b),
        Operator::Divide => Number::Real(a / b),
        Operator::Remainder => Number::Real(a % b),
        Operator::Equal => Number::Whole(i64::from(a == b)),
        Operator::Less => Number::Whole(i64::from(a < b)),
    })
}

#[cfg(test)]
mod tests {
    use super::{EvaluationFault, Memory, Number};
    use crate::launch::Formula;

    struct Words(Vec<Vec<u32>>);
    impl Memory for Words {
        fn word(&self, buffer: usize, index: u64) -> Option<u32> {
            self.0.get(buffer)?.get(index as usize).copied()
        }
    }

    fn value(text: &str, index: u64, buffers: &[&[f32]]) -> Result<Number, EvaluationFault> {
        let formula: Formula = text.parse().unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        let words = buffers.iter().map(|buffer| buffer.iter().map(|value| value.to_bits()).collect());
        formula.evaluate(index, &Words(words.collect()))
    }

    #[test]
    fn a_formula_reads_buffers_at_computed_indices() {
        let (x, y): (&[f32], &[f32]) = (&[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0, 30.0, 40.0]);
        assert_eq!(value("2.0*x[i] + y0[i]", 2, &[x, y]), Ok(Number::Real(36.0)));
        assert_eq!(value("x[i % 2 * 2 + i / 2]", 1, &[x]), Ok(Number::Real(3.0)));
        assert_eq!(value("sum(k, 4, x[k] * y[k])", 0, &[x, y]), Ok(Number::Real(300.0)));
        assert_eq!(value("-max(x[0], 7) + abs(-2) * sqrt(x[3])", 0, &[x]), Ok(Number::Real(-3.0)));
    }

    #[test]
    fn whole_numbers_stay_whole() {
        assert_eq!(value("7 / 2 * 2 - 1", 0, &[]), Ok(Number::Whole(5)));
        assert_eq!(value("sum(k, 10, k % 3 == i)", 0, &[]), Ok(Number::Whole(4)));
        assert_eq!(value("select(i < 3, i, 3)", 9, &[]), Ok(Number::Whole(3)));
        assert_eq!(value("sum(a, 3, sum(b, a, b + 10))", 0, &[]), Ok(Number::Whole(31)));
    }

    #[test]
    fn what_has_no_value_is_said() {
        let outside = EvaluationFault::Outside { buffer: "x".into(), index: -1 };
        assert_eq!(value("x[i - 1]", 0, &[&[1.0]]), Err(outside));
        assert_eq!(value("1 / i", 0, &[]), Err(EvaluationFault::DivisionByZero));
        assert_eq!(value("x[0.5]", 0, &[&[1.0]]), Err(EvaluationFault::NotWhole));
    }

    #[test]
    fn faults_of_a_formula_say_where_and_what_is_known() {
        let fault = |text: &str| text.parse::<Formula>().map(|_| ()).unwrap_err();
        assert_eq!(fault("2 * x[i").message, "expected ']', found the end of the formula");
        assert_eq!(
            fault("2 * mix(i, 3)").message,
            "unknown function 'mix'; did you mean 'min'? known: min, max, abs, sqrt, fma, f32, select, sum"
        );
        assert_eq!(fault("2 * j").message, "unknown name 'j'; known: i, and buffers as j[i]");
        assert_eq!(fault("2 $ j").span.range(), 2..3);
        assert_eq!(fault(&"(".repeat(10_000)).message, "expected fewer brackets, found '('");
    }
}
