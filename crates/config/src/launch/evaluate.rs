//! The value of a formula.

use super::formula::{ElementLeaf, Formula};
use crate::expression::{Evaluate, Literal, MathFunction, Operator, Term, WholeFunction, single};
use std::fmt;
use warplab_units::{ElementType, Number};

/// The most terms that the sums of a formula may have together, over all elements that are looked at.
pub(crate) const MOST_TERMS: u64 = 2_000_000_000;

/// Where a formula reads its buffers.
pub trait Memory {
    /// The element at an index of a buffer, counted as in [`Formula::reads`], of this type or of the buffer's own;
    /// none outside of it.
    fn number(&self, buffer: usize, element: Option<ElementType>, index: u64) -> Option<Number>;
}

/// Why a formula has no value for an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationFault {
    /// A read outside of a buffer.
    Outside {
        /// The buffer as the formula names it.
        buffer: String,
        /// The index.
        index: i128,
    },
    /// A whole number divided by zero.
    DivisionByZero,
    /// A whole number was needed: an index or a count.
    NotWhole,
    /// A whole number does not fit into 128 bits.
    TooLarge,
    /// The exponent of a whole number is negative or has more than 32 bits.
    Exponent,
    /// The sums have more terms than [`MOST_TERMS`].
    TooManyTerms,
}

impl fmt::Display for EvaluationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationFault::Outside { buffer, index } => {
                write!(f, "{buffer}[{index}] is outside of the buffer")
            }
            EvaluationFault::DivisionByZero => f.write_str("a whole number is divided by zero"),
            EvaluationFault::NotWhole => f.write_str("an index must be a whole number"),
            EvaluationFault::TooLarge => f.write_str("a whole number does not fit into 128 bits"),
            EvaluationFault::Exponent => {
                f.write_str("the exponent of a whole number must be a whole number from 0 to 4294967295")
            }
            EvaluationFault::TooManyTerms => {
                write!(f, "its sums have more than {MOST_TERMS} terms in all, which is the limit")
            }
        }
    }
}

impl std::error::Error for EvaluationFault {}

/// Evaluates a formula for one element after the other.
#[derive(Debug)]
pub struct Evaluator<'a, M> {
    formula: &'a Formula,
    memory: &'a M,
    /// Whether real numbers keep double precision.
    double: bool,
    terms_left: u64,
    indices: Vec<i128>,
}

type Value = Result<Number, EvaluationFault>;

impl<'a, M: Memory> Evaluator<'a, M> {
    /// An evaluator; real numbers are of double precision or rounded to single after every operation.
    #[must_use]
    pub fn new(formula: &'a Formula, memory: &'a M, double: bool) -> Evaluator<'a, M> {
        Evaluator { formula, memory, double, terms_left: MOST_TERMS, indices: Vec::new() }
    }

    /// The value at an element index.
    ///
    /// # Errors
    /// The first thing that has no value.
    pub fn at(&mut self, index: u64) -> Value {
        self.indices.clear();
        self.indices.push(i128::from(index));
        let formula = self.formula;
        self.value(&formula.root)
    }

    /// A real number as precise as real numbers are here.
    fn real(&self, value: f64) -> Number {
        Number::Real(if self.double { value } else { single(value) })
    }

    fn to_real(&self, number: Number) -> f64 {
        match number {
            Number::Whole(whole) if !self.double => f64::from(whole as f32),
            other => other.to_f64(),
        }
    }

    /// Floats are added in double precision and rounded once.
    fn sum(&mut self, depth: usize, count: &Term<ElementLeaf>, body: &Term<ElementLeaf>) -> Value {
        let count = whole(self.value(count)?)?.max(0);
        let terms = u64::try_from(count).map_err(|_| EvaluationFault::TooManyTerms)?;
        self.terms_left = self.terms_left.checked_sub(terms).ok_or(EvaluationFault::TooManyTerms)?;
        let (mut sum, mut real, mut is_real) = (0_i128, 0.0_f64, false);
        self.indices.truncate(depth);
        self.indices.push(0);
        for index in 0..count {
            self.indices[depth] = index;
            match self.value(body)? {
                Number::Whole(term) => sum = sum.checked_add(term).ok_or(EvaluationFault::TooLarge)?,
                Number::Real(term) => (real, is_real) = (real + term, true),
            }
        }
        self.indices.truncate(depth);
        Ok(if is_real { self.real(real + sum as f64) } else { Number::Whole(sum) })
    }
}

impl<M: Memory> Evaluate<ElementLeaf> for Evaluator<'_, M> {
    type Value = Number;
    type Fault = EvaluationFault;

    fn number(&self, literal: &Literal) -> Number {
        match literal.whole {
            Some(whole) => Number::Whole(whole),
            None if self.double => Number::Real(literal.double),
            None => Number::Real(f64::from(literal.single)),
        }
    }

    fn leaf(&mut self, leaf: &ElementLeaf) -> Value {
        match leaf {
            &ElementLeaf::Index(depth) => Ok(Number::Whole(self.indices[depth])),
            ElementLeaf::Read { buffer, element, index } => {
                let index = whole(self.value(index)?)?;
                let found =
                    u64::try_from(index).ok().and_then(|index| self.memory.number(*buffer, *element, index));
                found.ok_or_else(|| EvaluationFault::Outside {
                    buffer: self.formula.reads()[*buffer].name.clone(),
                    index,
                })
            }
            ElementLeaf::Sum { depth, count, body } => self.sum(*depth, count, body),
        }
    }

    fn negate(&self, value: Number) -> Value {
        Ok(match value {
            Number::Whole(whole) => Number::Whole(whole.checked_neg().ok_or(EvaluationFault::TooLarge)?),
            Number::Real(real) => Number::Real(-real),
        })
    }

    fn binary(&self, operator: Operator, left: Number, right: Number) -> Value {
        if let (Number::Whole(a), Number::Whole(b)) = (left, right) {
            return whole_binary(operator, a, b);
        }
        let (a, b) = (self.to_real(left), self.to_real(right));
        let truth = |holds: bool| Number::Whole(i128::from(holds));
        Ok(match operator {
            // Rounding the double once more to single gives what single precision would have given.
            Operator::Add => self.real(a + b),
            Operator::Subtract => self.real(a - b),
            Operator::Multiply => self.real(a * b),
            Operator::Divide => self.real(a / b),
            Operator::Remainder => self.real(a % b),
            Operator::Power => self.real(a.powf(b)),
            Operator::Equal => truth(a == b),
            Operator::Less => truth(a < b),
            Operator::LessOrEqual => truth(a <= b),
            Operator::Greater => truth(a > b),
            Operator::GreaterOrEqual => truth(a >= b),
        })
    }

    fn call(&self, function: MathFunction, [a, b, c]: [Number; 3]) -> Value {
        let of_real = |function: fn(f64) -> f64| match a {
            Number::Whole(whole) => Number::Whole(whole),
            Number::Real(real) => Number::Real(function(real)),
        };
        let of_two = |whole: fn(i128, i128) -> i128, real: fn(f64, f64) -> f64| match (a, b) {
            (Number::Whole(a), Number::Whole(b)) => Number::Whole(whole(a, b)),
            (a, b) => Number::Real(real(self.to_real(a), self.to_real(b))),
        };
        Ok(match (function, a) {
            (MathFunction::Whole(WholeFunction::Abs), Number::Whole(whole)) => {
                Number::Whole(whole.checked_abs().ok_or(EvaluationFault::TooLarge)?)
            }
            (MathFunction::Whole(WholeFunction::Abs), Number::Real(real)) => Number::Real(real.abs()),
            (MathFunction::Sqrt, number) => self.real(self.to_real(number).sqrt()),
            (MathFunction::Log2, number) => self.real(self.to_real(number).log2()),
            (MathFunction::Floor, _) => of_real(f64::floor),
            (MathFunction::Ceil, _) => of_real(f64::ceil),
            (MathFunction::Round, _) => of_real(f64::round),
            (MathFunction::F32, Number::Whole(whole)) => Number::Real(f64::from(whole as f32)),
            (MathFunction::F32, Number::Real(real)) => Number::Real(single(real)),
            (MathFunction::F64 | MathFunction::Whole(WholeFunction::Select), number) => {
                Number::Real(self.to_real(number))
            }
            (MathFunction::Whole(WholeFunction::Min), _) => of_two(i128::min, f64::min),
            (MathFunction::Whole(WholeFunction::Max), _) => of_two(i128::max, f64::max),
            (MathFunction::Fma, _) => {
                let [a, b, c] = [a, b, c].map(|number| self.to_real(number));
                Number::Real(if self.double { a.mul_add(b, c) } else { single_fma(a, b, c) })
            }
        })
    }

    fn is_zero(&self, value: Number) -> bool {
        value == Number::Whole(0)
    }

    fn checked(&self, value: Number) -> Value {
        Ok(value)
    }
}

fn whole(number: Number) -> Result<i128, EvaluationFault> {
    match number {
        Number::Whole(whole) => Ok(whole),
        Number::Real(_) => Err(EvaluationFault::NotWhole),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the values are of single precision")]
fn single_fma(a: f64, b: f64, c: f64) -> f64 {
    f64::from((a as f32).mul_add(b as f32, c as f32))
}

fn whole_binary(operator: Operator, a: i128, b: i128) -> Value {
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
        Operator::Power => {
            u32::try_from(b).map_err(|_| EvaluationFault::Exponent).map(|b| a.checked_pow(b))?
        }
        Operator::Equal => Some(i128::from(a == b)),
        Operator::Less => Some(i128::from(a < b)),
        Operator::LessOrEqual => Some(i128::from(a <= b)),
        Operator::Greater => Some(i128::from(a > b)),
        Operator::GreaterOrEqual => Some(i128::from(a >= b)),
    };
    result.map(Number::Whole).ok_or(EvaluationFault::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::{EvaluationFault, Evaluator, Memory};
    use crate::launch::Formula;
    use warplab_units::{ElementType, Number};

    struct Floats<'a>(&'a [&'a [f32]]);
    impl Memory for Floats<'_> {
        fn number(&self, buffer: usize, _: Option<ElementType>, index: u64) -> Option<Number> {
            self.0.get(buffer)?.get(usize::try_from(index).ok()?).map(|&value| Number::Real(f64::from(value)))
        }
    }

    fn value(text: &str, index: u64, buffers: &[&[f32]]) -> Result<Number, EvaluationFault> {
        let formula: Formula = text.parse().unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        Evaluator::new(&formula, &Floats(buffers), false).at(index)
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
    fn real_numbers_are_of_single_precision_unless_asked_for() {
        let formula: Formula = "0.1 + 0.2".parse().unwrap();
        let value = |double| Evaluator::new(&formula, &Floats(&[]), double).at(0);
        assert_eq!(value(false), Ok(Number::Real(f64::from(0.1_f32 + 0.2_f32))));
        assert_eq!(value(true), Ok(Number::Real(0.1 + 0.2)));
    }

    #[test]
    fn a_sum_of_10_to_the_18_terms_is_refused_before_it_is_added() {
        assert_eq!(value("sum(k, 1000000000000000000, k)", 0, &[]), Err(EvaluationFault::TooManyTerms));
        assert_eq!(value("sum(k, 2, sum(j, 3000000000 * k, 1))", 0, &[]), Err(EvaluationFault::TooManyTerms));
        let message = "its sums have more than 2000000000 terms in all, which is the limit";
        assert_eq!(EvaluationFault::TooManyTerms.to_string(), message);
    }

    #[test]
    fn whole_numbers_stay_whole() {
        assert_eq!(value("7 / 2 * 2 - 1", 0, &[]), Ok(Number::Whole(5)));
        assert_eq!(value("sum(k, 10, k % 3 == i)", 0, &[]), Ok(Number::Whole(4)));
        assert_eq!(value("select(i < 3, i, 3)", 9, &[]), Ok(Number::Whole(3)));
        assert_eq!(value("sum(a, 3, sum(b, a, b + 10))", 0, &[]), Ok(Number::Whole(31)));
        assert_eq!(value("2^i^2 - (i >= 3)", 3, &[]), Ok(Number::Whole(511)));
        assert_eq!(value("2^(0 - i)", 3, &[]), Err(EvaluationFault::Exponent));
        assert_eq!(value("floor(2.5) + round(i)", 3, &[]), Ok(Number::Real(5.0)));
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
            "unknown function 'mix'; did you mean 'min'? known: min, max, abs, sqrt, log2, floor, ceil, round, fma, f32, f64, select, sum"
        );
        assert_eq!(fault("2 * j").message, "unknown name 'j'; known: i, and buffers as j[i]");
        assert_eq!(fault("2 $ j").span.range(), 2..3);
        assert_eq!(fault(&"(".repeat(10_000)).message, "expected fewer brackets, found '('");
    }
}
