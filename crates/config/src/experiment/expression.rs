//! Expressions of columns: what is computed from metrics, axes and earlier columns.
//!
//! To the syntax of [`crate::expression`] they add
//!
//! ```text
//! leaf = name | "{" metric "}"
//!      | "at" "(" column "," axis "," ( number | "'" text "'" ) ")"     the column where the axis has that value
//! ```
//!
//! All numbers are of double precision.

use super::AxisValue;
use crate::expression::{Dialect, MathFunction, Mention, Parsed, Parser, Term, parse};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span};

/// An expression of a column, with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Expression {
    text: String,
    pub(super) root: Term<ColumnLeaf>,
    names: Vec<Mention>,
    metrics: Vec<Mention>,
}

impl Expression {
    /// The expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The axes, constants and columns that it names.
    #[must_use]
    pub fn names(&self) -> &[Mention] {
        &self.names
    }

    /// The metrics that it names.
    #[must_use]
    pub fn metrics(&self) -> &[Mention] {
        &self.metrics
    }
}

/// What the expression of a column has beside numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ColumnLeaf {
    Name(String),
    Metric(String),
    /// A column at another point.
    At {
        column: String,
        axis: String,
        value: AxisValue,
    },
}

/// The names and metrics that were read.
#[derive(Default)]
struct Column {
    names: Vec<Mention>,
    metrics: Vec<Mention>,
}

impl Dialect for Column {
    type Leaf = ColumnLeaf;
    type Function = MathFunction;
    const NOUN: &'static str = "expression";
    const OPERANDS: &'static str = "a number, a name, a metric in curly brackets or '('";
    const FORM: &'static str = "at";

    fn own(function: MathFunction) -> Option<MathFunction> {
        Some(function)
    }

    fn sign(parser: &mut Parser<'_, Column>) -> Option<Parsed<Column>> {
        if !parser.take("{") {
            return None;
        }
        let Some(inside) = parser.until('}') else {
            return Some(Err(parser.expected("a metric and '}'")));
        };
        let name = inside.name.trim().to_owned();
        let start = inside.span.start as usize + (inside.name.len() - inside.name.trim_start().len());
        let span = Span::new(start, start + name.len());
        parser.dialect.metrics.push(Mention { name: name.clone(), span });
        Some(Ok(Term::Leaf(ColumnLeaf::Metric(name))))
    }

    fn name(parser: &mut Parser<'_, Column>, name: Mention) -> Parsed<Column> {
        let leaf = ColumnLeaf::Name(name.name.clone());
        parser.dialect.names.push(name);
        Ok(Term::Leaf(leaf))
    }

    fn form(parser: &mut Parser<'_, Column>) -> Parsed<Column> {
        let Some(column) = parser.word() else { return Err(parser.expected("the name of a column")) };
        parser.need(",")?;
        let Some(axis) = parser.word() else { return Err(parser.expected("the name of an axis")) };
        parser.need(",")?;
        let value = if parser.take("'") {
            let Some(text) = parser.until('\'') else { return Err(parser.expected("a text and '''")) };
            AxisValue::Text(text.name)
        } else {
            AxisValue::Number(parser.number()?.double)
        };
        parser.need(")")?;
        let leaf = ColumnLeaf::At { column: column.name.clone(), axis: axis.name.clone(), value };
        parser.dialect.names.extend([column, axis]);
        Ok(Term::Leaf(leaf))
    }
}

impl FromStr for Expression {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Expression, Diagnostic> {
        let (root, Column { names, metrics }) = parse(text, Column::default())?;
        Ok(Expression { text: text.to_owned(), root, names, metrics })
    }
}

written_as_text!(
    Expression,
    "expression",
    "An expression of metrics in curly brackets, axes, constants and earlier columns."
);

#[cfg(test)]
mod tests {
    use super::Expression;

    fn fault(text: &str) -> String {
        text.parse::<Expression>().map(|_| ()).unwrap_err().message
    }

    #[test]
    fn names_and_metrics_are_listed_with_their_places() {
        let text = "at(time, size, 'one') / time + { sm__cycles_elapsed.max }";
        let expression: Expression = text.parse().unwrap();
        let names: Vec<&str> = expression.names().iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(names, ["time", "size", "time"]);
        let metric = &expression.metrics()[0];
        assert_eq!((metric.name.as_str(), metric.span.range()), ("sm__cycles_elapsed.max", 33..55));
        assert_eq!(&text[33..55], "sm__cycles_elapsed.max");
    }

    #[test]
    fn faults_say_what_was_expected_and_what_is_known() {
        assert_eq!(
            fault("flor(2)"),
            "unknown function 'flor'; did you mean 'floor'? known: min, max, abs, sqrt, log2, floor, ceil, round, fma, f32, f64, select, at"
        );
        assert_eq!(
            fault("1 + "),
            "expected a number, a name, a metric in curly brackets or '(', found the end of the expression"
        );
        assert_eq!(fault("max(1)"), "'max' takes 2 values, not 1");
        assert_eq!(fault("{a"), "expected a metric and '}', found 'a'");
        assert_eq!(fault("1 2"), "expected an operator or the end of the expression, found '2'");
        assert_eq!(fault(&"(".repeat(9_999)), "expected fewer brackets, found '('");
        assert_eq!(fault(&"2^".repeat(9_999)), "expected fewer brackets, found '2'");
    }
}
