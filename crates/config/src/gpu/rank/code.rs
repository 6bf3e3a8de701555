//! A rank as a flat program: every value is computed once, after those that it needs.

use super::{RankInput, Span};
use crate::expression::{Operator, Term, WholeFunction};
use warplab_diagnostics::Diagnostic;

/// The most values of one expression.
const MOST_VALUES: usize = 256;

/// A flat program. Its values are numbered: the sources, then the result of each step; the last one is the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankCode {
    /// What is read; no two are the same.
    pub sources: Vec<RankSource>,
    /// What is computed, in order.
    pub steps: Vec<RankStep>,
    /// The number of the result.
    pub result: usize,
}

/// What a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankSource {
    /// A number.
    Number(i64),
    /// What is known of the warp or the scheduler.
    Input(RankInput),
    /// A kept value: its place in the formula, and whether every warp has its own.
    Kept {
        /// Which of the kept values.
        at: usize,
        /// Whether every warp has its own.
        of_warp: bool,
    },
}

/// One step: an operator and the numbers of its operands; operands that it does not take are the first one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankStep {
    /// What is done.
    pub operator: RankOperator,
    /// The numbers of the values that it is done with.
    pub operands: [usize; 3],
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankOperator {
    /// What stands between two numbers.
    Binary(Operator),
    /// A function.
    Call(WholeFunction),
    /// A number with the other sign.
    Negate,
}

/// A part of the expression.
type RankTerm = Term<RankSource, WholeFunction>;

impl RankCode {
    /// The program of an expression.
    ///
    /// # Errors
    /// When it is too long; the fault is at `span`.
    pub(super) fn compile(term: &RankTerm, span: Span) -> Result<RankCode, Diagnostic> {
        let mut sources = Vec::new();
        gather(term, &mut sources);
        let mut code = RankCode { sources, ..RankCode::default() };
        code.result = code.value(term);
        if code.sources.len() + code.steps.len() > MOST_VALUES {
            let message = format!("a rank has at most {MOST_VALUES} numbers, names and operators");
            return Err(Diagnostic::error(span, message));
        }
        Ok(code)
    }

    /// Whether it reads this.
    pub(super) fn reads(&self, input: RankInput) -> bool {
        self.sources.contains(&RankSource::Input(input))
    }

    /// The number of the value of a term.
    fn value(&mut self, term: &RankTerm) -> usize {
        let (operator, operands) = match term {
            Term::Number(_) | Term::Leaf(_) => {
                let wanted = source(term);
                return self.sources.iter().position(|known| Some(*known) == wanted).unwrap_or(0);
            }
            Term::Negate(inner) => (RankOperator::Negate, [self.value(inner); 3]),
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                (RankOperator::Binary(*operator), [left, right, left])
            }
            Term::Call(function, arguments) => {
                let mut operands = [self.value(&arguments[0]); 3];
                for (operand, argument) in operands.iter_mut().zip(arguments).skip(1) {
                    *operand = self.value(argument);
                }
                (RankOperator::Call(*function), operands)
            }
        };
        let step = RankStep { operator, operands };
        let known = self.steps.iter().position(|known| *known == step);
        let at = known.unwrap_or_else(|| {
            // Of what is too long no more is kept: the time stays in proportion to the text.
            if self.steps.len() <= MOST_VALUES {
                self.steps.push(step);
            }
            self.steps.len() - 1
        });
        self.sources.len() + at
    }
}

/// The sources of a term, each once.
fn gather(term: &RankTerm, sources: &mut Vec<RankSource>) {
    match term {
        Term::Number(_) | Term::Leaf(_) => {
            let new = source(term).filter(|source| sources.len() <= MOST_VALUES && !sources.contains(source));
            sources.extend(new);
        }
        Term::Negate(inner) => gather(inner, sources),
        Term::Binary(_, left, right) => {
            gather(left, sources);
            gather(right, sources);
        }
        Term::Call(_, arguments) => arguments.iter().for_each(|argument| gather(argument, sources)),
    }
}

fn source(term: &RankTerm) -> Option<RankSource> {
    match term {
        Term::Number(literal) => {
            literal.whole.and_then(|whole| i64::try_from(whole).ok()).map(RankSource::Number)
        }
        Term::Leaf(source) => Some(*source),
        _ => None,
    }
}
