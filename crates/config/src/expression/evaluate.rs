//! The value of an expression, whatever its numbers are.

use super::{Literal, MathFunction, Operator, Term, WholeFunction};

/// The numbers of a dialect, and what its leaves mean.
pub(crate) trait Evaluate<L> {
    /// A number.
    type Value: Copy;
    /// Why there is none.
    type Fault;

    fn number(&self, literal: &Literal) -> Self::Value;
    fn leaf(&mut self, leaf: &L) -> Result<Self::Value, Self::Fault>;
    fn negate(&self, value: Self::Value) -> Result<Self::Value, Self::Fault>;
    fn binary(
        &self,
        operator: Operator,
        left: Self::Value,
        right: Self::Value,
    ) -> Result<Self::Value, Self::Fault>;
    /// A function of as many of these numbers as it takes; never [`WholeFunction::Select`].
    fn call(&self, function: MathFunction, arguments: [Self::Value; 3]) -> Result<Self::Value, Self::Fault>;
    fn is_zero(&self, value: Self::Value) -> bool;
    /// What becomes of every intermediate value.
    fn checked(&self, value: Self::Value) -> Result<Self::Value, Self::Fault>;

    /// The value of a term.
    fn value(&mut self, term: &Term<L>) -> Result<Self::Value, Self::Fault> {
        let value = match term {
            Term::Number(literal) => self.number(literal),
            Term::Leaf(leaf) => self.leaf(leaf)?,
            Term::Negate(inner) => {
                let inner = self.value(inner)?;
                self.negate(inner)?
            }
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary(*operator, left, right)?
            }
            Term::Call(MathFunction::Whole(WholeFunction::Select), arguments) => {
                let condition = self.value(&arguments[0])?;
                let chosen = if self.is_zero(condition) { 2 } else { 1 };
                self.value(&arguments[chosen])?
            }
            Term::Call(function, arguments) => {
                let mut values = [self.value(&arguments[0])?; 3];
                for (value, argument) in values.iter_mut().zip(arguments).skip(1) {
                    *value = self.value(argument)?;
                }
                self.call(*function, values)?
            }
        };
        self.checked(value)
    }
}
