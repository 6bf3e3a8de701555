//! Evaluates the flat program of a formula for several warps at once: a column for each of its values, a row for each
//! warp.

use warplab_config::gpu::{RankCode, RankOperator, RankSource, RankStep};
use warplab_config::{Operator, WholeFunction};

/// The most warps of a scheduler: rows of a column.
pub(super) const ROWS: usize = 64;

/// The columns of one program; numbers that stand in the program are in theirs already.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    values: Vec<i64>,
}

impl Columns {
    pub(super) fn new(code: &RankCode) -> Columns {
        let mut values = vec![0; (code.sources.len() + code.steps.len()) * ROWS];
        for (column, source) in values.chunks_exact_mut(ROWS).zip(&code.sources) {
            if let RankSource::Number(number) = source {
                column.fill(*number);
            }
        }
        Columns { values }
    }

    /// The result for the first `rows` warps; `read` writes a source that is no number into its column.
    pub(super) fn evaluate(
        &mut self,
        code: &RankCode,
        rows: usize,
        mut read: impl FnMut(RankSource, &mut [i64]),
    ) -> &[i64] {
        for (column, source) in self.values.chunks_exact_mut(ROWS).zip(&code.sources) {
            if !matches!(source, RankSource::Number(_)) {
                read(*source, &mut column[..rows]);
            }
        }
        for (at, step) in code.steps.iter().enumerate() {
            let (known, new) = self.values.split_at_mut((code.sources.len() + at) * ROWS);
            compute(step, known, &mut new[..rows]);
        }
        let start = code.result * ROWS;
        &self.values[start..start + rows]
    }
}

/// One step for all rows.
fn compute(step: &RankStep, known: &[i64], result: &mut [i64]) {
    let column = |operand: usize| &known[step.operands[operand] * ROWS..][..result.len()];
    let (a, b) = (column(0), column(1));
    let truth = |holds: bool| i64::from(holds);
    match step.operator {
        RankOperator::Binary(Operator::Add) => two(result, a, b, i64::saturating_add),
        RankOperator::Binary(Operator::Subtract) => two(result, a, b, i64::saturating_sub),
        RankOperator::Binary(Operator::Multiply) => two(result, a, b, i64::saturating_mul),
        RankOperator::Binary(Operator::Divide) => {
            two(result, a, b, |a, b| if b == 0 { 0 } else { a.saturating_div(b) })
        }
        RankOperator::Binary(Operator::Remainder) => {
            two(result, a, b, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) })
        }
        RankOperator::Binary(Operator::Power) => two(result, a, b, power),
        RankOperator::Binary(Operator::Equal) => two(result, a, b, |a, b| truth(a == b)),
        RankOperator::Binary(Operator::Less) => two(result, a, b, |a, b| truth(a < b)),
        RankOperator::Binary(Operator::LessOrEqual) => two(result, a, b, |a, b| truth(a <= b)),
        RankOperator::Binary(Operator::Greater) => two(result, a, b, |a, b| truth(a > b)),
        RankOperator::Binary(Operator::GreaterOrEqual) => two(result, a, b, |a, b| truth(a >= b)),
        RankOperator::Call(WholeFunction::Min) => two(result, a, b, i64::min),
        RankOperator::Call(WholeFunction::Max) => two(result, a, b, i64::max),
        RankOperator::Call(WholeFunction::Abs) => two(result, a, a, |a, _| a.saturating_abs()),
        RankOperator::Negate => two(result, a, a, |a, _| a.saturating_neg()),
        RankOperator::Call(WholeFunction::Select) => {
            let chosen = a.iter().zip(b).zip(column(2));
            for (result, ((condition, then), otherwise)) in result.iter_mut().zip(chosen) {
                *result = if *condition != 0 { *then } else { *otherwise };
            }
        }
    }
}

#[inline]
fn two(result: &mut [i64], a: &[i64], b: &[i64], operation: impl Fn(i64, i64) -> i64) {
    for (result, (a, b)) in result.iter_mut().zip(a.iter().zip(b)) {
        *result = operation(*a, *b);
    }
}

fn power(base: i64, exponent: i64) -> i64 {
    if exponent < 0 { 0 } else { base.saturating_pow(u32::try_from(exponent).unwrap_or(u32::MAX)) }
}

#[cfg(test)]
mod tests {
    use super::Columns;
    use warplab_config::gpu::RankFormula;

    /// What an expression without names is.
    fn value(text: &str) -> i64 {
        let formula: RankFormula = text.parse().unwrap();
        Columns::new(formula.rank()).evaluate(formula.rank(), 1, |_, _| ())[0]
    }

    #[test]
    fn numbers_are_whole_and_stop_at_their_ends() {
        assert_eq!([value("7 / 2"), value("-7 / 2"), value("-7 % 4"), value("2 ^ 10")], [3, -3, -3, 1024]);
        assert_eq!(
            [value("never + 1"), value("first - 1"), value("abs(first)")],
            [i64::MAX, i64::MIN, i64::MAX]
        );
        assert_eq!(
            [value("5 / 0"), value("5 % 0"), value("first / -1"), value("2 ^ -1")],
            [0, 0, i64::MAX, 0]
        );
    }

    #[test]
    fn comparisons_and_functions() {
        assert_eq!([value("3 > 2"), value("3 <= 2"), value("min(3, 2)"), value("max(3, 2)")], [1, 0, 2, 3]);
        assert_eq!([value("select(0, 5, 6)"), value("select(-1, 5, 6)"), value("-abs(-4)")], [6, 5, -4]);
    }
}
